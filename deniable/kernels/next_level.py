"""A level of a search in one call that needs no interpreter: another processor makes it while this one is busy with the level below."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.bits import count_itemsets
from deniable.kernels.candidates import first_of_each, join, kept_rows, weighted_sums
from deniable.kernels.compiling import compiled
from deniable.kernels.support_scores import support_columns


@compiled()
def level_above(below: Any, items: Any, packed: Any, room: int, limit: float, sums_below: Any, asked: Any) -> Any:
    """The itemsets, one item longer than those `below`, whose unbiased support reaches the limit.

    `below` is (itemsets, last items, parents, starts, partial sums) as in `kernels.candidates.join` and `weighted_sums`, `items` is
    (attribute, absent, slope), `room` how many pairs there are to join. Gives (itemsets, parents,
    reported, sums, partial sums, starts, how many candidates there were), and `support_columns` of as many itemsets below as there
    are `sums_below`: all or none.
    """
    sets, tails, parents, starts, partial_below = below
    attribute, absent, slope = items
    shape = room, sets.shape[1] + 1
    itemsets, subsets = np.empty(shape, np.int32), np.empty(shape, np.int32)
    candidates = join(sets, tails, parents, starts, attribute, 0, len(sets), itemsets, subsets)
    itemsets, subsets = itemsets[:candidates], subsets[:candidates]
    reported = np.zeros(candidates, np.int64)
    count_itemsets(packed, itemsets, 0, candidates, reported)
    partial, sums = weighted_sums(reported, itemsets, subsets, partial_below, absent, slope)
    chosen = np.flatnonzero(sums[0] / asked[0] >= limit)
    if len(chosen) < candidates:
        reported, sums = reported[chosen], sums[:, chosen]
        itemsets, subsets = kept_rows(itemsets, chosen), kept_rows(subsets, chosen)
        flat = kept_rows(partial.reshape(candidates, 3 * (shape[1] + 1)), chosen)
        partial = flat.reshape(len(chosen), shape[1] + 1, 3)
    columns = support_columns(sums_below, asked)
    return (itemsets, subsets, reported, sums, partial, first_of_each(subsets[:, -1], len(sets)), candidates), columns
