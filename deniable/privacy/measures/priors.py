"""What is believed before a report is seen: distributions over the true answers, however they are given."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.groups import JointChannel
from deniable.core.channels.views import View
from deniable.core.domains.exact import Floats
from deniable.core.estimate import Estimate
from deniable.errors import ParameterError


def is_number(value: Any) -> TypeGuard[float]:
    """A single real number, and neither True nor False."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


AnyChannel = Channel | JointChannel | View
"""A channel, that of a group (labels are tuples), or a channel seen in cells."""


def shares(channel: AnyChannel, prior: Any = None, name: str = "prior") -> Floats:
    """A prior as shares in the order of `channel.inputs`.

    None is the uniform one; for two labels one number is the share of the second ("yes"). Otherwise a mapping from label, an
    `Estimate`, or a sequence with one number per label. Counts are turned into shares, but a mapping that leaves labels out must
    sum to 1: what is left out might have been forgotten.

    >>> import deniable as dn
    >>> shares(dn.KRR(dn.Nominal(["no", "yes"]), 0.75), 0.1).tolist()
    [0.9, 0.1]
    """
    return over_labels(prior, channel.law.inputs, channel.inputs if isinstance(prior, (Mapping, Estimate)) else (), name)


def over_labels(prior: Any, k: int, labels: Sequence[Any], name: str) -> Floats:
    """`shares` for any list of labels (which may stay empty where `prior` names none)."""
    if prior is None:
        return np.full(k, 1 / k)
    if isinstance(prior, Estimate):
        return over_labels(dict(zip(prior.labels, prior.value.tolist(), strict=True)), k, labels, name)
    if isinstance(prior, Mapping):
        return _normalised(_by_label(prior, labels, name), name)
    if is_number(prior) and k == 2:
        return _normalised(np.array([1 - float(prior), float(prior)]), name)
    try:
        values = np.asarray(prior, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (k,):
        raise ParameterError(
            "prior_shape",
            "{name} must be a mapping from label to share or a list of {k:,} shares{one}, got {got!r}.",
            name=name,
            k=k,
            one=' (or one number, the share of "yes")' if k == 2 else "",
            got=prior,
        )
    return _normalised(values, name)


def _by_label(prior: Mapping[Any, Any], labels: Sequence[Any], name: str) -> Floats:
    place = {label: i for i, label in enumerate(labels)}
    unknown = [key for key in prior if key not in place]
    if unknown:
        raise ParameterError(
            "prior_label",
            "{name} names {got!r}, which is not among the labels {allowed}.",
            name=name,
            got=unknown[0],
            allowed=list(labels[:20]),
        )
    values = np.zeros(len(labels))
    for label, share in prior.items():
        try:
            values[place[label]] = float(share)
        except (TypeError, ValueError):
            raise ParameterError(
                "prior_number", "{name}[{label!r}] must be a number, got {got!r}.", name=name, label=label, got=share
            ) from None
    if len(prior) < len(labels) and abs(values.sum() - 1) > 1e-6:
        missing = [label for label in labels if label not in prior]
        raise ParameterError(
            "prior_incomplete",
            "{name} leaves out {missing} and its shares sum to {got:g}; make them sum to 1 or name every label.",
            name=name,
            missing=missing[:20],
            got=float(values.sum()),
        )
    return values


def _normalised(values: Floats, name: str) -> Floats:
    total = float(values.sum())
    if not np.isfinite(total) or (values < 0).any() or total <= 0:
        raise ParameterError(
            "bad_prior",
            "{name} must be non-negative, finite and not all 0, got {got}.",
            name=name,
            got=values[:20].tolist(),
        )
    normal: Floats = values / total
    return normal


def joint(channel: AnyChannel, prior: Any = None) -> Floats:
    """P(true, reported) as a matrix, true values down: what every measure over a channel and a prior is computed from.

    >>> import deniable as dn
    >>> joint(dn.KRR(dn.Binary(), 0.75), 0.2).round(3).tolist()
    [[0.6, 0.2], [0.05, 0.15]]
    """
    return shares(channel, prior)[:, None] * channel.matrix()


def code_of(channel: AnyChannel, label: Any, name: str = "label") -> int:
    """The row of a true label; an unknown one is refused."""
    try:
        return channel.inputs.index(label)
    except ValueError:
        raise ParameterError(
            "unknown_label",
            "{name} {got!r} is not among the labels {allowed}.",
            name=name,
            got=label,
            allowed=list(channel.inputs[:20]),
        ) from None
