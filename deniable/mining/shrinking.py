"""Supports from reports and from subsets together: each unbiased estimate is drawn toward what its subsets let one expect.

At high privacy the unbiased estimate of a long itemset is mostly noise, of known size, while its subsets are known far better and
nearly determine it. So, level by level (a small-area model in the manner of Fay and Herriot, fitted to all candidates of the level):

    expected = b1 * (support if any two items were independent given the others) + b2 * (support of the rarest subset)
    support  = expected + g * (unbiased - expected),      g = 1 - noise / spread

`noise` is the randomisation's part of the variance of the unbiased estimate, less what it shares with the expectation (both come from
the same reports); `spread` is the variance of their difference as seen over the level: c * expected^2 + f * variance. Where nothing
was distorted there is no noise, g = 1, and the support is the counted one. docs/mining.md has what else was tried, and the figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.mining.choices import Choice
from deniable.mining.counting import Sums

MOST_FITTED = 1 << 16
"""Candidates that the four coefficients of a level are fitted to; more would not change them."""
FEW = 30
"""With fewer candidates the coefficients of the level below are kept."""
PRIOR_SPREAD = 0.5
"""How far b1 and b2 are expected from 1 and 0 (standard deviation)."""
TINY = 1e-14
MULTIPLES = (0.3, 1.0, 3.0, 10.0, 100.0, 1000.0)
SHARES = (0.35, 0.40, 0.18, 0.05, 0.015, 0.005)


@dataclass(frozen=True)
class Fit:
    """The coefficients of one level."""

    independent: float = 1.0
    rarest: float = 0.0
    spread_expected: float = 1.0
    spread_noise: float = 1.0
    untold: float = 1.0  # how small a spread, relative to the squared expectation, the level could not have told from none


@dataclass
class _Known:
    """What the level above needs of the itemsets found: supports, their noise, the rows of their subsets, their errors."""

    support: Floats
    noise: Floats
    parents: Any
    error: Floats


class Shrunk(Choice):
    """Chooses the frequent candidates of level after level by their shrunk supports."""

    looks_at_levels = True

    def __init__(self, rows: int, limit: float, biased: Any = None) -> None:
        self._rows, self._limit = rows, limit
        self._biased = biased if biased is not None and biased.any() else None
        nothing = np.zeros((1, 0), np.int32)
        self._below = _Known(np.ones(1), np.zeros(1), nothing, np.zeros(1))
        self._two_below = self._below
        self._fit = Fit()
        self._new: list[_Known] = []

    def fit(self, itemsets: Any, parents: Any, sums: Sums) -> None:
        """Fit the coefficients to candidates of the level that begins."""
        if parents.shape[1] == 1 or len(parents) < FEW:
            return
        step = -(-len(parents) // MOST_FITTED)
        parents = np.ascontiguousarray(parents[::step])
        support, variance = self._unbiased(itemsets, sums)
        support, variance = support[::step], variance[::step]
        if variance.any():
            independent, least = self._ingredients(parents)
            self._fit = fitted(support, variance, independent, least, lambda value: self._shared(parents, value))

    def __call__(self, itemsets: Any, parents: Any, sums: Sums) -> tuple[Any, Floats, Floats]:
        """(which are frequent, their supports, the standard deviations of these) for some candidates of the level."""
        unbiased, variance = self._unbiased(itemsets, sums)
        if parents.shape[1] == 1 or not variance.any():
            support, weight, error = unbiased, np.ones(len(unbiased)), np.sqrt(variance)
        else:
            independent, least = self._ingredients(parents)
            expected = np.clip(self._fit.independent * independent + self._fit.rarest * least, TINY, least)
            noise = np.clip(variance - self._shared(parents, expected), 0.0, variance)
            weight, error = heavy_tailed(
                unbiased - expected, expected**2 * self._fit.spread_expected, variance, noise, self._fit.spread_noise
            )
            support = expected + weight * (unbiased - expected)
            # An expectation is no better known than the subsets it is made of.
            relative = self._below.error / self._below.support
            doubt = (relative[parents] ** 2).mean(axis=1) + self._fit.untold
            error = np.sqrt(np.maximum(error**2, np.minimum(expected**2 * doubt, variance)))
        # No share is below 0, above 1 or above that of a subset, whatever its noise; the empty set's is 1.
        support = np.clip(support, 0.0, self._below.support[parents].min(axis=1))
        frequent = support >= self._limit
        self._new.append(_Known(support[frequent], (weight * variance)[frequent], parents[frequent], error[frequent]))
        return frequent, support, error

    def finish(self) -> None:
        """The level is complete: it is the one below from now on."""
        new = self._new
        self._two_below, self._below = (
            self._below,
            _Known(
                np.concatenate([part.support for part in new]),
                np.concatenate([part.noise for part in new]),
                np.concatenate([part.parents for part in new]),
                np.concatenate([part.error for part in new]),
            ),
        )
        self._new = []

    def _unbiased(self, itemsets: Any, sums: Sums) -> tuple[Floats, Floats]:
        """The supports by their own reports and the variances that the randomisation gives them, or, where weights are biased, the most
        that it can give them: their whole variance.
        """
        less = sums.total
        if self._biased is not None:
            less = np.where(self._biased[itemsets].any(axis=1), sums.total**2 / self._rows, sums.total)
        return sums.total / self._rows, np.maximum(sums.second - less, 0.0) / self._rows**2

    def _ingredients(self, parents: Any) -> tuple[Floats, Floats]:
        from deniable.kernels.expected import expected_supports

        both: tuple[Floats, Floats] = expected_supports(
            parents, np.log(self._below.support), self._below.parents, np.log(self._two_below.support)
        )
        return both

    def _shared(self, parents: Any, expected: Floats) -> Floats:
        from deniable.kernels.expected import shared_noise

        below, two_below = self._below, self._two_below
        shared: Floats = shared_noise(
            parents, expected, below.support, below.noise, below.parents, two_below.support, two_below.noise
        )
        return shared


def heavy_tailed(off: Floats, spread: Floats, variance: Floats, noise: Floats, share: float) -> tuple[Floats, Floats]:
    """(weight of the unbiased estimate, error of the result) if most itemsets are as expected and a few are far from it.

    The spread is one of several multiples of the level's, with `SHARES` as prior probabilities: one that is many spreads off its
    expectation is taken for one of the few, and believed.

    Parameters
    ----------
    off
        Unbiased supports less expected ones.
    spread
        The level's variance of true supports around expected ones.
    variance, noise
        The variances of the unbiased supports, and the part of them that is not shared with the expectation.
    share
        How much of the variance the level was seen to have.
    """
    from deniable.kernels.expected import believed

    both: tuple[Floats, Floats] = believed(off, spread, variance, noise, share, np.array(MULTIPLES), np.array(SHARES))
    return both


def two_shares(first: Floats, second: Floats, whole: Floats) -> Floats:
    """The coefficients a, b >= 0 that make a * first + b * second closest to `whole` (least squares).

    >>> two_shares(np.array([1.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0]), np.array([2.0, 3.0, 5.0])).tolist()
    [2.0, 3.0]
    >>> two_shares(np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([2.0, -1.0])).tolist()
    [2.0, 0.0]
    """
    aa, bb, ab, ay, by = (
        _sum(a, b) for a, b in ((first, first), (second, second), (first, second), (first, whole), (second, whole))
    )
    determinant = aa * bb - ab**2
    if determinant > 1e-12 * aa * bb:
        a, b = (ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant
        if a >= 0 and b >= 0:
            return np.array([a, b])
    alone = max(float(ay / aa), 0.0) if aa > 0 else 0.0, max(float(by / bb), 0.0) if bb > 0 else 0.0
    # On the border of what is allowed the better of the two single fits is the answer.
    return np.array([alone[0], 0.0]) if alone[0] * ay >= alone[1] * by else np.array([0.0, alone[1]])


def _sum(a: Floats, b: Floats) -> float:
    # Not a @ b: BLAS would wake all processors for it, which costs more than the sum on a machine that has other work.
    return float(np.einsum("i,i->", a, b))


def fitted(support: Floats, variance: Floats, independent: Floats, least: Floats, shared: Any) -> Fit:
    """The coefficients that explain the unbiased supports of a level: weighted least squares with a weak prior, then moments.

    Parameters
    ----------
    support, variance
        The unbiased supports of a level and their variances.
    independent, least
        The supports if any two items were independent given the others, and those of the rarest subset.
    shared
        From expected supports to how much of the variance they share with the unbiased ones.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> independent = rng.uniform(0.05, 0.2, 5_000)
    >>> truth = 1.1 * independent * (1 + 0.1 * rng.standard_normal(5_000))
    >>> noise = np.full(5_000, 0.03**2)
    >>> fit = fitted(truth + 0.03 * rng.standard_normal(5_000), noise, independent, np.full(5_000, 0.5), lambda e: 0 * e)
    >>> round(fit.independent, 1), abs(fit.rarest) < 0.02, round(fit.spread_noise, 1)
    (1.1, True, 1.0)
    """
    ingredients = [independent, least]
    prior = np.eye(2) / PRIOR_SPREAD**2
    expected = independent
    spread = max(0.0, float(((support - expected) ** 2 - variance).sum() / (expected**2).sum()))
    coefficients = np.array([1.0, 0.0])
    for _ in range(10):
        weight = 1 / (variance + spread * expected**2 + TINY)
        weighted = [part * weight for part in ingredients]
        system = np.array([[_sum(a, b) for b in ingredients] for a in weighted]) + prior
        coefficients = np.linalg.solve(system, [_sum(a, support) for a in weighted] + prior @ np.array([1.0, 0.0]))
        expected = np.clip(coefficients[0] * independent + coefficients[1] * least, TINY, least)
        information = float((expected**4 * weight**2).sum())
        estimate = float((((support - expected) ** 2 - variance) * expected**2 * weight**2).sum()) / information
        # The spread is never taken for smaller than the level can tell.
        spread = max(estimate, (2 / information) ** 0.5)
    squares = (support - expected) ** 2
    noise = np.clip(variance - shared(expected), 0.0, variance)
    total = spread * expected**2 + variance
    both = np.array([spread, 1.0])
    for _ in range(3):
        weight = 1 / (total + TINY)
        both = two_shares(expected**2 * weight, variance * weight, squares * weight)
        total = np.maximum(both[0] * expected**2 + both[1] * variance, noise)
    return Fit(float(coefficients[0]), float(coefficients[1]), float(both[0]), float(both[1]), (2 / information) ** 0.5)
