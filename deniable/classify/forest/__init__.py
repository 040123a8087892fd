"""A forest on reports: unbiased path weights."""
