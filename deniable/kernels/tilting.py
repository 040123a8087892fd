"""Densities behind a channel: a baseline, tilted by a Gaussian prior on its logarithm. Newton steps, and the evidence.

Plain loops, also where numpy has a word for them: numba compiles a product or a solved system for seconds, and loops at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled
from deniable.kernels.copying import put

SMALLEST = 1e-300


@compiled()
def _told(
    matrix: Any, counts: Any, base: Any, loadings: Any, parts: Any, heights: Any, shares: Any, given: Any, expected: Any
) -> float:
    """Fill in the shares exp(base + loadings heights) / sum, P(report | class) and P(report); the logarithm of the likelihood."""
    cells, size = loadings.shape
    expected[:] = 0.0
    for c in range(parts.size):
        top = -np.inf
        for x in range(cells):
            log = base[x]
            for j in range(size):
                log += loadings[x, j] * heights[c * size + j]
            shares[c, x] = log
            top = max(top, log)
        total = 0.0
        for x in range(cells):
            shares[c, x] = np.exp(shares[c, x] - top)
            total += shares[c, x]
        given[c] = 0.0
        for x in range(cells):
            shares[c, x] /= total
            for z in range(expected.size):
                given[c, z] += shares[c, x] * matrix[c * cells + x, z]
        for z in range(expected.size):
            expected[z] += parts[c] * given[c, z]
    value = 0.0
    for z in range(expected.size):
        expected[z] = max(expected[z], SMALLEST)
        if counts[z] > 0:
            value += counts[z] * np.log(expected[z])
    return value


@compiled()
def _factored(square: Any) -> float:
    """Put Cholesky's factor into the lower triangle; the logarithm of the determinant."""
    log = 0.0
    for i in range(len(square)):
        for j in range(i + 1):
            left = square[i, j]
            for k in range(j):
                left -= square[i, k] * square[j, k]
            square[i, j] = np.sqrt(left) if i == j else left / square[j, j]
        log += 2 * np.log(square[i, i])
    return log


@compiled()
def _solve(factor: Any, right: Any) -> None:
    """Replace `right` by the solution of factor factor' x = right."""
    size = right.size
    for i in range(size):
        for k in range(i):
            right[i] -= factor[i, k] * right[k]
        right[i] /= factor[i, i]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            right[i] -= factor[k, i] * right[k]
        right[i] /= factor[i, i]


@compiled()
def tilted(matrix: Any, counts: Any, base: Any, loadings: Any, parts: Any, max_steps: int) -> Any:
    """For each class c the shares exp(base + loadings v_c) / sum, v_c standard normal, that best explain `counts`.

    Row c * k + x of `matrix` is P(report | class c, cell x), `parts[c]` the share of class c; so one class alone is `parts = [1]`.
    Gives the shares [class, cell] and the logarithm of the evidence (Laplace: the peak, and how sharp it is).
    """
    cells, size = loadings.shape
    classes, reports = parts.size, matrix.shape[1]
    n = 0.0
    for z in range(reports):
        n += counts[z]
    heights, tried = np.zeros(classes * size), np.zeros(classes * size)
    shares, given, expected = np.empty((classes, cells)), np.empty((classes, reports)), np.empty(reports)
    value = _told(matrix, counts, base, loadings, parts, heights, shares, given, expected)
    curvature = np.zeros((classes * size, classes * size))
    slopes = np.empty((reports, classes * size))
    mean = np.empty(size)
    log_determinant = 0.0
    for _ in range(max_steps):
        step = -heights
        slopes[:] = 0.0
        for c in range(classes):
            mean[:] = 0.0
            for x in range(cells):
                for j in range(size):
                    weighted = loadings[x, j] * shares[c, x]
                    mean[j] += weighted
                    for z in range(reports):
                        slopes[z, c * size + j] += matrix[c * cells + x, z] * weighted
            for z in range(reports):
                for j in range(size):
                    slopes[z, c * size + j] = parts[c] * (slopes[z, c * size + j] - given[c, z] * mean[j])
        curvature[:] = 0.0
        for z in range(reports):
            for i in range(classes * size):
                if counts[z] > 0:
                    step[i] += slopes[z, i] * (counts[z] / expected[z])
                scaled = slopes[z, i] * (n / expected[z])
                for j in range(i + 1):
                    curvature[i, j] += scaled * slopes[z, j]
        for i in range(classes * size):
            curvature[i, i] += 1.0
        log_determinant = _factored(curvature)
        _solve(curvature, step)
        length, gained = 1.0, -1.0
        while length > 1e-4:
            square = 0.0
            for i in range(classes * size):
                tried[i] = heights[i] + length * step[i]
                square += tried[i] * tried[i]
            gained = _told(matrix, counts, base, loadings, parts, tried, shares, given, expected) - 0.5 * square - value
            if gained >= 0:
                break
            length *= 0.5
        if gained < 0:
            _told(matrix, counts, base, loadings, parts, heights, shares, given, expected)
            break
        put(tried, heights)
        value += gained
        if gained < 1e-6 * (1 + abs(value) * 1e-3):
            break
    return shares, value - 0.5 * log_determinant
