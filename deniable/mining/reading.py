"""From data to rows: which columns are asked for, which items they hold, and their cells as packed bits or reported values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from deniable.core.channels.base import Channel
from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.core.domains.columns import to_arrow
from deniable.core.domains.labels import Binary
from deniable.core.schema import Schema
from deniable.errors import DataError, ParameterError
from deniable.mining.baskets import Baskets
from deniable.mining.items import Items, check_names, columns_of, schema_items, yes_no_items
from deniable.mining.packed_rows import PackedRows


@dataclass(frozen=True)
class Asked:
    """How data is to be read: under which schema, with which bins and limits (`core.caps`), and, of some items alone, which."""

    schema: Schema | Channel | None = None
    bins: Mapping[str, Any] = field(default_factory=dict)
    most: Mapping[str, float] | float | None = None
    only: Sequence[Any] | None = None

    def columns(self, names: list[Any]) -> list[Any]:
        """The columns that matter."""
        if self.only is None or not isinstance(self.schema, Schema):
            return names
        columns = [str(name) for name in names]
        unknown = [item for item in self.only if not columns_of([item], columns)]
        if unknown or not self.only:
            raise DataError(
                "unknown_item",
                "There are no items {got}: an item is a column of yes and no, or COLUMN=VALUE, of the columns {allowed}."
                if unknown
                else "An itemset needs at least one item: a column of yes and no, or COLUMN=VALUE, of the columns {allowed}.",
                got=unknown,
                allowed=columns[:20],
            )
        wanted = set(columns_of(self.only, columns))
        return [name for name in names if str(name) in wanted]

    def items(self, names: list[Any]) -> Items:
        """The items of these columns."""
        check_names(names)
        if isinstance(self.schema, Schema):
            return schema_items(self.schema, self.bins, [str(name) for name in names], most=self.most)
        if self.bins or self.most:
            option = "bins" if self.bins else "most"
            raise ParameterError(
                f"{option}_without_schema", "{option}= needs a dn.Schema that says what the numbers may be.", option=option
            )
        return yes_no_items(names, self.schema)


def basket_rows(baskets: Baskets, schema: Schema | Channel | None) -> PackedRows:
    """Lists of items as rows.

    >>> from deniable.mining.baskets import listed
    >>> basket_rows(listed([["bread", "milk"], ["milk"]]), None).item_counts.tolist()
    [1, 2]
    """
    names = baskets.names
    if isinstance(schema, Schema):
        # Items that nobody reported are items all the same.
        known = {str(name) for name in names}
        names = [*names, *(name for name in schema if name not in known)]
    rows = PackedRows(yes_no_items(names, schema), baskets.rows, baskets=baskets)
    if not rows.items.plain:
        # Items that share a draw are weighed row by row.
        rows.cells = np.zeros((len(names), rows.rows), np.uint8)
        rows.cells[baskets.codes, np.repeat(np.arange(rows.rows), np.diff(baskets.starts))] = 1
    return rows


def frame_rows(data: Any, asked: Asked) -> PackedRows:
    """An eager frame as rows.

    >>> import pandas as pd
    >>> frame_rows(pd.DataFrame({"bread": [True, False], "milk": [1, 1]}), Asked()).item_counts.tolist()
    [1, 2]
    """
    names, columns = _columns(data, asked.columns)
    reader = FrameReader(asked.items(names), names)
    rows = reader.read(columns)
    reader.finish()
    return rows


class FrameReader:
    """Columns of a frame, or of a piece of one, as packed bits or as reported cells; bad cells are collected until `finish`."""

    def __init__(self, items: Items, names: Sequence[Any], text: bool = False) -> None:
        self._items, self._text, self._rows = items, text, 0
        attributes: Sequence[Any] = items.attributes or [None] * len(names)
        allowed = [Binary().allowed if attribute is None else attribute.allowed for attribute in attributes]
        self._bad = [BadCells(str(name), what) for name, what in zip(names, allowed, strict=True)]

    def read(self, columns: Sequence[Any]) -> PackedRows:
        """The next rows."""
        rows = len(columns[0]) if columns else 0
        if self._items.plain:
            return PackedRows(self._items, rows, bits=self._packed(columns))
        return PackedRows(self._items, rows, cells=self._cells(columns))

    def _packed(self, columns: Sequence[Any]) -> Any:
        """Packed bits of every item."""
        from deniable.kernels.bits import set_codes, words_for

        rows = len(columns[0])
        packed = np.zeros((len(self._items), words_for(rows)), np.uint64)
        first = 0
        for number, column in enumerate(columns):
            attribute = self._items.attributes[number] if self._items.attributes else None
            if attribute is None or (attribute.is_yes_no and isinstance(attribute.channel.reported, Binary)):
                if not (_pack_bits(column, packed[first]) or _copy_bits(column, packed[first])):
                    codes = Binary().codes(column, self._bad[number], self._rows, self._text)
                    set_codes(packed, codes, np.array([-1, first]), 0)
                first += 1
                continue
            codes = attribute.cells(_arrow(column), self._bad[number], self._rows, self._text)
            shows = attribute.shows
            place = np.where(shows.any(axis=0), shows.argmax(axis=0) + first, -1)
            set_codes(packed, codes, place, 0)
            first += len(attribute.items)
        self._rows += rows
        return packed

    def _cells(self, columns: Sequence[Any]) -> Any:
        """Reported cells, attributes x rows."""
        most = max(attribute.cell_count for attribute in self._items.attributes)
        kind = np.uint8 if most <= 1 << 8 else np.uint16 if most <= 1 << 16 else np.uint32
        cells = np.empty((len(columns), len(columns[0])), kind)
        for number, (attribute, column) in enumerate(zip(self._items.attributes, columns, strict=True)):
            cells[number] = attribute.cells(_arrow(column), self._bad[number], self._rows, self._text)
        self._rows += cells.shape[1]
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


def array_frame(array: Any) -> pa.Table:
    """A table of the columns of an array, named by their numbers."""
    return pa.table({str(i): pa.array(np.ascontiguousarray(array[:, i])) for i in range(array.shape[1])})
