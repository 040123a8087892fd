"""Differences: of two shares of everyone, of a share between two groups, and of the means of two groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deniable.core.estimate import Estimate
from deniable.errors import ParameterError
from deniable.statistics import likely, weighted_means, weighted_shares
from deniable.statistics.answers import Subject, answer
from deniable.statistics.conditions import Condition, bare, compared_groups
from deniable.statistics.functions import ONE, factor
from deniable.statistics.groups import Group
from deniable.statistics.numeric_attributes import also_answered, counting_notes, numbers, possible_range, who_answered
from deniable.statistics.question_checks import JOINT_OR_EM, check_method
from deniable.statistics.questions.shares import silence_notes
from deniable.statistics.reports import Reports


def difference(
    reports: Reports, first: Any, second: Any, of: str | None, target: str, method: str, between: tuple[Any, Any] | None
) -> Estimate:
    """`Sample.difference`."""
    check_method(method, JOINT_OR_EM)
    target = reports.target(target)
    if between is not None:
        groups = _two(between)
        if of is None:
            return _between(reports, reports.needed(first, "difference"), second, groups, target, method)
        if first is not None or second is not None:
            raise ParameterError(
                "difference_asked",
                "The difference of the means of {of!r} is between two groups, got a condition besides.",
                of=of,
            )
        first, second = groups
    conditions = [reports.needed(first, "difference"), reports.condition(second)]
    if of is not None:
        return _of_means(reports, conditions, of, target, method)
    if second is None:
        raise ParameterError(
            "difference_asked",
            "A difference needs two conditions, one condition and two groups between which it is compared, or the attribute whose "
            "means are compared.",
        )
    return _of_everyone(reports, conditions, target, method)


def _of_everyone(reports: Reports, conditions: Sequence[Condition | None], target: str, method: str) -> Estimate:
    """The share of everyone who meets the first condition, minus that of the second."""
    if method == "em":
        estimate = likely.difference(reports.fits.of(conditions), conditions, None, target)
    else:
        x, y = ((condition, reports.members(condition)) for condition in conditions)
        estimate = weighted_shares.difference(reports.sums(target), x, y, target)
        estimate = reports.smoothing.point(estimate, [x[1] - y[1]], lambda means: means)
    return answer(reports, Subject(conditions), estimate, _two_groups_meant(conditions))


def _of_means(reports: Reports, conditions: Sequence[Condition | None], of: str, target: str, method: str) -> Estimate:
    """The mean of an attribute in the first group minus that in the second."""
    values = numbers(reports.channels, of)
    if method == "em":
        answering = [also_answered(reports.channels, of, condition) for condition in conditions]
        estimate = likely.difference(reports.fits.of(answering, [of]), answering, of, target)
    else:
        answered = who_answered(reports.channels, of)
        x, y = ((condition, reports.members(condition) * answered) for condition in conditions)
        limits = possible_range(reports.channels, of, x[0]), possible_range(reports.channels, of, y[0])
        likeliest = reports.fits.means(of, conditions)
        number = weighted_means.Number(of, factor(of, values), reports.tells_squares(of))
        estimate = weighted_means.difference(reports.sums(target), number, x, y, target, limits, likeliest)
    return answer(reports, Subject(conditions, [of]), estimate, counting_notes(reports.channels, [of]))


def _between(reports: Reports, asked: Condition, second: Any, given: tuple[Any, Any], target: str, method: str) -> Estimate:
    """How much the share of those who meet a condition differs between two groups."""
    if second is not None:
        raise ParameterError(
            "difference_asked", "Between two groups one condition is compared, got a second one: {got}.", got=str(second)
        )
    a, b = (reports.needed(group, "Each of the two groups") for group in given)
    title = f"share of ({bare(asked)}) among ({bare(a)}) minus that among ({bare(b)})"
    if method == "em":
        estimate = likely.between(reports.fits.of([asked, a, b]), asked, (a, b), title, target)
    else:
        members = reports.members(asked)
        one, two = (Group((), reports.members(group), group) for group in (a, b))
        smoothed = reports.smoothing.within([members, ONE - members], [one, two])
        estimate = weighted_shares.between(reports.sums(target), members, one, two, title, target, smoothed)
    return answer(reports, Subject([asked, a, b]), estimate, silence_notes(reports, asked, [a, b]))


def _two(given: Any) -> tuple[Any, Any]:
    """The two groups between which something is compared."""
    if isinstance(given, (str, Condition)) or not isinstance(given, Sequence) or len(given) != 2:
        raise ParameterError("two_groups", "between takes two groups, each a condition, got {got!r}.", got=given)
    return given[0], given[1]


def _two_groups_meant(conditions: Sequence[Condition | None]) -> list[str]:
    """A word where two shares of everyone are compared, and two groups seem to be meant."""
    first, second = conditions
    compared = compared_groups(first, second)
    if compared is None:
        return []
    shared, a, b = map(bare, compared)
    return [
        f"both shares are of everyone, so the larger group has more people for whom {shared}, even where it is no more frequent; ask "
        f"for the difference of ({shared}) between the groups ({a}) and ({b}) to compare how frequent it is in them"
    ]
