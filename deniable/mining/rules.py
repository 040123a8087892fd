"""`dn.association_rules`: who has these items has those, too; with what errors, when the items were hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from deniable.core.channel import Channel
from deniable.core.exact import Floats
from deniable.core.schema import Schema
from deniable.errors import DataError, ParameterError
from deniable.mining.rule_errors import Confidences, confidences_of
from deniable.mining.subsets import Lattice, Portion

METRICS = (
    "antecedent support", "consequent support", "support", "confidence", "lift", "representativity", "leverage", "conviction",
    "zhangs_metric", "jaccard", "certainty", "kulczynski",
)  # fmt: skip
ERRORS = ("support_se", "support_low", "support_high", "confidence_se", "confidence_low", "confidence_high")
SIDES = ("antecedents", "consequents")
COLUMNS = (*SIDES, *METRICS, *ERRORS)


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

    Columns and their names are mlxtend's (support, confidence, lift, representativity, leverage, conviction, zhangs_metric, jaccard,
    certainty, kulczynski), then the errors: `support_se`, `support_low`, `support_high` are the itemset's, `confidence_se`,
    `confidence_low`, `confidence_high` those of confidence = S / A. Both supports come from the same reports, so their covariance
    counts: with weights w the error is that of the mean of w_S - confidence * w_A, and the interval holds the confidences c for which
    the mean of w_S - c w_A lies within its own error of 0. Undistorted that is Wilson's interval. `metric` may be any of the columns:
    "confidence_low" gives the rules that hold with certainty. Where supports are shrunk (the default of `dn.frequent_itemsets`) so are
    the metrics; the errors are always those of the unbiased ratio, which `unbiased_confidence` then shows.

    A frame of `dn.frequent_itemsets` says by itself how its items were hidden. For other frames `schema` says it (they need the
    columns `reported_support` and the number of transactions in `frame.attrs["rows"]`). Attributes whose channel moves values to
    neighbours, groups that share a draw and ancestors of a `taxonomy` need the reported `data` once more for their errors (with the
    `bins` and the `taxonomy` used). Where errors cannot be told the columns are NaN and `rules.attrs["no_interval"]` says why.

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
    lattice = Lattice([frozenset(itemset) for itemset in itemsets["itemsets"]])
    support = itemsets["support"].to_numpy(dtype=np.float64)
    told = confidences_of(itemsets, lattice, schema, data, bins, level, taxonomy)
    sides = {
        name: itemsets[name].to_numpy(dtype=np.float64) if name in itemsets else None
        for name in (*ERRORS[:3], "unbiased_support")
    }
    found: list[dict[str, Any]] = []
    for portion in lattice.portions():
        for rules in _rules(portion, support, sides, told):
            chosen = rules[metric] >= min_threshold
            if chosen.any():
                kept = {name: values[chosen] for name, values in rules.items()}
                found.append(_named(kept, portion, chosen, lattice.names))
    frame = _frame(found, (*COLUMNS, "unbiased_confidence") if "unbiased_support" in itemsets else COLUMNS)
    frame.attrs = {"rows": itemsets.attrs.get("rows"), "method": itemsets.attrs.get("method"), "target": told.target}
    if told.reason:
        frame.attrs["no_interval"] = told.reason
    return frame


def _rules(
    portion: Portion, support: Floats, sides: Mapping[str, Floats | None], told: Confidences
) -> Iterator[dict[str, Any]]:
    """The rules of a portion, one split into antecedents and consequents after the other."""
    everything = (1 << portion.length) - 1
    moments = told.of(portion)
    both = support[portion.rows]
    # Long antecedents first, as mlxtend lists them.
    for split in sorted(range(1, everything), key=lambda number: (-number.bit_count(), number)):
        antecedent, consequent = support[portion.subsets[:, split]], support[portion.subsets[:, everything ^ split]]
        rules: dict[str, Any] = {name: METRIC_OF[name](both, antecedent, consequent) for name in METRICS}
        for name in ERRORS[:3]:
            values = sides[name]
            rules[name] = np.full(len(both), np.nan) if values is None else values[portion.rows]
        unbiased = sides["unbiased_support"]
        if unbiased is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                rules["unbiased_confidence"] = unbiased[portion.rows] / unbiased[portion.subsets[:, split]]
        rules["confidence_se"], rules["confidence_low"], rules["confidence_high"] = moments(split)
        rules["split"] = np.full(len(both), split)
        yield rules


def _named(rules: dict[str, Any], portion: Portion, chosen: Any, names: list[Any]) -> dict[str, Any]:
    """The rules with their items' names; `order` is where mlxtend would list them."""
    split = int(rules.pop("split")[0])
    inside = [j for j in range(portion.length) if split >> j & 1]
    outside = [j for j in range(portion.length) if not split >> j & 1]
    items = portion.items[chosen]
    rules["antecedents"] = [frozenset(names[code] for code in row) for row in items[:, inside].tolist()]
    rules["consequents"] = [frozenset(names[code] for code in row) for row in items[:, outside].tolist()]
    rules["order"] = portion.rows[chosen]
    return rules


def _frame(found: list[dict[str, Any]], names: Sequence[str]) -> pd.DataFrame:
    if not found:
        return pd.DataFrame({name: pd.Series(dtype=object if name in SIDES else float) for name in names})
    order = np.argsort(np.concatenate([part["order"] for part in found]), kind="stable")
    columns: dict[str, Any] = {}
    for name in names:
        if name in SIDES:
            values = np.empty(len(order), dtype=object)
            values[:] = [itemset for part in found for itemset in part[name]]
        else:
            values = np.concatenate([part[name] for part in found])
        columns[name] = values[order]
    return pd.DataFrame(columns)


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
    if metric not in COLUMNS[2:]:
        raise ParameterError("metric", "metric must be one of {allowed}, got {got!r}.", allowed=list(COLUMNS[2:]), got=metric)
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
