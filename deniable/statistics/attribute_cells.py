"""The labels of an attribute, or bins of its numbers, as questions part people by them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.domains import bins as binning
from deniable.core.domains.exact import Floats
from deniable.core.domains.missing import WithMissing
from deniable.errors import ParameterError
from deniable.statistics.conditions import Compare, Condition
from deniable.statistics.label_numbers import answered
from deniable.statistics.numeric_attributes import check_known

MOST_VALUES = 200
"""Of more values than this a question needs bins."""


def cells(channels: Mapping[str, Channel], name: str, bins: Any) -> tuple[list[Any], list[Floats]]:
    """The labels or bins of an attribute, and for each of them which true codes it has (1, else 0)."""
    check_known(channels, name)
    domain = channels[name].domain
    if bins is None:
        if domain.size > MOST_VALUES:
            raise ParameterError("too_many_labels", "{name!r} has {k:,} values; give bins.", name=name, k=domain.size)
        return list(domain.labels), list(np.eye(domain.size))
    values = answered(domain)
    intervals = binning.true_bins(values, bins)
    index, labels = intervals.index(values.numbers()), list(intervals.labels)
    if isinstance(domain, WithMissing):
        index, labels = np.append(index, len(intervals)), [*labels, domain.missing]
    return labels, [(index == i).astype(np.float64) for i in range(len(labels))]


def cell_conditions(channels: Mapping[str, Channel], name: str, bins: Any) -> tuple[list[Any], list[Condition]]:
    """The labels or bins of an attribute, and the condition to be of each."""
    labels, masks = cells(channels, name, bins)
    values = channels[name].domain.labels
    return labels, [Compare(name, "in", tuple(values[i] for i in np.flatnonzero(mask))) for mask in masks]


def cell_words(name: str, label: Any, binned: bool) -> str:
    """Words for having a label, or for lying in a bin."""
    return f"{name} in {label}" if binned and str(label).startswith("[") else f"{name} == {label!r}"
