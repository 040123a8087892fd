"""Undoing additive noise: an ill-posed problem, made well-posed by preferring some shapes, none of them for certain.

Several kinds of shape are fitted: a smooth root of the density, a log density of few pieces (constant or parabolic ones), few hills on a
floor, or few spikes on a floor. They and the uniform distribution are averaged, weighted by evidence; spikes or none is decided.
Each is first taken one EM step on: what is wanted is the distribution of those who answered, and given a distribution to draw from,
their expected one is an EM step away. Where the early-stopped EM of the papers explains the reports as well and they are not spiky, up
to 38% of EM is mixed in: it errs in other places. Measured against the published methods in docs/deconvolution.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deniable.core.channels.operators import FloatTable, Operator
from deniable.core.domains.exact import Floats
from deniable.reconstruction.agrawal_srikant import early_stopped
from deniable.reconstruction.em_path import LARGEST, averaged_steps
from deniable.reconstruction.hills import hills_of_each
from deniable.reconstruction.inversion import check_cells
from deniable.reconstruction.penalised import Fits, fit_all, hats, log_likelihood, penalty, splines
from deniable.reconstruction.pieces import fit_pieces
from deniable.reconstruction.spikes import spikes_of_each

ROOT_ORDER = 3
ROOT_STRENGTHS = np.logspace(6.5, -0.5, 8).tolist()
ROOT_ANCHOR = 0.1
ROOT_PRIOR = 4.6
"""Logarithm of how much a kind of shape is favoured. All strengths are for 20 bins."""

PIECES = {1: 0.5, 3: 3.4}
"""Priors of pieces that are constant (1) or parabolic (3), on the labels or bins themselves."""

HILLS = (3.8, 2.2, 1.3)
NORMAL_HILLS = (2.6, 1.2)
"""Priors of one, two and three hills, and of two and three normal ones."""

SPIKES = 0.5
SPIKES_GAIN = 2.0
"""Prior of spikes, however many, and the log-likelihood by which they should explain the reports better than the early stop: whatever is
missing of it is subtracted."""

UNIFORM_PRIOR = 7.2
SHARPNESS = 1.1
"""Power of the evidence in the weights: a little more decided than Bayes' rule."""

FINE_CELLS = 60
COARSE_CELLS = 20
MOST_KNOTS = 60
LEAST_INTERVALS = 24
MOST_INTERVALS = 40
APART = 0.01
"""Precision of labels outside the order."""

MOST_REPORTS = 250
MOST_STOPPED = 0.28
MOST_STEPS = 0.1
"""How much of the early stop, and of the averaged steps of EM, is mixed in where they explain the reports."""

FLAT_FEWER = 0.9
"""How much less of the averaged steps is mixed in where the uniform distribution explains the reports: one step is then right."""

HALVED_AT = 6.0
"""How much log-likelihood an estimate by EM may be missing before half as much of it is mixed in."""


@dataclass(frozen=True)
class Cells:
    """The truths in cells: one row of report probabilities per cell, their widths, and the cell with which each label begins."""

    given: Floats
    widths: Floats
    first: Sequence[int]

    def summed(self, shares: Floats) -> Floats:
        """Shares of the labels from those of their cells."""
        found: Floats = np.add.reduceat(shares, np.asarray(self.first), axis=-1)
        return found


def smooth(
    law: Operator,
    counts: Floats,
    widths: Floats | None = None,
    n_unordered: int = 0,
    coarse: Cells | None = None,
    fine: Cells | None = None,
) -> Floats:
    """Shares of the truths, regularised: biased toward some shapes, so without an interval.

    Parameters
    ----------
    law : Operator
        How truths become reports.
    counts : array
        How often each label was reported.
    widths : array, optional
        How much of the domain each label stands for (bins may differ), since it is the density that is smooth, not the share.
    n_unordered : int
        How many labels at the end are outside the order ("no answer"); they are not smoothed.
    coarse, fine : Cells, optional
        The labels cut into cells (see `COARSE_CELLS` and `FINE_CELLS`), if they are wide bins.

    Returns
    -------
    array
        The shares.

    Examples
    --------
    >>> import deniable as dn
    >>> channel = dn.Additive(dn.Integer(0, 19), dn.Uniform(5))
    >>> truth = np.linspace(1, 2, 20) / 30
    >>> float(np.abs(smooth(channel.law, 10_000 * channel.push(truth)) - truth).max()) < 0.005
    True
    """
    found: Floats = smooth_each(law, counts[None], widths, n_unordered, coarse, fine)[0]
    return found


