"""A level of a search in one call that needs no interpreter: another processor makes it while this one is busy with the level below."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.bits import count_itemsets
from deniable.kernels.candidates import first_of_each, join, kept_columns, kept_rows, weighted_sums
from deniable.kernels.compiling import compiled
from deniable.kernels.expected import chosen_supports, expectations, known_subsets, own_estimates, without_noise
from deniable.kernels.level_fit import fit_level
from deniable.kernels.support_scores import shrunk_columns, support_columns


@compiled()
def _candidates(below: Any, items: Any, packed: Any, room: int) -> Any:
    """All candidates that the itemsets `below` make: (itemsets, parents, reported, sums, partial sums).

    `below` is (itemsets, last items, parents, starts, partial sums) as in `kernels.candidates.join` and `weighted_sums`, `items` is
    (attribute, absent, slope), `room` how many pairs there are to join.
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
    return itemsets, subsets, reported, sums, partial


@compiled()
def _chosen(made: Any, chosen: Any, below: int) -> Any:
    """The chosen ones of all candidates, where each itemset `below` begins among them, and how many candidates there were."""
    itemsets, subsets, reported, sums, partial = made
    candidates, length = itemsets.shape
    if len(chosen) < candidates:
        reported, sums = reported[chosen], kept_columns(sums, chosen)
        itemsets, subsets = kept_rows(itemsets, chosen), kept_rows(subsets, chosen)
        flat = kept_rows(partial.reshape(candidates, 3 * (length + 1)), chosen)
        partial = flat.reshape(len(chosen), length + 1, 3)
    return itemsets, subsets, reported, sums, partial, first_of_each(subsets[:, -1], below), candidates


@compiled()
def level_above(below: Any, items: Any, packed: Any, room: int, limit: float, sums_below: Any, asked: Any) -> Any:
    """The itemsets, one item longer than those `below`, whose unbiased support reaches the limit.

    `below`, `items` and `room` are as in `_candidates`. Gives (itemsets, parents, reported, sums, partial sums, starts, how many
    candidates there were), None, and `support_columns` of as many itemsets below as there are `sums_below`: all or none.
    """
    made = _candidates(below, items, packed, room)
    chosen = np.flatnonzero(made[3][0] / asked[0] >= limit)
    return _chosen(made, chosen, len(below[0])), None, support_columns(sums_below, asked)


@compiled()
def shrunk_level_above(
    below: Any, items: Any, packed: Any, room: int, rows: float, limit: float, known: Any, asked: Any, told_below: Any
) -> Any:
    """The itemsets, one item longer than those `below`, whose shrunk support reaches the limit.

    `known` is (what is known of the itemsets below, as `kernels.expected.known_subsets` tells it, and the coefficients fitted to them);
    `asked` is (fewest candidates to fit, most, weight of the prior, multiples of the spread, their shares). `told_below`
    is what `shrunk_columns` is given. Gives the level as `level_above` does, (supports, errors, what is known of the itemsets,
    coefficients), and `shrunk_columns`.
    """
    subsets_known, fit = known
    few, most, prior, multiples, shares = asked
    made = _candidates(below, items, packed, room)
    parents, sums = made[1], made[3]
    own = own_estimates(sums[0], sums[1], sums[0], rows)
    expected = expectations(parents, subsets_known)
    candidates = len(parents)
    if not own[1].any():
        found = without_noise(own, expected, limit)
    else:
        if candidates >= few:
            step = -(-candidates // most)
            sample = np.ascontiguousarray(own[:, ::step]), np.ascontiguousarray(expected[:, ::step])
            if sample[0][1].any():
                fit = fit_level(sample[0], sample[1], prior)
        found = chosen_supports(own, expected, fit, limit, multiples, shares)
    chosen = np.flatnonzero(found[0])
    level = _chosen(made, chosen, len(below[0]))
    found = kept_columns(found, chosen)
    support, error, noise = found[1], found[2], found[3]
    told = support, error, known_subsets(support, noise, error, level[1], subsets_known), fit
    return level, told, shrunk_columns(*told_below)
