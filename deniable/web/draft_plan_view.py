"""What the plan of a draft says on its page: figures, curves and proposals, in the reader's language."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from deniable.errors import ParameterError
from deniable.picture_words import answers_say, direct_answers
from deniable.planning import plan_text
from deniable.planning.words import Words, words_of
from deniable.privacy.reporting.words import is_many
from deniable.survey.drafts import parts
from deniable.survey.drafts.planned import DraftPlan, Question
from deniable.survey.page_rules import MOST_ODDS
from deniable.survey.page_sentences import told
from deniable.web import draft_curves
from deniable.web.draft_pages import called_at
from deniable.web.draft_protection import compared, upward
from deniable.web.organiser_words import in_words
from deniable.web.pages import Speech


def left_out(content: parts.Content, places: Sequence[parts.Place], speech: Speech) -> list[tuple[str, str]]:
    """The questions that cannot be planned yet: where each is, and what it is called."""
    return [(f"{page}-{number}", called_at(content, (page, number), speech)) for page, number in places]


def planned_values(planned: DraftPlan, content: parts.Content, speech: Speech, left: bool = False) -> dict[str, Any]:
    """All that is planned, for the template; `left` says that some questions could not be planned."""
    words = words_of(speech.language)
    titled = [(called_at(content, one.place, speech), one) for one in planned.questions]
    alone, notes = planned.alone(), []
    if alone is not None:
        combinations, people = words.numbers.number(alone[0], ",d"), words.numbers.number(alone[1], ",.1f")
        notes.append(speech["plan_alone"].format(combinations=combinations, people=people))
    try:
        budget = _budget(planned, content, speech, words)
    except ParameterError as error:  # a budget that cannot be shared keeps nothing else from being planned
        budget = None
        notes.append(in_words(error, speech.language))
    if budget is not None and left:
        budget["notes"].append(speech["plan_budget_left"])
    return {
        "questions": [_question(title, one, planned, speech, words) for title, one in titled],
        "whole": draft_curves.of_all(titled, planned, speech, words),
        "budget": budget, "notes": notes, "reading": _reading(planned, speech, words),
        "heading": plan_text.heading(planned.plan, words), "together": _together(planned.asked.epsilon, left, speech, words),
    }  # fmt: skip


def _together(epsilon: float, left: bool, speech: Speech, words: Words) -> str:
    """What all answers of one person give away: answers to several questions add up."""
    said = "plan_together" + "_left" * left
    if is_many(epsilon):
        return speech[f"{said}_many"]
    return speech[said].format(odds=upward(math.exp(epsilon), words))


def _reading(planned: DraftPlan, speech: Speech, words: Words) -> list[str]:
    """How to read the figures; what a questionnaire says by a key, a form says by its field."""
    key, field = "for: share", f"{speech['field_for']}: {speech['for_share']}"
    return [sentence.replace(key, field) for sentence in plan_text.sentences(planned.plan, words)]


def _budget(planned: DraftPlan, content: parts.Content, speech: Speech, words: Words) -> dict[str, Any] | None:
    """The proposal that shares a budget, each question beside the protection that it has now."""
    if planned.proposal is None:
        return None
    head, cells = planned.proposal.cells(words)
    now = {name: one for one in planned.questions for name in one.element.channels}
    then = {row.name: row.odds for row in planned.proposal.rows}
    rows = []
    for column, *rest in cells:
        one = now[column]
        title = called_at(content, one.place, speech)
        name = title if len(one.element.channels) == 1 else f"{title} ({column})"
        said = compared(one.row.odds, then[column], speech, shortly=True) if one.can_change else speech["plan_fixed"]
        rows.append([name, *rest, said])
    return {
        "sentence": planned.proposal.sentence(words), "head": [*head, speech["plan_compared"]], "rows": rows,
        "notes": planned.proposal.notes(words),
    }  # fmt: skip


def _question(title: str, one: Question, planned: DraftPlan, speech: Speech, words: Words) -> dict[str, Any]:
    row, wishes, asked = one.row, planned.wishes, planned.asked
    margin = words.points.format(number=words.numbers.number(100 * wishes.margin, ".3g"))
    believed = math.ceil(100 * row.odds / (1 + row.odds) - 1e-9) if math.isfinite(row.odds) else 100
    language = speech.language
    worth = "" if math.isnan(row.worth) else direct_answers(round(row.worth), language)
    needed = speech["plan_not_needed"]
    if "share_20" in row.figures:
        needed = speech["plan_needs_none"].format(margin=margin)
        if one.needed is not None:
            needed = speech["plan_needs"].format(margin=margin, answers=words.numbers.number(one.needed, ",d"))
    several = len(one.element.channels)
    return {
        "at": f"{one.place[0]}-{one.place[1]}", "name": row.name, "title": title, "needed": needed,
        "told": told(one.element, row.odds, asked.languages, speech.language),
        "proves": speech["plan_proves"].format(odds=upward(row.odds, words), percent=believed),
        "several": speech["plan_several"].format(count=several) if several > 1 else "",
        "worth": worth and speech["plan_worth"].format(answers=answers_say(wishes.answers, language), worth=worth),
        "figures": [(plan_text.head_of(key, words), plan_text.figure(key, found, words)) for key, found in row.figures.items()],
        "pictures": draft_curves.of_question(one, planned, speech, words), **_strongest(one, margin, speech, words),
    }  # fmt: skip


def _strongest(one: Question, margin: str, speech: Speech, words: Words) -> dict[str, Any]:
    """The strongest protection that gives the margin, and whether it is offered: what that does to people is said beside the button."""
    if one.strongest is None:
        return {"strongest": "", "offer": ""}
    odds = one.strongest.odds
    reached = odds is not None and odds <= MOST_ODDS and one.strongest.margin is not None
    sentence = speech["plan_strongest" if reached else "plan_strongest_none"].format(
        margin=margin, odds=upward(odds or 0.0, words),
        reached=words.points.format(number=words.numbers.number(100 * (one.strongest.margin or 0.0), ".2f")),
    )  # fmt: skip
    differs = reached and one.can_change and abs(float(odds or 0) - one.row.odds) > 0.05
    return {"strongest": sentence, "offer": compared(one.row.odds, float(odds or 0), speech) if differs else ""}
