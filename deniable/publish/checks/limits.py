"""From where on something counts as exposed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.errors import ParameterError
from deniable.publish.parameters import SHARE, percent_meant


@dataclass(frozen=True)
class Limits:
    """From where on something counts as exposed.

    Parameters
    ----------
    posterior : the largest chance an attacker may give an answer who knows the group.
    rows : the fewest people in a group.
    skew : the largest distance (total variation) between the answers of a group and of all.
    ruled_out : the largest chance once one other answer is ruled out (asked where there are three answers or more).
    skew_ratio : how many times as frequent an answer may be in a group as among all rows.
    shared : how many rows must share every combination of values of up to three other columns (1: it is only counted).

    Examples
    --------
    >>> Limits().rows
    5
    """

    posterior: float = 0.95
    rows: int = 5
    skew: float = 0.4
    ruled_out: float = 0.99
    skew_ratio: float = 3.0
    shared: int = 1

    def __post_init__(self) -> None:
        for name in ("posterior", "skew", "ruled_out"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
                raise _not_a_limit(name, SHARE[0], value)
        ratio = self.skew_ratio
        if isinstance(ratio, bool) or not isinstance(ratio, (int, float)) or not ratio >= 1:
            raise _not_a_limit("skew_ratio", "a number of at least 1", ratio)
        for name in ("rows", "shared"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
                raise _not_a_limit(name, "a whole number of at least 1", value)


def _not_a_limit(name: str, allowed: str, got: Any) -> ParameterError:
    return ParameterError(
        "limit",
        "Limits: {name} must be {allowed}, got {got!r}.{hint}",
        name=name,
        option=name.replace("_", "-"),
        allowed=allowed,
        got=got,
        hint=percent_meant(allowed, got),
    )
