"""From random bytes to integers below a bound, and from those to reported codes. Integers only: no rounding anywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True)
def integers_below(
    stream: Any, width: int, first_byte_mask: int, limit: int, denominator: int, out: Any, start: int
) -> int:
    """Fill `out[start:]` with exact uniform integers below `denominator`; return how far it got.

    A candidate is `width` bytes read big-endian, its first byte masked; candidates at or above `limit` (the largest
    multiple of the denominator that fits) are thrown away, so every remainder is equally likely.
    """
    filled = start
    position = 0
    last = stream.size - width
    while filled < out.size and position <= last:
        candidate = np.int64(stream[position] & first_byte_mask)
        for i in range(1, width):
            candidate = (candidate << 8) | np.int64(stream[position + i])
        position += width
        if candidate < limit:
            out[filled] = candidate % denominator
            filled += 1
    return filled


@njit(cache=True)
def choose_even_mixture(codes: Any, draws: Any, own: int, other: int) -> Any:
    """Keep-or-one-of-the-others: weight `own` for the true code, `other` for each other code."""
    out = np.empty(codes.size, np.int64)
    for i in range(codes.size):
        draw = draws[i]
        if draw < own:
            out[i] = codes[i]
        else:
            z = (draw - own) // other
            out[i] = z + (z >= codes[i])
    return out


@njit(cache=True)
def choose_mixture(codes: Any, draws: Any, diagonal: int, replacement: Any, before: Any) -> Any:
    """Row x has weight diagonal + replacement[x] on x, then replacement[z] on the other codes in order."""
    out = np.empty(codes.size, np.int64)
    for i in range(codes.size):
        x = codes[i]
        draw = draws[i] - diagonal - replacement[x]
        if draw < 0:
            out[i] = x
        else:
            if draw >= before[x]:
                draw += replacement[x]
            out[i] = np.searchsorted(before, draw, side="right") - 1
    return out


@njit(cache=True)
def choose_table(codes: Any, draws: Any, cumulative: Any) -> Any:
    """Row x of `cumulative` holds running sums of weights; the first that exceeds the draw is reported."""
    out = np.empty(codes.size, np.int64)
    for i in range(codes.size):
        out[i] = np.searchsorted(cumulative[codes[i]], draws[i], side="right")
    return out


@njit(cache=True)
def choose_shift(codes: Any, draws: Any, cumulative: Any, lowest: int, last: int) -> Any:
    """Add a noise offset (running sums in `cumulative`, first offset `lowest`) and stop at the ends 0 and `last`."""
    out = np.empty(codes.size, np.int64)
    for i in range(codes.size):
        z = codes[i] + lowest + np.searchsorted(cumulative, draws[i], side="right")
        out[i] = min(max(z, 0), last)
    return out
