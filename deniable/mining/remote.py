"""Transactions that are not in memory: counted piece by piece, or in Spark's partitions. Counts of parts add up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.core.domains.columns import to_arrow
from deniable.core.domains.exact import Floats, Ints
from deniable.engines.countable import Batches
from deniable.engines.countable_frames import CountableFrame
from deniable.engines.spark_sums import spark_sums
from deniable.errors import ParameterError
from deniable.mining.counting import Sums, counter_of
from deniable.mining.items import Items
from deniable.mining.packed_rows import PackedRows
from deniable.mining.reading import FrameReader

CANDIDATES_A_PASS = 1 << 20
"""Candidates counted in one pass over the data: every pass reads it again."""

Numbers = Callable[[PackedRows], Floats]
"""From the rows of a part to an array of sums."""


def _piece(table: pa.Table, names: Sequence[str], reader: FrameReader) -> PackedRows:
    return reader.read([to_arrow(table.column(name), name) for name in names])


class Streamed:
    """Sums over data that is read again for every question."""

    def __init__(self, batches: Batches, items: Items, names: Sequence[str]) -> None:
        self._batches, self._items, self._names = batches, items, list(names)

    def pieces(self) -> Iterator[PackedRows]:
        """The rows, piece by piece."""
        reader = FrameReader(self._items, self._names, self._batches.text)
        for table in self._batches:
            yield _piece(table.select(self._names), self._names, reader)
        reader.finish()

    def load(self, most_bytes: int) -> PackedRows | None:
        """All rows side by side; None if they are more than memory should hold."""
        parts: list[PackedRows] = []
        for piece in self.pieces():
            parts.append(piece)
            if sum(part.nbytes for part in parts) > most_bytes:
                return None
        return PackedRows.together(self._items, parts)

    def sums(self, numbers: Numbers, size: int) -> Floats:
        """The sum over all pieces."""
        total = np.zeros(size)
        for piece in self.pieces():
            total += numbers(piece)
        return total


class InSpark:
    """Sums over the partitions of a Spark frame, computed by its workers with the same kernels."""

    def __init__(self, data: CountableFrame, items: Items, names: Sequence[str]) -> None:
        frame, columns, self._text = data.frame, list(data.frame.columns), data.text
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
                    total += numbers(_piece(table, names, reader))
            reader.finish()
            return total

        return spark_sums(self._frame, compute)


class RemoteRows:
    """What a search asks of rows that are elsewhere; how many there are, and how often each item is reported, is counted at once."""

    cells = baskets = None

    def __init__(self, place: Streamed | InSpark, items: Items) -> None:
        self._place, self.items = place, items
        sizes = [1, len(items), *(items.attributes[home].cell_count for home in items.noisy)]

        def numbers(piece: PackedRows) -> Floats:
            return np.concatenate([[float(piece.rows)], piece.item_counts, *piece.cell_counts()])

        rows, counts, *cells = np.split(place.sums(numbers, sum(sizes)), np.cumsum(sizes)[:-1])
        items.learn(cells)
        self.rows = int(rows[0])
        self.item_counts: Ints = counts.astype(np.int64)

    def counter(self, which: Ints) -> RemoteCounts | RemoteSums:
        """What counts itemsets of these items."""
        return (RemoteCounts if self.items.plain else RemoteSums)(self._place, which)

    @property
    def packed(self) -> Any:
        """Refused: the rows are not here."""
        raise ParameterError(
            "rows_elsewhere",
            "These transactions are not in memory: methods 'shrunk' and 'unbiased' count them where they are, all else needs them "
            "here. Load them, or take a sample.",
        )

    def select(self, which: Any) -> Any:
        """Refused: the rows are not here."""
        return self.packed


class RemoteCounts:
    """Itemsets of plain items, counted where the rows are."""

    portion = CANDIDATES_A_PASS

    def __init__(self, place: Streamed | InSpark, which: Ints) -> None:
        self._place, self._which = place, which

    def counts(self, itemsets: Any) -> Ints:
        """How many rows report every item of each itemset."""
        which = self._which

        def numbers(piece: PackedRows) -> Floats:
            reported: Floats = counter_of(piece, which).counts(itemsets).astype(np.float64)  # type: ignore[union-attr]
            return reported

        return self._place.sums(numbers, len(itemsets)).astype(np.int64)


class RemoteSums:
    """The same where weights depend on more than whether an item was reported."""

    portion = CANDIDATES_A_PASS

    def __init__(self, place: Streamed | InSpark, which: Ints) -> None:
        self._place, self._which = place, which

    def sums(self, itemsets: Any) -> Sums:
        """The sums of each itemset."""
        which = self._which

        def numbers(piece: PackedRows) -> Floats:
            sums = counter_of(piece, which).sums(itemsets)  # type: ignore[union-attr]
            return np.concatenate([sums.reported, sums.total, sums.second])

        reported, total, second = np.split(self._place.sums(numbers, 3 * len(itemsets)), 3)
        return Sums(reported.astype(np.int64), total, second)
