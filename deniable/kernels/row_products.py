"""Sums over rows of products of weights, where a report has more than two values or an itemset's subsets are not known."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled

BLOCK = 2048
"""Rows worked on at a time: the products of a prefix stay in the cache."""


@compiled()
def row_sums(
    codes: Any,
    column: Any,
    starts: Any,
    tables: Any,
    shows: Any,
    itemsets: Any,
    first: int,
    last: int,
    reported: Any,
    total: Any,
    second: Any,
) -> None:
    """For itemsets first..last: how many rows report all items, the sum of the products of weights, and that of their squares.

    `codes` is columns x rows; item i reads codes[column[i]], weighs tables[starts[i] + code] and is reported where shows has
    a 1 there: attributes of many and of few values stand side by side without gaps.
    """
    rows = codes.shape[1]
    length = itemsets.shape[1]
    product = np.empty((length, BLOCK), np.float64)
    shown = np.empty((length, BLOCK), np.bool_)
    for low in range(0, rows, BLOCK):
        size = min(BLOCK, rows - low)
        for c in range(first, last):
            fresh = 0
            if c > first:
                while fresh < length - 1 and itemsets[c, fresh] == itemsets[c - 1, fresh]:
                    fresh += 1
            for k in range(fresh, length):
                item = itemsets[c, k]
                start = starts[item]
                here = codes[column[item], low : low + size]
                for r in range(size):
                    weight = tables[start + here[r]]
                    is_shown = shows[start + here[r]]
                    if k == 0:
                        product[0, r] = weight
                        shown[0, r] = is_shown
                    else:
                        product[k, r] = product[k - 1, r] * weight
                        shown[k, r] = shown[k - 1, r] and is_shown
            count = 0
            one = 0.0
            two = 0.0
            for r in range(size):
                weight = product[length - 1, r]
                count += shown[length - 1, r]
                one += weight
                two += weight * weight
            reported[c] += count
            total[c] += one
            second[c] += two


@compiled()
def packed_row_sums(packed: Any, rows: int, items: Any, absent: Any, present: Any) -> tuple[float, float, float]:
    """The sums of the products of weights, of their squares and cubes, for one itemset of packed columns, row by row."""
    one = 0.0
    two = 0.0
    three = 0.0
    for w in range(packed.shape[1]):
        for r in range(min(64, rows - 64 * w)):
            weight = 1.0
            for k in range(items.size):
                item = items[k]
                weight *= present[item] if (packed[item, w] >> np.uint64(r)) & np.uint64(1) else absent[item]
            one += weight
            two += weight * weight
            three += weight * weight * weight
    return one, two, three
