"""Exact integer draws from a stream of bytes.

People are protected by bytes of the operating system; simulations use a numpy Generator. Both pass through the
same rejection sampler, so a simulation exercises the code that protects.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from deniable.core.domains.exact import LARGEST_DENOMINATOR, Floats, Ints
from deniable.errors import ParameterError

ByteSource = Callable[[int], bytes]

PIECE = 1 << 16
"""Draws are made in pieces of this many: small enough for a piece to stay in the processor's cache."""


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
    """How candidates for a draw below `denominator` are read: bytes each, bits kept, and the limit of acceptance.

    A candidate is 1, 2, 4 or 8 bytes, the lowest first, of which at most 53 bits are kept so that a browser's numbers hold it
    exactly. Candidates below the largest multiple of the denominator are accepted: every remainder is equally likely then.

    >>> candidate_shape(40), candidate_shape(2**32), candidate_shape(2**40)
    ((1, 8, 240), (4, 32, 4294967296), (8, 53, 9007199254740992))
    """
    width = next(width for width in (1, 2, 4, 8) if denominator <= 1 << 8 * width)
    bits = min(8 * width, 53)
    return width, bits, (1 << bits) // denominator * denominator


def integers_below(denominator: int, n: int, source: ByteSource) -> Ints:
    """`n` exact uniform integers in [0, denominator).

    >>> stream = iter([bytes([250, 41, 7])])     # 250 is above the limit of 240: thrown away
    >>> integers_below(40, 2, lambda n: next(stream)).tolist()
    [1, 7]
    """
    out = np.empty(n, dtype=np.int64)
    for place, draws in integers_in_pieces(denominator, n, source):
        out[place] = draws
    return out


def integers_in_pieces(denominator: int, n: int, source: ByteSource) -> Iterator[tuple[slice, Ints]]:
    """The same, piece by piece, each with its place."""
    if not 1 <= denominator <= LARGEST_DENOMINATOR:
        raise ParameterError("denominator", "A denominator must lie in 1..2**53-1, got {got}.", got=denominator)
    width, bits, limit = candidate_shape(denominator)
    places = [slice(begin, min(begin + PIECE, n)) for begin in range(0, n, PIECE)]
    needed = [_candidates(place.stop - place.start, limit / (1 << bits)) * width for place in places]
    for place, stream in zip(places, _fetched_ahead(source, needed), strict=True):
        out = np.empty(place.stop - place.start, dtype=np.int64)
        filled = _fill(stream, denominator, out, 0)
        while filled < out.size:
            filled = _fill(source(_candidates(out.size - filled, limit / (1 << bits)) * width), denominator, out, filled)
        yield place, out


def _candidates(wanted: int, acceptance: float) -> int:
    """How many candidates will hardly ever be too few."""
    return wanted if acceptance == 1 else math.ceil(wanted / acceptance + 4 * math.sqrt(wanted))


def _fill(stream: bytes, denominator: int, out: Ints, start: int) -> int:
    width, bits, limit = candidate_shape(denominator)
    candidates = np.frombuffer(stream[: len(stream) // width * width], dtype=f"<u{width}")
    if denominator == 1 << bits:
        taken = min(candidates.size, out.size - start)
        out[start : start + taken] = candidates[:taken]
        return start + taken
    # numba is imported by the kernels; waiting until the first draw keeps building a schema quick.
    from deniable.kernels.draws import remainders

    exact = candidates.dtype.type
    return int(remainders(candidates, exact((1 << bits) - 1), exact(limit - 1), exact(denominator), out, start))


def _fetched_ahead(source: ByteSource, sizes: list[int]) -> Iterator[bytes]:
    """Byte strings of the given sizes. The operating system's are fetched while the ones before are used: making them
    costs as much as using them, and a second core is often idle."""
    if len(sizes) < 3 or source is not os.urandom:
        for size in sizes:
            yield source(size)
        return
    with ThreadPoolExecutor(1) as fetcher:
        waiting = fetcher.submit(source, sizes[0])
        for size in sizes[1:]:
            ready = waiting.result()
            waiting = fetcher.submit(source, size)
            yield ready
        yield waiting.result()


def unit_interval(n: int, source: ByteSource) -> Floats:
    """`n` floats strictly between 0 and 1, for channels in floating point (simulation only)."""
    # 52 bits: with 53 the half would be lost in rounding and the largest draw would be 1.
    bits = np.frombuffer(source(8 * n), dtype=np.uint64) >> np.uint64(12)
    return (bits.astype(np.float64) + 0.5) * 2.0**-52
