"""How the true values of an attribute are distributed in each class, from counts of reports: smoothed as much as the data asks for.

The logarithm of each class's distribution is that of everyone plus a deviation with a Gaussian prior. For labels the deviations
are independent; for ordered cells neighbours deviate alike, over a long way or a short one. How far classes deviate, and how
smoothly, is weighed by the evidence: fits of all settings are averaged, and "no difference between the classes" is one of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from deniable.kernels.tilting import tilted

SPREADS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
REACHES = (0.7, 0.3, 0.12)
"""How far along the cells (as part of all of them) deviations are alike; besides these, deviations in a straight line."""

NO_DIFFERENCE = 0.2
"""Before the data is seen: the chance that an attribute says nothing about the class."""

SMALLEST_DIRECTION = 1e-3
MAX_STEPS = 50


@lru_cache(maxsize=512)
def loadings(cells: int, ordered: bool, n_unordered: int) -> tuple[Any, ...]:
    """Square roots of the covariances that deviations may have; the last `n_unordered` cells stand outside the order."""
    if not ordered:
        covariances = [np.eye(cells)]
    else:
        inside = cells - n_unordered
        place = (np.arange(inside) + 0.5) / inside
        line = 2 * place - 1
        covariances = []
        for block in [3 * np.outer(line, line), *(np.exp(-0.5 * ((place[:, None] - place) / reach) ** 2) for reach in REACHES)]:
            whole = np.eye(cells)
            whole[:inside, :inside] = block
            covariances.append(whole)
    roots = []
    centre = np.eye(cells) - 1 / cells
    for covariance in covariances:
        values, vectors = np.linalg.eigh(centre @ covariance @ centre)
        kept = values > SMALLEST_DIRECTION * max(values.max(), 1e-300)
        roots.append(np.ascontiguousarray(vectors[:, kept] * np.sqrt(values[kept])))
    return tuple(roots)


def averaged(fits: list[Any], evidence: list[float]) -> Any:
    """The mean of the fits, each weighed by its evidence."""
    weights = np.exp(np.array(evidence) - max(evidence))
    return np.tensordot(weights / weights.sum(), np.array(fits), axes=1)


def everyone(matrix: Any, counts: Any, roots: tuple[Any, ...]) -> Any:
    """The distribution of all classes together: smoothed toward equal cells, hardly where there is much data."""
    one, flat = np.ones(1), np.full(len(matrix), -np.log(len(matrix)))
    fits, evidence = [], []
    for root in roots:
        for spread in SPREADS[2:]:
            shares, value = tilted(matrix, counts, flat, root * spread, one, MAX_STEPS)
            fits.append(shares[0])
            evidence.append(value)
    return averaged(fits, evidence)


def densities(matrix: Any, counts: Any, ordered: bool, n_unordered: int = 0, joint: Any = None, parts: Any = None) -> Any:
    """Shares of the true cells in each class.

    Parameters
    ----------
    matrix : P(reported cell | true cell).
    counts : how many rows reported each class and cell, [class, cell].
    ordered : whether the cells have an order.
    n_unordered : how many of the last cells stand outside the order.
    joint : P(reported class and cell | class and cell), classes varying slowest, if the class is hidden too.
    parts : the estimated share of each class, if it is hidden.

    Returns
    -------
    array
        [class, cell]; the cells of each class sum to 1.

    Examples
    --------
    >>> densities(np.eye(2), np.array([[90.0, 10.0], [20.0, 80.0]]), ordered=False).round(2).tolist()
    [[0.89, 0.11], [0.21, 0.79]]
    """
    matrix = np.ascontiguousarray(matrix, dtype=np.float64)
    counts = np.ascontiguousarray(counts, dtype=np.float64)
    cells = len(matrix)
    classes = len(counts) if parts is None else len(parts)
    if cells == 1:
        return np.ones((classes, 1))
    roots = loadings(cells, ordered, n_unordered)
    pooled = everyone(matrix, counts.sum(axis=0), roots)
    base = np.log(np.maximum(pooled, 1e-12))
    expected = pooled @ matrix
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(expected, 1e-300))
    if joint is not None:
        joint = np.ascontiguousarray(joint, dtype=np.float64)
        spread = (np.asarray(parts)[:, None] * pooled).reshape(-1) @ joint
        null = float(counts.reshape(-1) @ np.log(np.maximum(spread, 1e-300)))
    else:
        null = float((counts @ logs).sum())
    settings = len(roots) * len(SPREADS)
    fits, evidence = [np.tile(pooled, (classes, 1))], [null + np.log(NO_DIFFERENCE)]
    one = np.ones(1)
    for root in roots:
        for spread in SPREADS:
            if joint is not None:
                shares, value = tilted(
                    joint, counts.reshape(-1), base, root * spread, np.asarray(parts, dtype=np.float64), MAX_STEPS
                )
            else:
                shares, value = np.empty((classes, cells)), 0.0
                for c in range(classes):
                    tilted_shares, gained = tilted(matrix, counts[c], base, root * spread, one, MAX_STEPS)
                    shares[c] = tilted_shares[0]
                    value += gained
            fits.append(shares)
            evidence.append(value + np.log((1 - NO_DIFFERENCE) / settings))
    return averaged(fits, evidence)
