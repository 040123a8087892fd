"""Covariance, correlation and regression of attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deniable.core.estimate import Estimate
from deniable.errors import ParameterError
from deniable.statistics import weighted_moments
from deniable.statistics.answers import Subject, answer
from deniable.statistics.conditions import Condition
from deniable.statistics.dummies import check_references, dummies
from deniable.statistics.functions import Function, factor
from deniable.statistics.label_numbers import has_numbers
from deniable.statistics.numeric_attributes import among_words, centred, counting_notes, numbers, who_answered
from deniable.statistics.question_checks import check_one
from deniable.statistics.reports import Reports
from deniable.statistics.titles import where_words


def covariance(reports: Reports, a: str, b: str, target: str, where: Any) -> Estimate:
    """`Sample.covariance`."""
    condition, group, among = _pair(reports, a, b, where)
    x, y = (factor(name, centred(reports.channels, name)) for name in (a, b))
    target, title = reports.target(target), f"covariance of {a} and {b}{among}"
    squares = all(reports.tells_squares(name) for name in (a, b))
    estimate = weighted_moments.covariance(reports.sums(target), x, y, group, title, target, squares)
    return answer(reports, Subject([condition], [a, b]), estimate, counting_notes(reports.channels, [a, b]))


def correlation(reports: Reports, a: str, b: str, where: Any) -> Estimate:
    """`Sample.correlation`."""
    condition, group, among = _pair(reports, a, b, where)
    x, y = (factor(name, centred(reports.channels, name, unit=True)) for name in (a, b))
    title, hidden = f"correlation of {a} and {b}{among}", reports.hides(list(dict.fromkeys([a, b, *group.attributes])))
    estimate = weighted_moments.correlation(reports.sums("population"), x, y, group, (a, b), title, hidden)
    return answer(reports, Subject([condition], [a, b]), estimate, counting_notes(reports.channels, [a, b]))


def _pair(reports: Reports, a: str, b: str, where: Any) -> tuple[Condition | None, Function, str]:
    """A condition, those who meet it and answered two numeric attributes, and the words for that."""
    for name in (a, b):
        numbers(reports.channels, name)  # or it is refused before the condition
    condition = reports.condition(where)
    group = reports.members(condition) * who_answered(reports.channels, a) * who_answered(reports.channels, b)
    return condition, group, where_words(condition) + among_words(reports.channels, [a, b])


def regression(reports: Reports, y: str, on: str | Sequence[str], where: Any, reference: Mapping[str, Any] | None) -> Estimate:
    """`Sample.regression`."""
    check_one(y, "y")
    on = [on] if isinstance(on, str) else list(on)
    if not on or y in on:
        raise ParameterError(
            "regression_on", "regression needs other attributes to regress {y!r} on, got {got}.", y=y, got=list(on)
        )
    condition = reports.condition(where)
    inputs = _inputs(reports, on, condition, reference or {})
    group = reports.members(condition)
    for name in (y, *on):
        group = group * who_answered(reports.channels, name)
    title = f"{y} on {', '.join(on)}" + where_words(condition) + among_words(reports.channels, [y, *on])
    sums, outcome = reports.sums("population"), factor(y, numbers(reports.channels, y))
    estimate = weighted_moments.regression(sums, outcome, inputs, group, title, condition, reports.hides(on))
    return answer(reports, Subject([condition], [y, *on]), estimate, counting_notes(reports.channels, [y, *on]))


def _inputs(
    reports: Reports, on: Sequence[str], condition: Condition | None, reference: Mapping[str, Any]
) -> dict[str, Function]:
    """What explains the outcome: numbers, and a column for each label of words but one."""
    check_references(reference, on, reports.channels)
    inputs: dict[str, Function] = {}
    for name in on:
        if name in reports.channels and not has_numbers(reports.channels[name].domain):
            inputs |= dummies(name, reports.channels, condition, reference.get(name))
        else:
            inputs[name] = factor(name, numbers(reports.channels, name))
    return inputs
