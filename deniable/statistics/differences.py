"""How much two shares, or two groups' means, differ: from the same reports, so their covariance counts."""

from __future__ import annotations

import numpy as np

from deniable.core.estimate import Estimate
from deniable.statistics.conditions import Condition
from deniable.statistics.functions import Function
from deniable.statistics.moments import Sums
from deniable.statistics.weighted import check_group, estimate_of

Group = tuple[Condition | None, Function]


def of_shares(sums: Sums, first: Group, second: Group, target: str) -> Estimate:
    """The share of the first group minus that of the second."""
    x, y = first[1], second[1]
    weighted = sums([x, y, x * y])
    a, b, shared = weighted.totals()
    residual = weighted.per_person((weighted.values[0] - weighted.values[1])[None, :])
    known = np.array([[a + b - 2 * shared]]) / weighted.people**2
    errors = weighted.errors(residual, known, target)
    title = f"share of ({first[0]}) minus share of ({second[0]})"
    return estimate_of([(a - b) / weighted.people], errors, ["difference"], weighted, target, title, None)


def of_means(sums: Sums, numbers: Function, first: Group, second: Group, of: str, target: str) -> Estimate:
    """The mean of a number in the first group minus that in the second."""
    x, y = first[1], second[1]
    functions = [numbers * x, x, numbers * y, y, numbers * numbers * x, numbers * numbers * y]
    weighted = sums([*functions, numbers * numbers * x * y, numbers * x * y, x * y])
    sx, nx, sy, ny, qx, qy, qxy, sxy, nxy = weighted.totals()
    check_group(nx, weighted.people, f"mean of {of}", first[0])
    check_group(ny, weighted.people, f"mean of {of}", second[0])
    mx, my = sx / nx, sy / ny
    w = weighted.values
    residual = ((w[0] - mx * w[1]) / nx - (w[2] - my * w[3]) / ny)[None, :]
    cross = qxy - (mx + my) * sxy + mx * my * nxy
    known = (qx - 2 * mx * sx + mx**2 * nx) / nx**2 + (qy - 2 * my * sy + my**2 * ny) / ny**2 - 2 * cross / (nx * ny)
    errors = weighted.errors(residual, np.array([[known]]), target)
    title = f"mean of {of}: ({first[0]}) minus ({second[0]})"
    return estimate_of([mx - my], errors, ["difference"], weighted, target, title, None)