def smooth_each(
    law: Operator,
    counts: Floats,
    widths: Floats | None = None,
    n_unordered: int = 0,
    coarse: Cells | None = None,
    fine: Cells | None = None,
) -> Floats:
    """`smooth` for every row of counts, all in step: for reports that are simulated again and again."""
    check_cells(law)
    own = Cells(law.dense(), np.ones(law.inputs) if widths is None else widths, range(law.inputs))
    coarse, fine = coarse or own, fine or own
    reports = counts.shape[1]
    if reports - n_unordered > MOST_REPORTS:
        # Where there are very many reports, neighbours are counted together: quicker, and hardly anything is lost.
        alone = np.arange(reports - n_unordered, reports)
        together = np.append(np.linspace(0, reports - n_unordered, MOST_REPORTS, endpoint=False).astype(np.int64), alone)
        counts = np.add.reduceat(counts, together, axis=1)
        coarse, fine = (
            Cells(np.add.reduceat(cells.given, together, axis=1), cells.widths, cells.first) for cells in (coarse, fine)
        )
    early = [_early(coarse, row) for row in counts]
    averaged = _averaged_each(coarse, fine, counts, n_unordered, [found[0].likelihood for found in early])
    return np.array([_mixed(*found) for found in zip(averaged, early, strict=True)])


def _mixed(averaged: Averaged, early: list[Early]) -> Floats:
    """The average, with some of EM."""
    mixed = averaged.shares.copy()
    for found in early if not averaged.spiky else ():
        missing = max(0.0, averaged.likelihood - found.likelihood)
        part = found.most * (1 - found.flat_less * averaged.flat) * 0.5 ** ((missing / HALVED_AT) ** 1.5)
        mixed += part * (found.shares - averaged.shares)
    mixed /= mixed.sum()
    return mixed


@dataclass(frozen=True)
class Early:
    """Shares of the labels after few EM steps, their log-likelihood, how much of them to mix in at most, and how much less if flat."""

    shares: Floats
    likelihood: float
    most: float
    flat_less: float = 0.0


@dataclass(frozen=True)
class Averaged:
    """Shares of the labels averaged over all shapes, the mean log-likelihood, spikes or not, and the weight of uniform."""

    shares: Floats
    likelihood: float
    spiky: bool
    flat: float


def _averaged(coarse: Cells, fine: Cells, counts: Floats, n_unordered: int, stopped: float) -> Averaged:
    """All shapes at all strengths, each one EM step further, averaged by evidence and prior; `stopped`: the early stop's likelihood."""
    return _averaged_each(coarse, fine, counts[None], n_unordered, [stopped])[0]


def _averaged_each(coarse: Cells, fine: Cells, counts: Floats, n_unordered: int, stopped: Sequence[float]) -> list[Averaged]:
    """`_averaged` for every row of counts."""
    # What any mixture expects adds up to everybody, so only reports that somebody sent distinguish them.
    seen = (counts > 0).any(axis=0)
    spikes = spikes_of_each(coarse.given[:, seen], coarse.widths, counts[:, seen], n_unordered)
    hills = [hills_of_each(fine.given[:, seen], fine.widths, counts[:, seen], n_unordered, normal) for normal in (False, True)]
    return [_average(coarse, fine, row, n_unordered, *own) for row, *own in zip(counts, stopped, spikes, *hills, strict=True)]


