"""Where the errors of rules come from: the supports of an itemset and of both sides of its rules come from the same reports.

With unbiased weights w of a row the supports are means of w_S, w_A and w_C; what their errors need besides (`rule_moments.py`) are
means of products such as w_S w_A. The weight of a plain item is one of two numbers, and so is its square: products of weights and squares
over the items of an itemset are sums over its 2^m subsets of how often these are *reported*, which the frame has. One pass over the m
items turns the reported supports of the subsets into the mean of w_S w_A for all antecedents A at once.

Where noise is undone by weights that may be off on average (`biases.py`), the moments say by how much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from deniable.core.channels.base import Channel
from deniable.core.domains.exact import Floats, Ints
from deniable.core.schema import Schema
from deniable.errors import DataError
from deniable.mining.biases import NOT_TOLD, Range
from deniable.mining.items import columns_of, schema_items, yes_no_items
from deniable.mining.row_weights import RowWeights
from deniable.mining.rule_intervals import Told, confidence_ends, leverage_ends, lift_ends
from deniable.mining.rule_moments import Off, RuleMoments, Score
from deniable.mining.subsets import Lattice, Portion
from deniable.mining.taxonomy import Generalised
from deniable.mining.transactions import Transactions

MomentsOf = Callable[[int, Any], RuleMoments | None]
"""From the number of a split and the places of the chosen itemsets in their portion."""
ENDS_OF = {"confidence": confidence_ends, "lift": lift_ends, "leverage": leverage_ends}
NO_BIAS = Range(0.0, 0.0)
KEPT = 64
"""Row weights of itemsets that are kept: rules of one itemset share their sides."""


@dataclass
class RuleErrors:
    """What is known about errors: `of(portion)` gives, for a split into antecedents and consequents, the moments of chosen itemsets."""

    reason: str = ""
    target: str = "population"
    n: int = 0

    def of(self, portion: Portion) -> MomentsOf:
        """Nothing is known."""
        return lambda split, chosen: None

    def told(self, measure: str, moments: RuleMoments, level: float) -> Told:
        """Errors and intervals of "confidence", "lift" or "leverage" at a level."""
        return ENDS_OF[measure](moments, self.n, NormalDist().inv_cdf(0.5 + level / 2) ** 2, self.target)


def rule_errors(
    frame: pd.DataFrame,
    lattice: Lattice,
    schema: Schema | Channel | None,
    data: Any,
    bins: Mapping[str, Any] | None,
    taxonomy: Any = None,
) -> RuleErrors:
    """Choose the way to the errors: from the frame alone, from the data once more, or none, with the reason.

    Parameters
    ----------
    frame, lattice
        The itemsets, and how their subsets are found.
    schema, data, bins, taxonomy
        As of `dn.association_rules`.
    """
    target = frame.attrs.get("target", "population")
    if "no_interval" in frame.attrs:
        return RuleErrors(frame.attrs["no_interval"], target)
    rows = int(frame.attrs.get("rows") or 0)
    counted = "reported_support" in frame and rows > 0
    weights = _weights(frame, lattice.names, schema, bins) if counted and taxonomy is None else None
    if weights is None and data is not None:
        # What a taxonomy puts above other items is of no column of its own.
        only = lattice.names if taxonomy is None else None
        transactions = data if isinstance(data, Transactions) else Transactions(data, schema, bins, only=only)
        if taxonomy is not None and transactions.items.biased.any():
            return RuleErrors(NOT_TOLD, target)
        by_row = RowWeights(transactions) if taxonomy is None else Generalised(transactions, taxonomy)
        return FromRows("", target, transactions.rows, by_row, lattice.names)
    if not counted:
        return RuleErrors(
            "The frame does not say how many transactions there are and how often itemsets were reported.", target
        )
    if weights is None:
        return RuleErrors(
            "Weights of some items depend on more than their own report (neighbours, noise, a shared draw or a taxonomy): give data= "
            "as well.",
            target,
        )
    reported = frame["reported_support"].to_numpy(dtype=np.float64)
    return FromReports("", target, rows, reported, weights[0], weights[1])


def _weights(frame: pd.DataFrame, names: list[Any], schema: Any, bins: Mapping[str, Any] | None) -> Floats | None:
    """Weights of each item where it is not reported (first row) and where it is (second); None if that is not all they depend on.

    The frame's own notes go before a schema: they know of bins and of taxonomies.
    """
    if schema is None or "weights" in frame.attrs:
        known = {_key(name): (absent, present) for name, absent, present in frame.attrs.get("weights") or []}
    elif isinstance(schema, Schema):
        used = columns_of(names, list(schema))
        items = schema_items(schema, {name: cut for name, cut in (bins or {}).items() if name in used}, used)
        known = (
            dict(zip(map(_key, items.names), zip(items.absent, items.present, strict=True), strict=True)) if items.plain else {}
        )
    else:
        items = yes_no_items(names, schema)
        known = dict(zip(map(_key, names), zip(items.absent, items.present, strict=True), strict=True))
    if any(_key(name) not in known for name in names):
        return None
    return np.array([known[_key(name)] for name in names], dtype=np.float64).reshape(-1, 2).T


def _key(name: Any) -> str:
    # Names come back from files as text.
    return str(name)


@dataclass
class FromReports(RuleErrors):
    """Errors from how often the subsets of itemsets are reported."""

    reported: Floats = field(default_factory=lambda: np.zeros(0))
    absent: Floats = field(default_factory=lambda: np.zeros(0))
    present: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        self._mean = np.full(len(self.reported), np.nan)
        self._square = np.full(len(self.reported), np.nan)

    def of(self, portion: Portion) -> MomentsOf:
        """Portions must come by ascending length: the sides' own moments are those of earlier portions."""
        products = self._products(portion)
        everything = products.shape[1] - 1
        self._mean[portion.rows], self._square[portion.rows] = products[:, 0], products[:, everything]
        low, high = self.absent[portion.items], self.present[portion.items]
        given, otherwise = low + high - low * high, -low * high

        def moments(split: int, chosen: Any) -> RuleMoments:
            rest = everything ^ split
            a, c = portion.subsets[chosen, split], portion.subsets[chosen, rest]
            inside = [j for j in range(portion.length) if split >> j & 1]
            outside = [j for j in range(portion.length) if not split >> j & 1]
            held, not_held = given[chosen], otherwise[chosen]
            both, antecedent, consequent = products[chosen, 0], self._mean[a], self._mean[c]
            of_a, of_c = (held[:, inside], not_held[:, inside]), (held[:, outside], not_held[:, outside])
            score = Score(
                of_a[0].prod(axis=1),
                of_c[0].prod(axis=1),
                _otherwise(antecedent, 1.0, self._square[a], *of_a),
                _otherwise(consequent, 1.0, self._square[c], *of_c),
                _otherwise(both, antecedent, products[chosen, rest], *of_c),
            )
            return RuleMoments(
                both, antecedent, consequent, products[chosen, everything], self._square[a], self._square[c],
                products[chosen, split], products[chosen, rest], both, score,
            )  # fmt: skip

        return moments

    def _products(self, portion: Portion) -> Floats:
        """Column A: the mean over rows of the product of squared weights of the items in A and of weights of the others."""
        shares = np.where(portion.subsets < 0, 1.0, self.reported[portion.subsets])
        for j in range(portion.length):
            absent, present = self.absent[portion.items[:, j], None], self.present[portion.items[:, j], None]
            pairs = shares.reshape(len(shares), -1, 2, 1 << j)
            without, having = pairs[:, :, 0].reshape(len(shares), -1), pairs[:, :, 1].reshape(len(shares), -1)
            once = absent * without + (present - absent) * having
            twice = absent**2 * without + (present**2 - absent**2) * having
            parts = [part.reshape(len(shares), -1, 1, 1 << j) for part in (once, twice)]
            shares = np.concatenate(parts, axis=2).reshape(len(shares), -1)
        return shares


