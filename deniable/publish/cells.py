"""Columns of frames and their cells, as everything here reads them: missing cells have a name or are refused, numbers are floats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deniable.core.domains.bad_cells import BAD_ROWS_SHOWN
from deniable.core.domains.columns import cells_of_another_kind, to_arrow
from deniable.core.domains.exact import Floats
from deniable.errors import DataError, Setting

LARGEST_WHOLE = 2**53


def columns_of(X: Any) -> dict[str, Any]:
    """The columns of a frame of any kind, or of a two-dimensional array (named x0, x1, ...)."""
    if isinstance(X, np.ndarray) or (isinstance(X, (list, tuple)) and X and isinstance(X[0], (list, tuple, np.ndarray))):
        table = np.asarray(X)
        if table.ndim != 2:
            raise DataError(
                "not_a_table", "X must be a frame or a table of rows and columns, got shape {got}.", got=table.shape
            )
        # A table of mixed cells is objects; each column gets the type its own cells have.
        return {f"x{i}": pa.array(table[:, i].tolist(), from_pandas=True) for i in range(table.shape[1])}
    try:
        frame = nw.from_native(X, eager_only=True)
    except nw.exceptions.DuplicateError:
        raise DataError("column_twice", "The data frame has two columns of the same name.") from None
    except TypeError:
        raise DataError(
            "not_a_frame",
            "X must be an eager frame (pandas, Polars, PyArrow) or a table of rows and columns, got {got}.",
            got=type(X).__name__,
        ) from None
    return {name: frame[name].to_native() for name in frame.columns}


def cells(column: Any, name: str, missing: str | None, ordered: bool) -> pa.Array:
    """A column as Arrow; missing cells become the label `missing`, or are refused with their rows. Among numbers they come last."""
    array = column if isinstance(column, pa.Array) else to_arrow(column, name)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_binary(array.type) or pa.types.is_large_binary(array.type):
        raise cells_of_another_kind(name, array.type)
    if array.null_count and missing is None:
        refuse_missing({name: array})
    if ordered and pa.types.is_integer(array.type):
        _refuse_too_large(array, name)
    if not ordered and array.null_count and pc.any(pc.equal(as_text(array), missing)).as_py():
        raise DataError(
            "missing_is_answer",
            "Column {column!r}: missing cells are to be called {missing!r}, which cells that are not missing hold too. Choose another "
            "name.",
            column=name,
            missing=missing,
        )
    return array if ordered or not array.null_count else pc.fill_null(as_text(array), missing)


def refuse_missing(columns: Mapping[str, Any]) -> None:
    """Refuse missing cells that have no name, with their columns and rows: all at once, so that nobody has to fix them one by one."""
    holes = {}
    for name, column in columns.items():
        array = column if isinstance(column, pa.Array) else to_arrow(column, name)
        if array.null_count:
            holes[name] = np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False)) + 1
    if not holes:
        return
    told = []
    for name, rows in holes.items():
        shown = ", ".join(map(str, rows[:BAD_ROWS_SHOWN])) + (" and more" if len(rows) > BAD_ROWS_SHOWN else "")
        told.append(f"column {name!r}: {len(rows):,} {'cell is' if len(rows) == 1 else 'cells are'} missing (row {shown})")
    raise DataError(
        "missing_cells",
        "{told}. Fill them, drop those rows, or say what they are called: {remedy}.",
        remedy=Setting("missing", "no answer"),
        told="; ".join(told).replace("c", "C", 1),
        column=next(iter(holes)),
        columns=list(holes),
        rows=next(iter(holes.values()))[:BAD_ROWS_SHOWN].tolist(),
    )


def _refuse_too_large(array: pa.Array, name: str) -> None:
    """Numbers are compared as floats, in which such whole numbers would fall together."""
    ends = pc.min_max(array).as_py()
    if any(end is not None and abs(end) > LARGEST_WHOLE for end in ends.values()):
        raise DataError(
            "too_large",
            "Column {column!r} holds whole numbers beyond {largest:,}, which are rather names than numbers. Leave it out (drop), or let it "
            "be categories (categorical).",
            column=name,
            largest=LARGEST_WHOLE,
        )


def as_numbers(array: pa.Array) -> Floats:
    """Numbers as floats; missing ones are infinite, so that they come last."""
    values = pc.fill_null(array.cast(pa.float64()), np.inf).to_numpy(zero_copy_only=False)
    return np.asarray(values, dtype=np.float64) + 0.0  # -0 and 0 are one value


def as_text(array: pa.Array) -> pa.Array:
    """Cells as text, which is what categories are compared by."""
    return array.cast(pa.large_string())


def number(value: float) -> str:
    """A number without the tail of its binary form.

    >>> number(3.0), number(0.1 + 0.2), number(1234567.5)
    ('3', '0.3', '1234567.5')
    """
    return f"{value:.12g}" if abs(value) < 1e15 else f"{value:.6g}"
