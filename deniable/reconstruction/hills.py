"""Few hills on a flat floor: beta distributions, symmetric in the middle of the range and skewed toward its ends, or normal ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import lgamma, log

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.reconstruction.mixtures import Fitted, Prior, fit_mixtures
from deniable.reconstruction.penalised import Fits, log_likelihood

MOST = 3
CENTRE = (0.0, 1.2)
NARROWNESS = (log(12.0), 1.2)
"""Mean and deviation of the prior: of the logit of a hill's mean, and of the logarithm of the two parameters' sum."""

NARROWEST = 8.0
LONGEST = (0.6, 1.0)
"""The longest step, in both."""

FIRST_STEPS = 4
KEPT = 4
"""How many starts are still followed after the first steps."""


def fit_hills(given: Floats, widths: Floats, counts: Floats, n_unordered: int, normal: bool = False) -> Fits:
    """One row per number of hills, one to three, or two or three normal ones: the best of several starts.

    A single hill is always a beta distribution, since some of these are nearly normal.

    Parameters
    ----------
    given, widths
        The probabilities of the reports, one row per cell of truths, and the widths of the cells.
    counts
        How often each label was reported.
    n_unordered
        How many cells at the end are outside the order; they always have a share of their own.
    normal
        Whether hills are normal distributions, not beta distributions.

    Examples
    --------
    >>> x = (np.arange(40) + 0.5) / 40
    >>> truth = x * (1 - x) ** 6 / (x * (1 - x) ** 6).sum()
    >>> fits = fit_hills(np.eye(40), np.ones(40), 5000 * truth, 0)
    >>> int(fits.evidence.argmax()) + 1, bool(np.abs(fits.shares[0] - truth).max() < 0.002)
    (1, True)
    """
    return hills_of_each(given, widths, counts[None], n_unordered, normal)[0]


def hills_of_each(given: Floats, widths: Floats, counts: Floats, n_unordered: int, normal: bool = False) -> list[Fits]:
    """`fit_hills` for every row of counts: all are fitted in step, since many small fits at once cost less."""
    ordered, each = len(widths) - n_unordered, len(counts)
    shares, evidences = np.zeros((each, 0, len(widths))), np.zeros((each, 0))
    last: Fitted | None = None
    for hills in range(2 if normal else 1, min(MOST, ordered // 4) + 1):
        density = (_Normal if normal else _Beta)(given, widths, ordered, hills)
        starts = _starts(hills, each, last)
        many = len(starts) // each
        amounts = np.full((len(starts), 1 + hills + n_unordered), 0.8 / (hills + n_unordered))
        amounts[:, 0] = 0.2
        found = fit_mixtures(np.repeat(counts, many, axis=0), density.parts, amounts, starts, density.prior, FIRST_STEPS)
        kept = _best_of_each(found.value, each, KEPT)
        followed = np.repeat(counts, len(kept) // each, axis=0)
        found = fit_mixtures(followed, density.parts, found.shares[kept], found.shape[kept], density.prior)
        best = _best_of_each(found.evidence, each, 1)
        last = Fitted(*(field[best] for field in vars(found).values()))
        own = np.matmul(last.shares[:, None, :], density.cells(last.shape)[0])
        shares = np.concatenate([shares, own], axis=1)
        # Which hill comes first does not matter.
        evidences = np.column_stack([evidences, last.evidence + lgamma(hills + 1)])
    none = np.zeros(0)
    return [
        Fits(rows, log_likelihood(rows, given, own), evidence, none, none)
        for rows, own, evidence in zip(shares, counts, evidences, strict=True)
    ]


def _best_of_each(values: Floats, each: int, most: int) -> Ints:
    """The places of the `most` greatest values in each of `each` equal parts."""
    parts = values.reshape(each, -1)
    order = np.argsort(-parts, axis=1, kind="stable")[:, :most]
    found: Ints = (order + np.arange(each)[:, None] * parts.shape[1]).ravel()
    return found


def _starts(hills: int, each: int, last: Fitted | None) -> Floats:
    """Centres and narrownesses, as many for each: one hill or two anywhere, or the previous hills and one more."""
    if hills == 1:
        middles, narrow = _logit(np.array([0.1, 0.3, 0.5, 0.7, 0.9])), np.log([6.0, 40.0])
        return np.tile(np.array([[middle, sharp] for middle in middles for sharp in narrow]), (each, 1))
    if hills == 2:
        middles = _logit(np.array([0.12, 0.27, 0.42, 0.58, 0.73, 0.88]))
        pairs = np.array([[one, other] for i, one in enumerate(middles) for other in middles[i + 1 :]])
        return np.tile(np.hstack([pairs, np.full(pairs.shape, log(25.0))]), (each, 1))
    assert last is not None
    middles = _logit(np.linspace(0.06, 0.94, 8))[:, None]
    before, more = np.repeat(last.shape, len(middles), axis=0), np.tile(middles, (each, 1))
    found: Floats = np.hstack([before[:, : hills - 1], more, before[:, hills - 1 :], np.full(more.shape, log(40.0))])
    return found


class _Density(ABC):
    """A floor, some hills and the cells outside the order as parts of a mixture."""

    def __init__(self, given: Floats, widths: Floats, ordered: int, hills: int) -> None:
        self.given, self.hills, self.ordered = given, hills, ordered
        self.even = widths[:ordered] / widths[:ordered].sum()
        self.places = np.cumsum(self.even) - self.even / 2
        self.fixed = np.eye(len(widths))[ordered - 1 :]
        self.fixed[0] = np.concatenate([self.even, np.zeros(len(widths) - ordered)])
        self.fixed_rows = self.fixed @ given
        self.prior = Prior(
            [*range(1, hills + 1)] * 2,
            np.repeat([CENTRE[0], NARROWNESS[0]], hills),
            np.repeat([CENTRE[1] ** -2, NARROWNESS[1] ** -2], hills),
            np.repeat(LONGEST, hills),
        )

    @abstractmethod
    def logarithm(self, centre: Floats, total: Floats) -> tuple[Floats, Floats, Floats]:
        """Of the density, but for a constant, and how it changes with the centre and with the total."""

    def cells(self, shape: Floats) -> tuple[Floats, Floats]:
        """Shares of all cells in each part, and how the hills' change with the parameters."""
        centre = 1 / (1 + np.exp(-shape[:, : self.hills, None]))
        narrowness = shape[:, self.hills :, None]
        total = np.exp(np.minimum(narrowness, NARROWEST))
        density, by_centre, by_total = self.logarithm(centre, total)
        density = np.exp(density - density.max(axis=2, keepdims=True)) * self.even
        density /= density.sum(axis=2, keepdims=True)
        by_shape = (by_centre * centre * (1 - centre), by_total * total * (narrowness < NARROWEST))
        slopes = np.concatenate([density * (by - (density * by).sum(axis=2, keepdims=True)) for by in by_shape], axis=1)
        parts = np.zeros((len(shape), self.hills + len(self.fixed), self.fixed.shape[1]))
        parts[:, 0] = self.fixed[0]
        parts[:, 1 : 1 + self.hills, : self.ordered] = density
        parts[:, 1 + self.hills :] = self.fixed[1:]
        return parts, slopes

    def parts(self, which: Ints, shape: Floats) -> tuple[Floats, Floats]:
        """The reports given each part, and how the hills' change with the parameters."""
        parts, slopes = self.cells(shape)
        both = np.concatenate([parts[:, 1 : 1 + self.hills, : self.ordered], slopes], axis=1)
        seen = (both.reshape(-1, self.ordered) @ self.given[: self.ordered]).reshape(len(shape), 3 * self.hills, -1)
        rows = np.empty((len(shape), parts.shape[1], self.given.shape[1]))
        rows[:, 0] = self.fixed_rows[0]
        rows[:, 1 : 1 + self.hills] = seen[:, : self.hills]
        rows[:, 1 + self.hills :] = self.fixed_rows[1:]
        return rows, seen[:, self.hills :]


class _Beta(_Density):
    """Hills that are beta distributions."""

    def logarithm(self, centre: Floats, total: Floats) -> tuple[Floats, Floats, Floats]:
        left, right = np.log(self.places), np.log1p(-self.places)
        density = (centre * total - 1) * left + ((1 - centre) * total - 1) * right
        return density, total * (left - right), centre * left + (1 - centre) * right


class _Normal(_Density):
    """Hills that are normal distributions, cut off at the ends: as wide as a beta distribution in the middle of the range."""

    def logarithm(self, centre: Floats, total: Floats) -> tuple[Floats, Floats, Floats]:
        precision, away = 4 * (1 + total), self.places - centre
        return -precision * away**2 / 2, precision * away, -2 * away**2


def _logit(share: Floats) -> Floats:
    found: Floats = np.log(share / (1 - share))
    return found
