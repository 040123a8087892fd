"""Covariance, correlation and regression from debiased moments.

`sums` gives the unbiased weights of functions on every cell of reports; everything here is arithmetic on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np

from deniable.core.caps import critical_value
from deniable.core.domains.exact import Floats
from deniable.core.estimate import Estimate
from deniable.errors import NoIntervalError
from deniable.statistics.bounded import bias_aware, bias_range_of
from deniable.statistics.functions import ONE, Function
from deniable.statistics.ratios import careful
from deniable.statistics.weighing import Sums
from deniable.statistics.weighted import Weighted, check_group, estimate_of

LEAST_LEVEL = 0.95
"""A correlation is refused where the variance of one of the two cannot be told from 0 at this level."""
CAREFUL_OF_SPREAD = 8.0
"""A spread of three standard errors is taken at half of its word, one of ten at nine tenths (`ratios`)."""
LEAST_VARIANCE = 1e-9
"""Numbers that lie between -1 and 1 and vary less are all the same: the rest is rounding."""


def covariance(
    sums: Sums, x: Function, y: Function, group: Function, title: str, target: str, tells_squares: bool = True
) -> Estimate:
    """mean(xy) - mean(x) mean(y) in a group. Where reports do not tell the squares of a number, error bars of the respondents take all that
    it varies by for chance."""
    products = [x * x, y * y, x * x * y, x * y * y, x * x * y * y] if tells_squares else []
    weighted = sums([group, *(f * group for f in (x, y, x * y, *products))], _covariance_rows)
    size, sx, sy, sxy = weighted.totals()[:4]
    check_group(size, weighted.people, title, "those who answered")
    mx, my = sx / size, sy / size
    value = sxy / size - mx * my
    row = _covariance_row(mx, my, value)
    residual = row @ weighted.values[:4] / size
    if not tells_squares:
        spread, worth = weighted.errors(residual, np.zeros((1, 1)), target)
        return estimate_of([value], (spread, np.full_like(worth, np.nan)), ["covariance"], weighted, target, title, None)
    g, ax, ay, axy, xx, yy, xxy, xyy, xxyy = weighted.square_totals()
    # ((x - mx)(y - my) - c)^2 = (xy - my x - mx y + d)^2 with d = mx my - c.
    d = row[0, 0]
    square = xxyy + my**2 * xx + mx**2 * yy + d**2 * g
    square += 2 * (-my * xxy - mx * xyy + (d + mx * my) * axy - d * my * ax - d * mx * ay)
    errors = weighted.errors(residual, np.array([[square]]) / size**2, target)
    return estimate_of([value], errors, ["covariance"], weighted, target, title, None)


def _covariance_row(mx: float, my: float, value: float) -> Floats:
    """What a covariance depends on, by (1, x, y, xy) of one person of the group."""
    return np.array([[mx * my - value, -my, -mx, 1.0]])


def _covariance_rows(means: Floats) -> Floats | None:
    size, x, y, xy = means[:4]
    if size <= 0:
        return None
    mx, my = x / size, y / size
    row = np.zeros((1, len(means)))
    row[:, :4] = _covariance_row(mx, my, xy / size - mx * my) / size
    return row


def correlation(
    sums: Sums, x: Function, y: Function, group: Function, names: tuple[str, str], title: str, hidden: bool
) -> Estimate:
    """cov / sqrt(var var) of numbers from -1 to 1, and all r for which cov - r sqrt(var var) can be told from 0 by no test (Fieller).
    `hidden` says whether any of the two is."""
    functions = [group, *(f * group for f in (x, y, x * y, x * x, y * y))]
    weighted = sums(functions, lambda means: _correlation_rows(means)[1])
    size = weighted.totals()[0]
    check_group(size, weighted.people, title, "those who answered")
    (c, vx, vy), _ = _correlation_rows(weighted.totals() / weighted.people)
    told = _told_apart(weighted)
    if min(vx, vy) <= LEAST_VARIANCE or not told.min() > NormalDist().inv_cdf(0.5 + LEAST_LEVEL / 2):
        raise _no_variance(names[int(np.argmin([vx, vy] if min(vx, vy) <= LEAST_VARIANCE else told))])
    scale = np.sqrt(vx * vy)
    spread = _spread_of(weighted, scale)
    value = c / scale
    variance = max(0.0, float((spread[0, 0] - 2 * value * spread[0, 1] + value**2 * spread[1, 1]) / scale**2))
    middle, bias = _bias(weighted, _correlation_rows(weighted.totals() / weighted.people)[1])

    def ends(level: float) -> tuple[Floats, Floats]:
        # What the bias leaves open does not vary: chance comes on top of it, on either side.
        ratio = min(bias[0] / max(variance, 1e-300) ** 0.5, 1e9)
        reach = float(critical_value(ratio, level)) - ratio
        low, _ = _fieller(c - (middle[0] + bias[0]) * scale, scale, spread, level, reach)
        _, high = _fieller(c - (middle[0] - bias[0]) * scale, scale, spread, level, reach)
        return np.array([low]), np.array([high])

    shown = _careful(c, scale, spread, (1 + value**2) * scale**2 / weighted.rows) if hidden else value
    return Estimate(
        [np.clip(shown - middle[0], -1.0, 1.0)], ["correlation"], n=round(weighted.rows), method=_method(weighted), target="population",
        covariance=[[variance]], name=title, limits=(-1.0, 1.0), ends=ends, assumes=_assumed(weighted),
        bias=bias if weighted.bounded is not None else None,
    )  # fmt: skip


def _careful(top: float, bottom: float, spread: Floats, direct: float) -> float:
    """A ratio whose bottom, a spread of numbers, is hidden: where it is hardly known the plain ratio is anything, and the point is that of
    `ratios`. How far the bottom of as many direct answers would vary (`direct`) is no reason for doubt."""
    doubt = CAREFUL_OF_SPREAD * max(0.0, float(spread[1, 1]) - direct)
    return careful(top, bottom, doubt, float(spread[0, 1] / spread[1, 1])) if doubt else top / bottom


def _bias(weighted: Weighted, rows: Floats | None) -> tuple[Floats, Floats]:
    """The middle and the size of the bias of numbers that depend on means in this way."""
    assert rows is not None
    low, high = bias_range_of(weighted, rows)
    return (low + high) / 2, (high - low) / 2


def _method(weighted: Weighted) -> str:
    return "joint" if weighted.bounded is None else "bounded bias"


def _assumed(weighted: Weighted) -> tuple[str, ...]:
    return weighted.assumes if weighted.bounded is None else (*weighted.assumes, *weighted.bounded.assumes)


def _moments(means: Floats) -> tuple[float, float, float, float, float]:
    size, x, y, xy, xx, yy = means[:6]
    mx, my = x / size, y / size
    return mx, my, xy / size - mx * my, xx / size - mx**2, yy / size - my**2


def _parts_of(means: Floats) -> Floats:
    """What covariance and variances depend on: three rows over (1, x, y, xy, xx, yy) of one person."""
    mx, my, c, vx, vy = _moments(means)
    rows = np.array(
        [
            [mx * my - c, -my, -mx, 1.0, 0.0, 0.0],
            [mx**2 - vx, -2 * mx, 0.0, 0.0, 1.0, 0.0],
            [my**2 - vy, 0.0, -2 * my, 0.0, 0.0, 1.0],
        ]
    )
    each: Floats = rows / means[0]
    return each


def _correlation_rows(means: Floats) -> tuple[tuple[float, float, float], Floats | None]:
    """Covariance and both variances, and what the correlation depends on, where there is one."""
    if means[0] <= 0:
        return (0.0, 0.0, 0.0), None
    _, _, c, vx, vy = _moments(means)
    if vx <= 0 or vy <= 0:
        return (c, vx, vy), None
    rows = _parts_of(means)
    scale = np.sqrt(vx * vy)
    row = rows[0] / scale - c / scale / 2 * (rows[1] / vx + rows[2] / vy)
    return (c, vx, vy), row[None, :]


def _spread_of(weighted: Weighted, scale: float) -> Floats:
    """The covariance matrix of the estimates of covariance and scale = sqrt(var var)."""
    means = weighted.totals() / weighted.people
    _, _, _, vx, vy = _moments(means)
    rows = _parts_of(means)
    both = np.array([rows[0], scale / 2 * (rows[1] / vx + rows[2] / vy)]) @ weighted.values / weighted.people
    each = both * weighted.stands_for * weighted.counts_as
    spread: Floats = (each * weighted.n) @ each.T
    return spread


def _told_apart(weighted: Weighted) -> Floats:
    """How many standard errors the two variances lie above 0."""
    means = weighted.totals() / weighted.people
    _, _, _, vx, vy = _moments(means)
    each = _parts_of(means)[1:] @ weighted.values / weighted.people * weighted.stands_for * weighted.counts_as
    errors = np.sqrt((each**2) @ weighted.n)
    apart: Floats = np.divide([vx, vy], errors, out=np.full(2, np.inf), where=errors > 0)
    return apart


def _bounded(scale: float, spread: Floats, level: float) -> bool:
    return bool(scale**2 > NormalDist().inv_cdf(0.5 + level / 2) ** 2 * spread[1, 1])


def _fieller(c: float, scale: float, spread: Floats, level: float, reach: float) -> tuple[float, float]:
    """All r with (c - r scale)^2 <= reach^2 var(c - r scale); everything where the scale cannot be told from 0."""
    if not _bounded(scale, spread, level):
        return -1.0, 1.0
    z2 = reach**2
    square = scale**2 - z2 * spread[1, 1]
    middle = (c * scale - z2 * spread[0, 1]) / square
    root = np.sqrt(max(0.0, middle**2 - (c**2 - z2 * spread[0, 0]) / square))
    return middle - root, middle + root


def _no_variance(name: str) -> NoIntervalError:
    return NoIntervalError(
        "no_variance",
        "No correlation: the variance of {name!r} cannot be told from 0. Either all its values are the same, or there are too few answers "
        "for so much noise.",
        name=name,
    )


def regression(
    sums: Sums, outcome: Function, inputs: Mapping[str, Function], group: Function, title: str, where: Any, hidden: bool
) -> Estimate:
    """The normal equations of a group, from debiased sums; errors by the sandwich of the reports' residuals. `hidden` says whether any of
    the inputs is."""
    columns = [ONE, *inputs.values()]
    rows = [group * column for column in columns]
    k = len(columns)
    pairs = [(i, j) for i in range(k) for j in range(i, k)]
    functions = [*(rows[i] * columns[j] for i, j in pairs), *(row * outcome for row in rows)]
    weighted = sums(functions, lambda means: _regression_rows(means, pairs, k))
    totals = weighted.totals()
    check_group(totals[0], weighted.people, "regression", where)
    matrix, right = _equations(totals, pairs, k)
    still = _still(weighted, pairs, list(inputs))
    if still:
        raise NoIntervalError(
            "regression_still",
            "No regression on {on}: the spread of {still} cannot be told from 0. Either (nearly) everyone has the same value, or there "
            "are too few answers for so much noise. Leave it out.",
            on=list(inputs),
            still=still,
        )
    if _singular(matrix):
        raise NoIntervalError(
            "regression_singular",
            "No regression on {on}: their estimated moments leave the slopes open. Either one of them follows from the others, or there "
            "are too few answers for so much noise. Use fewer attributes.",
            on=list(inputs),
        )
    depend = _slopes_depend_on(matrix / weighted.people, right / weighted.people, pairs)
    each = depend @ weighted.values / weighted.people * weighted.stands_for * weighted.counts_as
    covariance, slopes = (each * weighted.n) @ each.T, np.linalg.solve(matrix, right)
    labels, n = ["intercept", *inputs], round(weighted.rows)
    middle, bias = _bias(weighted, depend)
    estimate = Estimate(
        slopes, labels, n=n, method="joint", target="population", covariance=covariance, name=title, limits=None,
        assumes=weighted.assumes,
    )  # fmt: skip
    if weighted.bounded is not None:
        estimate = bias_aware(
            slopes - middle, covariance, bias, labels, "population", title, None, n=n, assumes=_assumed(weighted)
        )
    return estimate.with_value(_careful_slopes(weighted, matrix, right) - middle) if hidden and k == 2 else estimate


def _equations(sums: Floats, pairs: list[tuple[int, int]], k: int) -> tuple[Floats, Floats]:
    """The matrix and the right side of the normal equations."""
    matrix = np.zeros((k, k))
    for value, (i, j) in zip(sums, pairs, strict=False):
        matrix[i, j] = matrix[j, i] = value
    return matrix, sums[len(pairs) :]


def _singular(matrix: Floats) -> bool:
    """Whether the inputs do not vary, or one follows from the others, up to rounding; or their moments are those of no data."""
    means = matrix[0, 1:] / matrix[0, 0]
    spread = matrix[1:, 1:] / matrix[0, 0] - np.outer(means, means)
    variances = np.diag(spread)
    if (variances <= 1e-12 * np.diag(matrix)[1:] / matrix[0, 0]).any():
        return True
    return bool(np.linalg.eigvalsh(spread / np.sqrt(np.outer(variances, variances))).min() < 1e-9)


def _careful_slopes(weighted: Weighted, matrix: Floats, right: Floats) -> Floats:
    """Intercept and slope of one input: a ratio, covariance to variance."""
    x, xx, y, xy = matrix[0, 1] / matrix[0, 0], matrix[1, 1] / matrix[0, 0], right[0] / matrix[0, 0], right[1] / matrix[0, 0]
    top, bottom = xy - x * y, xx - x**2
    # By (1, x, xx, y, xy) of one person, as the sums stand.
    rows = np.array([[x * y - top, -y, 0.0, -x, 1.0], [x**2 - bottom, -2 * x, 1.0, 0.0, 0.0]]) / matrix[0, 0]
    each = rows @ weighted.values * weighted.stands_for * weighted.counts_as
    spread = (each * weighted.n) @ each.T
    slope = _careful(top, bottom, spread, 2 * bottom**2 / weighted.rows)
    return np.array([y - slope * x, slope])


def _still(weighted: Weighted, pairs: list[tuple[int, int]], names: list[str]) -> list[str]:
    """The inputs whose variance cannot be told from 0: behind much noise slopes are otherwise anything."""
    still = []
    means = weighted.totals() / weighted.people
    size, reach = means[0], NormalDist().inv_cdf(0.5 + LEAST_LEVEL / 2)
    for i, name in enumerate(names, start=1):
        x, xx = means[pairs.index((0, i))] / size, means[pairs.index((i, i))] / size
        variance = xx - x**2
        row = np.zeros(len(means))
        row[[0, pairs.index((0, i)), pairs.index((i, i))]] = np.array([x**2 - variance, -2 * x, 1.0]) / size
        each = row @ weighted.values / weighted.people * weighted.stands_for * weighted.counts_as
        if variance <= reach * float(np.sqrt(each**2 @ weighted.n)):
            still.append(name)
    return still


def _slopes_depend_on(matrix: Floats, right: Floats, pairs: list[tuple[int, int]]) -> Floats:
    """d slopes = M^-1 (db - dM slopes), a row for each slope and a column for each sum."""
    inverse = np.linalg.inv(matrix)
    slopes = inverse @ right
    of_matrix = [-inverse[:, i] * slopes[j] - (inverse[:, j] * slopes[i] if i != j else 0.0) for i, j in pairs]
    return np.column_stack([*of_matrix, inverse])


def _regression_rows(means: Floats, pairs: list[tuple[int, int]], k: int) -> Floats | None:
    matrix, right = _equations(means, pairs, k)
    if means[0] <= 0 or _singular(matrix):
        return None
    # Slopes have different units: times the spread of their attribute they are all in units of the outcome.
    spread = np.sqrt(np.maximum(np.diag(matrix) / matrix[0, 0] - (matrix[0] / matrix[0, 0]) ** 2, 0.0))
    spread[0] = 1.0
    rows: Floats = spread[:, None] * _slopes_depend_on(matrix, right, pairs)
    return rows
