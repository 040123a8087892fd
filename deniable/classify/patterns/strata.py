"""Rows by reported class: sums of weights in each part, from which those of every class and of all others follow.

Where the class is open, a part is a class. Where it is hidden, a row of reported class z counts for class c with the unbiased weight
U[z, c], so the sums of class c are sums over the parts: of weights with U, of their squares with U^2, of their cubes with U^3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.classify.patterns.items import ItemTable
from deniable.mining.counting import CountsItemsets, Sums, counter_of


@dataclass(frozen=True)
class Side:
    """The people of one class, or all others: how much a row of each reported class counts for it, and how many people that makes."""

    weights: Any
    size: float

    def sums(self, parts: Any) -> Sums:
        """Its sums of some itemsets from those of the parts, [itemset, part, power]."""
        total, second, third = (parts[:, :, k] @ self.weights ** (k + 1) for k in range(3))
        return Sums(np.zeros(len(parts), np.int64), total, second, None if np.isnan(third).any() else third)


class Strata:
    """The rows of each reported class, packed, and the two sides of every class."""

    def __init__(self, table: ItemTable, fine: Sequence[Any], classes: Any, of_class: Any) -> None:
        """`classes` are the reported classes of the rows, `of_class` the unbiased weights [reported class, class]."""
        self.table = table
        parts = len(of_class)
        self.rows = [table.rows(fine, np.flatnonzero(classes == z)) for z in range(parts)]
        self.n = np.array([part.rows for part in self.rows], dtype=np.float64)
        self.of_class = of_class
        self.hidden = not np.array_equal(of_class, np.eye(len(of_class)))
        self.own = [self._side(of_class[:, c]) for c in range(of_class.shape[1])]
        self.other = [self._side(1 - of_class[:, c]) for c in range(of_class.shape[1])]
        everything = np.arange(len(table))
        self._counters = [counter_of(part, everything) if part.rows else None for part in self.rows]

    def _side(self, weights: Any) -> Side:
        return Side(weights, float(weights @ self.n))

    @property
    def nothing(self) -> Any:
        """The partial sums of the itemset without items, of every part."""
        return [np.full((1, 1, 3), n) for n in self.n]

    def sums(self, itemsets: Any, parents: Any = None, below: Any = None) -> tuple[Any, Any]:
        """The sums [itemset, part, power] and, of a level of a search, the partial sums that the next level needs.

        `parents` are the rows of the itemsets' subsets in the level below, whose partial sums are `below`. Without them every
        itemset is weighed row by row, which is slow and needs no search.
        """
        from deniable.kernels.candidates import weighted_sums

        items = self.table.items
        sums = np.zeros((len(itemsets), len(self.n), 3))
        partial: list[Any] = [None] * len(self.n)
        # A power of a weight that is one of two numbers is again one of two numbers.
        absent = np.stack([items.absent**k for k in (1, 2, 3)], axis=1)
        slope = np.stack([items.present**k for k in (1, 2, 3)], axis=1) - absent
        for z, counter in enumerate(self._counters):
            if counter is None:
                partial[z] = np.zeros((len(itemsets), itemsets.shape[1] + 1, 3))
            elif not isinstance(counter, CountsItemsets):
                found = counter.sums(itemsets)
                sums[:, z] = np.stack([found.total, found.second, np.full(len(itemsets), np.nan)], axis=1)
            elif below is None:
                sums[:, z] = self._row_sums(z, itemsets)
            else:
                partial[z], whole = weighted_sums(counter.counts(itemsets), itemsets, parents, below[z], absent, slope)
                sums[:, z] = whole.T
        return sums, partial

    def _row_sums(self, z: int, itemsets: Any) -> Any:
        from deniable.kernels.row_products import packed_row_sums

        items, rows = self.table.items, self.rows[z]
        found = [
            packed_row_sums(rows.packed, rows.rows, itemset.astype(np.int64), items.absent, items.present)
            for itemset in itemsets
        ]
        return np.array(found).reshape(len(itemsets), 3)
