"""Transactions that are not in memory: counted piece by piece, or in Spark's partitions. Counts of parts add up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.core.domains.columns import to_arrow
from deniable.core.domains.exact import Floats, Ints
from deniable.engines.batches import Batches, spark_columns, spark_sums
from deniable.mining.counting import Sums, counter_of
from deniable.mining.items import Items
from deniable.mining.transactions import FrameReader, Transactions

CANDIDATES_A_PASS = 1 << 20
"""Candidates counted in one pass over the data: every pass reads it again."""


def piece_of(table: pa.Table, items: Items, names: Sequence[str], reader: FrameReader) -> Transactions:
    """Some rows as transactions of their own."""
    columns = [to_arrow(table.column(name), name) for name in names]
    piece = Transactions.__new__(Transactions)
    piece.schema, piece.items, piece.rows = None, items, table.num_rows
    piece._starts = piece._codes = piece._packed = piece.cells = piece.remote = None
    if items.plain:
        piece._packed = reader.packed(columns)
    else:
        piece.cells = reader.cells(columns)
    return piece


Numbers = Callable[[Transactions], Floats]
"""From the transactions of a part to an array of sums."""


class Streamed:
    """Sums over data that is read again for every question."""

    def __init__(self, batches: Batches, items: Items, names: Sequence[str]) -> None:
        self._batches, self._items, self._names = batches, items, list(names)

    def pieces(self) -> Iterator[Transactions]:
        """The transactions, piece by piece."""
        reader = FrameReader(self._items, self._names, self._batches.text)
        for table in self._batches:
            yield piece_of(table.select(self._names), self._items, self._names, reader)
        reader.finish()

    def sums(self, numbers: Numbers, size: int) -> Floats:
        """The sum over all pieces."""
        total = np.zeros(size)
        for piece in self.pieces():
            total += numbers(piece)
        return total


class InSpark:
    """Sums over the partitions of a Spark frame, computed by its workers with the same kernels."""

    def __init__(self, data: Any, items: Items, names: Sequence[str]) -> None:
        frame, columns, self._text = spark_columns(data)
        # Positions instead of names: a dot in a name would be read as a path.
        short = [f"c{i}" for i in range(len(columns))]
        self._short = [short[columns.index(name)] for name in names]
        self._frame = frame.toDF(*short).select(*self._short)
        self._items = items

    def sums(self, numbers: Numbers, size: int) -> Floats:
        """The sum over all partitions."""
        items, names, text = self._items, self._short, self._text

        def compute(tables: Iterator[pa.Table]) -> Floats:
            reader = FrameReader(items, names, text)
            total = np.zeros(size)
            for table in tables:
                if table.num_rows:
                    total += numbers(piece_of(table, items, names, reader))
            reader.finish()
            return total

        return spark_sums(self._frame, compute)


class Remote:
    """What a search asks of transactions that are elsewhere."""

    def __init__(self, place: Streamed | InSpark, items: Items) -> None:
        self._place, self._items = place, items

    def rows_and_counts(self) -> tuple[int, Ints]:
        """How many transactions there are, and how many report each item; what noisy attributes report is counted on the way."""
        items = self._items
        sizes = [1, len(items), *(items.attributes[home].cell_count for home in items.noisy)]

        def numbers(piece: Transactions) -> Floats:
            return np.concatenate([[float(piece.rows)], piece.item_counts(), *piece.cell_counts()])

        rows, counts, *cells = np.split(self._place.sums(numbers, sum(sizes)), np.cumsum(sizes)[:-1])
        items.learn(cells)
        return int(rows[0]), counts.astype(np.int64)

    def counter(self, which: Ints) -> RemoteCounts | RemoteSums:
        """What counts itemsets of these items."""
        return (RemoteCounts if self._items.plain else RemoteSums)(self._place, which)


class RemoteCounts:
    """Itemsets of plain items, counted where the rows are."""

    portion = CANDIDATES_A_PASS

    def __init__(self, place: Streamed | InSpark, which: Ints) -> None:
        self._place, self._which = place, which

    def counts(self, itemsets: Any) -> Ints:
        """How many rows report every item of each itemset."""
        which = self._which

        def numbers(piece: Transactions) -> Floats:
            found: Floats = counter_of(piece, which).counts(itemsets).astype(np.float64)  # type: ignore[union-attr]
            return found

        return self._place.sums(numbers, len(itemsets)).astype(np.int64)


class RemoteSums:
    """The same where weights depend on more than whether an item was reported."""

    portion = CANDIDATES_A_PASS

    def __init__(self, place: Streamed | InSpark, which: Ints) -> None:
        self._place, self._which = place, which

    def sums(self, itemsets: Any) -> Sums:
        """The sums of each itemset."""
        which = self._which

        def numbers(piece: Transactions) -> Floats:
            found = counter_of(piece, which).sums(itemsets)  # type: ignore[union-attr]
            return np.concatenate([found.reported, found.total, found.second])

        reported, total, second = np.split(self._place.sums(numbers, 3 * len(itemsets)), 3)
        return Sums(reported.astype(np.int64), total, second)
