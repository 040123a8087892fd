"""Scores of rows by the patterns they hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.bits import popcount
from deniable.kernels.compiling import compiled

BLOCK = 4_096
"""So many rows are looked at together: their bits stay in the cache."""


@compiled()
def _item_bits(codes: Any, offsets: Any, bits: Any) -> None:
    """Which rows have which cell, as bits; `offsets` say where the cells of each attribute begin."""
    bits[:] = np.uint64(0)
    for r in range(codes.shape[0]):
        bit = np.uint64(1) << np.uint64(r & 63)
        for i in range(codes.shape[1]):
            # Cells that no pattern has are beyond what there is room for.
            if 0 <= codes[r, i] < offsets[i + 1] - offsets[i]:
                bits[offsets[i] + codes[r, i], r >> 6] |= bit


@compiled()
def held_scores(codes: Any, starts: Any, places: Any, label: Any, contribution: Any, classes: int) -> Any:
    """[row, class]: the sum of the contributions of the patterns that a row of cells holds; a pattern is pairs of attribute and cell.

    Pattern by pattern, 64 rows at a time: of many rows most hold few patterns, and nothing is done for the others.
    """
    scores = np.zeros((codes.shape[0], classes))
    offsets = np.zeros(codes.shape[1] + 1, np.int64)
    for k in range(places.shape[0]):
        offsets[places[k, 0] + 1] = max(offsets[places[k, 0] + 1], places[k, 1] + 1)
    for i in range(codes.shape[1]):
        offsets[i + 1] += offsets[i]
    bits = np.empty((offsets[-1], (min(BLOCK, codes.shape[0]) + 63) // 64), np.uint64)
    for first in range(0, codes.shape[0], BLOCK):
        last = min(first + BLOCK, codes.shape[0])
        _item_bits(codes[first:last], offsets, bits)
        for e in range(label.size):
            for w in range((last - first + 63) // 64):
                held = ~np.uint64(0)
                for k in range(starts[e], starts[e + 1]):
                    held &= bits[offsets[places[k, 0]] + places[k, 1], w]
                    if not held:
                        break
                while held:
                    below = (held & (~held + np.uint64(1))) - np.uint64(1)
                    scores[first + 64 * w + np.int64(popcount(below)), label[e]] += contribution[e]
                    held &= held - np.uint64(1)
    return scores


@compiled()
def expected_scores(
    codes: Any, offsets: Any, sizes: Any, chances: Any, starts: Any, places: Any, label: Any, contribution: Any, classes: int
) -> Any:
    """The same, expected: attribute i reported as z is in cell x with chance chances[offsets[i] + z * sizes[i] + x]."""
    scores = np.zeros((codes.shape[0], classes))
    for r in range(codes.shape[0]):
        for e in range(label.size):
            chance = 1.0
            for k in range(starts[e], starts[e + 1]):
                i = places[k, 0]
                chance *= chances[offsets[i] + codes[r, i] * sizes[i] + places[k, 1]]
                if chance == 0.0:
                    break
            scores[r, label[e]] += chance * contribution[e]
    return scores


@compiled()
def held_by(codes: Any, starts: Any, places: Any) -> Any:
    """Which patterns one row of cells holds."""
    held = np.ones(starts.size - 1, np.bool_)
    for e in range(held.size):
        for k in range(starts[e], starts[e + 1]):
            if codes[places[k, 0]] != places[k, 1]:
                held[e] = False
                break
    return held
