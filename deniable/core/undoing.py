"""The one rule for undoing a channel: weights on reports whose mean estimates the mean of a function of the truth.

Unbiased weights are taken where they are useful. Where they vary too much (noise blurs what is asked), weights are taken that are a little
off for every truth and vary far less: ridge weights, which minimise variance + penalty * (E[weight | truth] - f(truth))^2. The penalty is
the one with the shortest bias-aware interval over a class of truths (`Cap`). How far such weights may be off is known exactly and is
carried along: `residual` = E[weight | truth] - f(truth). `ridge_weights.py` makes such weights; here they are compared and chosen.
"""

from __future__ import annotations

import weakref
from functools import cached_property
from typing import NamedTuple

import numpy as np

from deniable.core.caps import Cap, critical_value
from deniable.core.channels.laws import Law
from deniable.core.channels.optional import _MayBeSilent
from deniable.core.channels.shift import Shift
from deniable.core.channels.windows import Windows
from deniable.core.domains.exact import Floats
from deniable.core.ridge_weights import CLOSE, EVEN_NODES, LEVEL, Decomposed, Nodes, Ridged, bends_of
from deniable.core.shift_weights import closed_form, parabola
from deniable.errors import NotInvertibleError

ALL_NODES = 250
"""Up to this many truths every value is a node; on finer grids weights are interpolated between nodes."""
USEFUL = 1.1
"""Unbiased weights are taken if their interval would be at most this many times as long as that of the best ridge weights."""
FEW = 400.0
"""Of fewer people nearly nothing is known whatever the weights: unbiased ones are judged as if there were this many."""
EXACT = 1e-7
"""Residuals that are smaller, relative to the function, are rounding."""
ALMOST = 1e-3
"""Closed forms that are off by less, relative to the function, are as good as unbiased; by how much they are off is counted."""
MOST_PEOPLE = 1e15
LEAST_PART = 1e-3
MOST_KNOWN = 2_000
"""Of how many functions the weights are remembered."""


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
        self._known: dict[tuple[bytes, int, int], Undone | Ridged] = {}
        self._smoothed: weakref.WeakKeyDictionary[Nodes, Decomposed] = weakref.WeakKeyDictionary()

    def of(self, f: Floats, n: float, mass: float = 1.0) -> Undone:
        """Weights for the mean of f over the truths, when about n direct answers' worth of people are asked about, who are a share `mass`
        of all: a value that holds few of all may hold many of them, so the same weights may be off by more."""
        key, undone = self._looked_up(f, n, mass)
        if isinstance(undone, Ridged):
            undone = self._known[key] = Undone(undone.weights, undone.residual(self.law, f))
        return undone

    def weights(self, f: Floats, n: float, mass: float = 1.0) -> Floats:
        """The same weights, where nobody asks by how much they are off: on a fine grid that takes longest to work out."""
        return self._looked_up(f, n, mass)[1].weights

    def is_unbiased(self, f: Floats, n: float) -> bool:
        """Whether the weights for f are unbiased, which is told sooner than the weights."""
        undone = self._design.unbiased(f, _size(n), _part(1.0))
        return undone is not None and undone.residual is None

    def _looked_up(self, f: Floats, n: float, mass: float) -> tuple[tuple[bytes, int, int], Undone | Ridged]:
        size, part = _size(n), _part(mass)
        key = (f.tobytes(), size, part)
        if key not in self._known:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._undone(f, size, part)
        return key, self._known[key]

    def at_face_value(self, f: Floats) -> Floats:
        """The function at each report, taken for true; reports beyond the domain for its ends."""
        inner = self.law.inner
        if not isinstance(inner, Shift):
            return f if self.law.inputs == self.law.outputs else self.of(f, np.inf).weights
        nearest = np.clip(np.arange(inner.outputs) - inner.margin, 0, inner.inputs - 1)
        return f[nearest] if inner is self.law else np.append(f[nearest], f[-1])

    def _undone(self, f: Floats, size: int, part: int) -> Undone | Ridged:
        unbiased = self._design.unbiased(f, size, part)
        if unbiased is not None:
            return unbiased
        nodes = self._design.nodes(f)
        assert nodes is not None  # else unbiased weights are all there is
        if nodes not in self._smoothed:
            self._smoothed[nodes] = Decomposed(nodes.matrix, nodes.smoothed_law(self.counts), nodes.width)
        best = nodes.ridge(f, 2 ** (size / 4), self._smoothed[nodes], 2 ** (-part / 4))
        return Ridged(best.weights(nodes), best, nodes)


