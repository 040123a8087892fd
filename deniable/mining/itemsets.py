"""`dn.frequent_itemsets`: which items occur together in the true transactions, from reported ones that may all be false."""

from __future__ import annotations

import contextlib
import gc
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np

from deniable import interrupts
from deniable.core.channels.base import Channel
from deniable.core.domains.exact import Floats, Ints
from deniable.core.intervals import at_least_direct
from deniable.core.schema import Schema
from deniable.errors import ParameterError
from deniable.mining.biases import NOT_TOLD, Range, ends, largest_bias
from deniable.mining.counting import counter_of
from deniable.mining.levels import MOST_CANDIDATES, ROUNDING, Level, Reaching, Search, Tally
from deniable.mining.published import BIASED, check_threshold, published_levels
from deniable.mining.shrinking import Shrunk
from deniable.mining.supports import support_interval
from deniable.mining.taxonomy import Generalised, generalised_levels
from deniable.mining.transactions import Transactions, as_transactions
from deniable.progress import Progress, Silent

METHODS = ("shrunk", "unbiased", "mask", "re", "mmask")
PUBLISHED = ("mask", "re", "mmask")
TARGETS = ("population", "respondents")


@dataclass
class Mined:
    """Levels of frequent itemsets with their error bars; `to_frame` gives them as mlxtend would."""

    transactions: Transactions
    levels: list[Level]
    min_support: float
    method: str
    target: str = "population"
    tally: Tally = field(default_factory=Tally)
    relax: float = 0.0
    confidence: float = 0.95

    @property
    def limit(self) -> float:
        """The support that an itemset must reach."""
        return self.min_support / (1 + self.relax) * (1 - ROUNDING)

    def errors(self, level: Level) -> Floats:
        """Standard errors of the supports of a level: Var = sum w^2 - (sum w)^2 / n for the population, sum w^2 - sum w for the
        respondents, over n^2. What respondents differ by cannot be told apart where weights are biased, and counts there, too.
        """
        n, items = self.transactions.rows, self.transactions.items
        less = level.sums.total**2 / n
        if self.target == "respondents":
            less = np.where(items.biased[level.itemsets].any(axis=1), less, level.sums.total)
        errors = np.sqrt(np.maximum(level.sums.second - less, 0.0)) / n  # NaN where a method has no honest error
        if items.untold is not None:
            errors[items.untold[level.itemsets].any(axis=1)] = np.nan
        return errors

    def biases(self, level: Level) -> Range:
        """How far the supports of a level may be off, on average over all that may be reported."""
        items = self.transactions.items
        biased = items.biased[level.itemsets] if items.noisy else np.zeros((len(level), 1), bool)
        if not biased.any():
            return Range(np.zeros(len(level)), np.zeros(len(level)))
        mass = np.ones(len(level))
        for pattern in np.unique(biased, axis=0):
            if pattern.any() and not pattern.all():
                rows = chosen = np.flatnonzero((biased == pattern).all(axis=1))
                below = level
                # Down to the itemset without its biased items, the last first: positions before it stay as they are.
                for position in np.flatnonzero(pattern)[::-1]:
                    rows, below = below.parents[rows, position], self.levels[below.length - 2]
                mass[chosen] = self.intervals(below)[1][rows]
        return largest_bias(items.biases, level.itemsets, mass)

    def intervals(self, level: Level) -> tuple[Floats, Floats]:
        """Score intervals where items are plain (`supports.support_interval`), else value +- z se, with the largest bias where there
        is one, or Wilson's where that is wider.
        """
        items, n = self.transactions.items, self.transactions.rows
        if level.sums.third is None:
            support = level.sums.total / n
            low, high = ends(support, self.errors(level), self.biases(level), self.confidence)
            if self.target == "population":
                low, high = at_least_direct((low, high), support, n, self.confidence)
        else:
            low, high = support_interval(level.sums, items, level.itemsets, n, self.confidence, self.target)
        return np.clip(low, 0.0, 1.0, out=low), np.clip(high, 0.0, 1.0, out=high)  # a share; the unbiased estimate may be none

    def probabilities(self, level: Level, errors: Floats | None = None) -> Floats:
        """The probability that the true support reaches min_support, from the estimate and its standard error (`errors`, if known);
        where weights are biased it is what is left if they overstate the support as far as they can.
        """
        if level.columns is not None:
            known: Floats = level.columns[COLUMNS.index("probability_frequent")]
            return known
        bias = self.biases(level)
        if level.error is None:
            own = self.errors(level) if errors is None else errors
            return probability_above(level.support - bias.above, own, self.min_support)
        drawn = np.clip(level.support * (1 - level.support), 0, 0.25) / self.transactions.rows
        sampling = drawn if self.target == "population" else np.zeros(len(level))
        found = probability_above(level.support, np.sqrt(level.error**2 + sampling), self.min_support)
        off = np.flatnonzero(bias.above + bias.below > 0)
        if len(off):
            # What subsets let one expect does not take a bias away: no more is claimed than the interval says.
            own = (self.errors(level) if errors is None else errors)[off]
            least = level.sums.total[off] / self.transactions.rows - bias.above[off]
            found[off] = np.minimum(found[off], probability_above(least, own, self.min_support))
        return found

    def to_frame(self, sets: Any, keep: Sequence[Any] | None = None) -> Any:
        """A pandas frame with mlxtend's columns `support` and `itemsets`, and what is known about their errors."""
        import pandas as pd

        names = [*COLUMNS, "unbiased_support"] if self.method == "shrunk" else COLUMNS
        numbers = [np.empty(len(sets)) for _ in names]
        first = 0
        for level in self.levels:
            for column, part in zip(numbers, self._numbers(level), strict=True):
                column[first : first + len(level)] = part
            first += len(level)
        columns = dict(zip(names, numbers, strict=True)) | {"itemsets": sets}
        table = pd.DataFrame({name: columns[name] for name in ORDER if name in columns}, copy=False)
        if keep is not None:
            table = table[np.concatenate([np.zeros(0, bool), *keep])].reset_index(drop=True)
        items = self.transactions.items
        used = self.levels[0].itemsets[:, 0].tolist() if self.levels and items.plain else []
        table.attrs = {
            "method": self.method, "target": self.target, "rows": self.transactions.rows, "min_support": self.min_support,
            # What rules need for their errors, as plain lists so that the frame can be saved.
            "weights": [[items.names[i], float(items.absent[i]), float(items.present[i])] for i in used],
        }  # fmt: skip
        if self.method == "mmask":
            table.attrs["no_interval"] = BIASED
        if items.untold is not None:
            table.attrs["no_interval"] = NOT_TOLD
        assumed = items.assumes(self.levels[0].itemsets) if self.levels and items.noisy else []
        if assumed:
            table.attrs["assumes"] = assumed
        return table

    def _numbers(self, level: Level) -> list[Floats]:
        """What is known of the itemsets of a level: an array for each of `COLUMNS`."""
        n = self.transactions.rows
        if level.columns is None:
            errors = self.errors(level)
            found = [level.support, errors, *self.intervals(level), self.probabilities(level, errors)]
        else:
            found = [*level.columns]
        unbiased = [level.sums.total / n] if self.method == "shrunk" else []
        return [*found, level.sums.reported / n, *unbiased]


