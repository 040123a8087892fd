"""Checks of what questions are asked with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deniable.errors import ParameterError

METHODS = ("joint", "em", "iterative")
JOINT_OR_EM = METHODS[:2]


def check_method(given: str, allowed: Sequence[str]) -> None:
    """Refuse a method that a question does not know."""
    if given not in allowed:
        raise ParameterError("method", "method must be one of {allowed}, got {got!r}.", allowed=list(allowed), got=given)


def check_one(given: Any, parameter: str) -> None:
    """Refuse several attributes where one is asked for."""
    if given is not None and not isinstance(given, str):
        raise ParameterError(
            "one_attribute", "{parameter} is the name of one attribute, got {got!r}.", parameter=parameter, got=given
        )
