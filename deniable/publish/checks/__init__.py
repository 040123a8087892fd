"""What is looked at before a table is published: one function per check, each from what was measured to what was found."""
