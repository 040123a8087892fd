"""What would have to change for a row to be classified otherwise: other values of one attribute, or of two if one is not enough."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Change:
    """Other values of some attributes, the class they would lead to, and its part of the scores."""

    values: dict[str, str]
    label: Any
    chance: float

    @property
    def words(self) -> str:
        """The other values, as people say them."""
        return " and ".join(f"{name} were {_said(value)}" for name, value in self.values.items())

    def __str__(self) -> str:
        return f"{self.label} if {self.words} ({self.chance:.0%})"


def _said(value: str) -> str:
    """A cell in a sentence.

    >>> _said("blue"), _said("[33, 44)"), _said("< 40"), _said(">= 40")
    ('blue', 'in [33, 44)', 'below 40', '40 or more')
    """
    if value.startswith("["):
        return f"in {value}"
    if value.startswith("<"):
        return "below " + value.removeprefix("<").strip()
    return value.removeprefix(">=").strip() + " or more" if value.startswith(">=") else value


def changes(model: Any, cells: Any, most_pairs: int) -> tuple[list[Change], int]:
    """The smallest changes of a row of cells that change its class, the clearest first, and of how many attributes they were tried.

    Pairs of attributes are tried if no single one is enough, and if there are at most so many of them.
    """
    single = [(i, x) for i, f in enumerate(model.features_) for x in range(f.cells) if x != cells[i]]
    found = _tried(model, cells, [(one,) for one in single])
    if found or len(single) * (len(single) - 1) // 2 > most_pairs:
        return found, 1
    return _tried(model, cells, [(a, b) for a, b in itertools.combinations(single, 2) if a[0] != b[0]]), 2


def _tried(model: Any, cells: Any, given: list[tuple[tuple[int, int], ...]]) -> list[Change]:
    """Those of some changes that change the class."""
    if not given:
        return []
    rows = np.repeat(cells[None, :], len(given), axis=0)
    for r, change in enumerate(given):
        for i, x in change:
            rows[r, i] = x
    chances = model._proba(rows)
    now = int(model._proba(cells[None, :]).argmax())
    best = chances.argmax(axis=1)
    changed = [r for r in np.argsort(-chances.max(axis=1), kind="stable").tolist() if best[r] != now]
    return [
        Change(
            {model.features_[i].name: model.features_[i].labels[x] for i, x in given[r]},
            model.classes_[best[r]],
            float(chances[r, best[r]]),
        )
        for r in changed
    ]
