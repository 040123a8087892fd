"""Errors of confidences: supports of an itemset and of its antecedents come from the same reports.

With unbiased weights w of a row, S = mean w_S and A = mean w_A; for the true confidence c the numbers r = w_S - c w_A have mean 0, and

    mean r^2 = Q_SS - 2 c Q_SA + c^2 Q_AA,      Q_XY = mean of w_X w_Y.

The weight of a plain item is one of two numbers, and so is its square: products of weights and squares over the items of an itemset
are sums over its 2^m subsets of how often these are *reported*, which the frame has. One pass over the m items turns the reported
supports of the subsets into Q_SA for all antecedents A at once.

Where noise is undone by weights that may be off on average (`biases.py`), the mean of r may be off by what S and c A may be off, and the
interval holds all c for which it lies within that and its own error of 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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
from deniable.mining.subsets import Lattice, Portion
from deniable.mining.taxonomy import Generalised
from deniable.mining.transactions import Transactions

Ends = tuple[Floats, Floats, Floats]
"""Standard error, lower and upper end: one number per rule."""
EndsOf = Callable[[int, Any], Ends]
"""From the number of a split and the places of the chosen itemsets in their portion."""


NO_BIAS = Range(np.zeros(1), np.zeros(1))
CONFIDENCES = 1000
"""How many steps of confidence are tried where weights are biased."""


@dataclass
class Confidences:
    """What is known about errors: `of(portion)` gives, for a split into antecedents and consequents, the ends for chosen itemsets."""

    reason: str = ""
    target: str = "population"

    def of(self, portion: Portion) -> EndsOf:
        """Nothing is known: NaN for every rule."""
        return lambda split, chosen: (np.full(len(portion.rows[chosen]), np.nan),) * 3


def confidences_of(
    frame: pd.DataFrame,
    lattice: Lattice,
    schema: Schema | Channel | None,
    data: Any,
    bins: Mapping[str, Any] | None,
    level: float,
    taxonomy: Any = None,
) -> Confidences:
    """Choose the way to the errors: from the frame alone, from the data once more, or none, with the reason.

    Parameters
    ----------
    frame, lattice
        The itemsets, and how their subsets are found.
    schema, data, bins, level, taxonomy
        As of `dn.association_rules`.
    """
    target = frame.attrs.get("target", "population")
    z2 = NormalDist().inv_cdf(0.5 + level / 2) ** 2
    if "no_interval" in frame.attrs:
        return Confidences(frame.attrs["no_interval"], target)
    rows = int(frame.attrs.get("rows") or 0)
    counted = "reported_support" in frame and rows > 0
    weights = _weights(frame, lattice.names, schema, bins) if counted and taxonomy is None else None
    if weights is None and data is not None:
        # What a taxonomy puts above other items is of no column of its own.
        only = lattice.names if taxonomy is None else None
        transactions = data if isinstance(data, Transactions) else Transactions(data, schema, bins, only=only)
        if taxonomy is not None and transactions.items.biased.any():
            return Confidences(NOT_TOLD, target)
        by_row = RowWeights(transactions) if taxonomy is None else Generalised(transactions, taxonomy)
        return FromRows("", target, z2, by_row, lattice.names)
    if not counted:
        return Confidences(
            "The frame does not say how many transactions there are and how often itemsets were reported.", target
        )
    if weights is None:
        return Confidences(
            "Weights of some items depend on more than their own report (neighbours, noise, a shared draw or a taxonomy): give data= "
            "as well.",
            target,
        )
    reported = frame["reported_support"].to_numpy(dtype=np.float64)
    return FromReports("", target, z2, rows, reported, weights[0], weights[1])


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
class FromReports(Confidences):
    """Errors from how often the subsets of itemsets are reported."""

    z2: float = 0.0
    n: int = 0
    reported: Floats = field(default_factory=lambda: np.zeros(0))
    absent: Floats = field(default_factory=lambda: np.zeros(0))
    present: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        self._mean = np.full(len(self.reported), np.nan)
        self._square = np.full(len(self.reported), np.nan)

    def of(self, portion: Portion) -> EndsOf:
        """Portions must come by ascending length: the antecedents' own moments are those of earlier portions."""
        products = self._products(portion)
        everything = products.shape[1] - 1
        self._mean[portion.rows], self._square[portion.rows] = products[:, 0], products[:, everything]
        low, high = self.absent[portion.items], self.present[portion.items]
        given, otherwise = low + high - low * high, -low * high

        def ends(split: int, chosen: Any) -> Ends:
            antecedent = portion.subsets[chosen, split]
            inside = [j for j in range(portion.length) if split >> j & 1]
            outside = [j for j in range(portion.length) if not split >> j & 1]
            moments = Moments(
                both=products[chosen, 0],
                antecedent=self._mean[antecedent],
                q_both=products[chosen, everything],
                q_cross=products[chosen, split],
                q_antecedent=self._square[antecedent],
            )
            held, not_held = given[chosen], otherwise[chosen]
            score = Score(
                held[:, inside].prod(axis=1),
                held[:, outside].prod(axis=1),
                _otherwise(moments, products[chosen, everything ^ split], held[:, outside], not_held[:, outside]),
            )
            return moments.ends(self.n, self.z2, self.target, score)

        return ends

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


