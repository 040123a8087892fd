"""Numbers hidden so that their mean stays known well: one bit, and the piecewise mechanism on a grid (`windows.py` is their law)."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

from deniable.core.channels.base import Channel
from deniable.core.channels.sparse_windows import SparseWindows
from deniable.core.channels.windows import Windows
from deniable.core.domains.checks import check_domain
from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import Number, fraction, written
from deniable.core.domains.grids import Continuous, Integer
from deniable.core.domains.labels import Ordinal, rating_numbers
from deniable.core.domains.missing import WithMissing
from deniable.errors import ParameterError

MOST_ODDS = 10**9
FINEST_ODDS = 2**20
"""Odds that come from an epsilon are a whole number of parts of this size."""
MOST_CELLS = 1_000
"""A wide domain is reported in this many steps by default; a mean is not known any better by more of them."""
BIT = ("low", "high")


def _check_numbers(domain: Any, owner: str) -> Domain:
    checked = check_domain(domain, owner)
    if not isinstance(checked.answered, (Integer, Continuous)) and not is_rating(checked):
        raise ParameterError(
            "not_numbers_of_a_grid",
            "{owner} needs numbers: dn.Integer(low, high), dn.Continuous(low, high, step), or a rating, whose labels are numbers "
            "equally far apart, such as dn.Ordinal(['1', '2', '3']); got {domain!r}.",
            owner=owner,
            domain=checked,
        )
    if _values(checked) < 2:
        raise ParameterError(
            "one_value", "{owner}: {domain!r} has one value only: there is nothing to hide.", owner=owner, domain=checked
        )
    return checked


def is_rating(domain: Domain) -> bool:
    """Whether a domain is a rating that the designs for means can hide: at least three labels that are numbers, rising by equal steps.

    >>> import deniable as dn
    >>> is_rating(dn.Ordinal(["1", "2", "3"], missing="no answer")), is_rating(dn.Ordinal(["1", "2", "5"])), is_rating(dn.Integer(1, 3))
    (True, False, False)
    """
    numbers = rating_numbers(domain)
    if numbers is None or len(numbers) < 3:
        return False
    steps = {later - number for number, later in itertools.pairwise(numbers)}
    return len(steps) == 1 and min(steps) > 0


def _values(domain: Domain) -> int:
    """How many numbers there are, without silence."""
    return domain.size - (domain.missing is not None)


def _check_odds(odds: Any, owner: str) -> Fraction:
    read = fraction(odds, owner, "odds")
    if not 1 < read <= MOST_ODDS:
        raise ParameterError(
            "odds_range",
            "{owner}: odds is how many times a report may change anyone's odds, above 1 and at most {most:,}, got {got}.",
            owner=owner,
            most=MOST_ODDS,
            got=odds,
        )
    return read


def odds_within(epsilon: Any, owner: str) -> Fraction:
    """The largest odds (in parts of a millionth or so) whose logarithm does not exceed epsilon.

    >>> float(odds_within(math.log(5), "OneBit")) <= 5, float(odds_within(math.log(5), "OneBit")) > 4.99999
    (True, True)
    """
    if isinstance(epsilon, bool) or not isinstance(epsilon, (int, float)) or not 0 < epsilon <= math.log(MOST_ODDS):
        raise ParameterError(
            "epsilon_range", "{owner}.from_epsilon: epsilon must lie in (0, {most:.1f}], got {got}.",
            owner=owner, most=math.floor(10 * math.log(MOST_ODDS)) / 10, got=epsilon,
        )  # fmt: skip
    finest = FINEST_ODDS if epsilon > 1e-3 else FINEST_ODDS**2
    parts = math.floor(math.exp(epsilon) * finest)
    while math.log(parts / finest) > epsilon:
        parts -= 1
    return _check_odds(Fraction(parts, finest), owner)


class OneBit(Channel):
    """Only "low" or "high" is reported, and "high" is the likelier the larger the number is (Duchi, Jordan and Wainwright).

    P("high") rises evenly from 1 / (odds + 1) for the smallest number to odds / (odds + 1) for the largest. So means are known well, and
    nothing else is: shares and quantiles cannot be told. A domain with a label for "no answer" hides that, too, at the same odds. A rating
    is reported as its lowest or its highest number.

    >>> import deniable as dn
    >>> channel = dn.OneBit(dn.Integer(0, 4), odds=3)
    >>> channel.integer_rows().tolist()
    [[6, 2], [5, 3], [4, 4], [3, 5], [2, 6]]
    >>> channel.weights(lambda number: number).round(6).tolist()        # what a report counts as, for the mean
    [-2.0, 6.0]
    """

    def __init__(self, domain: Domain, odds: Number) -> None:
        self.domain = _check_numbers(domain, "OneBit")
        self.odds = _check_odds(odds, "OneBit")
        silent = domain.missing is not None
        if is_rating(domain):
            self.reported: Domain = domain
            self.law: Windows = SparseWindows(_values(domain), 2, 1, self.odds, silent)
            return
        self.reported = WithMissing(Ordinal(list(BIT)), str(domain.missing)) if silent else Ordinal(list(BIT))
        self.law = Windows(domain.answered.size, 2, 1, self.odds, silent)

    @classmethod
    def from_epsilon(cls, domain: Domain, epsilon: float) -> OneBit:
        """The design that tells most without exceeding `epsilon`.

        >>> import deniable as dn, math
        >>> 0.9999 < dn.OneBit.from_epsilon(dn.Integer(0, 99), 1.0).epsilon <= 1.0
        True
        """
        return cls(domain, odds_within(epsilon, "OneBit"))

    def parameters(self) -> dict[str, Any]:
        return {"domain": self.domain.to_json(), "odds": written(self.odds)}


class Piecewise(Channel):
    """A number near the true one, or any other: numbers in a window around the truth are reported `odds` times as often as those outside.

    By default the piecewise mechanism of Wang et al. (2019) on a grid: the window is 1 / (1 + sqrt(odds)) of all that may be reported. With
    fewer `reports` than numbers the truth is rounded at random to one of them, so that means stay unbiased; with `width=1` nothing but that
    rounded number is likelier. Few reports are best for means: at odds of 5, three.

    Parameters
    ----------
    domain : Domain
        Numbers of a grid, `dn.Integer` or `dn.Continuous` with a step; or a rating (`dn.Ordinal` of numbers that are equally far apart),
        of which `reports` numbers are reported.
    odds : number
        How many times a report may change anyone's odds at most.
    reports : int, optional
        How many numbers may be reported; by default as many as the window of that width needs in steps of the domain (in coarser ones
        beyond 1,000).
    width : int, optional
        How many of them are in the window.

    Examples
    --------
    >>> import deniable as dn
    >>> channel = dn.Piecewise(dn.Integer(0, 4), odds=5, reports=3, width=1)
    >>> channel.outputs, channel.integer_rows().tolist()
    ((0, 2, 4), [[5, 1, 1], [3, 3, 1], [1, 5, 1], [1, 3, 3], [1, 1, 5]])
    >>> wang = dn.Piecewise(dn.Integer(0, 99), odds=5)
    >>> wang.reports, wang.width, wang.outputs[0], wang.outputs[-1]
    (144, 45, -22, 121)
    """

    adds_noise = True

    def __init__(self, domain: Domain, odds: Number, reports: int | None = None, width: int | None = None) -> None:
        self.domain = _check_numbers(domain, "Piecewise")
        self.odds = _check_odds(odds, "Piecewise")
        values, silent = _values(domain), domain.missing is not None
        self.reports, self.width = _size(values, self.odds, reports, width)
        if is_rating(domain):
            self.reported: Domain = domain
            self.law: Windows = _for_rating(values, self.reports, self.width, self.odds, silent)
            return
        numbers = _reported(domain.answered, self.reports, self.width)
        self.reported = WithMissing(numbers, str(domain.missing)) if silent else numbers
        self.law = Windows(values, self.reports, self.width, self.odds, silent)

    @classmethod
    def from_epsilon(cls, domain: Domain, epsilon: float, reports: int | None = None, width: int | None = None) -> Piecewise:
        """The design that tells most without exceeding `epsilon`.

        >>> import deniable as dn
        >>> 0.9999 < dn.Piecewise.from_epsilon(dn.Integer(0, 99), 1.0).epsilon <= 1.0
        True
        """
        return cls(domain, odds_within(epsilon, "Piecewise"), reports, width)

    def parameters(self) -> dict[str, Any]:
        return {"domain": self.domain.to_json(), "odds": written(self.odds), "reports": self.reports, "width": self.width}


def _size(values: int, odds: Fraction, reports: Any, width: Any) -> tuple[int, int]:
    """How many reports there are, and how many of them are in the window."""
    for name, given, least in (("reports", reports, 2), ("width", width, 1)):
        if given is not None and (isinstance(given, bool) or not isinstance(given, int) or given < least):
            raise ParameterError(
                "piecewise_size", "Piecewise: {name} must be a whole number, {least} or more, got {got!r}.",
                name=name, least=least, got=given,
            )  # fmt: skip
    root = math.sqrt(odds)
    if reports is None:
        steps = min(values, MOST_CELLS) - 1
        # An odd one, so that what is reported lies on the same grid as what is true.
        width = max(1, 2 * round((steps / root - 1) / 2) + 1) if width is None else width
        reports = steps + width
    elif width is None:
        width = min(reports - 1, max(1, round(reports / (1 + root))))
    if width >= reports:
        raise ParameterError(
            "piecewise_width", "Piecewise: width must be below reports ({reports}), or nothing is told, got {got}.",
            reports=reports, got=width,
        )  # fmt: skip
    return reports, width


def _for_rating(values: int, reports: int, width: int, odds: Fraction, silent: bool) -> Windows:
    """A rating is reported as a rating, so there are no more reports than answers."""
    if reports > values or (reports == values and width > 1):
        raise ParameterError(
            "piecewise_rating",
            "Piecewise: a rating of {values} numbers is reported as one of them: reports must be below {values}, or {values} with width=1, "
            "got reports={reports} and width={width}.",
            values=values, reports=reports, width=width,
        )  # fmt: skip
    law = Windows if reports == values else SparseWindows
    return law(values, reports, width, odds, silent)


def _reported(domain: Any, reports: int, width: int) -> Domain:
    """The numbers that are reported, each in the middle of the truths whose windows it is in; whole ones where truths are whole and farther
    apart (a file for spreadsheets has no decimal sign that could be read as another)."""
    step = domain.step * Fraction(domain.size - 1, reports - width)
    low = domain.low - step * Fraction(width - 1, 2)
    high = low + step * (reports - 1)
    if isinstance(domain, Integer) and low.denominator == step.denominator == 1:
        return Integer(int(low), int(high), int(step))
    if isinstance(domain, Integer) and reports < domain.size:
        return Ordinal([math.floor(low + step * i + Fraction(1, 2)) for i in range(reports)])
    return Continuous(low, high, step)
