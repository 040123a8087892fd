"""The search for patterns: level after level of itemsets that are frequent in some class, each measured in that class and elsewhere.

A set that is frequent in a class has subsets that are frequent in that class, so a candidate counts for a class only if all its subsets
did. Growth rates have no such order: a set may emerge though none of its subsets does, so they only pick from what is frequent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable import interrupts
from deniable.classify.patterns.strata import Strata
from deniable.classify.patterns.supports import SideSupports
from deniable.errors import ParameterError
from deniable.mining.levels import ROUNDING, Below

LEAST_SUPPORT = 1e-12
"""Without a minimum support: what occurs at all."""


@dataclass(frozen=True)
class Rules:
    """What a pattern must reach, and how supports are estimated."""

    min_support: float
    min_growth: float
    method: str = "shrunk"
    max_len: int | None = None
    r_threshold: int = 3
    jump_errors: float = 1.96
    max_candidates: int = 1_000_000

    @property
    def limit(self) -> float:
        """The support that is enough, but for rounding."""
        return max(self.min_support * (1 - ROUNDING), LEAST_SUPPORT)


@dataclass
class Measured:
    """Itemsets of one length that are frequent in one class: their supports there and elsewhere, with the randomisation's errors."""

    label: int
    itemsets: Any
    support: Any
    error: Any
    other: Any
    other_error: Any
    parts: Any


def frequent_in_classes(strata: Strata, rules: Rules) -> Iterator[tuple[int, list[Measured]]]:
    """Level by level: how many candidates were tested, and what is frequent in each class."""
    from deniable.kernels.candidates import first_of_each

    classes = range(len(strata.own))
    # Of two classes each is all that the other is not: two sides, not four.
    sides = {side.weights.tobytes(): side for side in (*strata.own, *strata.other)}
    supports = {key: SideSupports(side, rules.method, strata, rules.r_threshold) for key, side in sides.items()}
    itemsets = np.arange(len(strata.table), dtype=np.int32)[:, None]
    parents = np.zeros((len(itemsets), 1), np.int32)
    partial, frequent_below = strata.nothing, np.ones((1, len(classes)), dtype=bool)
    below_size = 1
    while len(itemsets):
        interrupts.check()
        parts, partial = strata.sums(itemsets, parents, partial)
        frequent = np.empty((len(itemsets), len(classes)), dtype=bool)
        measured = []
        levels = {key: side.level(itemsets, parents, parts) for key, side in supports.items()}
        for c in classes:
            support, error = levels[strata.own[c].weights.tobytes()]
            elsewhere, other_error = levels[strata.other[c].weights.tobytes()]
            frequent[:, c] = (support >= rules.limit) & frequent_below[parents, c].all(axis=1)
            rows = np.flatnonzero(frequent[:, c])
            measured.append(
                Measured(c, itemsets[rows], support[rows], error[rows], elsewhere[rows], other_error[rows], parts[rows])
            )
        yield len(itemsets), measured
        chosen = np.flatnonzero(frequent.any(axis=1))
        if rules.max_len is not None and itemsets.shape[1] >= rules.max_len:
            return
        for side in supports.values():
            side.keep(chosen)
        itemsets, parents, frequent_below = itemsets[chosen], parents[chosen], frequent[chosen]
        partial = [None if part is None else part[chosen] for part in partial]
        starts = first_of_each(parents[:, -1], below_size)
        below_size = len(itemsets)
        itemsets, parents = _joined(Below(itemsets, parents, starts), strata.table.home, rules)


def _joined(below: Below, home: Any, rules: Rules) -> tuple[Any, Any]:
    """The candidates of the next length, and the rows of their subsets."""
    from deniable.kernels.candidates import join

    if not len(below.itemsets):
        nothing = np.zeros((0, below.length + 1), np.int32)
        return nothing, nothing
    room = int(below.joins.sum())
    if room > rules.max_candidates:
        raise ParameterError(
            "too_many_candidates",
            "{found:,} itemsets of {length} items are frequent in a class, which makes up to {got:,} candidates of {next} items (allowed: "
            "{most:,}). Raise min_support, or set max_len={length}.",
            found=len(below.itemsets),
            length=below.length,
            next=below.length + 1,
            got=room,
            most=rules.max_candidates,
        )
    itemsets, subsets = np.empty((room, below.length + 1), np.int32), np.empty((room, below.length + 1), np.int32)
    sets = below.itemsets, below.tails, below.parents, below.starts
    made = join(*sets, home, 0, len(below.itemsets), itemsets, subsets)
    return itemsets[:made], subsets[:made]
