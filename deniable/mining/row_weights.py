"""Weights row by row: what every reported row counts for an itemset, or for "none of these items". The slow, general way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from deniable.core.channels.groups import JointChannel
from deniable.core.domains.exact import Floats, Ints
from deniable.mining.biases import Range, largest_bias
from deniable.mining.transactions import Transactions

SURE = 1.96
"""How many standard errors above its estimate the largest share of people lies that is allowed for."""


class RowWeights:
    """Unbiased weights of functions of the items of some transactions, one number per row.

    >>> import deniable as dn
    >>> weights = RowWeights(dn.Transactions([["a"], ["a", "b"], []], dn.Flip(p=0.75, q=0.75)))
    >>> weights.of([0, 1]).tolist()                  # of "a and b", by the reports {a}, {a, b}, {}
    [-0.75, 2.25, 0.25]
    >>> weights.none_of([0, 1]).tolist()             # of "neither a nor b"
    [-0.75, 0.25, 2.25]
    """

    def __init__(self, transactions: Transactions) -> None:
        if transactions.remote is not None:
            transactions.select([])  # says that the rows are elsewhere
        self._transactions, self._items = transactions, transactions.items
        self.names: list[Any] = list(self._items.names)
        self.rows = transactions.rows
        items = self._items
        self.attribute: Ints = items.attribute
        self.block: Ints = items.attribute if items.block is None else items.block
        # The number of an item among those of its own attribute.
        self._inside: Ints = np.arange(len(items)) - np.searchsorted(items.attribute, items.attribute)

    def bias(self, itemset: Ints) -> Range | None:
        """How far the mean of the weights of an itemset may be off, None if it is unbiased."""
        items = self._items
        others = itemset[~items.biased[itemset]]
        if len(others) == len(itemset):
            return None
        mass = 1.0
        if len(others):
            weights = self.of(others)
            mass = float(np.clip(weights.mean() + SURE * weights.std() / np.sqrt(self.rows), 0.0, 1.0))
        return largest_bias(items.biases, itemset[None, :], np.array([mass]))

    def of(self, itemset: Iterable[int]) -> Floats:
        """Of "all these items are true"; they belong to different attributes."""
        product = np.ones(self.rows)
        for block, members in self._by_block(itemset).items():
            if len(members) > 1:
                factors = {self._items.attribute[item]: self._truth([item]) for item in members}
                product *= self._joint(block, factors)
            else:
                product *= self._weight(members[0])
        return product

    def none_of(self, items: Iterable[int]) -> Floats:
        """Of "none of these items is true": values of one attribute exclude each other, attributes multiply."""
        product = np.ones(self.rows)
        for block, members in self._by_block(items).items():
            homes: dict[int, list[int]] = {}
            for item in members:
                homes.setdefault(int(self._items.attribute[item]), []).append(item)
            if len(homes) > 1:
                product *= self._joint(block, {home: 1 - self._truth(values) for home, values in homes.items()})
            else:
                product *= 1 - np.sum([self._weight(item) for item in members], axis=0)
        return product

    def shown(self, items: Iterable[int]) -> Any:
        """Whether a row reports one of these items."""
        return np.any([self._bits(item) for item in items], axis=0)

    def _by_block(self, items: Iterable[int]) -> dict[int, list[int]]:
        blocks: dict[int, list[int]] = {}
        for item in items:
            blocks.setdefault(int(self.block[item]), []).append(int(item))
        return blocks

    def _weight(self, item: int) -> Floats:
        items, cells = self._items, self._transactions.cells
        if cells is None:
            plain: Floats = np.where(self._bits(item), items.present[item], items.absent[item])
            return plain
        home = items.attribute[item]
        weights: Floats = items.attributes[home].weights[self._inside[item]][cells[home]]
        return weights

    def _bits(self, item: int) -> Any:
        words = self._transactions.select([item])[0]
        return np.unpackbits(words.view(np.uint8), count=self.rows, bitorder="little").view(np.bool_)

    def _truth(self, values: list[int]) -> Floats:
        """Which codes of the attribute's domain these values of it stand for."""
        attribute = self._items.attributes[self._items.attribute[values[0]]]
        truth: Floats = attribute.truth[self._inside[values]].sum(axis=0)
        return truth

    def _joint(self, block: int, factors: dict[int, Floats]) -> Floats:
        """Attributes that share a draw have one weight for the product of their factors."""
        channel = self._items.blocks[block].channel
        assert isinstance(channel, JointChannel)
        names = {home: self._items.attributes[home].name for home in factors}
        codes = {names[home]: self._transactions.cells[home].astype(np.int64) for home in factors}
        return channel.product_weights({names[home]: factor for home, factor in factors.items()}, codes)
