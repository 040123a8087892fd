"""Transactions of any kind as packed columns of bits: yes/no frames, lists of items, FIMI files, frames of attributes."""

from __future__ import annotations

import gzip
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from deniable.core.channels.base import Channel
from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.core.domains.columns import to_arrow
from deniable.core.domains.domain import Binary
from deniable.core.domains.exact import Ints
from deniable.core.schema import Schema
from deniable.core.tables import allowed_reports
from deniable.engines.batches import batches, is_source, is_spark
from deniable.engines.schemas import agreed_schema
from deniable.engines.sources import open_source
from deniable.errors import DataError, FileError, ParameterError
from deniable.mining.items import Items, check_names, columns_of, schema_items, yes_no_items
from deniable.plurals import counted

IN_MEMORY = 1 << 29
"""Bytes of packed columns (512 MiB: 42 million transactions of 100 items) up to which a file or query is loaded; beyond, it is
read again for every level."""


class Transactions:
    """Reported transactions, ready to be mined again and again: `rows` of them over `items`.

    Data may be a frame of yes/no columns, a list of transactions (each a list of items), the path of a FIMI file (a line a
    transaction, `.gz` too), or a frame of attributes with a schema, whose values are the items. CSV and Parquet files, databases by
    name (`duckdb:///f.db#table`), DuckDB relations, Spark, Dask and lazy Polars frames are read in pieces and packed if they fit
    into 512 MiB of bits; else they are read again for every level, and Spark counts in its own partitions. `schema` says how reports were
    distorted: a `dn.Schema`, one channel for every item, or None for data that is as it was; files that carry a schema are read under it,
    and one that contradicts it is refused. `bins` gives bins of numbers. Where noise hides too much for unbiased estimates,
    intervals hold if no single value is too crowded; `most` (`{"age": 0.2}`) says how crowded one may be, by default five times
    its even share. With `only` (items) just the columns that these are of are read, and no others need bins.

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
        self.schema = schema
        self._most = most
        self._only = None if only is None else list(only)
        self._packed: Any = None
        self._starts: Any = None
        self._codes: Any = None
        self.cells: Any = None
        self.items: Items
        self.rows: int
        self.remote: Any = None
        if isinstance(data, (str, Path)) and is_table(str(data)):
            data = open_source(str(data))
        if is_source(data):
            self._set_source(data, schema, bins or {})
        elif isinstance(data, (str, Path)):
            self._set_listed(*read_fimi(Path(data)), schema)
        elif _is_frame(data):
            self._set_frame(data, schema, bins or {})
        elif isinstance(data, np.ndarray) and data.ndim == 2:
            self._set_frame(_array_frame(data), schema, bins or {})
        else:
            self._set_listed(*_listed(data), schema)
        if self.rows == 0:
            raise DataError("no_rows", "The data has no rows.")
        if self.remote is None and self.items.noisy:
            self.items.learn(self.cell_counts())

    def cell_counts(self) -> list[Ints]:
        """How often each cell of the noisy attributes was reported."""
        homes = self.items.noisy
        return [np.bincount(self.cells[home], minlength=self.items.attributes[home].cell_count) for home in homes]

    def _set_listed(self, names: list[Any], starts: Ints, codes: Any, schema: Schema | Channel | None) -> None:
        if isinstance(schema, Schema):
            # Items that nobody reported are items all the same.
            known = {str(name) for name in names}
            names = [*names, *(name for name in schema if name not in known)]
        self.items = yes_no_items(names, schema)
        self.rows = len(starts) - 1
        self._starts, self._codes = starts, codes
        if not self.items.plain:
            # Items that share a draw are weighed row by row.
            self.cells = np.zeros((len(names), self.rows), np.uint8)
            self.cells[codes, np.repeat(np.arange(self.rows), np.diff(starts))] = 1

    def _set_source(self, data: Any, schema: Schema | Channel | None, bins: Mapping[str, Any]) -> None:
        """Rows from elsewhere: packed here if they fit, else counted where they are, or read again for every level."""
        from deniable.mining.remote import InSpark, Remote, Streamed

        schema = self.schema = agreed_schema(getattr(data, "files", ()), schema)
        in_spark = is_spark(data)
        source = None if in_spark else batches(data)
        names = source.columns if source is not None else list(getattr(data, "frame", data).columns)
        names = self._asked(names, schema)
        self._set_items(names, schema, bins)
        if source is None:
            self.remote = Remote(InSpark(data, self.items, names), self.items)
        else:
            place = Streamed(source, self.items, names)
            if not self._load(place):
                self.remote = Remote(place, self.items)
        if self.remote is not None:
            self.rows, self._item_counts = self.remote.rows_and_counts()

    def _load(self, place: Any) -> bool:
        """Pack all pieces side by side; False if they are more than memory should hold."""
        held: list[Any] = []
        for piece in place.pieces():
            held.append(piece._packed if self.items.plain else piece.cells)
            if sum(part.nbytes for part in held) > IN_MEMORY:
                return False
            self.rows = (0 if len(held) == 1 else self.rows) + piece.rows
        if not held:
            self.rows = 0
            return True
        together = np.concatenate(held, axis=1)
        if self.items.plain:
            self._packed = together
        else:
            self.cells = together
        return True

    def _asked(self, names: list[Any], schema: Schema | Channel | None) -> list[Any]:
        """The columns that matter."""
        if self._only is None or not isinstance(schema, Schema):
            return names
        columns = [str(name) for name in names]
        unknown = [item for item in self._only if not columns_of([item], columns)]
        if unknown or not self._only:
            raise DataError(
                "unknown_item",
                "There are no items {got}: an item is a column of yes and no, or COLUMN=VALUE, of the columns {allowed}."
                if unknown
                else "An itemset needs at least one item: a column of yes and no, or COLUMN=VALUE, of the columns {allowed}.",
                got=unknown,
                allowed=columns[:20],
            )
        wanted = set(columns_of(self._only, columns))
        return [name for name in names if str(name) in wanted]

    def _set_items(self, names: list[Any], schema: Schema | Channel | None, bins: Mapping[str, Any]) -> None:
        check_names(names)
        if isinstance(schema, Schema):
            self.items = schema_items(schema, bins, [str(name) for name in names], most=self._most)
            return
        if bins or self._most:
            option = "bins" if bins else "most"
            raise ParameterError(
                f"{option}_without_schema", "{option}= needs a dn.Schema that says what the numbers may be.", option=option
            )
        self.items = yes_no_items(names, schema)

    def _set_frame(self, data: Any, schema: Schema | Channel | None, bins: Mapping[str, Any]) -> None:
        names, columns = _columns(data, lambda names: self._asked(names, schema))
        self._set_items(names, schema, bins)
        self.rows = len(columns[0]) if columns else 0
        reader = FrameReader(self.items, names)
        if self.items.plain:
            self._packed = reader.packed(columns)
        else:
            self.cells = reader.cells(columns)
        reader.finish()

    def item_counts(self) -> Ints:
        """How many rows report each item."""
        return self._item_counts

    @cached_property
    def _item_counts(self) -> Ints:
        from deniable.kernels.bits import column_counts

        if self._packed is None and self._codes is not None and not self._repeats:
            return np.bincount(self._codes, minlength=len(self.items))
        return column_counts(self.packed)  # type: ignore[no-any-return]

    @cached_property
    def _repeats(self) -> bool:
        """Whether some transaction lists an item twice."""
        from deniable.kernels.bits import has_repeats

        return bool(has_repeats(self._starts, self._codes, len(self.items)))

    @property
    def listed(self) -> bool:
        """Whether the data lists what each transaction holds; items that nobody reported are then unknown."""
        return self._codes is not None

    @property
    def packed(self) -> Any:
        """Bit r of word w of row i: whether transaction 64 w + r reports item i (uint64, items x words)."""
        if self._packed is None:
            self._packed = self._pack(np.arange(len(self.items)))
        return self._packed

    def select(self, which: Any) -> Any:
        """The packed columns of some items, in that order."""
        from deniable.kernels.bits import words_for

        which = np.asarray(which, dtype=np.int64)
        # Who mines lists mines them again, with another minimum: columns that need no more room than the lists are packed once.
        small = self._codes is not None and 8 * len(self.items) * words_for(self.rows) <= self._codes.nbytes
        if self._packed is not None or small:
            return np.ascontiguousarray(self.packed[which])
        return self._pack(which)

    def _pack(self, which: Ints) -> Any:
        from deniable.kernels.bits import set_bits, set_shown, words_for

        if self.remote is not None:
            raise ParameterError(
                "rows_elsewhere",
                "These transactions are not in memory: methods 'shrunk' and 'unbiased' count them where they are, all else needs them "
                "here. Load them, or take a sample.",
            )
        packed = np.zeros((len(which), words_for(self.rows)), np.uint64)
        place = np.full(len(self.items), -1, np.int64)
        place[which] = np.arange(len(which))
        if self.cells is not None:
            for item in which:
                home = self.items.attribute[item]
                first = int(np.searchsorted(self.items.attribute, home))
                set_shown(packed[place[item]], self.cells[home], self.items.attributes[home].shows[item - first])
            return packed
        set_bits(packed, self._starts, self._codes, place, 0)
        return packed

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        return f"Transactions({counted(self.rows, 'row')}, {counted(len(self.items), 'item')})"


def as_transactions(
    data: Any,
    schema: Schema | Channel | None = None,
    bins: Mapping[str, Any] | None = None,
    most: Mapping[str, float] | float | None = None,
    only: Iterable[Any] | None = None,
) -> Transactions:
    """Data as transactions; those that are transactions already know their schema.

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


