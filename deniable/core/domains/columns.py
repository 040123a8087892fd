"""Columns of any kind (list, numpy, pandas, Polars, Arrow) as one Arrow array, and back."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deniable.core.forgotten_order import plain
from deniable.errors import DataError


def to_arrow(values: Any, column: str, missing: Any = None) -> pa.Array:
    """One contiguous Arrow array; NaN and None are null. Mixed types are refused with the first two that differ.

    A `missing` label that is text may stand among numbers of a plain list; it is read as null there.
    """
    if isinstance(missing, str) and isinstance(values, (list, tuple)) and any(isinstance(v, (int, float)) for v in values):
        values = [None if value == missing else value for value in values]
    if isinstance(values, (pa.Array, pa.ChunkedArray)) and pa.types.is_nested(values.type):
        raise cells_of_another_kind(column, values.type)
    if isinstance(values, (str, bytes)) or not _is_column(values):
        raise _not_a_column(values, column)
    try:
        if isinstance(values, (pa.Array, pa.ChunkedArray)):
            array = values
        elif isinstance(values, (list, tuple, np.ndarray)):
            array = pa.array(np.asarray(values) if isinstance(values, np.ndarray) else values, from_pandas=True)
        else:
            series = nw.from_native(values, series_only=True, pass_through=True)
            if series is values:
                raise _not_a_column(values, column)
            array = series.to_arrow()
    except (pa.ArrowException, OverflowError) as error:
        types = _types(values)
        if len(types) < 2:
            raise DataError(
                "unreadable_column", "Column {column} cannot be read: {reason}.", column=column, reason=str(error).rstrip(".")
            ) from None
        raise DataError(
            "mixed_types", "Column {column} mixes values of different types: {types}.", column=column, types=", ".join(types)
        ) from None
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if not pa.types.is_dictionary(array.type):
        array = plain(array)
    if pa.types.is_dictionary(array.type) and pa.types.is_floating(array.type.value_type):
        array = array.dictionary_decode()
    # A float NaN inside Arrow (from Polars, say) is a missing answer just like a null.
    if pa.types.is_floating(array.type):
        array = pa.array(array.to_numpy(zero_copy_only=False), from_pandas=True)
    return array


def cells_of_another_kind(column: str, kind: pa.DataType) -> DataError:
    """Cells that are no values: lists, structures, bytes."""
    return DataError(
        "column_kind",
        "Column {column!r} holds {kind} cells, not words, numbers or dates. Turn it into one of them, or leave it out.",
        column=column,
        kind=str(kind),
    )


def _not_a_column(values: Any, column: str) -> DataError:
    return DataError(
        "not_a_column",
        "{column} must be a column of values (list, array or series), got {got!r}; wrap a single value in a list.",
        column=column,
        got=values,
    )


def _is_column(values: Any) -> bool:
    """One value after the other: no scalar, no table, no list of lists."""
    if isinstance(values, (list, tuple)):
        return not any(isinstance(value, (list, tuple, dict, set, np.ndarray)) for value in values)
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return not pa.types.is_nested(values.type) or pa.types.is_dictionary(values.type)
    return hasattr(values, "__len__") and not hasattr(values, "columns") and np.ndim(values) == 1


def _types(values: Any) -> list[str]:
    return list(dict.fromkeys(type(value).__name__ for value in list(values)[:10_000] if value is not None))


def like(original: Any, array: pa.Array, name: str) -> Any:
    """`array` as the kind of column that `original` is; lists and numpy arrays give numpy."""
    if isinstance(original, (pa.Array, pa.ChunkedArray)):
        return array
    if isinstance(original, (list, tuple, np.ndarray)):
        return array.to_numpy(zero_copy_only=False)
    given = nw.from_native(original, series_only=True)
    table = nw.from_arrow(pa.table({name: array}), backend=given.implementation)
    series = table[name].alias(given.name) if given.name is not None else table[name]
    native = series.to_native()
    if hasattr(original, "index") and hasattr(native, "index"):
        native.index = original.index
        native.name = original.name
    return native


def numeric(column: pa.Array, text: bool) -> np.ndarray[Any, np.dtype[np.float64]]:
    """An Arrow column as floats; what is no number becomes NaN."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    if pa.types.is_boolean(column.type) or not (
        pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_decimal(column.type)
    ):
        if not text:
            return np.full(len(column), np.nan)
        try:
            column = pc.utf8_trim_whitespace(column).cast(pa.float64())
        except pa.ArrowInvalid:
            column = pa.array([_number(cell) for cell in column.to_pylist()], type=pa.float64())
    values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.array(values, dtype=np.float64)


def _number(cell: str | None) -> float | None:
    try:
        return float(cell) if cell else None
    except ValueError:
        return None
