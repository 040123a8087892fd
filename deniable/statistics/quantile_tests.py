"""Quantiles by inverting tests: v is the quantile q of a group where the share of the group at or below v reaches q.

At every value v of the domain T(v) = sum of unbiased weights of (at or below v, and in the group) - q (in the group) has mean 0 if just a
share q lies at or below v. The point is where T, made rising (isotonic regression), reaches 0; the interval holds every value that
no test at its side refutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.laws import Law, Mixture
from deniable.core.domains.exact import Floats, Ints
from deniable.core.estimate import Estimate
from deniable.statistics.counted import Counted, counted_parts
from deniable.statistics.functions import Function, factor
from deniable.statistics.parts import Parts
from deniable.statistics.weighing import weigh
from deniable.statistics.weighted import check_group

CHUNK = 1 << 21
"""How many weights (thresholds times cells) are looked at at a time."""
COARSE = 200
"""On wide domains this many values are looked at first, and then all values near those that could be the quantile."""
FAR = 8.0
"""So many standard errors away a value is not looked at: no level asks for more."""
ONE_ERROR = 0.6826894921370859
"""The level of an interval that reaches one standard error to each side."""


class _Tests(NamedTuple):
    """T at some values in a row (never the last), and its standard error if the quantile were there."""

    ranks: Ints
    sums: Floats
    errors: Floats
    nothing: float
    """What is taken for 0: sums of many weights are not exact."""


def quantile_by_tests(
    parts: Parts, of: tuple[str, Floats], q: float, among: tuple[Any, Function], title: str, target: str
) -> Estimate:
    """The quantile q of a numeric attribute (its name and numbers) among a group (words and function)."""
    (name, numbers), (where, group) = of, among
    order = np.argsort(numbers, kind="stable")
    ranks, values = np.argsort(order, kind="stable"), numbers[order]
    counted = counted_parts(parts, list(dict.fromkeys([name, *group.attributes])))
    thresholds = _Thresholds(counted, name, ranks, group, q)
    check_group(thresholds.members(), thresholds.people, f"quantile of {name}", where)
    tests = thresholds.tests(target)
    assumes: tuple[str, ...] = ()
    if target == "population":
        middle = factor(name, (ranks <= _reached(tests)).astype(np.float64)) * group
        weighted = weigh(parts, [middle, group], lambda means: np.array([[1.0, -q]]), precisely=True)
        assumes = weighted.assumes
        if (weighted.counts_as != 1).any():
            thresholds.counts_as = [weighted.counts_as[weighted.part == i][:1] for i in range(len(counted))]
            tests = thresholds.tests(target)

    def interval(level: float) -> tuple[Floats, Floats]:
        low, high = _not_refuted(tests, NormalDist().inv_cdf(0.5 + level / 2))
        return values[[low]], values[[high]]

    low, high = interval(ONE_ERROR)
    se = float(high[0] - low[0]) / 2
    return Estimate(
        [values[_reached(tests)]], [name], n=round(sum(part.rows for part in counted)), method="joint", target=target,
        covariance=[[se**2]], name=title, limits=(float(values[0]), float(values[-1])), ends=interval, assumes=assumes,
    )  # fmt: skip


def side_by_side(each: Sequence[Estimate], qs: Sequence[float]) -> Estimate:
    """Several quantiles as one estimate, labelled by their q. How they vary together is not worked out: covariances are not numbers."""
    if len(each) == 1:
        return each[0]
    first, covariance = each[0], np.full((len(each), len(each)), np.nan)
    np.fill_diagonal(covariance, [float(one.se[0]) ** 2 for one in each])

    def interval(level: float) -> tuple[Floats, Floats]:
        low, high = (np.concatenate(ends) for ends in zip(*(one.interval(level) for one in each), strict=True))
        return low, high

    biases = [np.zeros(1) if one.bias is None else one.bias for one in each]
    return Estimate(
        np.concatenate([one.value for one in each]), list(qs), n=first.n, method=first.method, target=first.target, covariance=covariance,
        name=first.name, limits=first.limits, ends=interval, assumes=list(dict.fromkeys(words for one in each for words in one.assumes)),
        bias=None if all(one.bias is None for one in each) else np.concatenate(biases),
    )  # fmt: skip


def _reached(tests: _Tests) -> int:
    """Where the sums, made rising, reach 0. A running maximum would reach it too early wherever the sums vary."""
    from scipy.optimize import isotonic_regression

    if not len(tests.sums):
        return 0
    return int(tests.ranks[0] + np.searchsorted(isotonic_regression(tests.sums).x, -tests.nothing))


def _not_refuted(tests: _Tests, z: float) -> tuple[int, int]:
    """The first value of which it is not refuted that enough lie at or below it, and the last with not too many below it."""
    enough = np.append(tests.sums + z * tests.errors >= -tests.nothing, True)
    not_too_many = np.append(True, tests.sums - z * tests.errors < -tests.nothing)
    first = int(tests.ranks[0]) if len(tests.ranks) else 0
    return first + int(np.flatnonzero(enough)[0]), first + int(np.flatnonzero(not_too_many)[-1])


class _Thresholds:
    """The unbiased weights of being at or below each value, for the cells of every part."""

    def __init__(self, counted: Sequence[Counted], name: str, ranks: Ints, group: Function, q: float) -> None:
        self.counted, self.name, self.ranks, self.group, self.q = counted, name, ranks, group, q
        self.people = sum(float(part.n @ part.stands_for) for part in counted)
        self.counts_as: Sequence[Any] = [1.0] * len(counted)
        self._inside = [part.weights([group])[0] for part in counted]

    def members(self) -> float:
        """The estimated size of the group."""
        return sum(float(inside @ (part.n * part.stands_for)) for part, inside in zip(self.counted, self._inside, strict=True))

    def tests(self, target: str) -> _Tests:
        """T and its error at every value that could be the quantile, and the one before."""
        most = len(self.ranks) - 1
        if most <= 5 * COARSE:
            return self._tests(np.arange(most), target)
        coarse = self._tests(np.unique(np.linspace(0, most - 1, COARSE).astype(np.int64)), target)
        enough = np.append(coarse.sums + FAR * coarse.errors >= -coarse.nothing, True)
        not_too_many = np.append(True, coarse.sums - FAR * coarse.errors < -coarse.nothing)
        steps = np.append(coarse.ranks, most)
        first = int(steps[max(0, int(np.flatnonzero(enough)[0]) - 1)])
        last = int(steps[min(len(steps) - 1, int(np.flatnonzero(not_too_many)[-1]) + 1)])
        return self._tests(np.arange(first, last), target)

    def _tests(self, ranks: Ints, target: str) -> _Tests:
        cells = sum(len(part.n) for part in self.counted)
        step = max(1, CHUNK // max(cells, len(self.ranks)))
        n = np.concatenate([part.n for part in self.counted])
        each = np.concatenate([part.stands_for * counts for part, counts in zip(self.counted, self.counts_as, strict=True)])
        inside = np.concatenate(self._inside)
        sums, errors = [n[:0]], [n[:0]]
        for begin in range(0, len(ranks), step):
            below = np.concatenate([self._weights(part, ranks[begin : begin + step]) for part in self.counted], axis=1)
            tested = below - self.q * inside
            squares = tested**2
            if target == "respondents":
                # Only what exceeds the squares of the true residuals is due to the randomisation.
                squares -= (1 - 2 * self.q) * below + self.q**2 * inside
            sums.append(tested @ (n * each))
            errors.append(np.sqrt(self._variances(tested, squares, n * each**2, target)))
        return _Tests(ranks, np.concatenate(sums), np.concatenate(errors), 1e-9 * self.people)

    def _variances(self, tested: Floats, squares: Floats, n: Floats, target: str) -> Floats:
        """The variance of each T if its mean were 0: squares are taken to follow the tested weights linearly (as for shares)."""
        rows = n.sum()
        mean, square, both = tested @ n / rows, squares @ n / rows, np.einsum("ij,ij,j->i", tested, squares, n) / rows
        alone = (square if target == "population" else np.einsum("ij,ij,j->i", tested, tested, n) / rows) - mean**2
        slope = np.divide(both - mean * square, alone, out=np.zeros(len(mean)), where=alone > 1e-12)
        least = 0.0
        if target == "population":
            # Nobody knows more than the same number of direct answers would tell.
            least = self.q * (1 - self.q) * max(0.0, min(1.0, self.members() / self.people))
        variances: Floats = rows * np.maximum(square - slope * mean, least)
        variances[variances < 1e-12 * rows] = 0.0
        return variances

    def _weights(self, part: Counted, ranks: Ints) -> Floats:
        """The weights, on each cell of a part, of being in the group and at or below the values of these ranks."""
        [block] = [block for block in part.schema.blocks if self.name in block.attributes]
        if not isinstance(block.channel, Channel):
            functions = [factor(self.name, (self.ranks <= rank).astype(np.float64)) * self.group for rank in ranks]
            return part.weights(functions)
        total = np.zeros((len(ranks), len(part.n)))
        for coefficient, factors in self.group.terms:
            f = factors.get(self.name, np.ones(len(self.ranks)))
            others = Function([(coefficient, {name: f for name, f in factors.items() if name != self.name})])
            weights = self._weights_of_one(block.channel.law, f, ranks, part.codes[self.name])
            total += weights * part.weights([others])[0]
        return total

    def _weights_of_one(self, law: Law, f: Floats, ranks: Ints, codes: Ints) -> Floats:
        """The weights, at reported codes, of f(truth) where the truth is at or below the values of these ranks."""
        if not isinstance(law, Mixture) or not law.diagonal:
            below = (self.ranks[:, None] <= ranks) * f[:, None]
            return law.weights(below)[codes].T
        # Of a mixture (f(z) - (1 - theta) E_q f) / theta: a step at the report less one number for each rank.
        by_rank = np.empty(len(f))
        by_rank[self.ranks] = law.replacement * f
        weights = np.where(self.ranks[codes] <= ranks[:, None], f[codes] * (law.denominator / law.diagonal), 0.0)
        weights -= (np.cumsum(by_rank)[ranks] / law.diagonal)[:, None]
        return weights
