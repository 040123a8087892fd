"""The law of a channel: integer weights W[true, reported] over one denominator, in the form that suits its structure.

    Table     any matrix, held densely
    Mixture   diagonal * I + 1 * replacement^T    (keep, or replace whatever was true)
    Shift     a noise kernel over offsets, stopped at the ends of the reported grid

All that is asked of a channel (push, pull, weights, epsilon, a draw) is answered here, once per structure, and
nothing but these integers is read. Mixture and Shift never build a dense matrix.
"""

from __future__ import annotations

import hashlib
import math
from abc import abstractmethod
from functools import cached_property
from typing import Any

import numpy as np

from deniable.core.channels.operators import FloatTable, Operator
from deniable.core.channels.solving import DENSE_LIMIT
from deniable.core.domains.exact import LARGEST_DENOMINATOR, Floats, Ints
from deniable.errors import NotInvertibleError, ParameterError

GUIDE_BITS = 16
"""How many leading bits of a draw the guide table of a kernel looks at."""


class Law(Operator):
    """W[true, reported] / denominator = P(reported | true)."""

    denominator: int

    @property
    def inner(self) -> Law:
        """The law of those who answer: without the code for nonresponse, where there is one."""
        return self

    @abstractmethod
    def rows(self, codes: Ints) -> Ints:
        """The integer rows of these true codes, dense."""

    @abstractmethod
    def column(self, z: int) -> Ints:
        """The integer weights with which each true code is reported as `z`."""

    @abstractmethod
    def column_range(self) -> tuple[Ints, Ints]:
        """For each reported code the smallest and the largest weight over all true codes."""

    @abstractmethod
    def choose(self, codes: Ints, draws: Ints) -> Ints:
        """Reported codes for true codes, from uniform integers below the denominator."""

    @abstractmethod
    def recipe(self) -> dict[str, Any]:
        """The integers a browser needs to draw a report by the same steps (docs/recipes.md)."""

    @property
    @abstractmethod
    def lumpable(self) -> bool:
        """Whether merging any true values, and the same reported ones, is again a channel that needs no prior."""

    def dense(self) -> Floats:
        matrix: Floats = self.rows(np.arange(self.inputs)) / self.denominator
        return matrix

    @cached_property
    def mixture(self) -> Mixture | None:
        """The same law as a mixture where it is one, read off its integers."""
        k = self.inputs
        if not self.lumpable or self.outputs != k or k > DENSE_LIMIT:
            return None
        codes = np.arange(k)
        rows = self.rows(codes)
        replacement = rows[(codes + 1) % k, codes] if k > 1 else np.zeros(1, dtype=np.int64)
        mixture = Mixture(int(rows[0, 0] - replacement[0]), replacement)
        return mixture if np.array_equal(mixture.rows(codes), rows) else None

    def keep_and_replacement(self) -> tuple[float, Floats] | None:
        if self.mixture is None:
            return None
        return self.mixture.keep, self.mixture.replacement / self.mixture.denominator

    def between(self, true: Ints, reported: Ints, rows: int, columns: int) -> Operator:
        """The law between cells of codes, truths spread evenly inside a cell: `true` and `reported` say in which of so many cells each
        code is. What replaces an answer does not depend on it, so a mixture stays one."""
        if self.mixture is not None and np.array_equal(true, reported):
            # Below 2**53 the floats of bincount are exact.
            together = np.bincount(true, weights=self.mixture.replacement, minlength=rows)
            return Mixture(self.mixture.diagonal, together.astype(np.int64))
        return FloatTable(self._dense_between(true, reported, rows, columns))

    def _dense_between(self, true: Ints, reported: Ints, rows: int, columns: int) -> Floats:
        matrix = np.zeros((rows, columns))
        for i in range(rows):
            members = true == i
            spread = self.push(members / members.sum())
            matrix[i] = np.bincount(reported, weights=spread, minlength=columns)
        return matrix

    @cached_property
    def epsilon(self) -> float:
        """The largest log ratio of two weights in one column; infinite where one of them is 0 and the other is not."""
        low, high = self.column_range()
        possible = high > 0
        low, high = low[possible], high[possible]
        if (low == 0).any():
            return math.inf
        ratios = high / low
        return max(math.log(int(high[z]) / int(low[z])) for z in np.flatnonzero(ratios >= ratios.max() * (1 - 1e-12)))

    @cached_property
    def worst_case(self) -> tuple[int, int, int]:
        """(reported, likelier true, less likely true): the codes at which epsilon is reached."""
        low, high = self.column_range()
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(high > 0, high / low, 0.0)
        z = int(np.argmax(ratios))
        column = self.column(z)
        return z, int(np.argmax(column)), int(np.argmin(column))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the integers: two channels with equal digests are the same channel."""
        summary = hashlib.sha256(f"{type(self).__name__} {self.inputs} {self.outputs} {self.denominator} ".encode())
        for part in self._parts():
            summary.update(np.ascontiguousarray(part, dtype="<i8").tobytes())
        return summary.hexdigest()

    @abstractmethod
    def _parts(self) -> list[Any]:
        """The integer arrays that make up the law."""

    def _check(self) -> None:
        if not 1 <= self.denominator <= LARGEST_DENOMINATOR:
            raise ParameterError(
                "denominator_too_large",
                "The weights of this channel need a denominator of {got}; below 2**53 is allowed. Use rounder probabilities.",
                got=self.denominator,
            )


class Table(Law):
    """Any row-stochastic matrix of integer weights."""

    def __init__(self, weights: Ints, denominator: int) -> None:
        self.weights_table = np.ascontiguousarray(weights, dtype=np.int64)
        self.inputs, self.outputs = self.weights_table.shape
        self.denominator = denominator
        self._check()

    def rows(self, codes: Ints) -> Ints:
        return self.weights_table[codes]

    def column(self, z: int) -> Ints:
        return self.weights_table[:, z]

    def column_range(self) -> tuple[Ints, Ints]:
        return self.weights_table.min(axis=0), self.weights_table.max(axis=0)

    @cached_property
    def _floats(self) -> Floats:
        matrix: Floats = self.weights_table / self.denominator
        return matrix

    def dense(self) -> Floats:
        return self._floats.copy()

    def push(self, p: Floats) -> Floats:
        return p @ self._floats

    def pull(self, v: Floats) -> Floats:
        return self._floats @ v

    @cached_property
    def _cumulative(self) -> Ints:
        return np.cumsum(self.weights_table, axis=1)

    def choose(self, codes: Ints, draws: Ints) -> Ints:
        from deniable.kernels.draws import choose_table

        chosen: Ints = choose_table(codes, draws, self._cumulative)
        return chosen

    @cached_property
    def lumpable(self) -> bool:
        # Only diagonal + replacement survives every merging: off the diagonal each column must be constant.
        if self.inputs != self.outputs:
            return False
        off_diagonal = self.weights_table * (1 - np.eye(self.inputs, dtype=np.int64))
        return bool((off_diagonal.sum(axis=0) == off_diagonal.max(axis=0) * (self.inputs - 1)).all())

    def recipe(self) -> dict[str, Any]:
        return {"law": "table", "denominator": self.denominator, "weights": self.weights_table.tolist()}

    def _parts(self) -> list[Any]:
        return [self.weights_table]


class Mixture(Law):
    """Weight diagonal + replacement[x] on the truth, replacement[z] on every other label; the diagonal may be negative."""

    lumpable = True

    def __init__(self, diagonal: int, replacement: Ints) -> None:
        self.diagonal = int(diagonal)
        self.replacement = np.ascontiguousarray(replacement, dtype=np.int64)
        self.inputs = self.outputs = len(self.replacement)
        self.denominator = self.diagonal + int(self.replacement.sum())
        self._check()

    @property
    def keep(self) -> float:
        """The probability of keeping the truth before replacement (theta)."""
        return self.diagonal / self.denominator

    @property
    def mixture(self) -> Mixture:  # type: ignore[override]
        return self

    def rows(self, codes: Ints) -> Ints:
        rows = np.tile(self.replacement, (len(codes), 1))
        rows[np.arange(len(codes)), codes] += self.diagonal
        return rows

    def column(self, z: int) -> Ints:
        column = np.full(self.inputs, self.replacement[z])
        column[z] += self.diagonal
        return column

    def column_range(self) -> tuple[Ints, Ints]:
        kept = self.replacement + self.diagonal
        if len(kept) == 1:
            # One truth: there is no other to compare its reports with.
            return kept, kept
        return np.minimum(kept, self.replacement), np.maximum(kept, self.replacement)

    def push(self, p: Floats) -> Floats:
        pushed: Floats = (self.diagonal * p + np.sum(p) * self.replacement) / self.denominator
        return pushed

    def pull(self, v: Floats) -> Floats:
        pulled: Floats = (self.diagonal * v + self.replacement @ v) / self.denominator
        return pulled

    def weights(self, f: Floats, reported: Floats | None = None) -> Floats:
        """w_f(z) = (f(z) - (1 - theta) E_q f) / theta."""
        if self.diagonal == 0:
            raise NotInvertibleError(
                "no_information",
                "Every true answer is reported with the same probabilities, so the reports say nothing; keep more of the answers.",
            )
        w: Floats = (f * self.denominator - self.replacement @ f) / self.diagonal
        return w

    @cached_property
    def condition_number(self) -> float:
        if self.diagonal == 0:
            return math.inf
        # All but span{1, replacement} is only scaled by the diagonal; that plane is a 2 x 2 matrix.
        ones = np.ones(self.inputs)
        basis, _ = np.linalg.qr(np.column_stack([ones, self.replacement.astype(np.float64)]))
        inside = basis.T @ (self.diagonal * basis + np.outer(ones, self.replacement @ basis))
        singular = [*np.linalg.svd(inside, compute_uv=False), *([abs(self.diagonal)] if self.inputs > 2 else [])]
        return float(max(singular) / min(singular)) if min(singular) > 0 else math.inf

    @cached_property
    def _before(self) -> Ints:
        return np.concatenate([[0], np.cumsum(self.replacement)[:-1]])

    def choose(self, codes: Ints, draws: Ints) -> Ints:
        from deniable.kernels.draws import choose_even_mixture, choose_mixture

        other = int(self.replacement[0])
        if other > 0 and (self.replacement == other).all():
            chosen: Ints = choose_even_mixture(codes, draws, self.diagonal + other, other)
        else:
            chosen = choose_mixture(codes, draws, self.diagonal, self.replacement, self._before)
        return chosen

    def recipe(self) -> dict[str, Any]:
        return {
            "law": "mixture", "denominator": self.denominator, "diagonal": self.diagonal, "replacement": self.replacement.tolist()
        }  # fmt: skip

    def _parts(self) -> list[Any]:
        return [[self.diagonal], self.replacement]


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

    def choose(self, codes: Ints, draws: Ints) -> Ints:
        from deniable.kernels.draws import choose_shift

        if self.denominator == len(self.kernel):
            # Every offset has one part: the draw is the offset.
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
