"""Counts, means, distributions, cross tables, differences and quantiles as statistics of the likeliest joint distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.core.estimate import Estimate
from deniable.errors import NoIntervalError
from deniable.statistics.conditions import All, Condition, bare
from deniable.statistics.groups import Group
from deniable.statistics.label_numbers import numbers_of
from deniable.statistics.likeliest_joint import LikeliestJoint
from deniable.statistics.titles import difference_title, where_words
from deniable.statistics.weighted import check_group

Parted = tuple[str, list[Any], list[Condition]]
"""An attribute, its labels or bins, and the condition to be of each."""
EVERYONE: tuple[str, list[Any], list[Condition | None]] = ("", [None], [None])


def members(fitted: LikeliestJoint, *conditions: Condition | None) -> Floats:
    """1 for every joint atom that meets all the conditions, 0 for the others."""
    given = tuple(condition for condition in conditions if condition is not None)
    if not given:
        return np.ones(fitted.law.inputs)
    inside: Floats = fitted.truth.cells_that_meet(All(given)).astype(np.float64)
    return inside


def _check(fitted: LikeliestJoint, inside: Floats, what: str, where: Any) -> None:
    check_group(float(fitted.people * (fitted.shares @ inside)), fitted.people, what, where)


def count(fitted: LikeliestJoint, condition: Condition, target: str) -> Estimate:
    """How many meet a condition."""
    inside, people = members(fitted, condition), fitted.people
    return fitted.estimate(lambda p: [people * (p @ inside)], ["count"], str(condition), target, (0.0, people))


def means(fitted: LikeliestJoint, name: str, groups: Sequence[Group], title: str, target: str) -> Estimate:
    """The mean of an attribute in each of some groups."""
    inside, numbers = [members(fitted, group.condition) for group in groups], fitted.truth.numbers(name)
    kept, empty = _with_people(fitted, f"mean of {name}", [group.words for group in groups], inside)
    values = numbers_of(fitted.truth.schema[name].domain)
    limits = (float(values.min()), float(values.max()))
    estimate = fitted.estimate(
        lambda p: [_ratio(p * inside[g], numbers) for g in kept],
        [groups[g].prefix[0] if groups[g].prefix else name for g in kept],
        title,
        target,
        limits,
        of=name,
    )
    estimate.notes += empty
    if len(groups) > 1:
        estimate.group_sizes = np.array([fitted.rows * (fitted.shares @ inside[g]) for g in kept])
    return estimate


def means_in(fitted: LikeliestJoint, name: str, conditions: Sequence[Condition | None]) -> Floats:
    """The mean of an attribute among those who meet each condition; not a number where nobody does."""
    numbers = fitted.truth.numbers(name)
    return np.array([_ratio(fitted.shares * members(fitted, condition), numbers) for condition in conditions])


def _ratio(shares: Floats, numbers: Floats) -> float:
    # Simulated reports may leave nobody in a small group: they say nothing of its mean.
    whole = float(shares.sum())
    return float(shares @ numbers) / whole if whole > 0 else float("nan")


def distribution(
    fitted: LikeliestJoint, asked: Parted, groups: Parted | None, condition: Condition | None, target: str
) -> Estimate:
    """The distribution of an attribute among those who meet a condition, or in each of several groups of them."""
    name, labels, parts = asked
    by, group_labels, group_parts = groups or EVERYONE
    inside = np.array([[members(fitted, condition, group, part) for part in parts] for group in group_parts])
    words = [f"{by} == {label!r}" if by else condition for label in group_labels]
    kept, empty = _with_people(fitted, f"distribution of {name}", words, list(inside.sum(axis=1)))
    group_labels, inside = [group_labels[g] for g in kept], inside[kept]

    def shares_of(p: Floats) -> Floats:
        people = inside @ p
        with np.errstate(invalid="ignore"):
            shares: Floats = people / people.sum(axis=1, keepdims=True)
        return shares.reshape(-1)

    names = [(group, label) if by else label for group in group_labels for label in labels]
    title = name + (f" by {by}" if by else "") + where_words(condition)
    estimate = fitted.estimate(shares_of, names, title, target, (0.0, 1.0))
    estimate.notes += empty
    if groups is not None or condition is not None:
        estimate.group_sizes = np.repeat(fitted.rows * (inside.sum(axis=1) @ fitted.shares), len(labels))
    return estimate


def _with_people(
    fitted: LikeliestJoint, what: str, words: Sequence[Any], inside: Sequence[Floats]
) -> tuple[list[int], tuple[str, ...]]:
    """The groups that somebody is in, and what is said of the others; nobody in any of them is refused."""
    kept: list[int] = []
    empty: list[str] = []
    for g, cells in enumerate(inside):
        try:
            _check(fitted, cells, what, words[g])
        except NoIntervalError as error:
            if error.code != "empty_group" or len(inside) == len(empty) + 1:
                raise
            empty.append(f"the group ({bare(words[g])}) is estimated to have nobody")
            continue
        kept.append(g)
    return kept, tuple(empty)


def crosstab(fitted: LikeliestJoint, a: Parted, b: Parted, target: str) -> Estimate:
    """The joint shares of two attributes."""
    inside = np.array([members(fitted, first, second) for first in a[2] for second in b[2]])
    labels = [(x, y) for x in a[1] for y in b[1]]
    return fitted.estimate(lambda p: inside @ p, labels, f"{a[0]} by {b[0]}", target, (0.0, 1.0))


def share(fitted: LikeliestJoint, asked: Condition, group: Condition | None, title: str, target: str) -> Estimate:
    """The share of those who meet a condition in a group."""
    met, inside = members(fitted, asked), members(fitted, group)
    _check(fitted, inside, title, group)
    estimate = fitted.estimate(lambda p: [_ratio(p * inside, met)], ["share"], title, target, (0.0, 1.0))
    if group is not None:
        estimate.group_sizes = np.array([fitted.rows * (inside @ fitted.shares)])
    return estimate


def between(fitted: LikeliestJoint, asked: Condition, groups: tuple[Condition, Condition], title: str, target: str) -> Estimate:
    """How much the shares of those who meet a condition differ between two groups."""
    met, first, second = members(fitted, asked), *(members(fitted, group) for group in groups)
    for inside, group in zip((first, second), groups, strict=True):
        _check(fitted, inside, title, group)
    return fitted.estimate(
        lambda p: [_ratio(p * first, met) - _ratio(p * second, met)], ["difference"], title, target, (-1.0, 1.0)
    )


def difference(fitted: LikeliestJoint, conditions: Sequence[Condition | None], of: str | None, target: str) -> Estimate:
    """How much the shares of two groups differ, or their means of an attribute."""
    first, second = (members(fitted, condition) for condition in conditions)
    words = [bare(condition) for condition in conditions]
    if of is None:
        title = difference_title(*conditions)
        return fitted.estimate(lambda p: [p @ first - p @ second], ["difference"], title, target, (-1.0, 1.0))
    numbers = fitted.truth.numbers(of)
    widest = float(np.ptp(numbers_of(fitted.truth.schema[of].domain)))
    for inside, condition in zip((first, second), conditions, strict=True):
        _check(fitted, inside, f"mean of {of}", condition)
    return fitted.estimate(
        lambda p: [_ratio(p * first, numbers) - _ratio(p * second, numbers)],
        ["difference"], f"mean of {of}: ({words[0]}) minus ({words[1]})", target, (-widest, widest), of=of,
    )  # fmt: skip


def quantiles(
    fitted: LikeliestJoint, name: str, qs: Sequence[float], condition: Condition | None, title: str, target: str
) -> Estimate:
    """Where the distribution function passes each q, values inside a bin taken as equally frequent."""
    inside, numbers = members(fitted, condition), numbers_of(fitted.truth.schema[name].domain)
    _check(fitted, inside, title, condition)
    order = np.argsort(numbers, kind="stable")

    def at(p: Floats) -> list[float]:
        rising = np.cumsum(fitted.truth.spread(name, p * inside)[order])
        places = np.minimum(np.searchsorted(rising, np.multiply(qs, rising[-1])), len(numbers) - 1)
        values: list[float] = numbers[order[places]].tolist()
        return values

    labels = [name] if len(qs) == 1 else qs
    return fitted.estimate(at, labels, title, target, (float(numbers.min()), float(numbers.max())), of=name)
