"""Ridge weights: a little off for every truth, and far less varied than unbiased ones where noise blurs what is asked.

They minimise variance + penalty * (E[weight | truth] - f(truth))^2; the penalty is the one with the shortest bias-aware interval over a
class of truths (`Cap`). They are within some percent of the best affine ones for the class (minimax affine: Donoho; Armstrong and Kolesar),
measured by `python -m benchmarks.sample_audit`, and one decomposition serves all functions and penalties.
"""

from __future__ import annotations

import weakref
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from deniable.core.caps import Cap, critical_value
from deniable.core.channels.laws import Law
from deniable.core.channels.optional import _MayBeSilent
from deniable.core.channels.shift import Shift
from deniable.core.domains.exact import Floats, Ints
from deniable.core.shift_weights import closed_form, hat_expectations, parabola

EVEN_NODES = 160
NEAR_NODES = 16
MOST_BENDS = 6
CLOSE = 3.0
"""On a fine grid nodes lie evenly. Where that is not close (a third of the noise's spread), there are more around each of a few places
where the function bends."""

PENALTIES = np.logspace(1, -14, 31)
"""Tried ratios of variance to squared residual, relative to the largest singular value squared."""
BETWEEN = np.logspace(0.5, -0.5, 17)
"""Tried around the best of these. Where two penalties are nearly as good, samples jump from one to the other; a plan then foresees neither,
but it does foresee small steps."""
EVEN_REPORTS = 50.0
"""The law of reports is smoothed as if this many reports of evenly distributed truths had come in as well."""
SMOOTHING_STEPS = 15
LEVEL = 0.95
MOST_BETWEEN = 4_000_000


class Ridge(NamedTuple):
    """The best ridge weights at the nodes, what is added between them, and half the length of their interval."""

    at_nodes: Floats
    base: Floats | None
    half: float

    def weights(self, nodes: Nodes) -> Floats:
        """The weight of every reported code."""
        between = nodes.interpolated(self.at_nodes)
        return between if self.base is None else self.base + between


class Ridged(NamedTuple):
    """Ridge weights, as long as nobody has asked by how much they are off."""

    weights: Floats
    best: Ridge
    nodes: Nodes

    def residual(self, law: Law, f: Floats) -> Floats:
        """E[weight | truth] - f(truth)."""
        if self.best.base is None and self.nodes.between is not None:
            return self.nodes.between @ self.best.at_nodes - f
        return law.pull(self.weights) - f


class Nodes:
    """Truths that are looked at, reports between which weights are interpolated, and the matrix between them."""

    def __init__(self, law: Law, truths: Ints, reports: Ints, matrix: Floats, cap: Cap) -> None:
        self._law, self.truths, self.reports, self.matrix = weakref.ref(law), truths, reports, matrix
        self.inputs, self.outputs = law.inputs, law.outputs
        _, stretch = np.unique(cap.stretch[truths], return_inverse=True)
        self.cap = Cap(stretch.reshape(-1), cap.most, nonresponse=cap.nonresponse and int(truths[-1]) == len(cap.stretch) - 1)
        self.width = np.gradient(truths.astype(np.float64)) if len(truths) > 1 else np.ones(1)
        middles = (truths[1:] + truths[:-1]) / 2
        self._nearest = np.searchsorted(middles, np.arange(law.inputs))
        self._nearby = np.bincount(self._nearest)

    @classmethod
    def fine(cls, law: Law, inner: Shift, bends: Ints, cap: Cap) -> Nodes:
        """Nodes on a fine grid: evenly, and closer around bends."""
        near = np.linspace(-4 * inner.spread, 4 * inner.spread, 2 * NEAR_NODES + 1)
        last = inner.inputs - 1
        places = [np.linspace(0, last, EVEN_NODES), *(bend + near for bend in bends), bends, bends - 1]
        truths = np.unique(np.clip(np.round(np.concatenate(places)), 0, last).astype(np.int64))
        end = inner.outputs - 1
        places = [np.linspace(0, end, EVEN_NODES), *(bend + inner.margin + near for bend in bends)]
        reports = np.unique(np.clip(np.round(np.concatenate(places)), 0, end).astype(np.int64))
        matrix = hat_expectations(inner, truths, reports)
        if isinstance(law, _MayBeSilent):
            keep = law.keep
            nonresponse = np.append(_gather(law.even / law.denominator, reports), keep)
            answered = np.column_stack([keep * matrix, np.full(len(truths), 1 - keep)])
            matrix = np.vstack([answered, nonresponse])
            truths, reports = np.append(truths, inner.inputs), np.append(reports, inner.outputs)
        return cls(law, truths, reports, matrix, cap)

    def interpolated(self, at_nodes: Floats) -> Floats:
        """Weights of all reports from those at the nodes."""
        if len(self.reports) == self.outputs:
            return at_nodes
        return np.interp(np.arange(self.outputs), self.reports, at_nodes)

    @cached_property
    def between(self) -> Floats | None:
        """The matrix from all truths to the nodes of reports, where it is not large: quicker than to pull weights through the law."""
        law = self._law()
        if len(self.truths) == self.inputs or not isinstance(law, Shift) or self.inputs * len(self.reports) > MOST_BETWEEN:
            return None
        return hat_expectations(law, np.arange(self.inputs), self.reports)

    @cached_property
    def _even_reports(self) -> Floats:
        even: Floats = self.width / self.width.sum() @ self.matrix
        return even

    def smoothed_law(self, counts: Floats) -> Floats:
        """The law of reports, smoothed: weights that follow chance in the reports would be biased."""
        if len(self.reports) < len(counts):
            counts = _gather(counts, self.reports)
        n = float(counts.sum())
        shares = self.width / self.width.sum()
        for _ in range(SMOOTHING_STEPS if n else 0):
            expected = shares @ self.matrix
            ratio = np.divide(counts / n, expected, out=np.zeros(len(expected)), where=expected > 0)
            shares = shares * (self.matrix @ ratio)
        smoothed: Floats = (n * (shares @ self.matrix) + EVEN_REPORTS * self._even_reports) / (n + EVEN_REPORTS)
        return smoothed

    @cached_property
    def even(self) -> Decomposed:
        """For truths that are equally frequent."""
        return Decomposed(self.matrix, self._even_reports, self.width)

    def ridge(self, f: Floats, n: float, decomposed: Decomposed, mass: float = 1.0) -> Ridge:
        """The ridge weights with the shortest interval for n people, who are a share `mass` of all that the class speaks of."""
        wanted, base, at_nodes = f, None, np.zeros(len(self.reports))
        if len(self.truths) < len(f):
            law = self._law()
            if isinstance(law, Shift) and parabola(f) is not None:
                # Between nodes a parabola bends: what closed forms know is not interpolated.
                base = closed_form(law, f)
                assert base is not None
                at_nodes = base[self.reports]
                wanted = (f - law.pull(base))[self.truths] + self.matrix @ at_nodes
            else:
                wanted = np.bincount(self._nearest, weights=f) / self._nearby
        _, half = self._tried(PENALTIES, wanted, n, decomposed, mass)
        tried, half = self._tried(PENALTIES[np.argmin(half)] * BETWEEN, wanted, n, decomposed, mass)
        best = int(np.argmin(half))
        return Ridge(tried[:, best] - at_nodes, base, float(half[best]))

    def _tried(self, penalties: Floats, wanted: Floats, n: float, decomposed: Decomposed, mass: float) -> tuple[Floats, Floats]:
        """The weights of each penalty, and half the length of their interval."""
        tried = decomposed.solutions(wanted, penalties)
        residuals = self.matrix @ tried - wanted[:, None]
        low, high = self.cap.ends(residuals, (mass,))
        bias = (high - low) / (2 * mass)
        mean = decomposed.reports @ tried
        se = np.sqrt(np.maximum(decomposed.reports @ tried**2 - mean**2, 1e-300) / n)
        return tried, se * _reach(bias / se)


