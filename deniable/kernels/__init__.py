"""Hot loops, compiled by numba: arrays in, arrays out, nothing else known."""
