"""The patterns that a search found, as arrays that score rows and as the frame that people read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.classify.patterns.growth import NO_INTERVAL, Contrast, contributions, growth_rates
from deniable.classify.patterns.items import item_name
from deniable.classify.patterns.search import Rules, frequent_in_classes
from deniable.classify.patterns.strata import Strata
from deniable.mining.itemsets import discovery_limit
from deniable.mining.levels import ROUNDING

NUMBERS = (
    "support", "support_se", "support_low", "support_high", "other_support", "growth_rate", "growth_low", "growth_high",
    "p_value", "contribution",
)  # fmt: skip
"""What is known of a pattern, in the order of the frame's columns."""


@dataclass
class Patterns:
    """Patterns of all classes: their items (`places`: attribute and cell of each, from `starts[i]` to `starts[i + 1]`) and numbers."""

    starts: Any
    places: Any
    label: Any
    numbers: dict[str, Any]

    def __len__(self) -> int:
        return len(self.label)

    def take(self, rows: Any) -> Patterns:
        """Some of them, in that order."""
        rows = np.asarray(rows, dtype=np.int64)
        sizes = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        inside = np.repeat(self.starts[rows] - starts[:-1], sizes) + np.arange(starts[-1])
        return Patterns(starts, self.places[inside], self.label[rows], {k: v[rows] for k, v in self.numbers.items()})

    def itemsets(self, features: Any) -> list[frozenset[str]]:
        """The items of each, by name."""
        names = [item_name(features[i], x) for i, x in self.places.tolist()]
        return [frozenset(names[a:b]) for a, b in zip(self.starts[:-1], self.starts[1:], strict=True)]

    def to_frame(self, features: Any, classes: Any, notes: dict[str, Any]) -> Any:
        """A pandas frame, one row per pattern: the strongest of each class first."""
        import pandas as pd

        columns = {"itemsets": self.itemsets(features), "class": classes[self.label]}
        frame = pd.DataFrame(columns | self.numbers)
        order = np.lexsort((-self.numbers["contribution"], self.label))
        frame = frame.iloc[order].reset_index(drop=True)
        frame.attrs.update(notes)
        if len(frame) and frame["growth_low"].isna().any():
            frame.attrs["no_interval"] = NO_INTERVAL
        return frame


@dataclass
class Found:
    """What a search found, before anybody asked for intervals, which take longer than the search."""

    strata: Strata
    pieces: list[tuple[int, Any, dict[str, Any], Any]]  # class, itemsets, numbers, sums of the parts
    tested: int

    def patterns(self) -> Patterns:
        """What scoring needs."""
        table = self.strata.table
        sizes = [np.full(len(itemsets), itemsets.shape[1]) for _, itemsets, _, _ in self.pieces]
        starts = np.concatenate([[0], np.cumsum(np.concatenate([np.zeros(0, np.int64), *sizes]))]).astype(np.int64)
        flat = np.concatenate([np.zeros(0, np.int64), *(itemsets.ravel() for _, itemsets, _, _ in self.pieces)]).astype(
            np.int64
        )
        labels = [np.full(len(itemsets), label) for label, itemsets, _, _ in self.pieces]
        known = ("support", "other_support", "growth_rate", "p_value", "contribution")
        numbers = {name: np.concatenate([np.zeros(0), *(own[name] for _, _, own, _ in self.pieces)]) for name in known}
        places = np.stack([table.feature[flat], table.cell[flat]], axis=1)
        return Patterns(starts, places, np.concatenate([np.zeros(0, np.int64), *labels]).astype(np.int64), numbers)

    def with_intervals(self, level: float) -> Patterns:
        """All that the frame shows."""
        patterns = self.patterns()
        known = [Contrast(self.strata, c, sets, parts).precision(level) for c, sets, _, parts in self.pieces]
        for name in ("support_se", "support_low", "support_high", "growth_low", "growth_high"):
            patterns.numbers[name] = np.concatenate([np.zeros(0), *(getattr(each, name) for each in known)])
        # Intervals are those of unbiased estimates; what is shown, shrunk or taken for 0, lies inside them in any case.
        for point, low, high in (("support", "support_low", "support_high"), ("growth_rate", "growth_low", "growth_high")):
            patterns.numbers[low] = np.minimum(patterns.numbers[low], patterns.numbers[point])
            patterns.numbers[high] = np.maximum(patterns.numbers[high], patterns.numbers[point])
        patterns.numbers = {name: patterns.numbers[name] for name in NUMBERS}
        return patterns


def find_patterns(strata: Strata, rules: Rules, false_discovery_rate: float | None) -> Found:
    """The patterns of all classes: frequent, growing, and, with a rate, few of them false.

    A pattern is false if it is no more frequent in its class than elsewhere; Benjamini and Hochberg's procedure counts every candidate
    of every class that was tested.
    """
    pieces: list[tuple[int, Any, dict[str, Any], Any]] = []
    tested = 0
    for candidates, measured in frequent_in_classes(strata, rules):
        tested += candidates * len(measured)
        for level in measured:
            growth = growth_rates(level.support, level.error, level.other, level.other_error, rules.jump_errors)
            rows = np.flatnonzero(growth >= rules.min_growth * (1 - ROUNDING))
            if not len(rows):
                continue
            itemsets, parts, support, rates = level.itemsets[rows], level.parts[rows], level.support[rows], growth[rows]
            numbers = {
                "support": support,
                "other_support": np.clip(level.other[rows], 0.0, 1.0),
                "growth_rate": rates,
                "p_value": Contrast(strata, level.label, itemsets, parts).p_values(),
                "contribution": contributions(support, rates),
            }
            pieces.append((level.label, itemsets, numbers, parts))
    if false_discovery_rate is not None:
        every = np.concatenate([np.zeros(0), *(numbers["p_value"] for _, _, numbers, _ in pieces)])
        limit = discovery_limit(every, false_discovery_rate, tested)
        pieces = [_only(piece, piece[2]["p_value"] <= limit) for piece in pieces]
    return Found(strata, pieces, tested)


def _only(piece: tuple[int, Any, dict[str, Any], Any], kept: Any) -> tuple[int, Any, dict[str, Any], Any]:
    label, itemsets, numbers, parts = piece
    return label, itemsets[kept], {name: values[kept] for name, values in numbers.items()}, parts[kept]
