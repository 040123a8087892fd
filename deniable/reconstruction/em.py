"""Maximum likelihood by expectation maximisation, needing only push and pull. Stays inside the simplex."""

from __future__ import annotations

import numpy as np

from deniable.core.exact import Floats
from deniable.core.operators import Operator


def em(law: Operator, counts: Floats, tolerance: float = 1e-10, max_iterations: int = 100_000) -> Floats:
    """Shares of the truths that make the observed counts most likely.

    A share grows by the factor by which the reports that it explains were seen more often than expected; at the maximum
    that factor is 1 for every positive share and at most 1 for the others, and that is when it stops.

    >>> from deniable.core.laws import Mixture
    >>> em(Mixture(2, np.array([1, 1])), np.array([60.0, 40.0])).round(6).tolist()
    [0.7, 0.3]
    """
    observed = counts / counts.sum()
    seen = observed > 0
    shares = np.full(law.inputs, 1 / law.inputs)
    ratio = np.zeros(law.outputs)
    for _ in range(max_iterations):
        expected = law.push(shares)
        ratio[seen] = observed[seen] / np.maximum(expected[seen], 1e-300)
        factor = law.pull(ratio)
        # No other distribution can be likelier by more than log(max factor) an answer: a certificate, not a guess.
        if factor.max() <= 1 + tolerance:
            break
        shares = shares * factor
        shares /= shares.sum()
    return shares