class FrameReader:
    """Columns of a frame, or of a piece of one, as packed bits or as reported cells; bad cells are collected until `finish`."""

    def __init__(self, items: Items, names: Sequence[Any], text: bool = False) -> None:
        self.items, self.text, self.rows = items, text, 0
        attributes: Sequence[Any] = items.attributes or [None] * len(names)
        allowed = [Binary().allowed if attribute is None else allowed_reports(attribute.channel) for attribute in attributes]
        self._bad = [BadCells(str(name), what) for name, what in zip(names, allowed, strict=True)]

    def packed(self, columns: Sequence[Any]) -> Any:
        """Packed bits of every item."""
        from deniable.kernels.bits import set_codes, words_for

        rows = len(columns[0])
        packed = np.zeros((len(self.items), words_for(rows)), np.uint64)
        first = 0
        for number, column in enumerate(columns):
            attribute = self.items.attributes[number] if self.items.attributes else None
            if attribute is None or (attribute.is_yes_no and isinstance(attribute.channel.reported, Binary)):
                if not (_pack_bits(column, packed[first]) or _copy_bits(column, packed[first])):
                    codes = Binary().codes(column, self._bad[number], self.rows, self.text)
                    set_codes(packed, codes, np.array([-1, first]), 0)
                first += 1
                continue
            codes = attribute.cells(_arrow(column), self._bad[number], self.rows, self.text)
            shows = attribute.shows
            place = np.where(shows.any(axis=0), shows.argmax(axis=0) + first, -1)
            set_codes(packed, codes, place, 0)
            first += len(attribute.items)
        self.rows += rows
        return packed

    def cells(self, columns: Sequence[Any]) -> Any:
        """Reported cells, attributes x rows."""
        most = max(attribute.cell_count for attribute in self.items.attributes)
        kind = np.uint8 if most <= 1 << 8 else np.uint16 if most <= 1 << 16 else np.uint32
        cells = np.empty((len(columns), len(columns[0])), kind)
        for number, (attribute, column) in enumerate(zip(self.items.attributes, columns, strict=True)):
            cells[number] = attribute.cells(_arrow(column), self._bad[number], self.rows, self.text)
        self.rows += cells.shape[1]
        return cells

    def finish(self) -> None:
        """Refuse the data if cells did not fit, naming them all."""
        raise_bad_cells(self._bad)


