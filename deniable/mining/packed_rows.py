"""Transactions in memory, as plain data: the items and arrays of what each row reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from deniable.core.domains.exact import Ints
from deniable.mining.baskets import Baskets
from deniable.mining.items import Items


@dataclass
class PackedRows:
    """Rows over `items`, kept as packed bits, as reported cells of attributes, or as lists of items.

    >>> from deniable.mining.items import yes_no_items
    >>> rows = PackedRows(yes_no_items(["bread", "milk"], None), 3, bits=np.array([[0b001], [0b011]], np.uint64))
    >>> rows.item_counts.tolist(), rows.select([1]).tolist()
    ([1, 2], [[3]])
    """

    items: Items
    rows: int
    bits: Any = None  # bit r of word w of row i: whether transaction 64 w + r reports item i (uint64, items x words)
    cells: Any = None  # which value was reported (attributes x rows), where items are not plain
    baskets: Baskets | None = None

    @cached_property
    def item_counts(self) -> Ints:
        """How many rows report each item."""
        from deniable.kernels.bits import column_counts

        if self.bits is None and self.baskets is not None:
            if self.baskets.counts is not None:
                return np.pad(self.baskets.counts, (0, len(self.items) - len(self.baskets.counts)))
            if not self.baskets.has_repeats:
                return np.bincount(self.baskets.codes, minlength=len(self.items))
        return column_counts(self.packed)  # type: ignore[no-any-return]

    def cell_counts(self) -> list[Ints]:
        """How often each cell of the noisy attributes was reported."""
        homes = self.items.noisy
        return [np.bincount(self.cells[home], minlength=self.items.attributes[home].cell_count) for home in homes]

    @property
    def packed(self) -> Any:
        """The packed bits of all items."""
        if self.bits is None:
            self.bits = self._pack(np.arange(len(self.items)))
        return self.bits

    def select(self, which: Any) -> Any:
        """The packed columns of some items, in that order."""
        from deniable.kernels.bits import words_for

        which = np.asarray(which, dtype=np.int64)
        # Lists are mined again and again, with another minimum: columns that need no more room than the lists are packed once.
        small = self.baskets is not None and 8 * len(self.items) * words_for(self.rows) <= self.baskets.codes.nbytes
        if self.bits is not None or small:
            return np.ascontiguousarray(self.packed[which])
        return self._pack(which)

    def _pack(self, which: Ints) -> Any:
        from deniable.kernels.bits import set_bits, set_shown, words_for

        packed = np.zeros((len(which), words_for(self.rows)), np.uint64)
        place = np.full(len(self.items), -1, np.int64)
        place[which] = np.arange(len(which))
        if self.cells is not None:
            for item in which:
                home = self.items.attribute[item]
                first = int(np.searchsorted(self.items.attribute, home))
                set_shown(packed[place[item]], self.cells[home], self.items.attributes[home].shows[item - first])
            return packed
        assert self.baskets is not None
        set_bits(packed, self.baskets.starts, self.baskets.codes, place, 0)
        return packed

    @classmethod
    def together(cls, items: Items, parts: Sequence[PackedRows]) -> PackedRows:
        """The rows of several parts, one after the other; all but the last have a multiple of 64 rows."""
        if not parts:
            return cls(items, 0)
        rows = sum(part.rows for part in parts)
        if items.plain:
            return cls(items, rows, bits=np.concatenate([part.bits for part in parts], axis=1))
        return cls(items, rows, cells=np.concatenate([part.cells for part in parts], axis=1))

    @property
    def nbytes(self) -> int:
        """How much memory the arrays take."""
        arrays = (self.bits, self.cells, *(() if self.baskets is None else (self.baskets.starts, self.baskets.codes)))
        return sum(int(array.nbytes) for array in arrays if array is not None)
