"""The steps of EM, averaged: each weighted by how well it would predict new reports.

Plain EM from the uniform distribution passes from too smooth to too rough. Instead of one place to stop, the steps are averaged with
weights exp(log-likelihood - 2 optimism), where the optimism is how much of the log-likelihood comes from fitting the noise
of these very reports (the trace of the derivative of the fit by the counts, carried along with the steps).
"""

from __future__ import annotations

import numpy as np

from deniable.core.domains.exact import Floats

STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
CAUTION = 2.0
LARGEST = 30_000
"""Labels times reports beyond which the derivatives take too long."""


def averaged_steps(matrix: Floats, counts: Floats, start: Floats) -> tuple[Floats, float]:
    """Shares averaged over the steps, and their mean log-likelihood.

    >>> matrix = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> averaged_steps(matrix, np.array([700.0, 300.0]), np.ones(2))[0].round(2).tolist()
    [0.89, 0.11]
    """
    path, likelihood, optimism = steps_with_optimism(matrix, counts, start)
    score = likelihood - CAUTION * optimism
    weights = np.exp(score - score.max())
    weights /= weights.sum()
    return weights @ path, float(weights @ likelihood)


def steps_with_optimism(matrix: Floats, counts: Floats, start: Floats) -> tuple[Floats, Floats, Floats]:
    """The shares after each of `STEPS`, their log-likelihood, and how much less that is expected to be for new reports."""
    # Reports that nobody sent say nothing here, since the sum of the shares stays the same.
    seen = counts > 0
    matrix, counts = matrix[:, seen], counts[seen]
    n = counts.sum()
    observed = counts / n
    shares = start / start.sum()
    derivative = np.zeros(matrix.shape)
    path, likelihood, optimism = [], [], []
    for step in range(1, STEPS[-1] + 1):
        expected = np.maximum(shares @ matrix, 1e-300)
        ratio = observed / expected
        factors = matrix @ ratio
        half = matrix * np.sqrt(ratio / expected)
        through = (half @ half.T) @ derivative
        derivative = factors[:, None] * derivative + shares[:, None] * (matrix / (expected * n) - through)
        shares = shares * factors
        if step in STEPS:
            expected = np.maximum(shares @ matrix, 1e-300)
            relative = counts / expected
            path.append(shares / shares.sum())
            likelihood.append(float(counts @ np.log(expected)))
            optimism.append(
                float((matrix * derivative).sum(axis=0) @ relative - (matrix @ relative) @ (derivative @ counts) / n)
            )
    return np.array(path), np.array(likelihood), np.array(optimism)
