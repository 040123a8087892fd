"""Windows whose reports are written as some of the answers themselves: a rating of 1 to 5 that is reported as 1, 3 or 5.

So whatever reads reports need not know that there are fewer of them than answers: the others are never reported.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from deniable.core.channels.windows import Windows
from deniable.core.domains.exact import Floats, Ints


class SparseWindows(Windows):
    """Windows over fewer cells than values, each cell reported as the value nearest to it.

    >>> SparseWindows(5, 3, 1, Fraction(5)).rows(np.arange(5)).tolist()
    [[5, 0, 1, 0, 1], [3, 0, 3, 0, 1], [1, 0, 5, 0, 1], [1, 0, 3, 0, 3], [1, 0, 1, 0, 5]]
    """

    def __init__(self, values: int, cells: int, width: int, odds: Fraction, silent: bool = False) -> None:
        super().__init__(values, cells, width, odds, silent)
        self._windows_alone = Windows(values, cells, width, odds, silent)
        self.outputs = values + silent
        # Rounded up at the middle, whatever the parity: 1 to 10 in three reports are 1, 6 and 10.
        places = [(2 * cell * (values - 1) + cells - 1) // (2 * (cells - 1)) for cell in range(cells)]
        self.places: Ints = np.array([*places, *[values] * silent], dtype=np.int64)
        """As which code each cell is reported; silence as itself."""

    def _placed(self, of_cells: Any) -> Any:
        placed = np.zeros((self.outputs, *of_cells.shape[1:]), dtype=of_cells.dtype)
        placed[self.places] = of_cells
        return placed

    def rows(self, codes: Ints) -> Ints:
        rows: Ints = self._placed(self._windows_alone.rows(codes).T).T
        return rows

    def column(self, z: int) -> Ints:
        cell = np.flatnonzero(self.places == z)
        return self._windows_alone.column(int(cell[0])) if len(cell) else np.zeros(self.inputs, dtype=np.int64)

    def column_range(self) -> tuple[Ints, Ints]:
        least, most = self._windows_alone.column_range()
        low: Ints = self._placed(least)
        high: Ints = self._placed(most)
        return low, high

    def push(self, p: Floats) -> Floats:
        pushed: Floats = self._placed(self._windows_alone.push(p))
        return pushed

    def pull(self, v: Floats) -> Floats:
        return self._windows_alone.pull(v[self.places])

    def weights(self, f: Floats, reported: Floats | None = None) -> Floats:
        weights: Floats = self._placed(self._windows_alone.weights(f, None if reported is None else reported[self.places]))
        return weights

    def smooth_weights(self, f: Floats) -> Floats | None:
        of_cells = self._windows_alone.smooth_weights(f)
        found: Floats | None = None if of_cells is None else self._placed(of_cells)
        return found

    @cached_property
    def condition_number(self) -> float:
        return math.inf

    def choose(self, codes: Ints, draws: Ints) -> Ints:
        chosen: Ints = self.places[self._windows_alone.choose(codes, draws)]
        return chosen
