"""Exact integer draws from a stream of bytes.

People are protected by bytes of the operating system; simulations use a numpy Generator. Both pass through the
same rejection sampler, so a simulation exercises the code that protects.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable

import numpy as np

from deniable.core.exact import LARGEST_DENOMINATOR, Floats, Ints
from deniable.errors import ParameterError

ByteSource = Callable[[int], bytes]

# Small enough for the bytes of one piece to stay in the processor's cache.
PIECE = 1 << 16


def byte_source(rng: np.random.Generator | None) -> ByteSource:
    """Bytes from the operating system's CSPRNG (None) or, for simulation only, from a numpy Generator.

    >>> len(byte_source(None)(5))
    5
    """
    if rng is None:
        return os.urandom
    if not isinstance(rng, np.random.Generator):
        raise ParameterError(
            "not_a_generator",
            "rng must be None (the operating system's randomness) or a numpy Generator for simulation, got {got}; "
            "use numpy.random.default_rng(seed).",
            got=type(rng).__name__,
        )
    return lambda n: rng.integers(0, 2**64, size=(n + 7) // 8, dtype=np.uint64).tobytes()[:n]


def candidate_shape(denominator: int) -> tuple[int, int, int]:
    """How candidates below `denominator` are read: bytes each, mask of the first byte, and the limit of acceptance.

    The shortest whole number of bytes is taken, at most 53 bits of it, so that a browser's numbers hold it exactly.

    >>> candidate_shape(40)
    (1, 255, 240)
    """
    width = max(1, ((denominator - 1).bit_length() + 7) // 8)
    bits = min(8 * width, 53)
    mask = (1 << (bits - 8 * (width - 1))) - 1
    return width, mask, (1 << bits) // denominator * denominator


def integers_below(denominator: int, n: int, source: ByteSource) -> Ints:
    """`n` exact uniform integers in [0, denominator).

    >>> stream = iter([bytes([250, 41, 7])])     # 250 is above the limit of 240: thrown away
    >>> integers_below(40, 2, lambda n: next(stream)).tolist()
    [1, 7]
    """
    # numba is imported by the kernels; waiting until the first draw keeps building a schema quick.
    from deniable.kernels.draws import integers_below as fill

    if not 1 <= denominator <= LARGEST_DENOMINATOR:
        raise ParameterError("denominator", "A denominator must lie in 1..2**53-1, got {got}.", got=denominator)
    width, mask, limit = candidate_shape(denominator)
    acceptance = limit / (1 << min(8 * width, 53))
    out = np.empty(n, dtype=np.int64)
    for begin in range(0, n, PIECE):
        piece = out[begin : begin + PIECE]
        filled = 0
        while filled < piece.size:
            wanted = piece.size - filled
            candidates = math.ceil(wanted / acceptance + 4 * math.sqrt(wanted)) if acceptance < 1 else wanted
            stream = np.frombuffer(source(candidates * width), dtype=np.uint8)
            filled = fill(stream, width, mask, limit, denominator, piece, filled)
    return out


def unit_interval(n: int, source: ByteSource) -> Floats:
    """`n` floats strictly between 0 and 1, for channels in floating point (simulation only)."""
    bits = np.frombuffer(source(8 * n), dtype=np.uint64) >> np.uint64(11)
    floats: Floats = (bits + 0.5) * 2.0**-53
    return floats
