"""How well a question will be known: its margin, the smallest difference that would be found, and the answers or protection it takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from deniable.core.channels.base import Channel
from deniable.core.domains.exact import Floats
from deniable.errors import NotInvertibleError, ParameterError
from deniable.planning.known_to import SHARE
from deniable.planning.outcomes import Outcome
from deniable.planning.protection import Design
from deniable.planning.questions import Asked, AskedMean, AskedShare, Divided, of_difference, of_everyone, of_group

FEWEST = 30
"""Below so many direct answers' worth nothing is promised: "too few" is said instead."""
MOST_ANSWERS = 10_000_000
"""No survey gets more; what would need more cannot be told."""
MOST_ODDS = 1_000
"""Who may change anyone's odds by more might as well ask openly."""
POWER = 0.8
"""How often a difference is to be found that is called large enough."""
FIGURES = 3
"""Numbers of answers are rounded up to so many figures: a plan is no measurement."""


@dataclass(frozen=True)
class Wanted:
    """What is to be known: a "share" (of so much), a "mean" or a "quantile" (by the share below it), of everyone or in a group."""

    what: str = "share"
    share: float = SHARE
    divided: Divided | None = None
    truth: tuple[float, ...] | None = None
    """How frequent the answers are, for means; else all are alike."""
    lowest: bool = False
    """Whether a share is that of the lowest values, also where no noise is added to them."""

    def of(self, channel: Channel) -> Asked:
        """What is asked of answers that are hidden so."""
        if self.what == "mean":
            import numpy as np

            truth: Floats | None = None if self.truth is None else np.array(self.truth)
            return AskedMean(channel, truth)
        return AskedShare(channel, self.share, lowest_values=self.lowest or self.what == "quantile")


NEVER = math.inf
"""The margin of what no number of answers tells: the reports say nothing about it."""


def told(channel: Channel, wanted: Wanted, answers: float) -> Outcome | None:
    """What so many answers will tell; None where they are worth too few direct ones. NotInvertibleError where no number of them would."""
    asked = wanted.of(channel)
    outcome = of_everyone(asked, answers) if wanted.divided is None else of_group(asked, wanted.divided, answers)
    return outcome if outcome.worth >= FEWEST else None


def margin(channel: Channel, wanted: Wanted, answers: float) -> float | None:
    """Half the length of the 95% interval that is expected; None where too few direct answers' worth is expected, infinite where no number
    of answers would be enough.

    >>> import deniable as dn
    >>> round(margin(dn.KRR(dn.Binary(), 0.75), Wanted(), 1_000), 3), margin(dn.KRR(dn.Binary(), 0.75), Wanted(), 100)
    (0.059, None)
    >>> margin(dn.OneBit(dn.Integer(0, 9), 5), Wanted(), 1_000)
    inf
    """
    try:
        outcome = told(channel, wanted, answers)
    except NotInvertibleError:
        return NEVER
    return None if outcome is None else outcome.margin


def most_apart(channel: Channel, wanted: Wanted) -> float:
    """The largest difference that two groups can have; where reports never tell it, that of shares."""
    try:
        return wanted.of(channel).most_apart
    except NotInvertibleError:
        return 1 - wanted.share


def power(channel: Channel, wanted: Wanted, divided: Divided, answers: float, apart: float) -> float | None:
    """How often a difference between a group and the others would be found; None where too few direct answers' worth is expected, 0 where
    no number of answers tells it."""
    try:
        asked = wanted.of(channel)
        enough = of_difference(asked, divided, answers, 0.0).worth >= FEWEST
    except NotInvertibleError:
        return 0.0
    return of_difference(asked, divided, answers, apart).power if enough else None


