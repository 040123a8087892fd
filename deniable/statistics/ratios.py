"""Intervals of ratios (means and shares in a group whose size is estimated too) by inverted tests (Fieller).

A ratio m of two means is not refuted if top - m bottom can be told from 0 by no test. Where the group is well known this is value +- z se;
where it is small, that would be too wide or too narrow, and where the group cannot be told from empty every value may be possible.

The point is (top bottom + 16 cov(top, bottom)) / (bottom^2 + 16 var(bottom)), which is top / bottom where the group is well known, and
stays sane where it is not: there it goes to what reports that count as members have. Shares of all labels still add up to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from deniable.core.caps import critical_value, half_length
from deniable.core.domains.exact import Floats
from deniable.errors import NoIntervalError
from deniable.statistics.conditions import bare
from deniable.statistics.weighted import SMALLEST_GROUP, BoundedBias, Weighted


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


CAREFUL = 16.0
"""A group that is four standard errors large is taken at half of its word, one of twelve at nine tenths."""
SELDOM_AS_LARGE = 3.0
"""The bias of the size of a group is taken for so much smaller than it could be."""
BETWEEN = 64
"""Between two ratios at which the bias is worked out this many are looked at."""

Ends = Callable[[float | None], tuple[float, float]]
"""The ends of an interval by its level; without one what the bias alone leaves open."""


class Ratio(NamedTuple):
    """A ratio of two means: its value and variance, how many direct answers it is worth, its largest bias (None if there is none), its
    interval, what it depends on, what to say of a group that may be empty, and the estimated sum of its squared true residuals."""

    value: float
    variance: float
    worth: float
    bias: float | None
    ends: Ends
    row: Floats
    note: str | None
    squares: float


class Squares(NamedTuple):
    """Estimated sums over the people of the squares of top and bottom, and of their product."""

    top: float
    both: float
    bottom: float


def of_members(given: Ratio, weighted: Weighted, place: int) -> Ratio:
    """The same ratio, worth so many direct answers of members of its group, by the group's place: `ratio` counts everybody's."""
    return given._replace(worth=given.worth * weighted.respondents_in(place) / weighted.rows)


def ratio(
    weighted: Weighted, pair: tuple[int, int], squares: Squares, target: str, limits: tuple[float, float], words: tuple[str, Any],
    least: float = -np.inf, ends_within: tuple[float, float] | None = None,
) -> Ratio:  # fmt: skip
    """The ratio of the means of two functions (by place); `words` say what it is of, and of which group. Its variance is `least` at
    least. The ends of its interval lie within `limits`, as the ratio does, unless wider ones are given for them."""
    people, places = weighted.people, list(pair)
    top, bottom = (float(mean) for mean in (weighted.totals() / people)[places])
    known = np.array([[squares.top, squares.both], [squares.both, squares.bottom]]) / people**2
    both, _ = weighted.errors(weighted.values[places] / people, known, "population")
    spread = both if target == "population" else weighted.errors(weighted.values[places] / people, known, target)[0]
    note = may_be_empty(weighted, pair[1], both, *words)
    # The bias of a size is seldom as large as it could be.
    off = 0.0 if weighted.bounded is None else weighted.bounded.bias_of(pair[1])
    doubt = CAREFUL * max(float(both[1, 1]), 0.0) + (off / SELDOM_AS_LARGE) ** 2
    alike = float(both[0, 1] / both[1, 1]) if both[1, 1] > 0 else top / bottom
    value = careful(top, bottom, doubt, alike)
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
        middle, bias = (low + high) / 2 * bottom**2 / (bottom**2 + doubt), (high - low) / 2
        if target == "respondents":
            variance = float(weighted.bounded.randomness(row[None, :])[0])
            # The spread of weights that are not unbiased, less that of the truths, may be anything: that of the population is one.
            spread, seen = both, float(weighted.errors(residual, np.array([[true]]), "population")[0][0, 0])
    # What more is known of the variance (the designs; that only the randomisation is random) holds for the test as well.
    spread = spread * (variance / seen) if variance != seen and seen > 0 and variance > 0 else spread
    shown = value if bias is None and note is None else _within(value - middle, *limits)
    if weighted.bounded is not None and bias:
        reach = bias + max(variance, 0.0) ** 0.5
        ends = _not_refuted_biased(weighted.bounded, (places, len(row)), (top, bottom), spread, (shown, reach, limits))
    else:

        def ends(level: float | None) -> tuple[float, float]:
            if level is None:
                return shown, shown
            z = float(critical_value(0.0, level))
            found = not_refuted(top, bottom, spread, z, ends_within or limits)
            return found if ends_within else _no_surer_than_direct(found, value, limits, z, weighted.respondents_in(pair[1]))

    worth_of = float("nan") if bias else float(worth[0])
    largest = None if bias is None else min(bias, limits[1] - limits[0])
    return Ratio(shown, variance, worth_of, largest, ends, row, note, true)


def _no_surer_than_direct(
    ends: tuple[float, float], value: float, limits: tuple[float, float], z: float, members: float
) -> tuple[float, float]:
    """A value beyond what is possible tells no more than if all members were at that end, of whom some could be at the other (Wilson):
    few reports that are all alike would seem to be certain.

    >>> _no_surer_than_direct((0.0, 0.0), -3.0, (0.0, 40.0), 2.0, 16.0)
    (0.0, 8.0)
    """
    reach = (limits[1] - limits[0]) * z**2 / (max(members, 0.0) + z**2)
    low, high = ends
    if value < limits[0]:
        return low, max(high, limits[0] + reach)
    return (min(low, limits[1] - reach), high) if value > limits[1] else ends


def careful(top: float, bottom: float, doubt: float, alike: float) -> float:
    """top / bottom where there is no doubt about the bottom, and what is `alike` where there is nothing but doubt."""
    return (top * bottom + doubt * alike) / (bottom**2 + doubt)


def _not_refuted_biased(
    bounded: BoundedBias,
    pair: tuple[list[int], int],
    means: tuple[float, float],
    spread: Floats,
    where: tuple[float, float, tuple[float, float]],
) -> Ends:
    """The ends of all ratios m for which top - m bottom can be told from 0 by no test, given how far it may be off at *that* m: groups that
    noise hides are off themselves, so the bias depends on m. Without a level: what the bias alone leaves open."""
    (places, columns), (top, bottom), (shown, reach, (low, high)) = pair, means, where
    steps = reach * np.array([-4.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0])
    knots = np.unique(np.clip([low, *(shown + steps), high], low, high))
    rows = np.zeros((len(knots), columns))
    rows[:, places[0]], rows[:, places[1]] = 1.0, -knots
    # The largest of what is linear in m is convex in m: between the knots straight lines are no smaller.
    at_knots = bounded.bias_range(rows)
    m = np.interp(np.arange(BETWEEN * (len(knots) - 1) + 1) / BETWEEN, np.arange(len(knots)), knots)
    least, most = (np.interp(m, knots, end) for end in at_knots)
    se = np.sqrt(np.maximum(spread[0, 0] - 2 * m * spread[0, 1] + m**2 * spread[1, 1], 0.0))
    off, bias = np.abs(top - m * bottom - (least + most) / 2), (most - least) / 2

    def ends(level: float | None) -> tuple[float, float]:
        allowed = bias if level is None else half_length(bias, se, level)
        beyond = off - allowed
        held = np.flatnonzero(beyond <= 0)
        if not len(held):
            return (float(m[np.argmin(beyond)]),) * 2
        return _crossing(m, beyond, held[0], -1), _crossing(m, beyond, held[-1], 1)

    return ends


def _crossing(m: Floats, beyond: Floats, held: int, step: int) -> float:
    """Where between the last ratio that is held and the next one the test begins to refute."""
    out = held + step
    if not 0 <= out < len(m):
        return float(m[held])
    part = beyond[held] / (beyond[held] - beyond[out])
    return float(m[held] + part * (m[out] - m[held]))


def may_be_empty(weighted: Weighted, size: int, spread: Floats, what: str, where: Any) -> str | None:
    """What to say of a group that is estimated to have nobody: that it cannot be told from empty. Where nothing is hidden it is
    empty, and refused. None if it has somebody."""
    people = float(weighted.totals()[size])
    if people > SMALLEST_GROUP * weighted.people:
        return None
    if spread[1, 1] <= 1e-15:
        raise NoIntervalError(
            "empty_group", "No {what}: nobody is in the group ({where}).", what=what, where=bare(where)
        )  # fmt: skip
    if where is None:
        return "there are too few answers to tell anything"
    return f"too few people are in the group ({bare(where)}) to tell it from an empty one"
