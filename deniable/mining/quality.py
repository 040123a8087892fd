"""How well mined itemsets agree with the true ones (thesis 4.4): errors of supports, itemsets missed and itemsets made up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from deniable.errors import DataError

Supports = Mapping[frozenset[Any], float]

COLUMNS = ["n_true", "n_found", "support_error", "false_negatives", "false_positives", "f"]


def quality(found: pd.DataFrame, true: pd.DataFrame) -> pd.DataFrame:
    """Compare the itemsets found in distorted data with those of the true data, one row per length.

    With F the true frequent itemsets of a length, R those found and s, s' their supports:

    - `support_error`: the mean over F and R of |s' - s| / s, in percent (itemsets in both sets only);
    - `false_negatives`: |F - R| / |F| and `false_positives`: |R - F| / |F|, in percent;
    - `f`: |F and R|, how many were found rightly.

    Where there is nothing to divide by (no common itemset, no true one) the cell is NaN, printed '-' in the thesis. Both frames have
    the columns `itemsets` and `support`, as `dn.frequent_itemsets` and mlxtend give them.

    >>> import pandas as pd
    >>> from deniable.mining import quality
    >>> true = pd.DataFrame({"support": [0.5, 0.4, 0.2], "itemsets": [frozenset("a"), frozenset("b"), frozenset("ab")]})
    >>> found = pd.DataFrame({"support": [0.6, 0.3], "itemsets": [frozenset("a"), frozenset("c")]})
    >>> quality(found, true)
            n_true  n_found  support_error  false_negatives  false_positives  f
    length
    1            2        2           20.0             50.0             50.0  1
    2            1        0            NaN            100.0              0.0  0
    """
    mine, theirs = _supports(found, "found"), _supports(true, "true")
    lengths = range(1, max(map(len, [*mine, *theirs]), default=0) + 1)
    rows = [_of_length(length, mine, theirs) for length in lengths]
    return pd.DataFrame(rows, columns=COLUMNS, index=pd.Index(lengths, name="length", dtype="int64"))


def _of_length(length: int, found: Supports, true: Supports) -> tuple[Any, ...]:
    right = {itemset: support for itemset, support in true.items() if len(itemset) == length}
    got = {itemset for itemset in found if len(itemset) == length}
    both = [itemset for itemset in got if itemset in right]
    nothing = float("nan")
    error = 100 * sum(abs(found[s] - right[s]) / right[s] for s in both) / len(both) if both else nothing
    missed = 100 * (len(right) - len(both)) / len(right) if right else nothing
    made_up = 100 * (len(got) - len(both)) / len(right) if right else nothing
    return len(right), len(got), error, missed, made_up, len(both)


def _supports(frame: Any, which: str) -> dict[frozenset[Any], float]:
    if not isinstance(frame, pd.DataFrame) or not {"support", "itemsets"} <= set(frame.columns):
        raise DataError(
            "not_itemsets",
            "quality: the {which} itemsets must be a frame with the columns 'support' and 'itemsets', as dn.frequent_itemsets "
            "gives it.",
            which=which,
        )
    supports = dict(zip(map(frozenset, frame["itemsets"]), frame["support"].astype(float), strict=True))
    if len(supports) < len(frame):
        raise DataError(
            "itemset_twice", "quality: the {which} itemsets have {n} more than once.", which=which, n=len(frame) - len(supports)
        )
    if which == "true" and any(not support > 0 for support in supports.values()):
        raise DataError(
            "true_support", "quality: true supports must be above 0, for errors are relative to them; is `true` an estimate?"
        )
    return supports
