"""What the parameters of a tree may be: a declared table, and one sentence for all that is wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from deniable.core.allowed import Allowed, first_wrong, is_number, none_or, one_of, whole_from
from deniable.errors import ParameterError, Setting
from deniable.publish.growing import DISTANCES
from deniable.publish.guided_search import SEARCHES

SHARE = Allowed("a number from 0 to 1", lambda value: is_number(value) and 0 <= value <= 1)
RATIO = Allowed("a number of at least 1", lambda value: is_number(value) and value >= 1)

PARAMETERS: Mapping[str, Allowed] = {
    "min_deniability": SHARE,
    "max_posterior": SHARE,
    "max_skew": SHARE,
    "max_ruled_out": SHARE,
    "mix": SHARE,
    "max_skew_ratio": none_or(RATIO),
    "min_change": Allowed("a number of at least 0", lambda value: is_number(value) and 0 <= value < math.inf),
    "distance": one_of(*DISTANCES),
    "search": one_of(*SEARCHES),
    "min_rows": whole_from(1),
    "beam_width": whole_from(1),
    "max_categories": whole_from(2),
    "max_depth": none_or(whole_from(0)),
    "resolution": none_or(whole_from(2)),
    "time_budget": none_or(Allowed("a number of seconds above 0", lambda value: is_number(value) and value > 0)),
    "missing": none_or(Allowed("the label of missing cells", lambda value: isinstance(value, str))),
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
    name = first_wrong(PARAMETERS, given)
    if name is not None:
        allowed = in_words(PARAMETERS[name])
        raise ParameterError(
            "parameter",
            "{name} must be {allowed}, got {got!r}." + percent_meant(allowed, given[name]),
            name=Setting(name),
            allowed=allowed,
            got=given[name],
        )


def in_words(allowed: Allowed) -> str:
    """What is allowed, choices with commas between them, as on the command line too.

    >>> in_words(one_of("greedy", "beam"))
    'one of greedy, beam'
    """
    return allowed.sentence.format(
        **{name: ", ".join(what) if isinstance(what, list) else what for name, what in allowed.details.items()}
    )


def percent_meant(allowed: str, got: Any) -> str:
    """How a share is written, for anyone who gave percent; empty if nobody did.

    >>> percent_meant(SHARE.words, 95), percent_meant(SHARE.words, -1)
    (' Write 0.95 for 95%.', '')
    """
    return f" Write {got / 100:.4g} for {got:.4g}%." if allowed == SHARE.words and is_number(got) and 1 < got <= 100 else ""
