"""Data to try things on, with a truth that is known: fictitious people, not real ones."""

from deniable.datasets.town import town, town_schema

__all__ = ["town", "town_schema"]
