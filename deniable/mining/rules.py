"""`dn.association_rules`: who has these items has those, too; with what errors, when the items were hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from deniable.core.channels.base import Channel
from deniable.core.domains.exact import Floats
from deniable.core.schema import Schema
from deniable.errors import DataError, ParameterError
from deniable.mining.levels import ROUNDING
from deniable.mining.rule_errors import Confidences, confidences_of
from deniable.mining.subsets import Lattice, Portion

METRICS = (
    "antecedent support", "consequent support", "support", "confidence", "lift", "representativity", "leverage", "conviction",
    "zhangs_metric", "jaccard", "certainty", "kulczynski",
)  # fmt: skip
OF_ITEMSETS = ("support_se", "support_low", "support_high")
OF_CONFIDENCE = ("confidence_se", "confidence_low", "confidence_high")
SIDES = ("antecedents", "consequents")
COLUMNS = (*SIDES, *METRICS, *OF_ITEMSETS, *OF_CONFIDENCE)


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
) -> pd.DataFrame:
    """All rules "antecedents => consequents" between the itemsets of a frame whose `metric` is at least `min_threshold`.

    Both supports of confidence = S / A come from the same reports, so their covariance counts: with weights w the error is that of the
    mean of w_S - confidence * w_A, and the interval holds the confidences c for which the mean of w_S - c w_A lies within its own
    error of 0. Undistorted that is Wilson's interval. Where supports are shrunk (the default of `dn.frequent_itemsets`) so are the
    metrics; the errors are always those of the unbiased ratio, which `unbiased_confidence` then shows.

    Parameters
    ----------
    itemsets
        A frame of `dn.frequent_itemsets`, which says by itself how its items were hidden, or another one that has all subsets of its
        itemsets.
    schema
        Says for other frames how the items were hidden; they need the column `reported_support` and the number of transactions in
        `frame.attrs["rows"]`.
    metric
        Any of the columns; "confidence_low" gives the rules that hold with certainty.
    min_threshold
        What the metric must reach.
    data
        The reported data once more. Attributes whose channel moves values to neighbours, groups that share a draw and ancestors of a
        taxonomy need it for their errors. A `most` other than the usual is taken from `data=dn.Transactions(...)`.
    bins, taxonomy
        Those that the itemsets were mined with.
    level
        The confidence level of the intervals.

    Returns
    -------
    pandas.DataFrame
        mlxtend's columns (support, confidence, lift, representativity, leverage, conviction, zhangs_metric, jaccard, certainty,
        kulczynski), then the errors: `support_se`, `support_low`, `support_high` are the itemset's, `confidence_se`, `confidence_low`,
        `confidence_high` those of the confidence. Intervals behind noise count how far its weights may be off, under what
        `rules.attrs["assumes"]` says. Where errors cannot be told the columns are NaN and `rules.attrs["no_interval"]` says why.

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
    >>> rules[["confidence_low", "confidence_high"]].round(3).values.tolist()      # from three baskets with butter
    [[0.439, 1.0]]
    """
    _check(itemsets, metric, min_threshold, level)
    sets = np.empty(len(itemsets), dtype=object)
    sets[:] = [frozenset(itemset) for itemset in itemsets["itemsets"]]
    lattice = Lattice(sets.tolist())
    support = itemsets["support"].to_numpy(dtype=np.float64)
    told = confidences_of(itemsets, lattice, schema, data, bins, level, taxonomy)
    beside = {
        name: itemsets[name].to_numpy(dtype=np.float64) for name in (*OF_ITEMSETS, "unbiased_support") if name in itemsets
    }
    parts = [rules for portion in lattice.portions() for rules in _rules(portion, support, beside, told, metric, min_threshold)]
    frame = _frame(parts, sets, (*COLUMNS, "unbiased_confidence") if "unbiased_support" in itemsets else COLUMNS)
    frame.attrs = {"rows": itemsets.attrs.get("rows"), "method": itemsets.attrs.get("method"), "target": told.target}
    if "assumes" in itemsets.attrs:
        frame.attrs["assumes"] = itemsets.attrs["assumes"]
    if told.reason:
        frame.attrs["no_interval"] = told.reason
    return frame


def _rules(
    portion: Portion, support: Floats, beside: Mapping[str, Floats], told: Confidences, metric: str, least: float
) -> Iterator[dict[str, Any]]:
    """The rules of a portion that are good enough, one split into antecedents and consequents after the other."""
    everything = (1 << portion.length) - 1
    ends = told.of(portion)
    # 0.6 / 0.75 is a little less than 0.8 in floating point, and 0.8 all the same.
    reached = least if np.isinf(least) else least - ROUNDING * max(1.0, abs(least))
    # Long antecedents first, as mlxtend lists them.
    for split in sorted(range(1, everything), key=lambda number: (-number.bit_count(), number)):

        def columns(split: int, chosen: Any, names: Sequence[str]) -> dict[str, Any]:
            rows, inside = portion.rows[chosen], portion.subsets[chosen, split]
            both, a, c = support[rows], support[inside], support[portion.subsets[chosen, everything ^ split]]
            values: dict[str, Any] = {name: METRIC_OF[name](both, a, c) for name in names if name in METRIC_OF}
            values |= {
                name: beside[name][rows] if name in beside else np.full(len(rows), np.nan)
                for name in names
                if name in OF_ITEMSETS
            }
            if "unbiased_confidence" in names and "unbiased_support" in beside:
                unbiased = beside["unbiased_support"]
                with np.errstate(divide="ignore", invalid="ignore"):
                    values["unbiased_confidence"] = unbiased[rows] / unbiased[inside]
            if set(names) & set(OF_CONFIDENCE):
                values |= dict(zip(OF_CONFIDENCE, ends(split, chosen), strict=True))
            return values

        # What is asked of a rule is worked out for all of them, the rest only for those that have it.
        chosen = np.flatnonzero(columns(split, slice(None), [metric])[metric] >= reached)
        if len(chosen):
            yield columns(split, chosen, (*COLUMNS, "unbiased_confidence")) | {
                "order": portion.rows[chosen],
                "antecedents": portion.subsets[chosen, split],
                "consequents": portion.subsets[chosen, everything ^ split],
            }


def _frame(parts: list[dict[str, Any]], sets: Any, names: Sequence[str]) -> pd.DataFrame:
    """All rules in the order of their itemsets; `sets` are the frame's itemsets, of which antecedents and consequents are rows."""
    if not parts:
        return pd.DataFrame({name: pd.Series(dtype=object if name in SIDES else float) for name in names})
    order = np.argsort(np.concatenate([part["order"] for part in parts]), kind="stable")
    columns = {name: np.concatenate([part[name] for part in parts])[order] for name in names}
    return pd.DataFrame(columns | {name: sets[columns[name]] for name in SIDES})


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
