"""A channel seen in cells: cells of truths, cells of reports, and the law between them. Whatever counts reports or estimates truths does it
through a view, be it of single values, of bins or of merged labels.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from deniable.core.channels.floating import FloatLaw
from deniable.core.channels.laws import Law
from deniable.core.channels.operators import Operator
from deniable.core.channels.windows import only_means
from deniable.core.domains import bins as binning
from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.core.domains.bins import Bins
from deniable.core.domains.columns import numeric, to_arrow
from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import Floats, Ints
from deniable.core.domains.partitions import Partition
from deniable.errors import ParameterError


class Viewed(Protocol):
    """What a view asks of a channel."""

    @property
    def domain(self) -> Domain:
        """What may be true."""

    @property
    def reported(self) -> Domain:
        """What may be reported."""

    @property
    def law(self) -> Law:
        """P(reported | true)."""

    def read(self, column: pa.Array, bad: BadCells, offset: int = 0, text: bool = False) -> Any:
        """True values as codes, or as numbers where there is no grid."""


class View:
    """A channel in cells; `law` is the operator between cells of truths (rows) and cells of reports (columns).

    Where answers are kept or replaced whatever they are, merging needs no assumption and the law stays of that kind; otherwise truths
    are taken as spread uniformly inside a cell.

    >>> import deniable as dn
    >>> view = View.bins(dn.Retention(dn.Integer(0, 9), 0.5), [0, 5, 9])
    >>> view.inputs, view.matrix().tolist()
    (('[0, 5)', '[5, 9]'), [[0.75, 0.25], [0.25, 0.75]])
    """

    def __init__(self, channel: Any, true: Partition, reported: Partition, law: Operator) -> None:
        self.channel = channel
        self.true, self.reported = true, reported
        self.law = law

    @classmethod
    def values(cls, channel: Viewed) -> View:
        """Every label a cell."""
        return cls(channel, Partition(channel.domain), Partition(channel.reported), channel.law)

    @classmethod
    def bins(cls, channel: Viewed, bins: Any) -> View:
        """Bins of numbers: how many, or their edges. Bins of reports continue those of truths; nonresponse comes after them."""
        if channel.law.tells_means_only:
            raise only_means()
        true = binning.true_bins(channel.domain.answered, bins)
        return cls._between(channel, true, binning.reported_bins(channel.reported.answered, true))

    @classmethod
    def merged(cls, channel: Viewed, classes: Ints) -> View:
        """Labels merged to classes, truths and reports alike: `classes` says in which class each code is.

        >>> import deniable as dn
        >>> View.merged(dn.KRR(dn.Nominal(["a", "b", "c"]), 0.6), np.array([0, 1, 1])).matrix().tolist()
        [[0.6, 0.4], [0.2, 0.8]]
        """
        true, reported = Partition(channel.domain, classes=classes), Partition(channel.reported, classes=classes)
        return cls(channel, true, reported, channel.law.between(classes, classes, len(true), len(reported)))

    @classmethod
    def finest(cls, channel: Viewed, bins: int) -> View:
        """Every label a cell, or so many bins of equal width where numbers have no grid."""
        return cls.bins(channel, bins) if isinstance(channel.law, FloatLaw) else cls.values(channel)

    @classmethod
    def _between(cls, channel: Viewed, true_bins: Bins, reported_bins: Bins) -> View:
        true, reported = Partition(channel.domain, true_bins), Partition(channel.reported, reported_bins)
        law: Law | FloatLaw = channel.law
        if isinstance(law, FloatLaw):
            return cls(channel, true, reported, law.between(true_bins, reported_bins))
        return cls(channel, true, reported, law.between(true.of_code, reported.of_code, len(true), len(reported)))

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The cells of true values, by name."""
        return self.true.labels

    @property
    def outputs(self) -> tuple[Any, ...]:
        """The cells of reported values, by name."""
        return self.reported.labels

    @property
    def assumes_uniform(self) -> bool:
        """Whether the law rests on truths being uniform inside a cell."""
        return not (self.true.is_fine or self.channel.law.inner.lumpable)

    def matrix(self) -> Floats:
        """P between cells."""
        return self.law.dense()

    @property
    def allowed(self) -> str:
        """What may be reported, in words.

        >>> import deniable as dn
        >>> View.bins(dn.Additive(dn.Continuous(18, 60), dn.Uniform(5)), 3).allowed, View.values(dn.Flip(0.9, 0.8)).allowed
        ('13 to 65', '0, 1')
        """
        law, reported = self.channel.law, self.channel.reported
        if not isinstance(law, FloatLaw):
            return str(reported.allowed)
        return f"{float(reported.low):g} to {float(reported.high):g}" if law.bounded else "any number"

    def codes(self, column: pa.Array, bad: BadCells, offset: int = 0, text: bool = False) -> Ints:
        """The cell of every report of an Arrow column; reports that no truth can give go to `bad`. `text`: its cells come from a CSV.

        >>> import deniable as dn
        >>> view = View.bins(dn.Additive(dn.Continuous(0, 2), dn.Normal(1)), [0, 1, 2])
        >>> view.codes(pa.array([-1e6, 0.5, 1e6]), BadCells("x", "")).tolist(), len(view.outputs)
        ([0, 5, 11], 12)
        """
        if isinstance(self.channel.law, FloatLaw):
            return self._bins_of(self.channel.law, column, bad, offset, text)
        codes: Ints = self.channel.reported.codes(column, bad, offset, text)
        return codes if self.reported.is_fine else self.reported.of_code[codes]

    def _bins_of(self, law: FloatLaw, column: pa.Array, bad: BadCells, offset: int, text: bool) -> Ints:
        """Bins of numbers without a grid; unbounded noise beyond the bins is in the outer ones."""
        if self.reported.bins is None:
            raise ParameterError(
                "bins_needed", "{channel} reports numbers without a grid: give bins.", channel=type(self.channel).__name__
            )
        numbers = numeric(column, text)
        low, high, slack = -np.inf, np.inf, 0.0
        if law.bounded:
            low, high = float(self.channel.reported.low), float(self.channel.reported.high)
            # The ends come from a quantile of the noise: a hair beyond them is rounding, not an impossible report.
            slack = 1e-5 * (high - low)
        with np.errstate(invalid="ignore"):
            wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= low - slack) & (numbers <= high + slack)))
        if wrong.size:
            bad.add(wrong, column.take(pa.array(wrong)), offset)
        return self.reported.bins.index(np.nan_to_num(numbers))

    def true_codes(self, column: pa.Array, bad: BadCells, offset: int = 0, text: bool = False) -> Ints:
        """The cell of every true value of an Arrow column; what does not fit goes to `bad`."""
        read = self.channel.read(column, bad, offset, text)
        if isinstance(self.channel.law, FloatLaw):
            assert self.true.bins is not None
            return self.true.bins.index(read)
        codes: Ints = read
        return codes if self.true.is_fine else self.true.of_code[codes]

    def encode(self, values: Any, name: str) -> Ints:
        """The cell of every report of a column of any kind; those that cannot be are named in one error."""
        bad = BadCells(name, self.allowed)
        codes = self.codes(to_arrow(values, name, self.channel.reported.missing), bad)
        raise_bad_cells([bad])
        return codes

    def encode_true(self, values: Any, name: str) -> Ints:
        """The cell of every true value of a column of any kind; those that do not fit are named in one error."""
        bad = BadCells(name, self.channel.domain.allowed)
        codes = self.true_codes(to_arrow(values, name, self.channel.domain.missing), bad)
        raise_bad_cells([bad])
        return codes

    def holding(self, finer: View) -> tuple[Ints, Ints]:
        """For each cell of truths and of reports of a finer view of the same channel the cell of this one that holds it."""
        if finer.true.bins is None or finer.reported.bins is None:
            return self.true.of_code, self.reported.of_code
        assert self.true.bins is not None
        assert self.reported.bins is not None
        return self.true.bins.index(finer.true.bins.middles), self.reported.bins.index(finer.reported.bins.middles)

    def finer(self, least: int) -> View:
        """The same reports, with every bin of truths cut into equal parts until there are at least so many, as far as the grid allows."""
        assert self.true.bins is not None
        assert self.reported.bins is not None
        parts = -(-least // len(self.true))
        domain, widths = self.channel.domain, self.true.widths
        edges: list[Fraction] = []
        for i, (a, b) in enumerate(itertools.pairwise(self.true.bins.edges)):
            cuts = [a + (b - a) * j / parts for j in range(parts)]
            if domain.has_grid:
                held = int(widths[i])
                cuts = (
                    sorted({a + domain.step * (held * j // min(parts, held)) for j in range(min(parts, held))}) if held else [a]
                )
            edges += cuts
        return self._between(self.channel, Bins((*edges, self.true.bins.edges[-1])), self.reported.bins)
