"""What a draft's answers will tell, question by question: the figures of `dn.plan`, and what follows from them for the draft."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from deniable.core.channels.base import Channel
from deniable.core.channels.designs import KRR
from deniable.errors import ParameterError
from deniable.planning.budget import Proposal
from deniable.planning.curves import Curve, against_answers, against_odds
from deniable.planning.known_to import SHARE
from deniable.planning.plan import plan
from deniable.planning.planned import Plan, Row, Strongest
from deniable.planning.precision import Wanted
from deniable.survey.drafts.parts import Content, Place
from deniable.survey.levels import LEVELS
from deniable.survey.page_rules import MOST_ODDS
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.questions.elements import Element

FEWEST = 50
"""Groups of fewer people are shown to nobody who may not export; combinations of open answers that fewer have single people out."""


@dataclass(frozen=True)
class Wishes:
    """What is expected and wanted: answers, a margin (a part of 1), the share of a group, how many people live there, odds of all."""

    answers: int = 1_000
    margin: float = 0.05
    group: float = 0.5
    people: int | None = None
    budget: float | None = None


@dataclass(frozen=True)
class Question:
    """A private question, where it stands, what is planned for its first column, and how many columns there are."""

    place: Place
    element: Element
    row: Row
    strongest: Strongest | None
    needed: int | None

    @property
    def can_change(self) -> bool:
        """Whether other odds can be written into the draft: by k-ary randomised response, where nothing is said of what it is for."""
        return self.element.use is None and all(isinstance(one, KRR) for one in self.element.channels.values())


@dataclass(frozen=True)
class Curves:
    """How well a question will be known, as curves: of a share, or of the mean or quantile that it is asked for."""

    what: str
    answers: Curve
    odds: Curve


class DraftPlan:
    """The plan of what can be planned of a draft.

    >>> asked = Questionnaire.parse('''
    ... {"survey": "habits", "title": "Habits", "organiser": "Town hall", "contact": "t@town.example", "other_way": "Call us.",
    ...  "pages": [{"elements": [{"type": "boolean", "name": "smokes", "title": "Do you smoke?", "privacy": "strong"}]}]}
    ... ''')
    >>> [one] = DraftPlan(asked, Wishes(answers=2_000)).questions
    >>> round(100 * one.row.figures["share_20"], 1), one.strongest.odds, one.needed
    (4.9, 3.0, 1940)
    """

    def __init__(self, asked: Questionnaire, wishes: Wishes) -> None:
        self.asked, self.wishes = asked, wishes
        self.plan: Plan = plan(asked, wishes.answers, wishes.group)
        self._answers: dict[tuple[Channel, Wanted], int | None] = {}
        self._curves: dict[tuple[Channel, Wanted, float], Curves] = {}

    @cached_property
    def questions(self) -> list[Question]:
        """The private questions, in their order."""
        rows = {row.name: row for row in self.plan.rows}
        found = []
        for p, (_, elements) in enumerate(self.asked.pages):
            for i, element in enumerate(elements):
                first = next(iter(element.channels), None)
                if element.private and first in rows:
                    shares = "share" in self.plan.purposes(first)
                    strongest = self._strongest.get(first) if shares else None
                    needed = self._needed(first) if shares else None
                    found.append(Question((p, i), element, rows[first], strongest, needed))
        return found

    def _needed(self, name: str) -> int | None:
        """How many answers the margin takes, worked out once for questions that are hidden alike."""
        known = (self.plan.channels[name], self.plan.wanted(name, "share", SHARE, False))
        if known not in self._answers:
            self._answers[known] = self.plan.answers_for(self.wishes.margin, name)
        return self._answers[known]

    @cached_property
    def _strongest(self) -> Mapping[str, Strongest]:
        try:
            return self.plan.strongest(self.wishes.margin)
        except ParameterError:  # nothing is asked for a share
            return {}

    def curves(self, one: Question) -> Curves:
        """The curves of a question, worked out once for questions that are hidden alike."""
        name, answers = one.row.name, self.wishes.answers
        what = self.plan.purposes(name)[0]
        channel, wanted = self.plan.channels[name], self.plan.wanted(name, what, SHARE, False)
        known = (channel, wanted, one.row.odds)
        if known not in self._curves:
            self._curves[known] = Curves(
                what, against_answers(channel, wanted, answers), against_odds(channel, wanted, answers, one.row.odds)
            )
        return self._curves[known]

    @cached_property
    def proposal(self) -> Proposal | None:
        """The budget shared over the private questions; None where none was named."""
        return None if self.wishes.budget is None else self.plan.share_budget(total_odds=self.wishes.budget)

    def alone(self) -> tuple[int, float] | None:
        """How many combinations the answers to open questions have, and how many people there are for each; None where that singles nobody
        out, or it was not said how many people there are."""
        open_ = [channel for one in self.asked.elements if not one.private for channel in one.channels.values()]
        combinations = math.prod(channel.domain.size - 1 for channel in open_)
        if self.wishes.people is None or self.wishes.people / combinations >= FEWEST or not open_:
            return None
        return combinations, self.wishes.people / combinations


def odds_of(asked: Questionnaire) -> dict[Place, float]:
    """By how much a report of each private question may change odds: of several columns the one that protects least."""
    return {
        (p, i): math.exp(min(max(one.epsilons.values()), 700.0))
        for p, (_, elements) in enumerate(asked.pages)
        for i, one in enumerate(elements)
        if one.private
    }


def privacy_at(odds: float, labels: int) -> str | dict[str, str]:
    """What a questionnaire says for k-ary randomised response with these odds (in tenths) on so many labels, "no answer" among them.

    >>> privacy_at(3.0, 3), privacy_at(2.5, 3)
    ('strong', {'design': 'krr', 'p': '5/9'})
    """
    exact = Fraction(round(10 * odds), 10)
    for level, known in LEVELS.items():
        if exact == known:
            return level
    return {"design": "krr", "p": str(exact / (exact + labels - 1))}


def with_odds(content: Content, questions: list[Question], odds: Mapping[str, float]) -> Content:
    """The draft with other odds for some questions, by the names of their columns; of several columns the least odds count for all."""
    changed = copy.deepcopy(content)
    for one in questions:
        wanted = [odds[name] for name in one.element.channels if name in odds]
        if one.can_change and wanted and min(wanted) <= MOST_ODDS:
            channel = next(iter(one.element.channels.values()))
            element = changed["pages"][one.place[0]]["elements"][one.place[1]]
            element["privacy"] = privacy_at(min(wanted), channel.domain.size)
    return changed
