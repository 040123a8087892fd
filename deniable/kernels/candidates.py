"""Candidates of a level from the itemsets of the level below, and their sums of weights from those of their subsets.

Itemsets are sorted rows of item numbers, in lexicographic order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, inline="always")
def _mixed(code: Any, item: Any) -> Any:
    code = (code ^ np.uint64(item)) * np.uint64(0x9E3779B97F4A7C15)
    return code ^ (code >> np.uint64(29))


@njit(cache=True, nogil=True)
def hash_table(sets: Any) -> Any:
    """An open table from itemset to its row: twice as many slots as itemsets or more, -1 where there is none."""
    size = 4
    while size < 2 * sets.shape[0]:
        size *= 2
    slots = np.full(size, -1, np.int32)
    mask = np.uint64(size - 1)
    for row in range(sets.shape[0]):
        code = np.uint64(7)
        for k in range(sets.shape[1]):
            code = _mixed(code, sets[row, k])
        slot = code & mask
        while slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = row
    return slots


@njit(cache=True, nogil=True)
def _find_without(sets: Any, slots: Any, wanted: Any, left_out: int) -> Any:
    """The row of the itemset `wanted` without its item at position `left_out`, or -1."""
    length = sets.shape[1]
    code = np.uint64(7)
    for k in range(length + 1):
        if k != left_out:
            code = _mixed(code, wanted[k])
    mask = np.uint64(slots.size - 1)
    slot = code & mask
    while slots[slot] >= 0:
        row = slots[slot]
        same = True
        for k in range(length):
            if sets[row, k] != wanted[k + (k >= left_out)]:
                same = False
                break
        if same:
            return row
        slot = (slot + np.uint64(1)) & mask
    return -1


@njit(cache=True, nogil=True)
def group_ends(sets: Any) -> Any:
    """For each itemset the row after the last one that shares all its items but the last."""
    rows, length = sets.shape
    ends = np.empty(rows, np.int64)
    end = rows
    for row in range(rows - 1, -1, -1):
        if row < rows - 1:
            for k in range(length - 1):
                if sets[row, k] != sets[row + 1, k]:
                    end = row + 1
                    break
        ends[row] = end
    return ends


@njit(cache=True, nogil=True)
def join(sets: Any, slots: Any, ends: Any, attribute: Any, first: int, last: int, itemsets: Any, parents: Any) -> int:
    """Candidates whose first generator is one of the rows first..last: all their subsets are among `sets`.

    `parents[c, k]` is the row of candidate c without its item at position k. Two values of one attribute cannot both be true, so
    such pairs are never joined. `itemsets` and `parents` must have room for the sum of ends[row] - row - 1.
    """
    length = sets.shape[1]
    found = 0
    wanted = np.empty(length + 1, np.int32)
    for row in range(first, last):
        for k in range(length):
            wanted[k] = sets[row, k]
        for other in range(row + 1, ends[row]):
            item = sets[other, length - 1]
            if attribute[item] == attribute[wanted[length - 1]]:
                continue
            wanted[length] = item
            known = True
            for k in range(length - 1):
                subset = _find_without(sets, slots, wanted, k)
                if subset < 0:
                    known = False
                    break
                parents[found, k] = subset
            if known:
                for k in range(length + 1):
                    itemsets[found, k] = wanted[k]
                parents[found, length - 1] = other
                parents[found, length] = row
                found += 1
    return found


@njit(cache=True, nogil=True)
def weighted_sums(counts: Any, itemsets: Any, parents: Any, below: Any, absent: Any, slope: Any) -> Any:
    """From how often itemsets are reported to the sums over rows of the products of their items' weights.

    The weight of an item is absent + slope * (reported or not). Entry j of a row of the result is the sum over rows of
    (weights of the first j items) * (the other items are reported): entry 0 is the count, the last entry is the estimate, and

        h(S, j) = slope_j h(S, j - 1) + absent_j h(S without item j, j - 1),

    whose second term is an entry of a subset: m multiplications an itemset of m items instead of 2^m.
    """
    length = itemsets.shape[1]
    sums = np.empty((itemsets.shape[0], length + 1), np.float64)
    for c in range(itemsets.shape[0]):
        value = float(counts[c])
        sums[c, 0] = value
        for j in range(length):
            item = itemsets[c, j]
            value = slope[item] * value + absent[item] * below[parents[c, j], j]
            sums[c, j + 1] = value
    return sums


@njit(cache=True, nogil=True)
def mark_subsets(sets: Any, slots: Any, larger: Any, chosen: Any, marked: Any) -> None:
    """Mark those of `sets` that lack one item of a chosen larger itemset."""
    for c in range(larger.shape[0]):
        if chosen[c]:
            for k in range(larger.shape[1]):
                row = _find_without(sets, slots, larger[c], k)
                if row >= 0:
                    marked[row] = True