class Decomposed:
    """sqrt(width) P / sqrt(law of reports), decomposed: the weights for any function and any penalty are then products."""

    def __init__(self, matrix: Floats, reports: Floats, width: Floats) -> None:
        self.reports = reports
        self._truth_scale = np.sqrt(width / width.mean())
        self._report_scale = np.sqrt(np.maximum(reports, 1e-300))
        scaled = np.where(reports > 0, self._truth_scale[:, None] * matrix / self._report_scale, 0.0)
        self._left, values, self._right = np.linalg.svd(scaled, full_matrices=False)
        self._values = values[:, None]

    def solutions(self, f: Floats, penalties: Floats) -> Floats:
        """The ridge weights for f at each of the penalties, one column each."""
        shrunk = self._values / (self._values**2 + penalties * self._values[0] ** 2)
        along = self._left.T @ (self._truth_scale * f)
        weights: Floats = (self._right.T @ (shrunk * along[:, None])) / self._report_scale[:, None]
        return weights


_RATIOS = np.linspace(0.0, 6.0, 121)


@cache
def _reaches() -> Floats:
    # Not at import: scipy takes longer to load than most commands to run.
    return critical_value(_RATIOS, LEVEL) - _RATIOS


def _reach(ratio: Floats) -> Floats:
    """Critical values, near enough to compare intervals by."""
    critical: Floats = ratio + np.interp(ratio, _RATIOS, _reaches())
    return critical


def bends_of(f: Floats) -> Ints:
    """The first few places where a function on a fine grid jumps or bends."""
    if parabola(f) is not None:
        return np.zeros(0, dtype=np.int64)
    change = np.abs(np.diff(f, 2))
    places = np.flatnonzero(change > 1e-9 * np.abs(f).max()) + 1
    # A jump bends twice.
    places = places[np.diff(places, prepend=-9) > 1]
    return places[:MOST_BENDS] if len(places) <= MOST_BENDS else np.zeros(0, dtype=np.int64)


def _gather(counts: Floats, nodes: Ints) -> Floats:
    """Counts of codes shared between the nodes beside them."""
    codes = np.arange(len(counts))
    right = np.clip(np.searchsorted(nodes, codes, side="left"), 1, len(nodes) - 1)
    part = np.clip((codes - nodes[right - 1]) / (nodes[right] - nodes[right - 1]), 0.0, 1.0)
    to_right = np.bincount(right, weights=counts * part, minlength=len(nodes))
    to_left = np.bincount(right - 1, weights=counts * (1 - part), minlength=len(nodes))
    gathered: Floats = (to_right + to_left).astype(np.float64)
    return gathered