def _average(
    coarse: Cells, fine: Cells, counts: Floats, n_unordered: int, stopped: float, of_spikes: Fits, betas: Fits, normals: Fits
) -> Averaged:
    """Spikes and hills that are already fitted, and all other shapes."""
    shares, scores, likelihoods = [], [], []

    def add(cells: Cells, fits: Fits, prior: Floats) -> None:
        ratio = counts / counts.sum() / np.maximum(fits.shares @ cells.given, 1e-300)
        shares.append(cells.summed(fits.shares * (ratio @ cells.given.T)))
        scores.append(SHARPNESS * fits.evidence + prior)
        likelihoods.append(fits.likelihood)

    ordered = len(coarse.widths) - n_unordered
    basis = _with_unordered(hats(ordered, MOST_KNOTS), n_unordered)
    knots = basis.shape[1] - n_unordered
    orders = [order for order in PIECES if order < knots]
    if orders:
        fits = fit_pieces(coarse.given, coarse.widths, counts, basis, orders, knots, n_unordered, APART)
        add(coarse, fits, np.array([PIECES[order] for order in orders]))
    add(coarse, of_spikes, SPIKES - np.clip(SPIKES_GAIN - (of_spikes.likelihood - stopped), 0.0, SPIKES_GAIN))
    spikes = slice(len(orders), len(orders) + len(of_spikes.evidence))
    for fits, priors in ((betas, HILLS), (normals, NORMAL_HILLS)):
        add(fine, fits, np.array(priors[: len(fits.evidence)]))
    add(fine, _roots(fine, counts, n_unordered), np.full(len(ROOT_STRENGTHS), ROOT_PRIOR - np.log(len(ROOT_STRENGTHS))))
    if not n_unordered:
        uniform = fine.widths[None] / fine.widths.sum()
        likelihood = log_likelihood(uniform, fine.given, counts)
        none = np.zeros(0)
        add(fine, Fits(uniform, likelihood, likelihood, none, none), np.array([UNIFORM_PRIOR]))
    score = np.concatenate(scores)
    weights = np.exp(score - score.max())
    # Hardly any truth looks like spikes among hills, each at half its height: it is one or the other.
    is_spikes = np.zeros(len(weights), dtype=bool)
    is_spikes[spikes] = True
    spiky = bool(weights[is_spikes].sum() > weights[~is_spikes].sum())
    weights[is_spikes != spiky] = 0.0
    weights /= weights.sum()
    return Averaged(
        weights @ np.concatenate(shares),
        float(weights @ np.concatenate(likelihoods)),
        spiky,
        0.0 if n_unordered else float(weights[-1]),
    )


def _roots(cells: Cells, counts: Floats, n_unordered: int) -> Fits:
    """Smooth roots of the density, at all strengths: splines."""
    edges = np.cumsum(cells.widths[: len(cells.widths) - n_unordered])
    places = (edges - cells.widths[: len(edges)] / 2) / edges[-1]
    intervals = min(MOST_INTERVALS, max(LEAST_INTERVALS, len(cells.first) // 3))
    basis = _with_unordered(splines(places, intervals), n_unordered)
    knots = basis.shape[1] - n_unordered
    # Differences shrink with the distance of the knots; a rough z stays as improbable as over 20 bins.
    scale = (intervals / 20) ** (2 * ROOT_ORDER - 1)
    penalties = np.zeros((len(ROOT_STRENGTHS), knots + n_unordered, knots + n_unordered))
    penalties[:] = APART * np.eye(knots + n_unordered)
    for i, strength in enumerate(ROOT_STRENGTHS):
        penalties[i, :knots, :knots] = penalty(knots, ROOT_ORDER, strength * scale, ROOT_ANCHOR * 20 / knots)
    return fit_all(cells.given, cells.widths, counts, basis, penalties, "root")


def _with_unordered(columns: Floats, n_unordered: int) -> Floats:
    """A basis with one column for each label outside the order."""
    ordered, knots = columns.shape
    basis = np.zeros((ordered + n_unordered, knots + n_unordered))
    basis[:ordered, :knots] = columns
    basis[ordered:, knots:] = np.eye(n_unordered)
    return basis


def _early(cells: Cells, counts: Floats) -> list[Early]:
    """The published early stop, and the average of the steps of EM."""
    stopped = early_stopped(FloatTable(cells.given), counts, start=cells.widths).shares
    found = [Early(cells.summed(stopped), float(log_likelihood(stopped, cells.given, counts)), MOST_STOPPED)]
    if cells.given.size <= LARGEST:
        steps, reached = averaged_steps(cells.given, counts, cells.widths)
        found.append(Early(cells.summed(steps), reached, MOST_STEPS, FLAT_FEWER))
    return found
