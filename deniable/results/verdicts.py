"""Verdicts: which of several differences are larger than chance explains, adjusted for their number; and how many answers would tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from deniable.core.estimate import Estimate
from deniable.planning.precision import MOST_ANSWERS, POWER

LEVEL = 0.05
"""How often even one of several verdicts may be wrong where nothing differs."""
SMALLEST = 1e-7
_NORMAL = NormalDist()


def p_value(estimate: Estimate) -> float:
    """One minus the largest level at which the interval of the (first) value excludes 0; 1 where none does.

    >>> round(p_value(Estimate([1.96], ["difference"], n=100, method="joint", covariance=[[1.0]], limits=None)), 3)
    0.05
    """
    if not estimate.has_interval:
        return 1.0

    def excluded(level: float) -> bool:
        low, high = (float(end[0]) for end in estimate.interval(level))
        return low > 0 or high < 0

    if excluded(1 - SMALLEST):
        return SMALLEST
    if not excluded(0.01):
        return 1.0
    # Levels near 1 matter most, so what is halved is the logarithm of what is left.
    low, high = math.log(SMALLEST), math.log(0.99)
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (low, middle) if excluded(1 - math.exp(middle)) else (middle, high)
    return math.exp(high)


def holm(p: Sequence[float], level: float = LEVEL) -> list[bool]:
    """Which of several differences are told, so that even one wrong verdict is no more frequent than `level` (Holm, 1979).

    >>> holm([0.01, 0.04, 0.03]), holm([0.01, 0.02, 0.03])
    ([True, False, False], [True, True, True])
    """
    told = [False] * len(p)
    for rank, place in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        if p[place] > level / (len(p) - rank):
            break
        told[place] = True
    return told


def more_answers(estimate: Estimate, verdicts: int = 1) -> int | None:
    """How many more answers would show a difference 8 times out of 10 if it is as large as estimated, rounded up to two figures: errors
    shrink with the root of the number of answers. None where it would take more than any survey gets.

    >>> more_answers(Estimate([0.05], ["difference"], n=1_000, method="joint", covariance=[[0.03**2]], limits=(-1.0, 1.0)))
    1900
    """
    if not estimate.error_is_known or not estimate.value[0]:
        return None
    wanted = _NORMAL.inv_cdf(1 - LEVEL / verdicts / 2) + _NORMAL.inv_cdf(POWER)
    times = (wanted * float(estimate.se[0]) / abs(float(estimate.value[0]))) ** 2
    if not 1 < times <= MOST_ANSWERS / max(estimate.n, 1):
        return None
    more = estimate.n * (times - 1)
    step = 10 ** max(0, math.floor(math.log10(more)) - 1)
    return int(step * math.ceil(more / step))
