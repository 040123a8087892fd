"""Shares of an attribute behind noise, smoothed: the point that is shown where only a class of truths gives an interval.

The deconvolution of `dn.reconstruct` errs less than any weights do (docs/deconvolution.md), since it prefers the shapes that distributions
have; but how far it may be off nobody knows. So the point is its, and the interval that of the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from deniable.core.channels.additive import Additive
from deniable.core.channels.base import Channel
from deniable.core.channels.operators import FloatTable
from deniable.core.channels.shift import Shift
from deniable.core.domains.exact import Floats, Ints
from deniable.core.schema import Schema
from deniable.core.tables import CellTable, axis_of
from deniable.engines.count import cell_table
from deniable.reconstruction.em import em
from deniable.reconstruction.reconstruct import reconstruct
from deniable.statistics.joint import edges_between
from deniable.statistics.label_numbers import answered

EVERY_VALUE = 101
BINS = 48
MOST_BORDERS = 12
"""Up to EVERY_VALUE values the share of each is estimated; beyond that, the shares of BINS bins, whose values are taken as equally
frequent. Where a question parts the values at MOST_BORDERS places at most, bins end there."""
NEAR = 1 / 8
"""Borders are not added where one is so near, in standard deviations of the noise, which blurs far more."""
SMOOTHED = "em, regularised"
"""The method that such points say."""
MOST_LABELS = 100
"""Together with an attribute of at most this many labels the joint distribution is found by EM, which begins where the two have nothing to
do with each other."""
MOST_STEPS = 300
LITTLE = 0.1
"""EM ends where a step gains less log-likelihood than this: what is left is chance, and more steps would follow it."""
SOME = 0.01
"""A part of the people who may be anything, so that EM can find labels that seem to hold nobody at first."""


def borders_of(functions: Sequence[Floats], channel: Channel) -> tuple[int, ...]:
    """Where functions of the true codes of an attribute behind noise part them, if that is at few places of many: those that no even bin
    ends near. What is asked of an attribute then mostly shares its bins, and their distribution is found once."""
    law, values = _noise(channel).law, answered(channel.domain).size
    assert isinstance(law, Shift)
    if values <= EVERY_VALUE:
        return ()
    borders = {int(place) + 1 for f in functions for place in np.flatnonzero(np.diff(f[:values]))[: MOST_BORDERS + 1]}
    even = np.array(_even_borders(values))
    apart = [border for border in borders if np.abs(even - border).min() > NEAR * law.spread]
    return tuple(sorted(apart)) if len(apart) <= MOST_BORDERS else ()


def _even_borders(values: int) -> list[int]:
    """Where the bins of an attribute of many values end."""
    return (np.arange(1, BINS) * values // BINS).tolist()


def _noise(channel: Channel) -> Channel:
    """The channel by which answers are hidden that were given."""
    return channel.inner


def adds_noise(channel: Channel) -> bool:
    """Whether a channel hides numbers by noise that blurs neighbours."""
    return isinstance(_noise(channel), Additive) and not channel.law.lumpable


class Smoothed:
    """The smoothed distribution of an attribute behind noise, and its joint distributions with others."""

    def __init__(self, data: Any, schema: Schema, name: str, borders: Sequence[int] = ()) -> None:
        self._data, self._schema, self._name = data, schema, name
        self._joints: dict[str, Floats | None] = {}
        self._beside: dict[str, _Beside] = {}
        channel = schema[name]
        table = cell_table(data, schema, [name])
        numbers = answered(channel.domain).numbers()
        self._cell = np.arange(channel.domain.size)
        if len(numbers) <= EVERY_VALUE:
            self._reported = np.arange(channel.law.outputs)
            self._matrix, self._shares = channel.law.dense(), reconstruct(table, channel).value
            return
        view = channel.binned(edges_between(numbers, sorted({*_even_borders(len(numbers)), *borders})))
        self._reported, self._cell = view.reported.of_code, view.true.of_code
        table = CellTable([axis_of(name, view)], self._reported[table.cells[:, 0]], table.n)
        self._matrix, self._shares = view.matrix(), reconstruct(table, channel).value

    @cached_property
    def shares(self) -> Floats:
        """The share of every true code."""
        return self._by_code(self._shares)

    def with_other(self, other: str) -> Floats | None:
        """The shares of every true code and every true code of another attribute, which shares no draw with others."""
        joint = self._joint(other)
        return None if joint is None else self._beside[other].by_code(self._by_code(joint).T).T

    def probabilities(self, meets: Floats, reports: dict[str, Ints]) -> Floats | None:
        """How probably each row meets a condition, which `meets` says by the true codes of the attribute and of another, given the rows'
        reported codes (Bayes)."""
        others = [name for name in reports if name != self._name]
        shares = self._joint(others[0]) if others else self._shares
        if shares is None:
            return None
        inside = self._inside(meets)
        inside = self._beside[others[0]].inside(inside.T).T if others else inside
        above, below = self._matrix.T @ (shares * inside), self._matrix.T @ shares
        rows: tuple[Any, ...] = (self._reported[reports[self._name]],)
        if others:
            beside = self._beside[others[0]]
            above, below = above @ beside.matrix, below @ beside.matrix
            rows = (*rows, beside.reported[reports[others[0]]])
        with np.errstate(invalid="ignore", divide="ignore"):
            probabilities: Floats = np.where(below > 0, above / below, np.nan)[rows]
        return probabilities

    def _joint(self, other: str) -> Floats | None:
        if other not in self._joints:
            self._joints[other] = self._fitted(other)
        return self._joints[other]

    def _fitted(self, other: str) -> Floats | None:
        channel = self._schema[other]
        blocks = [block for block in self._schema.blocks if other in block.attributes]
        if len(blocks[0].attributes) > 1:
            return None
        if adds_noise(channel):
            smooth = Smoothed(self._data, self._schema, other)
            beside = _Beside(smooth._matrix, smooth._reported, smooth._cell)
        elif channel.law.lumpable and channel.domain.size <= MOST_LABELS:
            beside = _Beside(channel.law.dense(), np.arange(channel.law.outputs), np.arange(channel.domain.size))
        else:
            return None
        self._beside[other] = beside
        table = cell_table(self._data, self._schema, [self._name, other])
        counts = np.zeros((self._matrix.shape[1], beside.matrix.shape[1]))
        np.add.at(counts, (self._reported[table.cells[:, 0]], beside.reported[table.cells[:, 1]]), table.n)
        start = smooth._shares if adds_noise(channel) else _likely(beside.matrix, counts.sum(axis=0))
        return _joined((self._matrix, self._shares), (beside.matrix, start), counts, both=adds_noise(channel))

    def _inside(self, meets: Floats) -> Floats:
        return _Beside(self._matrix, self._reported, self._cell).inside(meets)

    def _by_code(self, shares: Floats) -> Floats:
        return _Beside(self._matrix, self._reported, self._cell).by_code(shares)


class _Beside(NamedTuple):
    """An attribute in cells: the matrix between them, the cell of each reported code, and that of each true code."""

    matrix: Floats
    reported: Ints
    cell: Ints

    def by_code(self, shares: Floats) -> Floats:
        """Shares of true codes from those of cells (the first axis), all codes of a cell alike."""
        sizes = np.bincount(self.cell).reshape(-1, *[1] * (shares.ndim - 1))
        spread: Floats = (shares / sizes)[self.cell]
        return spread

    def inside(self, meets: Floats) -> Floats:
        """The mean over a cell of a function of true codes (the first axis)."""
        sums = np.zeros((len(self.matrix), *meets.shape[1:]))
        np.add.at(sums, self.cell, meets)
        means: Floats = sums / np.bincount(self.cell).reshape(-1, *[1] * (meets.ndim - 1))
        return means


def _likely(matrix: Floats, counts: Floats) -> Floats:
    """The shares of the labels of an attribute that is not behind noise, none of them 0."""
    shares = em(FloatTable(matrix), counts).shares
    return np.asarray((1 - SOME) * shares + SOME / len(shares), dtype=np.float64)


def _joined(one: tuple[Floats, Floats], two: tuple[Floats, Floats], counts: Floats, both: bool) -> Floats:
    """The joint shares of two attributes (matrix and shares of each) from counts of their reports. The shares of the first stay what they
    are, and those of the second if `both`: smoothed shares are better than what EM would make of them."""
    (P, first), (Q, second) = one, two
    joint = np.outer(first, second)
    seen = counts > 0
    reached = -np.inf
    for _ in range(MOST_STEPS):
        expected = np.maximum(P.T @ joint @ Q, 1e-300)
        before, reached = reached, float(counts[seen] @ np.log(expected[seen]))
        if reached - before < LITTLE:
            break
        joint = joint * (P @ (counts / expected) @ Q.T)
        if both:
            joint = _raked(joint.T, second).T
        joint = _raked(joint, first)
    whole: Floats = joint / joint.sum()
    return whole


def _raked(joint: Floats, shares: Floats) -> Floats:
    """A joint table whose rows have these shares."""
    rows = joint.sum(axis=1)
    raked: Floats = joint * np.divide(shares, rows, out=np.zeros_like(rows), where=rows > 0)[:, None]
    return raked
