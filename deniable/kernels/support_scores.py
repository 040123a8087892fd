"""Score intervals of the supports of many itemsets at once; `mining.supports.support_interval` says what they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _ends(centre: float, given: float, others: float, n: float, z2: float, respondents: bool) -> tuple[float, float]:
    """As `core.intervals.score_interval`, of one share."""
    square = n if respondents else n + z2
    linear = -2 * n * centre - z2 * (given - 1 - others if respondents else given - others)
    constant = n * centre**2 - z2 * others
    root = np.sqrt(max(linear**2 - 4 * square * constant, 0.0))
    half = 0.5 / square
    return half * (-linear - root), half * (-linear + root)


@njit(cache=True, nogil=True)
def support_ends(
    total: Any, second: Any, third: Any, itemsets: Any, true: Any, false: Any, n: int, z2: float, respondents: bool
) -> tuple[Any, Any]:
    """Lower and upper ends, from the sums of weights, of their squares and cubes, and the items' E[w^2 | true] and E[w^2 | not]."""
    low = np.empty(total.size)
    high = np.empty(total.size)
    smaller, ratio = np.minimum(true, false), false / true
    share = 1 / n
    for c in range(total.size):
        given = least = 1.0
        forced = True
        cheapest = np.inf
        for k in range(itemsets.shape[1]):
            item = itemsets[c, k]
            given *= true[item]
            least *= smaller[item]
            forced = forced and smaller[item] < false[item]
            cheapest = min(cheapest, ratio[item])
        if forced:
            # At least one item is lacking; where all are least when true, the cheapest is made false.
            least *= cheapest
        v, m2, m3 = share * total[c], share * second[c], share * third[c]
        together, alone = (m3 - v * given, m2 - v) if respondents else (m3 - m2 * v, m2 - v**2)
        slope = together / alone if alone > 1e-12 * max(m2, 1e-300) else 0.0
        others = m2 - slope * v
        seen = _ends(v, others + slope, others, float(n), z2, respondents)
        possible = _ends(v, given, least, float(n), z2, respondents)
        low[c] = min(seen[0], possible[0])
        high[c] = max(seen[1], possible[1])
    return low, high
