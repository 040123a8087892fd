"""The one rule for undoing a channel: weights on reports whose mean estimates the mean of a function of the truth.

Unbiased weights are taken where they are useful. Where they vary too much (noise blurs what is asked), weights are taken that are a little
off for every truth and vary far less: ridge weights, which minimise variance + penalty * (E[weight | truth] - f(truth))^2. The penalty is
the one with the shortest bias-aware interval over a class of truths (`Cap`). How far such weights may be off is known exactly and is
carried along: `residual` = E[weight | truth] - f(truth).

Ridge weights are within some percent of the best affine ones for the class (minimax affine: Donoho; Armstrong and Kolesar), measured by
`python -m benchmarks.sample_audit`, and one decomposition serves all functions and penalties.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from deniable.core.caps import Cap, critical_value
from deniable.core.exact import Floats, Ints
from deniable.core.laws import Law, Shift
from deniable.core.operators import Operator
from deniable.core.optional import MayBeSilent
from deniable.core.shift_weights import closed_form, hat_expectations, parabola
from deniable.errors import NotInvertibleError

ALL_NODES = 250
"""Up to so many truths every value is a node; on finer grids weights are interpolated between nodes."""
EVEN_NODES = 160
NEAR_NODES = 16
MOST_BENDS = 6
"""On a fine grid nodes lie evenly, and closer (a quarter of the noise's spread) around each of a few places where the function bends."""

USEFUL = 1.1
"""Unbiased weights are taken if their interval would be at most so many times as long as that of the best ridge weights."""
FEW = 400.0
"""Of fewer people nearly nothing is known whatever the weights: unbiased ones are judged as if there were so many."""
EXACT = 1e-7
"""Residuals that are smaller, relative to the function, are rounding."""
ALMOST = 1e-3
"""Closed forms that are off by less, relative to the function, are as good as unbiased; by how much they are off is counted."""
PENALTIES = np.logspace(1, -14, 46)
"""Tried ratios of variance to squared residual, relative to the largest singular value squared."""
EVEN_REPORTS = 50.0
"""The law of reports is smoothed as if so many reports of evenly distributed truths had come in besides."""
SMOOTHING_STEPS = 15
LEVEL = 0.95


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
        self._known: dict[tuple[bytes, int], Undone] = {}

    def of(self, f: Floats, n: float) -> Undone:
        """Weights for the mean of f over the truths, when about n direct answers' worth of people are asked about."""
        # Weights for 1,000 and for 1,100 people differ by nothing that matters, and can be looked up.
        size = round(8 * np.log2(max(n, 1.0)))
        key = (f.tobytes(), size)
        if key not in self._known:
            self._known[key] = self._undone(f, 2 ** (size / 8))
        return self._known[key]

    def _undone(self, f: Floats, n: float) -> Undone:
        scale = float(np.abs(f).max())
        if (f == f[0]).all():
            return Undone(np.full(self.law.outputs, f[0]), None)
        if self.law.lumpable or (isinstance(self.law, MayBeSilent) and self.law.inner.lumpable):
            return Undone(self.law.weights(f), None)
        plain = self._plain(f)
        nodes = self._nodes(f)
        if nodes is None:
            return plain or Undone(self.law.weights(f), None)
        if plain is not None and self._is_useful(plain, f, n, nodes):
            residual = plain.residual
            return Undone(plain.weights, None if residual is None or np.abs(residual).max() <= EXACT * scale else residual)
        weights = nodes.ridge(f, n, even=False).weights(nodes)
        return Undone(weights, self.law.pull(weights) - f)

    def _is_useful(self, plain: Undone, f: Floats, n: float, nodes: Nodes) -> bool:
        """Whether unbiased weights are as good as any: those of means are, where they have a closed form."""
        if plain.residual is not None and parabola(self._answered(f)) is not None:
            return True
        n = max(n, FEW)
        best = nodes.ridge(f, n, even=True)
        return self._half(plain, nodes.even_law(self.law), n) <= USEFUL * best.half

    def _answered(self, f: Floats) -> Floats:
        """The values of a function without that of silence."""
        return f[:-1] if isinstance(self.law, MayBeSilent) else f

    def _half(self, undone: Undone, reports: Floats, n: float) -> float:
        """Half the length of the bias-aware interval under a law of reports."""
        mean = float(reports @ undone.weights)
        se = float(np.sqrt(max(float(reports @ undone.weights**2) - mean**2, 1e-300) / n))
        bias = 0.0
        if undone.residual is not None:
            bias = float(self.cap.largest(undone.residual)[0] + self.cap.largest(-undone.residual)[0]) / 2
        return se * float(critical_value(bias / se, LEVEL))

    def _plain(self, f: Floats) -> Undone | None:
        """Unbiased weights (or as good as), where they are to be had."""
        weights = self._in_closed_form(f)
        if weights is not None:
            residual = self.law.pull(weights) - f
            if np.abs(residual).max() <= ALMOST * np.abs(f).max():
                return Undone(weights, residual)
        if self.law.inputs > ALL_NODES:
            return None
        try:
            return Undone(self.law.weights(f), None)
        except NotInvertibleError:
            return None

    def _in_closed_form(self, f: Floats) -> Floats | None:
        if isinstance(self.law, Shift):
            return closed_form(self.law, f)
        if isinstance(self.law, MayBeSilent) and isinstance(self.law.inner, Shift) and abs(2 * self.law.keep - 1) > 1e-9:
            inner = closed_form(self.law.inner, f[:-1])
            return None if inner is None else self.law.around(inner, f[-1])
        return None

    def _nodes(self, f: Floats) -> Nodes | None:
        if self.law.inputs <= ALL_NODES:
            return self._all_nodes
        inner = self.law.inner if isinstance(self.law, MayBeSilent) else self.law
        if not isinstance(inner, Shift):
            return None
        bends = _bends(self._answered(f))
        return Nodes.fine(self.law, inner, bends, self.cap, self.counts) if len(bends) else self._even_nodes

    @cached_property
    def _all_nodes(self) -> Nodes:
        return Nodes(self.law, np.arange(self.law.inputs), np.arange(self.law.outputs), self.law.dense(), self.cap, self.counts)

    @cached_property
    def _even_nodes(self) -> Nodes:
        inner = self.law.inner if isinstance(self.law, MayBeSilent) else self.law
        assert isinstance(inner, Shift)
        return Nodes.fine(self.law, inner, np.zeros(0, dtype=np.int64), self.cap, self.counts)


class Ridge(NamedTuple):
    """The best ridge weights at the nodes, what is added between them, and half the length of their interval."""

    at_nodes: Floats
    base: Floats | None
    half: float

    def weights(self, nodes: Nodes) -> Floats:
        """The weight of every reported code."""
        between = nodes.interpolated(self.at_nodes)
        return between if self.base is None else self.base + between


class Nodes:
    """Truths that are looked at, reports between which weights are interpolated, and the matrix between them."""

    def __init__(self, law: Operator, truths: Ints, reports: Ints, matrix: Floats, cap: Cap, counts: Floats) -> None:
        self.law, self.truths, self.reports, self.matrix = law, truths, reports, matrix
        stretch = cap.stretch[truths]
        _, stretch = np.unique(stretch, return_inverse=True)
        self.cap = Cap(stretch.reshape(-1), cap.most, silent=cap.silent and int(truths[-1]) == len(cap.stretch) - 1)
        self.counts = self._gathered(counts)
        self._width = np.gradient(truths.astype(np.float64)) if len(truths) > 1 else np.ones(1)

    @classmethod
    def fine(cls, law: Law, inner: Shift, bends: Ints, cap: Cap, counts: Floats) -> Nodes:
        """Nodes on a fine grid: evenly, and closer around bends."""
        spread = _spread(inner)
        near = np.linspace(-4 * spread, 4 * spread, 2 * NEAR_NODES + 1)
        last = inner.inputs - 1
        places = [np.linspace(0, last, EVEN_NODES), *(bend + near for bend in bends), bends, bends - 1]
        truths = np.unique(np.clip(np.round(np.concatenate(places)), 0, last).astype(np.int64))
        end = inner.outputs - 1
        places = [np.linspace(0, end, EVEN_NODES), *(bend + inner.margin + near for bend in bends)]
        reports = np.unique(np.clip(np.round(np.concatenate(places)), 0, end).astype(np.int64))
        matrix = hat_expectations(inner, truths, reports)
        if isinstance(law, MayBeSilent):
            keep = law.keep
            silent = np.append(_gather(law.even / law.denominator, reports), keep)
            answered = np.column_stack([keep * matrix, np.full(len(truths), 1 - keep)])
            matrix = np.vstack([answered, silent])
            truths, reports = np.append(truths, inner.inputs), np.append(reports, inner.outputs)
        return cls(law, truths, reports, matrix, cap, counts)

    def _gathered(self, counts: Floats) -> Floats:
        return counts if len(self.reports) == len(counts) else _gather(counts, self.reports)

    def interpolated(self, at_nodes: Floats) -> Floats:
        """Weights of all reports from those at the nodes."""
        if len(self.reports) == self.law.outputs:
            return at_nodes
        return np.interp(np.arange(self.law.outputs), self.reports, at_nodes)

    @cached_property
    def _even_reports(self) -> Floats:
        even: Floats = self._width / self._width.sum() @ self.matrix
        return even

    def even_law(self, law: Operator) -> Floats:
        """The law of reports if all truths were equally frequent."""
        return law.push(np.full(law.inputs, 1 / law.inputs))

    @cached_property
    def _smoothed_reports(self) -> Floats:
        """The law of reports, smoothed: weights that follow chance in the reports would be biased."""
        n = float(self.counts.sum())
        shares = self._width / self._width.sum()
        for _ in range(SMOOTHING_STEPS if n else 0):
            expected = shares @ self.matrix
            ratio = np.divide(self.counts / n, expected, out=np.zeros(len(expected)), where=expected > 0)
            shares = shares * (self.matrix @ ratio)
        smoothed: Floats = (n * (shares @ self.matrix) + EVEN_REPORTS * self._even_reports) / (n + EVEN_REPORTS)
        return smoothed

    @cached_property
    def _even(self) -> _Decomposed:
        return _Decomposed(self.matrix, self._even_reports, self._width)

    @cached_property
    def _smoothed(self) -> _Decomposed:
        return _Decomposed(self.matrix, self._smoothed_reports, self._width)

    def ridge(self, f: Floats, n: float, even: bool) -> Ridge:
        """The ridge weights with the shortest interval for n people, under the even or the smoothed law of reports."""
        decomposed = self._even if even else self._smoothed
        wanted, base, at_nodes = f[self.truths], None, np.zeros(len(self.reports))
        inner = self.law
        if len(self.truths) < len(f) and isinstance(inner, Shift) and parabola(f) is not None:
            # Between nodes a parabola bends: what closed forms know is not interpolated.
            base = closed_form(inner, f)
            if base is not None:
                at_nodes = base[self.reports]
                wanted = wanted - self.law.pull(base)[self.truths] + self.matrix @ at_nodes
        tried = decomposed.solutions(wanted)
        residuals = self.matrix @ tried - wanted[:, None]
        bias = (self.cap.largest(residuals) + self.cap.largest(-residuals)) / 2
        mean = decomposed.reports @ tried
        se = np.sqrt(np.maximum(decomposed.reports @ tried**2 - mean**2, 1e-300) / n)
        half = se * critical_value(np.minimum(bias / se, 1e6), LEVEL)
        best = int(np.argmin(half))
        return Ridge(tried[:, best] - at_nodes, base, float(half[best]))


class _Decomposed:
    """sqrt(width) P / sqrt(law of reports), decomposed: the weights for any function and any penalty are then products."""

    def __init__(self, matrix: Floats, reports: Floats, width: Floats) -> None:
        self.reports = reports
        self._truth_scale = np.sqrt(width / width.mean())
        self._report_scale = np.sqrt(np.maximum(reports, 1e-300))
        possible = reports > 0
        scaled = np.where(possible, self._truth_scale[:, None] * matrix / self._report_scale, 0.0)
        self._left, self._values, self._right = np.linalg.svd(scaled, full_matrices=False)

    def solutions(self, f: Floats) -> Floats:
        """The ridge weights for f at every penalty, one column each."""
        along = self._left.T @ (self._truth_scale * f)
        penalties = PENALTIES * self._values[0] ** 2
        shrunk = self._values[:, None] / (self._values[:, None] ** 2 + penalties)
        found: Floats = (self._right.T @ (shrunk * along[:, None])) / self._report_scale[:, None]
        return found


def _bends(f: Floats) -> Ints:
    """The first few places where a function on a fine grid jumps or bends."""
    if parabola(f) is not None:
        return np.zeros(0, dtype=np.int64)
    change = np.abs(np.diff(f, 2))
    places = np.flatnonzero(change > 1e-9 * np.abs(f).max()) + 1
    # A jump bends twice.
    places = places[np.diff(places, prepend=-9) > 1]
    return places[:MOST_BENDS] if len(places) <= MOST_BENDS else np.zeros(0, dtype=np.int64)


def _spread(law: Shift) -> float:
    """The standard deviation of the noise, in steps."""
    kernel = law.kernel / law.denominator
    offsets = np.arange(len(kernel)) + law.lowest
    return float(np.sqrt(kernel @ offsets**2 - (kernel @ offsets) ** 2))


def _gather(counts: Floats, nodes: Ints) -> Floats:
    """Counts of codes shared between the nodes beside them."""
    codes = np.arange(len(counts))
    right = np.clip(np.searchsorted(nodes, codes, side="left"), 1, len(nodes) - 1)
    part = np.clip((codes - nodes[right - 1]) / (nodes[right] - nodes[right - 1]), 0.0, 1.0)
    to_right = np.bincount(right, weights=counts * part, minlength=len(nodes))
    to_left = np.bincount(right - 1, weights=counts * (1 - part), minlength=len(nodes))
    gathered: Floats = (to_right + to_left).astype(np.float64)
    return gathered
