"""Eager data frames of every kind randomised, through narwhals."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from deniable.core.channels.base import Channel
from deniable.core.channels.blocks import Block
from deniable.core.channels.sampling import byte_source
from deniable.core.domains.columns import to_arrow
from deniable.core.forgotten_order import rows_in_order
from deniable.core.randomising.order_watch import OrderWatch
from deniable.core.randomising.table import TableRandomiser, check_columns, is_shuffled, without_dropped
from deniable.core.shuffle_mark import can_be_marked, marked
from deniable.core.shuffling import random_order
from deniable.errors import DataError, ParameterError


def randomise_frame(
    channels: Mapping[str, Channel],
    blocks: Sequence[Block],
    data: Any,
    rng: np.random.Generator | None,
    keep: tuple[str, ...],
    order: str | None,
    drop: Sequence[str] = (),
) -> tuple[Any, str | None]:
    """A new frame of the same kind with every attribute randomised, and what is to be said about its order."""
    frame = _eager(data)
    if drop:
        frame = frame.select(without_dropped(channels, frame.columns, drop, "The data frame"))
    columns = list(frame.columns)
    index = _index(data, keep)
    check_columns(channels, [*columns, *(name for name in keep if name in index)], keep, "The data frame")
    if len(frame) == 0:
        raise DataError("no_rows", "The data frame has no rows.")
    shuffled = is_shuffled(order, rng)
    if order is None and shuffled and not can_be_marked(data):
        raise _order_needed(data)
    watch = OrderWatch(channels, shuffled) if rng is None else None
    randomiser = TableRandomiser(channels, blocks, byte_source(rng), text=False, watch=watch)
    reports = randomiser.piece({name: to_arrow(frame[name].to_native(), name) for name in channels})
    randomiser.finish()
    if watch is not None:
        watch.handed_on(_kept(frame, data, [name for name in columns if name not in channels], index))
    new = nw.from_arrow(pa.table(reports), backend=frame.implementation)
    if hasattr(data, "index"):
        new = nw.from_native(new.to_native().set_axis(data.index, axis=0), eager_only=True)
    made = frame.with_columns(new[name] for name in channels)
    native = made.to_native()
    if shuffled:
        native = rows_in_order(native, random_order(len(made), rng))
    if hasattr(data, "attrs"):
        native.attrs = dict(data.attrs)
    if shuffled:
        # The labels of a plain index would tell the order.
        native = marked(native.reset_index(drop=True) if hasattr(native, "reset_index") and not index else native)
    return native, None if watch is None else watch.warning()


def _order_needed(data: Any) -> ParameterError:
    return ParameterError(
        "order_needed",
        'Say order="shuffled" or order="kept". Rows are shuffled unless their order is kept on purpose, and a frame of {kind} cannot carry '
        "a mark that says so: beside a column that stays outside, such as the y of a classifier, nobody would notice that rows do not "
        "match. Where all that belongs together is in the frame, shuffle; what stays outside can be declared in the schema "
        "(target=...) or named in keep. To compare reports with truths row by row, keep the order.",
        kind=type(data).__module__.split(".")[0],
    )


def _kept(frame: Any, data: Any, names: list[str], index: list[str]) -> dict[str, pa.Array]:
    """Columns that are handed on as they are, and levels of the index; what cannot be compared restores no order."""
    kept = {}
    given = {name: frame[name].to_native() for name in names}
    given |= {name: data.index.get_level_values(name).to_series(index=range(len(data))) for name in index}
    for name, column in given.items():
        with contextlib.suppress(DataError):
            kept[name] = to_arrow(column, name)
    return kept


def _eager(data: Any) -> Any:
    try:
        frame = nw.from_native(data, eager_only=False, allow_series=False)
    except nw.exceptions.DuplicateError:
        raise DataError("column_twice", "The data frame has two columns of the same name.") from None
    except TypeError:
        raise DataError(
            "not_a_frame",
            "randomise takes a data frame (pandas, Polars, PyArrow, ...) or the path of a CSV or Parquet file, got {got}.",
            got=type(data).__name__,
        ) from None
    if not isinstance(frame, nw.DataFrame):
        raise DataError(
            "lazy_frame",
            "A lazy frame ({got}) is not randomised: evaluated twice it would draw twice, and draws that repeat average out. "
            "Collect it first, or randomise file to file (a Spark frame: output=...).",
            got=type(data).__module__.split(".")[0] + "." + type(data).__name__,
        )
    return frame


def _index(data: Any, keep: tuple[str, ...]) -> list[str]:
    """The names of a pandas index that would be handed on; one that may identify people must be kept on purpose."""
    index = getattr(data, "index", None)
    if index is None or not hasattr(index, "names"):
        return []
    names = [name for name in index.names if name is not None]
    # One unnamed level of whole numbers only counts rows.
    unnamed_text = len(names) < len(index.names) and (len(index.names) > 1 or index.dtype.kind not in "iu")
    stray = [name for name in names if name not in keep]
    if stray or unnamed_text:
        raise DataError(
            "index_kept",
            "The frame's index {got} would be handed on undistorted. Drop it with reset_index(drop=True){remedy}.",
            got=stray or "(unnamed, not whole numbers)",
            remedy=f", or name it in keep: {stray}" if stray else "",
        )
    return names
