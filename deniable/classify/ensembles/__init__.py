"""Many classifiers that decide together."""
