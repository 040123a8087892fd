"""Attributes of numbers, as questions take them: their values, and those who gave one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.domains.exact import Floats
from deniable.errors import ParameterError
from deniable.statistics.condition_words import written_name, written_value
from deniable.statistics.conditions import All, Compare, Condition
from deniable.statistics.functions import ONE, Function, factor, open_codes
from deniable.statistics.label_numbers import counts_as, has_numbers, looks_like_numbers, numbers_of

Channels = Mapping[str, Channel]


def check_known(channels: Channels, name: str) -> None:
    """Refuse the name of no attribute."""
    if name not in channels:
        raise ParameterError(
            "unknown_attribute", "There is no attribute {got!r}; there are {allowed}.", got=name, allowed=list(channels)
        )


def numbers(channels: Channels, name: str) -> Floats:
    """The values of a numeric attribute; of one that may be left unanswered any number stands for silence, which is left out."""
    check_known(channels, name)
    domain = channels[name].domain
    if not has_numbers(domain):
        raise ParameterError(
            "not_numeric",
            "{name!r} holds words ({allowed}), not numbers{order}, and this needs numbers. Ask for its distribution, or count those "
            'with a label: "{example}".',
            name=name,
            allowed=domain.allowed,
            example=f"{written_name(name)} == {written_value(domain.labels[0])}",
            order=" (labels without an order are names, even if they are digits)" if looks_like_numbers(domain) else "",
        )
    return numbers_of(domain)


def centred(channels: Channels, name: str, unit: bool = False) -> Floats:
    """The values less the middle of their range, which changes no covariance and spares rounding; as a `unit` from -1 to 1."""
    values = numbers(channels, name)
    middle, half = (values.max() + values.min()) / 2, (values.max() - values.min()) / 2
    about_0: Floats = (values - middle) / (half if unit and half else 1.0)
    return about_0


def possible_range(channels: Channels, name: str, condition: Condition | None) -> tuple[float, float]:
    """Between which numbers the mean of an attribute, or a quantile, lies among those who meet a condition."""
    values = numbers(channels, name)
    left = values[open_codes(condition, name, channels)]
    return (float(left.min()), float(left.max())) if len(left) else (float(values.min()), float(values.max()))


def who_answered(channels: Channels, name: str) -> Function:
    """1 for those who answered."""
    domain = channels[name].domain
    return ONE if domain.missing is None else factor(name, (np.arange(domain.size) < domain.size - 1).astype(np.float64))


def also_answered(channels: Channels, name: str, condition: Condition | None) -> Condition | None:
    """The condition, and to have answered a question that may be left unanswered."""
    missing = channels[name].domain.missing
    if missing is None:
        return condition
    answered = Compare(name, "!=", missing)
    return answered if condition is None else All((condition, answered))


def among_words(channels: Channels, names: Sequence[str]) -> str:
    """Words for leaving out those who did not answer, at the end of a title."""
    silent = [name for name in names if channels[name].domain.missing is not None]
    return f" (among those who answered {' and '.join(silent)})" if silent else ""


def counting_notes(channels: Channels, names: Sequence[str]) -> list[str]:
    """What words among the answers of these attributes count as."""
    said = (counts_as(name, channels[name].domain) for name in dict.fromkeys(names))
    return [words for words in said if words is not None]
