"""Means of numbers in groups, and their differences: ratios of unbiased sums from the same reports."""

from __future__ import annotations

import numpy as np

from deniable.core.estimate import Estimate
from deniable.core.exact import Floats
from deniable.statistics.conditions import Condition
from deniable.statistics.functions import Function
from deniable.statistics.parts import Sums
from deniable.statistics.weighted import check_group, estimate_of

Group = tuple[Condition | None, Function]


def mean(sums: Sums, of: tuple[str, Function], group: Group, title: str, target: str, limits: tuple[float, float]) -> Estimate:
    """The mean of a number in a group."""
    (name, number), (where, inside) = of, group
    weighted = sums([number * inside, inside, number * number * inside], lambda means: _rows(means, [(0, 1)]))
    above, below, _ = weighted.totals()
    check_group(below, weighted.people, f"mean of {name}", where)
    value = above / below
    residual = (weighted.values[0] - value * weighted.values[1])[None, :] / below
    one, size, squared = weighted.square_totals()
    known = np.array([[squared - 2 * value * one + value**2 * size]]) / below**2
    return estimate_of([value], weighted.error_of_one(residual, known, target), [name], weighted, target, title, limits)


def difference(sums: Sums, numbers: Function, first: Group, second: Group, of: str, target: str) -> Estimate:
    """The mean of a number in the first group minus that in the second."""
    x, y = first[1], second[1]
    functions = [numbers * x, x, numbers * y, y, numbers * numbers * x, numbers * numbers * y]
    weighted = sums(
        [*functions, numbers * numbers * x * y, numbers * x * y, x * y], lambda means: _rows(means, [(0, 1), (2, 3)])
    )
    sx, nx, sy, ny = weighted.totals()[:4]
    check_group(nx, weighted.people, f"mean of {of}", first[0])
    check_group(ny, weighted.people, f"mean of {of}", second[0])
    mx, my = sx / nx, sy / ny
    w = weighted.values
    residual = ((w[0] - mx * w[1]) / nx - (w[2] - my * w[3]) / ny)[None, :]
    ax, bx, ay, by, qx, qy, qxy, axy, bxy = weighted.square_totals()
    cross = qxy - (mx + my) * axy + mx * my * bxy
    known = (qx - 2 * mx * ax + mx**2 * bx) / nx**2 + (qy - 2 * my * ay + my**2 * by) / ny**2 - 2 * cross / (nx * ny)
    errors = weighted.error_of_one(residual, np.array([[known]]), target)
    title = f"mean of {of}: ({first[0]}) minus ({second[0]})"
    return estimate_of([mx - my], errors, ["difference"], weighted, target, title, None)


def _rows(means: Floats, ratios: list[tuple[int, int]]) -> Floats | None:
    """What a ratio, or the difference of two, depends on: (sum - ratio * size) / size."""
    row = np.zeros((1, len(means)))
    for sign, (above, below) in zip((1.0, -1.0), ratios, strict=False):
        if means[below] <= 0:
            return None
        row[0, above] += sign / means[below]
        row[0, below] -= sign * means[above] / means[below] ** 2
    return row
