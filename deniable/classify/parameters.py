"""What the parameters of classifiers may be is declared in a table by each; this checks it, with one sentence for all that is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deniable.core.allowed import Allowed, first_wrong
from deniable.errors import ParameterError


def check_parameters(table: Mapping[str, Allowed], given: Mapping[str, Any], owner: str = "") -> None:
    """Refuse the first parameter that cannot be.

    >>> from deniable.core.allowed import whole_from
    >>> check_parameters({"bins": whole_from(2)}, {"bins": 1}, "ReconstructionTree")
    Traceback (most recent call last):
    deniable.errors.ParameterError: ReconstructionTree: bins must be a whole number of at least 2, got 1.
    """
    name = first_wrong(table, given)
    if name is not None:
        whose = f"{owner}: " if owner else ""
        sentence = f"{whose}{{name}} must be {table[name].sentence}, got {{got!r}}."
        raise ParameterError(name, sentence, name=name, got=given[name], **table[name].details)
