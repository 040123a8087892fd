"""What may be true: labels and grids of numbers, read exactly as they are written."""
