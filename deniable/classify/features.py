"""Attributes as classifiers see them: a few cells of true values, cells of reports, and P between them.

An `Attribute` reads a column as fine codes (labels, grid values); once its reports are counted, `cells` chooses how they are
merged and gives a `Feature`. So whatever trains on counts alone needs nothing but additive tables.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from deniable.core.channels.base import Binned, Channel
from deniable.core.channels.designs import Identity
from deniable.core.channels.operators import FloatTable
from deniable.core.domains.bad_cells import BadCells
from deniable.core.domains.columns import to_arrow
from deniable.core.domains.domain import Nominal, Ordinal, numeric
from deniable.core.tables import allowed_reports, float_codes
from deniable.errors import DataError, NotInvertibleError, WideDomainError
from deniable.reconstruction.agrawal_srikant import midpoint_law

MOST_FINE = 255
"""Undistorted numbers are read through so many cells at most, of about equal frequency."""

FLOATING_CELLS = 100
"""Numbers of a channel without a grid are read through so many cells of equal width."""

MOST_LABELS = 2_000


def keep_or_replace(matrix: Any) -> tuple[float, Any]:
    """keep and b of a matrix keep * I + 1 b^T; keep is 0 where it is none."""
    matrix = np.asarray(matrix)
    if matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        return 0.0, np.zeros(matrix.shape[1])
    k = len(matrix)
    rest = np.array([matrix[(z + 1) % k, z] for z in range(k)])
    keep = float(np.mean(np.diag(matrix) - rest))
    if abs(keep) > 1e-12 and np.allclose(matrix, keep * np.eye(k) + rest, atol=1e-12):
        return keep, rest
    return 0.0, rest


@dataclass
class Feature:
    """One attribute in cells."""

    name: str
    labels: tuple[str, ...]
    ordered: bool
    matrix: Any
    of_true: Any
    of_reported: Any
    hidden: bool = False
    exact: bool = True
    noisy: bool = False
    apart: int = 0
    edges: Any = None
    midpoints: Any = None

    @property
    def cells(self) -> int:
        """How many cells of true values there are."""
        return len(self.labels)

    @property
    def of_true_of_reported(self) -> Any:
        """For each reported cell the true cell it is taken for when nothing is reconstructed: the likeliest to be reported so."""
        return np.asarray(self.matrix).argmax(axis=0) if self.matrix.shape[0] != self.matrix.shape[1] else np.arange(self.cells)

    def inverse(self) -> Any:
        """Row z, column x: the unbiased weight of "the truth is in cell x" when z was reported; None where there is none."""
        if not self.exact:
            return None
        keep, replacement = keep_or_replace(self.matrix)
        if keep:
            return (np.eye(self.cells) - replacement) / keep
        try:
            return FloatTable(np.asarray(self.matrix)).inverse
        except NotInvertibleError:
            return None


class Attribute(ABC):
    """One column before its cells are chosen: fine codes of true values and of reports."""

    name: str
    reported_size: int

    @abstractmethod
    def true(self, column: Any, bad: list[BadCells]) -> Any:
        """Fine codes of true values; cells that do not fit go to `bad`."""

    @abstractmethod
    def reported(self, column: Any, bad: list[BadCells]) -> Any:
        """Fine codes of reports."""

    @abstractmethod
    def cells(self, counts: Any, bins: int, undistorted: int) -> Feature:
        """The cells for reports counted as `counts`: `bins` of them for numbers, `undistorted` where nothing is hidden."""


class Numbers(Attribute):
    """Undistorted numbers without a schema: cut where the training data has about equal parts."""

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

    def cells(self, counts: Any, bins: int, undistorted: int) -> Feature:
        most = max(2, undistorted)
        starts = _starts(counts, most) if self.reported_size > most else np.arange(self.reported_size)
        lookup = np.searchsorted(starts, np.arange(self.reported_size), side="right") - 1
        edges = self.edges[starts[1:] - 1]
        return Feature(
            self.name, _intervals(edges), True, np.eye(len(starts)), lookup, lookup, edges=edges
        )  # fmt: skip


class Hidden(Attribute):
    """An attribute with a channel, on labels or a grid."""

    def __init__(self, name: str, channel: Channel) -> None:
        self.name = name
        self.channel = channel
        self.floating = not channel.exact
        if self.floating:
            self._fine = channel.binned(FLOATING_CELLS)
            self.reported_size = len(self._fine.reported_bins)
        else:
            self.reported_size = channel.reported.size

    def true(self, column: Any, bad: list[BadCells]) -> Any:
        cells = BadCells(self.name, self.channel.domain.allowed)
        arrow = to_arrow(column, self.name, self.channel.domain.missing)
        found = self.channel.read(arrow, cells)
        if self.floating:
            found = self._fine.true.index(found)
        if cells.total:
            bad.append(cells)
        return found

    def reported(self, column: Any, bad: list[BadCells]) -> Any:
        arrow = to_arrow(column, self.name, self.channel.reported.missing)
        if self.floating:
            cells = BadCells(self.name, allowed_reports(self.channel))
            found = float_codes(self.channel, self._fine, arrow, cells, 0, False)
        else:
            cells = BadCells(self.name, self.channel.reported.allowed)
            found = self.channel.reported.codes(arrow, cells)
        if cells.total:
            bad.append(cells)
        return found

    def cells(self, counts: Any, bins: int, undistorted: int) -> Feature:
        channel = self.channel
        domain = channel.domain.answered
        hidden = not isinstance(channel, Identity)
        most = bins if hidden else undistorted
        numbers = domain.is_numeric
        noisy = channel.inner.adds_noise
        if self.floating or (numbers and domain.size > most):
            binned = self._binned(counts, domain, most)
            midpoints = midpoint_law(binned).dense() if noisy else None
            of_true, of_reported = self._lookups(binned, domain)
            return Feature(
                self.name, tuple(binned.inputs), True, binned.matrix(), of_true, of_reported, hidden,
                exact=not binned.assumes_uniform, noisy=noisy, apart=int(binned.missing is not None),
                edges=binned.true.floats[1:-1], midpoints=midpoints,
            )  # fmt: skip
        if channel.law.inputs > MOST_LABELS:
            raise WideDomainError(
                "too_many_labels", "Attribute {name!r} has {k:,} labels; classifiers take up to {most:,}.",
                name=self.name, k=channel.law.inputs, most=MOST_LABELS,
            )  # fmt: skip
        apart = int(channel.domain.missing is not None)
        ordered = (numbers or isinstance(domain, Ordinal)) and channel.law.inputs - apart > 1
        return Feature(
            self.name, tuple(map(str, channel.inputs)), ordered, channel.matrix(), np.arange(channel.law.inputs),
            np.arange(channel.law.outputs), hidden, noisy=noisy, apart=apart if ordered else 0,
            edges=(domain.numbers()[:-1] + domain.numbers()[1:]) / 2 if numbers else None,
        )  # fmt: skip

    def _binned(self, counts: Any, domain: Any, most: int) -> Binned:
        """Cells that hold about equally many reports; equally many values where reports do not say."""
        if self.floating:
            low, width = domain.low, (domain.high - domain.low) / FLOATING_CELLS
            inside = self._fine.true.index((self._fine.reported_bins.floats[:-1] + self._fine.reported_bins.floats[1:]) / 2)
            held = np.bincount(inside, weights=counts, minlength=FLOATING_CELLS)
            starts = _starts(held, most)
            edges: list[Fraction] = [low + width * int(start) for start in starts[1:]]
        else:
            reported = self.channel.reported.answered
            step, size = domain.step, domain.size
            place = np.rint((reported.numbers() - float(domain.low)) / float(step)).astype(np.int64)
            held = np.bincount(np.clip(place, 0, size - 1), weights=counts[: reported.size], minlength=size)
            starts = _starts(held, most)
            # The last value closes the last cell and cannot begin one.
            edges = [domain.low + step * int(start) for start in starts[1:] if start < size - 1]
        return self.channel.binned([domain.low, *edges, domain.high] if edges else 2)

    def _lookups(self, binned: Binned, domain: Any) -> tuple[Any, Any]:
        if self.floating:
            middles = (self._fine.true.floats[:-1] + self._fine.true.floats[1:]) / 2
            outer = (self._fine.reported_bins.floats[:-1] + self._fine.reported_bins.floats[1:]) / 2
            return binned.true.index(middles), binned.reported_bins.index(outer)
        of_true = binned.true.index(domain.numbers())
        if binned.missing is not None:
            of_true = np.append(of_true, len(binned.true))
        return of_true, binned.reported_codes(np.arange(self.channel.reported.size))


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


def undistorted_attribute(name: str, column: Any, counted: Any = None) -> Attribute:
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
