"""Counts, means, distributions and candidates under conditions, from data in which every single answer may be false."""
