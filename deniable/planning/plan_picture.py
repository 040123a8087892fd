"""What `Plan.plot` draws: margins of a share against the number of answers, or against the odds that protection allows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

from deniable.charts import in_language, with_picture
from deniable.charts.margins import MOST_CURVES, margin_chart
from deniable.core.channels.base import Channel
from deniable.errors import ParameterError
from deniable.planning.precision import FEWEST, MOST_ODDS, NEVER, Wanted, margin
from deniable.planning.protection import is_open, protected_at
from deniable.planning.words import Words, words_of

TIMES = tuple(10 ** (step / 6 - 1) for step in range(13))
"""The numbers of answers that are drawn, from a tenth to ten times the planned one."""
ODDS = (1.2, 1.5, 2, 2.5, 3, 4, 5, 6.5, 9, 13, 20)


class Drawn(Protocol):
    """What is drawn of a plan (`planned.Plan`)."""

    answers: int
    channels: dict[str, Channel]

    def names(self, what: str) -> list[str]:
        """The attributes that are asked for something."""


def picture(plan: Drawn, against: str, share: float, language: str) -> Any:
    """The chart."""
    words = words_of(language)
    if against not in ("answers", "odds"):
        raise ParameterError("against", "against must be 'answers' or 'odds', got {got!r}.", got=against)
    wanted = Wanted(share=share)
    channels = {name: plan.channels[name] for name in plan.names("share")}
    if against == "odds":
        channels = {name: channel for name, channel in channels.items() if not is_open(channel)}
    if not channels:
        raise ParameterError("nothing_hidden", "Nothing is hidden here, so there are no odds to draw: plot against answers.")
    never = [name for name, channel in channels.items() if margin(channel, wanted, plan.answers) == NEVER]
    if len(never) == len(channels):
        raise ParameterError(
            "never_to_draw", "There is nothing to draw: these reports tell no shares, however many there are ({names}).",
            names=", ".join(never),
        )  # fmt: skip
    drawn, left = _alike({name: channel for name, channel in channels.items() if name not in never})
    curves, marks = {}, {}
    for name, channel in drawn.items():
        if against == "answers":
            several = [max(1, round(plan.answers * times)) for times in TIMES]
            curves[name] = _points(several, [margin(channel, wanted, answers) for answers in several])
            now: float = plan.answers
        else:
            curves[name] = _points(ODDS, [_at_odds(channel, odds, wanted, plan.answers) for odds in ODDS])
            now = math.exp(min(channel.epsilon, 700.0))
        reached = margin(channel, wanted, plan.answers)
        if reached is not None and (against == "answers" or now <= MOST_ODDS):
            marks[name] = (now, 100 * reached)
    if not any(curves.values()):
        raise ParameterError(
            "too_few_to_draw", "With {n:,} answers there is nothing to draw: everything is too few.", n=plan.answers
        )
    chart = margin_chart(
        curves,
        x=words.against_answers if against == "answers" else words.against_odds,
        y=words.margin_axis,
        marks=marks,
        line=(f"{words.planned}: {words.numbers.number(plan.answers, ',d')}", plan.answers) if against == "answers" else None,
        title=words.title.format(share=words.numbers.number(100 * share, ".3g") + "%"),
        note=_note(plan, against, left, never, words),
        number="," if against == "answers" else "~r",
    )
    return with_picture(in_language(chart, words.numbers))


def _alike(channels: dict[str, Channel]) -> tuple[dict[str, Channel], list[str]]:
    """Attributes that are hidden alike share a curve; and those for which there is no room."""
    together: dict[Channel, list[str]] = {}
    for name, channel in channels.items():
        together.setdefault(channel, []).append(name)
    named = {_joined(names): channel for channel, names in together.items()}
    kept = dict(list(named.items())[:MOST_CURVES])
    return kept, [name for name in named if name not in kept]


def _joined(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" … ({len(names)})" if len(names) > 4 else "")


def _points(places: Sequence[float], known: Sequence[float | None]) -> list[tuple[float, float]]:
    return [
        (float(place), 100 * value) for place, value in zip(places, known, strict=True) if value is not None and value < NEVER
    ]


def _at_odds(channel: Channel, odds: float, wanted: Wanted, answers: int) -> float | None:
    try:
        return margin(protected_at(channel, Fraction(str(odds))), wanted, answers)
    except ParameterError:  # no such design is as strong as that
        return None


def _note(plan: Drawn, against: str, left: list[str], never: list[str], words: Words) -> str:
    n = words.numbers.number(plan.answers, ",d")
    said = [(words.note_answers if against == "answers" else words.note_odds).format(n=n, fewest=FEWEST)]
    said += [words.not_drawn.format(names=", ".join(left))] if left else []
    said += [words.never_drawn.format(names=_joined(never))] if never else []
    return " ".join(said)
