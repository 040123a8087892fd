"""Few spikes on a flat floor: a search for the cells that have one, adding one spike at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import lgamma, log

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.reconstruction.mixtures import fit_mixtures
from deniable.reconstruction.penalised import Fits, log_likelihood

MOST = 7
KEPT = 3
"""How many of the best sets of spikes get one more."""

TRIED = 20
"""How many cells are tried for it."""

HOPELESS = 6.0
"""How much less evidence the best set of a size may have before no larger one is looked for."""

Spikes = tuple[int, ...]


def fit_spikes(given: Floats, widths: Floats, counts: Floats, n_unordered: int) -> Fits:
    """One row per number of spikes, from one on: all sets of this size that were tried, averaged by their evidence.

    The last `n_unordered` cells are outside the order, and always have a share of their own.

    >>> truth = np.full(20, 0.01)
    >>> truth[[4, 12]] = 0.5, 0.32
    >>> given = 0.5 * np.eye(20) + 0.25 * np.eye(20, k=1) + 0.25 * np.eye(20, k=-1)
    >>> fits = fit_spikes(given, np.ones(20), 2000 * truth @ given, 0)
    >>> int(fits.evidence.argmax()) + 1, fits.shares[1, [3, 4, 5, 12]].round(2).tolist()
    (2, [0.01, 0.5, 0.01, 0.32])
    """
    return spikes_of_each(given, widths, counts[None], n_unordered)[0]


def spikes_of_each(given: Floats, widths: Floats, counts: Floats, n_unordered: int) -> list[Fits]:
    """`fit_spikes` for every row of counts: all are searched in step, since many small fits at once cost less."""
    always = _always(widths, n_unordered)
    searches = [_Search(given, row, always) for row in counts]
    _look(searches, [[()] for _ in searches])
    best: list[list[Spikes]] = [[()] for _ in searches]
    going = list(range(len(searches)))
    for _ in range(min(MOST, (len(widths) - n_unordered) // 2)):
        own = [searches[i] for i in going]
        sets = _look(own, [search.one_more(best[i]) for i, search in zip(going, own, strict=True)])
        sets = _look(own, [{*listed, *search.beside(listed)} for listed, search in zip(sets, own, strict=True)])
        for i, search, listed in zip(going, own, sets, strict=True):
            best[i] = search.first(listed)
            search.add_up(listed)
        going = [i for i, search in zip(going, own, strict=True) if not search.hopeless]
        if not going:
            break
    return [search.fits(widths) for search in searches]


def _always(widths: Floats, n_unordered: int) -> Floats:
    """What every set has: the floor, and the cells outside the order."""
    ordered = len(widths) - n_unordered
    always = np.eye(len(widths))[ordered - 1 :]
    always[0] = np.where(np.arange(len(widths)) < ordered, widths, 0.0) / widths[:ordered].sum()
    return always


class _Search:
    """The sets of spikes that were tried: the evidence of each, and the shares of all cells."""

    def __init__(self, given: Floats, counts: Floats, always: Floats) -> None:
        self.given, self.counts, self.always = given, counts, always
        self.ordered = len(given) - len(always) + 1
        self.evidence: dict[Spikes, float] = {}
        self.shares: dict[Spikes, Floats] = {}
        self.hopeless = False
        self._averages: list[tuple[Floats, float]] = []

    def one_more(self, best: Iterable[Spikes]) -> set[Spikes]:
        """The best sets with one more spike."""
        return {_with(spikes, cell) for spikes in best for cell in self.promising(spikes)}

    def beside(self, sets: Iterable[Spikes]) -> set[Spikes]:
        """The best of some sets with one of their spikes in a cell beside its own."""
        return {
            _with(spikes[:i] + spikes[i + 1 :], cell)
            for spikes in self.first(sets)
            for i, spike in enumerate(spikes)
            for cell in (spike - 1, spike + 1)
            if 0 <= cell < self.ordered and cell not in spikes
        }

    def add_up(self, sets: Iterable[Spikes]) -> None:
        """Average all sets of a size by their evidence; if the best falls too far short, looking for larger ones is hopeless."""
        evidence = np.array([self.evidence[spikes] for spikes in sets])
        weights = np.exp(evidence - evidence.max())
        shares = weights / weights.sum() @ np.array([self.shares[spikes] for spikes in sets])
        self._averages.append((shares, float(evidence.max() + np.log(weights.sum()))))
        self.hopeless = bool(evidence.max() < max(self.evidence.values()) - HOPELESS)

    def fits(self, widths: Floats) -> Fits:
        """One row per number of spikes."""
        rows = np.array([shares for shares, _ in self._averages]).reshape(len(self._averages), len(widths))
        none = np.zeros(0)
        evidence = np.array([evidence for _, evidence in self._averages])
        return Fits(rows, log_likelihood(rows, self.given, self.counts), evidence, none, none)

    def promising(self, spikes: Spikes) -> list[int]:
        """The cells in which one more spike would gain the most likelihood, judged by slope and curvature."""
        gain = self.given[: self.ordered] / np.maximum(self.shares[spikes] @ self.given, 1e-300) - 1
        slope = np.maximum(gain @ self.counts, 0.0)
        promise = slope**2 / np.maximum(gain**2 @ self.counts, 1e-300)
        promise[list(spikes)] = -1.0
        most = min(TRIED, self.ordered - len(spikes))
        return [int(cell) for cell in np.argsort(-promise, kind="stable")[:most]]

    def first(self, sets: Iterable[Spikes]) -> list[Spikes]:
        """Those with the greatest evidence."""
        return sorted(sets, key=lambda spikes: -self.evidence[spikes])[:KEPT]


def _look(searches: Sequence[_Search], wanted: Sequence[Iterable[Spikes]]) -> list[list[Spikes]]:
    """Fit the sets that each search wants, all of one size, and has not fitted yet; gives all wanted sets in a fixed order."""
    listed = [sorted(sets) for sets in wanted]
    new = [
        (search, spikes)
        for search, sets in zip(searches, listed, strict=True)
        for spikes in sets
        if spikes not in search.evidence
    ]
    if not new:
        return listed
    given, always, ordered = searches[0].given, searches[0].always, searches[0].ordered
    cells = np.array([spikes for _, spikes in new], dtype=np.int64)
    size, fixed = cells.shape[1], len(always)
    rows = np.concatenate([np.broadcast_to(always @ given, (len(new), fixed, given.shape[1])), given[cells]], axis=1)
    start = np.full((len(new), fixed + size), 0.5 / max(1, fixed + size - 1))
    start[:, 0] = 0.5

    def parts(which: Ints, shape: Floats) -> tuple[Floats, Floats]:
        return rows[which], rows[which, :0]

    found = fit_mixtures(np.array([search.counts for search, _ in new]), parts, start, np.zeros((len(new), 0)))
    shares = found.shares[:, :fixed] @ always
    shares[np.arange(len(new))[:, None], cells] += found.shares[:, fixed:]
    # A spike is equally probable at every place, and which comes first does not matter.
    evidence = found.evidence + lgamma(size + 1) - size * log(ordered)
    for (search, spikes), own_evidence, own_shares in zip(new, evidence.tolist(), shares, strict=True):
        search.evidence[spikes], search.shares[spikes] = own_evidence, own_shares
    return listed


def _with(spikes: Spikes, cell: int) -> Spikes:
    return tuple(sorted((*spikes, cell)))
