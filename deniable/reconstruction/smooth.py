"""Undoing additive noise: an ill-posed problem, made well-posed by preferring some shapes, none of them for certain.

Four kinds of shape are fitted by penalised likelihood at several strengths: a smooth root of the density, a smooth log density, a log
density without any order (spikes), and a smooth one with jumps. They and the uniform distribution are averaged, weighted by evidence.
Each is first taken one EM step on: what is wanted is the distribution of those who answered, and given a distribution to draw from,
their expected one is an EM step away. Where the early-stopped EM of the papers explains the reports as well, up to half of it is mixed
in: it errs in other places. Measured against the published methods in docs/deconvolution.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from deniable.core.exact import Floats
from deniable.core.operators import FloatTable, Operator
from deniable.reconstruction.agrawal_srikant import early_stopped
from deniable.reconstruction.em_path import LARGEST, averaged_steps
from deniable.reconstruction.inversion import check_cells
from deniable.reconstruction.penalised import Fits, fit_all, hats, log_likelihood, penalty, splines


@dataclass(frozen=True)
class Family:
    """A kind of shape, at several strengths of its penalty; `prior` is the logarithm of how much it is favoured."""

    link: str
    order: int
    strengths: Sequence[float]
    anchor: float
    prior: float
    free: float = 0.0


CONTINUOUS = (
    Family("root", 3, np.logspace(6.5, -0.5, 8).tolist(), 0.1, 7.0),
    Family("log", 2, np.logspace(5, 1, 4).tolist(), 0.3, 3.0),
    Family("log", 3, np.logspace(6, 0, 6).tolist(), 0.3, 1.0),
)
"""Shapes without jumps, fitted as splines on fine cells. All strengths are for 20 bins."""

BROKEN = (
    Family("log", 0, np.logspace(1.2, -1.2, 6).tolist(), 0.0, 1.0),
    Family("log", 3, np.logspace(5, 0, 5).tolist(), 0.01, 0.0, free=1.0),
)
"""Shapes with jumps, fitted on the labels or bins themselves."""

UNIFORM_PRIOR = 2.0
SHARPNESS = 1.5
"""Power of the evidence in the weights: a little more decided than Bayes' rule."""

FINE_CELLS = 60
COARSE_CELLS = 20
MOST_KNOTS = 60
LEAST_INTERVALS = 24
MOST_INTERVALS = 40
APART = 0.01
"""Precision of labels that stand outside the order."""

MOST_REPORTS = 250
MOST_MIXED = 0.5
HALVED_AT = 4.0
"""Log-likelihood that the early-stopped estimate may lack before half as much of it is mixed in."""


@dataclass(frozen=True)
class Cells:
    """The truths in cells: a row of report probabilities each, how wide they are, and with which cell each label begins."""

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
    apart: int = 0,
    coarse: Cells | None = None,
    fine: Cells | None = None,
) -> Floats:
    """Shares of the truths, regularised: biased toward some shapes, so without an interval.

    `widths` are how much of the domain each label stands for (bins may differ), since it is the density that is smooth, not the
    share. The last `apart` labels stand outside the order ("no answer") and are not smoothed. `coarse` and `fine` are the
    labels cut into cells (see `COARSE_CELLS` and `FINE_CELLS`) where they are wide bins.

    >>> import deniable as dn
    >>> channel = dn.Additive(dn.Integer(0, 19), dn.Uniform(5))
    >>> truth = np.linspace(1, 2, 20) / 30
    >>> float(np.abs(smooth(channel.law, 10_000 * channel.push(truth)) - truth).max()) < 0.005
    True
    """
    check_cells(law)
    own = Cells(law.dense(), np.ones(law.inputs) if widths is None else widths, range(law.inputs))
    coarse, fine = coarse or own, fine or own
    if len(counts) > MOST_REPORTS:
        # Neighbouring reports are counted together where there are very many: quicker, and hardly less is known.
        together = np.linspace(0, len(counts), MOST_REPORTS, endpoint=False).astype(np.int64)
        counts = np.add.reduceat(counts, together)
        coarse, fine = (
            Cells(np.add.reduceat(cells.given, together, axis=1), cells.widths, cells.first) for cells in (coarse, fine)
        )
    averaged, fitted = _averaged(coarse, fine, counts, apart)
    stopped, explained = _early(coarse, counts)
    part = MOST_MIXED * 0.5 ** ((max(0.0, fitted - explained) / HALVED_AT) ** 1.5)
    mixed: Floats = (1 - part) * averaged + part * stopped
    mixed /= mixed.sum()
    return mixed


