"""The iterative algorithms as published, with their stopping rules: AS (thesis, Algorithm 7), EM/AS (Algorithm 9).

Both multiply each share by how much better than average it explains the reports, starting from uniform, and stop early. The
early stop is what regularises them, and what biases them: they have a variability band, no interval.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.core.channels.additive import Additive
from deniable.core.channels.noise import Staircase
from deniable.core.channels.operators import FloatTable, Operator
from deniable.core.channels.views import View
from deniable.core.domains.exact import Floats
from deniable.errors import ParameterError
from deniable.reconstruction.em import Fit

STOPS = ("estimates", "reports", "truth")
MAX_STEPS = 100_000


def chi_square_point(cells: int, level: float = 0.99) -> float:
    """The point that chi-square with cells - 1 degrees of freedom stays below with probability `level`."""
    from scipy.special import gammaincinv  # slow to load, and needed for little

    return float(2 * gammaincinv((cells - 1) / 2, level))


def chi_square(a: Floats, b: Floats) -> float:
    """The two-sample statistic sum (a - b)^2 / (a + b) of two vectors of counts."""
    total = a + b
    seen = total > 0
    return float(((a - b)[seen] ** 2 / total[seen]).sum())


def early_stopped(
    law: Operator,
    counts: Floats,
    stop: str = "estimates",
    truth: Any = None,
    start: Floats | None = None,
    max_steps: int = MAX_STEPS,
) -> Fit:
    """Plain steps from `start` until the stopping rule is met.

    Parameters
    ----------
    law : Operator
        How truths become reports.
    counts : array
        How often each label was reported.
    stop : str
        "estimates": two successive estimates, as counts, differ by less than 1% of the 0.99 point of chi-square (the rule that was
        used); "reports": the randomised estimate cannot be told from the reports; "truth": the estimate cannot be told from `truth`
        (for tests only).
    truth : array, optional
        The true distribution, for the last rule.
    start : array, optional
        Where to start; equal shares by default. For bins the published start is the uniform density: shares in proportion to widths.
    max_steps : int
        How many steps are taken at most.

    Returns
    -------
    Fit
        The shares of the truths, and how many steps were taken.

    Examples
    --------
    >>> from deniable.core.channels.laws import Mixture
    >>> early_stopped(Mixture(2, np.array([1, 1])), np.array([600.0, 400.0])).shares.round(3).tolist()
    [0.683, 0.317]
    """
    if stop not in STOPS:
        raise ParameterError("stop", "stop must be one of {allowed}, got {got!r}.", allowed=list(STOPS), got=stop)
    if stop == "truth" and truth is None:
        raise ParameterError("stop_truth", "stop='truth' compares with the true distribution: give truth=.")
    n = counts.sum()
    shares = np.full(law.inputs, 1 / law.inputs) if start is None else start / start.sum()
    ratio = np.zeros(law.outputs)
    steps = 0
    met = False
    while not met and steps < max_steps:
        steps += 1
        expected = law.push(shares)
        explained = (counts > 0) & (expected > 0)
        ratio[explained] = counts[explained] / n / expected[explained]
        following = shares * law.pull(ratio)
        following = following / following.sum()
        if stop == "estimates":
            met = chi_square(n * shares, n * following) < 0.01 * chi_square_point(law.inputs)
        elif stop == "reports":
            pushed = law.push(following)
            met = chi_square(counts, n * pushed / pushed.sum()) < chi_square_point(law.outputs)
        else:
            original = np.asarray(truth, dtype=np.float64)
            met = chi_square(n * original / original.sum(), n * following) < chi_square_point(law.inputs)
        shares = following
    return Fit(shares, steps, float("nan"))


def midpoint_law(view: View) -> Operator:
    """What AS takes for P between bins: the noise's density at the distance of their mid-points (equation 3.20).

    Rows need not sum to 1: only ratios matter. Without bins, and for channels without noise, P itself.
    """
    true, reported, channel = view.true.bins, view.reported.bins, view.channel
    if true is None or reported is None or not isinstance(channel, Additive) or isinstance(channel.noise, Staircase):
        return view.law
    return FloatTable(channel.noise.density(reported.middles[None, :] - true.middles[:, None]))
