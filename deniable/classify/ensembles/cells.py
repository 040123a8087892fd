"""Cells that tell apart all that any copy of an ensemble tells apart, and how each copy sees them."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.classify.coded_rows import KnownCells
from deniable.classify.features import Feature


class Cells:
    """The cells of an ensemble: those of its copies, which are mostly the same, else what lies between the edges of all."""

    def __init__(self, columns: list[Any], models: list[Any]) -> None:
        for model in models:
            _share(model, columns)
        self.features = [_finest(column, [model.features_[i] for model in models]) for i, column in enumerate(columns)]
        kinds: dict[tuple[int, ...], int] = {}
        self._of_model, self._lookups = [], []
        for model in models:
            key = tuple(id(feature) for feature in model.features_)
            if key not in kinds:
                kinds[key] = len(kinds)
                pairs = list(zip(self.features, model.features_, strict=True))
                self._lookups.append([(_lookup(a.of_true, b.of_true), _lookup(a.of_reported, b.of_reported)) for a, b in pairs])
            self._of_model.append(kinds[key])

    def columns(self, columns: list[Any]) -> list[Any]:
        """Columns with these cells."""
        return [KnownCells(column, feature) for column, feature in zip(columns, self.features, strict=True)]

    def views(self, codes: Any, reported: bool) -> list[Any]:
        """The cells as each model sees them, [row, attribute]."""
        seen = [
            np.column_stack([pair[reported][codes[:, i]] for i, pair in enumerate(lookups)]).astype(np.int32)
            for lookups in self._lookups
        ]
        return [seen[kind] for kind in self._of_model]


def _share(model: Any, columns: list[Any]) -> None:
    """Let a model that comes from another process share its columns and cells with all others."""
    for i, (column, own) in enumerate(zip(columns, model.attributes_, strict=True)):
        for asked, feature in getattr(own, "asked", {}).items():
            column.asked.setdefault(asked, feature)
            if model.features_[i] is feature:
                model.features_[i] = column.asked[asked]
    # On its own it reads frames, like any classifier.
    model.attributes_ = [column.plain for column in columns]


def _finest(column: Any, own: list[Feature]) -> Feature:
    """The finest of these cells if each of them lies in one cell of all others; else cells between all edges."""
    different = list({id(feature): feature for feature in own}.values())
    finest = max(different, key=lambda feature: feature.cells)
    if all(_holds(other, finest) for other in different):
        return finest
    between: Feature = column.cut_at(np.unique(np.concatenate([feature.edges for feature in different])))
    return between


def _holds(coarser: Feature, finer: Feature) -> bool:
    """Whether each finer cell lies in one of the coarser ones."""
    pairs = ((finer.of_true, coarser.of_true), (finer.of_reported, coarser.of_reported))
    return all(np.array_equal(_lookup(a, b)[a], b) for a, b in pairs)


def _lookup(finer: Any, coarser: Any) -> Any:
    """For each finer cell the coarser one that holds it."""
    table = np.zeros(int(np.max(finer)) + 1, dtype=np.int32)
    table[finer] = coarser
    return table
