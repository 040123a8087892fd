"""Worlds that the reports do not refute: rows are resampled, and whatever is estimated from them is estimated again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

SMALLEST = 1e-300
FEWEST_FREE = 3.0
"""No fewer degrees of freedom than these: with 2 means of worlds have no variance."""
MODEL_COUNTS = 10.0
"""As how many people a model counts that says how much reports vary."""


class Worlds:
    """How much each row counts: once in the likeliest world, which is the first, and at random in the others (Rubin's bootstrap).

    `of_class` holds the unbiased weight of each class for each row, [row, class].
    """

    def __init__(self, of_class: Any, worlds: int, rng: np.random.Generator) -> None:
        self.of_class, self.rng = of_class, rng
        n = len(of_class)
        self._counts = np.concatenate([np.ones((1, n)), rng.standard_exponential((worlds, n))])
        shares = np.maximum(self._counts @ of_class, 0)
        self.prior = shares / np.maximum(shares.sum(axis=1, keepdims=True), SMALLEST)
        """The shares of the classes, [world, class]."""
        # So many rows tell how far means vary: of a class that is hidden many do, though they tell the mean itself badly.
        rows = np.maximum((of_class**2).sum(axis=0) ** 2 / np.maximum((of_class**4).sum(axis=0), SMALLEST), FEWEST_FREE + 1)
        self.longer = np.sqrt((rows + 1) / rng.chisquare(rows - 1, (worlds + 1, len(rows))))
        """How much further means are off than resampled rows have it, [world, class]: if rows are few they follow Student's law."""
        self.longer[0] = 0

    def __len__(self) -> int:
        return len(self._counts)

    def rows(self, y: int) -> Any:
        """The rows that may be of a class."""
        return np.flatnonzero(self.of_class[:, y])

    def weights(self, y: int) -> Any:
        """How much each of these rows counts among people of the class, [world, row]; they sum to 1."""
        rows = self.rows(y)
        weights = self._counts[:, rows] * self.of_class[rows, y]
        # A rare class that is well hidden may seem to have nobody.
        fewest = 0.2 * abs(float(self.of_class[:, y].sum())) + 1e-9
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), fewest)
        return weights[0] + self.longer[:, [y]] * (weights - weights[0])

    def error(self, y: int, values: Any) -> Any:
        """Standard errors of means over people of a class, of values [number, one of `rows(y)`]."""
        return np.sqrt((self._apart(y, values) ** 2).sum(axis=1))

    def covariance(self, y: int, values: Any) -> Any:
        """Their covariances, [number, number], with correlations as much smaller as they vary by chance (Schäfer and Strimmer 2005).

        Of more numbers than rows some sum would seem to be told without any error.
        """
        apart = self._apart(y, values)
        covariance = apart @ apart.T
        diagonal = covariance.diagonal()
        parts = apart / np.sqrt(np.maximum(diagonal, SMALLEST))[:, None]
        squares, between = (parts @ parts.T) ** 2, ~np.eye(len(parts), dtype=bool)
        varies = ((parts**2) @ (parts**2).T - squares / parts.shape[1])[between].sum()
        kept = 1 - np.clip(varies / max(squares[between].sum(), SMALLEST), 0, 1)
        return np.where(between, kept, 1.0) * covariance

    def variance(self, y: int, seen: Any, of_one: Any) -> Any:
        """Variances of means over people of a class, of which the rows show something and a model says how much single rows vary.

        Few people who by chance all report the same would seem to tell their mean without error, so the model counts as some more.
        """
        people = max(self.people(y), 1e-6)
        return np.maximum((people * seen + MODEL_COUNTS * of_one / people) / (people + MODEL_COUNTS), seen)

    def _apart(self, y: int, values: Any) -> Any:
        own = self.of_class[self.rows(y), y]
        total = max(abs(float(own.sum())), 1e-9)
        return own * (values - (values @ own / total)[:, None]) / total

    def people(self, y: int) -> float:
        """How many people of a class would tell as much as the rows do."""
        own = self.of_class[:, y]
        return float(max(own.sum(), 0.0) ** 2 / max((own**2).sum(), SMALLEST))

    def noise(self) -> Any:
        """A standard normal number for every world but the likeliest, which has 0."""
        drawn = self.rng.standard_normal(len(self))
        drawn[0] = 0
        return drawn

    def errors(self, variances: Any) -> Any:
        """Errors of such variances, each for itself, for every world but the likeliest, which has none, [world, number]."""
        drawn = np.sqrt(variances) * self.rng.standard_normal((len(self), len(variances)))
        drawn[0] = 0
        return drawn


@dataclass
class Outcomes:
    """How people of one class fare in each world."""

    predictions: Any
    """P(prediction | class), [world, prediction]."""
    loss: Any
    """The mean of -log P(class) that they are given, [world]."""
    weights: Any
    """How frequent each kind of outcome is, [world, kind]."""
    chances: Any
    """What P(class) each kind of outcome is given, in any unit that keeps the order, [world or 1, kind, class]."""


def shifted(shares: Any, y: int, more: Any) -> Any:
    """Shares of predictions, [world, prediction], with the right one more frequent by so much, at the cost of the others alike.

    Shares below 0 or above 1 stay: cut class by class their mean would be off.

    >>> shifted(np.array([[0.75, 0.25, 0.0]]), 0, np.array([-0.25])).tolist()
    [[0.5, 0.375, 0.125]]
    """
    others = np.arange(shares.shape[1]) != y
    return shares + np.asarray(more)[:, None] * np.where(others, -1 / max(others.sum(), 1), 1.0)


def possible(shares: Any, y: int) -> Any:
    """Shares of predictions, [world, prediction], brought back between 0 and 1: the right one first, the others share what it leaves.

    >>> possible(np.array([[1.25, -0.5, 0.25], [0.5, 0.75, -0.25], [-0.5, 0.5, 1.0], [0.5, -0.5, 0.0]]), 0).round(2).tolist()
    [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.33, 0.67], [0.5, 0.25, 0.25]]
    """
    inside = np.clip(shares, 0, 1)
    right = inside[:, y].copy()
    inside[inside.sum(axis=1) == right] = 1
    inside[:, y] = 0
    total = np.maximum(inside.sum(axis=1), SMALLEST)
    inside *= ((1 - right) / total)[:, None]
    inside[:, y] = right
    return inside
