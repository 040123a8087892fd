"""Bayes: what a report says about the truth."""

from __future__ import annotations

import numpy as np

from deniable.core.channels.laws import Law
from deniable.core.domains.exact import Floats
from deniable.errors import ParameterError


def posterior(law: Law, prior: Floats, reported: int | None = None) -> Floats:
    """P(true | reported) = prior(true) P(reported | true) / P(reported): one row per report, or the row of one report.

    >>> from deniable.core.channels.laws import Mixture
    >>> posterior(Mixture(2, np.array([1, 1])), np.array([0.5, 0.5])).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    total = prior.sum()
    if (prior < 0).any() or not np.isfinite(total) or total <= 0:
        raise ParameterError(
            "bad_prior", "A prior must be non-negative, finite and not all 0, got {got}.", got=prior[:20].tolist()
        )
    shares = prior / total
    if reported is not None:
        joint = shares * law.column(reported)
        return joint / joint.sum() if joint.sum() > 0 else np.full(law.inputs, np.nan)
    together = (shares[:, None] * law.dense()).T
    with np.errstate(invalid="ignore"):
        rows: Floats = together / together.sum(axis=1, keepdims=True)
    return rows
