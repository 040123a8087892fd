"""`dn.frequent_itemsets`: which items occur together in the true transactions, from reported ones that may all be false."""

from __future__ import annotations

import contextlib
import gc
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from deniable import interrupts
from deniable.core.channels.base import Channel
from deniable.core.domains.exact import Floats
from deniable.core.schema import Schema
from deniable.errors import ParameterError
from deniable.mining.after_searching import AFTER_SEARCHING, check_interval
from deniable.mining.ahead import ItemArrays
from deniable.mining.choices import Choice, Reaching
from deniable.mining.levels import MOST_CANDIDATES, ROUNDING, Level
from deniable.mining.mined import Mined, Named
from deniable.mining.published import BIASED, check_threshold, published_levels
from deniable.mining.search import Search
from deniable.mining.shrinking import Shrunk
from deniable.mining.taxonomy import Generalised, generalised_levels
from deniable.mining.transactions import as_transactions
from deniable.progress import Progress, Silent

METHODS = ("shrunk", "unbiased", "mask", "re", "mmask")
PUBLISHED = ("mask", "re", "mmask")
TARGETS = ("population", "respondents")


def frequent_itemsets(
    data: Any,
    schema: Schema | Channel | None = None,
    min_support: float = 0.5,
    method: str | None = None,
    r_threshold: int = 3,
    relax: float = 0.0,
    reduction_relax: float = 0.0,
    max_len: int | None = None,
    *,
    min_probability: float | None = None,
    false_discovery_rate: float | None = None,
    target: str = "population",
    confidence: float = 0.95,
    interval: str = AFTER_SEARCHING,
    bins: Mapping[str, Any] | None = None,
    most: Mapping[str, float] | float | None = None,
    taxonomy: Mapping[Any, Any] | None = None,
    max_candidates: int = MOST_CANDIDATES,
    progress: Progress | None = None,
    keep_interrupted: bool = False,
) -> Any:
    """Itemsets whose estimated true support is at least `min_support`, as a pandas frame.

    Parameters
    ----------
    data
        A frame of yes/no columns, a list of transactions, a FIMI file, a frame of attributes with a `dn.Schema` (one item per value,
        or per bin of `bins`), or a `dn.Transactions`.
    schema
        How the items were hidden: a `dn.Schema`, one channel for all items, or None for undistorted data.
    min_support
        The share of the transactions that an itemset must reach.
    method
        "shrunk" (the default, except with a taxonomy) draws the unbiased estimate, which the column `unbiased_support` then shows,
        toward what the supports of the subsets let one expect, the more so the more it was distorted. "unbiased" is the estimate of
        MASK and RE in linear time. "mask", "re" and "mmask" are literal, for comparison; "mmask" is biased above its threshold and has
        no errors there. Undistorted supports are the same by all of them.
    r_threshold
        Of "mmask": the longest itemset that is estimated at once.
    relax
        Lowers the minimum support to min_support / (1 + relax), so that fewer itemsets are missed and more are made up.
    reduction_relax
        Of "mmask": lowers it further with every reduction of the rows.
    max_len
        The longest itemsets to look for.
    min_probability
        Keeps itemsets that are frequent with at least that probability, and the subsets of what it keeps.
    false_discovery_rate
        Keeps itemsets so that the share of false ones stays below it (Benjamini and Hochberg over all candidates that were tested,
        1 - `probability_frequent` being the p-values), and the subsets of what it keeps.
    target
        Errors are for the "population" that the transactions are a sample of, or for these transactions alone ("respondents").
    confidence
        The level of the intervals.
    interval
        "after searching": of the intervals of all itemsets in the frame, a share of at most 1 - confidence misses on average, although
        these itemsets were found because they looked frequent. "named beforehand": shorter ones, for itemsets that somebody had in
        mind before the search; of all those found more than 1 - confidence miss. `frame.attrs["interval"]` says which they are.
    bins
        Bins of numbers, by attribute.
    most
        Behind noise that cannot be undone without bias, intervals count the largest bias among truths of which no single value is too
        crowded: `frame.attrs["assumes"]` says what that means, and `most` (`{"age": 0.2}`) says it otherwise.
    taxonomy
        Adds items that are true if one below them is: `{"milk": "drink", "drink": "grocery"}`.
    max_candidates
        A search that would make more candidates of one length than this stops before it does, with advice.
    progress
        Is told how far the search is.
    keep_interrupted
        Whether a search that is stopped by Ctrl-C gives the lengths that are done; `frame.attrs["interrupted"]` says which was not.

    Returns
    -------
    pandas.DataFrame
        mlxtend's columns `support` and `itemsets`, then `support_se`, `support_low` and `support_high` (standard error and interval of
        the unbiased estimate, made longer where a shrunk support lies outside), `reported_support` and `probability_frequent`.
        `frame.attrs` has `interval`, `level`, `level_of_each` (that of every single interval) and `candidates` (how many itemsets of 1, 2,
        ... items were looked at).

    Examples
    --------
    >>> import deniable as dn
    >>> baskets = [["bread", "milk"], ["bread", "milk", "eggs"], ["milk"], ["bread", "eggs"]]
    >>> frame = dn.frequent_itemsets(baskets, min_support=0.5)
    >>> [(sorted(items), support) for items, support in zip(frame["itemsets"], frame["support"])]
    [(['bread'], 0.75), (['eggs'], 0.5), (['milk'], 0.75), (['bread', 'eggs'], 0.5), (['bread', 'milk'], 0.5)]
    """
    method = method or ("shrunk" if taxonomy is None else "unbiased")
    _check_options(min_support, method, max_len, min_probability, false_discovery_rate, target, confidence, max_candidates)
    check_interval(interval)
    transactions = as_transactions(data, schema, bins, most)
    check_threshold(r_threshold, relax, reduction_relax)
    # Compiled functions know no half and no long ones.
    min_support, confidence, relax, reduction_relax = map(float, (min_support, confidence, relax, reduction_relax))
    _check_together(method, reduction_relax, taxonomy, min_probability is not None or false_discovery_rate is not None)
    mined = Mined(transactions, [], min_support, method, target, relax=relax, confidence=confidence, interval=interval)
    if taxonomy is not None:
        generalised = Generalised(transactions, taxonomy)
        mined.transactions = generalised  # type: ignore[assignment]  # has what Mined reads of transactions: rows and items
        levels = generalised_levels(generalised, mined.limit, max_len, progress, max_candidates, mined.tally)
    elif method in PUBLISHED:
        levels = published_levels(
            transactions, min_support, method, r_threshold, relax, reduction_relax, max_len, progress, max_candidates,
            mined.tally,
        )  # fmt: skip
    else:
        levels = mine(mined, max_len, max_candidates, progress)
    sets, stopped = _gathered(mined, levels, keep_interrupted)
    frame = mined.to_frame(sets, kept(mined, min_probability, false_discovery_rate))
    if stopped:
        frame.attrs["interrupted"] = len(mined.levels) + 1
    return frame


