"""Domains, channels, schemas, tables and estimates: the ground everything stands on."""
