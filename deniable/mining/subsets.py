"""All subsets of all itemsets of a frame at once: which row each of them is, as arrays.

Subsets are numbered by bits: bit j of a subset's number says whether it holds the j-th item of the itemset.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.core.domains.exact import Ints
from deniable.errors import DataError

MOST_AT_A_TIME = 1 << 22
"""Subsets that are in memory at a time."""
EMPTY = -1
"""The row of the empty set, which no frame has."""


@dataclass(frozen=True)
class Portion:
    """Itemsets of one length: their rows in the frame, the codes of their items, and the rows of all their 2^m subsets."""

    rows: Ints
    items: Ints
    subsets: Ints

    @property
    def length(self) -> int:
        """How many items each has."""
        return int(self.items.shape[1])


class Lattice:
    """The itemsets of a frame, coded: `names[code]` is the name of an item."""

    def __init__(self, itemsets: Sequence[frozenset[Any]]) -> None:
        self.names: list[Any] = list(dict.fromkeys(name for itemset in itemsets for name in itemset))
        code = {name: number for number, name in enumerate(self.names)}
        lengths = np.array([len(itemset) for itemset in itemsets], dtype=np.int64)
        self._rows: dict[int, Ints] = {}
        self._items: dict[int, Ints] = {}
        for length in sorted(set(lengths.tolist()) - {0}):
            rows = np.flatnonzero(lengths == length)
            coded = [[code[name] for name in itemsets[row]] for row in rows.tolist()]
            self._rows[length], self._items[length] = rows, np.sort(np.array(coded, dtype=np.int64), axis=1)
        self._order: dict[int, tuple[Ints, Ints]] = {}
        self._itemsets = itemsets

    @property
    def lengths(self) -> list[int]:
        """How many itemsets of 1, 2, ... items there are."""
        return [len(self._rows.get(length, ())) for length in range(1, max(self._rows, default=0) + 1)]

    def portions(self) -> Iterator[Portion]:
        """Portions by ascending length; raises where an itemset's subset is not a row of the frame."""
        for length in self._rows:
            at_a_time = max(1, MOST_AT_A_TIME >> length)
            ends = self._prefixes(length)
            for first in range(0, len(ends), at_a_time):
                part = slice(first, first + at_a_time)
                yield Portion(self._rows[length][part], self._items[length][part], self._subsets(length, part))

    def _prefixes(self, length: int) -> Ints:
        """Remember how to find itemsets of this length: by the place of all their items but the last, and that item."""
        items, rows = self._items[length], self._rows[length]
        before = np.zeros(len(rows), np.int64)
        for size in range(1, length):
            before = self._find(size, before, items[:, size - 1])
            self._check(before, rows, items[:, :size])
        keys = before * len(self.names) + items[:, -1]
        order = np.argsort(keys, kind="stable")
        if len(keys) > 1 and (np.diff(keys[order]) == 0).any():
            twice = order[1:][np.diff(keys[order]) == 0][0]
            raise DataError(
                "itemset_twice", "The itemset {got} is in the frame more than once.", got=_shown(self._itemsets[rows[twice]])
            )
        self._order[length] = (keys[order], order)
        return rows

    def _find(self, size: int, before: Ints, last: Ints) -> Ints:
        """Places, among the itemsets of a size, of those with that prefix and that last item; -1 where there is none."""
        if size not in self._order:
            return np.full(len(before), -1)
        keys, order = self._order[size]
        wanted = before * len(self.names) + last
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where((keys[place] == wanted) & (before >= 0), order[place], -1)

    def _subsets(self, length: int, part: slice) -> Ints:
        items, rows = self._items[length][part], self._rows[length][part]
        places = np.zeros((len(rows), 1 << length), np.int64)
        subsets = np.full((len(rows), 1 << length), EMPTY)
        for number in range(1, 1 << length):
            last = number.bit_length() - 1
            size = number.bit_count()
            places[:, number] = self._find(size, places[:, number & ~(1 << last)], items[:, last])
            members = [j for j in range(length) if number >> j & 1]
            self._check(places[:, number], rows, items[:, members])
            subsets[:, number] = self._rows[size][places[:, number]]
        return subsets

    def _check(self, places: Ints, rows: Ints, items: Ints) -> None:
        missing = np.flatnonzero(places < 0)
        if missing.size:
            raise DataError(
                "subset_missing",
                "The frame has the itemset {larger} but not its subset {smaller} ({n} such): rules need the supports of all subsets. "
                "Take the whole frame that dn.frequent_itemsets gave; its filters keep subsets.",
                larger=_shown(self._itemsets[rows[missing[0]]]),
                smaller=_shown([self.names[code] for code in items[missing[0]]]),
                n=len(missing),
            )


def _shown(itemset: Any) -> str:
    return "{" + ", ".join(sorted(map(str, itemset))) + "}"
