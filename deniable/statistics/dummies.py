"""Words that explain a number: one column of 0 and 1 for each label but one, the reference, which all others are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.errors import ParameterError
from deniable.statistics.conditions import Condition
from deniable.statistics.functions import Function, factor, open_codes
from deniable.statistics.label_numbers import has_numbers

MOST_DUMMIES = 30
"""Every two columns need a moment, and nobody reads slopes of more labels than this."""


def dummies(
    name: str, channels: Mapping[str, Channel], condition: Condition | None, reference: Any = None
) -> dict[str, Function]:
    """The columns of an attribute of words, by their names; labels that a condition leaves out have none. The reference is the first label
    unless it is given.

    >>> import deniable as dn
    >>> channels = {"town": dn.KRR(dn.Nominal(["north", "south", "west"], missing="no answer"), 0.75)}
    >>> list(dummies("town", channels, None)), list(dummies("town", channels, None, "west"))
    (['town: south (against north)', 'town: west (against north)'], ['town: north (against west)', 'town: south (against west)'])
    """
    domain = channels[name].domain
    possible = open_codes(condition, name, channels)
    labels = [label for label, may in zip(domain.labels, possible, strict=True) if may and label != domain.missing]
    if len(labels) < 2:
        raise ParameterError(
            "one_label", "{name!r} explains nothing: everyone who is asked about has the same answer, {got!r}.",
            name=name, got=labels[0] if labels else domain.missing,
        )  # fmt: skip
    if len(labels) - 1 > MOST_DUMMIES:
        raise ParameterError(
            "many_labels",
            "{name!r} has {got:,} labels, and each but one would get a slope; {most} are the most. Leave it out, or ask for those with "
            "some of its labels only.", name=name, got=len(labels), most=MOST_DUMMIES,
        )  # fmt: skip
    first = labels[0] if reference is None else reference
    if first not in labels:
        raise ParameterError(
            "reference_label", "The reference of {name!r} must be one of {allowed}, got {got!r}.",
            name=name, allowed=labels, got=reference,
        )  # fmt: skip
    rows = dict(zip(domain.labels, np.eye(domain.size), strict=True))
    return {f"{name}: {label} (against {first})": factor(name, rows[label]) for label in labels if label != first}


def check_references(reference: Mapping[str, Any], on: Sequence[str], channels: Mapping[str, Channel]) -> None:
    """Refuse references of attributes that have none."""
    words = [name for name in on if name in channels and not has_numbers(channels[name].domain)]
    for name in reference:
        if name not in words:
            raise ParameterError(
                "reference_name", "A reference was given for {got!r}; attributes of words that explain something here: {allowed}.",
                got=name, allowed=words or "none",
            )  # fmt: skip
