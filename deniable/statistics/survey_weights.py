"""Survey weights, however they are given: an attribute of the schema, a column of the data, or a series of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from deniable.core.designs import Identity
from deniable.core.domain import Ordinal
from deniable.core.exact import Floats
from deniable.core.schema import Schema
from deniable.errors import DataError, ParameterError

Part = tuple[Any, Schema]


def declared(parts: Sequence[Part], weights: Any) -> tuple[list[Part], str | None]:
    """The parts with their weights as an open attribute of the schema, and its name. What the schema has already stays as it is."""
    if weights is None or (isinstance(weights, str) and any(weights in schema for _, schema in parts)):
        return list(parts), weights
    frames = [_frame(data, weights) for data, _ in parts]
    if isinstance(weights, str):
        name, given = weights, [_column(frame, weights) for frame in frames]
    else:
        if len(parts) > 1:
            raise ParameterError(
                "weights_of_parts", "Of several parts, weights is the name of a column that each of them has, got {got}.",
                got=type(weights).__name__,
            )  # fmt: skip
        name, given = _free("weights", frames[0].columns), [_aligned(weights, parts[0][0])]
    found = [_checked(values, len(frame), name) for values, frame in zip(given, frames, strict=True)]
    channel = Identity(Ordinal(np.unique(np.concatenate(found)).tolist()))
    return [
        (
            frame.with_columns(nw.new_series(name, values, backend=frame.implementation)).to_native(),
            Schema({**schema, name: channel}, schema.target, schema.groups),
        )
        for frame, values, (_, schema) in zip(frames, found, parts, strict=True)
    ], name


def _frame(data: Any, weights: Any) -> Any:
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame
    what = f"the column {weights!r}" if isinstance(weights, str) else "a series"
    raise ParameterError(
        "weights_where",
        "Weights from {what} need an eager data frame. Of files and databases they must be an attribute of the schema: "
        "dn.Identity(dn.Continuous(low, high, step)).", what=what,
    )  # fmt: skip


def _column(frame: Any, name: str) -> Any:
    if name not in frame.columns:
        raise DataError(
            "no_weights",
            "There is no column {name!r} to take weights from; there are {found}.",
            name=name,
            found=list(frame.columns),
        )
    return frame[name].to_numpy()


def _free(name: str, taken: Sequence[str]) -> str:
    return name if name not in taken else _free(f"{name}_", taken)


def _aligned(weights: Any, data: Any) -> Any:
    """Numbers in the order of the rows. Pandas goes by the index: a series of another order would weigh the wrong people."""
    # pandas is loaded if either is its own; loading it for nothing would take half a second of every command.
    pandas_pair = nw.dependencies.is_pandas_series(weights) and nw.dependencies.is_pandas_dataframe(data)
    if pandas_pair and not weights.index.equals(data.index):
        raise DataError(
            "weights_index",
            "The weights have another index than the data, {weights:,} and {rows:,} rows: so whose they are is not clear. Give "
            "weights.loc[data.index], or weights.to_numpy() if they are in the order of the rows.",
            weights=len(weights), rows=len(data),
        )  # fmt: skip
    series = nw.from_native(weights, series_only=True, pass_through=True)
    return series.to_numpy() if isinstance(series, nw.Series) else weights


def _checked(values: Any, rows: int, name: str) -> Floats:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            "weights_kind",
            "weights is a series of real numbers, or the name of a column or attribute that has them, got {got}.",
            got=type(values).__name__,
        ) from None
    if found.shape != (rows,):
        raise DataError(
            "weights_length", "There must be one weight for each of {rows:,} rows, got {got}.",
            rows=rows, got=f"{len(found):,}" if found.ndim == 1 else f"an array of shape {found.shape}",
        )  # fmt: skip
    bad = ~np.isfinite(found) | (found < 0)
    if bad.any():
        first = int(np.argmax(bad))
        raise DataError(
            "weights_numbers", "{name}: a weight is a number of at least 0. Row {row:,} (counted from 0) has {got}; such rows: {count:,}.",
            name=name, row=first, got=values[first], count=int(bad.sum()),
        )  # fmt: skip
    return found
