"""From random bytes to integers below a bound, and from those to reported codes. Integers only: no rounding anywhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled


@compiled()
def remainders(candidates: Any, mask: Any, last: Any, denominator: Any, out: Any, start: int) -> int:
    """Fill `out[start:]` with candidate % denominator for the masked candidates up to `last`; return how far it got.

    All scalars have the candidates' own unsigned type: a division of 32 bits is quicker than one of 64.
    """
    filled = start
    for i in range(candidates.size):
        candidate = candidates[i] & mask
        if candidate <= last:
            out[filled] = candidate % denominator
            filled += 1
            if filled == out.size:
                break
    return filled


@compiled()
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


@compiled()
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


@compiled()
def choose_table(codes: Any, draws: Any, cumulative: Any) -> Any:
    """Row x of `cumulative` holds running sums of weights; the first that exceeds the draw is reported."""
    out = np.empty(codes.size, np.int64)
    for i in range(codes.size):
        out[i] = np.searchsorted(cumulative[codes[i]], draws[i], side="right")
    return out


@compiled()
def choose_shift(codes: Any, draws: Any, cumulative: Any, guide: Any, drop: int, lowest: int, last: int) -> Any:
    """Add a noise offset (running sums in `cumulative`, first offset `lowest`) and stop at the ends 0 and `last`.

    `guide[draw >> drop]` is where the search may begin, so it is rarely more than a step long.
    """
    out = np.empty(codes.size, np.int64)
    for i in range(codes.size):
        draw = draws[i]
        offset = guide[draw >> drop]
        while cumulative[offset] <= draw:
            offset += 1
        out[i] = min(max(codes[i] + lowest + offset, 0), last)
    return out