def _averaged(coarse: Cells, fine: Cells, counts: Floats, apart: int) -> tuple[Floats, float]:
    """Shares of the labels averaged over all shapes and strengths, each an EM step on; and the mean log-likelihood."""
    shares, scores, likelihoods = [], [], []

    def add(cells: Cells, fits: Fits, prior: float | Floats) -> None:
        ratio = counts / counts.sum() / np.maximum(fits.shares @ cells.given, 1e-300)
        shares.append(cells.summed(fits.shares * (ratio @ cells.given.T)))
        scores.append(SHARPNESS * fits.evidence + prior)
        likelihoods.append(fits.likelihood)

    ordered = len(coarse.widths) - apart
    rough = hats(ordered, MOST_KNOTS)
    _fit(coarse, counts, BROKEN, rough, rough.shape[1], apart, add)
    ordered = len(fine.widths) - apart
    edges = np.cumsum(fine.widths[:ordered])
    intervals = min(MOST_INTERVALS, max(LEAST_INTERVALS, len(fine.first) // 3))
    _fit(fine, counts, CONTINUOUS, splines((edges - fine.widths[:ordered] / 2) / edges[-1], intervals), intervals, apart, add)
    if not apart:
        uniform = fine.widths[None] / fine.widths.sum()
        likelihood = log_likelihood(uniform, fine.given, counts)
        add(fine, Fits(uniform, likelihood, likelihood), UNIFORM_PRIOR)
    score = np.concatenate(scores)
    weights = np.exp(score - score.max())
    weights /= weights.sum()
    return weights @ np.concatenate(shares), float(weights @ np.concatenate(likelihoods))


def _fit(
    cells: Cells,
    counts: Floats,
    families: Sequence[Family],
    columns: Floats,
    size: int,
    apart: int,
    add: Callable[[Cells, Fits, Floats], None],
) -> None:
    """Fit families over the same basis, those of a link together. `size` is the number of bins that it could tell apart."""
    ordered, knots = columns.shape
    basis = np.zeros((ordered + apart, knots + apart))
    basis[:ordered, :knots] = columns
    basis[ordered:, knots:] = np.eye(apart)
    for link in ("log", "root"):
        penalties, priors = [], []
        for family in families:
            if family.link != link:
                continue
            # Differences of an order shrink with the distance of the knots; a rough z stays as improbable as over 20 bins.
            scale = (size / 20) ** (2 * family.order - 1) if family.order else 1.0
            for strength in family.strengths:
                whole = APART * np.eye(knots + apart)
                whole[:knots, :knots] = penalty(knots, family.order, strength * scale, family.anchor * 20 / knots, family.free)
                penalties.append(whole)
                priors.append(family.prior - np.log(len(family.strengths)))
        if penalties:
            add(cells, fit_all(cells.given, cells.widths, counts, basis, np.array(penalties), link), np.array(priors))


def _early(cells: Cells, counts: Floats) -> tuple[Floats, float]:
    """The published early stop and the average of the steps of EM, halves of both; and the log-likelihood."""
    stopped = early_stopped(FloatTable(cells.given), counts, start=cells.widths).shares
    explained = float(log_likelihood(stopped, cells.given, counts))
    if cells.given.size > LARGEST:
        return cells.summed(stopped), explained
    steps, reached = averaged_steps(cells.given, counts, cells.widths)
    return cells.summed(stopped + steps) / 2, (explained + reached) / 2
