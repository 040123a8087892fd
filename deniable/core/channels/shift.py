"""The law of noise on a grid: a kernel of integer weights over offsets, stopped at the ends of the reported grid. It never becomes a dense
matrix.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from deniable.core.channels.laws import Law
from deniable.core.channels.solving import DENSE_LIMIT
from deniable.core.domains.exact import Floats, Ints

GUIDE_BITS = 16
"""How many leading bits of a draw the guide table of a kernel looks at."""


class Shift(Law):
    """Reported code = true code + offset + margin, stopped at 0 and outputs - 1.

    `kernel[i]` is the weight of offset `lowest + i`; `margin` is how far the reported grid reaches beyond the true one.
    """

    def __init__(self, inputs: int, kernel: Ints, lowest: int, margin: int) -> None:
        self.kernel = np.ascontiguousarray(kernel, dtype=np.int64)
        self.inputs = inputs
        self.outputs = inputs + 2 * margin
        self.lowest = lowest
        self.margin = margin
        self.denominator = int(self.kernel.sum())
        self._transforms: dict[int, Any] = {}
        self._mirrored: dict[int, Any] = {}
        self._check()

    @cached_property
    def _floats(self) -> Floats:
        kernel: Floats = self.kernel / self.denominator
        return kernel

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the noise, in steps."""
        offsets = np.arange(len(self.kernel)) + self.lowest
        return float(np.sqrt(self._floats @ offsets**2 - (self._floats @ offsets) ** 2))

    @property
    def clamps(self) -> bool:
        """Whether some noise is stopped at an end of the reported grid."""
        return self.lowest < -self.margin or self.lowest + len(self.kernel) - 1 > self.margin

    def _landing(self) -> Ints:
        """Where true code 0 lands for each offset, before stopping at the ends."""
        return np.arange(len(self.kernel)) + self.lowest + self.margin

    def rows(self, codes: Ints) -> Ints:
        rows = np.zeros((len(codes), self.outputs), dtype=np.int64)
        landing = self._landing()
        for i, code in enumerate(codes):
            np.add.at(rows[i], np.clip(landing + code, 0, self.outputs - 1), self.kernel)
        return rows

    def column(self, z: int) -> Ints:
        # Running sums turn "at most z" and "at least z" (the ends collect all beyond them) into differences.
        running = np.concatenate([[0], np.cumsum(self.kernel)])
        index = z - self.margin - self.lowest - np.arange(self.inputs)
        above = np.clip(index + 1, 0, len(self.kernel))
        below = np.clip(index, 0, len(self.kernel))
        upper = np.full(self.inputs, self.denominator) if z == self.outputs - 1 else running[above]
        lower = np.zeros(self.inputs, dtype=np.int64) if z == 0 else running[below]
        column: Ints = upper - lower
        return column

    def column_range(self) -> tuple[Ints, Ints]:
        # Reported code z meets the offsets z - margin - x for all x: a window of `inputs` kernel weights.
        first = -self.margin - (self.inputs - 1)
        left = max(0, self.lowest - first)
        begin = max(0, first - self.lowest)
        stop = first + self.outputs + self.inputs - 1 - self.lowest
        window = np.concatenate([np.zeros(left, np.int64), self.kernel[begin : max(begin, stop)]])
        window = np.pad(window, (0, self.outputs + self.inputs - 1 - len(window)))
        low = sliding(np.minimum, window, self.inputs)
        high = sliding(np.maximum, window, self.inputs)
        for end in (0, self.outputs - 1):
            column = self.column(end)
            low[end], high[end] = column.min(), column.max()
        return low, high

    def push(self, p: Floats) -> Floats:
        spread = convolve(p, self._floats, self._transforms)
        start = self.lowest + self.margin
        out = np.zeros(self.outputs)
        position = np.clip(np.arange(len(spread)) + start, 0, self.outputs - 1)
        np.add.at(out, position, spread)
        # The Fourier transform leaves specks below 0; a signed p (the solvers push residuals) must stay as it is.
        return np.maximum(out, 0.0) if (p >= 0).all() else out

    def pull(self, v: Floats) -> Floats:
        length = self.inputs + len(self.kernel) - 1
        reached = v[np.clip(np.arange(length) + self.lowest + self.margin, 0, self.outputs - 1)]
        full = convolve(reached, self._floats[::-1], self._mirrored)
        return full[len(self.kernel) - 1 : len(self.kernel) - 1 + self.inputs]

    def _dense_between(self, true: Ints, reported: Ints, rows: int, columns: int) -> Floats:
        # Every cell must be a run of codes, and none empty.
        if any(
            (np.diff(cells) < 0).any() or len(np.unique(cells)) < many for cells, many in ((true, rows), (reported, columns))
        ):
            return super()._dense_between(true, reported, rows, columns)
        starts, ends = (np.searchsorted(true, np.arange(rows), side=side) for side in ("left", "right"))
        last = np.searchsorted(reported, np.arange(columns), side="right") - 1
        # P(report <= z | truth) is the summed kernel at z - truth, its mean over a run of truths a difference of the twice summed one.
        landing = np.zeros(self.inputs + self.outputs + 1)
        place = self._landing() + self.inputs
        np.add.at(landing, np.clip(place, 0, len(landing) - 1), self.kernel / self.denominator)
        twice = np.concatenate([[0.0], np.cumsum(np.cumsum(landing))])
        first, after = (last[None, :] - code[:, None] + self.inputs + 1 for code in (starts, ends))
        below = (twice[first] - twice[after]) / (ends - starts)[:, None]
        below[:, last == self.outputs - 1] = 1.0
        matrix: Floats = np.maximum(np.diff(below, axis=1, prepend=0.0), 0.0)
        return matrix

    def weights(self, f: Floats, reported: Floats | None = None) -> Floats:
        # On a wide grid the exact inverse is hopeless, but what is linear in the value passes unharmed through
        # noise that is not stopped at the ends: w(z) = f(z - E noise).
        if self.inputs > DENSE_LIMIT and not self.clamps and np.ndim(f) == 1:
            slope = (f[-1] - f[0]) / (self.inputs - 1)
            straight = f[0] + slope * np.arange(self.inputs)
            if np.abs(straight - f).max() <= 1e-12 * max(1.0, np.abs(f).max()):
                # As Python's integers: in 64 bits the products of a fine kernel would overflow.
                mean = (self._landing().astype(object) @ self.kernel.astype(object)) / self.denominator
                w: Floats = f[0] + slope * (np.arange(self.outputs) - mean)
                return w
        return super().weights(f, reported)

    @cached_property
    def condition_number(self) -> float:
        if self.inputs <= DENSE_LIMIT:
            return super().condition_number
        # Far from the ends P is a convolution: its gain by frequency stands in for the singular values.
        gain = np.abs(np.fft.rfft(self.kernel / self.denominator, n=fft_length(self.inputs + len(self.kernel))))
        return float(gain.max() / gain.min()) if gain.min() > 1e-15 else math.inf

    @property
    def lumpable(self) -> bool:
        # Of two labels only all or nothing can be merged.
        return len(self.kernel) == 1 or (self.inputs == 2 and self.outputs == 2)

    @cached_property
    def _search(self) -> tuple[Ints, Ints, int]:
        """Running sums of the kernel, and where a search for a draw with given leading bits may begin."""
        running = np.cumsum(self.kernel)
        drop = max(0, self.denominator.bit_length() - GUIDE_BITS)
        leading = np.arange(((self.denominator - 1) >> drop) + 1)
        return running, np.searchsorted(running, leading << drop, side="right"), drop

    @cached_property
    def _is_even(self) -> bool:
        """Whether every offset has one part; that parts sum to the number of offsets is not enough."""
        return bool((self.kernel == 1).all())

    def choose(self, codes: Ints, draws: Ints) -> Ints:
        from deniable.kernels.draws import choose_shift

        if self._is_even:
            # The draw is the offset.
            moved = codes + draws + (self.lowest + self.margin)
            return np.clip(moved, 0, self.outputs - 1) if self.clamps else moved
        running, guide, drop = self._search
        chosen: Ints = choose_shift(codes, draws, running, guide, drop, self.lowest + self.margin, self.outputs - 1)
        return chosen

    def recipe(self) -> dict[str, Any]:
        return {
            "law": "shift", "denominator": self.denominator, "inputs": self.inputs, "outputs": self.outputs,
            "lowest": self.lowest + self.margin, "kernel": self.kernel.tolist(),
        }  # fmt: skip

    def _parts(self) -> list[Any]:
        return [[self.lowest, self.margin], self.kernel]


