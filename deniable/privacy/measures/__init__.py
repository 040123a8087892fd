"""What a report tells, in numbers: one module per measure over a channel and a prior."""
