"""How many of the best-ranked rows meet a condition: their probabilities would say too many.

Rows are ranked by Bayes with shares that were estimated from the same reports. Reports that chance made look telling get higher
probabilities *and* come first, so the sum over a short list is too high (`python -m benchmarks.candidates`). So ranking and counting use
different rows: the rows are divided into parts, each part is ranked by shares that are estimated from the others, and how many of those
chosen in it meet the condition is estimated from its own reports without bias.

Suppose a row that reports z is listed with probability pi(z). Whoever has the truth x is then listed and counted with probability

    g(x) = sum over z of P(z | x) pi(z)   if x meets the condition, else 0,

and there are weights u(z) with sum over z of P(z | x) u(z) = g(x) for every x: the sum of u over the rows is right on average. Rows
err independently by u(z) - pi(z) (x meets the condition), whose mean is 0 for every truth; the mean of its square has weights, too.

Parts share most of the rows that rank them. Where the ranking hardly changes from part to part, the count is that of all rows at once, too
high if they were lucky; where it does, it is too low. That is right on average, but no sum of independent errors: what the count and the
sum of probabilities differ by is taken for an error besides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.statistics.conditions import Condition
from deniable.statistics.joint import Product
from deniable.statistics.likeliest_joint import LikeliestJoint

FOLDS = 20
"""Parts of the rows; each is ranked by the other 95%, nearly as well as by all."""
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
        for part in self._folds(size):
            others = self._counts - part
            chosen = listed
            if size < rows:
                # Begun near what all rows say, but not there: what is left out must be forgotten.
                start = 0.9 * self._fitted.shares + 0.1 / len(self._inside)
                shares = self._fitted.fit(others.astype(np.float64), start)
                chosen = inclusion(self._probability(shares), others, size * others.sum() / rows)
            weights, squares = self._weights(chosen)
            hits, variance, reached = hits + part @ weights, variance + part @ squares, reached + part @ chosen
        if reached <= 0:
            return Hits(float(self._counts @ (listed * probability)), float("nan"))
        # What the parts list differs a little from what was asked for.
        scale = size / reached
        # Of rows that are equal some are drawn, and who is drawn is chance.
        drawn = float(self._counts @ (listed * (1 - listed) * probability * (1 - probability)))
        expected = float(np.clip(hits * scale, 0.0, size))
        luck = expected - float(self._counts @ (listed * probability))
        return Hits(expected, float(np.sqrt(max(variance, 0.0) * scale**2 + drawn + luck**2)))

    def _probability(self, shares: Floats) -> Floats:
        each = [truth.posterior(shares, self._condition) for truth in self._fitted.truths]
        return np.nan_to_num(np.concatenate(each))

    def _folds(self, size: int) -> Iterator[Ints]:
        """Counts of the rows of each part, divided at random: by the same draw each time, so that a list says the same again."""
        left, rows = self._counts, int(self._counts.sum())
        if size >= rows:
            yield left
            return
        rng = np.random.default_rng(0)
        for ahead in range(min(FOLDS, rows), 0, -1):
            part = left if ahead == 1 else rng.multivariate_hypergeometric(left, int(left.sum()) // ahead, method="marginals")
            left = left - part
            yield part

    def _weights(self, listed: Floats) -> tuple[Floats, Floats]:
        """u(z), and the weights of the square of a row's error."""
        weights, squares = [], []
        start = 0
        for law in self._laws:
            chosen = listed[start : start + law.outputs]
            start += law.outputs
            of_hit = undone(law, law.pull(chosen) * self._inside)
            weights.append(of_hit)
            squares.append(of_hit**2 + undone(law, law.pull(chosen**2 - 2 * of_hit * chosen) * self._inside))
        return np.concatenate(weights), np.concatenate(squares)


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
