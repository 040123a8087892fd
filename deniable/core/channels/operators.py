"""What every estimator needs of a channel: push, pull and weights, whatever stands behind them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from deniable.core.channels.solving import DENSE_LIMIT, solve_dense, solve_operator
from deniable.core.domains.exact import Floats


class Operator(ABC):
    """P(reported | true) as a linear map; rows are true values."""

    inputs: int
    outputs: int

    @abstractmethod
    def dense(self) -> Floats:
        """P as a dense matrix of floats."""

    @abstractmethod
    def push(self, p: Floats) -> Floats:
        """From a distribution of true codes to that of reported codes: p P."""

    @abstractmethod
    def pull(self, v: Floats) -> Floats:
        """From a value per reported code to its expectation given each true code: P v."""

    def weights(self, f: Floats, reported: Floats | None = None) -> Floats:
        """w with P w = f (f: a vector, or a matrix of columns); the least-variance one where there are many.

        Variance is judged under the distribution `reported`, by default that of uniformly distributed truths.
        """
        if self.inputs <= DENSE_LIMIT:
            spread = self.push(np.full(self.inputs, 1 / self.inputs)) if reported is None else reported
            return solve_dense(self.dense(), f, spread)
        return solve_operator(self.pull, self.push, self.inputs, self.outputs, f)

    def keep_and_replacement(self) -> tuple[float, Floats] | None:
        """keep and b where P = keep I + 1 b^T: answers are kept or replaced, whatever they are. None where P is not known to be that."""
        return None

    @property
    def tells_means_only(self) -> bool:
        """Whether it is built so that reports tell means of numbers, and no shares (`windows.py`)."""
        return False

    @cached_property
    def inverse(self) -> Floats:
        """Column j holds, for each report, the unbiased weight of "the truth is j"."""
        return self.weights(np.eye(self.inputs))

    @cached_property
    def condition_number(self) -> float:
        """Largest over smallest singular value of P: how much the worst direction of error is magnified."""
        if self.outputs < self.inputs:
            return math.inf  # some direction of truths leaves no trace at all
        singular = np.linalg.svd(self.dense(), compute_uv=False)
        return float(singular[0] / singular[-1]) if singular[-1] > singular[0] * 1e-15 else math.inf


class FloatTable(Operator):
    """A dense matrix in floating point (a channel between bins): good for estimating, never for drawing.

    >>> FloatTable(np.array([[0.9, 0.1], [0.2, 0.8]])).push(np.array([0.5, 0.5])).tolist()
    [0.55, 0.45]
    """

    def __init__(self, matrix: Floats) -> None:
        self._floats = matrix
        self.inputs, self.outputs = matrix.shape

    def dense(self) -> Floats:
        return self._floats.copy()

    def push(self, p: Floats) -> Floats:
        return p @ self._floats

    def pull(self, v: Floats) -> Floats:
        return self._floats @ v


class FloatMixture(FloatTable):
    """Answers kept with probability `keep`, else replaced: keep I + 1 replacement^T.

    >>> FloatMixture(0.5, np.array([0.25, 0.25])).dense().tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """

    def __init__(self, keep: float, replacement: Floats) -> None:
        super().__init__(keep * np.eye(len(replacement)) + replacement)
        self._keep, self._replacement = keep, replacement

    def keep_and_replacement(self) -> tuple[float, Floats]:
        return self._keep, self._replacement
