"""What `Plan.plot` draws: margins of a share against the number of answers, or against the odds that protection allows."""

from __future__ import annotations

from typing import Any, Protocol

from deniable.charts import in_language, with_picture
from deniable.charts.margins import MOST_CURVES, margin_chart
from deniable.core.channels.base import Channel
from deniable.errors import ParameterError
from deniable.planning.curves import against_answers, against_odds
from deniable.planning.precision import FEWEST, NEVER, Wanted, margin
from deniable.planning.protection import is_open
from deniable.planning.words import Words, words_of

Hidden = tuple[Channel, Wanted]
"""How an attribute is hidden, and what is to be known of it."""


class Drawn(Protocol):
    """What is drawn of a plan (`planned.Plan`)."""

    answers: int
    channels: dict[str, Channel]

    def names(self, what: str) -> list[str]:
        """The attributes that are asked for something."""

    def wanted(self, name: str, what: str, share: float, in_group: bool) -> Wanted:
        """What is to be known of an attribute."""


def picture(plan: Drawn, against: str, share: float, language: str) -> Any:
    """The chart."""
    words = words_of(language)
    if against not in ("answers", "odds"):
        raise ParameterError("against", "against must be 'answers' or 'odds', got {got!r}.", got=against)
    asked = {name: (plan.channels[name], plan.wanted(name, "share", share, False)) for name in plan.names("share")}
    if against == "odds":
        asked = {name: one for name, one in asked.items() if not is_open(one[0])}
    if not asked:
        raise ParameterError("nothing_hidden", "Nothing is hidden here, so there are no odds to draw: plot against answers.")
    never = [name for name, (channel, wanted) in asked.items() if margin(channel, wanted, plan.answers) == NEVER]
    if len(never) == len(asked):
        raise ParameterError(
            "never_to_draw", "There is nothing to draw: these reports tell no shares, however many there are ({names}).",
            names=", ".join(never),
        )  # fmt: skip
    drawn, left = _alike({name: one for name, one in asked.items() if name not in never})
    curves, marks = {}, {}
    for name, (channel, wanted) in drawn.items():
        curve = (against_answers if against == "answers" else against_odds)(channel, wanted, plan.answers)
        curves[name] = [(place, 100 * value) for place, value in curve.points]
        if curve.now is not None:
            marks[name] = (curve.now[0], 100 * curve.now[1])
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


def _alike(asked: dict[str, Hidden]) -> tuple[dict[str, Hidden], list[str]]:
    """Attributes that are hidden alike share a curve; and those for which there is no room."""
    together: dict[Hidden, list[str]] = {}
    for name, one in asked.items():
        together.setdefault(one, []).append(name)
    named = {_joined(names): one for one, names in together.items()}
    kept = dict(list(named.items())[:MOST_CURVES])
    return kept, [name for name in named if name not in kept]


def _joined(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" … ({len(names)})" if len(names) > 4 else "")


def _note(plan: Drawn, against: str, left: list[str], never: list[str], words: Words) -> str:
    n = words.numbers.number(plan.answers, ",d")
    said = [(words.note_answers if against == "answers" else words.note_odds).format(n=n, fewest=FEWEST)]
    said += [words.not_drawn.format(names=", ".join(left))] if left else []
    said += [words.never_drawn.format(names=_joined(never))] if never else []
    return " ".join(said)
