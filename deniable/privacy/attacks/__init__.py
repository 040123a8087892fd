"""Attacks that can be tried: what someone learns who knows the population, asks again, or links records."""
