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
from deniable.core.undoing import Undoer
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


def cell_attribute(attribute: Column, feature: Feature, counts: Any, everyone: Any, people: float) -> CellAttribute:
    """An attribute whose reports were counted (`counts`, by fine code) as items; without any if its reports say nothing.

    `everyone` is the reconstructed distribution of its cells, `people` how many a typical class has: what noise has blurred is undone
    for them.
    """
    everything = np.arange(feature.cells)
    if feature.noisy:
        return _behind_noise(attribute, feature, counts, everyone, people)
    inverse = feature.inverse()
    if inverse is None:
        nothing = np.zeros((0, feature.matrix.shape[1]))
        return CellAttribute(
            feature.name, nothing, nothing.astype(bool), np.zeros(0, bool), everything[:0], feature.of_reported
        )
    shows = feature.of_true_of_reported == everything[:, None]
    unbiased = np.zeros(feature.cells, dtype=bool)
    return CellAttribute(feature.name, np.ascontiguousarray(inverse.T), shows, unbiased, everything, feature.of_reported)


def _behind_noise(attribute: Any, feature: Feature, counts: Any, everyone: Any, people: float) -> CellAttribute:
    """Unbiased weights where mining finds useful ones (the one rule of `core.undoing`), else the least wrong; these have no interval."""
    domain: Any = attribute.channel.domain.answered
    if attribute.floating:
        # Numbers without a step are read in cells of mining's own, which their fine codes do not tell.
        return CellAttribute(
            feature.name, np.zeros((0, 1)), np.zeros((0, 1), bool), np.zeros(0, bool), np.zeros(0, np.int64), None
        )
    merged = not domain.has_grid or feature.cells - feature.n_unordered < domain.size
    bins = [domain.low, *feature.edges.tolist(), domain.high] if merged else None
    mined = MinedAttribute(feature.name, attribute.channel, bins)
    mined.learn(counts)
    if _is_unbiased(mined, counts):
        unbiased = np.zeros(len(mined.items), dtype=bool)
        return CellAttribute(feature.name, mined.weights, mined.shows, unbiased, np.arange(len(mined.items)), None)
    cells = np.arange(feature.cells)
    weights = least_wrong_weights(feature.matrix, everyone, people)
    shows = feature.of_true_of_reported == cells[:, None]
    return CellAttribute(feature.name, weights, shows, np.ones(len(cells), bool), cells, feature.of_reported)


def _is_unbiased(mined: MinedAttribute, counts: Any) -> bool:
    """Whether the weights that mining takes are unbiased, for all items."""
    try:
        if not mined.noisy:
            return len(mined.weights) > 0
        undoer = Undoer(mined.channel.law, mined.cap, counts.astype(np.float64))
        return all(undoer.is_unbiased(member, float(counts.sum())) for member in mined.truth)
    except NotInvertibleError:
        return False


def least_wrong_weights(matrix: Any, everyone: Any, people: float) -> Any:
    """[cell, report]: weights whose means come closest to the shares of cells, for groups of `people` drawn like everyone.

    Noise cannot be undone without making chance large; these weights, linear Bayes estimates, trade one for the other. A group whose
    truths are those of `everyone` is told without bias, another is moved toward it as far as its reports say little.

    >>> least_wrong_weights(np.eye(2), np.array([0.5, 0.5]), 1e9).round(3).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> least_wrong_weights(np.full((2, 2), 0.5), np.array([0.3, 0.7]), 100.0).round(3).tolist()
    [[0.3, 0.3], [0.7, 0.7]]
    """
    reports = everyone @ matrix
    between = np.diag(everyone) - np.outer(everyone, everyone)
    chance = (np.diag(reports) - np.outer(reports, reports)) / max(people, 1.0)
    gain = between @ matrix @ np.linalg.pinv(matrix.T @ between @ matrix + chance, rcond=1e-10, hermitian=True)
    return np.ascontiguousarray(everyone[:, None] + gain - (gain @ reports)[:, None])


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
    everyone: Sequence[Any],
    classes: int,
    together: Mapping[str, Sequence[str]] | None = None,
) -> ItemTable:
    """The items of attributes.

    Parameters
    ----------
    columns, features : the attributes, and the cells that they are seen through.
    counts : how often each fine code was reported, of each attribute.
    everyone : how the cells of each attribute are distributed, classes together.
    classes : how many classes there are.
    together : names of yes/no columns that are the values of one attribute.
    """
    group_of = _groups(features, together or {})
    attributes = [
        cell_attribute(column, feature, number, shares, float(number.sum()) / classes)
        for column, feature, number, shares in zip(columns, features, counts, everyone, strict=True)
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
