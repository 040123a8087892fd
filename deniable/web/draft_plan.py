"""Beside the editor: what the answers to a draft will tell, before anyone is asked. The figures are those of `dn.plan`."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from typing import Any, TypeVar

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deniable.errors import DeniableError, ParameterError, RefusedError
from deniable.planning import plan_text
from deniable.planning.precision import MOST_ANSWERS
from deniable.planning.words import Words, words_of
from deniable.survey.drafts import parts
from deniable.survey.drafts.checked import check
from deniable.survey.drafts.planned import DraftPlan, Question, Wishes, with_odds
from deniable.survey.page_rules import MOST_ODDS
from deniable.survey.page_sentences import told
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from deniable.survey.store.accounts import Account
from deniable.web.body_limits import DRAFTS
from deniable.web.draft_forms import Fields, sent
from deniable.web.draft_pages import Writer, text_in
from deniable.web.draft_routes import answered, page
from deniable.web.login import led_to
from deniable.web.organiser_words import in_words
from deniable.web.pages import Speech

LIMITS = {"answers": (1, MOST_ANSWERS), "margin": (0.1, 49.9), "group": (1, 99), "people": (1, 1e9), "budget": (1.1, 1e6)}
USUAL = {"answers": "1000", "margin": "5", "group": "50", "people": "", "budget": ""}
T = TypeVar("T")


def router(store: Store) -> APIRouter:
    """The routes of plans. One is worked out at a time: those who answer surveys go first."""
    routes = APIRouter(prefix=DRAFTS, include_in_schema=False)
    turn = asyncio.Semaphore(1)

    @routes.get("/{draft}/plan")
    async def plan(draft: str, request: Request) -> Response:
        given = {name: request.query_params.get(name, usual) for name, usual in USUAL.items()}
        async with turn:
            return await answered(request, lambda me, speech: page(_plan_page(Writer(store.draft(draft), me, speech), given)))

    @routes.post("/{draft}/plan")
    async def use(draft: str, request: Request) -> Response:
        given = await sent(request)

        def work(me: Account, speech: Speech) -> Response:
            writer = Writer(store.draft(draft), me, speech)
            try:
                # Worked out before anything is locked: those who answer surveys do not wait for it.
                changed = _used(writer.draft.content, given)
                store.change_draft(draft, lambda now: changed if _is_seen(now, given) else now, me.actor)
            except DeniableError as error:
                asked = {name: given.get(name, usual) for name, usual in USUAL.items()}
                return page(_plan_page(writer, asked, in_words(error, speech.language)), 409)
            query = "&".join(f"{name}={given[name]}" for name in USUAL if _is_number(given.get(name, "")))
            return led_to(request, f"{writer.path}/plan?{query}" if query else f"{writer.path}/plan")

        async with turn:
            return await answered(request, work)

    return routes


def _is_number(text: str) -> bool:
    return text.isascii() and text.replace(".", "", 1).isdigit()


def _wishes(given: Mapping[str, str]) -> Wishes:
    """What was typed, as numbers; the first that is none is refused with what it may be."""
    read: dict[str, float | None] = {}
    for name, (low, high) in LIMITS.items():
        text = given.get(name, "").strip().replace(" ", "").replace("\u00a0", "").replace(",", ".")
        number = float(text) if _is_number(text) and len(text) < 20 else None
        if text and (number is None or not low <= number <= high):
            raise ParameterError(
                f"plan_{name}{'_outside' * (name == 'budget')}",
                "{name} lies between {low:g} and {high:g}.",
                name=name,
                low=low,
                high=high,
            )
        read[name] = number
    answers, margin, group = read["answers"] or 1_000, read["margin"] or 5, read["group"] or 50
    people = None if read["people"] is None else int(read["people"])
    return Wishes(int(answers), margin / 100, group / 100, people, read["budget"])


def _is_seen(content: parts.Content, given: Fields) -> bool:
    """Whether the draft is the one that the plan was of; anything else is refused."""
    if parts.mark_of(content) != given.get("seen"):
        raise RefusedError(
            "changed_look", "Somebody else has changed this meanwhile, so nothing was done. This is how it is now."
        )
    return True


def _used(content: parts.Content, given: Fields) -> parts.Content:
    """The draft with the odds that the plan proposes: of one question, or of all that share a budget."""
    _is_seen(content, given)
    asked, _ = check(content)
    if asked is None:
        raise RefusedError("plan_wrong", "The draft has mistakes; nothing can be planned yet.")
    planned = DraftPlan(asked, _wishes(given))
    if given.get("do") == "share":
        proposal = planned.proposal
        odds = {} if proposal is None else {row.name: row.odds for row in proposal.rows}
    else:
        odds = {
            one.row.name: one.strongest.odds
            for one in planned.questions
            if one.row.name == given.get("name") and one.strongest is not None and one.strongest.odds is not None
        }
    return with_odds(content, planned.questions, odds)


def _plan_page(writer: Writer, given: Mapping[str, str], complaint: str | None = None) -> str:
    speech = writer.speech
    asked, mistakes = check(writer.draft.content)
    values: dict[str, Any] = {
        "wrong": len(mistakes),
        "given": given,
        "complaint": complaint,
        "questions": [],
        "budget": None,
        "notes": [],
    }
    try:
        wishes = _wishes(given)
        if asked is not None:
            values |= _planned(DraftPlan(asked, wishes), asked, speech)
    except ParameterError as error:
        values["complaint"] = in_words(error, speech.language)
    mark = parts.mark_of(writer.draft.content)
    return writer.page("draft_plan.html", "plan", speech["draft_plan"], f"{writer.path}/plan", mark=mark, **values)


def _planned(planned: DraftPlan, asked: Questionnaire, speech: Speech) -> dict[str, Any]:
    words, wishes = words_of(speech.language), planned.wishes
    alone = planned.alone()
    notes = []
    if alone is not None:
        notes.append(
            speech["plan_alone"].format(
                combinations=words.numbers.number(alone[0], ",d"), people=words.numbers.number(alone[1], ",.1f")
            )
        )
    # Answers to several questions add up: what they give away together.
    together = math.exp(min(asked.epsilon, 30))
    budget = None
    if planned.proposal is not None:
        head, rows = planned.proposal.cells(words)
        rows = [[_asked_as(row[0], asked, speech), *row[1:]] for row in rows]
        budget = {
            "sentence": planned.proposal.sentence(words),
            "head": head,
            "rows": rows,
            "notes": planned.proposal.notes(words),
        }
    return {
        "questions": [_question(one, planned, asked, speech, words) for one in planned.questions],
        "budget": budget, "notes": notes, "reading": plan_text.sentences(planned.plan, words),
        "heading": plan_text.heading(planned.plan, words), "together": speech["plan_together"].format(odds=_upward(together, words)),
        "margin": words.points.format(number=words.numbers.number(100 * wishes.margin, ".3g")),
    }  # fmt: skip


def _asked_as(column: str, asked: Questionnaire, speech: Speech) -> str:
    """The question that a column belongs to; of several columns with the name of this one."""
    element = next(one for one in asked.elements if column in one.channels)
    title = text_in(element.title, speech)
    return title if len(element.channels) == 1 else f"{title} ({column})"


def _upward(odds: float, words: Words) -> str:
    """Odds, rounded up: nothing is said to protect better than it does."""
    return words.numbers.number(math.ceil(10 * odds - 1e-6) / 10, ",.1f")


def _question(one: Question, planned: DraftPlan, asked: Questionnaire, speech: Speech, words: Words) -> dict[str, Any]:
    row, wishes = one.row, planned.wishes
    margin = words.points.format(number=words.numbers.number(100 * wishes.margin, ".3g"))
    believed = math.ceil(100 * row.odds / (1 + row.odds) - 1e-9) if math.isfinite(row.odds) else 100
    figures = [(plan_text.head_of(key, words), plan_text.figure(key, found, words)) for key, found in row.figures.items()]
    worth = words.never if math.isnan(row.worth) else words.numbers.number(row.worth, ",.0f")
    strongest, offer = "", False
    if one.strongest is not None:
        odds = one.strongest.odds
        reached = odds is not None and odds <= MOST_ODDS and one.strongest.margin is not None
        offer = reached and one.can_change and abs(float(odds or 0) - row.odds) > 0.05
        strongest = speech["plan_strongest" if reached else "plan_strongest_none"].format(
            margin=margin, odds=_upward(odds or 0.0, words),
            reached=words.points.format(number=words.numbers.number(100 * (one.strongest.margin or 0.0), ".2f")),
        )  # fmt: skip
    needed = speech["plan_not_needed"]
    if "share_20" in row.figures:
        needed = speech["plan_needs_none"].format(margin=margin)
        if one.needed is not None:
            needed = speech["plan_needs"].format(margin=margin, answers=words.numbers.number(one.needed, ",d"))
    several = len(one.element.channels)
    return {
        "at": f"{one.place[0]}-{one.place[1]}", "name": row.name, "title": text_in(one.element.title, speech),
        "told": told(one.element, row.odds, asked.languages, speech.language),
        "proves": speech["plan_proves"].format(odds=_upward(row.odds, words), percent=believed),
        "several": speech["plan_several"].format(count=several) if several > 1 else "",
        "worth": speech["plan_worth"].format(answers=words.numbers.number(wishes.answers, ",d"), worth=worth),
        "figures": figures, "needed": needed, "strongest": strongest, "offer": offer,
    }  # fmt: skip
