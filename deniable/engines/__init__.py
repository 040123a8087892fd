"""Counting where the data lives: only additive tables of reported values travel."""