def _otherwise(moments: Moments, crossed: Floats, given: Floats, otherwise: Floats) -> Floats:
    """The mean of the consequents' squared weights among rows that hold the antecedents but not all consequents.

    For one consequent it is known; for several it depends on how many of them such rows hold, and is estimated, between the least
    and the most that it can be.
    """
    if given.shape[1] == 1:
        return otherwise[:, 0]
    least, most = np.minimum(given, otherwise).prod(axis=1), np.maximum(given, otherwise).prod(axis=1)
    rest = moments.antecedent - moments.both
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = (crossed - moments.both * given.prod(axis=1)) / rest
    mean: Floats = np.where(rest > 0, np.clip(estimate, least, most), otherwise.prod(axis=1))
    return mean


@dataclass(frozen=True)
class Score:
    """How mean r^2 changes with the confidence: second moments of the antecedents' weights, and of the consequents' where these
    are all held and where they are not.
    """

    antecedent: Floats
    consequent: Floats
    otherwise: Floats


@dataclass(frozen=True)
class Moments:
    """Means of w_S, w_A and of their products: one number per rule."""

    both: Floats
    antecedent: Floats
    q_both: Floats
    q_cross: Floats
    q_antecedent: Floats

    def ends(self, n: int, z2: float, target: str, score: Score | None = None) -> Ends:
        """Standard error of the confidence (delta method) and the confidences c with n (S - c A)^2 <= z^2 mean r^2.

        If c were the confidence, a share c A of the rows would hold all items and (1 - c) A the antecedents only. `score` moves rows
        between the two accordingly, as Wilson does; without it the observed mean is taken (Fieller). For the respondents what
        differs between people, A c (1 - c), is no error and is taken away.
        """
        s, a = self.both, self.antecedent
        # mean r^2 as a polynomial in c: constant, linear and square term.
        constant, linear, square = self.q_both.copy(), -2 * self.q_cross, self.q_antecedent.copy()
        with np.errstate(divide="ignore", invalid="ignore"):
            c = s / a
            spread = constant + linear * c + square * c**2
            if target == "respondents":
                spread = spread - a * c * (1 - c)
            error = np.sqrt(np.maximum(spread, 0) / n) / np.abs(a)
        if score is not None:
            # (c A - S)(g1 - g0), with g1 - g0 = G_A (G_C - h - 2 c).
            gain = score.consequent - score.otherwise
            constant -= score.antecedent * s * gain
            linear = linear + score.antecedent * (a * gain + 2 * s)
            square -= 2 * score.antecedent * a
        if target == "respondents":
            linear, square = linear - a, square + a
        return error, *_between(n * a**2 - z2 * square, -2 * n * a * s - z2 * linear, n * s**2 - z2 * constant, c)

    def biased_ends(self, n: int, z2: float, both: Range, antecedent: Range) -> tuple[float, float, float]:
        """The same for one rule whose supports may be off by so much; people's differences count for the respondents, too."""
        s, a = float(self.both[0]), float(self.antecedent[0])
        c = np.linspace(0.0, 1.0, CONFIDENCES + 1)
        square = np.maximum(self.q_both - 2 * c * self.q_cross + c**2 * self.q_antecedent, 0.0)
        off, chance = s - c * a, np.sqrt(z2 * square / n)
        too_high = off > chance + both.above + c * antecedent.below
        too_low = off < -(chance + both.below + c * antecedent.above)
        held = np.flatnonzero(~(too_high | too_low))
        at = s / a if a else np.nan
        error = float(np.sqrt(max(self.q_both[0] - 2 * at * self.q_cross[0] + at**2 * self.q_antecedent[0], 0.0) / n) / abs(a))
        if not len(held):
            # No confidence fits: the nearest is all that is left, unless the antecedents may not occur at all.
            end = float(np.clip(at, 0.0, 1.0))
            return (error, end, end) if a > 0 else (error, 0.0, 1.0)
        # The ends lie between two of the confidences that were tried.
        return error, float(c[max(held[0] - 1, 0)]), float(c[min(held[-1] + 1, CONFIDENCES)])


