"""Growth rates: how many times as frequent a pattern is in a class as elsewhere, when that is infinite, and how well it is known.

A support that cannot be told from 0 is taken for 0 if the other one can be told from it (0 elsewhere: infinite growth; 0 in the class:
none). Where neither can, the estimates are all there is, and their ratio is taken: dropping such patterns would leave nothing to classify
by where answers are hidden well and rows are few. What a support is told from 0 by is the error that the *randomisation* makes,
`jump_errors` times: where nothing is distorted that error is 0, and a pattern jumps if nobody else has it. How many people were asked does
not matter here; it does for the intervals and p-values below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from deniable.classify.patterns.strata import Side, Strata
from deniable.core.domains.exact import Floats

HALVINGS = 60
NO_INTERVAL = "noise that blurs an attribute is undone only roughly, so that how often patterns with it occur is a guess"


def growth_rates(support: Floats, error: Floats, other: Floats, other_error: Floats, jump_errors: float) -> Floats:
    """The growth rates of patterns from their supports in the class and elsewhere.

    Parameters
    ----------
    support, error, other, other_error
        Both supports and the errors that the randomisation gives them.
    jump_errors
        From how many of these errors on a support is told from 0.

    Examples
    --------
    >>> growth_rates(np.array([0.2, 0.2, 0.2]), np.zeros(3), np.array([0.1, 0.0, 0.01]), np.array([0.0, 0.0, 0.02]), 1.96).tolist()
    [2.0, inf, inf]
    >>> growth_rates(np.array([0.25, 0.25]), np.array([0.2, 0.2]), np.array([0.125, 0.125]), np.array([0.2, 0.01]), 1.96).tolist()
    [2.0, 0.0]
    """
    is_zero, other_zero = support <= jump_errors * error, other <= jump_errors * other_error
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(other > 0, support / other, np.inf)
    rates = np.where(other_zero & ~is_zero, np.inf, ratio)
    return np.where((support <= 0) | (is_zero & ~other_zero), 0.0, rates)


def contributions(support: Floats, growth: Floats) -> Floats:
    """What a pattern adds to the score of a row that holds it: growth / (growth + 1) * support.

    >>> contributions(np.array([0.5, 0.5]), np.array([3.0, np.inf])).tolist()
    [0.375, 0.5]
    """
    return support * np.where(np.isinf(growth), 1.0, growth / (np.where(np.isinf(growth), 0.0, growth) + 1))


@dataclass(frozen=True)
class Precision:
    """How well the supports and growth rates of patterns are known, for the population that the rows are a sample of."""

    support_se: Floats
    support_low: Floats
    support_high: Floats
    growth_low: Floats
    growth_high: Floats


class Contrast:
    """One class against all others: intervals and tests of itemsets whose sums in every part are given.

    An open class of items that are kept or replaced is tested by scores (`kernels.growth_scores`); a hidden one, and items behind noise,
    by Fieller's test: support * (1 - share) - m * other * share is compared with its own error.
    """

    def __init__(self, strata: Strata, label: int, itemsets: Any, parts: Any) -> None:
        self._strata, self._label, self._itemsets, self._parts = strata, label, itemsets, parts
        self._own, self._other = strata.own[label], strata.other[label]
        self.biased = strata.table.biased[itemsets].any(axis=1)
        self._by_scores = strata.table.items.plain and not strata.hidden

    def p_values(self) -> Floats:
        """Of "no more frequent in the class than elsewhere", one-sided; 1 where there is no honest one."""
        from scipy.special import ndtr

        if not len(self._itemsets):
            return np.zeros(0)
        if self._by_scores:
            from deniable.kernels.growth_scores import growth_tests

            found = growth_tests(self._moments(self._own), self._moments(self._other), math.pi / 4)
        else:
            found = self._fieller()(np.full(len(self._itemsets), math.pi / 4))
        return np.where(self.biased, 1.0, ndtr(-found))

    def precision(self, level: float) -> Precision:
        """Standard errors, intervals of the supports in the class, and of the growth rates."""
        z = NormalDist().inv_cdf(0.5 + level / 2)
        n, sums = self._own.size, self._own.sums(self._parts)
        mean = sums.total / n
        variance = np.maximum(sums.second / n - mean**2, 0.0) / n
        if self._strata.hidden:
            # The size of the class is estimated, too.
            variance = self._ratio_variance(mean)
        low, high = self._support_ends(mean, variance, z)
        if self._by_scores:
            from deniable.kernels.growth_scores import growth_ends

            ends = growth_ends(self._moments(self._own), self._moments(self._other), z)
        else:
            ends = self._fieller_ends(z)
        hidden = self.biased
        columns = (np.sqrt(variance), np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0), *ends)
        return Precision(*(np.where(hidden, np.nan, column) for column in columns))

    def _support_ends(self, mean: Floats, variance: Floats, z: float) -> tuple[Floats, Floats]:
        """Score intervals, as those of mining; Wilson's where nothing is distorted."""
        if self._by_scores and len(mean):
            from deniable.kernels.support_scores import support_ends

            items, sums = self._strata.table.items, self._own.sums(self._parts)
            return support_ends(
                sums.total, sums.second, sums.third, self._itemsets, items.second_given, items.second_otherwise,
                int(self._own.size), z**2, False,
            )  # fmt: skip
        reach = z * np.sqrt(variance)
        return mean - reach, mean + reach

    def _moments(self, side: Side) -> Any:
        """For each pattern: mean, mean square, how that changes with the support, E[w^2 | all true], the least otherwise, rows."""
        items, sums, n = self._strata.table.items, side.sums(self._parts), max(side.size, 1.0)
        assert sums.third is not None
        v, second, third = sums.total / n, sums.second / n, sums.third / n
        alone = second - v**2
        seen = alone > 1e-12 * np.maximum(second, 1e-300)
        slope = np.where(seen, (third - second * v) / np.where(seen, alone, 1.0), 0.0)
        true, false = items.second_given[self._itemsets], items.second_otherwise[self._itemsets]
        given, least = true.prod(axis=1), np.minimum(true, false).prod(axis=1)
        least = np.where(least == given, least * (false / true).min(axis=1), least)
        return np.ascontiguousarray(np.stack([v, second, slope, given, least, np.full(len(v), n)], axis=1))

    def _ratio_variance(self, mean: Floats) -> Any:
        """Var of (sum of u w) / (sum of u): the mean square of u (w - mean)."""
        u, parts, n = self._own.weights, self._parts, self._strata.n
        squares = parts[:, :, 1] - 2 * mean[:, None] * parts[:, :, 0] + mean[:, None] ** 2 * n
        return np.maximum(squares @ u**2, 0.0) / self._own.size**2

    def _fieller(self) -> Any:
        """The test as a function of the angle: linear in each row's weights, so its variance is a quadratic form of (cos, sin)."""
        u, n, parts = self._own.weights, self._strata.n, self._parts
        everyone = n.sum()
        share = float(np.clip(self._own.size / everyone, 1 / everyone, 1 - 1 / everyone))
        a, b = (side.sums(parts).total / everyone for side in (self._own, self._other))
        # Each row adds (alpha w + beta) cos - (gamma w + delta) sin; the last of each pair is what the share of the class does.
        alpha, gamma = (1 - share) * u, share * (1 - u)
        beta, delta = -a[:, None] * u, b[:, None] * u

        def mean_product(f: Any, g: Any, h: Any, k: Any) -> Any:
            """The mean over rows of (f w + g) (h w + k)."""
            total = f * h * parts[:, :, 1] + (f * k + g * h) * parts[:, :, 0] + g * k * n
            return total.sum(axis=1) / everyone

        nothing, one = np.zeros_like(u), np.ones_like(u)
        first = mean_product(alpha, beta, nothing, one)
        second = mean_product(gamma, delta, nothing, one)
        v00 = np.maximum(mean_product(alpha, beta, alpha, beta) - first**2, 0.0)
        v11 = np.maximum(mean_product(gamma, delta, gamma, delta) - second**2, 0.0)
        v01 = mean_product(alpha, beta, gamma, delta) - first * second
        # Hidden answers never say more than as many open ones would.
        # Where a hidden class seems to have nobody, one person stands for it.
        sizes = [max(side.size, 1.0) for side in (self._own, self._other)]
        own_share, other_share = (
            np.clip(total * everyone / size, 1 / size, 1.0) for total, size in zip((a, b), sizes, strict=True)
        )
        v00 = np.maximum(v00, (1 - share) ** 2 * share * own_share * (1 - own_share))
        v11 = np.maximum(v11, share**2 * (1 - share) * other_share * (1 - other_share))
        top, bottom = (1 - share) * np.maximum(a, 0.0), share * np.maximum(b, 0.0)

        def test(angle: Floats) -> Floats:
            up, across = np.sin(angle), np.cos(angle)
            variance = (across**2 * v00 - 2 * up * across * v01 + up**2 * v11) / everyone
            found: Floats = (across * top - up * bottom) / np.sqrt(np.maximum(variance, 1e-300))
            return found

        return test

    def _fieller_ends(self, z: float) -> tuple[Floats, Floats]:
        test = self._fieller()
        ends = []
        for limit in (z, -z):
            low, high = np.zeros(len(self._itemsets)), np.full(len(self._itemsets), math.pi / 2)
            at_zero, at_infinity = test(low) <= limit, test(high) >= limit
            for _ in range(HALVINGS):
                middle = (low + high) / 2
                above = test(middle) > limit
                low, high = np.where(above, middle, low), np.where(above, high, middle)
            ends.append(np.where(at_zero, 0.0, np.where(at_infinity, np.inf, np.tan((low + high) / 2))))
        return ends[0], ends[1]
