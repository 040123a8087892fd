"""Means of numbers in groups, and their differences: ratios of sums of weights from the same reports."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deniable.core.estimate import Estimate
from deniable.core.exact import Floats
from deniable.statistics.conditions import Condition, bare
from deniable.statistics.functions import Function
from deniable.statistics.parts import Sums
from deniable.statistics.ratios import Ratio, Squares, ratio
from deniable.statistics.weighted import Weighted

Group = tuple[Condition | None, Function]


def mean(
    sums: Sums, of: tuple[str, Function], group: Group, title: str, target: str, limits: tuple[float, float],
    likely: Floats | None = None,
) -> Estimate:  # fmt: skip
    """The mean of a number in a group; `likely` is the likeliest one, if it is known."""
    (name, number), (where, inside) = of, group
    weighted = sums([number * inside, inside, number * number * inside], lambda means: _rows(means, [(0, 1)]))
    one, size, squared = weighted.square_totals()
    least = weighted.least_variance(target)
    found = ratio(weighted, (0, 1), Squares(squared, one, size), target, limits, (f"mean of {name}", where), least)

    def ends(level: float) -> tuple[Floats, Floats]:
        low, high = found.ends(level)
        return np.array([low]), np.array([high])

    estimate = _estimate(weighted, found.value, found.variance, [found], [name], target, title, limits, ends)
    if where is not None:
        share = weighted.totals()[1] / weighted.people
        estimate.group_sizes = np.array([min(max(share, 0.0), 1.0) * weighted.direct_rows])
    return estimate if likely is None else estimate.with_value([_toward(likely[0], weighted, found)])


def _toward(likely: float, weighted: Weighted, found: Ratio) -> float:
    """The ratio by its weights, moved toward the likeliest one. Where few answers are behind it, likelihood errs less, for it knows that no
    share is below 0; where it differs by many standard errors, it is wrong. So the move is never longer than one standard error."""
    if not np.isfinite(likely):
        return found.value
    error = weighted.errors((found.row @ weighted.values)[None, :] / weighted.people, np.zeros((1, 1)), "population")[0][0, 0]
    away = likely - found.value
    return float(found.value + away * 4 * error / (4 * error + away**2)) if error > 0 else found.value


def difference(
    sums: Sums, numbers: Function, first: Group, second: Group, of: str, target: str, limits: tuple[float, float],
    likely: Floats | None = None,
) -> Estimate:  # fmt: skip
    """The mean of a number in the first group minus that in the second; `likely` are the likeliest ones, if they are known."""
    x, y = first[1], second[1]
    functions = [numbers * x, x, numbers * y, y, numbers * numbers * x, numbers * numbers * y]
    weighted = sums(
        [*functions, numbers * numbers * x * y, numbers * x * y, x * y], lambda means: _rows(means, [(0, 1), (2, 3)])
    )
    ax, bx, ay, by, qx, qy, qxy, axy, bxy = weighted.square_totals()
    one = ratio(weighted, (0, 1), Squares(qx, ax, bx), target, limits, (f"mean of {of}", first[0]))
    two = ratio(weighted, (2, 3), Squares(qy, ay, by), target, limits, (f"mean of {of}", second[0]))
    together = _together(weighted, one, two, (qxy, axy, bxy), target)
    apart = np.sqrt(max(0.0, one.variance) * max(0.0, two.variance))
    correlation = float(np.clip(together / apart, -1.0, 1.0)) if apart > 0 else 0.0

    def ends(level: float) -> tuple[Floats, Floats]:
        # From the two intervals (MOVER): each side of the difference varies as the sides of the means that make it. What biases leave
        # open does not vary: it adds up.
        (first_low, first_high), (second_low, second_high) = _sides(one, level), _sides(two, level)
        value = one.value - two.value
        low = value - _mover(first_low, second_high, correlation)
        high = value + _mover(first_high, second_low, correlation)
        return np.array([low]), np.array([high])

    variance = max(weighted.least_variance(target), one.variance + two.variance - 2 * together)
    title = f"mean of {of}: ({bare(first[0])}) minus ({bare(second[0])})"
    estimate = _estimate(
        weighted, one.value - two.value, variance, [one, two], ["difference"], target, title, _apart(limits), ends
    )
    if likely is None:
        return estimate
    return estimate.with_value([_toward(likely[0], weighted, one) - _toward(likely[1], weighted, two)])


def _apart(limits: tuple[float, float]) -> tuple[float, float]:
    """Between what the difference of two such numbers lies."""
    return limits[0] - limits[1], limits[1] - limits[0]


def _sides(found: Ratio, level: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """How far an interval reaches below and above its value: by bias, and beyond that by chance."""
    (low, high), (least, most) = found.ends(level), found.ends(None)
    below, above = max(0.0, found.value - least), max(0.0, most - found.value)
    return (below, found.value - low - below), (above, high - found.value - above)


def _mover(one: tuple[float, float], two: tuple[float, float], correlation: float) -> float:
    """How far the difference of two numbers reaches whose sides reach so far, by bias and by chance."""
    chance = one[1] ** 2 + two[1] ** 2 - 2 * correlation * one[1] * two[1]
    return one[0] + two[0] + float(np.sqrt(max(0.0, chance)))


def _together(weighted: Weighted, one: Ratio, two: Ratio, squares: tuple[float, float, float], target: str) -> float:
    """The covariance of two means from the same reports."""
    if one.note is not None or two.note is not None:
        return 0.0
    rows = np.array([one.row, two.row])
    qxy, axy, bxy = squares
    people = weighted.people
    cross = rows[0, 0] * rows[1, 2] * (qxy - (one.value + two.value) * axy + one.value * two.value * bxy) / people**2
    known = np.array([[0.0, cross], [cross, 0.0]])
    return float(weighted.errors(rows @ weighted.values / people, known, target)[0][0, 1])


def _estimate(
    weighted: Weighted, value: float, variance: float, found: list[Ratio], labels: list[str], target: str, title: str,
    limits: tuple[float, float] | None, ends: Callable[[float], tuple[Floats, Floats]],
) -> Estimate:  # fmt: skip
    bias = [one.bias for one in found if one.bias is not None]
    notes = [one.note for one in found if one.note is not None]
    classes = weighted.bounded.assumes if weighted.bounded is not None and bias else ()
    return Estimate(
        [value], labels, n=round(weighted.rows), method="bounded bias" if bias else "joint", target=target,
        covariance=[[variance]], name=title, limits=limits, worth=[found[0].worth] if len(found) == 1 and not bias else None,
        ends=ends, assumes=(*weighted.assumes, *classes), notes=notes, bias=[sum(bias)] if bias else None,
    )  # fmt: skip


def _rows(means: Floats, ratios: list[tuple[int, int]]) -> Floats | None:
    """What a ratio, or the difference of two, depends on: (sum - ratio * size) / size."""
    row = np.zeros((1, len(means)))
    for sign, (above, below) in zip((1.0, -1.0), ratios, strict=False):
        if means[below] <= 0:
            return None
        row[0, above] += sign / means[below]
        row[0, below] -= sign * means[above] / means[below] ** 2
    return row
