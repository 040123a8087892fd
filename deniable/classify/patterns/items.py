"""Cells of attributes as items of mining: "colour=red" with its weight for every report, and rows packed class by class.

An item is one cell of one attribute; two cells of an attribute never meet in a pattern, for nobody has both. An attribute that was
distorted as it is and becomes items afterwards has the weights of its own channel (of KRR: 1 if reported, kept with p where true and
with q = 1 - (1 - p) / (k - 1) where not). Attributes that were turned into yes/no columns before the distortion have the weights of
those columns; the columns are then named as belonging together, so that two values of one attribute still never meet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.classify.features import Column, Feature
from deniable.errors import NotInvertibleError, ParameterError
from deniable.mining.attributes import MinedAttribute
from deniable.mining.items import Items
from deniable.mining.packed_rows import PackedRows


def item_name(feature: Feature, cell: int, sign: str = "=") -> str:
    """An item as people read it: "colour=red", "age >= 40".

    >>> from deniable.classify.features import Numbers
    >>> age = Numbers("age", np.array([30.0, 50.0])).cells(np.ones(2), 5, 5)
    >>> item_name(age, 0), item_name(age, 1)
    ('age < 40', 'age >= 40')
    """
    label = feature.labels[cell]
    return f"{feature.name} {label}" if label.startswith(("<", ">=")) else f"{feature.name}{sign}{label}"


@dataclass
class CellAttribute:
    """One attribute as mining sees it: one row per item, one column per reported cell."""

    name: str
    weights: Any
    shows: Any
    biased: Any
    cells: Any  # which of the attribute's cells each item is
    of_fine: Any  # from the fine code of a report to its cell; None: the fine codes are the cells
    noisy: bool = False

    @property
    def plain(self) -> tuple[Any, Any] | None:
        """(absent, present) of every item, or None if weights depend on more than whether the item was reported."""
        if not (self.shows.sum(axis=1) == 1).all() or self.biased.any():
            return None
        present = self.weights[self.shows]
        if self.shows.shape[1] == 1:
            return np.zeros(len(present)), present
        others = np.where(self.shows, np.nan, self.weights)
        low, high = np.nanmin(others, axis=1), np.nanmax(others, axis=1)
        if (high - low > 1e-9 * np.abs(self.weights).max(initial=0.0)).any():
            return None
        return (low + high) / 2, present

    def only(self, cells: Sequence[int]) -> CellAttribute:
        """The same with some of its items."""
        kept = np.isin(self.cells, cells)
        return CellAttribute(self.name, self.weights[kept], self.shows[kept], self.biased[kept], self.cells[kept], self.of_fine)


def cell_attribute(attribute: Column, feature: Feature, counts: Any) -> CellAttribute:
    """An attribute whose reports were counted (`counts`, by fine code) as items; without any if its reports say nothing."""
    everything = np.arange(feature.cells)
    if feature.noisy:
        return _behind_noise(attribute, feature, counts)
    inverse = feature.inverse()
    if inverse is None:
        nothing = np.zeros((0, feature.matrix.shape[1]))
        return CellAttribute(
            feature.name, nothing, nothing.astype(bool), np.zeros(0, bool), everything[:0], feature.of_reported
        )
    shows = feature.of_true_of_reported == everything[:, None]
    unbiased = np.zeros(feature.cells, dtype=bool)
    return CellAttribute(feature.name, np.ascontiguousarray(inverse.T), shows, unbiased, everything, feature.of_reported)


def _behind_noise(attribute: Any, feature: Feature, counts: Any) -> CellAttribute:
    """Mining's own weights, by the one rule of `core.undoing`; where they are biased no interval is given."""
    domain: Any = attribute.channel.domain.answered
    merged = not domain.has_grid or feature.cells - feature.n_unordered < domain.size
    bins = [domain.low, *feature.edges.tolist(), domain.high] if merged else None
    mined = MinedAttribute(feature.name, attribute.channel, bins)
    none = CellAttribute(feature.name, np.zeros((0, 1)), np.zeros((0, 1), bool), np.zeros(0, bool), np.zeros(0, np.int64), None)
    if attribute.floating:
        # Numbers without a step are read in cells of mining's own, which their fine codes do not tell.
        return none
    mined.learn(counts)
    try:
        weights = mined.weights
    except NotInvertibleError:
        return none
    biased = np.array([bias is not None for bias in mined.biases])
    return CellAttribute(feature.name, weights, mined.shows, biased, np.arange(len(mined.items)), None)


