"""The one rule for undoing a channel: weights on reports whose mean estimates the mean of a function of the truth.

Unbiased weights are taken where they are useful. Where they vary too much (noise blurs what is asked), weights are taken that are a little
off for every truth and vary far less: ridge weights, which minimise variance + penalty * (E[weight | truth] - f(truth))^2. The penalty is
the one with the shortest bias-aware interval over a class of truths (`Cap`). How far such weights may be off is known exactly and is
carried along: `residual` = E[weight | truth] - f(truth).

Ridge weights are within some percent of the best affine ones for the class (minimax affine: Donoho; Armstrong and Kolesar), measured by
`python -m benchmarks.sample_audit`, and one decomposition serves all functions and penalties.
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
from deniable.errors import NotInvertibleError

ALL_NODES = 250
"""Up to so many truths every value is a node; on finer grids weights are interpolated between nodes."""
EVEN_NODES = 160
NEAR_NODES = 16
MOST_BENDS = 6
CLOSE = 3.0
"""On a fine grid nodes lie evenly. Where that is not close (a third of the noise's spread), there are more around each of a few places
where the function bends."""

USEFUL = 1.1
"""Unbiased weights are taken if their interval would be at most so many times as long as that of the best ridge weights."""
FEW = 400.0
"""Of fewer people nearly nothing is known whatever the weights: unbiased ones are judged as if there were so many."""
EXACT = 1e-7
"""Residuals that are smaller, relative to the function, are rounding."""
ALMOST = 1e-3
"""Closed forms that are off by less, relative to the function, are as good as unbiased; by how much they are off is counted."""
PENALTIES = np.logspace(1, -14, 31)
"""Tried ratios of variance to squared residual, relative to the largest singular value squared."""
EVEN_REPORTS = 50.0
"""The law of reports is smoothed as if so many reports of evenly distributed truths had come in besides."""
SMOOTHING_STEPS = 15
LEVEL = 0.95
MOST_PEOPLE = 1e15
MOST_BETWEEN = 4_000_000
MOST_KNOWN = 2_000
"""So many functions' weights are remembered."""


class Undone(NamedTuple):
    """Weights, one per reported code, and E[weight | truth] - f(truth), one per true code: None where that is 0."""

    weights: Floats
    residual: Floats | None


class Undoer:
    """How reports of one attribute are undone: its law, the class of truths, and how often each code was reported.

    >>> import deniable as dn
    >>> channel = dn.Additive(dn.Integer(18, 90), dn.Normal(10))
    >>> undoer = Undoer(channel.law, Cap.of(channel.domain), np.ones(73))
    >>> young = (np.arange(18, 91) < 30).astype(float)
    >>> weights, residual = undoer.of(young, 2_000)
    >>> bool(np.abs(weights).max() < 5), bool(0.1 < np.abs(residual).max() < 0.6)
    (True, True)
    """

    def __init__(self, law: Law, cap: Cap, counts: Floats) -> None:
        self.law, self.cap, self.counts = law, cap, counts
        designs = _DESIGNS.setdefault(law, {})
        self._design = designs.setdefault(cap.most, _Design(law, cap))
        self._known: dict[tuple[bytes, int], Undone | _Ridged] = {}
        self._smoothed: weakref.WeakKeyDictionary[Nodes, _Decomposed] = weakref.WeakKeyDictionary()

    def of(self, f: Floats, n: float) -> Undone:
        """Weights for the mean of f over the truths, when about n direct answers' worth of people are asked about."""
        key, undone = self._looked_up(f, n)
        if isinstance(undone, _Ridged):
            undone = self._known[key] = Undone(undone.weights, undone.residual(self.law, f))
        return undone

    def weights(self, f: Floats, n: float) -> Floats:
        """The same weights, where nobody asks by how much they are off: on a fine grid that takes longest to work out."""
        return self._looked_up(f, n)[1].weights

    def _looked_up(self, f: Floats, n: float) -> tuple[tuple[bytes, int], Undone | _Ridged]:
        # Weights for 1,000 and for 1,100 people differ by nothing that matters, and can be looked up.
        size = round(4 * np.log2(min(max(n, 1.0), MOST_PEOPLE)))
        key = (f.tobytes(), size)
        if key not in self._known:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._undone(f, size)
        return key, self._known[key]

    def at_face_value(self, f: Floats) -> Floats:
        """The function at each report, taken for true; reports beyond the domain for its ends."""
        inner = self.law.inner
        if not isinstance(inner, Shift):
            return f if self.law.inputs == self.law.outputs else self.of(f, np.inf).weights
        nearest = np.clip(np.arange(inner.outputs) - inner.margin, 0, inner.inputs - 1)
        return f[nearest] if inner is self.law else np.append(f[nearest], f[-1])

    def _undone(self, f: Floats, size: int) -> Undone | _Ridged:
        unbiased = self._design.unbiased(f, size)
        if unbiased is not None:
            return unbiased
        nodes = self._design.nodes(f)
        assert nodes is not None  # else unbiased weights are all there is
        if nodes not in self._smoothed:
            self._smoothed[nodes] = _Decomposed(nodes.matrix, nodes.smoothed_law(self.counts), nodes.width)
        best = nodes.ridge(f, 2 ** (size / 4), self._smoothed[nodes])
        return _Ridged(best.weights(nodes), best, nodes)


class _Design:
    """What can be said of undoing a law before any report is in."""

    def __init__(self, law: Law, cap: Cap) -> None:
        # Designs are remembered as long as their laws are; so they must not keep them.
        self._law, self.cap = weakref.ref(law), cap
        self._known: dict[tuple[bytes, int], Undone | None] = {}
        self._near: dict[bytes, Nodes] = {}

    @property
    def law(self) -> Law:
        law = self._law()
        assert law is not None
        return law

    def unbiased(self, f: Floats, size: int) -> Undone | None:
        """Unbiased weights, if they are useful (or all there is)."""
        key = (f.tobytes(), max(size, round(4 * np.log2(FEW))))
        if key not in self._known:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._unbiased(f, 2 ** (key[1] / 4))
        return self._known[key]

    def _unbiased(self, f: Floats, n: float) -> Undone | None:
        law = self.law
        if (f == f[0]).all():
            return Undone(np.full(law.outputs, f[0]), None)
        if law.inner.lumpable:
            return Undone(law.weights(f), None)
        plain, nodes = self._plain(f), self.nodes(f)
        if nodes is None:
            return plain or Undone(law.weights(f), None)
        if plain is None or not self._is_useful(plain, f, n, nodes):
            return None
        residual = plain.residual
        return Undone(
            plain.weights, None if residual is None or np.abs(residual).max() <= EXACT * np.abs(f).max() else residual
        )

    def _is_useful(self, plain: Undone, f: Floats, n: float, nodes: Nodes) -> bool:
        """Whether unbiased weights are as good as any: those of means are, where they have a closed form."""
        if plain.residual is not None and parabola(self._answered(f)) is not None:
            return True
        best = nodes.ridge(f, n, nodes.even)
        return self._half(plain, n) <= USEFUL * best.half

    def _half(self, undone: Undone, n: float) -> float:
        """Half the length of the bias-aware interval if all truths were equally frequent."""
        reports = self.law.push(np.full(self.law.inputs, 1 / self.law.inputs))
        mean = float(reports @ undone.weights)
        se = float(np.sqrt(max(float(reports @ undone.weights**2) - mean**2, 1e-300) / n))
        bias = 0.0
        if undone.residual is not None:
            low, high = self.cap.ends(undone.residual)
            bias = float(high[0] - low[0]) / 2
        return se * float(critical_value(min(bias / se, 1e6), LEVEL))

    def _plain(self, f: Floats) -> Undone | None:
        """Unbiased weights (or as good as), where they are to be had."""
        weights = self._in_closed_form(f)
        if weights is not None:
            if isinstance(self.law, Shift) and not self.law.clamps and parabola(f) is not None:
                return Undone(weights, np.zeros(len(f)))
            residual = self.law.pull(weights) - f
            if np.abs(residual).max() <= ALMOST * np.abs(f).max():
                return Undone(weights, residual)
        if self._inverse is None:
            return None
        weights = self._inverse @ f
        # The inverse of an ill-conditioned matrix is not exact, and would not be useful if it were.
        off = np.abs(self.law.pull(weights) - f).max()
        return Undone(weights, None) if off <= EXACT * np.abs(f).max() else None

    @cached_property
    def _inverse(self) -> Floats | None:
        try:
            return self.law.inverse if self.law.inputs <= ALL_NODES else None
        except NotInvertibleError:
            return None

    def _in_closed_form(self, f: Floats) -> Floats | None:
        law = self.law
        if isinstance(law, Shift):
            return closed_form(law, f)
        if isinstance(law, _MayBeSilent) and isinstance(law.inner, Shift) and abs(2 * law.keep - 1) > 1e-9:
            inner = closed_form(law.inner, f[:-1])
            return None if inner is None else law.around(inner, f[-1])
        return None

    def _answered(self, f: Floats) -> Floats:
        """The values of a function without that of nonresponse."""
        return f if self.law.inner is self.law else f[:-1]

    def nodes(self, f: Floats) -> Nodes | None:
        """The nodes for a function; None where a fine grid has no noise to interpolate by."""
        if self.law.inputs <= ALL_NODES:
            return self._all_nodes
        inner = self.law.inner
        if not isinstance(inner, Shift):
            return None
        if inner.inputs / EVEN_NODES <= inner.spread / CLOSE:
            return self._even_nodes
        bends = _bends(self._answered(f))
        if not len(bends):
            return self._even_nodes
        if bends.tobytes() not in self._near:
            self._near = {} if len(self._near) > 20 else self._near
            self._near[bends.tobytes()] = Nodes.fine(self.law, inner, bends, self.cap)
        return self._near[bends.tobytes()]

    @cached_property
    def _all_nodes(self) -> Nodes:
        return Nodes(self.law, np.arange(self.law.inputs), np.arange(self.law.outputs), self.law.dense(), self.cap)

    @cached_property
    def _even_nodes(self) -> Nodes:
        inner = self.law.inner
        assert isinstance(inner, Shift)
        return Nodes.fine(self.law, inner, np.zeros(0, dtype=np.int64), self.cap)


_DESIGNS: weakref.WeakKeyDictionary[Law, dict[float, _Design]] = weakref.WeakKeyDictionary()


class Ridge(NamedTuple):
    """The best ridge weights at the nodes, what is added between them, and half the length of their interval."""

    at_nodes: Floats
    base: Floats | None
    half: float

    def weights(self, nodes: Nodes) -> Floats:
        """The weight of every reported code."""
        between = nodes.interpolated(self.at_nodes)
        return between if self.base is None else self.base + between


class _Ridged(NamedTuple):
    """Ridge weights of which nobody has yet asked by how much they are off."""

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
    def even(self) -> _Decomposed:
        """For truths that are equally frequent."""
        return _Decomposed(self.matrix, self._even_reports, self.width)

    def ridge(self, f: Floats, n: float, decomposed: _Decomposed) -> Ridge:
        """The ridge weights with the shortest interval for n people."""
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
        tried = decomposed.solutions(wanted)
        residuals = self.matrix @ tried - wanted[:, None]
        low, high = self.cap.ends(residuals)
        bias = (high - low) / 2
        mean = decomposed.reports @ tried
        se = np.sqrt(np.maximum(decomposed.reports @ tried**2 - mean**2, 1e-300) / n)
        half = se * _reach(bias / se)
        best = int(np.argmin(half))
        return Ridge(tried[:, best] - at_nodes, base, float(half[best]))


class _Decomposed:
    """sqrt(width) P / sqrt(law of reports), decomposed: the weights for any function and any penalty are then products."""

    def __init__(self, matrix: Floats, reports: Floats, width: Floats) -> None:
        self.reports = reports
        self._truth_scale = np.sqrt(width / width.mean())
        self._report_scale = np.sqrt(np.maximum(reports, 1e-300))
        scaled = np.where(reports > 0, self._truth_scale[:, None] * matrix / self._report_scale, 0.0)
        self._left, values, self._right = np.linalg.svd(scaled, full_matrices=False)
        self._shrunk = values[:, None] / (values[:, None] ** 2 + PENALTIES * values[0] ** 2)

    def solutions(self, f: Floats) -> Floats:
        """The ridge weights for f at every penalty, one column each."""
        along = self._left.T @ (self._truth_scale * f)
        weights: Floats = (self._right.T @ (self._shrunk * along[:, None])) / self._report_scale[:, None]
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


def _bends(f: Floats) -> Ints:
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
