"""Classifiers that learn from distorted rows, as scikit-learn estimators, and how to score them on distorted rows."""
