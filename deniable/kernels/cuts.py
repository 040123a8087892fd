"""The cut of one attribute's cells that tells the classes apart best, where counts are unbiased sums and may lie below 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.best_test import ORDERED, ORDERED_WITH_SILENCE
from deniable.kernels.compiling import compiled
from deniable.kernels.copying import put
from deniable.kernels.ordering import ascending


@compiled()
def gini_of(left: Any, right: Any) -> float:
    """The mean Gini index of two parts, weighted by size; counts below 0 are taken for 0."""
    a, b, aa, bb = 0.0, 0.0, 0.0, 0.0
    for c in range(left.size):
        here, there = max(left[c], 0.0), max(right[c], 0.0)
        a += here
        b += there
        aa += here * here
        bb += there * there
    value = 0.0
    if a > 0:
        value += a - aa / a
    if b > 0:
        value += b - bb / b
    return value / (a + b) if a + b > 0 else 1.0


@compiled()
def _along(table: Any, order: Any, size: int, smallest: float, mask: Any) -> float:
    """The best cut along the first `size` cells of an order; `mask` gets the cells before it.

    Sums are cut at 0 when a part is judged, not cell by cell: of many cells with little in them every second one lies below 0.
    """
    classes = table.shape[1]
    left, right = np.zeros(classes), np.zeros(classes)
    before, after = 0.0, 0.0
    for i in range(size):
        for c in range(classes):
            right[c] += table[order[i], c]
            after += table[order[i], c]
    best, cut = 2.0, -1
    for i in range(size - 1):
        for c in range(classes):
            held = table[order[i], c]
            left[c] += held
            right[c] -= held
            before += held
            after -= held
        # Sums of what rounds to nothing are no rows.
        if before < smallest - 1e-9 or after < smallest - 1e-9:
            continue
        value = gini_of(left, right)
        if value < best - 1e-12:
            best, cut = value, i
    mask[:] = False
    for i in range(cut + 1):
        mask[order[i]] = True
    return best


@compiled()
def best_cut(table: Any, inside: Any, ordered: int, smallest: float, mask: Any) -> float:
    """The test on one attribute with the lowest Gini index, from sums [cell, class]; `mask` gets the cells that pass. 2: there is none.

    Cells that are not `inside` take no part. Ordered cells are cut between neighbours; a last cell outside the order ("no answer") goes
    to either side. Labels are cut along the share of each class, which is the best of all subsets where there are two classes and no
    count lies below 0 (Breiman et al. 1984).
    """
    cells, classes = table.shape
    order, size = np.empty(cells, np.int64), 0
    for x in range(cells):
        if inside[x]:
            order[size] = x
            size += 1
    if size < 2:
        return 2.0
    if ordered in (ORDERED, ORDERED_WITH_SILENCE):
        best = _along(table, order, size, smallest, mask)
        if ordered == ORDERED or not inside[cells - 1]:
            return best
        for i in range(size - 1, 0, -1):
            order[i] = order[i - 1]
        order[0] = cells - 1
        tried = np.zeros(mask.size, np.bool_)
        other = _along(table, order, size, smallest, tried)
        if other < best - 1e-12:
            put(tried, mask)
            return other
        return best
    best = 2.0
    tried = np.zeros(mask.size, np.bool_)
    share, by_share = np.empty(size), np.empty(size, np.int64)
    for c in range(1 if classes == 2 else classes):
        for i in range(size):
            held = 0.0
            for d in range(classes):
                held += max(table[order[i], d], 0.0)
            # Empty labels go to the end, where they change no split.
            share[i] = max(table[order[i], c], 0.0) / held if held > 0 else 2.0
        places = ascending(share)
        for i in range(size):
            by_share[i] = order[places[i]]
        value = _along(table, by_share, size, smallest, tried)
        if value < best - 1e-12:
            best = value
            put(tried, mask)
    return best
