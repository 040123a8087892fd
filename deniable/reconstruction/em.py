"""Maximum likelihood by expectation maximisation, needing only push and pull. Stays inside the simplex.

The log-likelihood sum c log(push(p)) is concave, so a point where no truth explains the reports better than the
present mixture does (every factor at most 1) is a global maximum. That is both the stopping rule and the certificate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from deniable.core.channels.laws import Mixture
from deniable.core.channels.operators import Operator
from deniable.core.domains.exact import Floats
from deniable.errors import NotInvertibleError

TOLERANCE = 1e-9
MAX_EVALUATIONS = 50_000
EXACT_LIMIT = 500


@dataclass(frozen=True)
class Fit:
    """Shares of the truths, how many EM steps were taken, and how far the log-likelihood per answer can be below the maximum."""

    shares: Floats
    steps: int
    gap: float

    @property
    def converged(self) -> bool:
        """Whether the certificate holds."""
        return self.gap <= TOLERANCE


class Likelihood:
    """The log-likelihood per answer, and the EM step, for given counts."""

    def __init__(self, law: Operator, counts: Floats) -> None:
        self.law = law
        self._seen = counts > 0
        self._observed = counts / counts.sum()
        self._ratio = np.zeros(law.outputs)

    def value(self, expected: Floats) -> float:
        """The log-likelihood per answer if reports are expected with these shares."""
        seen = self._seen
        with np.errstate(divide="ignore"):
            return float(self._observed[seen] @ np.log(np.maximum(expected[seen], 0.0)))

    def factors(self, expected: Floats) -> Floats:
        """By how much an EM step multiplies each share; the gradient of the log-likelihood."""
        seen = self._seen
        self._ratio[seen] = self._observed[seen] / np.maximum(expected[seen], 1e-300)
        return self.law.pull(self._ratio)


def em(
    law: Operator,
    counts: Floats,
    tolerance: float = TOLERANCE,
    max_evaluations: int = MAX_EVALUATIONS,
    start: Floats | None = None,
) -> Fit:
    """Shares of the truths that make the observed counts most likely.

    Two EM steps and an extrapolation through them (SQUAREM, Varadhan and Roland 2008), which is taken only where it stays
    inside the simplex and does not lower the likelihood; otherwise the plain steps stand.

    Parameters
    ----------
    law : Operator
        How truths become reports.
    counts : array
        How often each label was reported.
    tolerance : float
        Stop when no other distribution could gain more log-likelihood per answer than this.
    max_evaluations : int
        Stop after this many steps at the latest.
    start : array, optional
        Where to start; equal shares by default. It must be positive everywhere: EM never leaves 0.

    Returns
    -------
    Fit
        The shares, how many steps were taken, and how much log-likelihood may be missing.

    Examples
    --------
    >>> from deniable.core.channels.laws import Mixture
    >>> fit = em(Mixture(2, np.array([1, 1])), np.array([60.0, 40.0]))
    >>> fit.shares.round(6).tolist(), fit.converged
    ([0.7, 0.3], True)
    """
    if isinstance(law, Mixture) and law.diagonal > 0:
        return Fit(mixture_maximum(law, counts), 0, 0.0)
    solved = _exact_solution(law, counts)
    if solved is not None:
        return Fit(solved, 0, 0.0)
    likelihood = Likelihood(law, counts)
    shares = np.full(law.inputs, 1 / law.inputs) if start is None else start
    expected = law.push(shares)
    value = likelihood.value(expected)
    steps = 0
    reach = 1.0
    gap = math.inf
    while steps < max_evaluations:
        factors = likelihood.factors(expected)
        # sum p_new * factor - 1 <= max factor - 1 bounds how much any other distribution could gain.
        gap = float(factors.max()) - 1
        if gap <= tolerance:
            break
        first = _scaled(shares * factors)
        second = _scaled(first * likelihood.factors(law.push(first)))
        steps += 2
        change, bend = first - shares, second - 2 * first + shares
        bent = float(np.linalg.norm(bend))
        length = min(max(1.0, float(np.linalg.norm(change)) / bent), reach) if bent > 0 else 1.0
        candidate = shares + 2 * length * change + length**2 * bend
        if length > 1 and candidate.min() >= 0:
            candidate = _scaled(candidate)
            # One more EM step after the leap repairs its small errors and never lowers the likelihood.
            leapt = law.push(candidate)
            if likelihood.value(leapt) >= value:
                candidate = _scaled(candidate * likelihood.factors(leapt))
                steps += 1
                reach = reach * 4 if length == reach else reach
            else:
                candidate, reach = second, max(1.0, reach / 4)
        else:
            reach = reach * 4 if length == reach and candidate.min() >= 0 else max(1.0, reach / 2)
            candidate = second
        shares, expected = candidate, law.push(candidate)
        value = likelihood.value(expected)
    return Fit(shares, steps, max(0.0, gap))


def _exact_solution(law: Operator, counts: Floats) -> Floats | None:
    """Where distinct truths give distinct reports and the exact solution is a distribution, nothing can be likelier."""
    if law.inputs != law.outputs or law.inputs > EXACT_LIMIT:
        return None
    try:
        shares = law.inverse.T @ counts / counts.sum()
    except NotInvertibleError:
        return None
    return _scaled(shares) if shares.min() >= 0 else None


def _scaled(shares: Floats) -> Floats:
    scaled: Floats = shares / shares.sum()
    return scaled


def mixture_maximum(law: Mixture, counts: Floats) -> Floats:
    """The exact maximum for keep-or-replace channels, by filling up to a common level; no iteration.

    At the maximum c_z a / (a p_z + b_z) is the same for every positive share, so p_z = (c_z / level - b_z) / a, cut at 0. The
    positive ones are those with the largest c_z / b_z, so sorting finds them.

    >>> mixture_maximum(Mixture(2, np.array([1, 1, 1])), np.array([50.0, 45.0, 5.0])).round(6).tolist()
    [0.552632, 0.447368, 0.0]
    """
    a = law.diagonal / law.denominator
    b = law.replacement / law.denominator
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(counts > 0, counts / b, 0.0), kind="stable")
    # With the m largest ratios positive: sum (c/level - b) = a  =>  level = sum c / (a + sum b).
    level = np.cumsum(counts[order]) / (a + np.cumsum(b[order]))
    positive = counts[order] > level * b[order]
    m = int(np.flatnonzero(positive)[-1]) + 1
    shares: Floats = np.maximum(counts / level[m - 1] - b, 0.0) / a
    return _scaled(shares)
