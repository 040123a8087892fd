"""Means of numbers in groups, and their differences: ratios of sums of weights from the same reports."""

from __future__ import annotations

import numpy as np

from deniable.core.estimate import FEWEST, Estimate
from deniable.core.exact import Floats
from deniable.statistics.conditions import Condition, bare
from deniable.statistics.functions import Function
from deniable.statistics.parts import Sums
from deniable.statistics.ratio_differences import Overlap, apart, minus, ratios_estimate, rows_of
from deniable.statistics.ratios import Ratio, Squares, ratio
from deniable.statistics.weighted import Weighted

Group = tuple[Condition | None, Function]


def mean(
    sums: Sums, of: tuple[str, Function], group: Group, title: str, target: str, limits: tuple[float, float],
    likely: Floats | None = None,
) -> Estimate:  # fmt: skip
    """The mean of a number in a group; `likely` is the likeliest one, if it is known."""
    (name, number), (where, inside) = of, group
    weighted = sums([number * inside, inside, number * number * inside], lambda means: rows_of(means, [(0, 1)]))
    one, size, squared = weighted.square_totals()
    least = weighted.least_variance(target)
    found = ratio(weighted, (0, 1), Squares(squared, one, size), target, limits, (f"mean of {name}", where), least)

    def ends(level: float) -> tuple[Floats, Floats]:
        low, high = found.ends(level)
        return np.array([low]), np.array([high])

    estimate = ratios_estimate(weighted, found.value, found.variance, [found], [name], target, title, limits, ends)
    if where is not None:
        estimate.group_sizes = np.array([weighted.respondents_in(1)])
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
    sums: Sums, numbers: Function, first: Group, second: Group, of: str, target: str,
    limits: tuple[tuple[float, float], tuple[float, float]], likely: Floats | None = None,
) -> Estimate:  # fmt: skip
    """The mean of a number in the first group minus that in the second, between whose limits each lies; `likely` are the likeliest ones, if
    they are known."""
    x, y = first[1], second[1]
    functions = [numbers * x, x, numbers * y, y, numbers * numbers * x, numbers * numbers * y]
    weighted = sums(
        [*functions, numbers * numbers * x * y, numbers * x * y, x * y], lambda means: rows_of(means, [(0, 1), (2, 3)])
    )
    ax, bx, ay, by, qx, qy, qxy, axy, bxy = weighted.square_totals()
    one = ratio(weighted, (0, 1), Squares(qx, ax, bx), target, limits[0], (f"mean of {of}", first[0]))
    two = ratio(weighted, (2, 3), Squares(qy, ay, by), target, limits[1], (f"mean of {of}", second[0]))
    variance, ends = minus(weighted, ((0, one), (2, two)), Overlap(qxy, axy, bxy), target)
    title = f"mean of {of}: ({bare(first[0])}) minus ({bare(second[0] or 'everyone')})"
    estimate = ratios_estimate(
        weighted, one.value - two.value, variance, [one, two], ["difference"], target, title, apart(*limits), ends
    )
    sizes = [weighted.respondents_in(place) for place, (where, _) in ((1, first), (3, second)) if where is not None]
    if sizes and min(sizes) < FEWEST:
        estimate.group_sizes = np.array([min(sizes)])
    if likely is None:
        return estimate
    return estimate.with_value([_toward(likely[0], weighted, one) - _toward(likely[1], weighted, two)])
