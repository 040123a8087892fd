"""How many digits of an estimate's numbers are shown: as many as mean something, and as many in each line of a column."""

from __future__ import annotations

import math
from collections.abc import Sequence

SIGNIFICANT = 4
MOST_DIGITS = 10
ALIKE = 2
"""Lines whose digits differ by no more than this get the same number of them; a slope of 0.0003 below an intercept of 2,000 does not."""


def decimals(rows: Sequence[Sequence[float]]) -> list[int]:
    """How many digits stand behind the point in each line of numbers (a value and the ends of its interval).

    >>> decimals([[3.52, 2.931, 4.09], [3.7, 3.293, 4.148]]), decimals([[2_000.5, 1_900.0], [-0.000052, 0.0]]), decimals([[4, 4, 5]])
    ([3, 3], [1, 8], [0])
    """
    if all(number == round(number) for row in rows for number in row if math.isfinite(number)):
        return [0] * len(rows)
    alone = [_decimals_alone(row) for row in rows]
    known = [digits for digits in alone if digits is not None]
    if max(known) - min(known) <= ALIKE:
        return [max(known)] * len(rows)
    return [1 if digits is None else digits for digits in alone]


def _decimals_alone(row: Sequence[float]) -> int | None:
    """Those of one line by itself: four digits of its largest number count, and one is shown behind the point from 10 on."""
    largest = max((abs(number) for number in row if math.isfinite(number)), default=0.0)
    if largest == 0:
        return None
    return 1 if largest >= 10 else min(MOST_DIGITS, SIGNIFICANT - 1 - math.floor(math.log10(largest)))
