"""Covariance, correlation and regression from debiased moments.

`sums` gives the unbiased weights of functions on every cell of reports; everything here is arithmetic on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from deniable.core.estimate import Estimate
from deniable.errors import NoIntervalError
from deniable.statistics.functions import ONE, Function
from deniable.statistics.weighted import Weighted, check_group, estimate_of

Sums = Callable[[Sequence[Function]], Weighted]


def covariance(sums: Sums, x: Function, y: Function, target: str, title: str) -> Estimate:
    """mean(xy) - mean(x) mean(y)."""
    weighted = sums([x * y, x, y, x * x, y * y, x * x * y, x * y * y, x * x * y * y])
    n, w = weighted.people, weighted.values
    xy, mx, my, xx, yy, xxy, xyy, xxyy = weighted.totals() / n
    residual = weighted.per_person((w[0] - my * w[1] - mx * w[2])[None, :])
    square = xxyy + my**2 * xx + mx**2 * yy - 2 * my * xxy - 2 * mx * xyy + 2 * mx * my * xy
    errors = weighted.errors(residual, np.array([[square]]) / n, target)
    return estimate_of([xy - mx * my], errors, ["covariance"], weighted, target, title, None)


def correlation(sums: Sums, x: Function, y: Function, names: tuple[str, str]) -> Estimate:
    """cov / sqrt(var var), linearised at the estimate: each report counts with its influence on it."""
    weighted = sums([x, y, x * x, y * y, x * y])
    n, w = weighted.people, weighted.values
    mx, my, xx, yy, xy = weighted.totals() / n
    vx, vy, c = xx - mx**2, yy - my**2, xy - mx * my
    if vx <= 0 or vy <= 0:
        raise NoIntervalError(
            "no_variance", "The variance of {name!r} is estimated at {got:.3g}: too few answers for so much noise.",
            name=names[0] if vx <= 0 else names[1], got=min(vx, vy),
        )  # fmt: skip
    value = c / np.sqrt(vx * vy)
    both = w[4] - my * w[0] - mx * w[1] + mx * my - c
    spread_x, spread_y = w[2] - 2 * mx * w[0] + mx**2 - vx, w[3] - 2 * my * w[1] + my**2 - vy
    influence = both / np.sqrt(vx * vy) - value / 2 * (spread_x / vx + spread_y / vy)
    variance = ((influence * weighted.stands_for) ** 2) @ weighted.n / n**2
    return Estimate(
        [value], ["correlation"], n=round(weighted.rows), method="joint", target="population", covariance=[[variance]],
        name=f"correlation of {names[0]} and {names[1]}", limits=(-1.0, 1.0),
    )  # fmt: skip


def regression(
    sums: Sums, outcome: Function, inputs: Mapping[str, Function], group: Function, name: str, where: Any
) -> Estimate:
    """The normal equations of a group, from debiased sums; errors by the sandwich of the reports' residuals."""
    columns = [ONE, *inputs.values()]
    rows = [group * column for column in columns]
    k = len(columns)
    pairs = [(i, j) for i in range(k) for j in range(i, k)]
    weighted = sums([*(rows[i] * columns[j] for i, j in pairs), *(row * outcome for row in rows)])
    w, totals = weighted.values, weighted.totals()
    check_group(totals[0], weighted.people, "regression", where)
    left = np.zeros((k, k, w.shape[1]))
    for place, (i, j) in enumerate(pairs):
        left[i, j] = left[j, i] = w[place]
    right = w[len(pairs) :]
    matrix = left @ (weighted.n * weighted.stands_for)
    if np.linalg.eigvalsh(matrix).min() <= 0:
        raise NoIntervalError(
            "regression_singular",
            "The estimated moments of {on} are no longer those of any data: too few answers for so much noise. Use fewer attributes.",
            on=list(inputs),
        )
    inverse = np.linalg.inv(matrix)
    slopes = inverse @ totals[len(pairs) :]
    residuals = inverse @ (right - np.einsum("ijm,j->im", left, slopes))
    each = residuals * weighted.stands_for
    title = f"{name} on {', '.join(inputs)}" + (f" where {where}" if where is not None else "")
    return Estimate(
        slopes, ["intercept", *inputs], n=round(weighted.rows), method="joint", target="population",
        covariance=(each * weighted.n) @ each.T, name=title, limits=None,
    )  # fmt: skip