def _otherwise(held: Floats, among: Floats | float, square: Floats, given: Floats, otherwise: Floats) -> Floats:
    """The mean of the squared weights of some items in rows that do not hold all of them, of a share `among` of the rows whose mean
    (times that share) is `square`.

    For one item it is known; for several it depends on how many of them such rows hold, and is estimated, between the least and the
    most that it can be.
    """
    if given.shape[1] == 1:
        return otherwise[:, 0]
    least, most = np.minimum(given, otherwise).prod(axis=1), np.maximum(given, otherwise).prod(axis=1)
    rest = among - held
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = (square - held * given.prod(axis=1)) / rest
    mean: Floats = np.where(rest > 0, np.clip(estimate, least, most), otherwise.prod(axis=1))
    return mean


@dataclass
class FromRows(RuleErrors):
    """Errors from the reported rows, for weights that depend on more than an item's own report."""

    weights: Any = None
    names: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        place = {_key(name): number for number, name in enumerate(self.weights.names)}
        missing = [name for name in self.names if _key(name) not in place]
        if missing:
            raise DataError("not_in_data", "The data does not have the items {got} of the frame.", got=missing[:20])
        self._biases: dict[tuple[int, ...], Range] = {}
        self._number: Ints = np.array([place[_key(name)] for name in self.names], dtype=np.int64)
        self._of = lru_cache(KEPT)(lambda itemset: self.weights.of(np.array(itemset)))

    def of(self, portion: Portion) -> MomentsOf:
        """Row weights of every itemset and of both sides: one pass over the data per rule."""
        itemsets = self._number[portion.items]

        def moments(split: int, chosen: Any) -> RuleMoments:
            inside = [j for j in range(portion.length) if split >> j & 1]
            outside = [j for j in range(portion.length) if not split >> j & 1]
            sides = slice(None), inside, outside
            rules = [[tuple(np.sort(row[side]).tolist()) for side in sides] for row in itemsets[chosen]]
            means = np.array([self._means(*rule) for rule in rules]).reshape(-1, 9).T
            off = np.array([[end for part in rule for end in self._bias(part)] for rule in rules]).reshape(-1, 6).T
            return replace(RuleMoments(*means), off=Off(*off))

        return moments

    def _bias(self, itemset: tuple[int, ...]) -> Range:
        # Rules of one antecedent ask for its bias again and again.
        if itemset not in self._biases:
            known = self.weights.bias(np.array(itemset)) if isinstance(self.weights, RowWeights) else None
            self._biases[itemset] = NO_BIAS if known is None else Range(float(known.below[0]), float(known.above[0]))
        return self._biases[itemset]

    def _means(self, itemset: tuple[int, ...], antecedent: tuple[int, ...], consequent: tuple[int, ...]) -> list[float]:
        weights = [self._of(part) for part in (itemset, antecedent, consequent)]
        pairs = (0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)
        return [*(w.mean() for w in weights), *(weights[i] @ weights[j] / len(weights[0]) for i, j in pairs)]
