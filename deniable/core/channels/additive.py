"""Numbers hidden by noise: added (on a grid, or in floating point for simulation) or multiplied (floating point only)."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.core.channels.base import Channel, NoTable
from deniable.core.channels.designs import check_domain
from deniable.core.channels.laws import Shift
from deniable.core.channels.noise import Noise
from deniable.core.channels.sampling import ByteSource, unit_interval
from deniable.core.domains.bins import Bins
from deniable.core.domains.domain import Continuous, Domain, Integer
from deniable.core.domains.exact import Floats
from deniable.errors import ParameterError


def _check_numbers(domain: Any, noise: Any, owner: str) -> Integer | Continuous:
    checked = check_domain(domain, owner, step=False)
    if not isinstance(checked, (Integer, Continuous)):
        raise ParameterError(
            "noise_on_labels",
            "{owner} needs numbers: dn.Integer(low, high) or dn.Continuous(low, high, step), got {domain!r}.",
            owner=owner,
            domain=checked,
        )
    if not isinstance(noise, Noise):
        raise ParameterError(
            "not_noise",
            "{owner}: noise must be dn.Uniform, dn.Normal, dn.Laplace or dn.Staircase, got {got!r}.",
            owner=owner,
            got=noise,
        )
    return checked


class Additive(Channel):
    """The truth plus noise.

    `edges="clamp"` stops reports at the ends of the domain; "extend" widens the reported grid. By default unbounded noise
    is clamped (every label can be reported for every truth, so epsilon is finite) and bounded noise extends.

    >>> import deniable as dn
    >>> channel = dn.Additive(dn.Integer(18, 65), dn.Uniform(18))
    >>> channel.outputs[0], channel.outputs[-1], channel.epsilon
    (0, 83, inf)
    """

    def __init__(self, domain: Domain, noise: Noise, edges: str | None = None) -> None:
        numbers = _check_numbers(domain, noise, "Additive")
        if edges not in (None, "clamp", "extend"):
            raise ParameterError(
                "edges",
                "Additive: edges must be 'clamp' or 'extend' (or None for the noise's default), got {got!r}.",
                got=edges,
            )
        self.domain, self.noise = numbers, noise
        self.edges = edges or ("extend" if noise.bounded else "clamp")
        if isinstance(numbers, Continuous) and not numbers.has_step:
            self._set_floating(numbers, edges)
        else:
            self._set_grid(numbers)

    def _set_grid(self, domain: Integer | Continuous) -> None:
        margin = self.noise.margin(domain.step) if self.edges == "extend" else 0
        kernel, lowest = self.noise.kernel(domain.step, domain.size - 1 + margin)
        self.law = Shift(domain.size, kernel, lowest, margin)
        self.reported = _widened(domain, margin * domain.step) if margin else domain

    def _set_floating(self, domain: Continuous, edges: str | None) -> None:
        if edges == "clamp":
            raise ParameterError("clamp_needs_step", "Additive: edges='clamp' needs a domain with a step.")
        spread = float(abs(self.noise.quantile(np.array([1e-6]))[0]))
        self.edges = "extend"
        self.reported = Continuous(float(domain.low) - spread, float(domain.high) + spread)
        self.law = NoTable(f"Additive on {domain!r}")  # type: ignore[assignment]

    @property
    def lumpable(self) -> bool:
        return self.exact and self.law.lumpable

    def _draw_floats(self, truth: Floats, source: ByteSource) -> Floats:
        drawn: Floats = truth + self.noise.quantile(unit_interval(len(truth), source))
        return drawn

    def between(self, true: Bins, reported: Bins) -> Floats:
        if self.exact:
            places = true.index(self.domain.numbers()), reported.index(self.reported.numbers())
            full = [len(np.unique(place)) == len(bins) for place, bins in zip(places, (true, reported), strict=True)]
            return self.law.between(*places) if all(full) and isinstance(self.law, Shift) else super().between(true, reported)
        # The mean over x in [a, b] of F(z - x) is (G(z - a) - G(z - b)) / (b - a), G being an antiderivative of F.
        a, b = true.floats[:-1, None], true.floats[1:, None]
        inner = reported.floats[None, 1:-1]
        below = (self.noise.cdf_integral(inner - a) - self.noise.cdf_integral(inner - b)) / (b - a)
        ones = np.ones((len(true), 1))
        matrix: Floats = np.diff(np.hstack([0 * ones, below, ones]), axis=1)
        return np.maximum(matrix, 0.0)

    def parameters(self) -> dict[str, Any]:
        return {"domain": self.domain.to_json(), "noise": self.noise.to_json(), "edges": self.edges}

    @classmethod
    def arguments(cls, given: dict[str, Any]) -> dict[str, Any]:
        read = super().arguments({key: value for key, value in given.items() if key != "noise"})
        return {**read, "noise": Noise.from_json(given.get("noise"))}


def _widened(domain: Integer | Continuous, by: Any) -> Integer | Continuous:
    low, high = domain.low - by, domain.high + by
    if isinstance(domain, Integer):
        return Integer(int(low), int(high), int(domain.step))
    return Continuous(low, high, domain.step)


class Multiplicative(Channel):
    """The truth times 1 + noise, in floating point: for simulation and for data that others distorted.

    >>> import deniable as dn, numpy as np
    >>> channel = dn.Multiplicative(dn.Continuous(100, 200), dn.Uniform(0.1))
    >>> bool(90 <= channel.randomise(np.array([100.0]))[0] <= 110)
    True
    """

    def __init__(self, domain: Domain, noise: Noise) -> None:
        numbers = _check_numbers(domain, noise, "Multiplicative")
        self.domain, self.noise = numbers, noise
        spread = float(abs(noise.quantile(np.array([1e-6]))[0]))
        corners = [float(end) * (1 + sign * spread) for end in (numbers.low, numbers.high) for sign in (-1, 1)]
        self.reported = Continuous(min(corners), max(corners))
        self.law = NoTable(f"Multiplicative on {domain!r}")  # type: ignore[assignment]

    lumpable = False

    def read(self, column: Any, bad: Any, offset: int = 0, text: bool = False) -> Any:
        codes_or_values = super().read(column, bad, offset, text)
        return codes_or_values if isinstance(self.domain, Continuous) else self.domain.numbers()[codes_or_values]

    def _draw_floats(self, truth: Floats, source: ByteSource) -> Floats:
        drawn: Floats = truth * (1 + self.noise.quantile(unit_interval(len(truth), source)))
        return drawn

    def between(self, true: Bins, reported: Bins) -> Floats:
        matrix = np.zeros((len(true), len(reported)))
        inner = reported.floats[1:-1]
        for i in range(len(true)):
            for x, share in zip(*self._truths(true, i), strict=True):
                below = self.noise.cdf(inner / x - 1) if x != 0 else (inner > 0).astype(np.float64)
                below = 1 - below if x < 0 else below
                matrix[i] += share * np.diff(np.concatenate([[0.0], below, [1.0]]))
        return matrix

    def _truths(self, true: Bins, i: int) -> tuple[Floats, Floats]:
        """The truths of a bin and their shares: all of them where they are whole numbers, else the nodes of a quadrature."""
        if isinstance(self.domain, Integer):
            numbers = self.domain.numbers()
            members = numbers[true.index(numbers) == i]
            return members, np.full(len(members), 1 / len(members))
        nodes, shares = np.polynomial.legendre.leggauss(64)
        low, high = true.floats[i], true.floats[i + 1]
        return (low + high) / 2 + nodes * (high - low) / 2, shares / 2

    def parameters(self) -> dict[str, Any]:
        return {"domain": self.domain.to_json(), "noise": self.noise.to_json()}

    @classmethod
    def arguments(cls, given: dict[str, Any]) -> dict[str, Any]:
        return Additive.arguments(given)
