"""How sure the answers of groups make an attacker: one row of counts per group, one column per answer."""

from __future__ import annotations

import numpy as np

from deniable.core.domains.exact import Floats, Ints


def surest_if_ruled_out(counts: Ints) -> Floats:
    """For every group the largest share of an answer among those who did not give another one, whichever that is.

    >>> surest_if_ruled_out(np.array([[90, 9, 1], [5, 5, 0]])).round(3).tolist()
    [0.989, 1.0]
    """
    top = np.sort(counts, axis=1)[:, ::-1]
    # Ruling out the second answer leaves the first the surest; where nobody is left beside it, the attacker is sure.
    return np.asarray(top[:, 0] / (counts.sum(axis=1) - top[:, 1]))


def times_as_frequent(counts: Ints) -> Floats:
    """For every group how many times as frequent each answer is there as among all rows; 0 where nobody gave it.

    >>> times_as_frequent(np.array([[30, 10], [50, 10]])).round(3).tolist()
    [[0.938, 1.25], [1.042, 0.833]]
    """
    whole = counts.sum(axis=0) / counts.sum()
    shares = counts / counts.sum(axis=1, keepdims=True)
    times: Floats = np.divide(shares, whole, where=whole > 0, out=np.zeros_like(shares))
    return times
