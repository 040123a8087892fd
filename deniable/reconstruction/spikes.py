"""Few spikes on a flat floor: which cells have one is searched for, one spike more at a time."""

from __future__ import annotations

from collections.abc import Iterable
from math import lgamma, log

import numpy as np

from deniable.core.exact import Floats, Ints
from deniable.reconstruction.mixtures import fit_mixtures
from deniable.reconstruction.penalised import Fits, log_likelihood

MOST = 7
KEPT = 3
"""How many of the best sets of spikes get one more."""

TRIED = 20
"""How many cells are tried for it."""

HOPELESS = 6.0
"""Evidence that the best set of a size may lack before no larger one is looked for."""

Spikes = tuple[int, ...]


def fit_spikes(given: Floats, widths: Floats, counts: Floats, apart: int) -> Fits:
    """A row a number of spikes, from one on: all sets of so many that were looked at, averaged by their evidence.

    The last `apart` cells stand outside the order, and always have a share of their own.

    >>> truth = np.full(20, 0.01)
    >>> truth[[4, 12]] = 0.5, 0.32
    >>> given = 0.5 * np.eye(20) + 0.25 * np.eye(20, k=1) + 0.25 * np.eye(20, k=-1)
    >>> fits = fit_spikes(given, np.ones(20), 2000 * truth @ given, 0)
    >>> int(fits.evidence.argmax()) + 1, fits.shares[1, [3, 4, 5, 12]].round(2).tolist()
    (2, [0.01, 0.5, 0.01, 0.32])
    """
    search = _Search(given, widths, counts, apart)
    best: list[Spikes] = [()]
    search.look(best)
    shares, evidences = [], []
    for _ in range(min(MOST, search.ordered // 2)):
        sets = search.look({_with(spikes, cell) for spikes in best for cell in search.promising(spikes)})
        beside = {
            _with(spikes[:i] + spikes[i + 1 :], cell)
            for spikes in search.first(sets)
            for i, spike in enumerate(spikes)
            for cell in (spike - 1, spike + 1)
            if 0 <= cell < search.ordered and cell not in spikes
        }
        sets = search.look({*sets, *beside})
        best = search.first(sets)
        evidence = np.array([search.evidence[spikes] for spikes in sets])
        weights = np.exp(evidence - evidence.max())
        shares.append(weights / weights.sum() @ np.array([search.shares[spikes] for spikes in sets]))
        evidences.append(evidence.max() + np.log(weights.sum()))
        if evidence.max() < max(search.evidence.values()) - HOPELESS:
            break
    rows = np.array(shares).reshape(len(shares), len(widths))
    none = np.zeros(0)
    return Fits(rows, log_likelihood(rows, given, counts), np.array(evidences), none, none)


class _Search:
    """The sets of spikes that were looked at: the evidence of each, and the shares of all cells."""

    def __init__(self, given: Floats, widths: Floats, counts: Floats, apart: int) -> None:
        self.given, self.counts = given, counts
        self.ordered = len(widths) - apart
        self.evidence: dict[Spikes, float] = {}
        self.shares: dict[Spikes, Floats] = {}
        # What every set has: the floor, and the cells outside the order.
        self.always = np.eye(len(widths))[self.ordered - 1 :]
        self.always[0] = np.where(np.arange(len(widths)) < self.ordered, widths, 0.0) / widths[: self.ordered].sum()

    def look(self, sets: Iterable[Spikes]) -> list[Spikes]:
        """Fit those sets, all of a size, that were not yet; all of them in a fixed sequence."""
        listed = sorted(sets)
        new = [spikes for spikes in listed if spikes not in self.evidence]
        if not new:
            return listed
        cells = np.array(new, dtype=np.int64)
        size, fixed = cells.shape[1], len(self.always)
        rows = np.concatenate(
            [np.broadcast_to(self.always @ self.given, (len(new), fixed, len(self.counts))), self.given[cells]], axis=1
        )
        start = np.full((len(new), fixed + size), 0.5 / max(1, fixed + size - 1))
        start[:, 0] = 0.5

        def parts(which: Ints, shape: Floats) -> tuple[Floats, Floats]:
            return rows[which], rows[which, :0]

        found = fit_mixtures(self.counts, parts, start, np.zeros((len(new), 0)))
        shares = found.shares[:, :fixed] @ self.always
        shares[np.arange(len(new))[:, None], cells] += found.shares[:, fixed:]
        # Every place is as probable for a spike, and which comes first does not matter.
        evidence = found.evidence + lgamma(size + 1) - size * log(self.ordered)
        self.evidence.update(zip(new, evidence.tolist(), strict=True))
        self.shares.update(zip(new, shares, strict=True))
        return listed

    def promising(self, spikes: Spikes) -> list[int]:
        """The cells in which one spike more would gain most likelihood, as far as slope and curvature tell."""
        gain = self.given[: self.ordered] / np.maximum(self.shares[spikes] @ self.given, 1e-300) - 1
        slope = np.maximum(gain @ self.counts, 0.0)
        promise = slope**2 / np.maximum(gain**2 @ self.counts, 1e-300)
        promise[list(spikes)] = -1.0
        most = min(TRIED, self.ordered - len(spikes))
        return [int(cell) for cell in np.argsort(-promise, kind="stable")[:most]]

    def first(self, sets: Iterable[Spikes]) -> list[Spikes]:
        """Those of the greatest evidence."""
        return sorted(sets, key=lambda spikes: -self.evidence[spikes])[:KEPT]


def _with(spikes: Spikes, cell: int) -> Spikes:
    return tuple(sorted((*spikes, cell)))
