"""Intervals of ratios (means and shares in a group whose size is estimated too) by inverted tests (Fieller).

A ratio m of two means is not refuted if top - m bottom can be told from 0 by no test. Where the group is well known this is value +- z se;
where it is small, that would be too wide or too narrow, and where the group cannot be told from empty every value may be possible.

The point is (top bottom + 8 cov(top, bottom)) / (bottom^2 + 8 var(bottom)), which is top / bottom where the group is well known, and stays
sane where it is not: there it goes to what reports that count as members have. Shares of all labels still add up to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from deniable.core.caps import critical_value
from deniable.core.exact import Floats
from deniable.errors import NoIntervalError
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
    value = (top * bottom + CAREFUL * float(both[0, 1])) / (bottom**2 + CAREFUL * float(both[1, 1]))
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
    variance, middle, bias = max(seen, least), 0.0, None
    if weighted.bounded is not None:
        low, high = (float(end[0]) for end in weighted.bounded.bias_range(row[None, :]))
        middle, bias = (low + high) / 2, (high - low) / 2
        if target == "respondents":
            variance = float(weighted.bounded.randomness(row[None, :])[0])
    # What more is known of the variance (the designs; that only the randomisation is random) holds for the test as well.
    spread = spread * (variance / seen) if variance != seen and seen > 0 and variance > 0 else spread
    ratio_to_error = (bias or 0.0) / max(variance, 1e-300) ** 0.5

    def ends(level: float) -> tuple[float, float]:
        z = float(critical_value(min(ratio_to_error, 1e9), level))
        return not_refuted(top - middle * bottom, bottom, spread, z, limits)

    shown = value if bias is None and note is None else _within(value - middle, *limits)
    return Ratio(shown, variance, float(worth[0]), bias, ends, row, note)


def may_be_empty(weighted: Weighted, size: int, spread: Floats, what: str, where: Any) -> str | None:
    """What is to be said of a group that is estimated to have nobody: that it cannot be told from empty. Where nothing is hidden it is
    empty, and refused. None if it has somebody."""
    people = float(weighted.totals()[size])
    if people > SMALLEST_GROUP * weighted.people:
        return None
    if spread[1, 1] <= 1e-15:
        raise NoIntervalError(
            "empty_group", "No {what}: nobody is in the group ({where}).", what=what, where=str(where)
        )  # fmt: skip
    return (
        f"the group ({where}) cannot be told from empty: it is estimated at {people:.1f} of {weighted.people:,.0f} people, so the interval "
        "holds all that is not refuted"
    )