def sliding(extreme: Any, values: Ints, window: int) -> Ints:
    """Minimum or maximum over every window, by doubling: O(n log window), no loop over windows.

    >>> sliding(np.maximum, np.array([1, 5, 2, 0, 3]), 3).tolist()
    [5, 5, 3]
    """
    span, out = 1, values
    while span * 2 <= window:
        out = extreme(out[:-span], out[span:])
        span *= 2
    rest = window - span
    extremes: Ints = extreme(out[: len(out) - rest], out[rest:]) if rest else out.copy()
    return extremes


def fft_length(n: int) -> int:
    """The next power of two: quick to transform on every machine."""
    return 1 << max(1, (n - 1).bit_length())


def convolve(a: Floats, b: Floats, transforms: dict[int, Any] | None = None) -> Floats:
    """Full convolution, direct while that is cheap and by FFT beyond; `transforms` keeps those of b, by length."""
    if min(len(a), len(b)) <= 64 or len(a) * len(b) <= 1 << 20:
        return np.convolve(a, b)
    length = len(a) + len(b) - 1
    n = fft_length(length)
    kept = {} if transforms is None else transforms
    if n not in kept:
        kept[n] = np.fft.rfft(b, n)
    full: Floats = np.fft.irfft(np.fft.rfft(a, n) * kept[n], n)[:length]
    return full
