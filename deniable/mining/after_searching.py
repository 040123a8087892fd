"""Intervals of what a search has found: the level that each needs so that few of those reported miss (Benjamini and Yekutieli 2005).

A search reports what *looks* frequent, and of that more than 5% of plain 95% intervals miss: those that were overestimated were more likely
to be found. If R of m estimates are reported, whichever they are and however they depend on each other, intervals of the level

    1 - q R / (m (1 + 1/2 + ... + 1/m))

make the share that misses at most q on average (0 where nothing is reported). That holds for every rule of choosing, so for pruning
by length, for shrunk supports, for filters and for rules chosen by several measures at once, and for every m that is fixed. How many
candidates a search looks at depends on the data; for that there is no proof, only simulation (`python -m benchmarks.after_searching`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from deniable.errors import ParameterError

AFTER_SEARCHING = "after searching"
NAMED_BEFOREHAND = "named beforehand"
INTERVALS = (AFTER_SEARCHING, NAMED_BEFOREHAND)
SUREST = 1e-12
"""No interval misses less often than this: so far out (seven standard errors) no normal approximation means anything."""


def level_of_each(level: float, reported: int, candidates: int) -> float:
    """The level of each interval of which `reported` are shown of as many candidates, so that a share of at most 1 - level misses.

    >>> round(level_of_each(0.95, 30, 1_000), 6)
    0.9998
    >>> round(level_of_each(0.95, 1, 1), 6)
    0.95
    """
    candidates = max(candidates, reported, 1)
    missed = (1 - level) * max(reported, 1) / (candidates * harmonic(candidates))
    return 1 - max(missed, SUREST)


def harmonic(n: int) -> float:
    """1 + 1/2 + ... + 1/n, beyond a few terms by Euler's expansion.

    >>> round(harmonic(4), 6), round(harmonic(1_000), 6)
    (2.083333, 7.485471)
    """
    if n <= 30:
        return sum(1 / k for k in range(1, n + 1))
    return math.log(n) + 0.5772156649015329 + 1 / (2 * n) - 1 / (12 * n**2)


def rules_of(candidates: Sequence[int]) -> int:
    """How many rules candidate itemsets make, from how many candidates of 1, 2, ... items there are: every split into two sides.

    >>> rules_of([20, 10, 2])
    32
    """
    return sum(number * ((1 << length) - 2) for length, number in enumerate(candidates, start=1))


def check_interval(given: Any) -> None:
    """Refuse what is not a kind of interval."""
    if given not in INTERVALS:
        raise ParameterError("interval", "interval must be one of {allowed}, got {got!r}.", allowed=list(INTERVALS), got=given)
