"""Intervals of numbers: the cells in which continuous attributes are counted and shown."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import Floats, Ints, as_float, fraction
from deniable.errors import ParameterError


@dataclass(frozen=True)
class Bins:
    """Edges e0 < e1 < ... : the intervals [e0, e1), [e1, e2), ..., the last one closed."""

    edges: tuple[Fraction, ...]

    def __len__(self) -> int:
        return len(self.edges) - 1

    @cached_property
    def floats(self) -> Floats:
        """The edges as floats."""
        return np.array([float(edge) for edge in self.edges])

    @property
    def middles(self) -> Floats:
        """The middle of every interval."""
        middles: Floats = (self.floats[:-1] + self.floats[1:]) / 2
        return middles

    @property
    def labels(self) -> tuple[str, ...]:
        """The intervals as text."""
        shown = [str(as_float(edge)) for edge in self.edges]
        last = len(self) - 1
        return tuple(f"[{shown[i]}, {shown[i + 1]}{']' if i == last else ')'}" for i in range(len(self)))

    def index(self, values: Floats) -> Ints:
        """The interval each value lies in; values beyond the ends count to the outermost intervals."""
        places = np.searchsorted(self.floats, values, side="right") - 1
        return np.clip(places, 0, len(self) - 1).astype(np.int64)


def true_bins(domain: Domain, bins: Any) -> Bins:
    """Bins of true values: a number of equal intervals, or edges from low to high of the domain."""
    if not domain.is_numeric:
        raise ParameterError("bins_need_numbers", "Bins need a domain of numbers, got {domain}.", domain=repr(domain))
    numbers: Any = domain
    low, high = numbers.low, numbers.high
    if isinstance(bins, (int, np.integer)):
        if isinstance(bins, bool) or bins < 2:
            raise ParameterError("bins_count", "bins must be at least 2, got {got}: one bin holds everything.", got=bins)
        edges = _even_edges(domain, int(bins))
    elif isinstance(bins, (str, bytes)) or not hasattr(bins, "__len__"):
        raise ParameterError("bins_kind", "bins must be a number of bins or a list of edges, got {got!r}.", got=bins)
    else:
        edges = [fraction(edge, "bins", "edge") for edge in bins]
        if len(edges) < 3 or any(a >= b for a, b in itertools.pairwise(edges)):
            raise ParameterError("bins_not_rising", "Bin edges must rise, at least three of them, got {got}.", got=list(bins))
        if edges[0] != low or edges[-1] != high:
            raise ParameterError(
                "bins_do_not_cover",
                "Bin edges must run from {low} to {high}, the ends of the domain (the last bin includes {high}), got {first} to {last}.",
                low=as_float(low),
                high=as_float(high),
                first=as_float(edges[0]),
                last=as_float(edges[-1]),
            )
    made = Bins(tuple(edges))
    if domain.has_grid:
        empty = np.setdiff1d(np.arange(len(made)), made.index(domain.numbers()))
        if empty.size:
            raise ParameterError(
                "bin_empty",
                "Bin {bin} holds no value of the domain ({allowed}); use fewer bins.",
                bin=made.labels[empty[0]],
                allowed=domain.allowed,
            )
    return made


def _even_edges(domain: Any, bins: int) -> list[Fraction]:
    """Equal intervals; on a grid their edges are values of it, so that each holds the same number of values, give or take one."""
    low, high = domain.low, domain.high
    if not domain.has_grid:
        return [low + (high - low) * i / bins for i in range(bins + 1)]
    if bins >= domain.size:
        raise ParameterError(
            "bins_count",
            "There are {size:,} values, so fewer bins than that; got {got:,}. Without bins every value is counted by itself.",
            size=domain.size,
            got=bins,
        )
    return [*(low + domain.step * (domain.size * i // bins) for i in range(bins)), high]


def reported_bins(reported: Domain, true: Bins) -> Bins:
    """The true bins, continued outward in bins of average width until they cover every report."""
    if not reported.is_numeric:
        raise ParameterError(
            "bins_need_numbers",
            "Bins need numbers that are reported as numbers, and these are reported as {domain}.",
            domain=repr(reported),
        )
    numbers: Any = reported
    low, high = numbers.low, numbers.high
    if (low, high) == (true.edges[0], true.edges[-1]):
        return true
    width = (true.edges[-1] - true.edges[0]) / len(true)
    edges = list(true.edges)
    while edges[0] > low:
        edges.insert(0, max(low, edges[0] - width))
    while edges[-1] < high:
        edges.append(min(high, edges[-1] + width))
    return Bins(tuple(edges))
