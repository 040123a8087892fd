"""Loops of the published miners over packed columns: pattern counts inside a set of rows, and CTS, which chooses such a set.

Bit r of word w of a column says whether row 64 w + r reports the item. Patterns of n items are numbered as in the thesis: the first
item is the most significant bit, 2^n - 1 has them all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.bits import popcount
from deniable.kernels.compiling import compiled


@compiled()
def patterns_within(packed: Any, items: Any, within: Any, counts: Any, scratch: Any) -> None:
    """How many rows of the set `within` show each of the 2^n patterns of the items, into counts[: 2^n].

    `scratch` has a row of words for every item.
    """
    n = items.size
    words = within.size
    total = np.uint64(0)
    for w in range(words):
        total += popcount(within[w])
    counts[0] = np.int64(total)
    for pattern in range(1, 1 << n):
        # Of the pattern's items, all but the last in its number are intersected already: in the scratch of the one before.
        last = 0
        while not (pattern >> last) & 1:
            last += 1
        before = last + 1
        while before < n and not (pattern >> before) & 1:
            before += 1
        column = packed[items[n - 1 - last]]
        bits_set = np.uint64(0)
        for w in range(words):
            both = column[w] & (within[w] if before >= n else scratch[before, w])
            scratch[last, w] = both
            bits_set += popcount(both)
        counts[pattern] = np.int64(bits_set)
    for bit in range(n):
        for pattern in range(1 << n):
            if not (pattern >> bit) & 1:
                counts[pattern] -= counts[pattern | (1 << bit)]


@compiled()
def first_bits(word: Any, wanted: int) -> Any:
    """The lowest `wanted` set bits of a word."""
    left = word
    for _ in range(wanted):
        left &= left - np.uint64(1)
    return word ^ left


@compiled()
def choose(packed: Any, items: Any, within: Any, order: Any, counts: Any, wanted: Any, chosen: Any) -> Any:
    """CTS: mark in `chosen` the first `wanted` rows of `within`, pattern by pattern in that order; how many there were."""
    n = items.size
    chosen[:] = 0
    taken: Any = 0
    for place in range(order.size):
        pattern = order[place]
        if counts[pattern] == 0:
            continue
        if taken >= wanted:
            break
        for w in range(within.size):
            rows = within[w]
            for j in range(n):
                column = packed[items[j], w]
                rows &= column if (pattern >> (n - 1 - j)) & 1 else ~column
            if rows == 0:
                continue
            here: Any = np.int64(popcount(rows))
            if taken + here > wanted:
                rows = first_bits(rows, wanted - taken)
                here = wanted - taken
            chosen[w] |= rows
            taken += here
            if taken >= wanted:
                break
    return taken


@compiled()
def all_ones_estimate(counts: Any, items: Any, absent: Any, present: Any) -> float:
    """The element of C^T = M^-1 C^D for the pattern of all items: a product of one row of each item's inverse matrix."""
    n = items.size
    estimate = 0.0
    for pattern in range(1 << n):
        weight = 1.0
        for j in range(n):
            weight *= present[items[j]] if (pattern >> (n - 1 - j)) & 1 else absent[items[j]]
        estimate += weight * counts[pattern]
    return estimate


@compiled()
def cts_order(items: Any, keeps: Any, order: Any) -> None:
    """All items first; then the patterns by the probability that a row with all items was distorted to them, ties to the smallest."""
    n = items.size
    full = 1 << n
    likely = np.empty(full, np.float64)
    for pattern in range(full):
        chance = 1.0
        for j in range(n):
            chance *= keeps[items[j]] if (pattern >> (n - 1 - j)) & 1 else 1.0 - keeps[items[j]]
        likely[pattern] = chance
    order[0] = full - 1
    size = 1
    for pattern in range(full - 1):
        place = size
        # Chances that are equal but for rounding are ties, or the order would depend on the order of multiplication.
        while place > 1 and likely[order[place - 1]] < likely[pattern] * (1 - 1e-12):
            order[place] = order[place - 1]
            place -= 1
        order[place] = pattern
        size += 1


@compiled()
def mmask_estimates(
    packed: Any,
    everyone: Any,
    itemsets: Any,
    threshold: int,
    keeps: Any,
    absent: Any,
    present: Any,
    first: int,
    last: int,
    out: Any,
) -> None:
    """MMASK's estimated number of rows for itemsets first..last (rows of column numbers in their order), into out.

    The first items, as many whole chunks of `threshold` as leave at least one over, choose the rows by CTS, one chunk after the
    other; in what remains the rest is estimated by MASK. Neighbours in a sorted list share their chunks and so their rows.
    """
    length = itemsets.shape[1]
    chunks = (length - 1) // threshold
    words = packed.shape[1]
    held = np.empty((chunks + 1, words), np.uint64)
    held[0] = everyone
    scratch = np.empty((threshold + 1, words), np.uint64)
    counts = np.empty(1 << threshold, np.int64)
    order = np.empty(1 << threshold, np.int64)
    for c in range(first, last):
        fresh = 0
        if c > first:
            while fresh < chunks * threshold and itemsets[c, fresh] == itemsets[c - 1, fresh]:
                fresh += 1
            fresh //= threshold
        for chunk in range(fresh, chunks):
            items = itemsets[c, chunk * threshold : (chunk + 1) * threshold]
            patterns_within(packed, items, held[chunk], counts, scratch)
            wanted = np.int64(np.floor(all_ones_estimate(counts, items, absent, present) + 0.5))
            cts_order(items, keeps, order)
            choose(packed, items, held[chunk], order, counts, wanted, held[chunk + 1])
        rest = itemsets[c, chunks * threshold :]
        patterns_within(packed, rest, held[chunks], counts, scratch)
        out[c] = all_ones_estimate(counts, rest, absent, present)


@compiled()
def pattern_tables(packed: Any, everyone: Any, itemsets: Any, first: int, last: int, tables: Any) -> None:
    """The 2^n pattern counts C^D of itemsets first..last, a row each."""
    scratch = np.empty((itemsets.shape[1] + 1, packed.shape[1]), np.uint64)
    for c in range(first, last):
        patterns_within(packed, itemsets[c], everyone, tables[c], scratch)
