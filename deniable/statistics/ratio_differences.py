"""The difference of two ratios (means, or shares, in two groups) that are estimated from the same reports.

Each has an interval by inverted tests (`ratios`). That of their difference is made of both (MOVER, Zou and Donner): each side of it varies
as the sides of the two that make it, and the two vary together by as much as the reports say. What biases leave open does not vary: it
adds up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.core.estimate import Estimate
from deniable.statistics.conditions import bare
from deniable.statistics.ratios import Ratio
from deniable.statistics.weighted import Weighted

Placed = tuple[int, Ratio]
"""A ratio, and the place of its top among the functions."""


class Minus(NamedTuple):
    """The first ratio less the second: its variance, the ends of its interval by their level, and how many direct answers it is worth."""

    variance: float
    ends: Callable[[float], tuple[Floats, Floats]]
    worth: float


class Overlap(NamedTuple):
    """Estimated sums over those who are in both groups: of the number squared, of the number, and of 1."""

    squared: float
    number: float
    people: float


def minus(weighted: Weighted, ratios: tuple[Placed, Placed], overlap: Overlap, target: str) -> Minus:
    """The first ratio less the second."""
    (_, one), (_, two) = ratios
    cross = _cross(weighted, ratios, overlap)
    together = _together(weighted, (one, two), cross, target)
    product = np.sqrt(max(0.0, one.variance) * max(0.0, two.variance))
    correlation = float(np.clip(together / product, -1.0, 1.0)) if product > 0 else 0.0

    def ends(level: float) -> tuple[Floats, Floats]:
        (first_low, first_high), (second_low, second_high) = _sides(one, level), _sides(two, level)
        value = one.value - two.value
        low = value - _mover(first_low, second_high, correlation)
        high = value + _mover(first_high, second_low, correlation)
        return np.array([low]), np.array([high])

    variance = max(weighted.least_variance(target), one.variance + two.variance - 2 * together)
    return Minus(variance, ends, _worth(weighted, (one, two), cross, target))


def of_either(given: Minus, weighted: Weighted, places: tuple[int, int, int]) -> Minus:
    """The same difference, worth so many direct answers of members of either group, by the places of both and of those in both: `minus`
    counts everybody's."""
    first, second, both = (weighted.respondents_in(place) for place in places)
    return given._replace(worth=given.worth * min(max(first + second - both, first, second) / weighted.rows, 1.0))


