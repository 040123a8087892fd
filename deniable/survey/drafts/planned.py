"""What a draft's answers will tell, question by question: the figures of `dn.plan`, and what follows from them for the draft."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from deniable.core.channels.base import Channel
from deniable.core.channels.designs import KRR
from deniable.errors import ParameterError
from deniable.planning.budget import LEAST, Given, Proposal, share_out, total
from deniable.planning.curves import Curve, against_answers, against_odds
from deniable.planning.known_to import SHARE
from deniable.planning.plan import plan
from deniable.planning.planned import Plan, Row, Strongest
from deniable.planning.precision import Wanted
from deniable.planning.protection import protected_at
from deniable.planning.questions import told_best
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


def can_change(element: Element) -> bool:
    """Whether other odds can be written into a draft: by k-ary randomised response, where nothing is said of what it is for."""
    return element.private and element.use is None and all(isinstance(one, KRR) for one in element.channels.values())


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
        """Whether other odds can be written into the draft."""
        return can_change(self.element)


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
        """The budget shared over the private questions whose odds can change; what the others have is taken off first. None where no budget
        was named."""
        if self.wishes.budget is None:
            return None
        changing = [one for one in self.asked.elements if can_change(one)]
        channels = {name: channel for one in changing for name, channel in one.channels.items()}
        epsilons = {name: each for one in self.asked.elements if one.private for name, each in one.epsilons.items()}
        fixed = math.fsum(each for name, each in epsilons.items() if name not in channels)
        budget = total(self.wishes.budget, None)
        _check_budget(len(channels), fixed, self.wishes.budget)
        uses = {name: told_best(channel) for name, channel in channels.items()}
        shared = share_out(channels, uses, self.wishes.answers, budget - fixed, SHARE, {}, protected_at, MOST_ODDS)
        rows = {row.name: row for row in shared.rows}
        for one in changing:
            # Columns of one question are hidden alike, by the least odds of them (`with_odds`).
            least = min((rows[name] for name in one.channels), key=lambda row: row.odds)
            rows |= {name: replace(least, name=name) for name in one.channels}
        return Proposal(
            [rows[name] if name in rows else self._as_now(name, epsilons[name]) for name in epsilons], budget, SHARE
        )

    def _as_now(self, name: str, epsilon: float) -> Given:
        """What a question has whose odds do not change."""
        use = self.plan.purposes(name)[0]
        known = self.plan.margin(name, SHARE, use)
        return Given(name, math.exp(min(epsilon, 700.0)), self.plan.channels[name], known, use)

    def alone(self) -> tuple[int, float] | None:
        """How many combinations the answers to open questions have, and how many people there are for each; None where that singles nobody
        out, or it was not said how many people there are."""
        open_ = [channel for one in self.asked.elements if not one.private for channel in one.channels.values()]
        combinations = math.prod(channel.domain.size - 1 for channel in open_)
        if self.wishes.people is None or self.wishes.people / combinations >= FEWEST or not open_:
            return None
        return combinations, self.wishes.people / combinations


def _check_budget(changing: int, fixed: float, budget: float) -> None:
    """Refuse a budget that cannot be kept, because of the questions whose odds stay as they are."""
    if not changing:
        raise ParameterError(
            "budget_all_fixed",
            "There are no odds to share: no question of this draft is hidden in a way that a proposal can change.",
        )
    if fixed and math.log(budget) - fixed < changing * math.log(LEAST):
        raise ParameterError(
            "budget_fixed",
            "Odds of {budget:g} for all questions together are too small: those that stay as they are have {fixed:g} already, and each of "
            "the {k} others needs {least} at least.",
            budget=budget, fixed=math.ceil(10 * math.exp(min(fixed, 700.0)) - 1e-6) / 10, k=changing, least=float(LEAST),
        )  # fmt: skip


def odds_of(asked: Questionnaire) -> dict[Place, float]:
    """By how much a report of each private question may change odds: of several columns the one that protects least."""
    return {
        (p, i): math.exp(min(max(one.epsilons.values()), 700.0))
        for p, (_, elements) in enumerate(asked.pages)
        for i, one in enumerate(elements)
        if one.private
    }


def privacy_at(odds: float) -> str | dict[str, str | float]:
    """What a questionnaire says for k-ary randomised response with these odds (in tenths). It says the odds: those of a p would grow with
    every answer that is added later.

    >>> privacy_at(3.0), privacy_at(2.5)
    ('strong', {'design': 'krr', 'odds': 2.5})
    """
    exact = Fraction(round(10 * odds), 10)
    for level, known in LEVELS.items():
        if exact == known:
            return level
    return {"design": "krr", "odds": int(exact) if exact.denominator == 1 else float(exact)}


def with_odds(content: Content, asked: Questionnaire, odds: Mapping[str, float]) -> Content:
    """The draft with other odds for some questions, by the names of their columns; of several columns the least odds count for all."""
    changed = copy.deepcopy(content)
    for p, (_, elements) in enumerate(asked.pages):
        for i, element in enumerate(elements):
            wanted = [odds[name] for name in element.channels if name in odds]
            if can_change(element) and wanted and min(wanted) <= MOST_ODDS:
                changed["pages"][p]["elements"][i]["privacy"] = privacy_at(min(wanted))
    return changed
