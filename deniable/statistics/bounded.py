"""Answers from weights that are a little off for every truth: how far they may be off, and intervals that count it.

The weights of a function f estimate f + residual. What is asked depends on the means of functions by coefficients (`Gradient`), so its
bias is the mean over the people of one function of the truth. Its largest and smallest value over the class of truths (`Cap`) are known.
The estimate is put in the middle, and the interval is estimate +- critical value(largest bias / se) * se (Armstrong and Kolesar).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from deniable.core.caps import half_length
from deniable.core.channels.base import Channel
from deniable.core.channels.groups import Factors, joined
from deniable.core.domains.exact import Floats
from deniable.core.estimate import Estimate
from deniable.statistics.counted import Counted
from deniable.statistics.functions import Function, Residual
from deniable.statistics.weighted import Gradient, Weighted

MOST_GROUPS = 100
"""Up to this many labels of another attribute each one's people are looked at by themselves."""
LEAST_RANDOMNESS = 0.05
"""The randomisation is taken to make up at least this part of the spread of weights: less is chance in the estimate of the rest."""


class Bounded:
    """What the weights of several functions may be off by, in every part of a sample."""

    def __init__(
        self,
        weighted: Weighted,
        counted: Sequence[Counted],
        functions: Sequence[Function],
        off: Sequence[Sequence[Sequence[Residual]]],
        gradient: Gradient,
    ) -> None:
        self._weighted, self._counted, self._functions, self.off = weighted, counted, functions, off
        self._gradient = gradient
        self.means = weighted.totals() / weighted.people
        self._biases: dict[int, float] = {}

    @property
    def assumes(self) -> tuple[str, ...]:
        """The classes of truths, in words."""
        words = {
            self._counted[0].cap(name).words(name): None
            for of_part in self.off
            for terms in of_part
            for term in terms
            for name in term.residuals
        }
        return tuple(words)

    def bias_range(self, rows: Floats) -> tuple[Floats, Floats]:
        """The smallest and the largest bias of numbers that depend on the functions' means by these coefficients."""
        low, high = np.zeros(len(rows)), np.zeros(len(rows))
        for i, (part, off) in enumerate(zip(self._counted, self.off, strict=True)):
            inside = self._weighted.part == i
            each = self._weighted.n * self._weighted.stands_for * self._weighted.counts_as
            share = float(each[inside].sum()) / self._weighted.people
            least, most = _range_of(part, off, rows)
            low, high = low + share * least, high + share * most
        return low, high

    def bias_of(self, function: int) -> float:
        """How far the mean of one of the functions may be off."""
        if function not in self._biases:
            low, high = self.bias_range(np.eye(len(self._functions))[[function]])
            self._biases[function] = float(high[0] - low[0]) / 2
        return self._biases[function]

    @cached_property
    def _on_average(self) -> list[tuple[list[Function], list[Function]]]:
        """For each part what the weights of the functions are on average, given the truth, and by how much that is off."""
        averages = []
        for off in self.off:
            seen = [seen_function(function, terms) for function, terms in zip(self._functions, off, strict=True)]
            averages.append((seen, [one - function for one, function in zip(seen, self._functions, strict=True)]))
        return averages

    def randomness(self, rows: Floats) -> Floats:
        """The variance of what such numbers are off by if the people are fixed: that of the weights less that of what they are on average,
        and that of the residuals, since the class is one of the people that the respondents are drawn from."""
        variance = np.zeros(len(rows))
        for i, (part, (seen, apart)) in enumerate(zip(self._counted, self._on_average, strict=True)):
            inside = self._weighted.part == i
            each = self._weighted.n[inside] * (self._weighted.stands_for * self._weighted.counts_as)[inside] ** 2
            centre = rows @ self.means
            spread = (rows @ self._weighted.values[:, inside] - centre[:, None]) ** 2 @ each
            fixed = np.array([part.weights([_square(seen, row, c)])[0] @ each for row, c in zip(rows, centre, strict=True)])
            residual = np.array([part.weights([_square(apart, row, 0.0)])[0] @ each for row in rows])
            variance += np.maximum(spread - fixed, LEAST_RANDOMNESS * spread) + np.maximum(residual, 0.0)
        return variance / self._weighted.people**2

    def estimate(
        self,
        values: Any,
        errors: tuple[Floats, Floats],
        labels: Sequence[Any],
        target: str,
        title: str,
        limits: tuple[float, float] | None,
        scale: float,
        whole: int = 1,
    ) -> Estimate:
        """The estimate in the middle of what its bias may be, with bias-aware intervals; of shares each `whole` labels add up to 1."""
        rows = self._gradient(self.means)
        assert rows is not None  # groups that seem to be empty are refused before
        low, high = (scale * end for end in self.bias_range(rows))
        covariance = errors[0]
        if target == "respondents":
            covariance = np.diag(scale**2 * self.randomness(rows))
        value = np.asarray(values, dtype=np.float64) - (low + high) / 2
        estimate = bias_aware(
            value, covariance, (high - low) / 2, labels, target, title, limits, n=round(self._weighted.rows),
            assumes=(*self._weighted.assumes, *self.assumes),
        )  # fmt: skip
        if whole == 1:
            return estimate
        # Each share is in the middle of its own bias; together they must still be everybody. Intervals stay where they are.
        each = np.maximum(estimate.value, 0.0).reshape(-1, whole)
        together = estimate.with_value((each / np.maximum(each.sum(axis=1, keepdims=True), 1e-300)).reshape(-1))
        together.whole = whole
        return together


def bias_range_of(weighted: Weighted, rows: Floats) -> tuple[Floats, Floats]:
    """The range of the bias, 0 where all weights are unbiased."""
    nothing = np.zeros(len(rows))
    return (nothing, nothing) if weighted.bounded is None else weighted.bounded.bias_range(rows)


