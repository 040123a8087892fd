"""Mixtures behind noise: parts of some shape, how much there is of each, and the evidence for the whole.

The reports are Poisson counts whose means are amounts of the parts times the parts' own report probabilities. Shares have a uniform prior,
so the amounts have a Gamma(1) one; parameters of the parts' shapes have a Gaussian one. Fitted in log amounts, where no part's
posterior is cut off at nothing, and the evidence is Laplace's approximation there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import lgamma, log, pi

import numpy as np

from deniable.core.domains.exact import Floats, Ints

ENOUGH = 3e-3
"""Gain of log-likelihood below which a Newton step was the last."""

LONGEST = 2.0
"""The longest step, in log amounts."""

Parts = Callable[[Ints, Floats], tuple[Floats, Floats]]
"""For some mixtures and the parameters of their shapes: the reports given each part, and how these change with each parameter."""


@dataclass(frozen=True)
class Prior:
    """The prior of the shapes' parameters: `owner` is the part that each belongs to, `longest` how far a step may go."""

    owner: list[int]
    mean: Floats
    precision: Floats
    longest: Floats


NO_SHAPE = Prior([], np.zeros(0), np.zeros(0), np.zeros(0))


@dataclass(frozen=True)
class Fitted:
    """One row per mixture: shares of the parts, parameters of their shapes, the logarithms of the posterior there and of the evidence."""

    shares: Floats
    shape: Floats
    value: Floats
    evidence: Floats


def fit_mixtures(
    counts: Floats, parts: Parts, shares: Floats, shape: Floats, prior: Prior = NO_SHAPE, steps: int = 100
) -> Fitted:
    """The most probable mixtures, by Newton steps with halving from many starts at once.

    Parameters
    ----------
    counts
        How often each label was reported: for all starts, or one row per start.
    parts
        Gives the reports of each part, and how they change with the parameters of its shape.
    shares, shape
        Where to start: shares of the parts, and parameters of their shapes, one row per start.
    prior
        The prior of these parameters.
    steps
        How many steps are taken at most.

    Examples
    --------
    >>> rows = np.array([[[0.9, 0.1], [0.1, 0.9]]])
    >>> found = fit_mixtures(np.array([600.0, 400.0]), lambda which, shape: (rows, rows[:, :0]), np.ones((1, 2)) / 2, np.zeros((1, 0)))
    >>> found.shares.round(2).tolist()
    [[0.62, 0.38]]
    """
    size = shares.shape[1]
    counts = np.broadcast_to(counts, (len(shares), counts.shape[-1]))
    n = counts.sum(axis=1)
    place = np.concatenate([np.log(n[:, None] * shares), shape], axis=1)
    mean = np.concatenate([np.zeros(size), prior.mean])
    pull = np.concatenate([np.zeros(size), prior.precision])
    held = np.diag(np.concatenate([np.ones(size), prior.precision]))
    longest = np.concatenate([np.full(size, LONGEST), prior.longest])

    def value(place: Floats, rows: Floats, counts: Floats) -> Floats:
        amounts = np.exp(place[:, :size])
        expected = np.maximum(np.matmul(amounts[:, None, :], rows)[:, 0], 1e-300)
        likelihood = (np.log(expected) * counts).sum(axis=1)
        found: Floats = likelihood + (place[:, :size] - amounts).sum(axis=1) - 0.5 * (place - mean) ** 2 @ pull
        return found

    moving = np.arange(len(place))
    rows, slopes = parts(moving, place[:, size:])
    seen = counts
    values = value(place, rows, seen)
    curvature = np.zeros((len(place), len(mean), len(mean)))
    for _ in range(steps):
        now = place[moving]
        amounts = np.exp(now[:, :size])
        change = amounts[:, :, None] * rows
        if prior.owner:
            change = np.concatenate([change, amounts[:, prior.owner, None] * slopes], axis=1)
        expected = np.maximum(change[:, :size].sum(axis=1), 1e-300)
        gradient = np.matmul(change, (seen / expected)[:, :, None])[:, :, 0] - pull * (now - mean)
        gradient[:, :size] += 1 - amounts
        change *= (np.sqrt(seen) / expected)[:, None, :]
        curvature[moving] = np.matmul(change, change.transpose(0, 2, 1)) + held
        step = np.linalg.solve(curvature[moving], gradient[:, :, None])[:, :, 0]
        step *= np.minimum(1.0, 1 / np.maximum((np.abs(step) / longest).max(axis=1), 1e-12))[:, None]
        before = values[moving]
        for _ in range(6):
            if prior.owner:
                rows, slopes = parts(moving, now[:, size:] + step[:, size:])
            after = value(now + step, rows, seen)
            worse = ~(after >= before - 1e-9)
            if not worse.any():
                break
            step[worse] /= 3
        better = after >= before - 1e-9
        place[moving[better]] += step[better]
        values[moving[better]] = after[better]
        going = better & (after - before > ENOUGH)
        moving, rows, slopes, seen = moving[going], rows[going], slopes[going], seen[going]
        if not moving.size:
            break
    amounts = np.exp(place[:, :size])
    scale = 0.5 * (size * log(2 * pi) + np.log(prior.precision).sum()) + lgamma(size)
    scale -= np.array([lgamma(total + size) for total in n])
    evidence = values - 0.5 * np.linalg.slogdet(curvature)[1] + scale
    return Fitted(amounts / amounts.sum(axis=1, keepdims=True), place[:, size:], values, evidence)
