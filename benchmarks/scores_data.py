"""Ten made populations that are hard to score in different ways; each gives as many true rows as are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import deniable as dn

Rng = np.random.Generator
Rows = tuple[dict[str, Any], Any]
Maker = Callable[[int, Rng], Rows]


def _named(columns: list[Any]) -> dict[str, Any]:
    return {f"x{i}": column for i, column in enumerate(columns)}


def independent(n: int, rng: Rng) -> Rows:
    """12 yes/no attributes, independent given the class."""
    y = rng.integers(0, 2, n)
    strength = np.linspace(0.05, 0.2, 12)
    return _named([(rng.random(n) < 0.5 + s * (2 * y - 1)).astype(int) for s in strength]), y


def correlated(n: int, rng: Rng) -> Rows:
    """10 attributes of four cells that share a strong factor beside the class."""
    y = rng.integers(0, 2, n)
    factor = rng.normal(0, 1, n)
    return _named([np.digitize(0.6 * (y - 0.5) + 0.7 * factor + rng.normal(0, 0.7, n), [-0.7, 0, 0.7]) for _ in range(10)]), y


def copies(n: int, rng: Rng) -> Rows:
    """Four yes/no attributes, each three times."""
    y = rng.integers(0, 2, n)
    own = [(rng.random(n) < 0.32 + 0.36 * y).astype(int) for _ in range(4)]
    return _named([own[i % 4] for i in range(12)]), y


def interactions(n: int, rng: Rng) -> Rows:
    """The class is an exclusive or of two attributes and a weak third, with five that say nothing."""
    bits = rng.integers(0, 2, (n, 8))
    y = np.where(rng.random(n) < 0.88, bits[:, 0] ^ bits[:, 1], bits[:, 2])
    return _named(list(bits.T)), y


def clumps(n: int, rng: Rng) -> Rows:
    """Each class is several tight clusters of labels, so that margins come in clumps."""
    y = rng.integers(0, 2, n)
    centres = np.random.default_rng(77).integers(0, 3, (2, 3, 8))
    kind = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    own = centres[y, kind]
    return _named([np.where(rng.random(n) < 0.85, own[:, j], rng.integers(0, 3, n)) for j in range(8)]), y


def irrelevant(n: int, rng: Rng) -> Rows:
    """Four attributes that matter among 30."""
    y = rng.integers(0, 2, n)
    good = [(rng.random(n) < 0.25 + 0.5 * y).astype(int) for _ in range(4)]
    return _named(good + [rng.integers(0, 2 + j % 3, n) for j in range(26)]), y


def skewed(n: int, rng: Rng) -> Rows:
    """One class in eight; half of it is easy to see, the other half is like the rest."""
    y = (rng.random(n) < 0.125).astype(int)
    seen = y * (rng.random(n) < 0.5)
    return _named([np.where(rng.random(n) < 0.15 + 0.65 * seen, 1, 0) for _ in range(9)]), y


def five_classes(n: int, rng: Rng) -> Rows:
    """Five classes of different sizes, six attributes of five labels."""
    y = rng.choice(5, n, p=[0.35, 0.25, 0.2, 0.12, 0.08])
    shift = rng.integers(0, 2, n)
    return _named([np.where(rng.random(n) < 0.55, (y * (j + 1) + shift) % 5, rng.integers(0, 5, n)) for j in range(6)]), y


def seven_of_numbers(n: int, rng: Rng) -> Rows:
    """Seven classes along a curve, five numbers."""
    y = rng.integers(0, 7, n)
    angle = 2 * np.pi * y / 7 + rng.normal(0, 0.35, n)
    spread = rng.normal(0, 6, (5, n))
    numbers = [50 + 30 * np.cos(angle + turn) + noise for turn, noise in zip((0, 1.5, 3, 4.5, 0.7), spread, strict=True)]
    return _named([np.clip(np.rint(number), 0, 100).astype(int) for number in numbers]), y


def four_numbers(n: int, rng: Rng) -> Rows:
    """Four numbers, two of which move together within the classes and against each other between them."""
    y = rng.integers(0, 2, n)
    common = rng.normal(0, 8, n)
    numbers = [40 + 8 * y + common, 60 - 8 * y + common, 50 + 6 * y + rng.normal(0, 10, n), 50 + rng.normal(0, 15, n)]
    return _named([np.clip(np.rint(number + rng.normal(0, 3, n)), 0, 100).astype(int) for number in numbers]), y


MADE: dict[str, tuple[Maker, Callable[[int], Any]]] = {
    "independent": (independent, lambda j: dn.Integer(0, 1)),
    "correlated": (correlated, lambda j: dn.Ordinal([0, 1, 2, 3])),
    "copies": (copies, lambda j: dn.Integer(0, 1)),
    "interactions": (interactions, lambda j: dn.Integer(0, 1)),
    "clumps": (clumps, lambda j: dn.Nominal([0, 1, 2])),
    "irrelevant": (irrelevant, lambda j: dn.Integer(0, 1) if j < 4 else dn.Nominal(list(range(2 + (j - 4) % 3)))),
    "skewed": (skewed, lambda j: dn.Integer(0, 1)),
    "five classes": (five_classes, lambda j: dn.Nominal([0, 1, 2, 3, 4])),
    "seven of numbers": (seven_of_numbers, lambda j: dn.Integer(0, 100)),
    "four numbers": (four_numbers, lambda j: dn.Integer(0, 100)),
}


def made(name: str, rows: int, rng: Rng) -> tuple[pd.DataFrame, Any]:
    """True rows of a made population, and their classes."""
    columns, y = MADE[name][0](rows, rng)
    return pd.DataFrame(columns), y


def domains(name: str) -> dict[str, Any]:
    """What its attributes may be."""
    maker, domain = MADE[name]
    return {column: domain(j) for j, column in enumerate(maker(2, np.random.default_rng(0))[0])}
