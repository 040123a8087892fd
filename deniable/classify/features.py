"""Attributes as classifiers see them: a few cells of true values, cells of reports, and P between them.

A `Column` reads fine codes (labels, grid values); once its reports are counted, `cells` chooses how they are merged and gives a
`Feature`. So whatever trains on counts alone needs nothing but additive tables.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.core.channels.base import Channel
from deniable.core.channels.designs import Identity
from deniable.core.channels.laws import Mixture
from deniable.core.channels.operators import FloatTable, Operator
from deniable.core.channels.views import View
from deniable.core.channels.windows import only_means
from deniable.core.domains.bad_cells import BadCells
from deniable.core.domains.columns import numeric, to_arrow
from deniable.core.domains.labels import Nominal, Ordinal
from deniable.errors import DataError, NotInvertibleError, WideDomainError
from deniable.reconstruction.agrawal_srikant import midpoint_law

MOST_FINE = 255
"""Undistorted numbers are read through so many cells at most, of about equal frequency."""

FLOATING_CELLS = 100
"""Numbers of a channel without a grid are read through so many cells of equal width."""

MOST_LABELS = 2_000


@dataclass
class Feature:
    """One attribute in cells."""

    name: str
    labels: tuple[str, ...]
    ordered: bool
    law: Operator
    of_true: Any
    of_reported: Any
    hidden: bool = False
    exact: bool = True
    noisy: bool = False
    n_unordered: int = 0
    edges: Any = None
    midpoints: Any = None

    @cached_property
    def matrix(self) -> Any:
        """P between the cells."""
        return self.law.dense()

    @cached_property
    def tells_nothing(self) -> bool:
        """Whether reports are the same for all truths (yes/no kept with 1/2)."""
        return bool(np.allclose(self.matrix, self.matrix[:1]))

    @property
    def cells(self) -> int:
        """How many cells of true values there are."""
        return len(self.labels)

    @property
    def of_true_of_reported(self) -> Any:
        """For each reported cell the true cell it is taken for when nothing is reconstructed: the likeliest to be reported so."""
        return self.matrix.argmax(axis=0) if self.matrix.shape[0] != self.matrix.shape[1] else np.arange(self.cells)

    def inverse(self) -> Any:
        """Row z, column x: the unbiased weight of "the truth is in cell x" when z was reported; None where there is none."""
        if not self.exact:
            return None
        mixed = self.law.keep_and_replacement()
        if mixed is not None and mixed[0]:
            keep, replacement = mixed
            return (np.eye(self.cells) - replacement) / keep
        try:
            return FloatTable(self.matrix).inverse
        except NotInvertibleError:
            return None


class Numbers:
    """Undistorted numbers without a schema: cut where the training data has about equal parts."""

    floating = False

    def __init__(self, name: str, values: Any, counted: Any = None) -> None:
        self.name = name
        distinct = np.unique(values)
        if len(distinct) > MOST_FINE:
            ends = np.quantile(values, np.linspace(0, 1, MOST_FINE + 1), method="inverted_cdf", weights=counted)
            distinct = np.unique(ends)
        # Half-way between neighbours, as every decision tree does; of huge numbers the half is taken first.
        self.edges = distinct[:-1] / 2 + distinct[1:] / 2
        self.reported_size = len(self.edges) + 1

    def true(self, column: Any, bad: list[BadCells]) -> Any:
        """Fine codes of true values, which are the reports; cells that do not fit go to `bad`."""
        if isinstance(column, np.ndarray) and column.dtype.kind in "fiub":
            values = column.astype(np.float64, copy=False)
        else:
            arrow = to_arrow(column, self.name)
            values = numeric(arrow, text=False)
            wrong = np.flatnonzero(~np.isfinite(values))
            if wrong.size:
                cells = BadCells(self.name, "finite numbers (impute missing cells, or declare the column in a schema)")
                cells.add(wrong, arrow.take(wrong[:20]).to_pylist())
                bad.append(cells)
        return np.searchsorted(self.edges, values, side="right")

    reported = true

    def numbers(self, reported: bool) -> Any:
        """The number that each fine code stands for: half-way between its edges."""
        if not len(self.edges):
            return np.zeros(1)
        gaps = np.diff(self.edges) if len(self.edges) > 1 else np.ones(1)
        outer = np.concatenate([[self.edges[0] - gaps[0]], self.edges, [self.edges[-1] + gaps[-1]]])
        return outer[:-1] / 2 + outer[1:] / 2

    def cells(self, counts: Any, bins: int, undistorted: int) -> Feature:
        """At most `undistorted` cells, for values counted as `counts`."""
        most = max(2, undistorted)
        return self._beginning_at(_starts(counts, most) if self.reported_size > most else np.arange(self.reported_size))

    def cut_at(self, edges: Any) -> Feature:
        """The cells between these edges, which other cells of it have."""
        return self._beginning_at(np.concatenate([[0], np.searchsorted(self.edges, edges) + 1]))

    def _beginning_at(self, starts: Any) -> Feature:
        lookup = np.searchsorted(starts, np.arange(self.reported_size), side="right") - 1
        edges = self.edges[starts[1:] - 1]
        kept = Mixture(1, np.zeros(len(starts), dtype=np.int64))
        return Feature(self.name, _intervals(edges), True, kept, lookup, lookup, edges=edges)


class Hidden:
    """An attribute with a channel, on labels or numbers."""

    def __init__(self, name: str, channel: Channel) -> None:
        if channel.tells_means_only:
            raise only_means(name)
        self.name, self.channel = name, channel
        self.floating = not channel.exact
        self._fine = View.finest(channel, FLOATING_CELLS)
        self.reported_size = self._fine.law.outputs

    def true(self, column: Any, bad: list[BadCells]) -> Any:
        """Fine codes of true values; cells that do not fit go to `bad`."""
        domain = self.channel.domain
        return _read(
            self._fine.true_codes, to_arrow(column, self.name, domain.missing), BadCells(self.name, domain.allowed), bad
        )

    def reported(self, column: Any, bad: list[BadCells]) -> Any:
        """Fine codes of reports."""
        arrow = to_arrow(column, self.name, self.channel.reported.missing)
        return _read(self._fine.codes, arrow, BadCells(self.name, self._fine.allowed), bad)

    def numbers(self, reported: bool) -> Any:
        """The number that each fine code of truths, or of reports, stands for, NaN for "no answer"; None if these are labels."""
        domain = self.channel.reported if reported else self.channel.domain
        if not domain.answered.is_numeric:
            return None
        partition = self._fine.reported if reported else self._fine.true
        known: Any = domain.answered
        values = known.numbers() if partition.bins is None else partition.bins.middles
        return np.concatenate([values, np.full(len(partition) - len(values), np.nan)])

    def cells(self, counts: Any, bins: int, undistorted: int) -> Feature:
        """The cells for reports counted as `counts`: `bins` of them for numbers, `undistorted` where nothing is hidden."""
        channel = self.channel
        domain = channel.domain.answered
        hidden = not isinstance(channel, Identity)
        most = bins if hidden else undistorted
        numbers: Any = domain if domain.is_numeric else None
        n_unordered = int(channel.domain.missing is not None)
        if self.floating or (numbers is not None and domain.size > most):
            return self._seen_through(self._merged(counts, numbers, most))
        if channel.law.inputs > MOST_LABELS:
            raise WideDomainError(
                "too_many_labels", "Attribute {name!r} has {k:,} labels; classifiers take up to {most:,}.",
                name=self.name, k=channel.law.inputs, most=MOST_LABELS,
            )  # fmt: skip
        ordered = (numbers is not None or isinstance(domain, Ordinal)) and channel.law.inputs - n_unordered > 1
        return Feature(
            self.name, tuple(map(str, channel.inputs)), ordered, channel.law, self._fine.true.of_code, self._fine.reported.of_code,
            hidden, noisy=channel.inner.adds_noise, n_unordered=n_unordered if ordered else 0,
            edges=(domain.numbers()[:-1] + domain.numbers()[1:]) / 2 if numbers is not None else None,
        )  # fmt: skip

    def cut_at(self, edges: Any) -> Feature:
        """The cells between these edges."""
        domain: Any = self.channel.domain.answered
        return self._seen_through(View.bins(self.channel, [domain.low, *np.asarray(edges).tolist(), domain.high]))

    def _seen_through(self, view: View) -> Feature:
        assert view.true.bins is not None
        noisy = self.channel.inner.adds_noise
        return Feature(
            self.name, view.inputs, True, view.law, *view.holding(self._fine), not isinstance(self.channel, Identity),
            exact=not view.assumes_uniform, noisy=noisy, n_unordered=int(self.channel.domain.missing is not None),
            edges=view.true.bins.floats[1:-1], midpoints=midpoint_law(view).dense() if noisy else None,
        )  # fmt: skip

    def _merged(self, counts: Any, domain: Any, most: int) -> View:
        """Cells that hold about equally many reports; equally many values where reports do not say."""
        true, reported = self._fine.true.bins, self._fine.reported.bins
        if true is not None and reported is not None:
            size, step = FLOATING_CELLS, (domain.high - domain.low) / FLOATING_CELLS
            place, last = true.index(reported.middles), size
        else:
            size, step = domain.size, domain.step
            numbers = self.channel.reported.answered.numbers()
            place = np.clip(np.rint((numbers - float(domain.low)) / float(step)).astype(np.int64), 0, size - 1)
            # The last value closes the last cell and cannot begin one.
            last = size - 1
        held = np.bincount(place, weights=counts[: len(place)], minlength=size)
        edges = [domain.low + step * int(start) for start in _starts(held, most)[1:] if start < last]
        return View.bins(self.channel, [domain.low, *edges, domain.high] if edges else 2)


Column = Numbers | Hidden
"""One column before its cells are chosen: it reads fine codes of true values and of reports."""


def _read(read: Callable[[pa.Array, BadCells], Any], column: pa.Array, cells: BadCells, bad: list[BadCells]) -> Any:
    codes = read(column, cells)
    if cells.total:
        bad.append(cells)
    return codes


def _starts(counts: Any, most: int) -> Any:
    """Where cells begin so that at most `most` of them hold about equally much; a value never lies in two."""
    counts = np.asarray(counts, dtype=np.float64)
    if counts.sum() <= 0:
        counts = np.ones(len(counts))
    running = np.cumsum(counts)
    wanted = running[-1] * np.arange(1, most) / most
    after = np.searchsorted(running, wanted, side="left")
    # A border goes to that side of the value it falls on which leaves the cells more equal.
    before = np.where(after > 0, running[after - 1], 0.0)
    place = np.where(running[after] - wanted <= wanted - before, after + 1, after)
    return np.unique(np.concatenate([[0], place[(place > 0) & (place < len(counts))]])).astype(np.int64)


def _intervals(edges: Any) -> tuple[str, ...]:
    shown = [f"{edge:.6g}" for edge in edges]
    if not shown:
        return ("any",)
    return (f"< {shown[0]}", *(f"{a} to {b}" for a, b in itertools.pairwise(shown)), f">= {shown[-1]}")


def undistorted_attribute(name: str, column: Any, counted: Any = None) -> Column:
    """What a column holds when there is no schema: numbers, or labels. A row counts as `counted` says, or once."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "fiub":
        return Numbers(name, column.astype(np.float64), counted)
    arrow = to_arrow(column, name)
    if len(arrow) and arrow.null_count == len(arrow):
        raise DataError(
            "all_missing",
            "Column {name!r} has no values at all: all {n:,} cells are missing. Drop it.",
            name=name,
            n=len(arrow),
        )
    values = numeric(arrow, text=False)
    if arrow.null_count:
        raise DataError(
            "missing_cells",
            "Column {name!r} has {got:,} missing cells (the first in row {row:,}). Impute them, or give a schema whose domain "
            "has a missing label.",
            name=name,
            got=arrow.null_count,
            row=int(np.flatnonzero(arrow.is_null().to_numpy(zero_copy_only=False))[0]) + 1,
        )
    if np.isfinite(values).all():
        return Numbers(name, values, counted)
    labels = (arrow.dictionary if hasattr(arrow, "dictionary") else arrow.unique()).to_pylist()
    if all(isinstance(label, (int, float)) and not isinstance(label, bool) for label in labels):
        raise DataError("infinite_cells", "Column {name!r} holds infinity; NaN and infinity are no numbers to cut.", name=name)
    return Hidden(name, Identity(Nominal(labels)))
