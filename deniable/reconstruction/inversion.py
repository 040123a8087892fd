"""EQ: solve for the truths whose expected reports are those observed (paper 001). Unbiased; may leave [0, 1]."""

from __future__ import annotations

import numpy as np

from deniable.core.channels.operators import Operator
from deniable.core.channels.solving import DENSE_LIMIT
from deniable.core.domains.exact import Floats
from deniable.errors import WideDomainError


def inverse_weights(law: Operator) -> Floats:
    """Column j holds, for each report, the unbiased weight of "the truth is j".

    Where there are more reports than truths, there are many such weights; these have the least variance if all truths are equally
    frequent. Choosing them by the data at hand would make the estimate depend on its own errors, and so biased.
    """
    check_cells(law)
    return law.inverse


def check_cells(law: Operator) -> None:
    """Refuse a distribution over more single values than a dense matrix is built for."""
    if law.inputs > DENSE_LIMIT:
        raise WideDomainError(
            "too_many_labels",
            "A distribution over {k:,} single values is not estimated; give bins (at most {limit:,} cells).",
            k=law.inputs,
            limit=DENSE_LIMIT,
        )


def eq(law: Operator, counts: Floats) -> tuple[Floats, Floats]:
    """Estimated shares of the truths and the weights they come from: mean over reports of the weight of each truth.

    >>> from deniable.core.channels.laws import Mixture
    >>> eq(Mixture(2, np.array([1, 1])), np.array([60.0, 40.0]))[0].tolist()
    [0.7, 0.3]
    """
    weights = inverse_weights(law)
    return weights.T @ counts / counts.sum(), weights


def covariance(weights: Floats, counts: Floats, shares: Floats, target: str) -> Floats:
    """Covariance of the estimated shares.

    Population:  (sum c w w' - n v v') / n^2: which people answered is random, and so is the randomisation.
    Respondents: (sum c w w' - n diag(v)) / n^2: the truths are fixed, only the randomisation is random.
    """
    n = counts.sum()
    second = (weights.T * counts) @ weights
    known = n * np.diag(shares) if target == "respondents" else n * np.outer(shares, shares)
    matrix: Floats = (second - known) / n**2
    return matrix
