"""The patterns inside one row, as a lazy classifier finds them: the smallest sets of its values that emerge in a class.

These are the left border of all patterns of the row; larger ones hold no further training rows. What decides is how many reduced
training rows hold them (`matched_support`). Support and growth rate are those of truths, with an interval: where nothing is hidden what
was seen, else what unbiased weights say of the same values (`growth.Contrast`); where they cannot, what matched, without an interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from deniable.classify.confusion import class_weights
from deniable.classify.patterns.growth import Contrast
from deniable.classify.patterns.strata import Strata

MOST_HELD = 100_000
"""More sets than this are not listed; enough of them to hold all rows that any of them holds are."""
LEVEL = 0.95
NOT_KNOWN = "noise that blurs an attribute is undone only roughly, and of neighbouring cells that count as one only the matches are known"


@dataclass(frozen=True)
class Reduced:
    """Different reduced training rows, as bits (rows x words), and how often each class has each."""

    masks: Any
    counts: Any

    def supports(self, itemset: int) -> Any:
        """How many rows of each class hold a set: bit i of it stands for attribute i."""
        wanted = np.frombuffer(itemset.to_bytes(8 * self.masks.shape[1], "little"), "<u8")
        return self.counts[(self.masks & wanted == wanted).all(axis=1)].sum(axis=0)


def reduced_rows(model: Any, cells: Any) -> Reduced:
    """The training rows of a lazy classifier reduced to what they share with a row of cells."""
    from deniable.kernels.bits import words_for
    from deniable.kernels.lazy_patterns import NONE, distinct_masks, reduce_rows

    n, matches = model._numbers.shape[1], model._matches
    shape = n, words_for(len(model.features_))
    masks, found = np.empty(shape, np.uint64), np.empty(shape, np.uint64)
    counts = np.zeros((n, len(model.classes_)))
    reduce_rows(
        cells.astype(np.int64),
        model._numbers,
        matches.offsets,
        matches.sizes,
        matches.flat,
        np.empty(matches.flat.size, np.uint64),
        masks,
    )
    table = np.full(1 << int(2 * n).bit_length(), NONE, np.int64)
    number = distinct_masks(masks, model._label, model._rows.times.astype(np.float64), table, found, counts)
    return Reduced(found[:number], counts[:number])


def smallest_patterns(model: Any, reduced: Reduced, label: int, most_steps: float) -> list[int] | None:
    """The smallest sets that emerge in a class, as bits of one number each; None if the search takes too long."""
    from deniable.kernels.lazy_patterns import TOO_LONG, search_row

    own, others = reduced.counts[:, label], reduced.counts.sum(axis=1) - reduced.counts[:, label]
    mine, theirs = own > 0, others > 0
    sizes = float(model._totals[label]), float(model._totals.sum() - model._totals[label])
    if not sizes[0]:
        return []
    written = TOO_LONG
    held = np.empty((MOST_HELD, reduced.masks.shape[1]), np.uint64)
    for every in (True, False):
        if written == TOO_LONG:
            written = search_row(
                len(model.features_), reduced.masks[mine], own[mine], reduced.masks[theirs], others[theirs], sizes,
                (float(model._least_rows[label]), float(model.min_growth), most_steps, every), np.zeros(int(mine.sum()), bool), held,
            )  # fmt: skip
    if written == TOO_LONG:
        return None
    found = {int.from_bytes(row.astype("<u8").tobytes(), "little") for row in np.unique(held[:written], axis=0)}
    smallest: list[int] = []
    for itemset in sorted(found, key=lambda bits: (bits.bit_count(), bits)):
        if not any(itemset & other == other for other in smallest):
            smallest.append(itemset)
    return smallest


def growth_of(model: Any, reduced: Reduced, cells: Any, label: int, itemsets: list[int]) -> dict[str, Any]:
    """Support in a class and elsewhere, growth rate and its interval, of sets of a row's values."""
    totals = model._totals
    counts = np.array([reduced.supports(itemset) for itemset in itemsets]).reshape(len(itemsets), len(totals))
    support = counts[:, label] / totals[label]
    other = (counts.sum(axis=1) - counts[:, label]) / max(totals.sum() - totals[label], 1.0)
    matched = {"matched_support": support, "matched_elsewhere": other}
    if model.target_.hidden or any(feature.hidden for feature in model.features_):
        return matched | _of_truths(model, cells, label, itemsets, support, other)
    low, high = _ends_of_shares(support, other, totals[label], totals.sum() - totals[label])
    return matched | _columns(support, other, low, high)


def _columns(support: Any, other: Any, low: Any, high: Any) -> dict[str, Any]:
    growth = np.divide(support, other, out=np.full(len(support), np.inf), where=other > 0)
    return {"support": support, "other_support": other, "growth_rate": growth, "growth_low": low, "growth_high": high}


def _ends_of_shares(support: Any, other: Any, rows: float, other_rows: float) -> tuple[Any, Any]:
    """The interval of a ratio of shares that were seen: their mean square is their mean, whatever it is."""
    from deniable.kernels.growth_scores import growth_ends

    one, nothing = np.ones(len(support)), np.zeros(len(support))
    own, others = (
        np.stack([mean, mean, one, one, nothing, n * one], axis=1) for mean, n in ((support, rows), (other, other_rows))
    )
    return growth_ends(own, others, NormalDist().inv_cdf(0.5 + LEVEL / 2))


def _of_truths(model: Any, cells: Any, label: int, itemsets: list[int], support: Any, other: Any) -> dict[str, Any]:
    """What unbiased weights say of the same values, where they can; elsewhere what matched, without an interval."""
    support, other = support.copy(), other.copy()
    low, high = np.full(len(itemsets), np.nan), np.full(len(itemsets), np.nan)
    of_class = class_weights(model.target_.matrix)
    if not model.neighbours and of_class is not None:
        strata = _strata(model, of_class)
        place = strata.table.number_of()
        for k, itemset in enumerate(itemsets):
            pairs = [(i, int(cells[i])) for i in range(len(cells)) if itemset >> i & 1]
            if all(pair in place for pair in pairs):
                numbers = np.array([[place[pair] for pair in pairs]], dtype=np.int32)
                sums = strata.sums(numbers)[0]
                known = Contrast(strata, label, numbers, sums).precision(LEVEL)
                low[k], high[k] = known.growth_low[0], known.growth_high[0]
                sides = strata.own[label], strata.other[label]
                support[k], other[k] = (np.clip(side.sums(sums).total[0] / side.size, 0.0, 1.0) for side in sides)
    return _columns(support, other, low, high)


def _strata(model: Any, of_class: Any) -> Strata:
    """The training rows as mining counts them."""
    rows = model._rows
    table = model._item_table()
    again = np.repeat(np.arange(len(rows.times)), rows.times)
    return Strata(table, [rows.fine[again, i] for i in range(rows.fine.shape[1])], rows.reported_class[again], of_class)
