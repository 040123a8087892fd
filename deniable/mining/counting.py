"""Counting itemsets: how many rows report them, or the sums of their rows' weights. Sums of parts add up, wherever they are counted."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from deniable.core.channels.groups import JointChannel
from deniable.core.domains.exact import Floats, Ints
from deniable.mining.packed_rows import PackedRows

WORDS_WORTH_A_THREAD = 1 << 22


@dataclass
class Sums:
    """Of each itemset: how many rows report it, and the sums over rows of the products of its items' weights, of their squares and,
    where items are plain, of their cubes.
    """

    reported: Ints
    total: Floats
    second: Floats
    third: Floats | None = None


@runtime_checkable
class CountsItemsets(Protocol):
    """Of plain items: the number of rows that report an itemset is all that a search asks for."""

    def counts(self, itemsets: Any) -> Ints:
        """How many rows report every item of each itemset (rows of items' numbers, sorted)."""


class SumsItemsets(Protocol):
    """Of other items: their weights are multiplied and summed row by row."""

    def sums(self, itemsets: Any) -> Sums:
        """The sums of each itemset (rows of items' numbers, sorted)."""


def threads() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def in_threads(work: Callable[[int, int], None], size: int, cost: float) -> None:
    """Call work(first, last) on parts of range(size), on all processors if the work is worth it (cost in words read)."""
    several = min(int(cost // WORDS_WORTH_A_THREAD), size)
    several = min(several, threads()) if several > 1 else 1
    if several == 1:
        work(0, size)
        return
    # More parts than threads: parts differ in cost, and a thread that is done early takes another.
    edges = np.linspace(0, size, 4 * several + 1).astype(np.int64)
    with ThreadPoolExecutor(several) as pool:
        list(pool.map(work, edges[:-1].tolist(), edges[1:].tolist()))


class PackedCounts:
    """Itemsets of plain items counted in packed columns: one AND and one popcount per word."""

    def __init__(self, packed: Any) -> None:
        self.packed = packed

    @property
    def words(self) -> int:
        """How many words a column has."""
        return int(self.packed.shape[1])

    def counts(self, itemsets: Any) -> Ints:
        """How many rows report every item of each itemset (rows of columns' numbers, sorted)."""
        from deniable.kernels.bits import count_itemsets

        reported = np.zeros(len(itemsets), np.int64)
        in_threads(
            lambda first, last: count_itemsets(self.packed, itemsets, first, last, reported),
            len(itemsets),
            float(len(itemsets)) * self.words,
        )
        return reported


class RowSums:
    """Itemsets whose items are not all plain, row by row: products of the attributes' own inverse weights."""

    def __init__(self, rows: PackedRows, which: Ints) -> None:
        items = rows.items
        self._cells = rows.cells
        self._column = items.attribute[which]
        first = np.searchsorted(items.attribute, items.attribute)
        inside = which - first[which]
        attributes = [items.attributes[home] for home in self._column]
        tables = [attribute.weights[number] for attribute, number in zip(attributes, inside, strict=True)]
        shows = [attribute.shows[number] for attribute, number in zip(attributes, inside, strict=True)]
        self._starts = np.cumsum([0, *(len(table) for table in tables)])[:-1]
        self._tables = np.concatenate(tables)
        self._shows = np.concatenate(shows)
        self._inside, self._items, self._which = inside, items, which

    def sums(self, itemsets: Any) -> Sums:
        """The sums of each itemset (rows of numbers into `which`)."""
        from deniable.kernels.row_products import row_sums

        sums = Sums(np.zeros(len(itemsets), np.int64), np.zeros(len(itemsets)), np.zeros(len(itemsets)))

        def work(first: int, last: int) -> None:
            row_sums(
                self._cells, self._column, self._starts, self._tables, self._shows, itemsets, first, last,
                sums.reported, sums.total, sums.second,
            )  # fmt: skip

        in_threads(work, len(itemsets), float(len(itemsets)) * self._cells.shape[1])
        if self._items.block is not None:
            self._correct_shared(itemsets, sums)
        return sums

    def _correct_shared(self, itemsets: Any, sums: Sums) -> None:
        """Where items share a draw their joint weight is not a product: those itemsets are weighed block by block."""
        assert self._items.block is not None
        block = self._items.block[self._which]
        for c, itemset in enumerate(itemsets):
            if len(set(block[itemset])) < len(itemset):
                weights = self._block_products(itemset, block)
                sums.total[c], sums.second[c] = weights.sum(), (weights**2).sum()

    def _block_products(self, itemset: Ints, block: Ints) -> Floats:
        product = np.ones(self._cells.shape[1])
        for number in dict.fromkeys(block[itemset].tolist()):
            members = [item for item in itemset if block[item] == number]
            channel = self._items.blocks[number].channel
            if isinstance(channel, JointChannel) and len(members) > 1:
                attributes = [self._items.attributes[self._column[item]] for item in members]
                factors = {a.name: a.truth[self._inside[item]] for a, item in zip(attributes, members, strict=True)}
                codes = {
                    a.name: self._cells[self._column[item]].astype(np.int64)
                    for a, item in zip(attributes, members, strict=True)
                }
                product *= channel.product_weights(factors, codes)
            else:
                for item in members:
                    product *= self._tables[self._starts[item] + self._cells[self._column[item]].astype(np.int64)]
        return product


def counter_of(rows: PackedRows, which: Ints) -> PackedCounts | RowSums:
    """What counts itemsets of these items, numbered as in `which`."""
    return PackedCounts(rows.select(which)) if rows.items.plain else RowSums(rows, which)
