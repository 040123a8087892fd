"""What the parameters of a tree may be: a declared table, and one sentence for all that is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from deniable.errors import ParameterError
from deniable.publish.growing import DISTANCES
from deniable.publish.guided_search import SEARCHES
from deniable.publish.remedies import Setting

Allowed = tuple[str, Callable[[Any], bool]]
"""What is allowed, in words and as a test."""


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, Fraction, np.integer, np.floating)) and not isinstance(value, bool) and value == value


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _one_of(names: tuple[str, ...]) -> Allowed:
    return f"one of {', '.join(names)}", lambda value: value in names


def _whole_from(least: int) -> Allowed:
    return f"a whole number of at least {least}", lambda value: _is_whole(value) and value >= least


def _none_or(allowed: Allowed) -> Allowed:
    words, fits = allowed
    return words, lambda value: value is None or fits(value)


SHARE: Allowed = ("a number from 0 to 1", lambda value: _is_number(value) and 0 <= value <= 1)

PARAMETERS: Mapping[str, Allowed] = {
    "min_deniability": SHARE,
    "max_posterior": SHARE,
    "max_skew": SHARE,
    "max_ruled_out": SHARE,
    "mix": SHARE,
    "max_skew_ratio": _none_or(("a number of at least 1", lambda value: _is_number(value) and value >= 1)),
    "min_change": ("a number of at least 0", lambda value: _is_number(value) and 0 <= value < math.inf),
    "distance": _one_of(DISTANCES),
    "search": _one_of(SEARCHES),
    "min_rows": _whole_from(1),
    "beam_width": _whole_from(1),
    "max_categories": _whole_from(2),
    "max_depth": _none_or(_whole_from(0)),
    "resolution": _none_or(_whole_from(2)),
    "time_budget": _none_or(("a number of seconds above 0", lambda value: _is_number(value) and value > 0)),
    "missing": _none_or(("the label of missing cells", lambda value: isinstance(value, str))),
}


def check_parameters(given: Mapping[str, Any]) -> None:
    """Refuse the first parameter of a `DeniabilityTree` that cannot be.

    >>> check_parameters({"min_rows": 0})
    Traceback (most recent call last):
    deniable.errors.ParameterError: min_rows must be a whole number of at least 1, got 0.
    >>> check_parameters({"max_posterior": 95})
    Traceback (most recent call last):
    deniable.errors.ParameterError: max_posterior must be a number from 0 to 1, got 95. Write 0.95 for 95%.
    """
    for name, (allowed, fits) in PARAMETERS.items():
        if name in given and not fits(given[name]):
            raise ParameterError(
                "parameter",
                "{name} must be {allowed}, got {got!r}." + percent_meant(allowed, given[name]),
                name=Setting(name),
                allowed=allowed,
                got=given[name],
            )


def percent_meant(allowed: str, got: Any) -> str:
    """How a share is written, for anyone who gave percent; empty if nobody did.

    >>> percent_meant(SHARE[0], 95), percent_meant(SHARE[0], -1)
    (' Write 0.95 for 95%.', '')
    """
    return f" Write {got / 100:.4g} for {got:.4g}%." if allowed == SHARE[0] and _is_number(got) and 1 < got <= 100 else ""
