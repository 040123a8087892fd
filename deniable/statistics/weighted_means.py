"""Means of numbers in groups, and their differences: ratios of sums of weights from the same reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.core.estimate import FEWEST, Estimate
from deniable.errors import NoIntervalError
from deniable.statistics.conditions import Condition, bare
from deniable.statistics.functions import ONE, Function
from deniable.statistics.groups import Group
from deniable.statistics.ratio_differences import (
    Overlap,
    apart,
    beyond,
    difference_estimate,
    minus,
    moved,
    of_either,
    ratios_estimate,
    rows_of,
    sides,
)  # fmt: skip
from deniable.statistics.ratios import Ratio, Squares, of_members, ratio
from deniable.statistics.weighing import Sums
from deniable.statistics.weighted import Weighted

Side = tuple[Condition | None, Function]
"""A group that is compared with another: the condition that it meets, and who is in it."""


class Number(NamedTuple):
    """A number whose mean is asked: its name, its values, and whether reports tell its squares, too."""

    name: str
    values: Function
    tells_squares: bool = True


WORTH_SAYING = 0.1
"""A move of this many standard errors is mentioned."""
MOVED = (
    "moved toward the likeliest value, which varies less and may be off in one direction; without that it is {values}, which intervals are "
    "about"
)


def means(
    sums: Sums, of: Number, groups: Sequence[Group], answered: Function, title: str, target: str,
    limits: tuple[float, float], likely: Floats | None = None,
) -> Estimate:  # fmt: skip
    """The mean of a number in each of some groups, of those who `answered`; `likely` are the likeliest ones, if they are known."""
    name, number = of.name, of.values
    inside = [group.members * answered for group in groups]
    squared = [number * number] if of.tells_squares else []
    functions = [f * members for members in inside for f in (number, ONE, *squared)]
    each = 2 + len(squared)
    pairs = [(each * g, each * g + 1) for g in range(len(groups))]
    weighted = sums(functions, lambda means: _rows(means, pairs))
    totals, least = weighted.square_totals(), weighted.least_variance(target)
    ratios, kept, empty = list[Ratio](), list[int](), list[str]()
    for g, (top, size) in enumerate(pairs):
        known = totals[size + 1] if of.tells_squares else _least_squares(totals[top], totals[size])
        squares = Squares(known, totals[top], totals[size])
        try:
            one = ratio(weighted, (top, size), squares, target, limits, (f"mean of {name}", groups[g].words), least)
            # Of everyone, those who gave no answer are counted, as in all that is said of everyone.
            one = one if groups[g].condition is None else of_members(one, weighted, size)
            ratios.append(one if of.tells_squares else one._replace(worth=np.nan))
        except NoIntervalError as error:
            # One of several groups that nobody is in has no mean; the others have.
            if error.code != "empty_group" or len(groups) == len(empty) + 1:
                raise
            empty.append(f"nobody is in the group ({bare(groups[g].words)})")
            continue
        kept.append(g)

    def ends(level: float) -> tuple[Floats, Floats]:
        low, high = np.array([one.ends(level) for one in ratios]).T
        return low, high

    labels = [groups[g].prefix[0] if groups[g].prefix else name for g in kept]
    estimate = ratios_estimate(weighted, ratios, labels, target, title, limits, ends)
    estimate.notes += tuple(empty)
    if any(group.condition is not None for group in groups):
        sizes = np.array([weighted.respondents_in(pairs[g][1]) for g in kept])
        estimate.group_sizes = np.minimum(sizes, _most_people(sums, [groups[g].members for g in kept]))
        estimate.sizes_known = weighted.knows([pairs[g][1] for g in kept])
    if likely is None:
        return estimate
    values = [_toward(likely[g], weighted, one) for g, one in zip(kept, ratios, strict=True)]
    return _moved(estimate, values, [one.value for one in ratios])


def _least_squares(total: float, people: float) -> float:
    """What the squares of numbers add up to at least (Cauchy and Schwarz). Where reports do not tell them, error bars of the respondents
    take all that numbers vary by for chance: they are a little too wide, never too narrow."""
    return total**2 / people if people > 0 else 0.0


def _most_people(sums: Sums, groups: Sequence[Function]) -> list[float]:
    """How many people each group has at most: where nothing hides who is in it no more can have answered than are in it."""
    weighted = sums(groups, lambda means: np.eye(len(means)))
    return [weighted.respondents_in(i) if weighted.knows([i]) else np.inf for i in range(len(groups))]


def _rows(means: Floats, pairs: Sequence[tuple[int, int]]) -> Floats | None:
    """What each of some ratios depends on."""
    rows = [rows_of(means, [pair]) for pair in pairs]
    return None if any(row is None for row in rows) else np.vstack([row for row in rows if row is not None])


def _toward(likely: float, weighted: Weighted, unbiased: Ratio) -> float:
    """The ratio by its weights, moved toward the likeliest one. Where few answers are behind it, likelihood errs less, for it knows that no
    share is below 0; where it differs by many standard errors, it is wrong. So the move is never longer than one standard error."""
    if not np.isfinite(likely):
        return unbiased.value
    error = weighted.errors((unbiased.row @ weighted.values)[None, :] / weighted.people, np.zeros((1, 1)), "population")[0][
        0, 0
    ]
    away = likely - unbiased.value
    return float(unbiased.value + away * 4 * error / (4 * error + away**2)) if error > 0 else unbiased.value


def difference(
    sums: Sums, of: Number, first: Side, second: Side, target: str,
    limits: tuple[tuple[float, float], tuple[float, float]], likely: Floats | None = None,
) -> Estimate:  # fmt: skip
    """The mean of a number in the first group minus that in the second, between whose limits each lies; `likely` are the likeliest ones, if
    they are known."""
    x, y, numbers, name = first[1], second[1], of.values, of.name
    functions = [numbers * x, x, numbers * y, y, numbers * x * y, x * y]
    squared = [numbers * numbers * part for part in (x, y, x * y)] if of.tells_squares else []
    weighted = sums([*functions, *squared], lambda means: rows_of(means, [(0, 1), (2, 3)]))
    ax, bx, ay, by, axy, bxy, *known = weighted.square_totals()
    qx, qy, qxy = known or (_least_squares(*pair) for pair in ((ax, bx), (ay, by), (axy, bxy)))
    one, two = (
        ratio(weighted, places, squares, target, within, (f"mean of {name}", where), ends_within=beyond(within))
        for places, squares, within, (where, _) in (
            ((0, 1), Squares(qx, ax, bx), limits[0], first),
            ((2, 3), Squares(qy, ay, by), limits[1], second),
        )
    )
    if not of.tells_squares:
        one, two = (side._replace(worth=np.nan) for side in (one, two))
    found = minus(weighted, ((0, one), (2, two)), Overlap(qxy, axy, bxy), target)
    found = of_either(found, weighted, (1, 3, 5))
    one, two = (of_members(side, weighted, place) for side, place in ((one, 1), (two, 3)))
    title = f"mean of {name}: ({bare(first[0])}) minus ({bare(second[0])})"
    estimate = difference_estimate(weighted, found, (one, two), target, title, apart(*limits))
    sizes = [weighted.respondents_in(place) for place, (where, _) in ((1, first), (3, second)) if where is not None]
    if sizes and min(sizes) < FEWEST:
        estimate.group_sizes = np.array([min(sizes)])
    people = [weighted.respondents_in(place) for place in (1, 3)]
    estimate.sides = sides(weighted, ((first[0], one), (second[0], two)), people, target, limits)
    if likely is None:
        return estimate
    values = _toward(likely[0], weighted, one), _toward(likely[1], weighted, two)
    result = _moved(estimate, [values[0] - values[1]], [one.value - two.value])
    result.sides = moved(estimate.sides, values)
    return result


def _moved(estimate: Estimate, values: Sequence[float], unbiased: Sequence[float]) -> Estimate:
    """The estimate with values that were moved toward the likeliest ones, which says so where anybody would see it."""
    seen = [abs(a - b) > WORTH_SAYING * error for a, b, error in zip(values, unbiased, estimate.se, strict=True)]
    result = estimate.with_value(values)
    if any(seen):
        result.notes = (*result.notes, MOVED.format(values=", ".join(_with_its_group(estimate, unbiased))))
    return result


def _with_its_group(estimate: Estimate, unbiased: Sequence[float]) -> list[str]:
    """The values before they were moved, each with the group it is about where there are several."""
    if len(unbiased) == 1:
        return [f"{unbiased[0]:.5g}"]
    return [f"{value:.4g} ({label})" for value, label in zip(unbiased, estimate.labels, strict=True)]
