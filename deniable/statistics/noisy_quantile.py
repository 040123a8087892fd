"""Quantiles behind noise: the interval holds every value v for which "a share q lies at or below v" is not refuted, bias included."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.core.caps import half_length
from deniable.core.domains.exact import Floats, Ints
from deniable.core.estimate import Estimate
from deniable.statistics.bounded import LEAST_RANDOMNESS, bias_range_of, seen_function
from deniable.statistics.functions import Function, factor
from deniable.statistics.parts import Parts
from deniable.statistics.quantile_tests import ONE_ERROR
from deniable.statistics.smoothed import SMOOTHED
from deniable.statistics.weighing import weigh
from deniable.statistics.weighted import Weighted, check_group

LOOKED_AT = 24
"""So many values are looked at, and then as many between those that could be the quantile."""
FAR_LEVEL = 0.9999
"""No level asks for values beyond an interval of this one."""


class _BiasedTests:
    """T(v) = share of the group at or below v, less q, in units of the people; with its errors and the range of its bias."""

    def __init__(self, parts: Parts, name: str, ranks: Ints, group: Function, q: float, shares: Floats | None) -> None:
        self._parts, self._name, self._ranks, self._group, self._q, self._shares = parts, name, ranks, group, q, shares
        self._known: dict[int, tuple[float, float, float]] = {}
        self.assumes: tuple[str, ...] = ()
        self.rows = 0

    def at(self, ranks: Ints) -> tuple[Floats, Floats, Floats]:
        """T less the middle of its bias, its largest bias and its standard error, at values by rank."""
        new = [int(rank) for rank in ranks if int(rank) not in self._known]
        if new:
            functions = [factor(self._name, (self._ranks <= rank).astype(np.float64) - self._q) * self._group for rank in new]
            weighted = weigh(self._parts, functions, lambda means: np.eye(len(new)))
            rows = np.eye(len(new))
            means = weighted.totals() / weighted.people
            low, high = bias_range_of(weighted, rows)
            spread = (weighted.values * weighted.stands_for) ** 2 @ weighted.n / weighted.people**2 - means**2 / weighted.rows
            if self._shares is not None:
                spread = np.maximum(spread - self._fixed(functions, weighted), LEAST_RANDOMNESS * spread)
            self.rows = round(weighted.rows)
            self.assumes = weighted.bounded.assumes if weighted.bounded is not None else self.assumes
            for i, rank in enumerate(new):
                self._known[rank] = (
                    means[i] - (low[i] + high[i]) / 2,
                    (high[i] - low[i]) / 2,
                    float(np.sqrt(max(spread[i], 1e-300))),
                )
        middle, bias, se = np.array([self._known[int(rank)] for rank in ranks]).reshape(-1, 3).T
        return middle, bias, se

    def _fixed(self, functions: list[Function], weighted: Weighted) -> Floats:
        """The part of the spread that is due to who the people are, by their smoothed shares: it is no error for the respondents."""
        assert self._shares is not None
        off = [()] * len(functions) if weighted.bounded is None else weighted.bounded.off[0]
        fixed = []
        for function, terms in zip(functions, off, strict=True):
            seen = seen_function(function, terms).by_code((self._name, len(self._ranks)))
            residual = seen - function.by_code((self._name, len(self._ranks)))
            fixed.append((self._variance(seen) - self._variance(residual)) / weighted.rows)
        return np.array(fixed)

    def _variance(self, values: Floats) -> float:
        assert self._shares is not None
        mean = float(self._shares @ values)
        return float(self._shares @ (values - mean) ** 2)

    def held(self, ranks: Ints, level: float | None) -> tuple[int, int]:
        """The places, among these values, of the first of which it is not refuted that enough lie at or below it, and of the last that
        not too many lie below; the last value of all always has everybody at or below it. Without a level: what bias alone leaves open."""
        middle, bias, se = self.at(ranks)
        reach = bias if level is None else half_length(bias, se, level)
        enough = np.append(middle + reach >= 0, True)
        not_too_many = np.append(True, middle - reach < 0)
        return int(np.flatnonzero(enough)[0]), int(np.flatnonzero(not_too_many)[-1])


def noisy_quantile(
    parts: Parts, of: tuple[str, Floats], q: float, among: tuple[Any, Function], title: str, target: str, smooth: Floats | None
) -> Estimate:
    """The quantile q of a numeric attribute (its name and numbers) among a group (words and function); `smooth` are the smoothed shares of
    its true codes, if the question is of everyone."""
    (name, numbers), (where, group) = of, among
    order = np.argsort(numbers, kind="stable")
    values = numbers[order]
    known = smooth if target == "respondents" else None
    tests = _BiasedTests(parts, name, np.argsort(order, kind="stable"), group, q, known)
    weighted = weigh(parts, [group], lambda means: np.eye(1))
    check_group(weighted.totals()[0], weighted.people, f"quantile of {name}", where)
    ranks = _looked_at(tests, len(values))

    def interval(level: float | None) -> tuple[Floats, Floats]:
        low, high = tests.held(ranks, level)
        ends = np.append(ranks, len(values) - 1)
        # Between two values that were looked at, one that was not may be the first.
        first = ends[low - 1] + 1 if low else 0
        return values[[first]], values[[ends[high]]]

    low, high = interval(ONE_ERROR)
    se = float(high[0] - low[0]) / 2
    middle = tests.at(ranks)[0]
    least, most = interval(None)
    point = _reached(ranks, middle, values)
    if smooth is not None:
        point = _read_off((smooth * group.by_code((name, len(values))))[order], values, q)
    return Estimate(
        [point], [name], n=tests.rows, method="bounded bias" if smooth is None else SMOOTHED, target=target,
        covariance=[[se**2]], name=title, limits=(float(values[0]), float(values[-1])), ends=interval, assumes=tests.assumes,
        bias=np.abs(most - least) / 2 if tests.assumes else None,
    )  # fmt: skip


def _looked_at(tests: _BiasedTests, size: int) -> Ints:
    """The ranks of the values to look at: all of a short domain; of a long one some, and more where the quantile may be."""
    last = size - 2
    if last < LOOKED_AT:
        return np.arange(last + 1)
    coarse = np.unique(np.linspace(0, last, LOOKED_AT).round().astype(np.int64))
    low, high = tests.held(coarse, FAR_LEVEL)
    ends = np.append(coarse, last)
    near = np.linspace(ends[max(low - 1, 0)], ends[min(high, len(ends) - 1)], LOOKED_AT).round().astype(np.int64)
    return np.unique(np.concatenate([coarse, near]))


def _reached(ranks: Ints, middle: Floats, values: Floats) -> float:
    """Where the share at or below, made rising, reaches q."""
    from scipy.optimize import isotonic_regression

    if not len(ranks):
        return float(values[0])
    place = int(np.searchsorted(isotonic_regression(middle).x, 0.0))
    return float(values[-1] if place == len(ranks) else values[ranks[place]])


def _read_off(shares: Floats, values: Floats, q: float) -> float:
    """The lowest value that a share q of the people does not exceed."""
    rising = np.cumsum(shares)
    return float(values[min(int(np.searchsorted(rising, q * rising[-1] - 1e-12)), len(values) - 1)])
