"""Numbers hidden by noise: added (on a grid, or in floating point for simulation) or multiplied (floating point only)."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.floating import FloatNoise, FloatScale
from deniable.core.channels.noise import Noise
from deniable.core.channels.shift import Shift
from deniable.core.domains.checks import check_domain
from deniable.core.domains.domain import Domain
from deniable.core.domains.grids import Continuous, Integer
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

    adds_noise = True

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
        if isinstance(numbers, Continuous) and not numbers.has_grid:
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
        self.law = FloatNoise(f"Additive on {domain!r}", self.noise)  # type: ignore[assignment]

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

    adds_noise = True

    def __init__(self, domain: Domain, noise: Noise) -> None:
        numbers = _check_numbers(domain, noise, "Multiplicative")
        self.domain, self.noise = numbers, noise
        spread = float(abs(noise.quantile(np.array([1e-6]))[0]))
        corners = [float(end) * (1 + sign * spread) for end in (numbers.low, numbers.high) for sign in (-1, 1)]
        self.reported = Continuous(min(corners), max(corners))
        self.law = FloatScale(f"Multiplicative on {domain!r}", noise, numbers)  # type: ignore[assignment]

    def parameters(self) -> dict[str, Any]:
        return {"domain": self.domain.to_json(), "noise": self.noise.to_json()}

    @classmethod
    def arguments(cls, given: dict[str, Any]) -> dict[str, Any]:
        return Additive.arguments(given)
