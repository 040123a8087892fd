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
    own, told = np.asarray(groups)[order], np.asarray(answers)[order]
    follows = own[1:] == own[:-1]
    found = float((follows & (told[1:] == told[:-1])).sum())
    counts = np.zeros((int(own[-1]) + 1, int(told.max()) + 1))
    np.add.at(counts, (own, told), 1)
    counts = counts[counts.sum(axis=1) > 1]
    n = counts.sum(axis=1)
    squares, cubes = (counts**2).sum(axis=1), (counts**3).sum(axis=1)
    expected = ((squares - n) / n).sum()
    variance = ((squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3) / (n**2 * (n - 1))).sum()
    most = (n - (counts > 0).sum(axis=1)).sum()
    if variance <= 0 or most <= expected:
        return 0.0, 0.0
    return float((found - expected) / (most - expected)), float((found - expected) / np.sqrt(variance))
