"""Additive cell tables: counts, and exact sums, per cell of reported values. The only way data reaches an estimator.

Tables of two batches add up to the table of both, wherever each was counted. Only integers are held (values of a grid are
counted by their codes), so a sum made in a database and one made in Python are equal to the last bit.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.core.channels.base import Channel
from deniable.core.channels.views import View
from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.core.domains.columns import to_arrow
from deniable.core.domains.exact import Ints, fraction, written
from deniable.core.html_table import html_table
from deniable.errors import ParameterError
from deniable.plurals import counted

LARGEST_DENSE = 50_000_000
MOST_LINES = 40
_LARGEST_SUM = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Axis:
    """One dimension of a table: the labels of a reported attribute, or its bins."""

    name: str
    labels: tuple[Any, ...]
    edges: tuple[int | float | str, ...] | None = None

    def __len__(self) -> int:
        return len(self.labels)


class CellTable:
    """Counts `n` (and `sums` of other quantities) for every cell that occurs; cells are codes along the axes.

    >>> import deniable as dn
    >>> channel = dn.KRR(dn.Binary(), 0.75)
    >>> (dn.counts([0, 1, 1], channel) + dn.counts([1], channel)).dense().tolist()
    [1, 3]
    """

    def __init__(self, axes: Sequence[Axis], cells: Any, n: Any, sums: Mapping[str, Any] | None = None) -> None:
        self.axes = tuple(axes)
        counts = np.asarray(n, dtype=np.int64)
        given = np.asarray(cells, dtype=np.int64).reshape(-1 if self.axes else len(counts), len(self.axes))
        columns = {name: np.asarray(values, dtype=np.int64) for name, values in (sums or {}).items()}
        if any(len(column) != len(given) for column in (counts, *columns.values())):
            raise ParameterError("table_shape", "CellTable: one count and one value of every sum is needed per cell.")
        self._check_codes(given)
        if (counts < 0).any():
            raise ParameterError("negative_count", "CellTable: counts must not be negative.")
        self.cells, inverse = _unique_rows(given, [len(axis) for axis in self.axes])
        self.n = _summed(counts, inverse, len(self.cells), "n")
        self.sums = {name: _summed(values, inverse, len(self.cells), name) for name, values in columns.items()}

    def _check_codes(self, cells: Ints) -> None:
        for d, axis in enumerate(self.axes):
            wrong = np.flatnonzero((cells[:, d] < 0) | (cells[:, d] >= len(axis)))
            if wrong.size:
                raise ParameterError(
                    "code_outside",
                    "CellTable: axis {axis!r} has codes 0..{last}, got {got}.",
                    axis=axis.name,
                    last=len(axis) - 1,
                    got=int(cells[wrong[0], d]),
                )

    @property
    def total(self) -> int:
        """How many rows were counted."""
        return int(self.n.sum())

    def __add__(self, other: object) -> CellTable:
        if not isinstance(other, CellTable):
            return NotImplemented
        if self.axes != other.axes or set(self.sums) != set(other.sums):
            raise ParameterError(
                "tables_differ",
                "Tables add up only with equal axes and sums; got axes {first} and {second}, sums {a} and {b}.",
                first=[axis.name for axis in self.axes],
                second=[axis.name for axis in other.axes],
                a=sorted(self.sums),
                b=sorted(other.sums),
            )
        return CellTable(
            self.axes,
            np.concatenate([self.cells, other.cells]),
            np.concatenate([self.n, other.n]),
            {name: np.concatenate([values, other.sums[name]]) for name, values in self.sums.items()},
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CellTable)
            and self.axes == other.axes
            and np.array_equal(self.cells, other.cells)
            and np.array_equal(self.n, other.n)
            and set(self.sums) == set(other.sums)
            and all(np.array_equal(values, other.sums[name]) for name, values in self.sums.items())
        )

    __hash__ = None  # type: ignore[assignment]

    def dense(self) -> Ints:
        """The counts as an array with one dimension per axis."""
        shape = tuple(len(axis) for axis in self.axes)
        if np.prod([float(size) for size in shape]) > LARGEST_DENSE:
            raise ParameterError(
                "table_too_large", "A dense table of shape {shape} is not built; use .cells and .n.", shape=shape
            )
        out = np.zeros(shape, dtype=np.int64)
        out[tuple(self.cells.T)] = self.n
        return out

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        dense = self.dense()
        return dense if dtype is None else dense.astype(dtype)

    def __len__(self) -> int:
        return len(self.axes[0])

    def __iter__(self) -> Iterator[Any]:
        return iter(self.dense())

    def __getitem__(self, index: Any) -> Any:
        return self.dense()[index]

    def sum(self) -> int:
        """The same as `total`, as numpy spells it."""
        return self.total

    def marginal(self, *names: str) -> CellTable:
        """The table over fewer axes, cells added up.

        >>> table = CellTable([Axis("a", (0, 1)), Axis("b", (0, 1))], [[0, 0], [0, 1], [1, 1]], [5, 2, 1])
        >>> table.marginal("b").dense().tolist()
        [5, 3]
        """
        have = [axis.name for axis in self.axes]
        for name in names:
            if name not in have:
                raise ParameterError("no_axis", "The table has no axis {got!r}, only {allowed}.", got=name, allowed=have)
        chosen = [have.index(name) for name in names]
        return CellTable([self.axes[d] for d in chosen], self.cells[:, chosen], self.n, self.sums)

    def to_json(self) -> str:
        """The table as JSON text.

        >>> table = CellTable([Axis("a", (0, 1))], [[1]], [5])
        >>> CellTable.from_json(table.to_json()) == table
        True
        """
        return json.dumps(
            {
                "axes": [{"name": a.name, "labels": list(a.labels), "edges": a.edges and list(a.edges)} for a in self.axes],
                "cells": self.cells.tolist(),
                "n": self.n.tolist(),
                "sums": {name: values.tolist() for name, values in self.sums.items()},
            },
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str) -> CellTable:
        """Read back what `to_json` wrote."""
        given = json.loads(text)
        return cls(_axes(given["axes"]), given["cells"], given["n"], given["sums"])

    def to_arrow(self) -> pa.Table:
        """An Arrow table: one column of codes per axis, `n`, and one column per sum; the axes are in the metadata.

        >>> table = CellTable([Axis("a", (0, 1))], [[1]], [5])
        >>> CellTable.from_arrow(table.to_arrow()) == table
        True
        """
        columns = {f"axis:{axis.name}": self.cells[:, d] for d, axis in enumerate(self.axes)}
        columns |= {"n": self.n} | {f"sum:{name}": values for name, values in self.sums.items()}
        axes = json.loads(self.to_json())["axes"]
        return pa.table(columns).replace_schema_metadata({"deniable.axes": json.dumps(axes)})

    @classmethod
    def from_arrow(cls, table: pa.Table) -> CellTable:
        """Read back what `to_arrow` made."""
        axes = _axes(json.loads(table.schema.metadata[b"deniable.axes"]))
        cells = np.column_stack([table[f"axis:{axis.name}"].to_numpy() for axis in axes])
        sums = {name[4:]: table[name].to_numpy() for name in table.column_names if name.startswith("sum:")}
        return cls(axes, cells, table["n"].to_numpy(), sums)

    def __repr__(self) -> str:
        labels, counts = self._listed()
        width, room = max(map(len, labels), default=0), max((len(f"{n:,}") for n in counts), default=0)
        lines = [f"  {label:<{width}}  {n:>{room},}" for label, n in zip(labels[:MOST_LINES], counts, strict=False)]
        more = [f"  ... and {len(labels) - MOST_LINES:,} more"] if len(labels) > MOST_LINES else []
        return "\n".join([f"CellTable({self._said})", *lines, *more])

    def _repr_html_(self) -> str:
        named = ", ".join(axis.name for axis in self.axes)
        head = f"<p><strong>Counts of reports</strong> ({escape(named)}): {counted(self.total, 'row')}</p>"
        if len(self.axes) == 2 and len(self.axes[0]) <= MOST_LINES and len(self.axes[1]) <= MOST_LINES:
            first, second = self.axes
            rows = [[label, *(f"{n:,}" for n in row)] for label, row in zip(first.labels, self.dense(), strict=True)]
            return head + html_table([f"{first.name} \\ {second.name}", *second.labels], rows)
        labels, counts = self._listed()
        return head + html_table([named, "reports"], [[label, f"{n:,}"] for label, n in zip(labels, counts, strict=True)])

    @property
    def _said(self) -> str:
        axes = " x ".join(f"{axis.name}[{len(axis)}]" for axis in self.axes)
        return f"{axes}: {counted(self.total, 'row')} in {counted(len(self.cells), 'cell')}"

    def _listed(self) -> tuple[list[str], list[int]]:
        """Labels and their counts: all of one axis, also those that nobody reported; of several the cells that occur."""
        if len(self.axes) == 1:
            return [str(label) for label in self.axes[0].labels], self.dense().tolist()
        named = [", ".join(str(axis.labels[code]) for axis, code in zip(self.axes, cell, strict=True)) for cell in self.cells]
        return named, self.n.tolist()


def _axes(given: Any) -> list[Axis]:
    return [Axis(a["name"], tuple(a["labels"]), None if a["edges"] is None else tuple(a["edges"])) for a in given]


def _unique_rows(cells: Ints, sizes: Sequence[int]) -> tuple[Ints, Ints]:
    if cells.shape[1] == 0:
        # No axes: everything is in the one cell there is.
        return np.zeros((1, 0), dtype=np.int64), np.zeros(len(cells), dtype=np.int64)
    if math.prod(sizes) < _LARGEST_SUM:
        # One number per cell sorts several times quicker than rows of them.
        flat = np.ravel_multi_index(tuple(cells.T), tuple(sizes))
        _, first, inverse = np.unique(flat, return_index=True, return_inverse=True)
        return cells[first], inverse.reshape(-1)
    unique, inverse = np.unique(cells, axis=0, return_inverse=True)
    return unique, inverse.reshape(-1)


def _summed(values: Ints, inverse: Ints, size: int, name: str) -> Ints:
    # A sum that leaves 64 bits would wrap round silently.
    if np.abs(values.astype(np.float64)).sum() >= _LARGEST_SUM / 2:
        raise ParameterError("sum_too_large", "CellTable: the sum of {name!r} does not fit into 64 bits.", name=name)
    out = np.zeros(size, dtype=np.int64)
    np.add.at(out, inverse, values)
    return out


def counts(values: Any, channel: Channel, bins: Any = None, name: str = "reported") -> CellTable:
    """How often each label was reported, in the order of `channel.outputs`; with `bins`, how often each bin.

    >>> import deniable as dn
    >>> dn.counts(["b", "a", "b"], dn.KRR(dn.Nominal(["a", "b"]), 0.75)).dense().tolist()
    [1, 2]
    """
    if not isinstance(channel, Channel):
        raise ParameterError(
            "not_a_channel",
            "counts takes a column and then its channel, schema[name]; got {got} as the channel.",
            got=type(channel).__name__,
        )
    counter = ColumnCounter(channel, bins, name)
    counter.add(to_arrow(values, name, channel.reported.missing))
    return counter.table()


class ColumnCounter:
    """Counts a reported column piece by piece; reports that the channel cannot make are named together at the end."""

    def __init__(self, channel: Channel, bins: Any, name: str) -> None:
        self._view = View.values(channel) if bins is None else View.bins(channel, bins)
        self._axis = axis_of(name, self._view)
        self._tally = np.zeros(len(self._axis), dtype=np.int64)
        self._bad = BadCells(name, self._view.allowed)
        self._rows = 0

    def add(self, column: pa.Array, text: bool = False) -> None:
        """Count one more piece; `text`: its cells come from a CSV."""
        codes = self._view.codes(column, self._bad, self._rows, text)
        self._rows += len(column)
        self._tally += np.bincount(codes, minlength=len(self._tally))

    def table(self) -> CellTable:
        """The counts of everything added."""
        raise_bad_cells([self._bad])
        seen = np.flatnonzero(self._tally)
        return CellTable([self._axis], seen, self._tally[seen])


def axis_of(name: str, view: View) -> Axis:
    """The axis of a table counted in the cells of a view; it remembers the edges of bins."""
    return Axis(name, view.outputs, None if view.true.bins is None else tuple(written(edge) for edge in view.true.bins.edges))


def view_of(table: CellTable, channel: Channel) -> View:
    """The channel in the cells in which a one-dimensional table was counted."""
    edges = table.axes[0].edges
    return View.values(channel) if edges is None else View.bins(channel, [fraction(edge, "bins", "edge") for edge in edges])
