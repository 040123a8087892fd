"""Scores of rows by the patterns they hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled


@compiled()
def held_scores(codes: Any, starts: Any, places: Any, label: Any, contribution: Any, classes: int) -> Any:
    """[row, class]: the sum of the contributions of the patterns that a row of cells holds; a pattern is pairs of attribute and cell."""
    scores = np.zeros((codes.shape[0], classes))
    for r in range(codes.shape[0]):
        for e in range(label.size):
            held = True
            for k in range(starts[e], starts[e + 1]):
                if codes[r, places[k, 0]] != places[k, 1]:
                    held = False
                    break
            if held:
                scores[r, label[e]] += contribution[e]
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
