"""What is remarked beside an answer, so that nobody wonders: conditions that everybody meets, intervals of a single label, odd points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.domains.domain import Domain
from deniable.core.domains.labels import Ordinal
from deniable.core.estimate import Estimate
from deniable.statistics.conditions import Compare, Condition
from deniable.statistics.label_numbers import numbers_of
from deniable.statistics.smoothed import SMOOTHED

NEAR_AN_END = 0.1
"""A point is near an end of its interval if it lies within this part of the whole from it."""
TWO_METHODS = "the value and its interval come from different methods, so that it may lie near an end (docs/noise.md)"
_ORDERS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least"}


def with_remarks(
    notes: Sequence[str], estimate: Estimate, channels: Mapping[str, Channel], conditions: Sequence[Condition], by: str | None
) -> tuple[str, ...]:
    """The notes of an estimate with what is remarked besides; that nobody left an open question unanswered is no news."""
    silent = channels[by].domain.missing if by is not None and by in channels else None
    unheard = f"nobody is in the group ({by} == {silent!r})"
    parts = [part for condition in conditions for part in condition.comparisons()]
    met = [said for part in parts if (said := _met_by_all(part, channels)) is not None]
    odd = [TWO_METHODS] if _near_an_end(estimate) else []
    return (*(note for note in notes if silent is None or note != unheard), *dict.fromkeys(met), *odd)


def _met_by_all(part: Compare, channels: Mapping[str, Channel]) -> str | None:
    """That every possible answer meets a comparison with a number that is none: perhaps it was meant otherwise. An end of the range is
    often named on purpose (18 <= age < 30)."""
    domain = channels[part.name].domain
    if part.operator not in _ORDERS or isinstance(part.value, str):
        return None
    answers = domain.size - (domain.missing is not None)
    numbers = numbers_of(domain)[:answers]
    if not part.members(channels)[:answers].all() or numbers.min() <= part.value <= numbers.max():
        return None
    ends = f"{domain.labels[0]} to {domain.labels[answers - 1]}"
    return f"every possible value of {part.name!r} is {_ORDERS[part.operator]} {part.value} ({ends})"


def only_labels(estimate: Estimate, name: str, domain: Domain) -> list[str]:
    """Why the interval of a quantile of labels is a single one."""
    if not isinstance(domain.answered, Ordinal) or not estimate.has_interval:
        return []
    low, high = estimate.interval()
    if not (low == high).any():
        return []
    labels = ", ".join(str(label) for label in domain.labels if label != domain.missing)
    return [f"only {labels} are possible values of {name!r}, so that the interval may be a single one"]


def _near_an_end(estimate: Estimate) -> bool:
    """Whether a point that was smoothed lies near an end of its interval which is no limit of what is possible."""
    if estimate.method != SMOOTHED or not estimate.has_interval:
        return False
    shown, (low, high) = estimate.shown, estimate.interval()
    least, most = (-np.inf, np.inf) if estimate.limits is None else estimate.limits
    near = NEAR_AN_END * (high - low)
    with np.errstate(invalid="ignore"):
        below, above = (shown - low <= near) & (low > least), (high - shown <= near) & (high < most)
    return bool(((high > low) & np.isfinite(shown) & (below | above)).any())
