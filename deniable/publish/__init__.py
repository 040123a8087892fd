"""Publishing a table in which everyone can deny the sensitive answer: a tree of groups, new answers drawn inside each, and what is left exposed."""
