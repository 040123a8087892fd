"""Data to try things on, with a truth that is known: fictitious people, not real ones."""

from deniable.datasets.quest import quest
from deniable.datasets.town import town, town_schema

__all__ = ["quest", "town", "town_schema"]
