"""Populations drawn at random, of four kinds; none was looked at by itself. Each gives as many true rows as are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import deniable as dn

Rng = np.random.Generator
Rows = Callable[[int, Rng], tuple[list[Any], Any]]
Population = tuple[Rows, list[Any]]


def _labels(cells: Any) -> list[Any]:
    return [dn.Nominal(list(range(size))) if size > 2 else dn.Integer(0, 1) for size in cells]


def kinds(draw: Rng) -> Population:
    """Two to four classes, in each two to six kinds of people, in each kind attributes are independent."""
    classes, attributes, many = draw.integers(2, 5), draw.integers(6, 20), draw.integers(2, 7)
    cells = draw.integers(2, 6, attributes)
    chances = [draw.dirichlet(np.full(size, 0.7), size=(classes, many)) for size in cells]
    parts, prior = draw.dirichlet(np.full(many, 1.5), size=classes), draw.dirichlet(np.full(classes, 4.0))

    def rows(n: int, rng: Rng) -> tuple[list[Any], Any]:
        y = rng.choice(classes, n, p=prior)
        kind = (np.cumsum(parts[y], axis=1) < rng.random(n)[:, None]).sum(axis=1).clip(max=many - 1)
        return [
            (np.cumsum(of[y, kind], axis=1) < rng.random(n)[:, None]).sum(axis=1).clip(max=size - 1)
            for of, size in zip(chances, cells, strict=True)
        ], y

    return rows, _labels(cells)


def rules(draw: Rng) -> Population:
    """Independent attributes; the first of three to six rules of one to three attributes decides the class, for 19 people of 20."""
    attributes, many, classes = draw.integers(5, 12), draw.integers(3, 7), draw.integers(2, 4)
    cells = draw.integers(2, 5, attributes)
    asked = [draw.choice(attributes, draw.integers(1, 4), replace=False) for _ in range(many)]
    conditions = [([(j, draw.random(cells[j]) < 0.5) for j in of], draw.integers(classes)) for of in asked]
    otherwise, chances = draw.integers(classes), [draw.dirichlet(np.full(size, 3.0)) for size in cells]

    def rows(n: int, rng: Rng) -> tuple[list[Any], Any]:
        columns = [rng.choice(size, n, p=of) for size, of in zip(cells, chances, strict=True)]
        y = np.full(n, otherwise)
        for condition, label in reversed(conditions):
            y[np.all([inside[columns[j]] for j, inside in condition], axis=0)] = label
        return columns, np.where(rng.random(n) < 0.05, rng.integers(0, classes, n), y)

    return rows, _labels(cells)


def factors(draw: Rng) -> Population:
    """Normal numbers that share three factors, as they are or seen through two to five cells; classes have other means."""
    attributes, classes = draw.integers(5, 16), draw.integers(2, 4)
    loads = draw.normal(0, 1, (attributes, 3)) * draw.uniform(0.2, 1)
    means, prior = draw.normal(0, 0.6, (classes, attributes)), draw.dirichlet(np.full(classes, 5.0))
    numbers, cuts = draw.random() < 0.5, [np.sort(draw.normal(0, 0.8, draw.integers(1, 5))) for _ in range(attributes)]

    def rows(n: int, rng: Rng) -> tuple[list[Any], Any]:
        y = rng.choice(classes, n, p=prior)
        values = (means[y] + rng.normal(0, 1, (n, 3)) @ loads.T + rng.normal(0, 0.7, (n, attributes))).T
        if numbers:
            return [np.clip(np.rint(50 + 12 * value), 0, 100).astype(int) for value in values], y
        return [np.digitize(value, cut) for value, cut in zip(values, cuts, strict=True)], y

    if numbers:
        return rows, [dn.Integer(0, 100)] * attributes
    return rows, [dn.Ordinal(list(range(len(cut) + 1))) if len(cut) > 1 else dn.Integer(0, 1) for cut in cuts]


def logistic(draw: Rng) -> Population:
    """Independent yes/no attributes; half of them and up to four pairs raise or lower the odds of the class."""
    attributes = draw.integers(8, 25)
    shares, alone = draw.uniform(0.1, 0.9, attributes), draw.normal(0, 1, attributes) * (draw.random(attributes) < 0.5)
    pairs = [draw.choice(attributes, 2, replace=False) for _ in range(draw.integers(0, 5))]
    together, base = draw.normal(0, 1.5, len(pairs)), draw.normal(0, 0.5)

    def rows(n: int, rng: Rng) -> tuple[list[Any], Any]:
        answers = (rng.random((n, attributes)) < shares).astype(int)
        apart = answers - shares
        odds = base + apart @ alone
        for effect, (a, b) in zip(together, pairs, strict=True):
            odds = odds + 4 * effect * apart[:, a] * apart[:, b]
        return list(answers.T), (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(int)

    return rows, [dn.Integer(0, 1)] * attributes


KINDS = (kinds, rules, factors, logistic)


def populations(many: int, seed: int) -> dict[str, tuple[Callable[[int, Rng], tuple[pd.DataFrame, Any]], dict[str, Any]]]:
    """So many of each kind: where true rows and classes come from, and what the attributes may be."""
    found = {}
    for number in range(many):
        for place, kind in enumerate(KINDS):
            rows, domains = kind(np.random.default_rng([seed, place, number]))
            found[f"{kind.__name__} {number}"] = (_framed(rows), {f"x{j}": domain for j, domain in enumerate(domains)})
    return found


def _framed(rows: Rows) -> Callable[[int, Rng], tuple[pd.DataFrame, Any]]:
    def framed(n: int, rng: Rng) -> tuple[pd.DataFrame, Any]:
        columns, y = rows(n, rng)
        return pd.DataFrame({f"x{j}": column for j, column in enumerate(columns)}), y

    return framed