def smallest_difference(
    channel: Channel, wanted: Wanted, divided: Divided, answers: float, often: float = POWER
) -> float | None:
    """The smallest difference between a group and the others that would be found so often; None where there is none, or too few direct
    answers' worth is expected, infinite where no number of answers tells any.

    >>> import deniable as dn
    >>> halves = Divided(0.5)
    >>> found = smallest_difference(dn.Identity(dn.Binary()), Wanted(share=0.5), halves, 1_000)
    >>> round(found, 3), round(power(dn.Identity(dn.Binary()), Wanted(share=0.5), halves, 1_000, found), 2)
    (0.088, 0.8)
    """
    try:
        asked = wanted.of(channel)
        alike = of_difference(asked, divided, answers, 0.0)
    except NotInvertibleError:
        return NEVER
    if alike.worth < FEWEST:
        return None
    normal = NormalDist()
    wished, most = normal.inv_cdf(often), asked.most_apart

    def beyond(apart: float) -> float:
        """By how many standard errors it would be found more often than wished."""
        found = of_difference(asked, divided, answers, apart).power
        return normal.inv_cdf(min(max(found, 1e-6), 1 - 1e-6)) - wished

    error = float(alike.expected.se[0])
    # The chance, in standard errors, rises nearly in a straight line: a few steps of the secant are enough.
    low, high = 0.0, most
    last, apart = 0.0, min((normal.inv_cdf(0.975) + wished) * error, 0.95 * most)
    last_beyond = -normal.inv_cdf(0.975) - wished
    for _ in range(12):
        now = beyond(apart)
        low, high = (apart, high) if now < 0 else (low, apart)
        if abs(now) < 0.003:
            return apart
        slope = (now - last_beyond) / (apart - last) if apart != last else 0.0
        last, last_beyond = apart, now
        step = apart - now / slope if slope > 0 else (low + high) / 2
        apart = step if low < step < high else (low + high) / 2
        if high == most and high - low < 1e-3 * most:
            break
    return apart if high < most else None


def least_answers(channel: Channel, wanted: Wanted, most_off: float) -> int | None:
    """How many answers a margin takes, rounded up; None if no survey gets so many.

    >>> import deniable as dn
    >>> least_answers(dn.Identity(dn.Binary()), Wanted(share=0.5), 0.05)
    380
    """

    def reached(answers: int) -> bool:
        found = margin(channel, wanted, answers)
        return found is not None and found <= most_off

    try:
        asked = wanted.of(channel)
        first = of_everyone(asked, 1_000) if wanted.divided is None else of_group(asked, wanted.divided, 1_000)
    except NotInvertibleError:
        return None
    error = float(first.expected.se[0]) * NormalDist().inv_cdf(0.975)
    worth = max(first.worth, 1.0)  # where 1,000 answers tell nothing yet, more may
    guess = min(max(int(1_000 * (error / most_off) ** 2), int(1_000 * FEWEST / worth), FEWEST), MOST_ANSWERS)
    # Before it is cut at 0 and 1 the interval is a little longer, so the guess is near, and mostly above.
    low, high = round(0.8 * guess), round(1.05 * guess)
    if reached(low):
        low, high = 0, low
    while not reached(high):
        if high >= MOST_ANSWERS:
            return None
        low, high = high, min(2 * high, MOST_ANSWERS)
    return _rounded_up(_first(reached, low, high))


def strongest_tenth(channel: Channel, wanted: Wanted, answers: float, most_off: float, design: Design) -> int | None:
    """The smallest odds, in tenths, with which a margin is reached; None if even the largest do not."""

    def reached(tenths: int) -> bool:
        try:
            hidden = design(channel, Fraction(tenths, 10))
        except ParameterError:  # no such design is as strong as that
            return False
        found = margin(hidden, wanted, answers)
        return found is not None and found <= most_off

    if not reached(10 * MOST_ODDS):
        return None
    return _first(reached, 10, 10 * MOST_ODDS)


def _first(reached: Callable[[int], bool], low: int, high: int) -> int:
    """The first number after `low` that reaches something, as `high` does."""
    while high - low > 1:
        # Odds and answers matter by their logarithm.
        middle = min(max(math.isqrt(max(low, 1) * high), low + 1), high - 1)
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _rounded_up(number: int) -> int:
    step = int(10 ** max(0, len(str(number)) - FIGURES))
    return -(-number // step) * step
