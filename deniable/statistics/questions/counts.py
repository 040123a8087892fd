"""How many people meet a condition."""

from __future__ import annotations

from typing import Any

from deniable.core.estimate import Estimate
from deniable.statistics import likely, weighted_shares
from deniable.statistics.answers import Subject, answer
from deniable.statistics.conditions import Condition
from deniable.statistics.iterative import iterative_count
from deniable.statistics.question_checks import METHODS, check_method
from deniable.statistics.reports import Reports


def count(reports: Reports, where: Any, target: str | None, method: str) -> Estimate:
    """`Sample.count`."""
    check_method(method, METHODS)
    target = reports.target(target, "respondents")
    condition = reports.condition(where)
    return answer(reports, Subject([condition]), _count(reports, condition, target, method))


def _count(reports: Reports, condition: Condition | None, target: str, method: str) -> Estimate:
    if method == "iterative" and condition is not None:
        return iterative_count(*reports.iterative_rows(condition.attributes()), condition, target)
    if method == "em" and condition is not None:
        return likely.count(reports.fits.of([condition]), condition, target)
    members = reports.members(condition)
    title = "everyone" if condition is None else str(condition)
    estimate = weighted_shares.count(reports.sums(target), members, title, target)
    return reports.smoothing.point(estimate, [members], lambda means: estimate.n * means)