def _arrow(column: Any) -> pa.Array:
    return pa.array(column) if isinstance(column, np.ndarray) else column


def _pack_bits(column: Any, into: Any) -> bool:
    """A numpy column of booleans packed in place."""
    if not isinstance(column, np.ndarray):
        return False
    squeezed = np.packbits(column, bitorder="little")
    into.view(np.uint8)[: len(squeezed)] = squeezed
    return True


def _copy_bits(column: pa.Array, into: Any) -> bool:
    """Arrow packs booleans as we do: copy its bytes if there is nothing to check or to shift."""
    if not pa.types.is_boolean(column.type) or column.null_count or column.offset % 8:
        return False
    first = column.offset // 8
    data = np.frombuffer(column.buffers()[1], np.uint8)[first : first + -(-len(column) // 8)]
    target = into.view(np.uint8)
    target[: len(data)] = data
    if len(column) % 8:
        # What lies behind the last row is not ours to count.
        target[len(data) - 1] &= (1 << len(column) % 8) - 1
    return True


def is_table(name: str) -> bool:
    """Whether a name is that of a table (CSV, Parquet, a database) and not of a file of transactions.

    >>> is_table("answers.csv.gz"), is_table("duckdb:///f.db#answers"), is_table("retail.dat.gz")
    (True, True, False)
    """
    return name.lower().endswith((".csv", ".csv.gz", ".parquet")) or "://" in name


def _is_frame(data: Any) -> bool:
    return hasattr(data, "columns") or isinstance(data, (pa.Table, pa.RecordBatch))


def _columns(data: Any, wanted: Callable[[list[Any]], list[Any]]) -> tuple[list[Any], list[Any]]:
    """The wanted names of an eager frame and their columns: Arrow arrays, or numpy arrays of booleans."""
    if type(data).__module__.startswith("pandas"):
        names = list(data.columns)
        check_names(names)
        place = {name: number for number, name in enumerate(names)}
        names = wanted(names)
        return names, [_pandas_column(data.iloc[:, place[name]], str(name)) for name in names]
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError:
        raise DataError(
            "not_transactions",
            "Transactions must be an eager data frame, a list of lists of items or the path of a FIMI file, got {got}.",
            got=type(data).__name__,
        ) from None
    names = wanted(list(frame.columns))
    return names, [to_arrow(frame[name].to_native(), name) for name in names]


def _pandas_column(series: Any, name: str) -> Any:
    """Booleans as they lie in memory, all else as Arrow; the sparse coding that one-hot encoders give is undone."""
    if series.dtype == bool:
        return series.to_numpy()
    return to_arrow(series.sparse.to_dense() if str(series.dtype).startswith("Sparse") else series, name)


def _array_frame(array: Any) -> pa.Table:
    return pa.table({str(i): pa.array(np.ascontiguousarray(array[:, i])) for i in range(array.shape[1])})


def _listed(data: Any) -> tuple[list[Any], Ints, Any]:
    """Names in their order, where each transaction starts, and the codes of its items."""
    if not isinstance(data, Iterable) or isinstance(data, (Mapping, str, bytes)):
        raise _not_transactions(data)
    rows = data if isinstance(data, Sequence) else list(data)
    if not set(map(type, rows)) <= {list, tuple, set, frozenset}:
        _check_rows(rows)
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=starts[1:])
    if set(map(type, itertools.chain.from_iterable(rows))) == {int}:
        try:
            return _coded_numbers(starts, np.fromiter(itertools.chain.from_iterable(rows), np.int64, int(starts[-1])))
        except OverflowError:
            pass
    flat = itertools.chain.from_iterable(rows)
    place: dict[Any, int] = {}
    try:
        codes = np.fromiter((place.setdefault(item, len(place)) for item in flat), np.int64, int(starts[-1]))
    except TypeError:
        raise DataError("item_kind", "Items must be names or numbers (hashable), got a list inside a transaction.") from None
    names = list(place)
    missing = [place[name] for name in names if _is_missing(name)]
    if missing:
        row = int(np.searchsorted(starts, int(np.flatnonzero(np.isin(codes, missing))[0]), side="right"))
        raise DataError(
            "missing_item",
            "Transaction {row} holds a missing item ({got!r}): leave it out, or name it.",
            row=row,
            got=names[missing[0]],
        )
    try:
        order = sorted(range(len(names)), key=names.__getitem__)
    except TypeError:
        return names, starts, codes.astype(np.int32)
    rank = np.empty(len(names), np.int32)
    rank[order] = np.arange(len(names))
    return [names[i] for i in order], starts, rank[codes]


def _check_rows(rows: Sequence[Any]) -> None:
    """Refuse transactions that are no lists of items, one by one."""
    for i, row in enumerate(rows):
        if isinstance(row, Mapping):
            raise DataError(
                "transaction_of_columns",
                "Transaction {row} is a mapping, {got!r}, and not a list of items; a list of such records becomes a frame with "
                "pandas.DataFrame(...).",
                row=i + 1,
                got=row,
            )
        if isinstance(row, (str, bytes)) or not hasattr(row, "__len__"):
            raise DataError(
                "not_a_transaction",
                "Transaction {row} must be a list of items, got {got!r}; a single item is written [{got!r}].",
                row=i + 1,
                got=row,
            )


def _is_missing(item: Any) -> bool:
    """None, NaN, and what pandas has for them."""
    if isinstance(item, (float, np.floating)):
        return bool(np.isnan(item))
    return item is None or type(item).__name__ in ("NAType", "NaTType")


def _coded_numbers(starts: Ints, values: Ints) -> tuple[list[Any], Ints, Any]:
    if not len(values):
        return [], starts, values
    low, high = int(values.min()), int(values.max())
    if low >= 0 and high < max(1 << 20, 4 * len(values)):
        present = np.zeros(high + 1, bool)
        present[values] = True
        names = np.flatnonzero(present)
        rank = np.cumsum(present, dtype=np.int32) - 1
        return names.tolist(), starts, rank[values]
    names, codes = np.unique(values, return_inverse=True)
    return names.tolist(), starts, codes.astype(np.int32)


def _not_transactions(data: Any) -> DataError:
    return DataError(
        "not_transactions",
        "Transactions must be a data frame, a list of lists of items or the path of a FIMI file, got {got}.",
        got=type(data).__name__,
    )


def read_fimi(path: Path) -> tuple[list[Any], Ints, Any]:
    """Names, starts and codes of a FIMI file: items separated by blanks, a line a transaction, an empty line an empty one.

    Item numbers become ints; a file with other words keeps words. Lines may end as on any system, and a byte order mark is no item.
    """
    from deniable.kernels.fimi import parse

    if not path.exists():
        raise FileError("no_file", "{path} does not exist.", path=str(path))
    if path.is_dir():
        raise FileError("is_folder", "{path} is a folder, not a file.", path=str(path))
    try:
        content = gzip.decompress(path.read_bytes()) if path.name.lower().endswith(".gz") else path.read_bytes()
    except (OSError, EOFError) as error:
        raise FileError("unreadable", "{path} cannot be read: {reason}.", path=str(path), reason=str(error)) from None
    content = content.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not content:
        raise FileError("file_empty", "{path} is empty.", path=str(path))
    starts, numbers, wrong = parse(np.frombuffer(content, np.uint8))
    if wrong < 0:
        return _coded_numbers(starts, numbers)
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise FileError("not_text", "{path} is not a text file in UTF-8.", path=str(path)) from None
    if lines[-1] == "":
        lines.pop()
    return _listed([line.split() for line in lines])
