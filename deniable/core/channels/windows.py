"""The law of designs whose reports are likelier near the truth: a window that moves over the reported cells as the truth rises.

All cells have one weight, and those in the window `odds` times as much. Where the window begins depends linearly on the truth; a cell that
it covers in part counts by that part. So the mean of the reported cells is linear in the truth, and exactly so: the number of a cell,
stretched and moved, is an unbiased estimate of the answer, however few cells there are.

    cells 2, width 1                            one bit (Duchi, Jordan, Wainwright 2018)
    cells c, width 1                            the answer rounded at random to one of c values, hidden by k-ary randomised response
    cells c, width c / (1 + sqrt(odds))         the piecewise mechanism (Wang et al. 2019) on a grid
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from deniable.core.channels.laws import Law
from deniable.core.channels.solving import DENSE_LIMIT, TOLERANCE
from deniable.core.domains.exact import LARGEST_DENOMINATOR, Floats, Ints
from deniable.errors import NotInvertibleError, ParameterError, WideDomainError

LARGEST_RECIPE = 2_000_000
"""Whole numbers in the largest recipe that is written out."""


class Windows(Law):
    """`cells` that may be reported, of which a window of `width` is likelier; `values` that may be true, from its first place to its last.

    With `silent` there is one more truth and one more report, "no answer", which is kept with the same odds.

    >>> Windows(3, 2, 1, Fraction(5)).rows(np.arange(3)).tolist()
    [[5, 1], [3, 3], [1, 5]]
    """

    def __init__(self, values: int, cells: int, width: int, odds: Fraction, silent: bool = False) -> None:
        self.values, self.cells, self.width, self.silent = values, cells, width, silent
        self.inputs, self.outputs = values + silent, cells + silent
        # Truth x has its window at x * stride / unit.
        common = math.gcd(cells - width, values - 1)
        self.stride, self.unit = (cells - width) // common, (values - 1) // common
        odds = self._allowed(odds)
        more = odds.numerator - odds.denominator
        shared = math.gcd(odds.denominator * self.unit, more)
        self.base = odds.denominator * self.unit // shared
        """The weight of a cell outside the window."""
        self.part = more // shared
        """What a cell in the window weighs more, by each of `unit` parts of it that are covered."""
        self.denominator = self.base * (cells + silent * width) + self.part * self.unit * width
        self._check()

    def _allowed(self, odds: Fraction) -> Fraction:
        """The odds, or the next smaller ones whose weights fit below 2^53: rounded toward privacy."""
        if self._parts_for(odds) <= LARGEST_DENOMINATOR:
            return odds
        finest = LARGEST_DENOMINATOR // self._parts_for(Fraction(math.ceil(odds)))
        rounded = Fraction(math.floor(odds * finest), finest) if finest else Fraction(1)
        if rounded <= 1:
            raise ParameterError(
                "odds_too_fine",
                "With odds of {odds:g}, {cells:,} reports of {values:,} values need a denominator beyond 2**53. Use fewer reports or a "
                "coarser step.",
                odds=float(odds), cells=self.cells, values=self.values,
            )  # fmt: skip
        return rounded

    def _parts_for(self, odds: Fraction) -> int:
        return self.unit * (odds.denominator * self.cells + (odds.numerator + self.silent * odds.denominator) * self.width)

    @property
    def full(self) -> int:
        """What a cell weighs more that is wholly in the window."""
        return self.part * self.unit

    @property
    def tells_means_only(self) -> bool:
        """Whether shares leave no trace: fewer reports than answers."""
        return self.cells < self.values

    @property
    def lumpable(self) -> bool:
        return self.cells == self.values and self.width == 1

    def _starts(self) -> Ints:
        """Where the window of each value begins, in parts of a cell."""
        return np.arange(self.values) * self.stride

    def _covered(self, starts: Any, cells: Any) -> Ints:
        """How many of the `unit` parts of a cell lie in the window that begins there."""
        first = cells * self.unit
        inside: Ints = np.minimum(first + self.unit, starts + self.width * self.unit) - np.maximum(first, starts)
        return np.clip(inside, 0, self.unit)

    def rows(self, codes: Ints) -> Ints:
        rows = np.full((len(codes), self.outputs), self.base, dtype=np.int64)
        answers = np.flatnonzero(codes < self.values)
        starts = (codes[answers] * self.stride)[:, None]
        rows[answers, : self.cells] += self.part * self._covered(starts, np.arange(self.cells)[None, :])
        if self.silent:
            rows[:, -1] = self.base * self.width
            rows[codes == self.values, -1] += self.full * self.width
        return rows

    def column(self, z: int) -> Ints:
        column = np.full(self.inputs, self.base if z < self.cells else self.base * self.width, dtype=np.int64)
        if z < self.cells:
            column[: self.values] += self.part * self._covered(self._starts(), z)
        else:
            column[-1] += self.full * self.width
        return column

    def column_range(self) -> tuple[Ints, Ints]:
        # A window that moves along covers ever more of a cell, then as much as it can, then ever less.
        cells, last = np.arange(self.cells), self.values - 1
        ends = [np.zeros(self.cells, dtype=np.int64), np.full(self.cells, last)]
        begins, leaves = -((self.width - 1 - cells) * self.unit // self.stride), cells * self.unit // self.stride
        near = [np.clip(place, 0, last) for place in (begins - 1, begins, leaves, leaves + 1)]
        covered = [self._covered(place * self.stride, cells) for place in [*ends, *near]]
        most = self.base + self.part * np.max(covered, axis=0)
        if not self.silent:
            return self.base + self.part * np.min(covered[:2], axis=0), most
        silence = self.base * self.width
        return np.append(np.full(self.cells, self.base), silence), np.append(most, silence + self.full * self.width)

    @cached_property
    def _windows(self) -> tuple[Ints, Ints]:
        """The first cell that each value's window touches, and how many parts of that cell lie before the window."""
        first, before = np.divmod(self._starts(), self.unit)
        return first, before

    def push(self, p: Floats) -> Floats:
        first, before = self._windows
        answers, size = p[: self.values], self.cells + 1
        whole = np.cumsum(np.bincount(first + 1, answers, size) - np.bincount(first + self.width, answers, size))
        covered = np.bincount(first, answers * (self.unit - before), size) + self.unit * whole
        covered += np.bincount(first + self.width, answers * before, size)
        out = self.base * float(np.sum(p)) + self.part * covered[: self.cells]
        if self.silent:
            out = np.append(out, self.width * (self.base * float(np.sum(p)) + self.full * p[-1]))
        pushed: Floats = out / self.denominator
        return pushed

    def pull(self, v: Floats) -> Floats:
        first, before = self._windows
        cells = np.append(v[: self.cells], 0.0)
        running = np.concatenate([[0.0], np.cumsum(cells)])
        inside = self.unit * (running[first + self.width] - running[first])
        inside += before * (cells[first + self.width] - cells[first])
        everywhere = self.base * float(np.sum(v[: self.cells])) + (self.base * self.width * v[-1] if self.silent else 0.0)
        out = everywhere + self.part * inside
        if self.silent:
            out = np.append(out, everywhere + self.full * self.width * v[-1])
        pulled: Floats = out / self.denominator
        return pulled

    def weights(self, f: Floats, reported: Floats | None = None) -> Floats:
        straight = self.smooth_weights(f) if np.ndim(f) == 1 else None
        if straight is not None:
            return straight
        try:
            return super().weights(f, reported)
        except NotInvertibleError:
            if not self.tells_means_only:
                raise
            raise only_means() from None

    def smooth_weights(self, f: Floats) -> Floats | None:
        """Unbiased weights that are a parabola over the cells, where there are any: for what is linear in the truth there always are."""
        place = np.linspace(-1.0, 1.0, self.cells)
        basis = [np.append(power, [0.0] * self.silent) for power in (np.ones(self.cells), place, place**2)]
        if self.silent:
            basis.append(np.append(np.zeros(self.cells), 1.0))
        pulled = np.column_stack([self.pull(each) for each in basis])
        found = np.column_stack(basis) @ np.linalg.lstsq(pulled, f, rcond=None)[0]
        off = np.abs(self.pull(found) - f).max()
        return found if off <= TOLERANCE * max(1e-300, float(np.abs(f).max())) else None

    @cached_property
    def condition_number(self) -> float:
        if self.inputs > DENSE_LIMIT:
            return math.inf  # nobody could tell the shares of so many values
        return super().condition_number

    def choose(self, codes: Ints, draws: Ints) -> Ints:
        """As a table would: the first report whose running sum of weights exceeds the draw."""
        silent = codes >= self.values
        first, before = np.divmod(np.where(silent, 0, codes) * self.stride, self.unit)
        rest = draws - self.base * first
        # Stretches of cells from left to right: partly covered, covered, partly covered; before and after them nothing is.
        left = self.base + self.part * (self.unit - before)
        whole = self.base + self.full
        right = self.base + self.part * before
        middle = rest - left
        after = middle - (self.width - 1) * whole
        beyond = after - right
        chosen = np.where(
            rest < 0,
            draws // self.base,
            np.where(
                rest < left,
                first,
                np.where(
                    after < 0,
                    first + 1 + middle // whole,
                    np.where(beyond < 0, first + self.width, first + self.width + 1 + beyond // self.base),
                ),
            ),
        )
        chosen = np.where(silent, draws // self.base, chosen)
        return np.minimum(chosen, self.outputs - 1)

    def recipe(self) -> dict[str, Any]:
        if self.inputs * self.outputs > LARGEST_RECIPE:
            raise WideDomainError(
                "recipe_too_large",
                "A recipe of {rows:,} x {columns:,} weights is not written out; use fewer reports or a coarser step.",
                rows=self.inputs, columns=self.outputs,
            )  # fmt: skip
        return {"law": "table", "denominator": self.denominator, "weights": self.rows(np.arange(self.inputs)).tolist()}

    def _parts(self) -> list[Any]:
        return [[self.values, self.cells, self.width, self.base, self.part]]


def only_means(name: str = "") -> NotInvertibleError:
    """What is said where more than a mean is asked of reports that tell nothing else."""
    return NotInvertibleError(
        "means_only",
        "{whose} reports tell means, sums and differences of means, and nothing else: different shares of the answers look the same in "
        "them. Ask for the mean. Where shares or quantiles are wanted, hide the number by another design (dn.KRR, dn.Additive, "
        "dn.Piecewise), or say `for: share` or `for: quantile` in the questionnaire.",
        whose=f"{name!r}: its" if name else "These",
        name=name,
    )
