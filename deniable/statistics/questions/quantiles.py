"""The value that a share of the people does not exceed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deniable.core.channels.windows import only_means
from deniable.core.estimate import Estimate
from deniable.errors import ParameterError
from deniable.statistics import likely
from deniable.statistics.answers import Subject, answer
from deniable.statistics.conditions import Condition
from deniable.statistics.functions import Function
from deniable.statistics.noisy_quantile import noisy_quantile
from deniable.statistics.numeric_attributes import (
    also_answered,
    among_words,
    counting_notes,
    numbers,
    possible_range,
    who_answered,
)
from deniable.statistics.quantile_tests import quantile_by_tests, side_by_side
from deniable.statistics.question_checks import JOINT_OR_EM, check_method
from deniable.statistics.remarks import only_labels
from deniable.statistics.reports import Reports
from deniable.statistics.smoothed import adds_noise
from deniable.statistics.titles import where_words

Among = tuple[Condition | None, Function]
"""A condition, and those who meet it and answered."""


def quantile(reports: Reports, name: str, q: float | Sequence[float], where: Any, target: str, method: str) -> Estimate:
    """`Sample.quantile`."""
    check_method(method, JOINT_OR_EM)
    target = reports.target(target)
    qs = _shares(q)
    numbers(reports.channels, name)  # or it is refused before the condition
    if not reports.tells_squares(name):
        raise only_means(name)
    condition = reports.condition(where)
    words = f"quantile {float(qs[0]):g}" if len(qs) == 1 else f"quantiles {', '.join(f'{each:g}' for each in qs)}"
    title = f"{words} of {name}" + where_words(condition) + among_words(reports.channels, [name])
    notes = counting_notes(reports.channels, [name])
    if method == "em":
        among = also_answered(reports.channels, name, condition)
        estimate = likely.quantiles(reports.fits.of([among], [name]), name, qs, among, title, target)
    else:
        group = (condition, reports.members(condition) * who_answered(reports.channels, name))
        estimate = side_by_side([_quantile(reports, name, each, group, title, target) for each in qs], qs)
        if condition is not None:
            _tell_of_group(reports, estimate, name, group)
        notes = [*only_labels(estimate, name, reports.channels[name].domain), *notes]
    return answer(reports, Subject([condition], [name]), estimate, notes)


def _shares(q: Any) -> list[Any]:
    """The shares that are asked for, each between 0 and 1."""
    qs: list[Any] = list(q) if isinstance(q, (Sequence, np.ndarray)) and not isinstance(q, str) else [q]
    for each in qs or [q]:
        if isinstance(each, bool) or not isinstance(each, (int, float)) or not 0 < each < 1:
            raise ParameterError("quantile_q", "q must be a number between 0 and 1, or several, got {got}.", got=each)
    return qs


def _quantile(reports: Reports, name: str, q: float, among: Among, title: str, target: str) -> Estimate:
    of = (name, numbers(reports.channels, name))
    if not any(name in schema and adds_noise(schema[name]) for _, schema in reports.parts.all):
        return quantile_by_tests(reports.parts, of, q, among, title, target)
    smooth = reports.smoothing.distribution(name) if among[0] is None else None
    return noisy_quantile(reports.parts, of, q, among, title, target, None if smooth is None else smooth.shares)


def _tell_of_group(reports: Reports, estimate: Estimate, name: str, among: Among) -> None:
    """An estimate about a group knows how many people are in it and what the condition itself leaves possible."""
    condition, group = among
    estimate.limits = possible_range(reports.channels, name, condition)
    weighted = reports.sums("respondents")([group], lambda means: np.ones((1, 1)))
    estimate.group_sizes, estimate.sizes_known = np.full(len(estimate.value), weighted.respondents_in(0)), weighted.knows([0])
