"""Whether the order of rows tells the answers: a file that was sorted by them gives them away, however they are redrawn."""

from __future__ import annotations

from typing import Any

import numpy as np


def sorted_by_answers(groups: Any, answers: Any) -> tuple[float, float]:
    """How far neighbours of a group agree above chance: from 0 (chance) to 1 (as in a sorted file), and in standard errors.

    Rows of a group are taken in the order of the file; pairs that follow each other and have equal answers are counted and compared with
    all orders being equally likely (the variance is that of the number of runs of several kinds, Barton and David 1957). Within groups,
    because an order by what is published anyway, such as the town, tells nothing more.

    >>> import numpy as np
    >>> everyone = np.zeros(8, int)
    >>> sorted_by_answers(everyone, np.array([0, 0, 0, 0, 1, 1, 1, 1]))[0]
    1.0
    >>> sorted_by_answers(everyone, np.array([0, 1, 0, 1, 0, 1, 0, 1]))[0] < 0
    True
    """
    order = np.argsort(groups, kind="stable")
    own, told = np.asarray(groups)[order].astype(np.int64), np.asarray(answers)[order].astype(np.int64)
    found = float(((own[1:] == own[:-1]) & (told[1:] == told[:-1])).sum())
    # Counts of the answers that a group has, not of all it could have: there may be many of both.
    pairs, counts = np.unique(own * (told.max() + 1) + told, return_counts=True)
    group = pairs // (told.max() + 1)
    kinds, n, squares, cubes = (np.bincount(group, counts.astype(np.float64) ** power) for power in range(4))
    several = n > 1
    kinds, n, squares, cubes = kinds[several], n[several], squares[several], cubes[several]
    expected = ((squares - n) / n).sum()
    variance = ((squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3) / (n**2 * (n - 1))).sum()
    most = (n - kinds).sum()
    if variance <= 0 or most <= expected:
        return 0.0, 0.0
    return float((found - expected) / (most - expected)), float((found - expected) / np.sqrt(variance))
