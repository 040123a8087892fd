"""Densities behind a channel: a baseline, tilted by a Gaussian prior on its logarithm. Newton steps, and the evidence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

SMALLEST = 1e-300


@njit(cache=True, nogil=True)
def _spread(base: Any, loadings: Any, heights: Any) -> Any:
    """exp(base + loadings heights), scaled to sum to 1."""
    logs = base + loadings @ heights
    top = logs.max()
    shares = np.exp(logs - top)
    return shares / shares.sum()


@njit(cache=True, nogil=True)
def _log_likelihood(counts: Any, expected: Any) -> float:
    total = 0.0
    for z in range(counts.size):
        if counts[z] > 0:
            total += counts[z] * np.log(max(expected[z], SMALLEST))
    return total


@njit(cache=True, nogil=True)
def tilted(matrix: Any, counts: Any, base: Any, loadings: Any, parts: Any, max_steps: int) -> Any:
    """For each class c the shares exp(base + loadings v_c) / sum, v_c standard normal, that best explain `counts`.

    Row c * k + x of `matrix` is P(report | class c, cell x), `parts[c]` the share of class c; so one class alone is `parts = [1]`.
    Gives the shares [class, cell] and the logarithm of the evidence (Laplace: the peak, and how sharp it is).
    """
    cells, size = loadings.shape
    classes, reports = parts.size, matrix.shape[1]
    n = counts.sum()
    heights = np.zeros(classes * size)
    shares = np.empty((classes, cells))
    given = np.empty((classes, reports))
    for c in range(classes):
        shares[c] = _spread(base, loadings, heights[c * size : (c + 1) * size])
        given[c] = shares[c] @ matrix[c * cells : (c + 1) * cells]
    expected = parts @ given
    value = _log_likelihood(counts, expected)
    curvature = np.eye(classes * size)
    slopes = np.empty((reports, classes * size))
    for _ in range(max_steps):
        for c in range(classes):
            weighted = loadings * shares[c].reshape(cells, 1)
            slope = matrix[c * cells : (c + 1) * cells].T @ weighted
            mean = weighted.sum(axis=0)
            for z in range(reports):
                for j in range(size):
                    slopes[z, c * size + j] = parts[c] * (slope[z, j] - given[c, z] * mean[j])
        gradient = -heights
        scaled = np.empty((reports, classes * size))
        for z in range(reports):
            safe = max(expected[z], SMALLEST)
            if counts[z] > 0:
                gradient = gradient + slopes[z] * (counts[z] / safe)
            scaled[z] = slopes[z] * np.sqrt(n / safe)
        curvature = scaled.T @ scaled
        for j in range(classes * size):
            curvature[j, j] += 1.0
        step = np.linalg.solve(curvature, gradient)
        length, gained = 1.0, -1.0
        while length > 1e-4:
            tried = heights + length * step
            shares_tried = np.empty((classes, cells))
            given_tried = np.empty((classes, reports))
            for c in range(classes):
                shares_tried[c] = _spread(base, loadings, tried[c * size : (c + 1) * size])
                given_tried[c] = shares_tried[c] @ matrix[c * cells : (c + 1) * cells]
            expected_tried = parts @ given_tried
            gained = _log_likelihood(counts, expected_tried) - 0.5 * (tried @ tried) - value
            if gained >= 0:
                break
            length *= 0.5
        if gained < 0:
            break
        heights, shares, given, expected = tried, shares_tried, given_tried, expected_tried
        value += gained
        if gained < 1e-6 * (1 + abs(value) * 1e-3):
            break
    return shares, value - 0.5 * np.linalg.slogdet(curvature)[1]
