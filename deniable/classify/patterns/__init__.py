"""Classifiers by emerging patterns: itemsets that are much more frequent in one class than in the others."""
