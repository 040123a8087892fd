"""From where on something counts as exposed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deniable.core.allowed import Allowed, first_wrong, whole_from
from deniable.errors import ParameterError
from deniable.publish.parameters import RATIO, SHARE, percent_meant


def _for_json(allowed: Allowed) -> Allowed:
    """The same of numbers that JSON can hold: limits are told beside what is published."""
    return allowed._replace(fits=lambda value: isinstance(value, (int, float)) and allowed.fits(value))


_ALLOWED: Mapping[str, Allowed] = {
    "posterior": _for_json(SHARE),
    "skew": _for_json(SHARE),
    "ruled_out": _for_json(SHARE),
    "skew_ratio": _for_json(RATIO),
    "rows": whole_from(1),
    "shared": whole_from(1),
}


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
        name = first_wrong(_ALLOWED, vars(self))
        if name is not None:
            allowed, got = _ALLOWED[name].words, getattr(self, name)
            raise ParameterError(
                "limit",
                "Limits: {name} must be {allowed}, got {got!r}.{hint}",
                name=name,
                option=name.replace("_", "-"),
                allowed=allowed,
                got=got,
                hint=percent_meant(allowed, got),
            )
