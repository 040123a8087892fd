"""e to a power that is not positive, written out so that processors work out several at a time."""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled

PER_LN2 = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
"""ln 2 in two parts: products of the first with whole numbers below 2^11 are exact."""
ROUNDS = 1.5 * 2.0**52
"""Added to a number it leaves no room for fractions, and the last bits are the whole number."""
LOWEST = -700.0
"""Beyond, a power is no normal number any more."""
C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13 = (1 / factorial(k) for k in range(2, 14))


@compiled(error_model="numpy", inline="always")
def exponential(power: Any) -> Any:
    """e^power for power <= 0, to the last digit or two; what is smaller than e^-700 is given as that."""
    x = power if power > LOWEST else LOWEST
    shifted = x * PER_LN2 + ROUNDS
    whole = shifted - ROUNDS
    r = x - whole * LN2_HIGH - whole * LN2_LOW
    # In pairs, not one after the other: processors do not wait for what does not depend on each other.
    r2 = r * r
    r4 = r2 * r2
    low = 1.0 + r + r2 * (C2 + r * C3)
    middle = C4 + r * C5 + r2 * (C6 + r * C7)
    high = C8 + r * C9 + r2 * (C10 + r * C11) + r4 * (C12 + r * C13)
    value = low + r4 * (middle + r4 * high)
    # The exponent's bits of a number are the whole number and 1023.
    return value * np.int64((np.float64(shifted).view(np.int64) + 1023) << 52).view(np.float64)
