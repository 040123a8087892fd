"""The miners as published: MASK (thesis 3.6.1), RE (3.6.2), MMASK with CTS and its relaxations (chapter 4). For comparison.

MASK and RE give the same number as method="unbiased", which needs neither their 2^n counters nor their 2^n terms. MMASK is
**biased** above its threshold: the rows that CTS chooses are not those that hold the items (errata 22), so it has no interval there.

Items are kept with p where true and with q where not, each with its own: the weights of `Items` are q / (p + q - 1) for a report and
-(1 - q) / (p + q - 1) for none, the row of the inverse of M_i that estimates the ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.errors import ParameterError
from deniable.mining.ahead import ItemArrays
from deniable.mining.choices import Choice
from deniable.mining.counting import Sums, in_threads
from deniable.mining.items import Items
from deniable.mining.levels import MOST_CANDIDATES, ROUNDING, Level, Tally
from deniable.mining.search import Search
from deniable.mining.transactions import Transactions
from deniable.progress import Progress

LONGEST_MASK = 10
"""Beyond this many items the literal 2^n system is refused: its matrix alone has 4^n entries."""
LARGEST_THRESHOLD = 12
BIASED = (
    "MMASK's rows are chosen by their reports and are not those that truly hold the items: above r_threshold its supports are biased "
    "and have no honest interval. Use method='unbiased' for error bars."
)

Estimator = Callable[[Any, Sums], Floats]
"""From candidates (sorted rows of item numbers) and what was counted of them to the estimated numbers of rows."""


@dataclass(frozen=True)
class Published(Choice):
    """The choice of all whose support, as a published method estimates it, reaches the limit of their length."""

    estimate: Estimator
    rows: int
    limit: Callable[[int], float]

    def __call__(self, itemsets: Any, parents: Any, sums: Sums) -> tuple[Any, Floats, None]:
        support = self.estimate(itemsets, sums) / self.rows
        return support >= self.limit(itemsets.shape[1]), support, None


def published_levels(
    transactions: Transactions,
    min_support: float,
    method: str,
    r_threshold: int = 3,
    relax: float = 0.0,
    reduction_relax: float = 0.0,
    max_len: int | None = None,
    progress: Progress | None = None,
    max_candidates: int = MOST_CANDIDATES,
    tally: Tally | None = None,
) -> Iterator[Level]:
    """Level after level of "mask", "re" or "mmask": itemsets whose estimated support reaches the limit of their length.

    Parameters
    ----------
    transactions, min_support, max_len, progress, max_candidates
        As of `dn.frequent_itemsets`.
    method
        "mask", "re" or "mmask".
    r_threshold, relax, reduction_relax
        Of "mmask" and its relaxations (`limit_of`).
    tally
        Counts the candidates that were tested.

    Examples
    --------
    >>> from deniable.mining.transactions import Transactions
    >>> baskets = Transactions([["bread", "milk"], ["bread", "milk"], ["milk"], ["bread"]])
    >>> [level.support.tolist() for level in published_levels(baskets, 0.5, "mmask", r_threshold=1)]
    [[0.75, 0.75], [0.5]]
    """
    check_threshold(r_threshold, relax, reduction_relax)
    items, n = transactions.items, transactions.rows
    if not items.plain:
        raise ParameterError(
            "method_needs_flips",
            "Method {method!r} knows only items of their own that are kept with p and q each; these share a draw or have channels "
            "of more values. Use method='unbiased'.",
            method=method,
        )
    tally = tally or Tally()
    tally.add(1, len(items))
    counts = transactions.item_counts()
    single = (items.slope * counts + items.absent * n) / n

    def limit(length: int) -> float:
        return limit_of(length, min_support, r_threshold, relax, reduction_relax)

    which = np.flatnonzero(single >= limit(1))
    if not len(which):
        return
    chosen = Items([items.names[i] for i in which], items.attribute[which], items.absent[which], items.present[which])
    choice = Published(_estimator(method, transactions, which, chosen, r_threshold), n, limit)
    arrays = ItemArrays(chosen.attribute, chosen.absent, chosen.slope)
    search = Search(transactions.counter(which), n, arrays, choice, max_candidates, progress, tally)
    for level in search.levels(max_len):
        if method == "mmask" and level.length > r_threshold:
            level.sums.total = np.full(len(level), np.nan)
            level.sums.second = np.full(len(level), np.nan)
        yield replace(level, itemsets=which.astype(np.int32).take(level.itemsets))


def limit_of(length: int, min_support: float, r_threshold: int, relax: float, reduction_relax: float) -> float:
    """The support that itemsets of a length must reach (thesis, Algorithm 13, as corrected).

    Every reduction of the rows adds the reduction relaxation, *before* the itemsets of that level are chosen; as printed it would
    come one level late, and Tables 4.8 and 4.13 would not come out.

    Parameters
    ----------
    length
        How many items there are in an itemset.
    min_support
        The minimum support that was asked for.
    r_threshold
        After so many items the rows are reduced.
    relax, reduction_relax
        By how much the minimum is lowered at once, and with every reduction.

    Examples
    --------
    >>> [round(limit_of(length, 0.1, 3, 0.0, 0.25), 4) for length in range(1, 9)]
    [0.1, 0.1, 0.1, 0.08, 0.08, 0.08, 0.0667, 0.0667]
    """
    return min_support / (1 + relax + reduction_relax * ((length - 1) // r_threshold)) * (1 - ROUNDING)


def _estimator(method: str, transactions: Transactions, which: Any, items: Items, r_threshold: int) -> Estimator:
    if method == "re":
        return RecursiveEstimation(transactions.rows, items)
    packed = transactions.select(which)
    everyone = _everyone(transactions.rows, packed.shape[1])
    if method == "mask":
        return lambda itemsets, _: mask_supports(packed, everyone, itemsets, items)
    return lambda itemsets, _: mmask_supports(packed, everyone, itemsets, items, r_threshold)


def mask_supports(packed: Any, everyone: Any, itemsets: Any, items: Items) -> Floats:
    """MASK, word for word: count all 2^n patterns of each itemset, solve M C^T = C^D, take the pattern of all ones.

    Patterns are in one order throughout, from none to all, with the first item as the most significant bit (errata 5).
    """
    from deniable.kernels.published import pattern_tables

    length = itemsets.shape[1]
    if length > LONGEST_MASK:
        raise ParameterError(
            "mask_too_long",
            "Method 'mask' solves 2^n equations: itemsets of {length} items are too long for it. Use method='unbiased', which gives "
            "the same supports, or max_len={most}.",
            length=length,
            most=LONGEST_MASK,
        )
    tables = np.zeros((len(itemsets), 1 << length), np.int64)
    in_threads(
        lambda first, last: pattern_tables(packed, everyone, itemsets, first, last, tables),
        len(itemsets),
        float(len(itemsets)) * packed.shape[1] * (1 << length),
    )
    estimates = np.empty(len(itemsets))
    # Itemsets whose items are kept alike share their matrix M: it is built and solved once for all of them.
    kinds, of_item = np.unique(np.stack([items.absent, items.present]), axis=1, return_inverse=True)
    alike, which = np.unique(of_item[itemsets], axis=0, return_inverse=True)
    for number, row in enumerate(alike):
        mine = np.flatnonzero(which == number)
        matrix: Any = np.ones((1, 1))
        for absent, present in kinds[:, row].T:
            matrix = np.kron(matrix, _matrix(absent, present))
        estimates[mine] = np.linalg.solve(matrix, tables[mine].T.astype(np.float64))[-1]
    return estimates


def _matrix(absent: float, present: float) -> Floats:
    """M_i[reported, true] of one item: a one is kept with p, a zero with q."""
    keep, q = 1 / (present - absent), present / (present - absent)
    p = keep + 1 - q
    return np.array([[q, 1 - p], [1 - q, p]])


class RecursiveEstimation:
    """RE (thesis, eq 3.4): each support from the reported one and from the estimates of all its subsets, level after level."""

    def __init__(self, rows: int, items: Items) -> None:
        self._keep = 1 / items.slope
        self._made_up = -items.absent / items.slope
        self._known: dict[tuple[int, ...], float] = {(): float(rows)}

    def __call__(self, itemsets: Any, sums: Sums) -> Floats:
        rows = [tuple(row) for row in itemsets.tolist()]
        length = itemsets.shape[1]
        left = sums.reported.astype(np.float64)
        for size in range(length):
            for places in combinations(range(length), size):
                others = [place for place in range(length) if place not in places]
                known = np.array([self._known[tuple(row[place] for place in places)] for row in rows])
                share = self._keep[itemsets[:, list(places)]].prod(axis=1) * self._made_up[itemsets[:, others]].prod(axis=1)
                left -= known * share
        estimates: Floats = left / self._keep[itemsets].prod(axis=1)
        self._known.update(zip(rows, estimates.tolist(), strict=True))
        return estimates


def mmask_supports(packed: Any, everyone: Any, itemsets: Any, items: Items, r_threshold: int) -> Floats:
    """MMASK (thesis, Algorithms 10 to 12): CTS chooses rows for the first items, MASK estimates the rest in them.

    Parameters
    ----------
    packed, everyone
        The packed columns of the items, and the packed set of all rows.
    itemsets
        One row of item numbers per itemset.
    items
        The items, with their weights.
    r_threshold
        The longest itemset that MASK estimates at once.

    Returns
    -------
    array
        The estimated number of rows that hold each itemset.
    """
    from deniable.kernels.published import mmask_estimates

    estimates = np.empty(len(itemsets))
    keeps = 1 / items.slope + 1 - items.present / items.slope
    in_threads(
        lambda first, last: mmask_estimates(
            packed, everyone, itemsets, r_threshold, keeps, items.absent, items.present, first, last, estimates
        ),
        len(itemsets),
        float(len(itemsets)) * packed.shape[1] * (1 << min(r_threshold, itemsets.shape[1])),
    )
    return estimates


def _everyone(rows: int, words: int) -> Any:
    """The packed set of all rows."""
    full = np.full(words, np.iinfo(np.uint64).max, np.uint64)
    if rows % 64:
        full[-1] = (1 << rows % 64) - 1
    return full


def check_threshold(r_threshold: Any, relax: Any, reduction_relax: Any) -> None:
    """Refuse thresholds and relaxations that make no sense."""
    whole = isinstance(r_threshold, (int, np.integer)) and not isinstance(r_threshold, bool)
    if not whole or not 1 <= r_threshold <= LARGEST_THRESHOLD:
        raise ParameterError(
            "r_threshold",
            "r_threshold is the longest itemset that MMASK estimates at once, a whole number from 1 to {most}; got {got!r}.",
            most=LARGEST_THRESHOLD,
            got=r_threshold,
        )
    for name, value in (("relax", relax), ("reduction_relax", reduction_relax)):
        number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if not number or not 0 <= value < float("inf"):
            raise ParameterError(
                "relax", "{name} lowers the minimum support to min_support / (1 + {name}) and must be at least 0; got {got!r}.",
                name=name, got=value,
            )  # fmt: skip
