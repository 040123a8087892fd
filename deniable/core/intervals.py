"""The rules that intervals follow: from a confidence level to the lower and upper ends.

Each estimate is given its rule where it is made. The plain one is so many standard errors around the value (`NormalInterval`). Shares
have score intervals (`ScoreInterval`), sensible near 0 and 1, where value +- 1.96 se is not.

An unbiased estimate is a mean of weights w(z) with E[w | truth] = 1 for the label and 0 otherwise. If its true share is s, the
weights have second moment s A + (1 - s) B, A and B being the second moments given the label and given the others. All s that
lie within z standard errors *of themselves* from the estimate form the interval: the ends of a quadratic. For k-ary randomised
response this is Wilson's interval for the share of reports, mapped back.

Other rules are functions of the modules that need them: all values that no test refutes (ratios, quantiles), or an interval that counts the
largest bias (behind noise).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.errors import ParameterError

Ends = tuple[Floats, Floats]
"""The lower and the upper ends of the intervals, one of each per label."""
IntervalRule = Callable[[float], Ends]
"""What gives the ends at a confidence level."""


def check_level(level: Any) -> None:
    """Refuse what is not a confidence level."""
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise ParameterError("level", "level must be a number between 0 and 1 such as 0.95, got {got!r}.", got=level)


@dataclass(frozen=True)
class NormalInterval:
    """As many standard errors below `low` and above `high` as the normal distribution needs for the level.

    >>> low, high = NormalInterval(np.array([0.5]), np.array([0.5]), np.array([0.1]))(0.95)
    >>> float(low[0].round(3)), float(high[0].round(3))
    (0.304, 0.696)
    """

    low: Floats
    high: Floats
    errors: Floats

    def __call__(self, level: float) -> Ends:
        reach = NormalDist().inv_cdf(0.5 + level / 2) * self.errors
        return self.low - reach, self.high + reach


@dataclass(frozen=True)
class Moments:
    """What a score interval needs, one number per label: unbiased centre, E[w^2 | label], E[w^2 | other labels]."""

    centre: Floats
    given: Floats
    others: Floats


@dataclass(frozen=True)
class ScoreInterval:
    """Score intervals of shares that are estimated from n reports; `target` is that of the estimate."""

    moments: Moments
    n: float
    target: str

    def __call__(self, level: float) -> Ends:
        return score_interval(self.moments, self.n, level, self.target)


def score_interval(moments: Moments, n: float | Floats, level: float, target: str) -> Ends:
    """Both ends of the score interval for each label.

    Population:  n (v - s)^2 = z^2 (s A + (1 - s) B - s^2).   Respondents:  n (v - s)^2 = z^2 (s (A - 1) + (1 - s) B).

    >>> plain = Moments(np.array([0.1]), np.array([1.0]), np.array([0.0]))      # no randomisation: Wilson's own interval
    >>> [float(end[0].round(4)) for end in score_interval(plain, 50, 0.95, "population")]
    [0.0435, 0.2136]
    """
    z2 = NormalDist().inv_cdf(0.5 + level / 2) ** 2
    v, a, b = moments.centre, moments.given, moments.others
    if target == "respondents":
        square, linear = n, -2 * n * v - z2 * (a - 1 - b)
    else:
        square, linear = n + z2, -2 * n * v - z2 * (a - b)
    constant = n * v**2 - z2 * b
    root = np.sqrt(np.maximum(linear**2 - 4 * square * constant, 0.0))
    return (-linear - root) / (2 * square), (-linear + root) / (2 * square)


def at_least_direct(ends: Ends, shares: Floats, n: float | Floats, level: float) -> Ends:
    """Widen intervals of shares to Wilson's for n direct answers: where reports are few or all alike they would seem too sure.

    >>> low, high = at_least_direct((np.zeros(1), np.zeros(1)), np.zeros(1), 300, 0.95)
    >>> float(low[0]), float(high[0].round(4))
    (0.0, 0.0126)
    """
    inside, one = np.clip(shares, 0.0, 1.0), np.ones(len(shares))
    low, high = score_interval(Moments(inside, one, 0 * one), n, level, "population")
    return np.minimum(ends[0], low), np.maximum(ends[1], high)


@dataclass(frozen=True)
class AtLeastDirect:
    """Another rule's intervals of shares, but none narrower than that of n direct answers.

    >>> sure = NormalInterval(np.ones(1), np.ones(1), np.zeros(1))  # 14 of 14 were right
    >>> low, high = AtLeastDirect(sure, np.ones(1), 14)(0.95)
    >>> float(low[0].round(2)), float(high[0].round(2))
    (0.78, 1.0)
    """

    rule: IntervalRule
    shares: Floats
    n: float

    def __call__(self, level: float) -> Ends:
        return at_least_direct(self.rule(level), self.shares, self.n, level)
