"""The coefficients that explain the unbiased supports of a level by what their subsets let one expect (`mining.shrinking`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled
from deniable.kernels.expected import TINY

# Sums in any order, so that processors may add several at a time.
summing = {"reassoc", "nsz", "contract"}
ROUNDS = 10
SETTLED = 1e-14
"""Once a round changes nothing beyond this (relative), the rest of them would not either."""


@compiled(fastmath=summing, error_model="numpy")
def _weighted_squares(
    support: Any, variance: Any, independent: Any, least: Any, expected: Any, spread: float, weight: Any
) -> Any:
    """The weights 1 / (variance + spread expected^2), and the five sums of least squares with them."""
    aa = ab = bb = ay = by = 0.0
    for c in range(support.size):
        w = 1 / (variance[c] + spread * expected[c] * expected[c] + TINY)
        weight[c] = w
        a, b = independent[c] * w, least[c] * w
        aa += a * independent[c]
        ab += a * least[c]
        bb += b * least[c]
        ay += a * support[c]
        by += b * support[c]
    return aa, ab, bb, ay, by


@compiled(fastmath=summing, error_model="numpy")
def _expect(first: float, second: float, independent: Any, least: Any, expected: Any) -> None:
    for c in range(expected.size):
        expected[c] = min(max(first * independent[c] + second * least[c], TINY), least[c])


@compiled(fastmath=summing, error_model="numpy")
def _spread_told(support: Any, variance: Any, expected: Any, weight: Any) -> Any:
    """(estimate of the spread relative to squared expectations, how much the level tells about it)."""
    information = told = 0.0
    for c in range(support.size):
        square = expected[c] * expected[c]
        off = support[c] - expected[c]
        share = square * weight[c] * weight[c]
        information += square * share
        told += (off * off - variance[c]) * share
    return told / information, information


@compiled(fastmath=summing, error_model="numpy")
def _first_spread(support: Any, variance: Any, expected: Any) -> float:
    off = squares = 0.0
    for c in range(support.size):
        distance = support[c] - expected[c]
        off += distance * distance - variance[c]
        squares += expected[c] * expected[c]
    return max(0.0, off / squares)


@compiled(error_model="numpy")
def _solved(aa: float, ab: float, bb: float, ay: float, by: float) -> Any:
    """The two unknowns of a symmetric system, by elimination from the larger row."""
    if abs(aa) >= abs(ab):
        factor = ab / aa
        second = (by - factor * ay) / (bb - factor * ab)
        return (ay - ab * second) / aa, second
    factor = aa / ab
    second = (ay - factor * by) / (ab - factor * bb)
    return (by - bb * second) / ab, second


@compiled(fastmath=summing, error_model="numpy")
def _moments(support: Any, variance: Any, expected: Any, shared: Any, spread: float, share: float, floored: bool) -> Any:
    """The five sums of least squares of squared distances on squared expectations and variances, each relative to its spread."""
    aa = ab = bb = ay = by = 0.0
    for c in range(support.size):
        square = expected[c] * expected[c]
        total = spread * square + share * variance[c]
        if floored:
            total = max(total, min(max(variance[c] - square * shared[c], 0.0), variance[c]))
        w = 1 / (total + TINY)
        a, b = square * w, variance[c] * w
        off = support[c] - expected[c]
        y = off * off * w
        aa += a * a
        ab += a * b
        bb += b * b
        ay += a * y
        by += b * y
    return aa, ab, bb, ay, by


@compiled(error_model="numpy")
def two_shares(aa: float, ab: float, bb: float, ay: float, by: float) -> Any:
    """The coefficients x, y >= 0 that make x a + y b closest to a third vector (least squares), from the products of the three."""
    determinant = aa * bb - ab**2
    if determinant > 1e-12 * aa * bb:
        x, y = (ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant
        if x >= 0 and y >= 0:
            return x, y
    x = max(ay / aa, 0.0) if aa > 0 else 0.0
    y = max(by / bb, 0.0) if bb > 0 else 0.0
    # On the border of what is allowed the better of the two single fits is the answer.
    return (x, 0.0) if x * ay >= y * by else (0.0, y)


@compiled(error_model="numpy")
def fit_level(own: Any, expected: Any, prior: float) -> Any:
    """(coefficient of the independent support, of the rarest subset's, spread relative to the squared expectation, share of the variance,
    smallest spread that could be told): weighted least squares with a weak prior, then moments.

    `own` and `expected` are as `kernels.expected.own_estimates` and `expectations` give them; `prior` is the weight of the prior
    belief that the coefficients are 1 and 0.
    """
    support, variance = own[0], own[1]
    independent, least, shared = expected[0], expected[1], expected[2]
    value = independent.copy()
    weight = np.empty(support.size)
    spread = _first_spread(support, variance, value)
    first, second, information = 1.0, 0.0, 1.0
    for _ in range(ROUNDS):
        aa, ab, bb, ay, by = _weighted_squares(support, variance, independent, least, value, spread, weight)
        before = first, second, spread
        first, second = _solved(aa + prior, ab, bb + prior, ay + prior, by)
        _expect(first, second, independent, least, value)
        estimate, information = _spread_told(support, variance, value, weight)
        # The spread is never taken for smaller than the level can tell.
        spread = max(estimate, np.sqrt(2 / information))
        moved = max(abs(first - before[0]), abs(second - before[1]))
        if moved <= SETTLED * max(abs(first), abs(second)) and abs(spread - before[2]) <= SETTLED * spread:
            break
    a, b = spread, 1.0
    for k in range(3):
        a, b = two_shares(*_moments(support, variance, value, shared, a, b, k > 0))
    return first, second, a, b, np.sqrt(2 / information)
