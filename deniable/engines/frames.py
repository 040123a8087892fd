"""Counting in data frames of every kind, eager or lazy, through narwhals: one GROUP BY on reported columns, nothing else.

A filter would select reports, not people, so there is none: a condition on a distorted attribute is an axis of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from deniable.core.domains.bad_cells import BadCells
from deniable.core.domains.columns import to_arrow
from deniable.core.schema import Schema
from deniable.core.tables import Axis, CellTable
from deniable.errors import DataError

_COUNT = "deniable rows"
_COUNT_ALL = nw.len().alias(_COUNT)


def cell_table(data: Any, schema: Schema, attributes: Sequence[str], text: bool = False) -> CellTable:
    """How often each combination of reported labels of these attributes occurs; `text`: all columns come from a CSV.

    >>> import deniable as dn, pandas as pd
    >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75), "b": dn.KRR(dn.Binary(), 0.75)})
    >>> cell_table(pd.DataFrame({"a": [0, 1, 1], "b": [1, 1, 1]}), schema, ["a", "b"]).dense().tolist()
    [[0, 1], [0, 2]]
    """
    frame = as_frame(data)
    names = list(frame.collect_schema().names())
    check_attributes(schema, attributes, names)
    keys, n = _grouped(frame, names, attributes)
    return coded(keys, n, schema, attributes, text)


def distinct(data: Any, column: str) -> pa.Array:
    """The distinct values of a column, as `cell_table` counts them.

    >>> import pandas as pd
    >>> sorted(distinct(pd.DataFrame({"w": [2.0, 0.5, 2.0]}), "w").to_pylist())
    [0.5, 2.0]
    """
    frame = as_frame(data)
    names = list(frame.collect_schema().names())
    check_columns([column], names)
    return as_written(_grouped(frame, names, [column])[0][0])


def _grouped(frame: Any, names: list[str], attributes: Sequence[str]) -> tuple[list[pa.Array], Any]:
    """The combinations that occur in some columns, and how often each does."""
    frame, keys = _reachable(frame, names, attributes)
    counted = frame.group_by(*keys, drop_null_keys=False).agg(nw.len().alias(_COUNT)) if keys else frame.select(_COUNT_ALL)
    # Only now do rows of a lazy frame move, and what moves is the grouped table.
    grouped = counted if isinstance(counted, nw.DataFrame) else counted.collect(backend="pyarrow")
    arrays = [to_arrow(grouped[key].to_native(), name) for key, name in zip(keys, attributes, strict=True)]
    return arrays, grouped[_COUNT].to_numpy()


def as_frame(data: Any) -> Any:
    """Any frame that narwhals knows, eager or lazy.

    >>> import pandas as pd
    >>> as_frame(pd.DataFrame({"a": [1]})).columns
    ['a']
    """
    try:
        return nw.from_native(data)
    except TypeError:
        raise DataError(
            "not_a_frame",
            "Data must be a data frame (pandas, Polars, PyArrow, DuckDB, Dask, Spark), got {got}. Files and database tables are "
            "opened by name: dn.read('answers.csv'), dn.read('sqlite:///answers.db#table', schema).",
            got=type(data).__name__,
        ) from None


def _reachable(frame: Any, names: list[str], attributes: Sequence[str]) -> tuple[Any, list[str]]:
    """The frame and the names by which its backend finds the attributes: DuckDB and Spark would read a dot as a path."""
    native, plain = frame.to_native(), [f"c{i}" for i in range(len(names))]
    if frame.implementation.is_spark_like():
        renamed = native.toDF(*plain)
    elif frame.implementation.is_duckdb():
        quoted = [name.replace('"', '""') for name in names]
        renamed = native.project(", ".join(f'"{name}" AS {short}' for name, short in zip(quoted, plain, strict=True)))
    else:
        return frame, list(attributes)
    return nw.from_native(renamed), [plain[names.index(name)] for name in attributes]


def check_attributes(schema: Schema, attributes: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse attributes that are missing from the schema or the data, naming all of them."""
    unknown = [name for name in attributes if name not in schema]
    if unknown:
        raise DataError(
            "unknown_attribute", "The schema has no attributes {got}, only {allowed}.", got=unknown, allowed=list(schema)
        )
    check_columns(attributes, columns)


def check_columns(wanted: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse columns that are missing from the data, naming all of them."""
    missing = [name for name in wanted if name not in columns]
    if missing:
        raise DataError("no_column", "The data has no columns {got}, only {found}.", got=missing, found=list(columns))


def coded(keys: Sequence[pa.Array], n: Any, schema: Schema, attributes: Sequence[str], text: bool = False) -> CellTable:
    """The table of a finished GROUP BY: one column of labels per attribute, and how often each combination occurred.

    Parameters
    ----------
    keys, n
        The columns, and the counts.
    schema, attributes
        What the columns may hold, and which attributes they are.
    text
        Whether all columns come from a CSV file.

    Examples
    --------
    >>> import deniable as dn, pyarrow as pa
    >>> schema = dn.Schema({"x": dn.KRR(dn.Continuous(0, 1, step=0.1), 0.75)})
    >>> coded([pa.array([0.3, 0.1 + 0.2])], [5, 2], schema, ["x"]).dense()[3]
    np.int64(7)
    """
    axes = [Axis(name, schema[name].outputs) for name in attributes]
    n = np.asarray(n, dtype=np.int64)
    if not len(n) or not axes:
        return CellTable(axes, np.zeros((len(n), len(axes))), n)
    cells, wrong, allowed = [], {}, {}
    for name, column in zip(attributes, keys, strict=True):
        reported = schema[name].reported
        bad = BadCells(name, reported.allowed)
        cells.append(reported.codes(as_written(column), bad, text=text))
        if bad.total:
            # The GROUP BY merged the rows, so the labels are named, not their places.
            wrong[name] = list(dict.fromkeys(value for _, value in bad.first))
            allowed[name] = bad.allowed
    if wrong:
        raise DataError(
            "labels_do_not_match",
            "The data does not fit the schema: {sentences}",
            sentences=" ".join(
                f"Column {name!r} holds {_listed(values)}; allowed: {allowed[name]}." for name, values in wrong.items()
            ),
            columns=wrong,
        )
    return CellTable(axes, np.column_stack(cells), n)


def _listed(values: list[Any]) -> str:
    return ", ".join("missing cells" if value is None else repr(value) for value in values)


def as_written(column: pa.Array) -> pa.Array:
    """Decimals and single-precision numbers as the floats that are written the same: 0.1 is 0.1 in every store."""
    if not (pa.types.is_decimal(column.type) or pa.types.is_float32(column.type)):
        return column
    single = pa.types.is_float32(column.type)
    values = column.to_pylist()
    return pa.array([None if v is None else float(str(np.float32(v)) if single else v) for v in values], pa.float64())
