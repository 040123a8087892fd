"""The mean of a number, of everyone or in groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.core.estimate import Estimate
from deniable.errors import ParameterError
from deniable.statistics import likely, weighted_means
from deniable.statistics.answers import Subject, answer
from deniable.statistics.attribute_cells import cell_conditions, cell_words
from deniable.statistics.conditions import All, Condition
from deniable.statistics.functions import factor
from deniable.statistics.groups import Group
from deniable.statistics.iterative import iterative_mean
from deniable.statistics.numeric_attributes import (
    also_answered,
    among_words,
    counting_notes,
    numbers,
    possible_range,
    who_answered,
)
from deniable.statistics.question_checks import JOINT_OR_EM, METHODS, check_method, check_one
from deniable.statistics.reports import Reports
from deniable.statistics.titles import where_words
from deniable.statistics.weighted_means import Number


def mean(reports: Reports, name: str, where: Any, target: str, method: str, by: str | None, by_bins: Any) -> Estimate:
    """`Sample.mean`."""
    check_method(method, METHODS if by is None else JOINT_OR_EM)
    check_one(by, "by")
    target = reports.target(target)
    numbers(reports.channels, name)  # or it is refused before the condition
    condition = reports.condition(where)
    groups = [_group(reports, (), condition, condition)] if by is None else _groups(reports, name, by, by_bins, condition)
    title = f"mean of {name}" + (f" by {by}" if by else "") + where_words(condition) + among_words(reports.channels, [name])
    if method == "em":
        estimate = _by_likelihood(reports, name, groups, title, target)
    elif method == "iterative":
        columns, schema = reports.iterative_rows([name, *([] if condition is None else condition.attributes())])
        estimate = iterative_mean(columns, schema, name, condition, title, target)
    else:
        estimate = _by_weights(reports, name, groups, possible_range(reports.channels, name, condition), title, target)
    estimate.by = by
    return answer(reports, Subject([condition], [name], by), estimate, counting_notes(reports.channels, [name]))


def _group(reports: Reports, prefix: tuple[Any, ...], condition: Condition | None, words: Any) -> Group:
    return Group(prefix, reports.members(condition), words, condition)


def _groups(reports: Reports, name: str, by: str, bins: Any, condition: Condition | None) -> list[Group]:
    """The groups that the labels or bins of an attribute make of those who meet a condition."""
    if name == by:
        raise ParameterError(
            "same_attribute", "The mean of {name!r} by itself says nothing: name another attribute.", name=name
        )
    return [
        _group(
            reports, (label,), part if condition is None else All((condition, part)), cell_words(by, label, bins is not None)
        )
        for label, part in zip(*cell_conditions(reports.channels, by, bins), strict=True)
    ]


def _by_likelihood(reports: Reports, name: str, groups: list[Group], title: str, target: str) -> Estimate:
    answering = [group._replace(condition=also_answered(reports.channels, name, group.condition)) for group in groups]
    fitted = reports.fits.of([group.condition for group in answering], [name])
    return likely.means(fitted, name, answering, title, target)


def _by_weights(
    reports: Reports, name: str, groups: list[Group], limits: tuple[float, float], title: str, target: str
) -> Estimate:
    of = Number(name, factor(name, numbers(reports.channels, name)), reports.tells_squares(name))
    likeliest = _likeliest(reports, name, groups)
    answered = who_answered(reports.channels, name)
    return weighted_means.means(reports.sums(target), of, groups, answered, title, target, limits, likeliest)


def _likeliest(reports: Reports, name: str, groups: list[Group]) -> Floats | None:
    """The likeliest mean of each group by itself: what is said of a group must not depend on which others are asked for."""
    each = [reports.fits.means(name, [group.condition]) for group in groups]
    known = [one for one in each if one is not None]
    return np.concatenate(known) if len(known) == len(each) else None
