"""Give each report a reconstructed value, so that their counts follow an estimate. An assigned value is not a guess at a
person's truth: it only lets algorithms that need rows work on reconstructed distributions."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.domains.exact import Floats, Ints
from deniable.errors import ParameterError


def target_counts(shares: Any, n: int) -> Ints:
    """Whole numbers that sum to n and follow the shares, by largest remainder, ties to the lowest value.

    >>> target_counts([0.5, 0.3, 0.2], 7).tolist()
    [4, 2, 1]
    >>> target_counts([0.01, 0.43, 0.56], 250).tolist()     # remainders of 0.5 in 2.5 and 107.5: the lower value has it
    [3, 107, 140]
    """
    exact = np.asarray(shares, dtype=np.float64)
    if exact.ndim != 1 or (exact < 0).any() or exact.sum() <= 0:
        raise ParameterError(
            "assign_shares",
            "Shares to assign by must be non-negative and not all 0, got {got}; project them first.",
            got=exact[:20].tolist(),
        )
    exact = exact / exact.sum() * n
    floor: Ints = np.floor(exact + 1e-9).astype(np.int64)
    # Remainders that differ only by the rounding of floats are ties.
    order = np.argsort(-np.round(exact - floor, 9), kind="stable")
    floor[order[: n - int(floor.sum())]] += 1
    return floor


def arvesna(reports: Any, shares: Any, channel: Channel, test: Collection[Any] | None = None) -> Ints:
    """ARVeSNA (thesis 3.7.2): codes of reconstructed values for reports of a nominal attribute.

    Where a value was reported more often than the shares allow, its first rows get, value by value in ascending order, the
    missing value that is most likely to be reported like this (ties to the lowest). With `test` (the labels that pass it), missing
    values on the same side of the test come first if an answer is kept with probability above 1/2, on the other side if below.

    >>> import deniable as dn
    >>> arvesna(["a", "a", "a", "b"], [0.5, 0.5], dn.KRR(dn.Nominal(["a", "b"]), 0.75)).tolist()
    [1, 0, 0, 1]
    """
    if channel.domain.size != channel.reported.size:
        raise ParameterError("assign_labels", "ARVeSNA needs a channel that reports the labels of its own domain.")
    codes = channel.reported.encode(reports, "reports")
    k = channel.domain.size
    delta = np.bincount(codes, minlength=k) - target_counts(shares, len(codes))
    P = channel.matrix()
    passes = np.zeros(k, dtype=bool)
    if test is not None:
        passes[[channel.domain.code_of(label) for label in test]] = True
    same_side_first = float(np.diag(P).mean()) > 0.5
    assigned = codes.copy()
    for i in np.flatnonzero(delta > 0):
        rows = np.flatnonzero(codes == i)
        given = 0
        preferred = (passes == passes[i]) == same_side_first if test is not None else np.ones(k, dtype=bool)
        # Sorted by preference, then by P(j reported as i) falling; a stable sort leaves ties with the lowest value.
        for j in sorted(np.flatnonzero(delta < 0), key=lambda j: (not preferred[j], -P[j, i], j)):
            moved = min(delta[i], -delta[j])
            assigned[rows[given : given + moved]] = j
            given += moved
            delta[i] -= moved
            delta[j] += moved
            if delta[i] == 0:
                break
    return assigned


def assign_sorted(reports: Any, shares: Any) -> Ints:
    """Sorted assignment for numbers: the smallest reports get the first bin, as many as its share, and so on (rows in order where equal).

    >>> assign_sorted([5.0, 1.0, 3.0, 2.0], [0.25, 0.75]).tolist()
    [1, 0, 1, 1]
    """
    values: Floats = np.asarray(reports, dtype=np.float64)
    assigned = np.empty(len(values), dtype=np.int64)
    assigned[np.argsort(values, kind="stable")] = np.repeat(np.arange(len(shares)), target_counts(shares, len(values)))
    return assigned
