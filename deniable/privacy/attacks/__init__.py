"""Attacks that can be tried: what is learned by someone who knows the population, asks again, or links records."""
