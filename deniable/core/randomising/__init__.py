"""Randomising frames, files and Spark's rows. It takes channels, blocks and the schema's JSON text, and knows no schema."""