def _between(square: Floats, linear: Floats, constant: Floats, middle: Floats) -> tuple[Floats, Floats]:
    """Where a quadratic is at most 0, within 0 and 1; everywhere, if the antecedents may not occur at all."""
    inside = linear**2 - 4 * square * constant
    # At the estimate itself the quadratic is at most 0: without an error the ends meet there, up to rounding.
    bounded = (square > 0) & np.isfinite(middle)
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(np.maximum(inside, 0))
        low, high = (-linear - root) / (2 * square), (-linear + root) / (2 * square)
    return np.where(bounded, np.clip(low, 0, 1), 0.0), np.where(bounded, np.clip(high, 0, 1), 1.0)


@dataclass
class FromRows(Confidences):
    """Errors from the reported rows, for weights that depend on more than an item's own report."""

    z2: float = 0.0
    weights: Any = None
    names: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        place = {_key(name): number for number, name in enumerate(self.weights.names)}
        missing = [name for name in self.names if _key(name) not in place]
        if missing:
            raise DataError("not_in_data", "The data does not have the items {got} of the frame.", got=missing[:20])
        self._biases: dict[tuple[int, ...], Range] = {}
        self._number: Ints = np.array([place[_key(name)] for name in self.names], dtype=np.int64)

    def of(self, portion: Portion) -> EndsOf:
        """Row weights of every itemset and of its antecedents: one pass over the data per rule."""
        itemsets = self._number[portion.items]

        def ends(split: int, chosen: Any) -> Ends:
            inside = [j for j in range(portion.length) if split >> j & 1]
            rules = [(np.sort(row), np.sort(row[inside])) for row in itemsets[chosen]]
            moments = np.array([self._moments(*rule) for rule in rules]).reshape(-1, 5).T
            told = Moments(*moments).ends(self.weights.rows, self.z2, self.target)
            for place, rule in enumerate(rules):
                both, antecedent = (self._bias(part) for part in rule)
                if both is not NO_BIAS or antecedent is not NO_BIAS:
                    biased = Moments(*moments[:, [place]]).biased_ends(self.weights.rows, self.z2, both, antecedent)
                    for into, end in zip(told, biased, strict=True):
                        into[place] = end
            return told

        return ends

    def _bias(self, itemset: Ints) -> Range:
        # Rules of one antecedent ask for its bias again and again.
        key = tuple(itemset.tolist())
        if key not in self._biases:
            bias = self.weights.bias(itemset) if isinstance(self.weights, RowWeights) else None
            self._biases[key] = bias or NO_BIAS
        return self._biases[key]

    def _moments(self, itemset: Ints, antecedent: Ints) -> tuple[float, ...]:
        both, a = self.weights.of(itemset), self.weights.of(antecedent)
        n = len(both)
        return both.mean(), a.mean(), both @ both / n, both @ a / n, a @ a / n
