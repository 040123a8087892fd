"""What parameters may be, declared in tables: in words, as a test, and what the words are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np


class Allowed(NamedTuple):
    """What one parameter may be.

    Parameters
    ----------
    sentence : what follows "must be", with names of `details` in braces.
    fits : whether a value is allowed.
    details : what the words are made of, so that each face can write it its own way.

    Examples
    --------
    >>> whole_from(2).words, whole_from(2).fits(1), one_of("em", None).words
    ('a whole number of at least 2', False, "one of ['em', None]")
    """

    sentence: str
    fits: Callable[[Any], bool]
    details: Mapping[str, Any] = MappingProxyType({})

    @property
    def words(self) -> str:
        """What is allowed, in words."""
        return self.sentence.format(**self.details)


def first_wrong(table: Mapping[str, Allowed], given: Mapping[str, Any]) -> str | None:
    """The name of the first parameter that cannot be; None if all can.

    >>> first_wrong({"bins": whole_from(2), "max_depth": none_or(whole_from(1))}, {"bins": 5, "max_depth": 0})
    'max_depth'
    """
    return next((name for name, allowed in table.items() if name in given and not allowed.fits(given[name])), None)


def is_number(value: Any) -> bool:
    """Whether it is a number: truth values and NaN are none."""
    return isinstance(value, (int, float, Fraction, np.integer, np.floating)) and not isinstance(value, bool) and value == value


def is_whole(value: Any) -> bool:
    """Whether it is a whole number, by its type; truth values are none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def one_of(*choices: Any) -> Allowed:
    """One of these."""
    return Allowed("one of {allowed}", lambda value: value in choices, {"allowed": list(choices)})


def whole_from(least: int) -> Allowed:
    """A whole number that is not below this."""
    return Allowed("a whole number of at least {least}", lambda value: is_whole(value) and value >= least, {"least": least})


def none_or(allowed: Allowed) -> Allowed:
    """None, which need not be mentioned, or what is allowed otherwise."""
    return allowed._replace(fits=lambda value: value is None or allowed.fits(value))
