"""What a search has found: levels of frequent itemsets with their error bars, and the frame that shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.core.intervals import Ends, at_least_direct
from deniable.mining.after_searching import AFTER_SEARCHING, level_of_each
from deniable.mining.biases import NOT_TOLD, Range, ends, largest_bias
from deniable.mining.levels import ROUNDING, Level, Tally
from deniable.mining.published import BIASED
from deniable.mining.supports import support_interval
from deniable.mining.transactions import Transactions

COLUMNS = "support", "support_se", "probability_frequent", "reported_support"
"""The first three in the order of `kernels.support_scores.support_columns`."""
ENDS = "support_low", "support_high"
ORDER = (
    "support", "itemsets", "support_se", "support_low", "support_high", "reported_support", "probability_frequent",
    "unbiased_support",
)  # fmt: skip


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
    interval: str = AFTER_SEARCHING

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

    def biases(self, level: Level, confidence: float | None = None) -> Range:
        """How far the supports of a level may be off, on average over all that may be reported; how many have the unbiased items of an
        itemset is the upper end of an interval.
        """
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
                mass[chosen] = self.intervals(below, confidence)[1][rows]
        return largest_bias(items.biases, level.itemsets, mass)

    def intervals(self, level: Level, confidence: float | None = None) -> Ends:
        """Score intervals where items are plain (`supports.support_interval`), else value +- z se, with the largest bias where there
        is one, or Wilson's where that is wider. `confidence` is their level, unless told that of itemsets named beforehand.
        """
        items, n = self.transactions.items, self.transactions.rows
        confidence = self.confidence if confidence is None else confidence
        if level.sums.third is None:
            support = level.sums.total / n
            low, high = ends(support, self.errors(level), self.biases(level, confidence), confidence)
            if self.target == "population":
                low, high = at_least_direct((low, high), support, n, confidence)
        else:
            low, high = support_interval(level.sums, items, level.itemsets, n, confidence, self.target)
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
            unbiased_errors = self.errors(level) if errors is None else errors
            return probability_above(level.support - bias.above, unbiased_errors, self.min_support)
        drawn = np.clip(level.support * (1 - level.support), 0, 0.25) / self.transactions.rows
        sampling = drawn if self.target == "population" else np.zeros(len(level))
        probability = probability_above(level.support, np.sqrt(level.error**2 + sampling), self.min_support)
        off = np.flatnonzero(bias.above + bias.below > 0)
        if len(off):
            # What subsets let one expect does not take a bias away: no more is claimed than the interval says.
            unbiased_errors = (self.errors(level) if errors is None else errors)[off]
            least = level.sums.total[off] / self.transactions.rows - bias.above[off]
            probability[off] = np.minimum(probability[off], probability_above(least, unbiased_errors, self.min_support))
        return probability

    def to_frame(self, sets: Any, keep: Sequence[Any] | None = None) -> Any:
        """A pandas frame with mlxtend's columns `support` and `itemsets`, and what is known about their errors."""
        import pandas as pd

        names = [*COLUMNS, *ENDS, *(["unbiased_support"] if self.method == "shrunk" else [])]
        numbers = [np.empty(len(sets)) for _ in names]
        reported = len(sets) if keep is None else sum(int(flags.sum()) for flags in keep)
        searched = self.interval == AFTER_SEARCHING
        each = level_of_each(self.confidence, reported, self.tally.tested) if searched else self.confidence
        first = 0
        for level in self.levels:
            for column, part in zip(numbers, self._numbers(level, each), strict=True):
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
            "interval": self.interval, "level": self.confidence, "level_of_each": each, "candidates": list(self.tally.by_length),
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

    def _numbers(self, level: Level, confidence: float) -> list[Floats]:
        """What is known of the itemsets of a level: an array for each of `COLUMNS` and `ENDS`."""
        n = self.transactions.rows
        if level.columns is None:
            errors = self.errors(level)
            columns = [level.support, errors, self.probabilities(level, errors)]
        else:
            columns = [*level.columns]
        unbiased = [level.sums.total / n] if self.method == "shrunk" else []
        return [*columns, level.sums.reported / n, *held(level.support, self.intervals(level, confidence)), *unbiased]


def held(point: Floats, interval: Ends) -> Ends:
    """The interval, with the point inside: a shrunk one may lie outside the interval of the unbiased one. No share is below 0 or above 1.

    >>> [end.tolist() for end in held(np.array([0.2, 1.1]), (np.array([0.3, 0.7]), np.array([0.4, 0.9])))]
    [[0.2, 0.7], [0.4, 1.0]]
    """
    inside = np.clip(point, 0.0, 1.0)
    return np.minimum(interval[0], inside), np.maximum(interval[1], inside)


class Named:
    """Itemsets as frozensets of names, level after level: one that there is already and one item more costs half of a new one."""

    def __init__(self, names: Sequence[Any]) -> None:
        self._names, self._single = names, np.empty(len(names), object)
        self._made = [np.array([frozenset()], object)]

    def add(self, level: Level) -> None:
        """Name the itemsets of the next level."""
        if level.length == 1:
            # Items of longer itemsets are among these, which may be few of all.
            for item in level.itemsets[:, 0].tolist():
                self._single[item] = frozenset([self._names[item]])
        below = self._made[-1].take(level.parents[:, -1])
        self._made.append(np.bitwise_or(below, self._single.take(level.itemsets[:, -1])))

    def first(self, levels: int) -> Any:
        """Those of the first levels, one after the other."""
        return np.concatenate([self._made[0][:0], *self._made[1 : levels + 1]])


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
