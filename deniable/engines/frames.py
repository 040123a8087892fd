"""Counting in data frames of every kind, eager or lazy, through narwhals: one GROUP BY on reported columns, nothing else.

A filter would select reports, not people, so there is none: a condition on a distorted attribute is an axis of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from deniable.core.columns import to_arrow
from deniable.core.domain import BadCells
from deniable.core.schema import Schema
from deniable.core.tables import Axis, CellTable
from deniable.errors import DataError

_COUNT = "__rows__"


def cell_table(data: Any, schema: Schema, attributes: Sequence[str]) -> CellTable:
    """How often each combination of reported labels of these attributes occurs.

    >>> import deniable as dn, pandas as pd
    >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75), "b": dn.KRR(dn.Binary(), 0.75)})
    >>> cell_table(pd.DataFrame({"a": [0, 1, 1], "b": [1, 1, 1]}), schema, ["a", "b"]).dense().tolist()
    [[0, 1], [0, 2]]
    """
    frame = as_frame(data)
    columns = frame.collect_schema().names()
    lacking = [name for name in attributes if name not in columns]
    if lacking:
        raise DataError("no_column", "The data has no columns {got}, only {found}.", got=lacking, found=list(columns))
    if not attributes:
        total = frame.select(nw.len().alias(_COUNT))
        counted = total if isinstance(total, nw.DataFrame) else total.collect(backend="pyarrow")
        return CellTable([], np.zeros((1, 0)), [int(counted[_COUNT][0])])
    grouped = frame.group_by(*attributes, drop_null_keys=False).agg(nw.len().alias(_COUNT))
    collected = grouped if isinstance(grouped, nw.DataFrame) else grouped.collect(backend="pyarrow")
    return _coded(collected, schema, attributes)


def as_frame(data: Any) -> Any:
    """Any frame that narwhals knows, eager or lazy."""
    try:
        return nw.from_native(data)
    except TypeError:
        raise DataError(
            "not_a_frame",
            "Data must be a data frame (pandas, Polars, PyArrow, DuckDB, Dask, Spark), got {got}.",
            got=type(data).__name__,
        ) from None


def _coded(grouped: Any, schema: Schema, attributes: Sequence[str]) -> CellTable:
    counts = grouped[_COUNT].to_numpy()
    cells, bad = [], []
    for name in attributes:
        reported = schema[name].reported
        found = BadCells(name, reported.allowed)
        column: pa.Array = to_arrow(grouped[name].to_native(), name)
        cells.append(reported.codes(column, found))
        bad.append(found)
    wrong = {found.column: [value for _, value in found.first] for found in bad if found.total}
    if wrong:
        # Rows were merged by the GROUP BY, so the labels are named and not their places.
        raise DataError(
            "labels_do_not_match",
            "The data does not fit the schema: {sentences}",
            sentences=" ".join(
                f"column {name!r} holds {values}; allowed: {schema[name].reported.allowed}." for name, values in wrong.items()
            ),
            columns=wrong,
        )
    return CellTable([Axis(name, schema[name].outputs) for name in attributes], np.column_stack(cells), counts)
