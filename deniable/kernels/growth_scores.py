"""Score tests of growth rates: the support in a class is m times that among the others; which m are not refuted?

A growth rate is an angle t with tan t = m, so that 0 and infinity are values like any other. If the supports lay on the ray of t, the
likeliest point of it is found by halving (of undistorted rows it is the maximum of the likelihood), the errors are those at that point,
and (support cos t - other sin t) is compared with them: Koopman's interval of a ratio of two shares, for weighted rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled

HALVINGS = 40
SMALLEST = 1e-300
CLOSE = 1e-10


@compiled()
def _spread(s: float, moments: Any) -> Any:
    """The variance of a mean of weights if the support were s: of what was seen, or of what must at least be seen."""
    seen = moments[1] + moments[2] * (s - moments[0])
    possible = moments[3] * s + moments[4] * (1 - s)
    return max(max(seen, possible) - s * s, SMALLEST) / moments[5]


@compiled()
def _test(angle: float, own: Any, other: Any) -> Any:
    """How many standard errors the supports lie from the ray of an angle: positive if the growth rate seems larger."""
    up, across = math.sin(angle), math.cos(angle)
    # No share is below 0, whatever its unbiased estimate.
    mean, mean_other = max(own[0], 0.0), max(other[0], 0.0)
    low, high = 0.0, 1 / max(up, across)
    for _ in range(HALVINGS):
        r = 0.5 * (low + high)
        pull = up * (mean - r * up) / _spread(r * up, own) + across * (mean_other - r * across) / _spread(r * across, other)
        if pull > 0:
            low = r
        else:
            high = r
    r = 0.5 * (low + high)
    variance = across**2 * _spread(r * up, own) + up**2 * _spread(r * across, other)
    return (mean * across - mean_other * up) / math.sqrt(variance)


@compiled()
def _where(limit: float, own: Any, other: Any) -> float:
    """The angle at which the test, which falls as the angle grows, passes a limit: by chords, and by halves where one end stays."""
    low, high = 0.0, 0.5 * math.pi
    at_low, at_high = _test(low, own, other) - limit, _test(high, own, other) - limit
    if at_low <= 0:
        return low
    if at_high >= 0:
        return high
    for step in range(HALVINGS):
        middle = 0.5 * (low + high) if step % 3 == 2 else (low * at_high - high * at_low) / (at_high - at_low)
        at_middle = _test(middle, own, other) - limit
        if at_middle > 0:
            low, at_low = middle, at_middle
        else:
            high, at_high = middle, at_middle
        if high - low < CLOSE or abs(at_middle) < CLOSE:
            return middle
    return 0.5 * (low + high)


@compiled()
def growth_tests(own: Any, other: Any, angle: float) -> Any:
    """The test of one growth rate for many patterns; each has (mean, mean square, slope, E[w^2 | all true], least, rows) on both sides."""
    found = np.empty(own.shape[0])
    for i in range(found.size):
        found[i] = _test(angle, own[i], other[i])
    return found


@compiled()
def growth_ends(own: Any, other: Any, z: float) -> tuple[Any, Any]:
    """The smallest and largest growth rates that are not refuted, the latter perhaps infinite."""
    low = np.empty(own.shape[0])
    high = np.empty(own.shape[0])
    for i in range(low.size):
        first, last = _where(z, own[i], other[i]), _where(-z, own[i], other[i])
        low[i] = math.tan(first) if first < 0.5 * math.pi else np.inf
        high[i] = math.tan(last) if last < 0.5 * math.pi else np.inf
    return low, high
