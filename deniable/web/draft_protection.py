"""What a proposal of the plan does to the protection of people: stronger or weaker than in the draft now, and by how much."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from deniable.planning.words import Words, words_of
from deniable.privacy.reporting.words import is_many
from deniable.survey.drafts import parts
from deniable.survey.drafts.plannable import plannable
from deniable.survey.drafts.planned import odds_of
from deniable.web.draft_pages import Writer, called_at
from deniable.web.pages import Speech

NEARLY = 0.0001
"""Odds whose logarithms differ by less are as strong as each other."""


@dataclass(frozen=True)
class Change:
    """Now and then, the logarithm of how many times as likely a report may be for one answer as for another; without a place of all
    questions together. Logarithms, because those of many questions add up to more than a float holds."""

    place: parts.Place | None
    now: float
    then: float

    @property
    def kind(self) -> str:
        """Whether it becomes weaker or stronger."""
        return "same" if abs(self.then - self.now) < NEARLY else "weaker" if self.then > self.now else "stronger"


def changes_of(before: parts.Content, after: parts.Content) -> list[Change]:
    """What changes, question by question, and in the end for all of them together."""
    old, new = plannable(before)[0], plannable(after)[0]
    if old is None or new is None:
        return []
    now, then = odds_of(old), odds_of(new)
    changes = [Change(place, math.log(odds), math.log(then[place])) for place, odds in now.items() if place in then]
    changes.append(Change(None, old.epsilon, new.epsilon))
    return [one for one in changes if one.kind != "same"]


def is_weaker(changes: Sequence[Change]) -> bool:
    """Whether anybody is protected less than before."""
    return any(one.kind == "weaker" for one in changes)


def upward(odds: float, words: Words) -> str:
    """Odds, rounded up: nothing is said to protect better than it does.

    >>> upward(2.91, words_of("en")), upward(3375.2, words_of("en"))
    ('3.0', '3,376')
    """
    if odds >= 100:
        return words.numbers.number(math.ceil(odds - 1e-6), ",d")
    return words.numbers.number(math.ceil(10 * odds - 1e-6) / 10, ",.1f")


def compared(now: float, then: float, speech: Speech, shortly: bool = False) -> str:
    """One protection beside another: as a sentence, or shortly as in a table."""
    words = words_of(speech.language)
    kind = Change(None, math.log(now), math.log(then)).kind
    return speech[f"plan_{kind}{'_shortly' * shortly}"].format(now=upward(now, words), then=upward(then, words))


def compared_in_all(change: Change, speech: Speech) -> str:
    """What all answers together give away, beside what they give away now."""
    now, then, words = change.now, change.then, words_of(speech.language)
    if is_many(now) and is_many(then):
        return speech[f"plan_{change.kind}_many"]
    said = [
        speech["plan_times_many"] if is_many(one) else speech["plan_times"].format(odds=upward(math.exp(one), words))
        for one in (now, then)
    ]
    return speech["plan_weaker_all"].format(now=said[0], then=said[1])


def weaker_page(writer: Writer, changes: Sequence[Change], fields: Sequence[tuple[str, str]], back: str) -> str:
    """Whether people are really to be protected less."""
    speech = writer.speech
    listed = []
    for one in changes:
        if one.place is None:
            listed.append(("", compared_in_all(one, speech)))
        else:
            said = compared(math.exp(one.now), math.exp(one.then), speech)
            listed.append((called_at(writer.draft.content, one.place, speech), said))
    return writer.page(
        "draft_sure.html", "plan", speech["plan_weaker_it"], f"{writer.path}/plan", path=f"{writer.path}/plan", posted=True,
        fields=list(fields), what=speech["plan_weaker_note"], listed=listed, shown="", button=speech["plan_weaker_do"], back=back,
    )  # fmt: skip
