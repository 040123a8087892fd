"""How many of the best-ranked rows meet a condition: their probabilities would say too many.

Rows are ranked by Bayes with shares that were estimated from the same reports. Reports that chance made look telling get higher
probabilities *and* come first, so the sum over a short list is too high (`python -m benchmarks.candidates`). So ranking and counting use
different rows: the rows are divided into halves, each half is ranked by shares that are estimated from the other, and how many of those
chosen in it meet the condition is estimated from its own reports without bias. Smaller parts, ranked by more rows, were measured too: the
mean is the same, but the parts' rankings then share most rows, and the count varies nearly twice as much.

Suppose a row that reports z is listed with probability pi(z). A person with the truth x is then listed and counted with probability

    g(x) = sum over z of P(z | x) pi(z)   if x meets the condition, else 0,

and there are weights u(z) with sum over z of P(z | x) u(z) = g(x) for every x: the sum of u over the rows is right on average. Rows
err independently by u(z) - pi(z) (x meets the condition), whose mean is 0 for every truth; its variance follows from the fitted shares.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.statistics.conditions import Condition
from deniable.statistics.joint import Product
from deniable.statistics.likeliest_joint import LikeliestJoint

DIVISIONS = 5
"""How often the rows are divided anew: one division alone adds chance of its own."""
SAME = 12
"""Probabilities that agree to this many decimal places are equal; what differs beyond is rounding."""


class Hits(NamedTuple):
    """How many of a list meet the condition, and the standard error of that: of the estimate and of chance in the list itself."""

    expected: float
    se: float


class ListedHits:
    """Counts hits in lists of any length of one ranking."""

    def __init__(self, fitted: LikeliestJoint, condition: Condition) -> None:
        self._fitted, self._condition = fitted, condition
        self._inside: Floats = fitted.truth.cells_that_meet(condition).astype(np.float64)
        self._laws = [truth.law for truth in fitted.truths]
        self._counts = np.concatenate(fitted.counts).astype(np.int64)
        self._known: dict[int, Hits] = {}

    def of(self, size: int) -> Hits:
        """Those among the best `size` rows."""
        if size not in self._known:
            self._known[size] = self._estimated(size)
        return self._known[size]

    def _estimated(self, size: int) -> Hits:
        rows = int(self._counts.sum())
        probability = self._probability(self._fitted.shares)
        listed = inclusion(probability, self._counts, size)
        hits = variance = reached = 0.0
        for half in self._halves(size):
            others = self._counts - half
            chosen, shares = listed, self._fitted.shares
            if size < rows:
                # Begun near what all rows say, but not there: what is left out must be forgotten.
                shares = self._fitted.fit(others.astype(np.float64), 0.9 * shares + 0.1 / len(shares))
                chosen = inclusion(self._probability(shares), others, size * others.sum() / rows)
            weights, square = self._weights(chosen, half)
            hits += float(half @ weights)
            variance += square
            reached += float(half @ chosen)
        if reached <= 0:
            return Hits(float(self._counts @ (listed * probability)), float("nan"))
        # Each division counts all rows once; what it lists differs a little from what was asked for.
        scale = size / reached
        divisions = 1 if size >= rows else DIVISIONS
        # Of rows that are equal some are drawn, and who is drawn is chance.
        drawn = float(self._counts @ (listed * (1 - listed) * probability * (1 - probability)))
        return Hits(float(np.clip(hits * scale, 0.0, size)), float(np.sqrt(divisions * variance * scale**2 + drawn)))

    def _probability(self, shares: Floats) -> Floats:
        each = [truth.posterior(shares, self._condition) for truth in self._fitted.truths]
        return np.nan_to_num(np.concatenate(each))

    def _halves(self, size: int) -> Iterator[Ints]:
        """Counts of the rows of each half, divided at random: by the same draws each time, so that a list says the same again."""
        rows = int(self._counts.sum())
        if size >= rows:
            yield self._counts
            return
        rng = np.random.default_rng(0)
        for _ in range(DIVISIONS):
            half = rng.multivariate_hypergeometric(self._counts, rows // 2, method="marginals")
            yield half
            yield self._counts - half

    def _weights(self, listed: Floats, half: Ints) -> tuple[Floats, float]:
        """u(z), and the variance of their sum over a half less the hits in it, if the shares of the truths are the fitted ones."""
        weights, variance = [], 0.0
        start = 0
        for law in self._laws:
            here = slice(start, start + law.outputs)
            start += law.outputs
            chosen = listed[here]
            of_hit = undone(law, law.pull(chosen) * self._inside)
            weights.append(of_hit)
            square = law.pull(of_hit**2) + self._inside * law.pull(chosen**2 - 2 * of_hit * chosen)
            variance += float(half[here].sum() * (self._fitted.shares @ square))
        return np.concatenate(weights), max(variance, 0.0)


def undone(law: Product, g: Floats) -> Floats:
    """u with sum over reports z of P(z | x) u(z) = g(x) for every truth x, the shortest of them if there are several.

    >>> undone(Product([np.array([[0.8, 0.2], [0.2, 0.8]])]), np.array([0.0, 1.0])).round(4).tolist()
    [-0.3333, 1.3333]
    """
    tensor = g.reshape([len(matrix) for matrix in law.matrices])
    for matrix in law.matrices:
        tensor = np.tensordot(tensor, np.linalg.pinv(matrix), axes=(0, 1))
    return tensor.reshape(-1)


def inclusion(probability: Floats, counts: Sequence[int] | Ints, size: float) -> Floats:
    """Which share of the rows of each joint report is listed, if the best `size` rows are; equal ones are drawn from.

    >>> inclusion(np.array([0.2, 0.9, 0.9, 0.5]), np.array([10, 2, 2, 8]), 6).tolist()
    [0.0, 1.0, 1.0, 0.25]
    """
    _, group = np.unique(-np.round(probability, SAME), return_inverse=True)
    sizes = np.bincount(group, weights=counts)
    before = np.cumsum(sizes) - sizes
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(sizes > 0, np.clip((size - before) / sizes, 0.0, 1.0), (before < size).astype(np.float64))
    return np.asarray(share[group], dtype=np.float64)