def bias_aware(
    value: Floats, covariance: Floats, bias: Floats, labels: Sequence[Any], target: str, title: str,
    limits: tuple[float, float] | None, *, n: int, assumes: Sequence[str],
) -> Estimate:  # fmt: skip
    """An estimate that may be off by `bias` besides its covariance; no value is beyond what is possible."""
    value = value if limits is None else np.clip(value, *limits)
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))

    def ends(level: float) -> tuple[Floats, Floats]:
        reach = half_length(bias, errors, level)
        return value - reach, value + reach

    return Estimate(
        value, labels, n=n, method="bounded bias", target=target, covariance=covariance, name=title, limits=limits, ends=ends,
        assumes=assumes, bias=bias,
    )  # fmt: skip


def _range_of(part: Counted, off: Sequence[Sequence[Residual]], rows: Floats) -> tuple[Floats, Floats]:
    """The range of the bias in one part."""
    low, high = np.zeros(len(rows)), np.zeros(len(rows))
    gathered: dict[str, dict[tuple[Any, ...], tuple[Factors, list[Floats], list[Floats]]]] = defaultdict(dict)
    for coefficients, terms in zip(rows.T, off, strict=True):
        for term in terms if coefficients.any() else ():
            if len(term.residuals) > 1:
                either = np.abs(term.coefficient * coefficients) * _crude(part, term)
                low, high = low - either, high + either
                continue
            [(name, residual)] = term.residuals.items()
            others = {a: f for a, f in term.factors.items() if a != name}
            key = tuple(sorted((a, f.tobytes()) for a, f in others.items()))
            _, residuals, times = gathered[name].setdefault(key, (others, [], []))
            residuals.append(residual)
            times.append(term.coefficient * coefficients)
    for name, terms_of_one in gathered.items():
        summed = [(others, np.array(residuals).T @ np.array(times)) for others, residuals, times in terms_of_one.values()]
        least, most = _range_of_one(part, name, summed)
        low, high = low + least, high + most
    return low, high


def _range_of_one(part: Counted, name: str, terms: list[tuple[Factors, Floats]]) -> tuple[Floats, Floats]:
    """The range of the mean of sum over terms of residual(truth of `name`) * product of others' factors."""
    cap = part.cap(name)
    attributes = {a for others, _ in terms for a in others}
    columns = terms[0][1].shape[1]
    low, high = np.zeros(columns), np.zeros(columns)
    if not attributes:
        return cap.ends(terms[0][1])
    if len(attributes) == 1 and part.schema[next(iter(attributes))].domain.size <= MOST_GROUPS:
        # The people of each label of the other attribute by themselves, or everyone of the label that is worst for their value.
        [other] = attributes
        labels = range(part.schema[other].domain.size)
        each = [np.sum([r * (others[other][i] if others else 1.0) for others, r in terms], axis=0) for i in labels]
        least, most = -cap.largest(-np.min(each, axis=0)), cap.largest(np.max(each, axis=0))
        if not _unbiased(part, other):
            return least, most
        for label, residual in zip(labels, each, strict=True):
            if residual.any():
                least_of, most_of = cap.ends(residual, part.share_range(other, label))
                low, high = low + least_of, high + most_of
        return np.maximum(low, least), np.minimum(high, most)
    for others, residual in terms:
        members = all(np.isin(f, (0.0, 1.0)).all() and _unbiased(part, a) for a, f in others.items())
        if members:
            sizes: Sequence[float] = part.mean_range(Function([(1.0, others)])) if others else (1.0,)
            least, most = cap.ends(residual, sizes)
            low, high = low + least, high + most
        else:
            either = float(np.prod([np.abs(f).max() for f in others.values()])) * cap.largest(np.abs(residual))
            low, high = low - either, high + either
    return low, high


def _unbiased(part: Counted, name: str) -> bool:
    """Whether every label's share is told without a bias: not behind noise."""
    [channel] = [block.channel for block in part.schema.blocks if name in block.attributes]
    if not isinstance(channel, Channel):
        return True
    law = channel.law.inner
    return law.lumpable


def _crude(part: Counted, term: Residual) -> float:
    """How far a product may be off of which several factors are: each in turn, times what the others reach at most."""
    reach = {a: float(np.abs(f).max()) for a, f in term.factors.items()}
    for a, r in term.residuals.items():
        reach[a] += float(np.abs(r).max())
    off = {a: float(part.cap(a).largest(np.abs(r))[0]) for a, r in term.residuals.items()}
    return sum(bias * float(np.prod([reach[a] for a in reach if a != name])) for name, bias in off.items())


def seen_function(function: Function, off: Sequence[Residual]) -> Function:
    """What the weights of a function are on average, given the truth."""
    residuals = {id(term.factors): term.residuals for term in off}
    return Function(
        [
            (coefficient, {a: f + residuals.get(id(factors), {}).get(a, 0.0) for a, f in factors.items()})
            for coefficient, factors in function.terms
        ]
    )


def _square(functions: Sequence[Function], row: Floats, centre: float) -> Function:
    """(sum of coefficient * function - centre)^2."""
    used = [(float(coefficient), function) for coefficient, function in zip(row, functions, strict=True) if coefficient]
    terms = Function(
        [(-centre, {}), *((c * times, factors) for c, function in used for times, factors in function.terms)]
    ).terms
    return Function(
        [
            (a * b * (1 if i == j else 2), joined(f, g))
            for i, (a, f) in enumerate(terms)
            for j, (b, g) in enumerate(terms)
            if i <= j
        ]
    )
