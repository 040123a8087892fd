"""Log densities made of few pieces: constant or parabolic ones, whose breaks the reports choose.

One strength of penalty for the whole range is too stiff at an edge and too loose in between. Here every difference has a strength of
its own, and the strengths are those of the greatest evidence (automatic relevance determination; MacKay 1992, Tipping 2001): nearly
all breaks vanish, and few stay. Choosing so many strengths flatters the evidence, so each break that stays costs some of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.reconstruction.penalised import CONSTANT, Fits, fit_all

ROUNDS = 6
COST = 0.8
"""Evidence that a break costs, since it was chosen among many."""

ANCHOR = 0.01
"""A very weak pull toward uniform: pieces may fall off as steeply as the reports ask."""

SMALLEST = {1: 0.02, 3: 0.001}
"""Square of the smallest difference of each order that counts as one, over 20 bins."""

FIRST = {1: 1.0, 3: 10.0}
STIFFEST = 1e6


def fit_pieces(
    given: Floats,
    widths: Floats,
    counts: Floats,
    basis: Floats,
    orders: Sequence[int],
    size: int,
    n_unordered: int,
    loose: float,
) -> Fits:
    """One row per order: pieces that are constant (1) or parabolic (3) except at their breaks.

    Parameters
    ----------
    given, widths, counts, basis
        As for `fit_all`.
    orders
        Which orders are fitted.
    size
        The number of bins that the basis can distinguish.
    n_unordered, loose
        How many columns at the end of the basis are outside the order, and their precision.

    Examples
    --------
    >>> truth = np.repeat([0.02, 0.08], 10)
    >>> given = 0.5 * np.eye(20) + 0.25 * np.eye(20, k=1) + 0.25 * np.eye(20, k=-1)
    >>> fits = fit_pieces(given, np.ones(20), 5000 * truth @ given, np.eye(20), [1], 20, 0, 0.0)
    >>> fits.shares[0, [0, 8, 11, 19]].round(2).tolist()
    [0.02, 0.02, 0.08, 0.08]
    """
    knots = basis.shape[1] - n_unordered
    level = np.zeros((knots + n_unordered, knots + n_unordered))
    level[:knots, :knots] = 1 / knots
    around = np.eye(knots + n_unordered) - level
    around[knots:] = 0.0
    weak = ANCHOR * 20 / knots * around + CONSTANT * level
    weak[range(knots, knots + n_unordered), range(knots, knots + n_unordered)] = loose
    differences = [
        np.hstack([np.diff(np.eye(knots), n=order, axis=0), np.zeros((knots - order, n_unordered))]) for order in orders
    ]
    # Differences of an order shrink with the distance of the knots.
    scales = [(size / 20) ** (2 * order - 1) for order in orders]
    strengths = [np.full(knots - order, FIRST[order] * scale) for order, scale in zip(orders, scales, strict=True)]
    fits = None
    for remaining in reversed(range(ROUNDS)):
        penalties = np.array([weak + d.T @ (s[:, None] * d) for d, s in zip(differences, strengths, strict=True)])
        fits = fit_all(given, widths, counts, basis, penalties, "log", start=None if fits is None else fits.z)
        spread = np.linalg.inv(fits.curvature + penalties)
        # How much of each difference is decided by the reports, not by its penalty.
        known = [
            np.clip(1 - s * (d @ around_it * d).sum(axis=1), 1e-6, 1.0)
            for d, s, around_it in zip(differences, strengths, spread, strict=True)
        ]
        if remaining:
            strengths = [
                np.minimum(k / ((d @ z) ** 2 + SMALLEST[order] / scale), STIFFEST * scale)
                for k, d, z, order, scale in zip(known, differences, fits.z, orders, scales, strict=True)
            ]
    assert fits is not None
    paid = fits.evidence - COST * np.array([k.sum() for k in known])
    return Fits(fits.shares, fits.likelihood, paid, fits.z, fits.curvature)
