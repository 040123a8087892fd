"""What the questions of a `Sample` do, one module per kind of question."""
