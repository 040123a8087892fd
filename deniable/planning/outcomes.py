"""What intervals are expected: how long, and how often they exclude 0.

Nothing is worked out by a formula of its own. The functions that answer a `dn.Sample` are given the counts of reports that are expected,
and counts around them: as far off as chance may take them, along what the answer depends on, and along the sizes of groups, which are
estimated too. The length of the interval is averaged over these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from deniable.core.caps import half_length
from deniable.core.domains.exact import Floats
from deniable.core.estimate import Estimate
from deniable.core.schema import Schema
from deniable.errors import NoIntervalError
from deniable.planning.expected import ExpectedParts, ExpectedSums, reports_of
from deniable.planning.known_to import CERTAIN
from deniable.statistics.functions import Function
from deniable.statistics.ratio_differences import rows_of
from deniable.statistics.weighing import Sums
from deniable.statistics.weighted import Gradient, Weighted

STEPS = np.arange(-3.0, 3.01, 0.75)
"""How many standard errors off the answer is looked at."""
FARTHEST = 4.0
"""No answer is farther off than so many standard errors."""
SIZES = ((-(3**0.5), 1 / 6), (0.0, 2 / 3), (3**0.5, 1 / 6))
"""The same for the size of a group, each with its weight: exact up to the fifth power of it."""
MOST_SKEWED = 1.0
NO_BIAS = 1e-3
"""A bias that is so small beside the error makes no interval longer: nothing is assumed of the truth."""
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Question:
    """What a sample is asked: the estimate from sums over the reports, and of which functions (by place) it is a ratio, or the difference
    of two. Direct answers would have this variance, one for each ratio."""

    estimate: Callable[[Sums], Estimate]
    ratios: tuple[tuple[int, int], ...]
    direct: tuple[float, ...]


class Outcome:
    """A question, put to so many answers of people of whom this is true."""

    def __init__(self, question: Question, schema: Schema, truth: Floats, answers: float) -> None:
        self._question, self._answers = question, answers
        self._parts = ExpectedParts(schema, reports_of(schema, truth), answers)
        self._sums: ExpectedSums | None = None
        self.expected = question.estimate(self._given_expected)
        """The estimate if reports were exactly as frequent as expected."""

    def _given_expected(self, functions: Sequence[Function], gradient: Gradient) -> Weighted:
        self._sums = ExpectedSums(self._parts, functions)
        return self._sums.at(self._sums.n, gradient)

    @property
    def worth(self) -> float:
        """How many direct answers would tell as much, besides those that what is assumed of the truth is worth without any answer; of a
        difference, those in the group that has fewer."""
        sums, each = self._sums, [side for _, side in self.expected.sides] or [self.expected]
        assert sums is not None
        means, reach, found = sums.values @ sums.n / sums.n.sum(), _NORMAL.inv_cdf(0.5 + CERTAIN / 2), []
        for estimate, ratio, direct in zip(each, self._question.ratios, self._question.direct, strict=True):
            bias = 0.0 if estimate.bias is None else float(estimate.bias[0])
            told = (reach / float(half_length(bias, float(estimate.se[0]), CERTAIN))) ** 2
            row = rows_of(means, [ratio]) if bias > NO_BIAS * float(estimate.se[0]) else None
            assumed = 0.0 if row is None else (reach / sums.left_open(row[0])) ** 2
            found.append(direct * max(told - assumed, 0.0))
        # Rounding must not make 30 direct answers worth 29.999.
        return min(min(found) * (1 + 1e-9), self._answers)

    @cached_property
    def margin(self) -> float:
        """Half the length of the interval, on average."""
        low, high = self._ends
        return float(self._weights @ ((high - low) / 2 @ _chances(STEPS)))

    @cached_property
    def power(self) -> float:
        """How often the interval excludes 0."""
        if not self._directions:
            low, high = self._interval(self._counts([], []))
            return float(low > 0 or high < 0)
        sign = 1.0 if self.expected.value[0] >= 0 else -1.0
        found = self._beyond(sign)
        if abs(float(self.expected.value[0])) < 2 * float(self.expected.se[0]):
            # Small differences may also be taken for their opposite.
            found += self._beyond(-sign)
        return found

    def _beyond(self, sign: float) -> float:
        """How often the interval lies above 0 (or below, if the sign is negative)."""
        chances = []
        for sizes in self._sizes:

            def end(step: float, sizes: list[float] = sizes) -> float:
                low, high = self._interval(self._counts([self._skewed(sign * step), *sizes], self._directions))
                return low if sign > 0 else -high

            chances.append(1 - _NORMAL.cdf(_root(end)))
        return float(self._weights @ np.array(chances))

    @cached_property
    def _directions(self) -> list[Floats]:
        """What the answer depends on, and then the sizes of groups as far as they say something else: each varies by 1."""
        sums = self._sums
        assert sums is not None
        p = sums.n / sums.n.sum()
        row = rows_of(sums.values @ p, list(self._question.ratios))
        wanted = [] if row is None else [row[0] @ sums.values]
        wanted += [sums.values[bottom] for _, bottom in self._question.ratios]
        found: list[Floats] = []
        for values in wanted:
            apart = values - p @ values
            before = float(p @ apart**2)
            for direction in found:
                apart = apart - (p @ (apart * direction)) * direction
            left = float(p @ apart**2)
            if left > 1e-9 * max(before, 1e-12):
                found.append(apart / left**0.5)
        return found

    @cached_property
    def _weights(self) -> Floats:
        weights = np.ones(1)
        for _ in self._directions[1:]:
            weights = np.outer(weights, [weight for _, weight in SIZES]).reshape(-1)
        return weights

    @cached_property
    def _sizes(self) -> list[list[float]]:
        """How far off the sizes of groups are, in every combination."""
        sizes: list[list[float]] = [[]]
        for _ in self._directions[1:]:
            sizes = [[*each, size] for each in sizes for size, _ in SIZES]
        return sizes

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        """The ends of the interval, one row for each combination of sizes, one column for each of the STEPS."""
        if not self._directions:
            low, high = self._interval(self._counts([], []))
            return np.full((1, len(STEPS)), low), np.full((1, len(STEPS)), high)
        steps = [self._skewed(step) for step in STEPS]
        ends = np.array(
            [[self._interval(self._counts([step, *sizes], self._directions)) for step in steps] for sizes in self._sizes]
        )
        return ends[..., 0], ends[..., 1]

    def _skewed(self, step: float) -> float:
        """How far off an answer is that a normal one would be off by `step`: less on its short side (Cornish and Fisher)."""
        return step + self._skewness / 6 * (step**2 - 1)

    @cached_property
    def _skewness(self) -> float:
        assert self._sums is not None
        p = self._sums.n / self._sums.n.sum()
        return float(np.clip(p @ self._directions[0] ** 3 / self._answers**0.5, -MOST_SKEWED, MOST_SKEWED))

    def _counts(self, steps: list[float], directions: list[Floats]) -> Floats:
        """The counts that are likeliest where sums are off by so many standard errors along these directions."""
        assert self._sums is not None
        expected = self._sums.n
        off = np.zeros(len(expected))
        for step, direction in zip(steps, directions, strict=True):
            off += step * direction / self._answers**0.5
        counts = expected * np.maximum(1 + off, 0.0)
        counted: Floats = counts * (expected.sum() / counts.sum())
        return counted

    def _interval(self, counts: Floats) -> tuple[float, float]:
        sums = self._sums
        assert sums is not None
        try:
            low, high = self._question.estimate(lambda _, gradient: sums.at(counts, gradient)).interval(CERTAIN)
        except NoIntervalError:  # a group that nobody is in: anything is possible
            limits = self.expected.limits
            return (-np.inf, np.inf) if limits is None else limits
        return float(low[0]), float(high[0])


def _chances(steps: Floats) -> Floats:
    """How probable it is to be nearest to each of some steps."""
    edges = [-np.inf, *((steps[1:] + steps[:-1]) / 2), np.inf]
    return np.diff([_NORMAL.cdf(edge) for edge in edges])


def _root(rising: Callable[[float], float]) -> float:
    """Where a function that rises nearly in a straight line is 0."""
    before, now = -1.2, -0.5
    below, above = rising(before), rising(now)
    for _ in range(3):
        slope = (above - below) / (now - before)
        if not slope > 0:
            return FARTHEST if above < 0 else -FARTHEST
        step = min(max(now - above / slope, -FARTHEST), FARTHEST)
        if abs(step - now) < 0.02:
            return step
        before, below, now = now, above, step
        above = rising(now)
    return now
