"""Shares: the distribution of an attribute, and the share of those who meet a condition, of everyone or among a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deniable.core.estimate import Estimate
from deniable.statistics import likely, weighted_shares
from deniable.statistics.answers import Subject, answer
from deniable.statistics.attribute_cells import cell_conditions, cell_words, cells
from deniable.statistics.conditions import Condition
from deniable.statistics.functions import ONE, factor
from deniable.statistics.groups import Group
from deniable.statistics.iterative import iterative_distribution
from deniable.statistics.question_checks import JOINT_OR_EM, METHODS, check_method, check_one
from deniable.statistics.reports import Reports
from deniable.statistics.titles import share_title, where_words


def distribution(
    reports: Reports, name: str, where: Any, by: str | None, bins: Any, target: str, method: str, by_bins: Any
) -> Estimate:
    """`Sample.distribution`."""
    check_method(method, METHODS if by is None else JOINT_OR_EM)
    check_one(by, "by")
    target = reports.target(target)
    condition = reports.condition(where)
    labels, masks = cells(reports.channels, name, bins)
    if method == "iterative":
        columns, schema = reports.iterative_rows([name, *([] if condition is None else condition.attributes())])
        estimate = iterative_distribution(columns, schema, name, condition, bins)
        estimate.name = name + where_words(condition)
    elif method == "em":
        estimate = _distribution_by_likelihood(reports, (name, bins), condition, (by, by_bins), target)
    else:
        everyone = reports.members(condition)
        groups = [Group((), everyone, where)]
        if by is not None:
            groups = [
                Group((label,), everyone * factor(by, mask), cell_words(by, label, by_bins is not None))
                for label, mask in zip(*cells(reports.channels, by, by_bins), strict=True)
            ]
        title = name + (f" by {by}" if by else "") + where_words(condition)
        members = [factor(name, mask) for mask in masks]
        of, smoothed = (f"distribution of {name}", labels, members), reports.smoothing.within(members, groups)
        estimate = weighted_shares.distribution(reports.sums(target), of, groups, title, target, smoothed)
    estimate.attributes = (name,) if by is None else (by, name)
    return answer(reports, Subject([condition], [name], by), estimate)


def _distribution_by_likelihood(
    reports: Reports, asked: tuple[str, Any], condition: Condition | None, grouping: tuple[str | None, Any], target: str
) -> Estimate:
    """The distribution of an attribute (and its bins), perhaps by another (and its bins)."""
    (name, bins), (by, by_bins) = asked, grouping
    labels, conditions = cell_conditions(reports.channels, name, bins)
    groups = None if by is None else (by, *cell_conditions(reports.channels, by, by_bins))
    fitted = reports.fits.of([condition, *conditions, *(groups[2] if groups else [])])
    return likely.distribution(fitted, (name, labels, conditions), groups, condition, target)


def share(reports: Reports, condition: Any, among: Any, target: str, method: str) -> Estimate:
    """`Sample.share`."""
    check_method(method, JOINT_OR_EM)
    target = reports.target(target)
    asked, group = reports.needed(condition, "share"), reports.condition(among)
    title = share_title(asked, group)
    if method == "em":
        estimate = likely.share(reports.fits.of([asked, group]), asked, group, title, target)
    else:
        members, inside = reports.members(asked), Group((), reports.members(group), group)
        smoothed = reports.smoothing.within([members, ONE - members], [inside])
        estimate = weighted_shares.share(reports.sums(target), members, inside, title, target, smoothed)
    if group is None:
        estimate.group_sizes = None
    return answer(reports, Subject([asked, group]), estimate, silence_notes(reports, asked, [group]))


def silence_notes(reports: Reports, asked: Condition, groups: Sequence[Condition | None]) -> list[str]:
    """That silence counts, where a question of shares says nothing of it: of the condition that is asked. Those who are silent about who is
    in a group simply are not in it."""
    comparisons = [part for condition in (asked, *groups) if condition is not None for part in condition.comparisons()]
    missing = {part.name: reports.channels[part.name].domain.missing for part in comparisons}
    mentioned = {
        part.name
        for part in comparisons
        for value in (part.value if isinstance(part.value, tuple) else (part.value,))
        if value == missing[part.name]
    }
    return [
        f"{label!r} to {name!r} counts as any other answer"
        for name, label in missing.items()
        if label is not None and name not in mentioned and name in asked.attributes()
    ]
