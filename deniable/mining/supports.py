"""The support of one itemset that somebody asks for, however long, without a search.

Short itemsets are weighed pattern by pattern: 2^m patterns are counted (one AND and popcount each) and weighed once. Beyond
`PATTERNS_UP_TO` items the rows are weighed one by one, m multiplications each, which is linear in m. Both give the same sums; a search
needs neither, since every candidate's subsets are known (`kernels.candidates.weighted_sums`).
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import NormalDist
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.core.estimate import Estimate
from deniable.core.intervals import Ends, at_least_direct
from deniable.core.schema import Schema
from deniable.errors import DataError, ParameterError
from deniable.mining.biases import Range, ends, largest_bias
from deniable.mining.counting import Sums
from deniable.mining.items import Items
from deniable.mining.transactions import Transactions, as_transactions

PATTERNS_UP_TO = 12
"""Measured (`python -m benchmarks.mining --only support`): 2^m patterns of 100,000 rows cost what the rows cost at 13 items."""


def itemset_support(
    data: Any,
    schema: Schema | Any = None,
    items: Iterable[Any] = (),
    target: str = "population",
    bins: Any = None,
    most: Any = None,
) -> Estimate:
    """The unbiased support of one itemset, with its error: which share of the true transactions holds all these items.

    Parameters
    ----------
    data, schema
        As of `dn.Transactions`, which may be given too. Only the columns of these items are read.
    items
        The names of the items: a column of yes and no, or COLUMN=VALUE.
    target
        Errors are for the "population" that the transactions are a sample of, or for these transactions alone ("respondents").
    bins
        Bins of numbers, by attribute; attributes of other items need none.
    most
        Behind noise that cannot be undone without bias, the interval counts the largest bias among truths of which no single value is
        too crowded; `estimate.assumes` says what that means, and `most` (`{"age": 0.2}`) says it otherwise.

    Returns
    -------
    Estimate
        The support, a share.

    Examples
    --------
    >>> import deniable as dn
    >>> baskets = dn.Transactions([["bread", "milk"]] * 40 + [["milk"]] * 60, dn.Flip(p=0.9, q=0.9))
    >>> dn.itemset_support(baskets, items=["bread", "milk"]).value.round(4).tolist()
    [0.4219]
    """
    if isinstance(items, (str, bytes)):
        raise ParameterError("items_list", "items must be a list of items, got {got!r}; write [{got!r}].", got=items)
    asked = list(items)
    transactions = as_transactions(data, schema, bins, most, asked)
    numbers = item_numbers(transactions, asked)
    return _support(transactions, numbers, target)


def _support(transactions: Transactions, numbers: Ints, target: str) -> Estimate:
    sums, items, n = itemset_sums(transactions, numbers), transactions.items, transactions.rows
    support, total, second = sums.total / n, float(sums.total[0]), float(sums.second[0])
    bias = _bias(transactions, numbers, target)
    # What respondents differ by is no error to them, but of biased weights it cannot be told from the randomisation's.
    less = total if target == "respondents" and bias is None else total**2 / n
    variance = max(second - less, 0.0) / n**2

    def score(level: float) -> Ends:
        return support_interval(sums, items, numbers[None, :], n, level, target)

    def bias_aware(level: float) -> Ends:
        assert bias is not None
        interval = ends(support, np.sqrt(np.array([variance])), bias, level)
        return at_least_direct(interval, support, n, level) if target == "population" else interval

    return Estimate(
        support, ["support"], n=n, method="unbiased" if bias is None else "bias-aware", target=target, covariance=[[variance]],
        name=" & ".join(str(items.names[i]) for i in numbers), assumes=items.assumes(numbers),
        ends=score if sums.third is not None else None if bias is None else bias_aware,
        bias=None if bias is None else np.maximum(bias.below, bias.above),
    )  # fmt: skip


def _bias(transactions: Transactions, numbers: Ints, target: str) -> Range | None:
    """How far the support may be off, None if it is unbiased."""
    items = transactions.items
    others = numbers[~items.biased[numbers]]
    if len(others) == len(numbers):
        return None
    mass = float(_support(transactions, others, target).interval()[1][0]) if len(others) else 1.0
    return largest_bias(items.biases, numbers[None, :], np.array([mass]))


def item_numbers(transactions: Transactions, items: Iterable[Any]) -> Ints:
    """The numbers of items given by name; unknown ones and two values of one attribute are refused."""
    place = {name: number for number, name in enumerate(transactions.items.names)}
    asked = list(dict.fromkeys(items))
    unknown = [name for name in asked if name not in place]
    if unknown or not asked:
        raise DataError(
            "unknown_item",
            "There are no items {got}, only {allowed}." if unknown else "An itemset needs at least one item of {allowed}.",
            got=unknown,
            allowed=transactions.items.names[:20],
        )
    numbers = np.array(sorted(place[name] for name in asked), dtype=np.int64)
    if len(set(transactions.items.attribute[numbers])) < len(numbers):
        raise ParameterError(
            "impossible_itemset", "{got} holds two values of one attribute, which nobody can have; its support is 0.", got=asked
        )
    return numbers


def itemset_sums(transactions: Transactions, numbers: Ints, patterns_up_to: int = PATTERNS_UP_TO) -> Sums:
    """How many rows report the itemset, the sum of the products of weights over all rows, and that of their squares."""
    from deniable.kernels.bits import count_itemsets, pattern_counts
    from deniable.kernels.row_products import packed_row_sums

    items = transactions.items
    if not items.plain:
        return transactions.counter(numbers).sums(np.arange(len(numbers), dtype=np.int32)[None, :])  # type: ignore[union-attr]
    packed = transactions.select(numbers)
    places = np.arange(len(numbers))
    if len(numbers) <= patterns_up_to:
        counts = pattern_counts(packed, places, transactions.rows)
        weights = pattern_weights(items.absent[numbers], items.present[numbers])
        return Sums(counts[-1:], *(np.array([counts @ weights**k]) for k in (1, 2, 3)))
    reported = np.zeros(1, np.int64)
    count_itemsets(packed, places[None, :].astype(np.int32), 0, 1, reported)
    powers = packed_row_sums(packed, transactions.rows, places, items.absent[numbers], items.present[numbers])
    return Sums(reported, *(np.array([power]) for power in powers))


def support_interval(sums: Sums, items: Items, itemsets: Any, n: int, level: float, target: str) -> Ends:
    """Score intervals: all supports s that lie within z of *their own* standard error from the estimate v.

    If the support were s, the mean square of the weights would be M2 + slope (s - v), slope = cov(w^2, w) / var(w): the rows that make
    a support large make its error large. That takes the third moment; for the respondents only what the randomisation does counts,
    whose cov(w^2, w) is M3 - v A with A = E[w^2 | all items true]. And it would be A s + B (1 - s) at least, B being the least mean
    square that any rows without all items can have: few rows may have shown nothing yet of what they will show. Undistorted both
    give Wilson's interval.

    Parameters
    ----------
    sums, itemsets
        What was counted of the itemsets, and their items: one row of item numbers per itemset.
    items
        All items, with their weights.
    n
        How many transactions there are.
    level
        The confidence level.
    target
        "population" or "respondents".

    Returns
    -------
    tuple
        The lower and the upper ends, which may lie outside 0 to 1.
    """
    from deniable.kernels.support_scores import support_ends

    interval: Ends = support_ends(
        sums.total, sums.second, sums.third, itemsets, items.second_given, items.second_otherwise, n,
        NormalDist().inv_cdf(0.5 + level / 2) ** 2, target == "respondents",
    )  # fmt: skip
    return interval


def pattern_weights(absent: Floats, present: Floats) -> Floats:
    """The product of weights of every pattern of reports; bit j of its number says whether item j is reported.

    >>> pattern_weights(np.array([-1.0, -2.0]), np.array([3.0, 5.0])).tolist()
    [2.0, -6.0, -5.0, 15.0]
    """
    weights = np.ones(1)
    for low, high in zip(absent, present, strict=True):
        weights = np.concatenate([weights * low, weights * high])
    return weights
