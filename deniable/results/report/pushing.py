"""Which forged answers push which figure most, found by weights: of many combinations of reports few are then tried.

A figure is a mean over the answers (of everyone), a ratio of two (in a group) or a difference of such ratios, and an answer adds its weight
to each mean: the product of the weights of its reports. So what a forged answer does to all figures is told from numpy arrays, for every
combination of reports at once. Reports of an attribute that have the same weights in all that is asked count alike; one of them is enough.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.core.estimate import FEWEST
from deniable.core.schema import Schema
from deniable.core.simplex import project
from deniable.core.tables import CellTable
from deniable.results.calls import Call
from deniable.statistics.attribute_cells import cells
from deniable.statistics.condition_parser import as_condition
from deniable.statistics.functions import ONE, Function, factor, indicator
from deniable.statistics.numeric_attributes import numbers, who_answered
from deniable.statistics.ratios import CAREFUL

Codes = dict[str, Ints]
"""Combinations of reports: a column of codes for each attribute."""


class Quotient(NamedTuple):
    """The mean of a function over the people, divided by that of another; `sign` is -1 where it is subtracted."""

    top: Function
    bottom: Function
    sign: float = 1.0


def quotients_of(call: Call, schema: Schema) -> list[list[Quotient]]:
    """What the numbers of a call are made of, in their order; groups that nobody is in are there, too.

    >>> import deniable as dn
    >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)})
    >>> [len(figure) for figure in quotients_of(Call("distribution", ("a",)), schema)]
    [1, 1]
    """
    given = call.given
    if call.method == "crosstab":
        bins = given.get("bins") or {}
        rows, columns = (cells(schema, name, bins.get(name))[1] for name in call.args)
        a, b = call.args
        return [[Quotient(factor(a, p) * factor(b, q), ONE)] for p in rows for q in columns]
    if call.method == "difference":
        sides = [indicator(as_condition(group), schema) for group in given["between"]]
        parts = _parts(given["of"], schema) if "of" in given else (indicator(as_condition(call.args[0]), schema), ONE)
        return [[_within(group, parts, sign) for group, sign in zip(sides, (1.0, -1.0), strict=True)]]
    (name,) = call.args
    everyone = indicator(as_condition(given.get("where")), schema)
    groups = [everyone]
    if "by" in given:
        groups = [everyone * factor(given["by"], mask) for mask in cells(schema, given["by"], given.get("by_bins"))[1]]
    if call.method == "mean":
        return [[_within(group, _parts(name, schema))] for group in groups]
    assert call.method == "distribution"
    masks = cells(schema, name, given.get("bins"))[1]
    return [[_within(group, (factor(name, mask), ONE))] for group in groups for mask in masks]


def _parts(name: str, schema: Schema) -> tuple[Function, Function]:
    """What a mean is made of: the numbers of those who answered, and who they are."""
    answered = who_answered(schema, name)
    return factor(name, numbers(schema, name)) * answered, answered


def _within(group: Function, parts: tuple[Function, Function], sign: float = 1.0) -> Quotient:
    return Quotient(group * parts[0], group * parts[1], sign)


def codes_that_differ(schema: Schema, names: Sequence[str], figures: Sequence[Sequence[Quotient]]) -> list[Ints]:
    """Of each attribute the codes of reports that do not count alike: the first of those whose weights are the same in all figures.

    >>> import deniable as dn
    >>> schema = dn.Schema({"a": dn.KRR(dn.Nominal(list("abcdefgh")), 0.5), "b": dn.KRR(dn.Binary(), 0.75)})
    >>> asked = quotients_of(Call("distribution", ("b",), {"where": "a == 'c'"}), schema)
    >>> [codes.tolist() for codes in codes_that_differ(schema, ["b", "a"], asked)]
    [[0, 1], [0, 2]]
    """
    alone = {block.attributes[0] for block in schema.blocks if len(block.attributes) == 1}
    terms = [term for figure in figures for one in figure for function in (one.top, one.bottom) for _, term in function.terms]
    found = []
    for name in names:
        channel = schema[name]
        if name not in alone or not channel.lumpable:
            found.append(np.arange(len(channel.outputs)))
            continue
        factors = {term[name].tobytes(): term[name] for term in terms if name in term}
        weights = np.array([channel.law.weights(one) for one in factors.values()]).reshape(len(factors), len(channel.outputs))
        # Rounding must not tell two of them apart.
        found.append(np.sort(np.unique(weights.round(9), axis=1, return_index=True)[1]))
    return found


def combinations_of(names: Sequence[str], codes: Sequence[Ints]) -> Codes:
    """All combinations of some codes of each attribute."""
    columns = np.array(list(itertools.product(*codes)), dtype=np.int64).reshape(-1, len(names)).T
    return dict(zip(names, columns, strict=True))


class Pushed:
    """What figures become if a share of the answers is replaced by copies of one, for many that could be sent."""

    def __init__(self, schema: Schema, figures: Sequence[Sequence[Quotient]], table: CellTable, sent: Codes) -> None:
        seen = {axis.name: table.cells[:, d] for d, axis in enumerate(table.axes)}
        self._schema, self._figures, self._seen, self._sent = schema, figures, seen, sent
        self._total = max(table.total, 1)
        self._frequency = table.n / self._total

    def of_everyone(self, share: float) -> Floats:
        """The largest shift of each of all shares of everyone: nothing is divided, and what is shown are the nearest possible ones, so
        that nothing need be tried."""
        tops = [one.top for (one,) in self._figures]
        now = np.array([self._frequency @ top.weights(self._schema, self._seen) for top in tops])
        added = np.array([top.weights(self._schema, self._sent) for top in tops])
        before, largest = project(now), np.zeros(len(now))
        for sent in added.T:
            largest = np.maximum(largest, np.abs(project((1 - share) * now + share * sent) - before))
        return largest

    def worth_trying(self, share: float) -> list[dict[str, int]]:
        """The answers that push some figure furthest, up or down."""
        chosen: set[int] = set()
        for figure in self._figures:
            shifts = sum((one.sign * self._shifts(one, share) for one in figure), start=np.zeros(1))
            chosen |= {int(shifts.argmax()), int(shifts.argmin())}
        return [{name: int(codes[place]) for name, codes in self._sent.items()} for place in sorted(chosen)]

    def _shifts(self, one: Quotient, share: float) -> Floats:
        """By how much each answer moves a quotient; 0 where it leaves nobody in the group, so that nothing would be shown."""
        pairs = [function.weights(self._schema, codes) for codes in (self._seen, self._sent) for function in one[:2]]
        (top, bottom), (top_sent, bottom_sent) = pairs[:2], pairs[2:]
        means = [float(self._frequency @ column) for column in (top, bottom, top * bottom, bottom**2)]
        sent = (top_sent, bottom_sent, top_sent * bottom_sent, bottom_sent**2)
        after = [(1 - share) * mean + share * column for mean, column in zip(means, sent, strict=True)]
        shifts: Floats = np.where(
            after[1] * self._total >= FEWEST, self._point(*after) - self._point(*map(np.array, means)), 0.0
        )
        return shifts

    def _point(self, top: Floats, bottom: Floats, product: Floats, square: Floats) -> Floats:
        """A ratio as `statistics/ratios.py` has it: careful where a group is small."""
        covariance, variance = (product - top * bottom) / self._total, (square - bottom**2) / self._total
        size = bottom**2 + CAREFUL * variance
        return np.where(size > 0, (top * bottom + CAREFUL * covariance) / np.where(size > 0, size, 1.0), 0.0)