def apart(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    """Between what the difference of two numbers lies that lie between these."""
    return first[0] - second[1], first[1] - second[0]


def beyond(limits: tuple[float, float]) -> tuple[float, float]:
    """How far each of the two may vary beyond what is possible. Cut at a limit, a number near it would seem too sure, and one beyond it
    would lie outside its own interval; so only their difference is cut, in the end (simulated: `test_mean_difference_coverage.py`). Behind
    noise intervals stay cut: nearly everyone at a limit is none of the truths that they are for (docs/noise.md)."""
    span = limits[1] - limits[0]
    return limits[0] - span, limits[1] + span


def _sides(given: Ratio, level: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """How far an interval reaches below and above its value: by bias, and beyond that by chance."""
    (low, high), (least, most) = given.ends(level), given.ends(None)
    below, above = max(0.0, given.value - least), max(0.0, most - given.value)
    return (below, given.value - low - below), (above, high - given.value - above)


def _mover(one: tuple[float, float], two: tuple[float, float], correlation: float) -> float:
    """How far the difference of two numbers reaches whose sides reach so far, by bias and by chance."""
    chance = one[1] ** 2 + two[1] ** 2 - 2 * correlation * one[1] * two[1]
    return one[0] + two[0] + float(np.sqrt(max(0.0, chance)))


def _cross(weighted: Weighted, ratios: tuple[Placed, Placed], overlap: Overlap) -> float:
    """The estimated sum of the products of the true residuals of two ratios: nothing where nobody is in both groups."""
    (top, one), (other_top, two) = ratios
    residuals = overlap.squared - (one.value + two.value) * overlap.number + one.value * two.value * overlap.people
    return float(one.row[top] * two.row[other_top] * residuals / weighted.people**2)


def _together(weighted: Weighted, ratios: tuple[Ratio, Ratio], cross: float, target: str) -> float:
    """The covariance of two ratios from the same reports."""
    one, two = ratios
    if one.note is not None or two.note is not None:
        return 0.0
    rows = np.array([one.row, two.row])
    known = np.array([[0.0, cross], [cross, 0.0]])
    return float(weighted.errors(rows @ weighted.values / weighted.people, known, target)[0][0, 1])


def _worth(weighted: Weighted, ratios: tuple[Ratio, Ratio], cross: float, target: str) -> float:
    """How many direct answers would tell a difference as well; not known where that of one of the two is not."""
    one, two = ratios
    if one.note is not None or two.note is not None or not np.isfinite([one.worth, two.worth]).all():
        return float("nan")
    residual = (one.row - two.row)[None, :] @ weighted.values / weighted.people
    known = np.array([[one.squares + two.squares - 2 * cross]])
    return float(weighted.errors(residual, known, target)[1][0])


def covariance_of(weighted: Weighted, ratios: Sequence[Ratio], target: str) -> Floats:
    """The covariance of any number of ratios from the same reports: their correlations in the population, with each one's own variance."""
    residuals = np.array([one.row for one in ratios]) @ weighted.values / weighted.people
    together, _ = weighted.errors(residuals, np.zeros((len(ratios), len(ratios))), "population")
    seen = np.sqrt(np.maximum(np.diag(together), 0.0))
    wanted = np.sqrt(np.maximum([one.variance for one in ratios], 0.0))
    scale = np.divide(wanted, seen, out=np.zeros(len(seen)), where=seen > 0)
    covariance: Floats = together * np.outer(scale, scale)
    covariance[np.diag_indices(len(ratios))] = wanted**2
    return covariance


def rows_of(means: Floats, ratios: list[tuple[int, int]]) -> Floats | None:
    """What a ratio, or the difference of two, depends on: (sum - ratio * size) / size."""
    row = np.zeros((1, len(means)))
    for sign, (above, below) in zip((1.0, -1.0), ratios, strict=False):
        if means[below] <= 0:
            return None
        row[0, above] += sign / means[below]
        row[0, below] -= sign * means[above] / means[below] ** 2
    return row


def ratios_estimate(
    weighted: Weighted, ratios: Sequence[Ratio], labels: Sequence[Any], target: str, title: str, limits: tuple[float, float] | None,
    ends: Callable[[float], tuple[Floats, Floats]],
) -> Estimate:  # fmt: skip
    """An estimate of ratios, from the ends of their intervals."""
    method, bias, said = _said(weighted, ratios)
    return Estimate(
        [one.value for one in ratios], labels, method=method, target=target, covariance=covariance_of(weighted, ratios, target),
        name=title, limits=limits, worth=[one.worth for one in ratios] if bias is None else None, ends=ends, bias=bias, **said,
    )  # fmt: skip


def difference_estimate(
    weighted: Weighted, found: Minus, sides: tuple[Ratio, Ratio], target: str, title: str, limits: tuple[float, float] | None
) -> Estimate:
    """An estimate of the difference of two ratios. Their biases add up."""
    method, bias, said = _said(weighted, sides)
    return Estimate(
        [sides[0].value - sides[1].value], ["difference"], method=method, target=target, covariance=[[found.variance]], name=title,
        limits=limits, ends=found.ends, worth=[found.worth] if bias is None else None, bias=None if bias is None else [sum(bias)], **said,
    )  # fmt: skip


def sides(
    weighted: Weighted, compared: Sequence[tuple[Any, Ratio]], people: Sequence[float], target: str,
    limits: Sequence[tuple[float, float]],
) -> tuple[tuple[str, Estimate], ...]:  # fmt: skip
    """The two that are compared, each by itself: the words for its group, and its estimate. `people` are in the groups, between whose
    limits each lies."""
    estimates = []
    for (words, one), size, within in zip(compared, people, limits, strict=True):
        method, bias, said = _said(weighted, [one])
        estimate = Estimate(
            [one.value], ["share" if within == (0.0, 1.0) else "mean"], method=method, target=target, covariance=[[one.variance]],
            limits=within, ends=_ends_of(one), worth=[one.worth] if bias is None else None, bias=bias, group_sizes=[size], **said,
        )  # fmt: skip
        estimates.append((bare(words) if words is not None else "everyone", estimate))
    return tuple(estimates)


def _ends_of(given: Ratio) -> Callable[[float], tuple[Floats, Floats]]:
    def ends(level: float) -> tuple[Floats, Floats]:
        low, high = given.ends(level)
        return np.array([low]), np.array([high])

    return ends


def moved(
    given: tuple[tuple[str, Estimate], ...], values: Sequence[float], method: str | None = None
) -> tuple[tuple[str, Estimate], ...]:
    """The same sides with other points."""
    return tuple((words, side.with_value([value], method)) for (words, side), value in zip(given, values, strict=True))


def _said(weighted: Weighted, ratios: Sequence[Ratio]) -> tuple[str, list[float] | None, dict[str, Any]]:
    """The method of ratios, how far they may be off, and what else is said of them."""
    biased = any(one.bias is not None for one in ratios)
    classes = weighted.bounded.assumes if weighted.bounded is not None and biased else ()
    notes = list(dict.fromkeys(one.note for one in ratios if one.note is not None))
    said = {"n": round(weighted.rows), "assumes": (*weighted.assumes, *classes), "notes": notes}
    return ("bounded bias", [one.bias or 0.0 for one in ratios], said) if biased else ("joint", None, said)
