"""Intervals of ratios (means and shares in a group whose size is estimated too) by inverted tests (Fieller).

A ratio m of two means is not refuted if top - m bottom can be told from 0 by no test. Where the group is well known this is value +- z se;
where it is small, that would be too wide or too narrow, and where the group cannot be told from empty every value may be possible.

The point is (top bottom + 8 cov(top, bottom)) / (bottom^2 + 8 var(bottom)), which is top / bottom where the group is well known, and stays
sane where it is not: there it goes to what reports that count as members have. Shares of all labels still add up to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from deniable.core.caps import critical_value
from deniable.core.exact import Floats
from deniable.errors import NoIntervalError
from deniable.statistics.conditions import bare
from deniable.statistics.weighted import SMALLEST_GROUP, Weighted


def not_refuted(top: float, bottom: float, spread: Floats, z: float, limits: tuple[float, float]) -> tuple[float, float]:
    """The smallest and largest m within limits with (top - m bottom)^2 <= z^2 var(top - m bottom); the limits if there is none.

    >>> not_refuted(2.0, 1.0, np.array([[0.25, 0.0], [0.0, 0.0]]), 2.0, (0.0, 9.0))
    (1.0, 3.0)
    >>> not_refuted(0.1, -0.05, np.array([[0.01, 0.0], [0.0, 0.01]]), 2.0, (0.0, 9.0))
    (0.0, 9.0)
    """
    square = bottom**2 - z**2 * spread[1, 1]
    half = top * bottom - z**2 * spread[0, 1]
    constant = top**2 - z**2 * spread[0, 0]
    inside = half**2 - square * constant
    low, high = limits
    if square > 0:
        root = np.sqrt(max(inside, 0.0))
        return _within((half - root) / square, low, high), _within((half + root) / square, low, high)
    if inside <= 0 or square == 0:
        return low, high
    # Everything but what lies between the roots.
    first, second = sorted(((half - np.sqrt(inside)) / square, (half + np.sqrt(inside)) / square))
    kept = [end for end, held in ((low, not first < low < second), (high, not first < high < second)) if held]
    kept += [root for root in (first, second) if low <= root <= high]
    return (float(min(kept)), float(max(kept))) if kept else (low, high)


def _within(value: float, low: float, high: float) -> float:
    return float(min(max(value, low), high))


CAREFUL = 8.0
"""A group that is ten standard errors large is taken at 8% less than its word, one of three standard errors at half of it."""
SELDOM_AS_LARGE = 3.0
"""The bias of the size of a group is taken for so much smaller than it could be."""
KNOTS = 9
TESTED = 129
"""At so many values between the limits the bias is worked out, and tests are made."""


class Ratio(NamedTuple):
    """A ratio of two means: its value and variance, how many direct answers it is worth, its largest bias (None if there is none), its
    interval, what it depends on, and what is to be said of a group that may be empty."""

    value: float
    variance: float
    worth: float
    bias: float | None
    ends: Callable[[float], tuple[float, float]]
    row: Floats
    note: str | None


class Squares(NamedTuple):
    """Estimated sums over the people of the squares of top and bottom, and of their product."""

    top: float
    both: float
    bottom: float


def ratio(
    weighted: Weighted, pair: tuple[int, int], squares: Squares, target: str, limits: tuple[float, float], words: tuple[str, Any],
    least: float = -np.inf,
) -> Ratio:  # fmt: skip
    """The ratio of the means of two functions (by place); `words` say what it is of, and of which group. Its variance is `least` at
    least."""
    people, places = weighted.people, list(pair)
    top, bottom = (float(mean) for mean in (weighted.totals() / people)[places])
    known = np.array([[squares.top, squares.both], [squares.both, squares.bottom]]) / people**2
    spread, _ = weighted.errors(weighted.values[places] / people, known, target)
    both, _ = weighted.errors(weighted.values[places] / people, known, "population")
    note = may_be_empty(weighted, pair[1], both, *words)
    biases = _Biases(weighted, pair)
    # The bias of a size is seldom as large as it could be.
    doubt = CAREFUL * max(float(both[1, 1]), 0.0) + (biases.of_size / SELDOM_AS_LARGE) ** 2
    alike = float(both[0, 1] / both[1, 1]) if both[1, 1] > 0 else top / bottom
    value = (top * bottom + doubt * alike) / (bottom**2 + doubt)
    row = np.zeros(len(weighted.values))
    size = bottom if note is None else max(abs(bottom), float(both[1, 1]) ** 0.5)
    row[places] = 1 / size, -value / size
    residual = (row @ weighted.values)[None, :] / people
    true = (squares.top - 2 * value * squares.both + value**2 * squares.bottom) / (size * people) ** 2
    covariance, worth = weighted.errors(residual, np.array([[true]]), target)
    seen = float(covariance[0, 0])
    if not limits[0] <= value <= limits[1]:
        # Where a value is impossible, the part of the spread that is not error is not known either.
        least = max(least, float(weighted.errors(residual, np.array([[true]]), "population")[0][0, 0]))
    variance = max(seen, least)
    if weighted.bounded is not None and target == "respondents":
        variance = float(weighted.bounded.randomness(row[None, :])[0])
    # What more is known of the variance (the designs; that only the randomisation is random) holds for the test as well.
    spread = spread * (variance / seen) if variance != seen and seen > 0 and variance > 0 else spread
    if weighted.bounded is None:

        def ends(level: float) -> tuple[float, float]:
            return not_refuted(top, bottom, spread, NormalDist().inv_cdf(0.5 + level / 2), limits)

        return Ratio(value if note is None else _within(value, *limits), variance, float(worth[0]), None, ends, row, note)
    least_bias, most_bias = (float(end[0]) / size for end in biases.at(np.array([value])))
    middle = (least_bias + most_bias) / 2 * bottom**2 / (bottom**2 + doubt)
    bias = min((most_bias - least_bias) / 2, limits[1] - limits[0])

    def bias_aware_ends(level: float) -> tuple[float, float]:
        return _not_refuted_with_bias((top, bottom), spread, biases, level, limits)

    return Ratio(_within(value - middle, *limits), variance, float("nan"), bias, bias_aware_ends, row, note)


class _Biases:
    """How far top - m bottom may be off, at any m."""

    def __init__(self, weighted: Weighted, pair: tuple[int, int]) -> None:
        self._weighted, self._pair = weighted, pair
        self._known: dict[float, tuple[float, float]] = {}

    @property
    def of_size(self) -> float:
        """How far the size of the group may be off."""
        if self._weighted.bounded is None:
            return 0.0
        row = np.zeros((1, len(self._weighted.values)))
        row[0, self._pair[1]] = 1.0
        low, high = self._weighted.bounded.bias_range(row)
        return float(high[0] - low[0]) / 2

    def at(self, m: Floats) -> tuple[Floats, Floats]:
        """The smallest and the largest bias at each m."""
        assert self._weighted.bounded is not None
        rows = np.zeros((len(m), len(self._weighted.values)))
        rows[:, self._pair[0]], rows[:, self._pair[1]] = 1.0, -m
        return self._weighted.bounded.bias_range(rows)


def _not_refuted_with_bias(
    means: tuple[float, float], spread: Floats, biases: _Biases, level: float, limits: tuple[float, float]
) -> tuple[float, float]:
    """The smallest and largest m within limits at which top - m bottom, its bias counted, can be told from 0 by no test."""
    (top, bottom), (low, high) = means, limits
    knots = np.linspace(low, high, KNOTS)
    least, most = biases.at(knots)
    m = np.linspace(low, high, TESTED)
    for _ in range(2):
        # The largest bias is convex in m and the smallest concave: between knots chords lie outside, on the safe side.
        below, above = np.interp(m, knots, least), np.interp(m, knots, most)
        se = np.sqrt(np.maximum(spread[0, 0] - 2 * m * spread[0, 1] + m**2 * spread[1, 1], 1e-300))
        reach = se * critical_value(np.minimum((above - below) / 2 / se, 1e9), level)
        held = np.flatnonzero(np.abs(top - m * bottom - (above + below) / 2) <= reach)
        if not len(held):
            return low, high
        # The ends are looked for once more between the last that is refuted and the first that is not.
        first, last = m[max(held[0] - 1, 0)], m[min(held[-1] + 1, len(m) - 1)]
        ends = float(m[held[0]]), float(m[held[-1]])
        m = np.unique(np.concatenate([np.linspace(first, ends[0], TESTED), np.linspace(ends[1], last, TESTED)]))
    return ends


def may_be_empty(weighted: Weighted, size: int, spread: Floats, what: str, where: Any) -> str | None:
    """What is to be said of a group that is estimated to have nobody: that it cannot be told from empty. Where nothing is hidden it is
    empty, and refused. None if it has somebody."""
    people = float(weighted.totals()[size])
    if people > SMALLEST_GROUP * weighted.people:
        return None
    if spread[1, 1] <= 1e-15:
        raise NoIntervalError(
            "empty_group", "No {what}: nobody is in the group ({where}).", what=what, where=bare(where)
        )  # fmt: skip
    return (
        f"too few people are in the group ({bare(where)}) to tell it from an empty one; the interval holds every value that the reports "
        "allow"
    )
