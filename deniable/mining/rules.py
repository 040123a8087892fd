"""`dn.association_rules`: who has these items has those, too; with what errors, when the items were hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from deniable.core.channels.base import Channel
from deniable.core.domains.exact import Floats, Ints
from deniable.core.schema import Schema
from deniable.errors import DataError, ParameterError
from deniable.mining.after_searching import AFTER_SEARCHING, NAMED_BEFOREHAND, check_interval, level_of_each, rules_of
from deniable.mining.levels import ROUNDING
from deniable.mining.rule_errors import RuleErrors, rule_errors
from deniable.mining.rule_moments import RuleMoments
from deniable.mining.subsets import Lattice

METRICS = (
    "antecedent support", "consequent support", "support", "confidence", "lift", "representativity", "leverage", "conviction",
    "zhangs_metric", "jaccard", "certainty", "kulczynski",
)  # fmt: skip
OF_ITEMSETS = ("support_se", "support_low", "support_high")
LIMITS = {"confidence": (0.0, 1.0), "lift": (0.0, np.inf), "leverage": (-0.25, 0.25)}
"""What is possible of the measures that have errors of their own."""
MEASURES = tuple(LIMITS)
PARTS = ("se", "low", "high")
OF_MEASURES = {f"{measure}_{part}": measure for measure in MEASURES for part in PARTS}
SIDES = ("antecedents", "consequents")
COLUMNS = (*SIDES, *METRICS, *OF_ITEMSETS, *OF_MEASURES)


def association_rules(
    itemsets: pd.DataFrame,
    schema: Schema | Channel | None = None,
    metric: str = "confidence",
    min_threshold: float = 0.8,
    *,
    data: Any = None,
    bins: Mapping[str, Any] | None = None,
    taxonomy: Mapping[Any, Any] | None = None,
    level: float = 0.95,
    interval: str | None = None,
) -> pd.DataFrame:
    """All rules "antecedents => consequents" between the itemsets of a frame whose `metric` is at least `min_threshold`.

    Both supports of confidence = S / A come from the same reports, so their covariance counts: with weights w the error is that of the
    mean of w_S - confidence * w_A, and the interval holds the confidences c for which the mean of w_S - c w_A lies within its own
    error of 0. Undistorted that is Wilson's interval. Lift and leverage have intervals of the same kind. Where supports are shrunk (the
    default of `dn.frequent_itemsets`) so are the metrics; the errors are always those of the unbiased ratio, which `unbiased_confidence`
    then shows, and intervals are made longer where a shrunk number lies outside.

    Parameters
    ----------
    itemsets
        A frame of `dn.frequent_itemsets`, which says by itself how its items were hidden, or another one that has all subsets of its
        itemsets.
    schema
        Says for other frames how the items were hidden; they need the column `reported_support` and the number of transactions in
        `frame.attrs["rows"]`.
    metric
        Any of the columns; "confidence_low" or "lift_low" give the rules that surely have so much.
    min_threshold
        What the metric must reach.
    data
        The reported data once more. Attributes whose channel moves values to neighbours, groups that share a draw and ancestors of a
        taxonomy need it for their errors. A `most` other than the usual is taken from `data=dn.Transactions(...)`.
    bins, taxonomy
        Those that the itemsets were mined with.
    level
        The confidence level of the intervals.
    interval
        "after searching": of the intervals of all rules in the frame a share of at most 1 - level misses on average (of confidence, of
        lift, of leverage), although these rules were found because they looked good. "named beforehand": shorter ones, for rules that
        somebody had in mind before. Without it they are as those of the itemsets; frames that do not say in `frame.attrs["candidates"]`
        how many itemsets of each length were looked at have plain ones. `rules.attrs["interval"]` says which they are.

    Returns
    -------
    pandas.DataFrame
        mlxtend's columns (support, confidence, lift, representativity, leverage, conviction, zhangs_metric, jaccard, certainty,
        kulczynski), then the errors: `support_se`, `support_low`, `support_high` are the itemset's, as the frame of itemsets has them;
        `confidence_se`, `confidence_low`, `confidence_high`, and the same of lift and leverage, are the rule's own. Intervals behind
        noise count how far its weights may be off, under what `rules.attrs["assumes"]` says. Where errors cannot be told the columns are
        NaN and `rules.attrs["no_interval"]` says why.

        Rules come in the order of their itemsets, as mlxtend lists them. The surest first:
        `rules.sort_values(["confidence_low", "support"], ascending=False)`; by `confidence` alone a few people who happen to agree go
        before everybody else.

    Examples
    --------
    >>> import deniable as dn
    >>> baskets = [["bread", "butter"], ["bread", "butter", "milk"], ["bread", "butter"], ["milk"], ["bread"]]
    >>> rules = dn.association_rules(dn.frequent_itemsets(baskets, min_support=0.4), min_threshold=0.9)
    >>> [(sorted(a), sorted(c)) for a, c in zip(rules["antecedents"], rules["consequents"])]
    [(['butter'], ['bread'])]
    >>> rules[["support", "confidence", "lift"]].round(3).values.tolist()
    [[0.6, 1.0, 1.25]]
    >>> named = dn.association_rules(dn.frequent_itemsets(baskets, min_support=0.4), min_threshold=0.9, interval="named beforehand")
    >>> named[["confidence_low", "confidence_high"]].round(3).values.tolist()      # from three baskets with butter
    [[0.439, 1.0]]
    """
    _check(itemsets, metric, min_threshold, level)
    kind, candidates = _searched(itemsets, interval)
    sets = np.empty(len(itemsets), dtype=object)
    sets[:] = [frozenset(itemset) for itemset in itemsets["itemsets"]]
    lattice = Lattice(sets.tolist())
    support = itemsets["support"].to_numpy(dtype=np.float64)
    errors = rule_errors(itemsets, lattice, schema, data, bins, taxonomy)
    beside = {
        name: itemsets[name].to_numpy(dtype=np.float64) for name in (*OF_ITEMSETS, "unbiased_support") if name in itemsets
    }
    # 0.6 / 0.75 is a little less than 0.8 in floating point, and 0.8 all the same.
    reached = min_threshold if np.isinf(min_threshold) else min_threshold - ROUNDING * max(1.0, abs(min_threshold))
    wanted = _Wanted(support, beside, errors, metric, reached, level, candidates)
    found, each = wanted.of(lattice)
    names = (*COLUMNS, "unbiased_confidence") if "unbiased_support" in itemsets else COLUMNS
    frame = _frame(wanted, found, each, sets, names)
    about = itemsets.attrs
    frame.attrs = {
        "rows": about.get("rows"),
        "method": about.get("method"),
        "target": errors.target,
        "interval": kind,
        "level": level,
    }
    frame.attrs |= {"level_of_each": each, "candidates": candidates}
    if "assumes" in about:
        frame.attrs["assumes"] = about["assumes"]
    if errors.reason:
        frame.attrs["no_interval"] = errors.reason
    return frame


def _searched(itemsets: pd.DataFrame, interval: str | None) -> tuple[str, int | None]:
    """Which intervals there are to be, and of how many rules in all: None for rules named beforehand."""
    lengths = itemsets.attrs.get("candidates")
    if interval is None:
        interval = itemsets.attrs.get("interval", AFTER_SEARCHING) if lengths is not None else NAMED_BEFOREHAND
    check_interval(interval)
    if interval == NAMED_BEFOREHAND:
        return interval, None
    if lengths is None:
        raise ParameterError(
            "candidates_unknown",
            "The frame does not say how many itemsets were looked at, which intervals after searching need: give a frame of "
            "dn.frequent_itemsets, or say it in frame.attrs['candidates'], a list of how many itemsets of 1, 2, ... items there were.",
        )
    return interval, rules_of(lengths)


@dataclass(frozen=True)
class _Found:
    """Rules: the rows, in the frame of itemsets, of all their items and of both sides, and what the reports say of them."""

    rows: Ints
    antecedents: Ints
    consequents: Ints
    moments: RuleMoments | None

    def take(self, chosen: Any) -> _Found:
        moments = None if self.moments is None else self.moments.take(chosen)
        return _Found(self.rows[chosen], self.antecedents[chosen], self.consequents[chosen], moments)


@dataclass(frozen=True)
class _Wanted:
    """Which rules are wanted: those whose metric reaches a limit; `candidates` is how many there might have been."""

    support: Floats
    beside: Mapping[str, Floats]
    errors: RuleErrors
    metric: str
    least: float
    level: float
    candidates: int | None

    def of(self, lattice: Lattice) -> tuple[_Found, float]:
        """Those that are good enough, in the order of their itemsets, and the level that each of their intervals has.

        Ends of intervals depend on how many rules are reported. If rules are chosen by them, as many are reported as there are at their
        own level: the most for which that is so.
        """
        by_ends = self.metric in OF_MEASURES and not self.metric.endswith("_se")
        most = rules_of(lattice.lengths)
        # The more are reported, the shorter intervals are: none that is wanted in the end is left out here.
        loose = self._each(1 if self.metric.endswith("_high") else most)
        parts = list(self._parts(lattice, loose))
        if not parts:
            nothing = np.zeros(0, np.int64)
            return _Found(nothing, nothing, nothing, None), self._each(0)
        moments = None if parts[0].moments is None else RuleMoments.joined([part.moments for part in parts if part.moments])
        found = _Found(
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.antecedents for part in parts]),
            np.concatenate([part.consequents for part in parts]),
            moments,
        )
        found = found.take(np.argsort(found.rows, kind="stable"))
        if not by_ends:
            return found, self._each(len(found.rows))
        reported = most
        while True:
            each = self._each(reported)
            chosen = self._good(found, each)
            if len(chosen) >= reported:
                return found.take(chosen), each
            reported = len(chosen)

    def _each(self, reported: int) -> float:
        return self.level if self.candidates is None else level_of_each(self.level, reported, self.candidates)

    def _parts(self, lattice: Lattice, level: float) -> Iterator[_Found]:
        """One split into antecedents and consequents after the other, long antecedents first, as mlxtend lists them."""
        for portion in lattice.portions():
            everything = (1 << portion.length) - 1
            moments = self.errors.of(portion)
            for split in sorted(range(1, everything), key=lambda number: (-number.bit_count(), number)):
                rows, sides = portion.rows, (portion.subsets[:, split], portion.subsets[:, everything ^ split])
                told = moments(split, slice(None)) if self.metric in OF_MEASURES else None
                # What is asked of a rule is worked out for all of them, the rest only for those that have it.
                chosen = self._good(_Found(rows, *sides, told), level)
                if len(chosen):
                    told = moments(split, chosen) if told is None else told.take(chosen)
                    yield _Found(rows[chosen], sides[0][chosen], sides[1][chosen], told)

    def _good(self, found: _Found, level: float) -> Ints:
        return np.flatnonzero(self.columns([self.metric], found, level)[self.metric] >= self.least)

    def columns(self, names: Sequence[str], found: _Found, level: float) -> dict[str, Floats]:
        """Some columns of the frame of rules, ends of intervals being of this level."""
        both, a, c = (self.support[rows] for rows in (found.rows, found.antecedents, found.consequents))
        values = {name: METRIC_OF[name](both, a, c) for name in names if name in METRIC_OF}
        unknown = np.full(len(both), np.nan)
        values |= {
            name: self.beside[name][found.rows] if name in self.beside else unknown for name in names if name in OF_ITEMSETS
        }
        if "unbiased_confidence" in names:
            unbiased = self.beside["unbiased_support"]
            with np.errstate(divide="ignore", invalid="ignore"):
                values["unbiased_confidence"] = unbiased[found.rows] / unbiased[found.antecedents]
        for measure in dict.fromkeys(OF_MEASURES[name] for name in names if name in OF_MEASURES):
            told: Sequence[Floats] = (unknown,) * 3
            if found.moments is not None:
                error, low, high = self.errors.told(measure, found.moments, level)
                # A shrunk number may lie outside the interval of the unbiased one.
                point = np.clip(METRIC_OF[measure](both, a, c), *LIMITS[measure])
                told = error, np.minimum(low, point), np.maximum(high, point)
            values |= {f"{measure}_{part}": column for part, column in zip(PARTS, told, strict=True)}
        return values


def _frame(wanted: _Wanted, found: _Found, each: float, sets: Any, names: Sequence[str]) -> pd.DataFrame:
    """The rules with all columns; `sets` are the frame's itemsets, of which antecedents and consequents are rows."""
    columns = wanted.columns(names, found, each)
    sides = {"antecedents": sets[found.antecedents], "consequents": sets[found.consequents]}
    return pd.DataFrame(sides | {name: columns[name] for name in names if name not in SIDES})


