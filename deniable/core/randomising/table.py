"""Randomising the columns of a table, block by block and piece by piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.core.channels.base import Channel
from deniable.core.channels.blocks import Block
from deniable.core.channels.sampling import ByteSource
from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.core.randomising.order_watch import OrderWatch
from deniable.errors import DataError, ParameterError

ORDERS = ("shuffled", "kept")


def without_dropped(channels: Mapping[str, Channel], columns: Sequence[str], drop: Sequence[str], where: str) -> list[str]:
    """The columns but for those that are left out; what is left out must be there, and the schema must say nothing of it."""
    for name in drop:
        if name not in columns:
            raise DataError(
                "drop_unknown",
                "{where}: drop names {got!r}; there are the columns {found}.",
                where=where,
                got=name,
                found=list(columns),
            )
        if name in channels:
            raise DataError(
                "drop_hidden", "drop names {got!r}, which the schema randomises. Leave it out of one of them.", got=name
            )
    return [name for name in columns if name not in drop]


def check_columns(channels: Mapping[str, Channel], columns: Sequence[str], keep: Sequence[str], where: str) -> None:
    """Every attribute must have its column, and every other column must be kept on purpose."""
    duplicates = sorted({name for name in columns if list(columns).count(name) > 1})
    if duplicates:
        raise DataError("column_twice", "{where} has two columns named {got}.", where=where, got=duplicates)
    both = [name for name in keep if name in channels]
    if both:
        raise DataError(
            "kept_and_hidden",
            "keep names {got}, which the schema randomises; keeping the true values beside would undo it. Leave them out of keep.",
            got=both,
        )
    missing = [name for name in [*channels, *keep] if name not in columns]
    extra = [name for name in columns if name not in channels and name not in keep]
    if extra and not missing:
        raise DataError(
            "columns_not_named",
            "{where}: the columns {extra} are in neither the schema nor keep; they would be handed on undistorted. Leave them out "
            "({drop}), or name them in keep. Columns found: {found}.",
            where=where,
            extra=extra,
            drop=f"drop={extra}",
            found=list(columns),
        )
    if missing:
        raise DataError(
            "columns",
            "{where}: {problems} Columns found: {found}.",
            where=where,
            problems=" ".join(
                sentence
                for sentence, names in (
                    (f"the columns {missing} are missing.", missing),
                    (
                        f"the columns {extra} are in neither the schema nor keep; they would be handed on undistorted. "
                        "Leave them out (drop), or name them in keep.",
                        extra,
                    ),
                )
                if names
            ),
            found=list(columns),
        )


class TableRandomiser:
    """Randomises a table piece by piece; cells that do not fit are collected over all pieces."""

    def __init__(
        self,
        channels: Mapping[str, Channel],
        blocks: Sequence[Block],
        source: ByteSource,
        text: bool,
        watch: OrderWatch | None = None,
    ) -> None:
        self.channels = channels
        self._blocks = blocks
        self._source = source
        self._text = text
        self._watch = watch
        self._bad = {name: BadCells(name, channel.domain.allowed) for name, channel in channels.items()}
        self.rows = 0

    @property
    def failed(self) -> bool:
        """Whether a cell did not fit so far; nothing needs to be drawn any more then."""
        return any(cells.total for cells in self._bad.values())

    def piece(self, columns: dict[str, pa.Array]) -> dict[str, pa.Array]:
        """The reports for one piece of the table."""
        truths = {
            name: channel.read(columns[name], self._bad[name], self.rows, self._text) for name, channel in self.channels.items()
        }
        self.rows += len(next(iter(columns.values())))
        if self.failed:
            return {}
        if self._watch is not None:
            self._watch.truths(truths)
        reports: dict[str, pa.Array] = {}
        for block in self._blocks:
            if isinstance(block.channel, Channel):
                drawn = [block.channel.draw(truths[block.name], self._source)]
            else:
                drawn = block.channel.draw([truths[name] for name in block.attributes], self._source)
            for name, codes in zip(block.attributes, drawn, strict=True):
                reports[name] = self.channels[name].written(codes)
        if self._watch is not None:
            self._watch.handed_on(reports)
        return reports

    def bad(self) -> dict[str, tuple[int, list[tuple[int, Any]]]]:
        """Of every column with cells that did not fit: how many, and the first rows with what they hold."""
        return {name: (cells.total, cells.first) for name, cells in self._bad.items() if cells.total}

    def finish(self) -> None:
        """Raise one error for all cells that did not fit."""
        raise_bad_cells(list(self._bad.values()))


def is_shuffled(order: Any, rng: np.random.Generator | None) -> bool:
    """Whether rows are shuffled: unless said otherwise where the draw protects people, and not in simulations.

    >>> is_shuffled(None, None), is_shuffled(None, np.random.default_rng(1)), is_shuffled("kept", None)
    (True, False, False)
    """
    if order is None:
        return rng is None
    if order not in ORDERS:
        raise ParameterError("order", "order must be one of {allowed}, got {got!r}.", allowed=list(ORDERS), got=order)
    return bool(order == "shuffled")
