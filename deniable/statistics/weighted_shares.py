"""Shares and numbers of people: of groups, of labels within groups, of combinations of labels, and their differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.core.estimate import FEWEST, Estimate
from deniable.core.intervals import at_least_direct
from deniable.errors import NoIntervalError
from deniable.statistics.bounded import bias_range_of
from deniable.statistics.conditions import Condition
from deniable.statistics.functions import ONE, Function
from deniable.statistics.groups import Group, parted
from deniable.statistics.ratio_differences import (
    Overlap,
    apart,
    beyond,
    covariance_of,
    difference_estimate,
    minus,
    moved,
    of_either,
    rows_of,
    sides,
)  # fmt: skip
from deniable.statistics.ratios import CAREFUL, SELDOM_AS_LARGE, Ratio, Squares, of_members, ratio
from deniable.statistics.smoothed import SMOOTHED
from deniable.statistics.smoothing import SmoothedMeans
from deniable.statistics.titles import difference_title
from deniable.statistics.weighing import Sums
from deniable.statistics.weighted import Weighted, estimate_of, scaled

HARDLY = 1e-6
"""Less randomness than this part of the sampling error is rounding."""
FEW_REPORTS = 10.0
"""Those who report to be in a group count beside this many who are like everyone."""


def count(sums: Sums, members: Function, title: str, target: str) -> Estimate:
    """How many people are members of a group."""
    weighted = sums([members], lambda means: np.eye(1))
    errors = weighted.errors(weighted.values, np.diag(weighted.square_totals()), target)
    # With survey weights the number of people itself is estimated.
    most = math.inf if weighted.survey_weighted else weighted.people
    return estimate_of(
        weighted.totals(), errors, ["count"], weighted, target, title, (0.0, most),
        ends=lambda level: scaled(weighted.share_ends(level), weighted.people), scale=weighted.people,
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

    return estimate_of(shares, errors, labels, weighted, target, title, (0.0, 1.0), ends, whole=len(shares))


def people_in(sums: Sums, groups: Sequence[Function], asked_too: Function) -> Floats:
    """How many of the respondents, each counted once, are estimated to be in each of some groups, as `distribution` counts them: among
    those who were asked for `asked_too` as well."""
    weighted = sums([*groups, asked_too], lambda means: np.eye(len(means)))
    return np.array([weighted.respondents_in(place) for place in range(len(groups))])


def _ratio_ends(shares: Floats, covariance: Floats, sizes: Floats, level: float) -> tuple[Floats, Floats]:
    """Value +- z se, but never surer than this many direct answers would be."""
    reach = NormalDist().inv_cdf(0.5 + level / 2) * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return at_least_direct((shares - reach, shares + reach), shares, sizes, level)


def difference(
    sums: Sums, first: tuple[Condition | None, Function], second: tuple[Condition | None, Function], target: str
) -> Estimate:
    """The first group's share of everyone minus the second's: both from the same reports, so their covariance counts."""
    x, y = first[1], second[1]
    weighted = sums([x, y, x * y], lambda means: np.array([[1.0, -1.0, 0.0]]))
    a, b, _ = weighted.totals()
    apart = (weighted.values[0] - weighted.values[1])[None, :]
    only_x, only_y, both = weighted.square_totals()
    known = np.diag(weighted.centred_squares(np.array([only_x + only_y - 2 * both]), apart))
    errors = weighted.error_of_one(weighted.per_person(apart), known, target)
    title = difference_title(first[0], second[0])
    return estimate_of([(a - b) / weighted.people], errors, ["difference"], weighted, target, title, (-1.0, 1.0))


def distribution(
    sums: Sums, of: tuple[str, Sequence[Any], Sequence[Function]], groups: Sequence[Group], title: str, target: str,
    smoothed: SmoothedMeans | None = None,
) -> Estimate:  # fmt: skip
    """The distribution of an attribute (words for it, its labels or bins, and their members) in some groups: ratios of sums. `smoothed` is
    what is known of the groups' labels, and of each group after its labels, by smoothing."""
    what, labels, members = of
    k = len(members)
    weighted = sums(parted(members, groups), lambda means: _rows(means, k))
    squares = weighted.square_totals()
    ratios, names = list[Ratio](), list[Any]()
    has_people, empty = list[int](), list[str]()
    for g, group in enumerate(groups):
        whole = g * (k + 1) + k
        of_group = (what, group.words)
        try:
            # A member of a label is one of the group: its square and the product of both are itself.
            shares = [
                of_members(
                    ratio(weighted, (i, whole), Squares(squares[i], squares[i], squares[whole]), target, (0.0, 1.0), of_group),
                    weighted, whole,
                )
                for i in range(whole - k, whole)
            ]  # fmt: skip
        except NoIntervalError as error:
            # One of several groups that nobody is in has no shares; the others have.
            if error.code != "empty_group" or len(groups) == len(empty) + 1:
                raise
            empty.append(f"nobody is in the group ({group.words})")
            continue
        ratios += shares
        names += [(*group.prefix, label) if group.prefix else label for label in labels]
        has_people.append(g)
    everyone = len(groups) == 1 and bool((weighted.values[-1] == 1).all()) and not weighted.survey_weighted
    sizes = [_worth_of_group(weighted, g * (k + 1) + k) for g in has_people]
    estimate = _ratios(weighted, ratios, names, (k, np.repeat(sizes, k)), everyone, target, title)
    if not everyone:
        wholes = [g * (k + 1) + k for g in has_people]
        estimate.group_sizes = np.repeat([weighted.respondents_in(whole) for whole in wholes], k)
        estimate.sizes_known = weighted.knows(wholes)
    estimate.notes += tuple(empty)
    if smoothed is None:
        return estimate
    values, reported = (each[has_people].reshape(-1) for each in _smoothed_shares(weighted, smoothed, k))
    # Where nothing can be told of a group, its people are taken to be like those who report to be in it.
    return estimate.with_value(np.where(estimate.left_open, reported, values), SMOOTHED)


