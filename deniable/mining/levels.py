"""What a level of a search is, and what it hands to the next: itemsets of one length, their sums and the rows of their subsets."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.mining.counting import Sums

ROUNDING = 1e-12
"""A support that is the minimum but for rounding reaches it: whether it does must not depend on the order of multiplication."""
MOST_CANDIDATES = 20_000_000
"""Candidates of one level beyond which a search is stopped before it starts; a tenth of them may be found frequent in all."""


@dataclass
class Level:
    """The frequent itemsets of one length: rows of item numbers in lexicographic order, and their sums.

    `parents[i, k]` is the row, in the level below, of itemset i without its item at position k.
    """

    itemsets: Any
    parents: Any
    sums: Sums
    support: Floats
    candidates: int
    error: Floats | None = None  # of the supports shown, where they are not the unbiased ones
    columns: Any = None  # support, its standard error, probability that it is frequent: where they are known already

    @property
    def length(self) -> int:
        """How many items each has."""
        return int(self.itemsets.shape[1])

    def __len__(self) -> int:
        return len(self.itemsets)


@dataclass
class Tally:
    """How many candidates of each length were tested, those of lengths at which nothing was found included.

    >>> tally = Tally()
    >>> tally.add(1, 20), tally.add(2, 7), tally.add(2, 3)
    (None, None, None)
    >>> tally.by_length, tally.tested
    ([20, 10], 30)
    """

    by_length: list[int] = field(default_factory=list)

    def add(self, length: int, candidates: int) -> None:
        """Count candidates of a length."""
        if candidates:
            self.by_length += [0] * (length - len(self.by_length))
            self.by_length[length - 1] += candidates

    @property
    def tested(self) -> int:
        """How many there were of all lengths."""
        return sum(self.by_length)


@dataclass
class Below:
    """What a level hands up: its itemsets and the partial sums that the next level's recursion reads."""

    itemsets: Any
    parents: Any
    starts: Ints  # where the itemsets begin that are a row of the level below and one more item
    partial: Any = None  # of the weights, of their squares and of their cubes (last axis)

    def __post_init__(self) -> None:
        self.tails = self.itemsets[:, -1:].ravel()

    @property
    def length(self) -> int:
        """How many items each has."""
        return int(self.itemsets.shape[1])

    @property
    def joins(self) -> Ints:
        """With how many itemsets after it, that share all its items but the last, each can be joined."""
        joins: Ints = self.starts[self.parents[:, -1] + 1] - np.arange(1, len(self.itemsets) + 1)
        return joins

    @cached_property
    def pairs(self) -> int:
        """How many joins there are in all."""
        alike = self.starts[1:] - self.starts[:-1]
        return int(alike @ (alike - 1)) // 2
