"""Penalised likelihood behind noise: many strengths of penalty fitted at once, each with its evidence.

The density over cells of truths is a link of a linear predictor, exp(B z) or (1 + B z)^2 times the uniform density, and z has a
Gaussian prior (a penalty z'Kz / 2). Counts are taken as Poisson (the penalised composite link model of Eilers, 2007). The evidence is
Laplace's approximation of the probability of the counts with z integrated out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deniable.core.domains.exact import Floats

MOST_STEPS = 40
ENOUGH = 1e-3
"""Gain of log-likelihood below which a Newton step was the last."""

LARGEST_STEP = {"log": 4.0, "root": 2.0}
CURVATURE = {"log": 1.0, "root": 4.0}
"""The curvature of the log-likelihood of the total, per answer, by the level of the predictor."""

CONSTANT = 0.2
"""Precision of the level of z, the same for all penalties."""


@dataclass(frozen=True)
class Fits:
    """One row per penalty: shares of the cells, the log-likelihood of the counts given them, and the logarithm of the evidence.

    `z` holds the coefficients of the linear predictor, `curvature` the curvature of the log-likelihood there.
    """

    shares: Floats
    likelihood: Floats
    evidence: Floats
    z: Floats
    curvature: Floats


def penalty(size: int, order: int, strength: float, anchor: float) -> Floats:
    """The precision matrix of z: differences of an order at a strength, and a weak pull toward uniform."""
    level = np.full((size, size), 1 / size)
    differences = np.diff(np.eye(size), n=order, axis=0)
    whole: Floats = strength * differences.T @ differences + anchor * (np.eye(size) - level) + CONSTANT * level
    return whole


def fit_all(
    given: Floats, widths: Floats, counts: Floats, basis: Floats, penalties: Floats, link: str, start: Floats | None = None
) -> Fits:
    """Maximise the penalised likelihood for every penalty by Newton steps with halving, all in step with each other.

    Parameters
    ----------
    given
        The probabilities of the reports, one row per cell of truths.
    widths, counts
        The widths of the cells, and how often each label was reported.
    basis
        The basis of the linear predictor, one row per cell.
    penalties, link
        Precision matrices of z, and the link: "log" or "root".
    start
        Where to start, one z per penalty; by default at the uniform density.

    Examples
    --------
    >>> given, counts = np.array([[0.9, 0.1], [0.1, 0.9]]), np.array([600.0, 400.0])
    >>> penalties = np.array([penalty(2, 1, strength, 0) for strength in (1e-6, 1e6)])
    >>> loose, tight = fit_all(given, np.ones(2), counts, np.eye(2), penalties, "log").shares
    >>> loose.round(3).tolist(), tight.round(3).tolist()
    ([0.625, 0.375], [0.5, 0.5])
    """
    relative = widths / widths.mean()
    matrix = relative[:, None] * given
    base = counts.sum() / len(matrix)
    across = np.ascontiguousarray(basis.T)
    z = np.zeros((len(penalties), len(across))) if start is None else start.copy()
    predictor = z @ across

    def density(predictor: Floats) -> Floats:
        linked: Floats = base * (np.exp(np.minimum(predictor, 50.0)) if link == "log" else (1 + predictor) ** 2)
        return linked

    def value(predictor: Floats, z: Floats, penalties: Floats) -> Floats:
        mean = np.maximum(density(predictor) @ matrix, 1e-300)
        found: Floats = np.log(mean) @ counts - mean.sum(axis=1) - 0.5 * (z * _times(penalties, z)).sum(axis=1)
        return found

    curvature = np.zeros(penalties.shape)
    values = value(predictor, z, penalties)
    moving = np.arange(len(penalties))
    for _ in range(MOST_STEPS):
        now, at, held = z[moving], predictor[moving], penalties[moving]
        mean = np.maximum(density(at) @ matrix, 1e-300)
        slope = density(at) if link == "log" else 2 * base * (1 + at)
        # One large product instead of one per penalty.
        slopes = ((across * slope[:, None, :]).reshape(-1, len(matrix)) @ matrix).reshape(len(moving), len(across), -1)
        curvature[moving] = np.matmul(slopes / mean[:, None, :], slopes.transpose(0, 2, 1))
        gradient = _times(slopes, counts / mean - 1) - _times(held, now)
        step = np.linalg.solve(curvature[moving] + held, gradient[:, :, None])[:, :, 0]
        change = step @ across
        length = np.minimum(1.0, LARGEST_STEP[link] / np.maximum(np.abs(change).max(axis=1), 1e-12))
        before, after = values[moving], value(at + length[:, None] * change, now + length[:, None] * step, held)
        for _ in range(20):
            worse = np.flatnonzero(~(after >= before - 1e-12))
            if not worse.size:
                break
            length[worse] /= 2
            shorter = length[worse, None]
            after[worse] = value(at[worse] + shorter * change[worse], now[worse] + shorter * step[worse], held[worse])
        length[~(after >= before - 1e-12)] = 0.0
        z[moving] = now + length[:, None] * step
        predictor[moving] = at + length[:, None] * change
        values[moving] = np.maximum(after, before)
        moving = moving[after - before > ENOUGH]
        if not moving.size:
            break
    occam = 0.5 * (np.linalg.slogdet(penalties)[1] - np.linalg.slogdet(curvature + penalties)[1])
    shares = density(predictor) * relative
    shares /= shares.sum(axis=1, keepdims=True)
    n = counts.sum()
    # The evidence of a multinomial instead of a Poisson: the total is given, and so is the level of z, which explains nothing else.
    known = CURVATURE[link] * n / len(across)
    total = n * np.log(n) - n + 0.5 * np.log(CONSTANT / (known + CONSTANT))
    return Fits(shares, log_likelihood(shares, given, counts), values + occam - total, z, curvature)


def log_likelihood(shares: Floats, given: Floats, counts: Floats) -> Floats:
    """The log-likelihood of the counts, for one or for many rows of shares."""
    found: Floats = np.log(np.maximum(shares @ given, 1e-300)) @ counts
    return found


def splines(places: Floats, intervals: int) -> Floats:
    """Cubic B-splines over even intervals of 0 to 1, one column per spline, at some places.

    >>> splines(np.array([0.0, 0.3, 1.0]), 5).sum(axis=1).round(9).tolist()
    [1.0, 1.0, 1.0]
    """
    distance = np.abs(places[:, None] * intervals - np.arange(-1, intervals + 2))
    near = 2 / 3 - distance**2 + distance**3 / 2
    far = np.maximum(2 - distance, 0.0) ** 3 / 6
    found: Floats = np.where(distance < 1, near, far)
    return found


def hats(size: int, most: int) -> Floats:
    """Straight lines between evenly spread knots: every place is a knot if there are few."""
    if size <= most:
        return np.eye(size)
    knots = np.linspace(0, size - 1, most)
    return np.column_stack([np.interp(np.arange(size), knots, hat) for hat in np.eye(most)])


def _times(matrices: Floats, vectors: Floats) -> Floats:
    """A matrix times a vector, row by row of a batch."""
    found: Floats = np.matmul(matrices, vectors[:, :, None])[:, :, 0]
    return found