def share(
    sums: Sums, members: Function, group: Group, title: str, target: str, smoothed: SmoothedMeans | None = None
) -> Estimate:
    """The share of members in a group: they and the others part it. `smoothed` is that of `distribution`."""
    both = distribution(sums, (title, [True, False], [members, ONE - members]), [group], title, target, smoothed)

    def ends(level: float) -> tuple[Floats, Floats]:
        low, high = both.interval(level)
        return low[:1], high[:1]

    worth, bias, sizes = (None if each is None else each[:1] for each in (both.worth, both.bias, both.group_sizes))
    estimate = Estimate(
        both.value[:1], ["share"], n=both.n, method=both.method, target=target, covariance=both.covariance[:1, :1], name=title,
        limits=(0.0, 1.0), ends=ends, worth=worth, assumes=both.assumes, notes=both.notes, bias=bias, group_sizes=sizes,
    )  # fmt: skip
    estimate.sizes_known = both.sizes_known
    return estimate


def between(
    sums: Sums, members: Function, first: Group, second: Group, title: str, target: str, smoothed: SmoothedMeans | None = None
) -> Estimate:
    """The share of members in the first group minus that in the second; `smoothed` is that of `distribution` in both groups."""
    x, y = first.members, second.members
    functions = [*parted([members, ONE - members], [first, second]), members * x * y, x * y]
    weighted = sums(functions, lambda means: rows_of(means, [(0, 2), (3, 5)]))
    in_x, _, size_x, in_y, _, size_y, in_both, both = weighted.square_totals()
    one, two = (
        ratio(
            weighted, places, Squares(inside, inside, size), target, (0.0, 1.0), (title, words), ends_within=beyond((0.0, 1.0))
        )
        for places, inside, size, words in (((0, 2), in_x, size_x, first.words), ((3, 5), in_y, size_y, second.words))
    )
    sizes = [_worth_of_group(weighted, whole) for whole in (2, 5)]
    if target == "population":
        one, two = (_no_surer(share_of_one, size) for share_of_one, size in zip((one, two), sizes, strict=True))
    found = minus(weighted, ((0, one), (3, two)), Overlap(in_both, in_both, both), target)
    found = of_either(found, weighted, (2, 5, 7))
    one, two = (of_members(side, weighted, whole) for side, whole in ((one, 2), (two, 5)))
    estimate = difference_estimate(weighted, found, (one, two), target, title, apart((0.0, 1.0), (0.0, 1.0)))
    people = [weighted.respondents_in(whole) for whole in (2, 5)]
    if min(people) < FEWEST:
        estimate.group_sizes = np.array([min(people)])
    estimate.sides = sides(weighted, ((first.words, one), (second.words, two)), people, target, ((0.0, 1.0), (0.0, 1.0)))
    if smoothed is None:
        return estimate
    shares = _smoothed_shares(weighted, smoothed, 2)[0].reshape(-1)
    smooth = estimate.with_value([shares[0] - shares[2]], SMOOTHED)
    smooth.sides = moved(estimate.sides, (shares[0], shares[2]), SMOOTHED)
    return smooth


