"""Baskets of the Quest generator: one pass over the transactions, each filled with corrupted patterns until it is full."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled
from deniable.kernels.copying import put

# A basket whose patterns bring nothing new any more (few items, or patterns that share theirs) is closed as it is.
STALE = 100


@compiled()
def corrupted(pattern: Any, level: float, rng: Any, kept: Any) -> int:
    """Drop random items of a pattern for as long as a draw lies below its corruption level; `kept` begins with the rest."""
    size = len(pattern)
    put(pattern, kept)
    while size > 0 and rng.random() < level:
        size -= 1
        out = int(rng.random() * (size + 1))
        kept[out] = kept[size]
    return size


@compiled()
def baskets(sizes: Any, starts: Any, patterns: Any, ends: Any, levels: Any, items: int, rng: Any) -> tuple[Any, Any]:
    """Items and offsets of one transaction for each wanted size.

    Pattern i is `patterns[starts[i]:starts[i + 1]]`, drawn where a uniform number first lies below `ends[i]`. A pattern that does not
    fit is put in all the same in half of the cases, and opens the next transaction otherwise (Agrawal and Srikant 1994, 2.4.3).
    """
    capacity = max(16, int(sizes.sum()) + int(sizes.sum()) // 4)
    out = np.empty(capacity, np.int32)
    offsets = np.zeros(len(sizes) + 1, np.int64)
    owner = np.full(items, -1, np.int64)
    kept = np.empty(items, np.int32)
    carried = np.empty(items, np.int32)
    carrying, used = 0, 0
    for row in range(len(sizes)):
        begin, wanted, stale = used, min(sizes[row], items), 0
        if used + items > len(out):
            larger = np.empty(2 * len(out) + items, np.int32)
            put(out[:used], larger)
            out = larger
        for k in range(carrying):
            owner[carried[k]] = row
            out[used] = carried[k]
            used += 1
        carrying = 0
        while used - begin < wanted and stale < STALE:
            chosen = min(np.searchsorted(ends, rng.random(), side="right"), len(ends) - 1)
            size = corrupted(patterns[starts[chosen] : starts[chosen + 1]], levels[chosen], rng, kept)
            new = 0
            for k in range(size):
                new += owner[kept[k]] != row
            stale = stale + 1 if new == 0 else 0
            # An empty basket takes its first pattern in any case: nobody goes to the till with nothing.
            if used > begin and used - begin + new > wanted and rng.random() < 0.5:
                put(kept[:size], carried)
                carrying = size
                break
            for k in range(size):
                if owner[kept[k]] != row:
                    owner[kept[k]] = row
                    out[used] = kept[k]
                    used += 1
        out[begin:used].sort()
        offsets[row + 1] = used
    return out[:used].copy(), offsets
