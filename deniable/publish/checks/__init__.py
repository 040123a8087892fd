"""What is looked at before a table is published: one function per check."""
