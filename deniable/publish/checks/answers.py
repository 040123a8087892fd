"""Checks of the true answers inside each group: how mixed they are, how many people share them, how far they are from those of all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deniable.plurals import counted
from deniable.privacy.measures.deniability import minority_share
from deniable.privacy.reporting.words import percent
from deniable.publish.checks.check import Check
from deniable.publish.checks.measured import Measured
from deniable.publish.fitted_tree import FittedTree
from deniable.publish.measures import surest_if_ruled_out, times_as_frequent
from deniable.publish.remedies import MIXED, Remedy, change, helpless

BEYOND_GROUPS = "eave the column out, or randomise each answer by itself instead (deniable randomise)"


def deniability(measured: Measured) -> Check:
    """Whether every group keeps the minimum deniability."""
    levels, minimum = measured.groups.deniability, measured.fitted.rules.min_deniability
    means = "means" if levels.min() >= minimum - 1e-9 else "would mean"
    promised = shares_by_column(measured.fitted.minority_shares)
    return measured.check_groups(
        "deniability",
        levels < minimum - 1e-9,
        f"smallest {levels.min():.4f}, asked for {minimum:.4g}, which {means} a minority of at least {promised} in every group; the "
        f"smallest that a group has is {shares_by_column(smallest_minorities(measured))}",
        f"every group has a deniability of at least {minimum:.4g}: a minority of at least "
        f"{shares_by_column(public_minorities(measured.fitted, measured.declared))}",
        Remedy(MIXED),
    )


def worst_posterior(measured: Measured) -> Check:
    """Whether anyone who knows a person's group is too sure of an answer."""
    posterior, limit = measured.groups.posterior, measured.limits.posterior
    most = largest_answer(measured)
    return measured.check_groups(
        "worst posterior",
        posterior > limit + 1e-12,
        f"anyone who knows a person's group is at most {percent(float(posterior.max()), up=True)} sure of an answer; "
        f"limit {percent(limit)}",
        f"anyone who knows a person's group is at most {percent(limit)} sure of an answer",
        helpless(f"no grouping can: {percent(most)} of all rows have the same answer. {_beyond_groups(measured)}")
        if most > limit
        else change("let no group be surer", "max_posterior", limit),
    )


def small_groups(measured: Measured) -> Check:
    """Whether every group has enough people."""
    sizes, limit = measured.groups.sizes, measured.limits.rows
    rows = int(sizes.sum())
    return measured.check_groups(
        "small groups",
        sizes < limit,
        f"smallest group {counted(sizes.min(), 'row')}; limit {limit:,}",
        f"every group has at least {counted(limit, 'row')}",
        helpless(f"there {'is' if rows == 1 else 'are'} only {counted(rows, 'row')}; nothing but more people helps")
        if rows < limit
        else change("let no group be smaller", "min_rows", int(limit)),
    )


def skew(measured: Measured) -> Check:
    """Whether the answers of every group are near those of all rows."""
    distances, limit = measured.groups.skew, measured.limits.skew
    return measured.check_groups(
        "skew",
        distances > limit + 1e-12,
        f"answers of a group differ from those of all by at most {percent(float(distances.max()), up=True)} (total variation); "
        f"limit {percent(limit)}",
        f"answers of a group differ from those of all by at most {percent(limit)} (total variation)",
        change("let no group differ more", "max_skew", limit),
    )


def relative_skew(measured: Measured) -> Check:
    """Whether an answer is much more frequent in a group than among all rows, however rare it is."""
    limit = measured.limits.skew_ratio
    return measured.check_groups(
        "relative skew",
        measured.groups.skew_ratio > limit * (1 + 1e-9),
        f"{_most_relative(measured)}; limit {limit:.4g} times",
        f"no answer is more than {limit:.4g} times as frequent in a group as among all rows",
        change("let no answer be more frequent", "max_skew_ratio", limit),
    )


def background_knowledge(measured: Measured) -> Check:
    """Whether anyone who also rules out one answer is too sure of another; that is asked of three answers or more.

    With fewer it holds all the same, so that the list of checks does not tell how many answers there are.
    """
    surest, limit = measured.groups.ruled_out, measured.limits.ruled_out
    public = f"anyone who also rules out one answer of three or more is at most {percent(limit)} sure"
    if surest is None:
        return Check(
            "background knowledge", True, "not asked: no column has three answers", np.empty(0, np.int64), public=public
        )
    return measured.check_groups(
        "background knowledge",
        surest > limit + 1e-12,
        f"anyone who also rules out one answer is at most {percent(float(surest.max()), up=True)} sure; limit {percent(limit)}",
        public,
        _remedy_of_ruling_out(measured),
    )


