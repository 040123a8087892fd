"""Shares and numbers of people: of groups, of labels within groups, of combinations of labels, and their differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from deniable.core.estimate import Estimate
from deniable.core.exact import Floats
from deniable.core.intervals import at_least_direct
from deniable.statistics.conditions import Condition
from deniable.statistics.functions import Function, factor
from deniable.statistics.parts import Sums
from deniable.statistics.weighted import Weighted, check_group, estimate_of, scaled

Group = tuple[tuple[Any, ...], Function, Any]
"""What stands before its labels, who is in it, and the words for that."""


def count(sums: Sums, members: Function, title: str, target: str) -> Estimate:
    """How many people are members of a group."""
    weighted = sums([members], lambda means: np.eye(1))
    errors = weighted.errors(weighted.values, np.diag(weighted.square_totals()), target)
    # With survey weights the number of people itself is estimated.
    most = math.inf if weighted.survey_weighted else weighted.people
    return estimate_of(
        weighted.totals(), errors, ["count"], weighted, target, title, (0.0, most),
        ends=lambda level: scaled(weighted.share_ends(level), weighted.people),
    )  # fmt: skip


def table(sums: Sums, cells: Sequence[Function], labels: Sequence[Any], title: str, target: str) -> Estimate:
    """The shares of people in each of some cells that part the people."""
    weighted = sums(cells, lambda means: np.eye(len(means)))
    shares = weighted.totals() / weighted.people
    known = np.diag(weighted.centred_squares(weighted.square_totals(), weighted.values))
    errors = weighted.errors(weighted.per_person(weighted.values), known, target)
    sizes = np.full(len(shares), weighted.direct_rows)

    def ends(level: float) -> tuple[Floats, Floats]:
        return _ratio_ends(shares, errors[0], sizes, level) if weighted.survey_weighted else weighted.share_ends(level)

    return estimate_of(shares, errors, labels, weighted, target, title, (0.0, 1.0), ends)


def _ratio_ends(shares: Floats, covariance: Floats, sizes: Floats, level: float) -> tuple[Floats, Floats]:
    """Value +- z se, but never surer than so many direct answers would be."""
    reach = NormalDist().inv_cdf(0.5 + level / 2) * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return at_least_direct((shares - reach, shares + reach), shares, sizes, level)


def difference(
    sums: Sums, first: tuple[Condition | None, Function], second: tuple[Condition | None, Function], target: str
) -> Estimate:
    """The share of the first group minus that of the second: both from the same reports, so their covariance counts."""
    x, y = first[1], second[1]
    weighted = sums([x, y, x * y], lambda means: np.array([[1.0, -1.0, 0.0]]))
    a, b, _ = weighted.totals()
    apart = (weighted.values[0] - weighted.values[1])[None, :]
    only_x, only_y, both = weighted.square_totals()
    known = np.diag(weighted.centred_squares(np.array([only_x + only_y - 2 * both]), apart))
    errors = weighted.error_of_one(weighted.per_person(apart), known, target)
    title = f"share of ({first[0]}) minus share of ({second[0]})"
    return estimate_of([(a - b) / weighted.people], errors, ["difference"], weighted, target, title, None)


def distribution(
    sums: Sums, of: tuple[str, Sequence[Any], Sequence[Floats]], groups: Sequence[Group], title: str, target: str
) -> Estimate:
    """The distribution of an attribute (its name, labels or bins, and their members) in each of some groups: ratios of unbiased sums."""
    name, labels, masks = of
    k = len(masks)
    functions = [function for _, group, _ in groups for function in (*(group * factor(name, m) for m in masks), group)]
    weighted = sums(functions, lambda means: _rows(means, k))
    totals, squares = weighted.totals(), weighted.square_totals()
    values, residuals, names, sizes = [], [], [], []
    known = np.zeros((len(groups) * k,) * 2)
    for g, (prefix, _, words) in enumerate(groups):
        inside, whole = slice(g * (k + 1), g * (k + 1) + k), g * (k + 1) + k
        check_group(totals[whole], weighted.people, f"distribution of {name}", words)
        shares = totals[inside] / totals[whole]
        values.append(shares)
        sizes += [min(totals[whole] / weighted.people, 1.0) * weighted.direct_rows] * k
        residuals.append((weighted.values[inside] - shares[:, None] * weighted.values[whole]) / totals[whole])
        rows = slice(g * k, (g + 1) * k)
        mixed = np.outer(shares, squares[inside])
        known[rows, rows] = np.diag(squares[inside]) - mixed - mixed.T + np.outer(shares, shares) * squares[whole]
        known[rows, rows] /= totals[whole] ** 2
        names += [(*prefix, label) if prefix else label for label in labels]
    shown = np.concatenate(values)
    errors = weighted.errors(np.vstack(residuals), known, target)

    def ends(level: float) -> tuple[Floats, Floats]:
        if len(groups) == 1 and (weighted.values[-1] == 1).all() and not weighted.survey_weighted:
            # Of everyone: plain shares, not ratios.
            return Weighted(
                weighted.values[:-1], weighted.n, weighted.stands_for, weighted.part, weighted.counts_as
            ).share_ends(level)
        return _ratio_ends(shown, errors[0], np.array(sizes), level)

    return estimate_of(shown, errors, names, weighted, target, title, (0.0, 1.0), ends)


def _rows(means: Floats, k: int) -> Floats | None:
    """What shares of labels within groups depend on: label minus share times group, divided by the group."""
    count = len(means) // (k + 1)
    rows = np.zeros((count * k, len(means)))
    for g in range(count):
        whole = g * (k + 1) + k
        if means[whole] <= 0:
            return None
        for i in range(k):
            rows[g * k + i, whole - k + i] = 1 / means[whole]
            rows[g * k + i, whole] = -means[whole - k + i] / means[whole] ** 2
    return rows