class Named:
    """Itemsets as frozensets of names, level after level: one that there is already and one item more costs half of a new one."""

    def __init__(self, names: Sequence[Any]) -> None:
        self._single = np.array([frozenset([name]) for name in names], object)
        self._made = [np.array([frozenset()], object)]

    def add(self, level: Level) -> None:
        """Name the itemsets of the next level."""
        below = self._made[-1].take(level.parents[:, -1])
        self._made.append(np.bitwise_or(below, self._single.take(level.itemsets[:, -1])))

    def first(self, levels: int) -> Any:
        """Those of so many levels, one after the other."""
        return np.concatenate([self._made[0][:0], *self._made[1 : levels + 1]])


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


COLUMNS = "support", "support_se", "support_low", "support_high", "probability_frequent", "reported_support"
"""The first five in the order of `kernels.support_scores.support_columns`."""
ORDER = (
    "support", "itemsets", "support_se", "support_low", "support_high", "reported_support", "probability_frequent",
    "unbiased_support",
)  # fmt: skip


def probability_above(value: Floats, error: Floats, limit: float) -> Floats:
    """P(truth >= limit) if the estimate is off by a normal error; without an error it is 0 or 1.

    >>> probability_above(np.array([0.3, 0.2]), np.array([0.1, 0.0]), 0.2).round(4).tolist()
    [0.8413, 1.0]
    >>> 0.7 * 0.1 < 0.07, probability_above(np.array([0.7 * 0.1]), np.zeros(1), 0.07).tolist()
    (True, [1.0])
    """
    from scipy.special import ndtr

    with np.errstate(divide="ignore", invalid="ignore"):
        distance = (value - limit) / error
    known = error == 0
    distance[known] = np.where(value[known] >= limit * (1 - ROUNDING), np.inf, -np.inf)
    return np.asarray(ndtr(distance))


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
    bins: Mapping[str, Any] | None = None,
    most: Mapping[str, float] | float | None = None,
    taxonomy: Mapping[Any, Any] | None = None,
    max_candidates: int = MOST_CANDIDATES,
    progress: Progress | None = None,
    keep_interrupted: bool = False,
) -> Any:
    """Itemsets whose estimated true support is at least `min_support`, as a pandas frame.

    `data`: a frame of yes/no columns, a list of transactions, a FIMI file, a frame of attributes with a `dn.Schema` (one item a
    value, or a bin of `bins`), or a `dn.Transactions`. `schema` may be one channel for all items, or None for undistorted data.

    Columns are mlxtend's `support` and `itemsets`, then `support_se`, `support_low` and `support_high` (standard error and
    interval of the given `confidence` of the unbiased estimate), `reported_support` and `probability_frequent`. Errors are for the
    population that the transactions are a sample of, or, with target="respondents", for these transactions alone.
    `min_probability` keeps itemsets that are frequent with at least that probability, `false_discovery_rate` those that hold the
    share of false ones below it (Benjamini and Hochberg over all candidates that were tested, 1 - `probability_frequent` being the
    p-values); both keep the subsets of what they keep. A search that would make more than `max_candidates` candidates of one length stops
    before it does, with advice; with `keep_interrupted` one that is stopped by Ctrl-C gives the lengths that are done, and
    `frame.attrs["interrupted"]` says which was not.

    Behind noise that cannot be undone without bias, intervals count the largest bias among truths of which no single value is too
    crowded: `frame.attrs["assumes"]` says what that means, and `most` (`{"age": 0.2}`) says it otherwise.

    A `taxonomy` (`{"milk": "drink", "drink": "grocery"}`) adds items that are true if one below them is.

    Methods: "shrunk" (the default, except with a taxonomy) draws the unbiased estimate, which the column `unbiased_support` then
    shows, toward what the
    supports of the subsets let one expect, the more so the more it was distorted; "unbiased" is the estimate of MASK and RE in
    linear time; "mask", "re" and "mmask" (with `r_threshold` and `reduction_relax`) are literal, for comparison; "mmask" is biased
    above its threshold and has no errors there. Undistorted supports are the same by all of them. `relax` lowers the minimum support
    to min_support / (1 + relax), so that fewer itemsets are missed and more are made up.

    >>> import deniable as dn
    >>> baskets = [["bread", "milk"], ["bread", "milk", "eggs"], ["milk"], ["bread", "eggs"]]
    >>> found = dn.frequent_itemsets(baskets, min_support=0.5)
    >>> [(sorted(items), support) for items, support in zip(found["itemsets"], found["support"])]
    [(['bread'], 0.75), (['eggs'], 0.5), (['milk'], 0.75), (['bread', 'eggs'], 0.5), (['bread', 'milk'], 0.5)]
    """
    method = method or ("shrunk" if taxonomy is None else "unbiased")
    check_options(min_support, method, max_len, min_probability, false_discovery_rate, target, confidence, max_candidates)
    transactions = as_transactions(data, schema, bins, most)
    check_threshold(r_threshold, relax, reduction_relax)
    # Compiled functions know no half and no long ones.
    min_support, confidence, relax, reduction_relax = map(float, (min_support, confidence, relax, reduction_relax))
    if reduction_relax and method != "mmask":
        raise ParameterError(
            "reduction_relax",
            "reduction_relax is for method 'mmask', which reduces the rows; method {method!r} does not. Use relax.",
            method=method,
        )
    if method == "mmask" and (min_probability is not None or false_discovery_rate is not None):
        raise ParameterError("biased_method", "Method 'mmask' has no probabilities to filter by. {reason}", reason=BIASED)
    mined = Mined(transactions, [], min_support, method, target, relax=relax, confidence=confidence)
    if taxonomy is not None:
        if method != "unbiased":
            raise ParameterError("taxonomy_method", "A taxonomy needs method='unbiased', got {got!r}.", got=method)
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
    stopped = False
    named = Named(mined.transactions.items.names)
    try:
        with _no_garbage_collection():
            for level in levels:
                named.add(level)
                mined.levels.append(level)
                interrupts.check()
    except (KeyboardInterrupt, SystemError) as error:
        # Ctrl-C inside a compiled function comes out of it as a SystemError.
        if not keep_interrupted or not interrupts.is_interrupt(error):
            raise
        interrupts.taken_up()
        stopped = True
    frame = mined.to_frame(named.first(len(mined.levels)), kept(mined, min_probability, false_discovery_rate))
    if stopped:
        frame.attrs["interrupted"] = len(mined.levels) + 1
    return frame


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
        support = counter_of(transactions, np.arange(len(items))).sums(singles).total / n  # type: ignore[union-attr]
    which = np.flatnonzero(support >= limit)
    mined.tally.tested += len(items)
    if not len(which):
        return

    least, z = float(mined.min_support), NormalDist().inv_cdf(0.5 + mined.confidence / 2)
    asked = n, least, least * (1 - ROUNDING), z**2, mined.target == "respondents"
    reaching = Reaching(limit, items.second_given[which], items.second_otherwise[which], asked)
    choose = Shrunk(n, limit, items.biased[which]) if mined.method == "shrunk" else reaching
    search = Search(
        counter_of(transactions, which), n, items.attribute[which], items.absent[which], items.slope[which],
        choose, max_candidates, progress, mined.tally,
    )  # fmt: skip
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
    chosen = [found >= least for found in probabilities]
    return with_subsets(mined.levels, chosen)


def discovery_limit(p_values: Floats, rate: float, tests: int) -> float:
    """The largest p-value that Benjamini and Hochberg's procedure accepts among so many tests, -1 for none.

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


def check_options(
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


def numbers_of(itemsets: Sequence[Any], transactions: Transactions) -> list[Ints]:
    """Item numbers of itemsets given by names."""
    place = {name: number for number, name in enumerate(transactions.items.names)}
    return [np.array(sorted(place[name] for name in itemset), dtype=np.int64) for itemset in itemsets]
