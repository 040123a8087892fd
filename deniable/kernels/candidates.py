"""Candidates of a level from the itemsets of the level below, and their sums of weights from those of their subsets.

Itemsets are sorted rows of item numbers, in lexicographic order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled


@compiled()
def _first_from(tails: Any, item: Any, place: int, end: int) -> int:
    """The first place from `place` on, before `end`, whose tail is the item or more: in growing steps, then by halves."""
    if place == end or tails[place] >= item:
        return place
    step = 1
    while place + step < end and tails[place + step] < item:
        place += step
        step *= 2
    high = min(place + step, end)
    place += 1
    while place < high:
        middle = (place + high) // 2
        if tails[middle] < item:
            place = middle + 1
        else:
            high = middle
    return place


@compiled()
def join(
    sets: Any, tails: Any, parents: Any, starts: Any, attribute: Any, first: int, last: int, itemsets: Any, subsets: Any
) -> int:
    """Candidates whose first generator is one of the rows first..last: all their subsets are among `sets`, whose last items are `tails`.

    `parents[row, k]` is the row, in the level below `sets`, of itemset `row` without its item at position k, and `subsets[c, k]`
    becomes the same of candidate c; starts[prefix] is the first of `sets` that is that row of the level below and one more item.
    Two values of one attribute cannot both be true, so such pairs are never joined. `itemsets` and `subsets` must have room for
    all pairs of `sets` with one prefix.

    The candidate S + {x} without an item of S is a subset of S, whose row is known, and x: where those that begin with that subset
    lie is known too, and as x grows one goes on from where the last search ended.
    """
    length = sets.shape[1]
    at = np.empty(length, np.int64)
    end = np.empty(length, np.int64)
    made = 0
    for row in range(first, last):
        for k in range(length):
            at[k] = starts[parents[row, k]]
            end[k] = starts[parents[row, k] + 1]
        home = attribute[tails[row]]
        more = True
        for other in range(row + 1, end[length - 1]):
            item = tails[other]
            if attribute[item] == home:
                continue
            known = True
            for k in range(length - 1):
                at[k] = _first_from(tails, item, at[k], end[k])
                if at[k] == end[k]:
                    more = False  # nor is there one for any larger item
                    break
                if tails[at[k]] != item:
                    known = False
                    break
                subsets[made, k] = at[k]
            if not more:
                break
            if known:
                for k in range(length):
                    itemsets[made, k] = sets[row, k]
                itemsets[made, length] = item
                subsets[made, length - 1] = other
                subsets[made, length] = row
                made += 1
    return made


@compiled()
def first_of_each(prefixes: Any, size: int) -> Any:
    """Where, in a sorted list of numbers below `size`, those that are 0, 1, ... begin; the last entry is the end of the list."""
    starts = np.zeros(size + 1, np.int64)
    for prefix in prefixes:
        starts[prefix + 1] += 1
    for k in range(size):
        starts[k + 1] += starts[k]
    return starts


@compiled()
def weighted_sums(counts: Any, itemsets: Any, parents: Any, below: Any, absent: Any, slope: Any) -> Any:
    """From how often itemsets are reported to the sums over rows of the products of their items' weights: (partial, whole).

    The weight of an item is absent + slope * (reported or not). Entry j of a row of `partial` is the sum over rows of
    (weights of the first j items) * (the other items are reported): entry 0 is the count, the last entry is the whole sum, and

        h(S, j) = slope_j h(S, j - 1) + absent_j h(S without item j, j - 1),

    whose second term is an entry of a subset: m multiplications an itemset of m items instead of 2^m. The last axis of `absent`,
    `slope`, `below` and `partial` is for the weights, their squares and their cubes; so is the first of `whole`.
    """
    length = itemsets.shape[1]
    partial = np.empty((itemsets.shape[0], length + 1, 3))
    whole = np.empty((3, itemsets.shape[0]))
    for c in range(itemsets.shape[0]):
        one = two = three = float(counts[c])
        partial[c, 0] = one
        for j in range(length):
            item = itemsets[c, j]
            subset = parents[c, j]
            one = slope[item, 0] * one + absent[item, 0] * below[subset, j, 0]
            two = slope[item, 1] * two + absent[item, 1] * below[subset, j, 1]
            three = slope[item, 2] * three + absent[item, 2] * below[subset, j, 2]
            partial[c, j + 1, 0] = one
            partial[c, j + 1, 1] = two
            partial[c, j + 1, 2] = three
        whole[0, c] = one
        whole[1, c] = two
        whole[2, c] = three
    return partial, whole


@compiled()
def kept_rows(table: Any, chosen: Any) -> Any:
    """The chosen rows (sorted numbers) of a table that nobody else needs: moved to its beginning, or copied if few of many are left."""
    if 2 * chosen.size <= table.shape[0]:
        return table[chosen]
    for k in range(chosen.size):
        row = chosen[k]
        if row != k:
            for j in range(table.shape[1]):
                table[k, j] = table[row, j]
    return table[: chosen.size]


@compiled()
def kept_columns(table: Any, chosen: Any) -> Any:
    """The chosen columns (sorted numbers) of a table; the table itself if that is all of them."""
    if chosen.size == table.shape[1]:
        return table
    kept = np.empty((table.shape[0], chosen.size))
    for row in range(table.shape[0]):
        for k in range(chosen.size):
            kept[row, k] = table[row, chosen[k]]
    return kept
