"""A sample as it is expected to be: every cell of reports as often as its probability says, so that all that a sample is asked can be asked
of it before there is one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from deniable.core.channels.laws import Law
from deniable.core.domains.exact import Floats, Ints
from deniable.core.schema import Schema
from deniable.core.tables import CellTable
from deniable.statistics.bounded import Bounded
from deniable.statistics.counted import Counted
from deniable.statistics.functions import Function
from deniable.statistics.parts import Parts
from deniable.statistics.weighted import Gradient, Weighted

MOST_DENSE = 1_000
"""Laws of up to this many answers are multiplied as matrices."""


def reports_of(schema: Schema, truth: Floats) -> Floats:
    """How probable each combination of reports is, from how frequent each combination of answers is: one axis per attribute, in the order
    of the schema, each hidden by a draw of its own.

    >>> import deniable as dn
    >>> reports_of(dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)}), np.array([0.8, 0.2])).round(3).tolist()
    [0.65, 0.35]
    """
    reports = truth
    for axis, channel in enumerate(schema.values()):
        law = channel.law
        if max(law.inputs, law.outputs) <= MOST_DENSE:
            reports = np.moveaxis(np.tensordot(reports, _dense(law), axes=(axis, 0)), -1, axis)
        else:
            reports = np.apply_along_axis(law.push, axis, reports)
    return reports


def _dense(law: Law) -> Floats:
    return law.dense()


class _ExpectedTable(CellTable):
    """A table whose counts need not be whole numbers; nothing but its cells and counts is read."""

    def __init__(self, cells: Ints, n: Floats) -> None:
        self.axes, self.sums = (), {}
        self.cells, self.n = cells, n  # type: ignore[assignment]


class ExpectedParts(Parts):
    """The only part of a sample that nobody has answered yet."""

    def __init__(self, schema: Schema, reports: Floats, answers: float) -> None:
        super().__init__([(None, schema)], None, True)
        self._names, self._expected = list(schema), reports * answers

    def table(self, i: int, names: Sequence[str]) -> CellTable:
        """How often each combination of reports is expected."""
        left_out = tuple(axis for axis, name in enumerate(self._names) if name not in names)
        kept = [name for name in self._names if name in names]
        counts = np.transpose(self._expected.sum(axis=left_out), [kept.index(name) for name in names])
        cells = np.indices(counts.shape).reshape(len(names), math.prod(counts.shape)).T
        return _ExpectedTable(cells, counts.reshape(-1))


class ExpectedSums:
    """The weights of functions on every cell of the reports that are expected; the counts of cells may then be others (`at`)."""

    def __init__(self, parts: ExpectedParts, functions: Sequence[Function]) -> None:
        names = list(dict.fromkeys(name for function in functions for name in function.attributes))
        self._counted = Counted(parts, 0, names)
        self._functions = functions
        self.values, self._off = self._counted.undone(functions)
        self.n = self._counted.n

    def left_open(self, row: Floats) -> float:
        """Half the range that the class of truths leaves to a number that depends on the functions' means by these coefficients, if no
        report is looked at; infinite where no class is assumed, since all weights are unbiased."""
        if not any(self._off):
            return math.inf
        blind = [
            [term._replace(residuals={name: -term.factors[name] for name in term.residuals}) for term in terms]
            for terms in self._off
        ]
        weighted = Weighted(self.values, self.n, np.ones(len(self.n)), np.zeros(len(self.n), dtype=np.int64))
        low, high = Bounded(weighted, [self._counted], self._functions, [blind], lambda _: None).bias_range(row[None])
        return float(high[0] - low[0]) / 2 or math.inf

    def at(self, n: Floats, gradient: Gradient) -> Weighted:
        """What a sample with these counts of cells would be given: the weights are those for what is expected, which hardly differ."""
        weighted = Weighted(self.values, n, np.ones(len(n)), np.zeros(len(n), dtype=np.int64))
        if any(self._off):
            weighted.bounded = Bounded(weighted, [self._counted], self._functions, [self._off], gradient)
        return weighted