def _remedy_of_ruling_out(measured: Measured) -> Remedy:
    limit, whole = measured.limits.ruled_out, ruled_out_of_all_rows(measured)
    if whole > limit:
        return helpless(
            f"no grouping can: of all rows that did not give the second answer {percent(whole)} gave the first. {_beyond_groups(measured)}"
        )
    if measured.fitted.rules.max_ruled_out > limit:
        return change("let no group be surer", "max_ruled_out", limit)
    return Remedy((*MIXED, ", or put rare answers together before publishing"))


def _beyond_groups(measured: Measured) -> str:
    """What helps where no grouping does; of two answers none can be put together."""
    several = max(map(len, measured.fitted.sensitive.labels)) > 2
    return f"Put rare answers together, l{BEYOND_GROUPS}" if several else f"L{BEYOND_GROUPS}"


def largest_answer(measured: Measured) -> float:
    """The largest share of all rows that gave one answer: no grouping lowers that."""
    return float(max(table.sum(axis=0).max() for table in measured.groups.columns) / len(measured.labels))


def ruled_out_of_all_rows(measured: Measured) -> float:
    """The same among all rows that did not give another answer."""
    return float(max(surest_if_ruled_out(table.sum(axis=0)[None])[0] for table in measured.groups.wide))


def smallest_minorities(measured: Measured) -> dict[str, float]:
    """For each sensitive column the smallest minority of a group: the most certain answer of a group may be one of any of them."""
    sizes = measured.groups.sizes
    tables = zip(measured.fitted.sensitive.names, measured.groups.columns, strict=True)
    return {name: float(1 - (table.max(axis=1) / sizes).max()) for name, table in tables}


def public_minorities(fitted: FittedTree, declared: Sequence[str]) -> dict[str, float]:
    """The minority that the minimum means in each sensitive column, as anyone may read it.

    It is larger the more answers there are, and how many there are is found from the answers, unless the owner declared them: then two are
    counted, which is never too much.
    """
    each = zip(fitted.sensitive.names, fitted.sensitive.labels, strict=True)
    counts = {name: max(2, len(labels)) if name in declared else 2 for name, labels in each}
    return {name: minority_share(fitted.rules.min_deniability, count) for name, count in counts.items()}


def shares_by_column(shares: dict[str, float]) -> str:
    """Minorities, rounded down; of several columns each with its name.

    >>> shares_by_column({"ill": 0.1196}), shares_by_column({"ill": 0.1196, "poor": 0.3})
    ('11.9%', '11.9% (ill) and 30% (poor)')
    """
    if len(shares) == 1:
        return percent(next(iter(shares.values())), down=True)
    return " and ".join(f"{percent(share, down=True)} ({name})" for name, share in shares.items())


def _most_relative(measured: Measured) -> str:
    """The answer that is relatively most frequent in a group, with its shares there and among all rows."""
    sensitive, tables = measured.fitted.sensitive, measured.groups.columns
    times = [times_as_frequent(table) for table in tables]
    column = int(np.argmax([table.max() for table in times]))
    group, answer = np.unravel_index(int(np.argmax(times[column])), times[column].shape)
    counts = tables[column]
    share = counts[group, answer] / measured.groups.sizes[group]
    among_all = counts[:, answer].sum() / counts.sum()
    which = f" ({sensitive.names[column]})" if len(sensitive.names) > 1 else ""
    return (
        f"the answer {sensitive.labels[column][answer]!s}{which} is "
        f"{_times(float(share / among_all), measured.limits.skew_ratio)} in a group ({percent(share)}) as among all rows "
        f"({percent(among_all)})"
    )


def _times(value: float, limit: float) -> str:
    """How many times as frequent; with one group an answer is as frequent in it as among all.

    >>> _times(1.0, 3), _times(1.234, 3)
    ('as frequent', '1.2 times as frequent')
    """
    told = _told_apart(value, limit)
    return "as frequent" if told == "1" else f"{told} times as frequent"


def _told_apart(value: float, limit: float) -> str:
    """A number with two digits, or as many as it takes to see on which side of the limit it lies.

    >>> _told_apart(2.987, 3), _told_apart(1.234, 3), _told_apart(3.0004, 3), _told_apart(3, 3)
    ('2.99', '1.2', '3.0004', '3')
    """
    texts = (f"{value:.{digits}g}" for digits in range(2, 12))
    return next((text for text in texts if np.sign(float(text) - limit) == np.sign(value - limit)), f"{value:.2g}")
