"""From tables of reports back to distributions of truths."""
