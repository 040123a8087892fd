"""The cells of the audit: channels, shapes of the truth, and people drawn from them.

`x` is hidden by the audited channel; `g`, a group, and `y`, a number, go with it. The truth is a joint table with explicit shares, so that
what is true of the population is known exactly, and what is true of the respondents is the same function of the people drawn.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd

import deniable as dn

Array = Any
SIZES = (200, 2_000, 20_000)
CHANNELS: dict[str, Callable[[], Any]] = {
    "KRR 5": lambda: dn.KRR(dn.Integer(1, 5), 0.6),
    "Retention 101": lambda: dn.Retention(dn.Integer(0, 100), 0.5),
    "Neighbours 11": lambda: dn.Neighbours(dn.Integer(0, 10), [0.6, 0.15, 0.05]),
    "Uniform 11": lambda: dn.Additive(dn.Integer(0, 10), dn.Uniform(2), edges="extend"),
    "Uniform 101": lambda: dn.Additive(dn.Integer(0, 100), dn.Uniform(25), edges="extend"),
    "Uniform 101 clamped": lambda: dn.Additive(dn.Integer(0, 100), dn.Uniform(10), edges="clamp"),
    "Normal 11": lambda: dn.Additive(dn.Integer(0, 10), dn.Normal(2), edges="clamp"),
    "Normal 73": lambda: dn.Additive(dn.Integer(18, 90), dn.Normal(10), edges="clamp"),
    "Normal 45 extended": lambda: dn.Additive(dn.Integer(20, 64), dn.Normal(5), edges="extend"),
    "Laplace 73": lambda: dn.Additive(dn.Integer(18, 90), dn.Laplace(10), edges="clamp"),
    "Laplace 101 extended": lambda: dn.Additive(dn.Integer(0, 100), dn.Laplace(5), edges="extend"),
    "Normal 10,001": lambda: dn.Additive(dn.Integer(0, 10_000), dn.Normal(800), edges="clamp"),
}
NARROW = 0.085
HEAPED = 0.2
Y_VALUES = 10


def _hill(s: Array, middle: float, spread: float) -> Array:
    return np.exp(-0.5 * ((s - middle) / spread) ** 2)


def _share(weights: Array) -> Array:
    return weights / weights.sum()


def _heaped(s: Array, numbers: Array) -> Array:
    """A smooth hill of which a fifth gave round numbers: tens, or what is round on a domain of few or very many values."""
    step = {5: 2, 11: 5, 10_001: 1_000}.get(len(numbers), 10)
    smooth = _hill(s, 0.45, 0.25)
    return (1 - HEAPED) * _share(smooth) + HEAPED * _share(smooth * (numbers % step == 0))


# Functions of the place in the range, from 0 to 1, and of the numbers.
SHAPES: dict[str, Callable[[Array, Array], Array]] = {
    "uniform": lambda s, _: np.ones(len(s)),
    "skewed": lambda s, _: (s + 0.02) * np.exp(-s / 0.15),
    "narrow": lambda s, _: _hill(s, 0.55, NARROW),
    "two humps": lambda s, _: 0.6 * _hill(s, 0.25, 0.09) + 0.4 * _hill(s, 0.75, 0.09),
    "heaped at tens": _heaped,
    "crowded low": lambda s, _: np.exp(-s / 0.22),
    "crowded high": lambda s, _: np.exp(-(1 - s) / 0.22),
}


@dataclass(frozen=True)
class Cell:
    """A channel, a number of respondents and a shape of the truth, by name."""

    channel: str
    n: int
    shape: str

    def generator(self, seed: int, purpose: int = 0) -> np.random.Generator:
        """The cell's own stream of a seed; another purpose (a run again) has another."""
        words = [zlib.crc32(self.channel.encode()), self.n, zlib.crc32(self.shape.encode()), purpose]
        return np.random.default_rng(np.random.SeedSequence([seed, *words]))


@dataclass(frozen=True)
class Tables:
    """Shares of x by g and of x by y: all that the questions ask about."""

    xg: Array
    xy: Array

    @property
    def x(self) -> Array:
        """The shares of the values of x."""
        return self.xg.sum(axis=1)


class Case:
    """What is the same in every run of a channel and a shape: the schema and the true shares."""

    def __init__(self, channel: str, shape: str) -> None:
        self.schema = schema_of(channel)
        self.channel = self.schema["x"]
        self.numbers = self.channel.domain.numbers()
        self.reported = self.channel.reported.numbers()
        self.place = np.linspace(0.0, 1.0, len(self.numbers))
        self.shares = _share(SHAPES[shape](self.place, self.numbers))
        self.in_group = 0.3 + 0.4 * self.place
        self.follows = np.rint((Y_VALUES - 1) * self.place).astype(np.int64)

    @cached_property
    def truth(self) -> Tables:
        """The population: half of the people have the y that goes with their x, the others any."""
        xg = self.shares[:, None] * np.column_stack([1 - self.in_group, self.in_group])
        xy = np.repeat(self.shares[:, None] * 0.5 / Y_VALUES, Y_VALUES, axis=1)
        xy[np.arange(len(self.shares)), self.follows] += 0.5 * self.shares
        return Tables(xg, xy)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Tables, pd.DataFrame]:
        """People and their reports."""
        x = rng.choice(len(self.shares), n, p=self.shares)
        g = (rng.random(n) < self.in_group[x]).astype(np.int64)
        y = np.where(rng.random(n) < 0.5, self.follows[x], rng.integers(0, Y_VALUES, n))
        people = pd.DataFrame({"x": self.numbers[x].astype(np.int64), "g": g, "y": y})
        return tabulated(x, g, y, len(self.shares)), self.schema.randomise(people, rng)

    def reports(self, data: pd.DataFrame) -> Tables:
        """The same tables of what was reported."""
        x = data["x"].to_numpy().astype(np.int64) - round(self.reported[0])
        return tabulated(x, data["g"].to_numpy().astype(np.int64), data["y"].to_numpy().astype(np.int64), len(self.reported))


def tabulated(x: Array, g: Array, y: Array, values: int) -> Tables:
    """Shares of codes."""
    xg = np.bincount(2 * x + g, minlength=2 * values).reshape(values, 2) / len(x)
    return Tables(xg, np.bincount(Y_VALUES * x + y, minlength=Y_VALUES * values).reshape(values, Y_VALUES) / len(x))


@cache
def schema_of(channel: str) -> dn.Schema:
    """The audited channel beside those of the group and of y."""
    return dn.Schema(
        {"x": CHANNELS[channel](), "g": dn.KRR(dn.Binary(), 0.85), "y": dn.Retention(dn.Integer(0, Y_VALUES - 1), 0.7)}
    )


def all_cells(channels: list[str], sizes: tuple[int, ...], shapes: list[str]) -> list[Cell]:
    """Every channel, size and shape together, the large ones first so that two processes end at the same time."""
    return [Cell(channel, n, shape) for n in sorted(sizes, reverse=True) for channel in channels for shape in shapes]
