"""The test on one attribute that tells the classes apart best, by the Gini index. Arrays in, arrays out."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled
from deniable.kernels.copying import put
from deniable.kernels.ordering import ascending

UNORDERED, ORDERED, ORDERED_WITH_SILENCE = 0, 1, 2
MOST_FOR_ALL_SUBSETS = 10


@compiled()
def split_gini(left: Any, right: Any) -> float:
    """The mean Gini index of two parts with these counts of the classes, each weighted by its size."""
    a, b, aa, bb = 0.0, 0.0, 0.0, 0.0
    for c in range(left.size):
        a += left[c]
        b += right[c]
        aa += left[c] * left[c]
        bb += right[c] * right[c]
    total = a + b
    value = 0.0
    if a > 0:
        value += a - aa / a
    if b > 0:
        value += b - bb / b
    return value / total if total > 0 else 1.0


@compiled()
def _along(table: Any, order: Any, smallest: float, mask: Any) -> float:
    """The best cut along an order of cells; `mask` gets the cells before it."""
    cells, classes = table.shape
    right = np.zeros(classes)
    for x in range(cells):
        for c in range(classes):
            right[c] += table[x, c]
    left = np.zeros(classes)
    total, before = right.sum(), 0.0
    best, cut = 2.0, -1
    for i in range(cells - 1):
        x = order[i]
        for c in range(classes):
            left[c] += table[x, c]
            right[c] -= table[x, c]
            before += table[x, c]
        if before < smallest or total - before < smallest or before <= 0 or total - before <= 0:
            continue
        value = split_gini(left, right)
        if value < best - 1e-12:
            best, cut = value, i
    mask[:] = False
    for i in range(cut + 1):
        mask[order[i]] = True
    return best


@compiled()
def _centre(table: Any, mask: Any, edges: Any) -> None:
    """Move a cut to that edge in the middle of the empty cells it lies beside: nothing here says to which side they belong."""
    cells = mask.size
    last = -1
    for x in range(cells):
        if mask[x]:
            last = x
    if last < 0:
        return
    following = last + 1
    while following < cells and table[following].sum() <= 0:
        following += 1
    if following == cells:
        return
    middle = (edges[last] + edges[following - 1]) / 2
    best = last
    for x in range(last + 1, following):
        if abs(edges[x] - middle) < abs(edges[best] - middle):
            best = x
    for x in range(last + 1, best + 1):
        mask[x] = True


@compiled()
def best_test(table: Any, ordered: int, smallest: float, mask: Any, edges: Any) -> float:
    """The test on one attribute with the lowest Gini index, from counts [cell, class]; `mask` gets the cells that pass it.

    Ordered cells are cut between neighbours; a last cell outside the order ("no answer") goes to either side. Labels are split
    into subsets: of two classes the best subset is a cut along the share of one class (Breiman et al. 1984), exactly; of more
    classes all subsets that hold at most half are tried (each split has such a half) up to 10 labels, and above that cuts along
    the share of every class.
    """
    cells, classes = table.shape
    if ordered == ORDERED:
        lowest = _along(table, np.arange(cells), smallest, mask)
        _centre(table, mask, edges)
        return lowest
    if ordered == ORDERED_WITH_SILENCE:
        silence_after = _along(table, np.arange(cells), smallest, mask)
        other = np.zeros(cells, np.bool_)
        first = np.empty(cells, np.int64)
        first[0] = cells - 1
        put(np.arange(cells - 1), first[1:])
        silence_before = _along(table, first, smallest, other)
        if silence_before < silence_after - 1e-12:
            put(other, mask)
            return silence_before
        return silence_after
    share = np.empty(cells)
    best = 2.0
    if classes > 2 and cells <= MOST_FOR_ALL_SUBSETS:
        total = np.zeros(classes)
        for x in range(cells):
            for c in range(classes):
                total[c] += table[x, c]
        everyone = total.sum()
        chosen = -1
        left = np.empty(classes)
        right = np.empty(classes)
        # The last cell stays out: its side of each split is the complement of one that is tried.
        for subset in range(1, 1 << (cells - 1)):
            left[:] = 0.0
            for x in range(cells - 1):
                if subset >> x & 1:
                    for c in range(classes):
                        left[c] += table[x, c]
            inside = left.sum()
            if inside < smallest or everyone - inside < smallest or inside <= 0 or everyone - inside <= 0:
                continue
            for c in range(classes):
                right[c] = total[c] - left[c]
            value = split_gini(left, right)
            if value < best - 1e-12:
                best, chosen = value, subset
        mask[:] = False
        if chosen > 0:
            for x in range(cells - 1):
                mask[x] = (chosen >> x & 1) == 1
    else:
        tried = np.zeros(cells, np.bool_)
        for c in range(1 if classes == 2 else classes):
            for x in range(cells):
                held = 0.0
                for d in range(classes):
                    held += table[x, d]
                # Empty labels go to the end, where they change no split.
                share[x] = table[x, c] / held if held > 0 else 2.0
            value = _along(table, ascending(share), smallest, tried)
            if value < best - 1e-12:
                best = value
                put(tried, mask)
    inside, outside = 0.0, 0.0
    for x in range(cells):
        for c in range(classes):
            if mask[x]:
                inside += table[x, c]
            else:
                outside += table[x, c]
    if best < 2.0 and inside > outside:
        for x in range(cells):
            mask[x] = not mask[x]
    return best