def _check_together(method: str, reduction_relax: float, taxonomy: Any, filtered: bool) -> None:
    """Refuse options that do not go with a method."""
    if reduction_relax and method != "mmask":
        raise ParameterError(
            "reduction_relax",
            "reduction_relax is for method 'mmask', which reduces the rows; method {method!r} does not. Use relax.",
            method=method,
        )
    if method == "mmask" and filtered:
        raise ParameterError("biased_method", "Method 'mmask' has no probabilities to filter by. {reason}", reason=BIASED)
    if taxonomy is not None and method != "unbiased":
        raise ParameterError("taxonomy_method", "A taxonomy needs method='unbiased', got {got!r}.", got=method)


def _gathered(mined: Mined, levels: Iterator[Level], keep_interrupted: bool) -> tuple[Any, bool]:
    """Add the levels of a search to `mined`; gives the names of their itemsets, and whether it was interrupted."""
    named = Named(mined.transactions.items.names)
    stopped = False
    try:
        with _no_garbage_collection():
            for level in levels:
                named.add(level)
                mined.levels.append(level)
    except (KeyboardInterrupt, SystemError) as error:
        # Ctrl-C inside a compiled function comes out of it as a SystemError.
        if not keep_interrupted or not interrupts.is_interrupt(error):
            raise
        interrupts.taken_up()
        stopped = True
    return named.first(len(mined.levels)), stopped


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """A million sets of names hold no cycles; looking for them again and again takes longer than making the sets."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():
            # Among the old objects at once: else the first thing that the collector does is to look through all of them.
            gc.freeze()
            gc.unfreeze()
        if was:
            gc.enable()


def mine(
    mined: Mined, max_len: int | None = None, max_candidates: int = MOST_CANDIDATES, progress: Progress | None = None
) -> Iterator[Level]:
    """The levels of a search, one after the other; `mined.tally` counts the candidates on the way."""
    transactions, limit = mined.transactions, mined.limit
    items, n = transactions.items, transactions.rows
    progress = progress or Silent()
    if items.plain:
        counts = transactions.item_counts()
        support = (items.slope * counts + items.absent * n) / n
    else:
        singles = np.arange(len(items), dtype=np.int32)[:, None]
        support = transactions.counter(np.arange(len(items))).sums(singles).total / n  # type: ignore[union-attr]
    which = np.flatnonzero(support >= limit)
    mined.tally.add(1, len(items))
    if not len(which):
        return

    least = float(mined.min_support)
    asked = n, least, least * (1 - ROUNDING), mined.target == "respondents"
    choice: Choice = Shrunk(n, limit, items.biased[which], asked) if mined.method == "shrunk" else Reaching(limit, asked)
    arrays = ItemArrays(items.attribute[which], items.absent[which], items.slope[which])
    search = Search(transactions.counter(which), n, arrays, choice, max_candidates, progress, mined.tally)
    numbers = which.astype(np.int32)
    for level in search.levels(max_len):
        level.itemsets = numbers.take(level.itemsets)
        yield level


def kept(mined: Mined, min_probability: float | None, rate: float | None) -> list[Any] | None:
    """Which itemsets of each level pass the filters; the subsets of one that passes pass with it."""
    if min_probability is None and rate is None:
        return None
    probabilities = [mined.probabilities(level) for level in mined.levels]
    least = min_probability or 0.0
    if rate is not None:
        doubts = 1 - np.concatenate([np.zeros(0), *probabilities])
        least = max(least, 1 - discovery_limit(doubts, rate, mined.tally.tested))
    chosen = [each >= least for each in probabilities]
    return with_subsets(mined.levels, chosen)


def discovery_limit(p_values: Floats, rate: float, tests: int) -> float:
    """The largest p-value that Benjamini and Hochberg's procedure accepts among this many tests, -1 for none.

    >>> discovery_limit(np.array([0.001, 0.02, 0.03, 0.9]), 0.05, 4)
    0.03
    """
    ordered = np.sort(p_values)
    passed = np.flatnonzero(ordered <= rate * np.arange(1, len(ordered) + 1) / max(tests, 1))
    return float(ordered[passed[-1]]) if passed.size else -1.0


def with_subsets(levels: Sequence[Level], chosen: Sequence[Any]) -> list[Any]:
    """The choice, and all subsets of what is chosen: what is frequent has frequent subsets."""
    marked = [np.array(flags) for flags in chosen]
    for above in range(len(levels) - 1, 0, -1):
        marked[above - 1][levels[above].parents[marked[above]]] = True
    return marked


def _check_options(
    min_support: Any,
    method: Any,
    max_len: Any,
    min_probability: Any,
    false_discovery_rate: Any,
    target: Any,
    confidence: Any,
    max_candidates: Any,
) -> None:
    """Refuse options that make no sense, naming what is allowed."""
    if not _number(min_support) or not 0 < min_support <= 1:
        raise ParameterError(
            "min_support",
            "min_support is a share of the transactions, above 0 and at most 1; got {got!r}. For a number of transactions, "
            "divide it by how many there are.",
            got=min_support,
        )
    for name, value, allowed in (("method", method, METHODS), ("target", target, TARGETS)):
        if value not in allowed:
            raise ParameterError(
                name, "{name} must be one of {allowed}, got {got!r}.", name=name, allowed=list(allowed), got=value
            )
    for name, value in (("max_len", max_len), ("max_candidates", max_candidates)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1):
            raise ParameterError(name, "{name} must be a whole number of at least 1, got {got!r}.", name=name, got=value)
    for name, value in (
        ("min_probability", min_probability), ("false_discovery_rate", false_discovery_rate), ("confidence", confidence),
    ):  # fmt: skip
        if value is not None and (not _number(value) or not 0 < value < 1):
            raise ParameterError(name, "{name} must lie between 0 and 1, got {got!r}.", name=name, got=value)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool) and math.isfinite(value)