def _worth_of_group(weighted: Weighted, whole: int) -> float:
    """How many equally weighted respondents a group has, by the place of the group."""
    return float(min(max(weighted.totals()[whole], 0.0) / weighted.people, 1.0) * weighted.direct_rows)


def _no_surer(given: Ratio, size: float) -> Ratio:
    """The same share, never surer than this many direct answers would be."""

    def ends(level: float | None) -> tuple[float, float]:
        low, high = given.ends(level)
        if level is None:
            return low, high
        (low,), (high,) = at_least_direct((np.array([low]), np.array([high])), np.array([given.value]), max(size, 1e-9), level)
        return float(low), float(high)

    return given._replace(ends=ends)


def _smoothed_shares(weighted: Weighted, smoothed: SmoothedMeans, k: int) -> tuple[Floats, Floats]:
    """Shares [group, label] within groups by smoothed means, and those of the people who report to be in them. A group whose size is hardly
    known is taken to be like the latter, and if hardly anybody does, like everyone."""
    groups, reported = (means.reshape(-1, k + 1) for means in (smoothed.means, smoothed.at_face_value))
    whole = np.arange(k, len(smoothed.means), k + 1)
    rows = np.eye(len(weighted.values))[whole]
    # A small group of which everybody is known is no reason for doubt. Where its members are hidden, that they are few is one.
    known = np.diag(weighted.square_totals()[whole]) / weighted.people**2
    hidden, _ = weighted.errors(rows @ weighted.values / weighted.people, known, "respondents")
    few_members = np.maximum(smoothed.means[whole], 0.0) / weighted.rows
    spread = np.where(np.diag(hidden) > HARDLY * few_members, np.maximum(np.diag(hidden), few_members), 0.0)
    low, high = bias_range_of(weighted, rows)
    few = FEW_REPORTS / weighted.rows
    alike = np.maximum(reported[:, :k] + few * smoothed.everyone, 0.0)
    total = alike.sum(axis=1, keepdims=True)
    everyone = np.broadcast_to(smoothed.everyone / smoothed.everyone.sum(), alike.shape).copy()
    alike = np.divide(alike, total, out=everyone, where=total > 0)
    # The bias is seldom as large as it could be, and the smoothed size is better than its weights.
    doubt = CAREFUL * spread + ((high - low) / 2 / SELDOM_AS_LARGE) ** 2
    shares = groups[:, :k] * groups[:, k:] + doubt[:, None] * alike
    return shares / shares.sum(axis=1, keepdims=True), alike


def _ratios(
    weighted: Weighted,
    ratios: list[Ratio],
    labels: list[Any],
    sizes: tuple[int, Floats],
    everyone: bool,
    target: str,
    title: str,
) -> Estimate:
    """Shares of labels within groups, each group's adding up to 1, and their intervals."""
    k, direct = sizes
    shares = np.array([one.value for one in ratios])
    bounded = weighted.bounded is not None
    off = np.array([bounded or one.note is not None for one in ratios])
    totals = shares.reshape(-1, k).sum(axis=1, keepdims=True)
    # Each share was brought to the middle of its own bias, and within 0 and 1: together they must still be everybody.
    shares = np.where(off & (totals > 0).repeat(k), (shares.reshape(-1, k) / np.maximum(totals, 1e-300)).reshape(-1), shares)

    def ends(level: float) -> tuple[Floats, Floats]:
        if everyone and not bounded and target == "population":
            # Of everyone: plain shares, not ratios.
            plain = Weighted(weighted.values[:-1], weighted.n, weighted.stands_for, weighted.part, weighted.counts_as)
            return plain.share_ends(level)
        low, high = np.array([one.ends(level) for one in ratios]).T
        # Never surer than this many direct answers would be.
        return (low, high) if target == "respondents" else at_least_direct((low, high), shares, np.maximum(direct, 1e-9), level)

    notes = tuple(dict.fromkeys(one.note for one in ratios if one.note is not None))
    classes = weighted.bounded.assumes if weighted.bounded is not None else ()
    return Estimate(
        shares, labels, n=round(weighted.rows), method="bounded bias" if bounded else "joint", target=target,
        covariance=covariance_of(weighted, ratios, target), name=title, limits=(0.0, 1.0), ends=ends,
        worth=None if bounded else [one.worth for one in ratios], assumes=(*weighted.assumes, *classes), notes=notes,
        bias=[one.bias or 0.0 for one in ratios] if bounded else None, whole=k,
    )  # fmt: skip


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