def _size(n: float) -> int:
    """Weights for 1,000 and for 1,100 people differ by nothing that matters, and can be looked up."""
    return round(float(4 * np.log2(min(max(n, 1.0), MOST_PEOPLE))))


def _part(mass: float) -> int:
    """The same for a share of all."""
    return round(float(-4 * np.log2(min(max(mass, LEAST_PART), 1.0))))


class _Design:
    """What can be said of undoing a law before any report is in."""

    def __init__(self, law: Law, cap: Cap) -> None:
        # Designs are remembered as long as their laws are; so they must not keep them.
        self._law, self.cap = weakref.ref(law), cap
        self._known: dict[tuple[bytes, int, int], Undone | None] = {}
        self._near: dict[bytes, Nodes] = {}

    @property
    def law(self) -> Law:
        law = self._law()
        assert law is not None
        return law

    def unbiased(self, f: Floats, size: int, part: int) -> Undone | None:
        """Unbiased weights, if they are useful (or all there is)."""
        key = (f.tobytes(), max(size, round(4 * np.log2(FEW))), part)
        if key not in self._known:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._unbiased(f, 2 ** (key[1] / 4), 2 ** (-part / 4))
        return self._known[key]

    def _unbiased(self, f: Floats, n: float, mass: float) -> Undone | None:
        law = self.law
        if (f == f[0]).all():
            return Undone(np.full(law.outputs, f[0]), None)
        if law.inner.lumpable:
            return Undone(law.weights(f), None)
        if isinstance(law.inner, Windows):
            windowed = self._by_windows(law.inner, f)
            if windowed is not None:
                return windowed
        plain, nodes = self._plain(f), self.nodes(f)
        if nodes is None:
            return plain or Undone(law.weights(f), None)
        if plain is None or not self._is_useful(plain, f, n, mass, nodes):
            return None
        residual = plain.residual
        return Undone(
            plain.weights, None if residual is None or np.abs(residual).max() <= EXACT * np.abs(f).max() else residual
        )

    def _by_windows(self, inner: Windows, f: Floats) -> Undone | None:
        """Means are never biased: their weights are straight lines. Where nothing but means is told, nor is anything else."""
        if inner.tells_means_only or inner.smooth_weights(f if inner is self.law else f[:-1]) is not None:
            return Undone(self.law.weights(f), None)
        return None

    def _is_useful(self, plain: Undone, f: Floats, n: float, mass: float, nodes: Nodes) -> bool:
        """Whether unbiased weights are as good as any: those of means are, where they have a closed form."""
        if plain.residual is not None and parabola(self._answered(f)) is not None:
            return True
        best = nodes.ridge(f, n, nodes.even, mass)
        return self._half(plain, n, mass) <= USEFUL * best.half

    def _half(self, undone: Undone, n: float, mass: float) -> float:
        """Half the length of the bias-aware interval if all truths were equally frequent."""
        reports = self.law.push(np.full(self.law.inputs, 1 / self.law.inputs))
        mean = float(reports @ undone.weights)
        se = float(np.sqrt(max(float(reports @ undone.weights**2) - mean**2, 1e-300) / n))
        bias = 0.0
        if undone.residual is not None:
            low, high = self.cap.ends(undone.residual, (mass,))
            bias = float(high[0] - low[0]) / (2 * mass)
        return se * float(critical_value(min(bias / se, 1e6), LEVEL))

    def _plain(self, f: Floats) -> Undone | None:
        """Unbiased weights, or ones that are as good, where there are any."""
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
        bends = bends_of(self._answered(f))
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
