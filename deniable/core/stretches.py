"""Which columns tell roughly where in the input a row was: dates of many rows each, weeks, ids with some disorder.

They put no row in its place, and need not: where the input was sorted by the answers, to know the stretch is to know the answer.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deniable.core.domains.exact import Floats, Ints
from deniable.core.forgotten_order import plain

SAMPLE, FEWEST_ROWS = 4096, 50
"""How many rows, at random places, are looked at; fewer than the second number tell nothing."""

FEWEST_VALUES, BINS = 10, 64
"""A column of fewer values divides the rows too roughly to matter; one of many is cut into bins, each with many rows."""

SHARE, SURPRISE = 0.2, 6.0
"""The share of the variance of places that a column explains, from where on it is named, and standard errors above chance."""

ODD = 0.2
"""The share of cells that may be of another form than the others, such as "unknown" among numbers."""


class Stretches:
    """How well a column that comes in pieces tells the place of a row, from a sample of rows.

    >>> days = Stretches()
    >>> days.add(pa.array(np.repeat(np.arange(100), 30)))
    >>> 90 < days.found() < 110
    True
    >>> mixed = Stretches()
    >>> mixed.add(pa.array(np.tile(np.arange(100), 30)))
    >>> mixed.found() is None
    True
    """

    def __init__(self) -> None:
        self._rng = np.random.default_rng()
        self._rows = 0
        self._keys: Floats = np.empty(0)
        self._places: Ints = np.empty(0, dtype=np.int64)
        self._values: pa.Array | None = None

    def add(self, values: pa.Array) -> None:
        """Take the next rows: those with the smallest random keys of all so far stay."""
        keys = self._rng.random(len(values))
        chosen = np.flatnonzero(keys < self._keys.max()) if len(self._keys) == SAMPLE else np.arange(len(values))
        chosen = chosen[np.argsort(keys[chosen])[:SAMPLE]]
        fresh = plain(values).take(pa.array(chosen))
        self._keys = np.concatenate([self._keys, keys[chosen]])
        self._places = np.concatenate([self._places, self._rows + chosen])
        joined = fresh if self._values is None else pa.concat_arrays([self._values, fresh.cast(self._values.type)])
        least = np.argsort(self._keys)[:SAMPLE]
        self._keys, self._places, self._values = self._keys[least], self._places[least], joined.take(pa.array(least))
        self._rows += len(values)

    def found(self) -> int | None:
        """How many stretches of the input the column tells apart; None if it does not, or too roughly."""
        if self._values is None or len(self._places) < FEWEST_ROWS:
            return None
        most = max((_explained(self._places[rows], groups) for rows, groups in _groupings(self._values)), default=0.0)
        return None if most < SHARE else max(2, round(1 / math.sqrt(max(1 - most, self._rows**-2.0))))


def _explained(places: Ints, groups: Ints) -> float:
    """The share of the variance of places that lies between groups, less what chance gives (epsilon squared); 0 if it may be chance."""
    n, count = len(places), int(groups.max()) + 1
    if n < FEWEST_ROWS or count < FEWEST_VALUES or count > n // 2:
        return 0.0
    ranks = np.argsort(np.argsort(places)) - (n - 1) / 2
    sizes = np.bincount(groups)
    share = float((np.bincount(groups, ranks) ** 2 / sizes).sum() / (ranks @ ranks))
    # In a random order the share has a beta distribution, nearly.
    a, b = (count - 1) / 2, (n - count) / 2
    spread = math.sqrt(a * b / ((a + b) ** 2 * (a + b + 1)))
    if share - a / (a + b) <= SURPRISE * spread:
        return 0.0
    return 1 - (1 - share) * (n - 1) / (n - count)


def _groupings(values: pa.Array) -> Iterator[tuple[Ints, Ints]]:
    """Rows and the groups they are in, for every way to read the column."""
    rows = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False))
    if len(rows) < FEWEST_ROWS:
        return
    with contextlib.suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        yield rows, _groups(pc.rank(values.take(pa.array(rows)), tiebreaker="dense").to_numpy())
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return
    numbers = [tuple(map(int, re.findall(r"\d{1,18}", word))) for word in values.take(pa.array(rows)).to_pylist()]
    lengths, counts = np.unique([len(cell) for cell in numbers], return_counts=True)
    usual = int(lengths[counts.argmax()])
    fitting = [at for at, cell in enumerate(numbers) if len(cell) == usual]
    if usual == 0 or len(fitting) < (1 - ODD) * len(numbers):
        return
    for order in _orders(usual):
        keys = [tuple(numbers[at][i] for i in order) for at in fitting]
        ranks = {key: rank for rank, key in enumerate(sorted(set(keys)))}
        yield rows[fitting], _groups(np.array([ranks[key] for key in keys]))


def _orders(parts: int) -> list[list[int]]:
    """In which order the numbers inside a cell are compared: as they come, or as a date that ends with its year."""
    rest = list(range(3, parts))
    return [list(range(parts)), *([[2, 1, 0, *rest], [2, 0, 1, *rest]] if parts >= 3 else [])]


def _groups(ranks: Any) -> Ints:
    """Equal values are a group; where there are too many, neighbouring values are."""
    _, inverse = np.unique(ranks, return_inverse=True)
    groups: Ints = inverse.astype(np.int64)
    if groups.max() + 1 <= len(groups) // 8:
        return groups
    place = np.searchsorted(np.sort(groups), groups)
    _, binned = np.unique(place * min(BINS, len(groups) // 4) // len(groups), return_inverse=True)
    return binned.astype(np.int64)
