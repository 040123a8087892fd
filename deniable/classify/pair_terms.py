"""What pairs of hidden attributes change in a tree's shares: as a model of the rows has it, as reports tell it, and what to believe.

Reports tell the sum of all pairs badly, and of a few pairs, which often are the ones that matter, much better. So pairs are believed one by
one: each is an unknown of its own, and errors of reports, which pairs with an attribute in common share, are known with their covariances.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

MOST_PAIRS = 200
"""So many pairs, the largest, are believed one by one; the others are one more, together."""
MOST_ERROR = 1.5
"""A normal belief about a pair is no wider, in standard deviations of its terms: they hardly go further."""
LARGE = 0.1
"""Pairs whose terms vary at least so much of what those of the largest do speak for a belief or against it. A model may be right about
hundreds of small pairs and wrong about the few that decide."""
LEAST_ERROR, SMALLEST_CHANCE = 1e-4, 1e-300


@dataclass(frozen=True)
class Belief:
    """How far the model may be wrong about terms of hidden attributes, in standard deviations of the terms."""

    chance: float
    mean: float
    error: float

    def times(self, part: float) -> Belief:
        """The belief that the model is off by so many times as much."""
        return Belief(self.chance, part * self.mean, part * self.error)


@dataclass
class Believed:
    """What a belief makes of all pairs together."""

    off: Any
    """By how much the model is off, [world]."""
    doubt: float
    """How far that may still be wrong."""
    evidence: float
    """The log-likelihood of what reports say of the larger pairs, were the belief right."""


def products(factors: list[tuple[float, Any, bool]]) -> Iterator[tuple[tuple[int, int], Any]]:
    """The terms of two hidden attributes, by their places, of a product of factors (middle, deviation from it, hidden).

    >>> half = (0.5, np.array([0.5]), True)
    >>> [(places, term.tolist()) for places, term in products([half, half, half])]
    [((0, 1), [0.125]), ((0, 2), [0.125]), ((1, 2), [0.125])]
    """
    hidden = [i for i, factor in enumerate(factors) if factor[2]]
    open_: Any = 1.0
    for middle, apart, is_hidden in factors:
        if not is_hidden:
            open_ = open_ * (middle + apart)
    for u, v in combinations(hidden, 2):
        others = float(np.prod([factors[i][0] for i in hidden if i not in (u, v)]))
        yield (u, v), others * open_ * factors[u][1] * factors[v][1]


@dataclass
class PairTerms:
    """Of the right leaves of a class together, one number for each pair."""

    gaps: Any
    """What reports say beyond the model, [world, pair]."""
    sizes: Any
    """How large the terms are, as standard deviations, [pair]."""
    covariance: Any
    """Of the errors of what reports say, [pair, pair]."""

    def believed(self, beliefs: tuple[Belief, ...], rule: Belief) -> Believed:
        """By how much the model is off, all pairs together.

        `rule` has the chance that a pair is one of a rule if no other pair matters; of more pairs each has its part of it. What is
        believed of a pair by itself is exact; then all pairs are taken as normal, as their errors go together.

        >>> told = PairTerms(np.array([[0.2, 0.0]]), np.array([0.5, 0.5]), np.diag([0.0025, 0.25]))
        >>> found = told.believed((Belief(1.0, 0.0, 0.1),), Belief(0.0, 0.0, 1.0))
        >>> found.off.round(3).tolist(), round(found.doubt, 2)
        ([0.1], 0.06)
        """
        told, errors = self.gaps[0], np.maximum(self.covariance.diagonal(), (LEAST_ERROR * self.sizes) ** 2)
        chances, means, variances = self._each(beliefs, rule)
        seen = variances + errors
        logs = np.log(np.maximum(chances, SMALLEST_CHANCE) / np.sqrt(seen)) - (told - means) ** 2 / seen / 2
        alone = np.logaddexp.reduce(logs)
        likely = np.exp(logs - alone)
        each = means + variances / seen * (told - means)
        mean = (likely * each).sum(axis=0)
        variance = (likely * (variances * errors / seen + (each - mean) ** 2)).sum(axis=0)
        # The normal belief that would come to the same of this pair by itself.
        wide = 1 / np.maximum(1 / variance - 1 / errors, 1 / (MOST_ERROR * self.sizes) ** 2)
        mean = mean + (mean - told) * wide / errors
        unsaid = np.maximum(variance - errors * wide / (errors + wide), 0).sum()
        seen, gaps = self.covariance + np.diag(wide), self.gaps - mean
        trust = np.linalg.solve(seen, wide)
        doubt = np.sqrt((1 - trust) ** 2 @ wide + unsaid)
        # Pair by pair, and how much likelier or less likely they are together.
        large = np.flatnonzero(self.sizes**2 >= LARGE * (self.sizes**2).max())
        said, alone_seen = gaps[0, large], np.diag((errors + wide)[large])
        together = _normal(said, seen[np.ix_(large, large)]) - _normal(said, alone_seen)
        return Believed(mean.sum() + gaps @ trust, float(doubt), float(alone[large].sum()) + together)

    def _each(self, beliefs: tuple[Belief, ...], rule: Belief) -> tuple[Any, Any, Any]:
        """Chances, means and variances of what may be off, [belief, pair]."""
        part = rule.chance * self.sizes**2 / (self.sizes**2).sum()
        chances = np.array([*(belief.chance * (1 - part) for belief in beliefs), part])
        means, errors = np.array([(belief.mean, belief.error) for belief in (*beliefs, rule)]).T[:, :, None]
        return chances, means * self.sizes, (errors * self.sizes) ** 2


def _normal(gaps: Any, covariance: Any) -> float:
    """The log-density of a normal law at such a distance from its mean, but for a constant."""
    return float(-np.linalg.slogdet(covariance)[1] - gaps @ np.linalg.solve(covariance, gaps)) / 2


def chance_of_quiet(prior: float, evidence: float) -> float:
    """The chance that the model is nearly right about all pairs of a tree, by what the reports say for that and against it.

    That counts half, because errors of reports are neither normal nor known exactly.

    >>> chance_of_quiet(0.2, 0.0), round(chance_of_quiet(0.2, 6.0), 2), round(chance_of_quiet(0.2, -6.0), 2)
    (0.2, 0.83, 0.01)
    """
    return float(1 / (1 + (1 - prior) / prior * np.exp(np.clip(-evidence / 2, -700, 700))))
