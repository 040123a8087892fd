"""Publishing a table in which everyone can deny the sensitive answer: a tree of groups, answers drawn inside each, what is exposed."""