@dataclass
class ItemTable:
    """All items of a classifier, numbered; `home` says which exclude each other."""

    items: Items
    attributes: list[CellAttribute]
    names: list[str]
    feature: Any
    cell: Any
    home: Any
    biased: Any

    def __len__(self) -> int:
        return len(self.names)

    def number_of(self) -> dict[tuple[int, int], int]:
        """The number of an item by its attribute and cell."""
        return {pair: i for i, pair in enumerate(zip(self.feature.tolist(), self.cell.tolist(), strict=True))}

    def rows(self, fine: Sequence[Any], which: Any) -> PackedRows:
        """Some rows, of which the fine codes of reports are given, ready to be counted."""
        from deniable.kernels.bits import set_codes, words_for

        cells = [
            codes[which] if attribute.of_fine is None else attribute.of_fine[codes[which]]
            for attribute, codes in zip(self.attributes, fine, strict=True)
        ]
        if not self.items.plain:
            return PackedRows(self.items, len(which), cells=np.stack(cells).astype(np.int32))
        bits = np.zeros((len(self), words_for(len(which))), np.uint64)
        first = 0
        for attribute, codes in zip(self.attributes, cells, strict=True):
            if len(attribute.cells):
                place = np.where(attribute.shows.any(axis=0), attribute.shows.argmax(axis=0) + first, -1)
                set_codes(bits, codes, place, 0)
                first += len(attribute.cells)
        return PackedRows(self.items, len(which), bits=bits)


def item_table(
    columns: Sequence[Column],
    features: Sequence[Feature],
    counts: Sequence[Any],
    together: Mapping[str, Sequence[str]] | None = None,
) -> ItemTable:
    """The items of attributes whose reports were counted; `together` names yes/no columns that are the values of one attribute."""
    group_of = _groups(features, together or {})
    attributes = [
        cell_attribute(column, feature, number) for column, feature, number in zip(columns, features, counts, strict=True)
    ]
    attributes = [
        attribute.only([feature.cells - 1]) if feature.name in group_of else attribute
        for attribute, feature in zip(attributes, features, strict=True)
    ]
    homes = [group_of.get(feature.name, len(features) + i) for i, feature in enumerate(features)]
    sizes = [len(attribute.cells) for attribute in attributes]
    place = np.repeat(np.arange(len(features)), sizes)
    cell = np.concatenate([attribute.cells for attribute in attributes]).astype(np.int64)
    names = [item_name(features[i], x) for i, x in zip(place.tolist(), cell.tolist(), strict=True)]
    both = [attribute.plain or (np.full(len(attribute.cells), np.nan),) * 2 for attribute in attributes]
    absent, present = (np.concatenate([np.zeros(0), *(pair[k] for pair in both)]) for k in (0, 1))
    # `CellAttribute` has what mining reads of an attribute: its weights, and which reports are the item.
    items = Items(list(names), place, absent, present, attributes)  # type: ignore[arg-type]
    biased = np.concatenate([attribute.biased for attribute in attributes])
    return ItemTable(items, attributes, names, place, cell, np.array(homes)[place], biased)


def _groups(features: Sequence[Feature], together: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The number of the group of each column that is a value of an attribute."""
    by_name = {feature.name: feature for feature in features}
    group_of: dict[str, int] = {}
    for number, (attribute, columns) in enumerate(together.items()):
        wrong = [name for name in columns if name not in by_name or by_name[name].cells != 2 or name in group_of]
        if wrong:
            raise ParameterError(
                "binarised",
                "binarised[{attribute!r}] must name yes/no columns, each in one list only; {got} are not.",
                attribute=attribute,
                got=wrong,
            )
        group_of |= dict.fromkeys(columns, number)
    return group_of
