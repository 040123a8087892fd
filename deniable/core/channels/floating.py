"""Laws in floating point, of channels without a grid: for simulation and for data that others distorted. They protect nobody.

FloatIdentity    the truth as it is
FloatRetention   the truth, or a draw from a density in pieces
FloatNoise       the truth plus noise
FloatScale       the truth times 1 + noise
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from deniable.core.channels.noise import Noise
from deniable.core.channels.operators import FloatMixture, FloatTable, Operator
from deniable.core.channels.sampling import ByteSource, unit_interval
from deniable.core.domains.bins import Bins
from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import Floats
from deniable.core.domains.grids import Integer
from deniable.errors import ParameterError


class FloatLaw(ABC):
    """What can be said of a channel without a table of labels: how a report is drawn, and P between bins.

    Whatever else is asked of it (a matrix, weights, a denominator) is refused with the way out.
    """

    lumpable: bool = False
    tells_means_only: bool = False
    bounded: bool = True
    """Whether no report lies beyond the ends of the reported domain."""
    epsilon = math.inf
    """No guarantee is given: the low bits of floating-point numbers leak."""

    def __init__(self, owner: str) -> None:
        self._owner = owner

    @property
    def inner(self) -> FloatLaw:
        """The law of those who answer: all do."""
        return self

    @abstractmethod
    def draw(self, truth: Floats, source: ByteSource) -> Floats:
        """One report per truth."""

    @abstractmethod
    def between(self, true: Bins, reported: Bins) -> Operator:
        """The law between bins of truths and bins of reports, truths spread uniformly inside a bin."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ParameterError(
            "no_table",
            "{owner} works in floating point and has no table of labels; give bins (channel.binned, counts(..., bins=)), or "
            "give the domain a step.",
            owner=self._owner,
        )


class FloatIdentity(FloatLaw):
    """Reports are truths."""

    lumpable = True

    def draw(self, truth: Floats, source: ByteSource) -> Floats:
        return truth

    def between(self, true: Bins, reported: Bins) -> Operator:
        return FloatMixture(1.0, np.zeros(len(true)))


class FloatRetention(FloatLaw):
    """The truth with probability `keep`, else a draw from the density that has these shares between these edges, whatever was true."""

    lumpable = True

    def __init__(self, owner: str, keep: float, edges: Floats, shares: Floats) -> None:
        super().__init__(owner)
        self.keep = keep
        self._edges = edges
        self._below = np.concatenate([[0.0], np.cumsum(shares)])

    def draw(self, truth: Floats, source: ByteSource) -> Floats:
        keep = unit_interval(len(truth), source) < self.keep
        replaced = np.interp(unit_interval(len(truth), source), self._below, self._edges)
        return np.where(keep, truth, replaced)

    def between(self, true: Bins, reported: Bins) -> Operator:
        mass = np.diff(np.interp(true.floats, self._edges, self._below))
        return FloatMixture(self.keep, (1 - self.keep) * mass)


class FloatNoise(FloatLaw):
    """The truth plus noise."""

    def __init__(self, owner: str, noise: Noise) -> None:
        super().__init__(owner)
        self.noise, self.bounded = noise, noise.bounded

    def draw(self, truth: Floats, source: ByteSource) -> Floats:
        drawn: Floats = truth + self.noise.quantile(unit_interval(len(truth), source))
        return drawn

    def between(self, true: Bins, reported: Bins) -> Operator:
        # The mean over x in [a, b] of F(z - x) is (G(z - a) - G(z - b)) / (b - a), G being an antiderivative of F.
        a, b = true.floats[:-1, None], true.floats[1:, None]
        inner = reported.floats[None, 1:-1]
        below = (self.noise.cdf_integral(inner - a) - self.noise.cdf_integral(inner - b)) / (b - a)
        ones = np.ones((len(true), 1))
        matrix: Floats = np.diff(np.hstack([0 * ones, below, ones]), axis=1)
        return FloatTable(np.maximum(matrix, 0.0))


class FloatScale(FloatLaw):
    """The truth times 1 + noise; the domain of truths says where they lie inside a bin."""

    def __init__(self, owner: str, noise: Noise, domain: Domain) -> None:
        super().__init__(owner)
        self.noise, self.bounded = noise, noise.bounded
        self._domain = domain

    def draw(self, truth: Floats, source: ByteSource) -> Floats:
        drawn: Floats = truth * (1 + self.noise.quantile(unit_interval(len(truth), source)))
        return drawn

    def between(self, true: Bins, reported: Bins) -> Operator:
        matrix = np.zeros((len(true), len(reported)))
        inner = reported.floats[1:-1]
        for i in range(len(true)):
            for x, share in zip(*self._truths(true, i), strict=True):
                below = self.noise.cdf(inner / x - 1) if x != 0 else (inner > 0).astype(np.float64)
                below = 1 - below if x < 0 else below
                matrix[i] += share * np.diff(np.concatenate([[0.0], below, [1.0]]))
        return FloatTable(matrix)

    def _truths(self, true: Bins, i: int) -> tuple[Floats, Floats]:
        """The truths of a bin and their shares: all of them where they are whole numbers, else the nodes of a quadrature."""
        if isinstance(self._domain, Integer):
            numbers = self._domain.numbers()
            members = numbers[true.index(numbers) == i]
            return members, np.full(len(members), 1 / len(members))
        nodes, shares = np.polynomial.legendre.leggauss(64)
        low, high = true.floats[i], true.floats[i + 1]
        return (low + high) / 2 + nodes * (high - low) / 2, shares / 2
