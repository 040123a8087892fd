"""What is said of an estimate in sentences: how it was obtained, what it takes for granted, and which of two groups has more."""

from __future__ import annotations

import numpy as np

from deniable.core.estimated_values import EstimatedValues
from deniable.core.simplex import nearest_possible
from deniable.picture_words import ENGLISH, Words, as_direct, words_of
from deniable.plurals import counted


def caption(estimate: EstimatedValues) -> str:
    """How many reports, by which method, and what the error bars are about."""
    words = words_of(estimate.language)
    method = words.methods.get(estimate.method, estimate.method)
    reports = counted(estimate.n, "report") if words is ENGLISH else words.reports.format(n=words.number(estimate.n, ","))
    bars = words.error_bars[estimate.target] if (estimate.has_interval or estimate.has_band) and not estimate.exact else ""
    return ", ".join(part for part in (reports, in_the_group(estimate, words), _worth(estimate, words), method, bars) if part)


def in_the_group(estimate: EstimatedValues, words: Words) -> str:
    """How many of the reports come from the one group that the values are about."""
    if estimate.group_sizes is None or estimate.by is not None or np.ptp(estimate.group_sizes) != 0:
        return ""
    inside = words.known_in_the_group if estimate.sizes_known else words.in_the_group
    return inside.format(n=words.number(estimate.group_sizes[0], ",.0f"))


def _worth(estimate: EstimatedValues, words: Words) -> str:
    """How many direct answers would tell as much."""
    if estimate.worth is None or len(estimate.worth) != 1 or not estimate.worth[0] >= 1 or estimate.exact:
        return ""
    return as_direct(round(float(estimate.worth[0])), words.language)


def verdict(estimate: EstimatedValues) -> str:
    """Whether the (first) value can be told from 0 at the 95% level."""
    words = words_of(estimate.language)
    low, high = (float(end[0]) for end in estimate.interval())
    point = float(nearest_possible(estimate.value, estimate.limits, estimate.whole)[0])
    where_it_lies = words.above_zero if low > 0 else words.below_zero if high < 0 else words.near_zero
    times, digits = (100, ".1f") if estimate.in_points else (1, ".4g")
    value, *ends = (words.number(times * number, digits) for number in (point, low, high))
    return words.verdict.format(
        found=where_it_lies,
        value=f"{value} {words.points}" if estimate.in_points else value,
        interval=words.interval.format(level=95),
        ends=words.ends.format(low=ends[0], high=ends[1]),
    )


def comparison(estimate: EstimatedValues) -> str:
    """In which of two groups it is more; empty where that cannot be told."""
    if len(estimate.sides) != 2 or not estimate.has_interval or estimate.said_instead != [None]:
        return ""
    (low,), (high,) = estimate.interval()
    if low <= 0 <= high:
        return ""
    words = words_of(estimate.language)
    told = words.compared_shares if estimate.in_points else words.compared_means
    return told[bool(low > 0)].format(first=estimate.sides[0][0], second=estimate.sides[1][0])


def sentences_of(estimate: EstimatedValues, words: Words) -> list[str]:
    """What stands under a picture: why there is no interval, what is assumed and what else is to be said."""
    reason = estimate.why_no_interval
    return [*([words.no_interval.format(reason=reason)] if reason else []), *assumed_and_noted(estimate, words)]


def assumed_and_noted(estimate: EstimatedValues, words: Words) -> list[str]:
    """What an estimate takes for granted, and what else is to be said of it."""
    return [
        *(words.assumed.format(what=assumption) for assumption in estimate.assumes),
        *(words.note.format(what=note) for note in estimate.notes),
    ]
