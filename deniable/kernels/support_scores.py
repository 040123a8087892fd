"""Score intervals of the supports of many itemsets at once, and what a frame tells about them before all are found.

`mining.supports.support_interval` says what the intervals are; of what level they are is known only after a search.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled

HALF_ROOT = math.sqrt(0.5)


@compiled()
def _ends(centre: float, given: float, others: float, n: float, z2: float, respondents: bool) -> tuple[float, float]:
    """As `core.intervals.score_interval`, of one share."""
    square = n if respondents else n + z2
    linear = -2 * n * centre - z2 * (given - 1 - others if respondents else given - others)
    constant = n * centre**2 - z2 * others
    root = np.sqrt(max(linear**2 - 4 * square * constant, 0.0))
    half = 0.5 / square
    return half * (-linear - root), half * (-linear + root)


@compiled()
def support_ends(
    total: Any, second: Any, third: Any, itemsets: Any, true: Any, false: Any, n: int, z2: float, respondents: bool
) -> tuple[Any, Any]:
    """Lower and upper ends, from the sums of weights, of their squares and cubes, and the items' E[w^2 | true] and E[w^2 | not]."""
    low = np.empty(total.size)
    high = np.empty(total.size)
    smaller = np.minimum(true, false)
    share = 1 / n
    for c in range(total.size):
        given = least = 1.0
        for k in range(itemsets.shape[1]):
            item = itemsets[c, k]
            given *= true[item]
            least *= smaller[item]
        if least == given:
            # At least one item is missing; where all are least when true, the cheapest is made false.
            cheapest = np.inf
            for k in range(itemsets.shape[1]):
                cheapest = min(cheapest, false[itemsets[c, k]] / true[itemsets[c, k]])
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


@compiled()
def support_columns(sums: Any, asked: Any) -> Any:
    """Three rows: the supports, their standard errors, and how probably the truth reaches `least`.

    `sums` are those of the weights and of their squares; `asked` is (n, least, least but for rounding, whether errors are for the
    respondents).
    """
    n, least, rounded, respondents = asked
    totals, seconds = sums
    columns = np.empty((3, totals.size))
    for c in range(totals.size):
        total = totals[c]
        support = total / n
        error = math.sqrt(max(seconds[c] - (total if respondents else total**2 / n), 0.0)) / n
        columns[0, c] = support
        columns[1, c] = error
        if error > 0:
            columns[2, c] = 0.5 * math.erfc((least - support) / error * HALF_ROOT)
        else:
            columns[2, c] = 1.0 if support >= rounded else 0.0
    return columns


@compiled()
def shrunk_columns(sums: Any, drawn: Any, asked: Any) -> Any:
    """As `support_columns`, where supports are not the unbiased ones: `drawn` are these supports and their errors by the randomisation."""
    n, least, rounded, respondents = asked
    totals, seconds = sums
    supports, errors = drawn
    columns = np.empty((3, totals.size))
    for c in range(totals.size):
        total, support = totals[c], supports[c]
        columns[0, c] = support
        columns[1, c] = math.sqrt(max(seconds[c] - (total if respondents else total**2 / n), 0.0)) / n
        sampling = 0.0 if respondents else min(max(support * (1 - support), 0.0), 0.25) / n
        error = math.sqrt(errors[c] ** 2 + sampling)
        if error > 0:
            columns[2, c] = 0.5 * math.erfc((least - support) / error * HALF_ROOT)
        else:
            columns[2, c] = 1.0 if support >= rounded else 0.0
    return columns