def _conviction(both: Floats, antecedent: Floats, consequent: Floats) -> Floats:
    confidence = both / antecedent
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(confidence < 1, (1 - consequent) / (1 - confidence), np.inf)


def _zhang(both: Floats, antecedent: Floats, consequent: Floats) -> Floats:
    largest = np.maximum(both * (1 - antecedent), antecedent * (consequent - both))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(largest == 0, 0.0, (both - antecedent * consequent) / largest)


def _certainty(both: Floats, antecedent: Floats, consequent: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(consequent == 1, 0.0, (both / antecedent - consequent) / (1 - consequent))


METRIC_OF: Mapping[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "antecedent support": lambda both, a, c: a,
    "consequent support": lambda both, a, c: c,
    "support": lambda both, a, c: both,
    "confidence": lambda both, a, c: both / a,
    "lift": lambda both, a, c: both / a / c,
    # mlxtend's share of transactions without missing cells; a missing cell is refused here long before.
    "representativity": lambda both, a, c: np.ones(len(both)),
    "leverage": lambda both, a, c: both - a * c,
    "conviction": _conviction,
    "zhangs_metric": _zhang,
    "jaccard": lambda both, a, c: both / (a + c - both),
    "certainty": _certainty,
    "kulczynski": lambda both, a, c: (both / a + both / c) / 2,
}


def _check(itemsets: Any, metric: Any, min_threshold: Any, level: Any) -> None:
    if not isinstance(itemsets, pd.DataFrame) or not {"support", "itemsets"} <= set(itemsets.columns):
        raise DataError(
            "not_itemsets",
            "association_rules: give the frame of dn.frequent_itemsets, with the columns 'support' and 'itemsets'.",
        )
    allowed = [*COLUMNS[2:], *(["unbiased_confidence"] if "unbiased_support" in itemsets else [])]
    if metric not in allowed:
        raise ParameterError("metric", "metric must be one of {allowed}, got {got!r}.", allowed=allowed, got=metric)
    if isinstance(min_threshold, bool) or not isinstance(min_threshold, (int, float, np.number)) or np.isnan(min_threshold):
        raise ParameterError("min_threshold", "min_threshold must be a number, got {got!r}.", got=min_threshold)
    if isinstance(level, bool) or not isinstance(level, (int, float, np.number)) or not 0 < level < 1:
        raise ParameterError("level", "level must lie between 0 and 1, got {got!r}.", got=level)
    low = itemsets["support"].to_numpy(dtype=np.float64)
    if not (low > 0).all():
        raise DataError(
            "support_not_positive",
            "association_rules: {n} supports are not above 0, and nothing can be divided by them; raise min_support.",
            n=int((~(low > 0)).sum()),
        )
