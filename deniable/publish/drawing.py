"""Exact draws of answers: integer weights, random bytes, and no floating point in between."""

from __future__ import annotations

import numpy as np

from deniable.core.channels.sampling import byte_source
from deniable.core.domains.exact import Ints
from deniable.publish.tree import CHUNK

BITS = 53


def draw_codes(place: Ints, cumulative: Ints, rng: np.random.Generator | None, bits: int = BITS) -> Ints:
    """One draw per row from running sums of integer weights, by rejection on random bytes: exact, however the weights are.

    `place` says which row of `cumulative` each person draws from; `rng=None`: the system's randomness.

    >>> draw_codes(np.array([0, 1, 1]), np.array([[1, 1], [0, 7]]), None).tolist()
    [0, 1, 1]
    """
    # Compiled with its first use.
    from deniable.kernels.deniability import draw

    source = byte_source(rng)
    out = np.empty(len(place), np.int64)
    for begin in range(0, len(place), CHUNK):
        drawn = out[begin : begin + CHUNK]
        leaf = np.ascontiguousarray(place[begin : begin + CHUNK])
        waiting = np.arange(len(drawn))
        while waiting.size:
            candidates = np.frombuffer(source(8 * waiting.size), dtype="<u8")
            waiting = waiting[: draw(leaf, cumulative, candidates, bits, drawn, waiting)]
    return out
