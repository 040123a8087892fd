"""Randomising the columns of a table, block by block; eager data frames of every kind through narwhals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from deniable.core.bad_cells import BadCells, raise_bad_cells
from deniable.core.channel import Channel
from deniable.core.columns import to_arrow
from deniable.core.sampling import ByteSource, byte_source
from deniable.errors import DataError

if TYPE_CHECKING:
    from deniable.core.schema import Schema


def check_columns(schema: Schema, columns: Sequence[str], keep: Sequence[str], where: str) -> None:
    """Every attribute must have its column, and every other column must be kept on purpose."""
    doubles = sorted({name for name in columns if list(columns).count(name) > 1})
    if doubles:
        raise DataError("column_twice", "{where} has two columns named {got}.", where=where, got=doubles)
    both = [name for name in keep if name in schema]
    if both:
        raise DataError(
            "kept_and_hidden",
            "keep names {got}, which the schema randomises; keeping the true values beside would undo it. Leave them out of keep.",
            got=both,
        )
    lacking = [name for name in [*schema, *keep] if name not in columns]
    extra = [name for name in columns if name not in schema and name not in keep]
    if lacking or extra:
        raise DataError(
            "columns",
            "{where}: {problems} Columns found: {found}.",
            where=where,
            problems=" ".join(
                sentence
                for sentence, names in (
                    (f"the columns {lacking} are missing.", lacking),
                    (
                        f"the columns {extra} are in neither the schema nor keep; they would be handed on undistorted. "
                        "Drop them, or name them in keep.",
                        extra,
                    ),
                )
                if names
            ),
            found=list(columns),
        )


class TableRandomiser:
    """Randomises a table piece by piece; cells that do not fit are collected over all pieces."""

    def __init__(self, schema: Schema, source: ByteSource, text: bool) -> None:
        self._schema = schema
        self._source = source
        self._text = text
        self._bad = {name: BadCells(name, channel.domain.allowed) for name, channel in schema.items()}
        self.rows = 0

    @property
    def failed(self) -> bool:
        """Whether a cell did not fit so far; nothing needs to be drawn any more then."""
        return any(cells.total for cells in self._bad.values())

    def piece(self, columns: dict[str, pa.Array]) -> dict[str, pa.Array]:
        """The reports for one piece of the table."""
        truths = {
            name: channel.read(columns[name], self._bad[name], self.rows, self._text) for name, channel in self._schema.items()
        }
        self.rows += len(next(iter(columns.values())))
        if self.failed:
            return {}
        reports: dict[str, pa.Array] = {}
        for block in self._schema.blocks:
            if isinstance(block.channel, Channel):
                drawn = [block.channel.draw(truths[block.name], self._source)]
            else:
                drawn = block.channel.draw([truths[name] for name in block.attributes], self._source)
            for name, codes in zip(block.attributes, drawn, strict=True):
                reports[name] = self._schema[name].written(codes)
        return reports

    def finish(self) -> None:
        """Raise one error for all cells that did not fit."""
        raise_bad_cells(list(self._bad.values()))


def randomise_frame(schema: Schema, data: Any, rng: np.random.Generator | None, keep: tuple[str, ...]) -> Any:
    """A new frame of the same kind with every attribute randomised; the given frame is not changed."""
    frame = _eager(data)
    columns = list(frame.columns)
    index = _index(data, keep)
    check_columns(schema, [*columns, *(name for name in keep if name in index)], keep, "The data frame")
    if len(frame) == 0:
        raise DataError("no_rows", "The data frame has no rows.")
    randomiser = TableRandomiser(schema, byte_source(rng), text=False)
    reports = randomiser.piece({name: to_arrow(frame[name].to_native(), name) for name in schema})
    randomiser.finish()
    new = nw.from_arrow(pa.table(reports), backend=frame.implementation)
    if hasattr(data, "index"):
        new = nw.from_native(new.to_native().set_axis(data.index, axis=0), eager_only=True)
    return frame.with_columns(new[name] for name in schema).to_native()


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
            "Collect it first, or randomise file to file.",
            got=type(data).__module__.split(".")[0] + "." + type(data).__name__,
        )
    return frame


def _index(data: Any, keep: tuple[str, ...]) -> list[str]:
    """The names of a pandas index that would be handed on; one that may identify people must be kept on purpose."""
    index = getattr(data, "index", None)
    if index is None or not hasattr(index, "names"):
        return []
    names = [name for name in index.names if name is not None]
    unnamed_text = not names and index.dtype.kind not in "iu"
    stray = [name for name in names if name not in keep]
    if stray or unnamed_text:
        raise DataError(
            "index_kept",
            "The frame's index {got} would be handed on undistorted. Drop it with reset_index(drop=True){mend}.",
            got=stray or "(unnamed, not whole numbers)",
            mend=f", or name it in keep: {stray}" if stray else "",
        )
    return names
