"""`dn.Transactions`: reported transactions of any kind, read once and mined again and again."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from deniable.core.channels.base import Channel
from deniable.core.domains.exact import Ints
from deniable.core.schema import Schema
from deniable.core.shuffle_mark import mark_of
from deniable.engines.countable import Countable
from deniable.engines.countable_frames import CountableFrame
from deniable.engines.opening import Source, open_data
from deniable.errors import DataError, ParameterError, RandomisedRowsWarning
from deniable.mining.baskets import listed, read_fimi
from deniable.mining.counting import CountsItemsets, SumsItemsets, counter_of
from deniable.mining.items import Items
from deniable.mining.packed_rows import PackedRows
from deniable.mining.reading import Asked, array_frame, basket_rows, frame_rows
from deniable.mining.remote import InSpark, RemoteRows, Streamed
from deniable.plurals import counted

IN_MEMORY = 1 << 29
"""Bytes of packed columns (512 MiB: 42 million transactions of 100 items) up to which a file or query is loaded; beyond, it is
read again for every level."""


class Transactions:
    """Reported transactions, ready to be mined again and again: `rows` of them over `items`.

    Parameters
    ----------
    data
        A frame of yes/no columns, a list of transactions (each a list of items), the path of a FIMI file (one line per transaction,
        `.gz` too), or a frame of attributes with a schema, whose values are the items. CSV and Parquet files, databases by name
        (`duckdb:///f.db#table`), DuckDB relations, Spark, Dask and lazy Polars frames are read in pieces and packed if they fit into
        512 MiB of bits; else they are read again for every level, and Spark counts in its own partitions.
    schema
        How reports were distorted: a `dn.Schema`, one channel for every item, or None for data that is as it was. Files that carry a
        schema are read under it, and one that contradicts it is refused.
    bins
        Bins of numbers, by attribute.
    most
        Where noise hides too much for unbiased estimates, intervals hold if no single value is too crowded; `most` (`{"age": 0.2}`)
        says how crowded one may be, by default five times its even share.
    only
        Items: just the columns that these are of are read, and no others need bins.

    Examples
    --------
    >>> import deniable as dn
    >>> baskets = dn.Transactions([["bread", "milk"], ["milk"], []])
    >>> baskets.rows, baskets.items.names, baskets.item_counts().tolist()
    (3, ['bread', 'milk'], [1, 2])
    """

    def __init__(
        self,
        data: Any,
        schema: Schema | Channel | None = None,
        bins: Mapping[str, Any] | None = None,
        most: Mapping[str, float] | float | None = None,
        *,
        only: Iterable[Any] | None = None,
    ) -> None:
        if schema is not None and not isinstance(schema, (Schema, Channel)):
            raise ParameterError(
                "not_a_schema",
                "schema must be a dn.Schema, one channel for every item, or None; got {got}.",
                got=type(schema).__name__,
            )
        source = open_data(_as_table(data), schema) if _is_tabular(data) else None
        self.schema = schema if source is None else source.schema
        asked = Asked(self.schema, bins or {}, most, None if only is None else list(only))
        self._rows = _listed_rows(data, asked.schema) if source is None else _source_rows(source, asked)
        if self.rows == 0:
            raise DataError("no_rows", "The data has no rows.")
        if isinstance(self._rows, PackedRows) and self.items.noisy:
            self.items.learn(self._rows.cell_counts())
        if self.schema is None:
            _warn_of_randomised(data)

    @property
    def items(self) -> Items:
        """What may be in an itemset."""
        return self._rows.items

    @property
    def rows(self) -> int:
        """How many transactions there are."""
        return self._rows.rows

    @property
    def remote(self) -> RemoteRows | None:
        """The rows, if they are not in memory."""
        return self._rows if isinstance(self._rows, RemoteRows) else None

    @property
    def cells(self) -> Any:
        """Which value was reported (attributes x rows), where items are not plain."""
        return self._rows.cells

    @property
    def listed(self) -> bool:
        """Whether the data lists what each transaction holds; items that nobody reported are then unknown."""
        return self._rows.baskets is not None

    @property
    def packed(self) -> Any:
        """Bit r of word w of row i: whether transaction 64 w + r reports item i (uint64, items x words)."""
        return self._rows.packed

    def select(self, which: Any) -> Any:
        """The packed columns of some items, in that order."""
        return self._rows.select(which)

    def item_counts(self) -> Ints:
        """How many rows report each item."""
        return self._rows.item_counts

    def counter(self, which: Ints) -> CountsItemsets | SumsItemsets:
        """What counts itemsets of these items, numbered as in `which`: `CountsItemsets` if all items are plain."""
        return self._rows.counter(which) if isinstance(self._rows, RemoteRows) else counter_of(self._rows, which)

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        return f"Transactions({counted(self.rows, 'row')}, {counted(len(self.items), 'item')})"


def _is_tabular(data: Any) -> bool:
    """Whether data has columns, rather than lists of items."""
    if isinstance(data, (str, Path)):
        return is_table(str(data))
    if isinstance(data, np.ndarray):
        return data.ndim == 2
    # The class is asked: a lazy frame would have to work out its columns, and warns of that.
    return isinstance(data, (Source, Countable, pa.Table, pa.RecordBatch)) or hasattr(type(data), "columns")


def _warn_of_randomised(data: Any) -> None:
    """Warn of reports that would be counted as if they were true, where the mark of their shuffle tells."""
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.DataFrame) and mark_of(data) is not None:
        warnings.warn(
            "Without a schema rows are taken as true, and these went through Schema.randomise: supports would be those of the reports. "
            "Give its schema.",
            RandomisedRowsWarning,
            stacklevel=3,
        )


def _as_table(data: Any) -> Any:
    return array_frame(data) if isinstance(data, np.ndarray) else data


def _listed_rows(data: Any, schema: Schema | Channel | None) -> PackedRows:
    """Lists of items, or a FIMI file of them."""
    return basket_rows(read_fimi(Path(data)) if isinstance(data, (str, Path)) else listed(data), schema)


def _source_rows(source: Source, asked: Asked) -> PackedRows | RemoteRows:
    """Rows that have columns: packed here if they fit, else counted where they are, or read again for every level."""
    opened = source.data
    if isinstance(opened, CountableFrame) and not opened.kind:
        return frame_rows(opened.frame, asked)
    names = asked.columns(source.columns)
    items = asked.items(names)
    if isinstance(opened, CountableFrame) and opened.kind == "spark":
        return RemoteRows(InSpark(opened, items, names), items)
    place = Streamed(source.batches(), items, names)
    here = place.load(IN_MEMORY)
    return RemoteRows(place, items) if here is None else here


def as_transactions(
    data: Any,
    schema: Schema | Channel | None = None,
    bins: Mapping[str, Any] | None = None,
    most: Mapping[str, float] | float | None = None,
    only: Iterable[Any] | None = None,
) -> Transactions:
    """Data as transactions; those that are transactions already know their schema.

    Parameters
    ----------
    data, schema, bins, most, only
        As of `Transactions`.

    Examples
    --------
    >>> as_transactions([["a"], ["a", "b"]])
    Transactions(2 rows, 2 items)
    """
    if not isinstance(data, Transactions):
        return Transactions(data, schema, bins, most, only=only)
    if (schema is not None and schema != data.schema) or bins or most:
        raise ParameterError(
            "schema_twice",
            "These transactions were read under a schema and bins of their own; give none, or the data they came from.",
        )
    return data


def is_table(name: str) -> bool:
    """Whether a name is that of a table (CSV, Parquet, a database) and not of a file of transactions.

    >>> is_table("answers.csv.gz"), is_table("duckdb:///f.db#answers"), is_table("retail.dat.gz")
    (True, True, False)
    """
    return name.lower().endswith((".csv", ".csv.gz", ".parquet")) or "://" in name
