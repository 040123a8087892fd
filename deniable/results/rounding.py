"""How exactly means are written: two figures of half the length of their interval, and not more. Shares have their own rule."""

from __future__ import annotations

import math

from deniable.results.words import Said

EXACT = 6
"""Figures of a number that is known exactly."""


def decimals(low: float, high: float) -> int:
    """After how many decimals a number between these ends is cut off; less than 0 where tens or hundreds are not known either.

    >>> decimals(2.97, 3.08), decimals(48.1, 53.3), decimals(21_000, 24_500), decimals(7.25, 7.25)
    (3, 1, -2, 5)
    """
    half = (high - low) / 2
    if half > 0:
        # Nearly 1 is 1: else the same error would now and then have a figure more.
        return 1 - math.floor(math.log10(half) + 1e-9)
    size = max(abs(low), abs(high))
    return max(0, EXACT - 1 - math.floor(math.log10(size))) if size else 0


def supported(number: float, low: float, high: float, said: Said, signed: bool = False) -> str:
    """A mean, or a difference of means, as exactly as its interval supports.

    >>> from deniable.results.words import said_in
    >>> supported(3.02149, 2.97, 3.08, said_in("pl")), supported(22_749.3, 21_000, 24_500, said_in("en"))
    ('3,021', '22,700')
    """
    return _written(round(number, decimals(low, high)), low, high, said, signed)


def supported_ends(low: float, high: float, said: Said, signed: bool = False) -> tuple[str, str]:
    """The ends of an interval, rounded outward to the same place.

    >>> from deniable.results.words import said_in
    >>> supported_ends(2.96961, 3.08012, said_in("en")), supported_ends(-0.31, 0.12, said_in("en"), signed=True)
    (('2.969', '3.081'), ('\u22120.31', '+0.12'))
    """
    times = 10.0 ** decimals(low, high)
    # A hair's breadth of rounding is no reason to go to the next number.
    ends = math.floor(low * times + 1e-6) / times, math.ceil(high * times - 1e-6) / times
    return _written(ends[0], low, high, said, signed), _written(ends[1], low, high, said, signed)


def at_most(number: float, said: Said) -> str:
    """What a number moves by at most: two figures, rounded up.

    >>> from deniable.results.words import said_in
    >>> at_most(154.2, said_in("en")), at_most(12_345.0, said_in("en")), at_most(0.0312, said_in("pl")), at_most(0.0, said_in("pl"))
    ('160', '13,000', '0,032', '0')
    """
    size = abs(number)
    if size == 0:
        return said.words.number(0, ".0f")
    places = 1 - math.floor(math.log10(size))
    times = 10.0**places
    up = math.ceil(size * times - 1e-6) / times
    return said.words.number(up, f",.{max(0, places)}f")


def _written(number: float, low: float, high: float, said: Said, signed: bool) -> str:
    # Adding 0 takes the sign from -0.
    text = said.words.number(number + 0.0, f"{'+' if signed else ''},.{max(0, decimals(low, high))}f")
    known_exactly = high <= low and said.words.decimal in text
    return text.rstrip("0").rstrip(said.words.decimal) if known_exactly else text
