"""Undoing additive noise: an ill-posed problem, made well-posed by preferring smooth distributions.

The log of the density is penalised for roughness (the penalised composite link model of Eilers, 2007). How strongly, and whether
first, second or third differences are meant by roughness, is not chosen but averaged over, each weighted by its evidence
(Laplace approximation) and a prior that favours smoothness. Where the early-stopped EM of the papers explains the reports
as well, half of it is mixed in: it errs in other places. Measured against the published methods in docs/deconvolution.md.
"""

from __future__ import annotations

import numpy as np

from deniable.core.exact import Floats
from deniable.core.operators import Operator
from deniable.reconstruction.agrawal_srikant import early_stopped
from deniable.reconstruction.em import Likelihood
from deniable.reconstruction.inversion import check_cells

ORDERS = (1, 2, 3)
STRENGTHS = np.logspace(7, -3, 21)
ANCHOR = 0.01
"""A weak pull of the log density toward uniform (standard deviation 10), so that the evidence of every order is proper."""

MOST_KNOTS = 60
MOST_REPORTS = 250
FREE_MISFIT = 6.0
"""Twice the log-likelihood that the early-stopped estimate may lack before it is trusted less."""


def smooth(law: Operator, counts: Floats, widths: Floats | None = None, apart: int = 0) -> Floats:
    """Shares of the truths, regularised: biased toward smoothness, so without an interval.

    `widths` are how much of the domain each label stands for (bins may differ), since it is the density that is smooth, not the
    share. The last `apart` labels stand outside the order ("no answer") and are not smoothed.

    >>> import deniable as dn
    >>> channel = dn.Additive(dn.Integer(0, 19), dn.Uniform(5))
    >>> truth = np.linspace(1, 2, 20) / 30
    >>> float(np.abs(smooth(channel.law, 10_000 * channel.push(truth)) - truth).max()) < 0.005
    True
    """
    check_cells(law)
    relative = np.ones(law.inputs) if widths is None else widths / widths.mean()
    matrix, merged = _merged(law.dense(), counts)
    averaged = relative * _averaged(relative[:, None] * matrix, merged, apart)
    averaged /= averaged.sum()
    stopped = early_stopped(law, counts, start=relative).shares
    likelihood = Likelihood(law, counts)
    misfit = 2 * counts.sum() * (likelihood.value(law.push(averaged)) - likelihood.value(law.push(stopped)))
    part = 0.5 * float(np.exp(min(0.0, (FREE_MISFIT - misfit) / 2)))
    mixed: Floats = (1 - part) * averaged + part * stopped
    return mixed


def _merged(matrix: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Neighbouring reports counted together where there are very many: quicker, and hardly less is known."""
    if len(counts) <= MOST_REPORTS:
        return matrix, counts
    first = np.linspace(0, len(counts), MOST_REPORTS, endpoint=False).astype(np.int64)
    return np.add.reduceat(matrix, first, axis=1), np.add.reduceat(counts, first)


def _averaged(matrix: Floats, counts: Floats, apart: int) -> Floats:
    """The evidence-weighted mean of the fits (of the density) of every order and strength."""
    hats = _hats(len(matrix) - apart)
    ordered = hats.shape[1]
    knots = ordered + apart
    basis = np.zeros((len(matrix), knots))
    basis[: len(matrix) - apart, :ordered] = hats
    basis[len(matrix) - apart :, ordered:] = np.eye(apart)
    fits, evidence = [], []
    for order in ORDERS:
        if ordered <= order:
            continue
        differences = np.zeros((ordered - order, knots))
        differences[:, :ordered] = np.diff(np.eye(ordered), n=order, axis=0)
        heights = np.zeros(knots)
        for strength in STRENGTHS:
            penalty = strength * differences.T @ differences + ANCHOR * np.eye(knots)
            heights, value, curvature = _penalised(matrix, counts, basis, penalty, heights)
            logdets = np.linalg.slogdet(penalty)[1] - np.linalg.slogdet(curvature + penalty)[1]
            # The prior exp(-sd) on the typical size of a difference, sd = strength^(-1/2), favours smoothness.
            evidence.append(value + 0.5 * logdets - strength**-0.5)
            density = np.exp(basis @ heights - (basis @ heights).max())
            fits.append(density / density.sum())
    weights = np.exp(np.array(evidence) - max(evidence))
    averaged: Floats = weights @ np.array(fits) / weights.sum()
    return averaged


def _hats(k: int) -> Floats:
    """Straight lines between evenly spread knots: all labels are knots while there are few."""
    if k <= MOST_KNOTS:
        return np.eye(k)
    knots = np.linspace(0, k - 1, MOST_KNOTS)
    return np.column_stack([np.interp(np.arange(k), knots, hat) for hat in np.eye(MOST_KNOTS)])


def _penalised(matrix: Floats, counts: Floats, basis: Floats, penalty: Floats, start: Floats) -> tuple[Floats, float, Floats]:
    """Maximise the Poisson log-likelihood minus the penalty by Newton steps with halving; value and curvature there too."""
    base = np.log(counts.sum() / len(matrix))

    def expected(heights: Floats) -> tuple[Floats, Floats]:
        density = np.exp(np.minimum(base + basis @ heights, 500.0))
        return density, np.maximum(density @ matrix, 1e-300)

    def objective(heights: Floats) -> float:
        mean = expected(heights)[1]
        return float(counts @ np.log(mean) - mean.sum() - 0.5 * heights @ penalty @ heights)

    heights = start
    value = objective(heights)
    for _ in range(100):
        density, mean = expected(heights)
        slopes = matrix.T @ (density[:, None] * basis)
        curvature = slopes.T @ (slopes / mean[:, None])
        gradient = slopes.T @ (counts / mean - 1) - penalty @ heights
        step = np.linalg.solve(curvature + penalty, gradient)
        length = 1.0
        while length > 1e-9 and not objective(heights + length * step) >= value:
            length /= 2
        if length <= 1e-9:
            break
        heights = heights + length * step
        gained, value = objective(heights) - value, objective(heights)
        if gained < 1e-8 * (1 + abs(value)):
            break
    density, mean = expected(heights)
    slopes = matrix.T @ (density[:, None] * basis)
    return heights, value, slopes.T @ (slopes / mean[:, None])
