"""Margins as curves: against the number of answers, or against the odds that protection allows. `Plan.plot` and pages draw them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from deniable.core.channels.base import Channel
from deniable.errors import ParameterError
from deniable.planning.precision import MOST_ODDS, NEVER, Wanted, margin
from deniable.planning.protection import protected_at

TIMES = tuple(10 ** (step / 6 - 1) for step in range(13))
"""The numbers of answers that are drawn, from a tenth to ten times the planned one."""
ODDS = (1.2, 1.5, 2, 2.5, 3, 4, 5, 6.5, 9, 13, 20)
Points = list[tuple[float, float]]


@dataclass(frozen=True)
class Curve:
    """Points (answers or odds, margin), as far as there is a margin, and the point that is chosen now."""

    points: Points
    now: tuple[float, float] | None


def against_answers(channel: Channel, wanted: Wanted, answers: int) -> Curve:
    """The margin with fewer and with more answers than are planned, at the protection of now.

    >>> import deniable as dn
    >>> drawn = against_answers(dn.KRR(dn.Binary(), 0.75), Wanted(), 1_000)
    >>> [(round(n), round(found, 3)) for n, found in drawn.points][::6], drawn.now[0]
    ([(215, 0.125), (2154, 0.04)], 1000)
    """
    several = [max(1, round(answers * times)) for times in TIMES]
    drawn = _points(several, [margin(channel, wanted, one) for one in several])
    return Curve(drawn, _told(answers, margin(channel, wanted, answers)))


def against_odds(channel: Channel, wanted: Wanted, answers: int, now: float | None = None) -> Curve:
    """The margin of the same design with stronger and with weaker protection, with the answers that are planned. `now` is what a report may
    change odds by at present, if not what the channel alone says.

    >>> import deniable as dn
    >>> drawn = against_odds(dn.KRR(dn.Binary(), 0.75), Wanted(), 1_000)
    >>> [(odds, round(found, 3)) for odds, found in drawn.points][::4], round(drawn.now[0], 6)
    ([(2.0, 0.091), (5.0, 0.043), (20.0, 0.029)], 3.0)
    """
    drawn = _points(ODDS, [_at_odds(channel, odds, wanted, answers) for odds in ODDS])
    odds = math.exp(min(channel.epsilon, 700.0)) if now is None else now
    return Curve(drawn, _told(odds, margin(channel, wanted, answers)) if odds <= MOST_ODDS else None)


def _points(places: Sequence[float], known: Sequence[float | None]) -> Points:
    return [(float(place), value) for place, value in zip(places, known, strict=True) if value is not None and value < NEVER]


def _told(place: float, value: float | None) -> tuple[float, float] | None:
    return None if value is None or value == NEVER else (place, value)


def _at_odds(channel: Channel, odds: float, wanted: Wanted, answers: int) -> float | None:
    try:
        return margin(protected_at(channel, Fraction(str(odds))), wanted, answers)
    except ParameterError:  # no such design is as strong as that
        return None
