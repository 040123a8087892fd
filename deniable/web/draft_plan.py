"""Beside the editor: what the answers to a draft will tell, before anyone is asked. The figures are those of `dn.plan`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deniable.errors import DeniableError, ParameterError, RefusedError
from deniable.planning.precision import MOST_ANSWERS
from deniable.survey.drafts import parts
from deniable.survey.drafts.checked import check
from deniable.survey.drafts.plannable import plannable
from deniable.survey.drafts.planned import DraftPlan, Wishes, with_odds
from deniable.survey.store import Store
from deniable.survey.store.accounts import Account
from deniable.web.body_limits import DRAFTS
from deniable.web.done import after, done
from deniable.web.draft_forms import Fields, sent
from deniable.web.draft_pages import Writer
from deniable.web.draft_plan_view import left_out, planned_values
from deniable.web.draft_protection import changes_of, is_weaker, weaker_page
from deniable.web.draft_routes import answered, page
from deniable.web.login import led_to
from deniable.web.organiser_words import in_words
from deniable.web.pages import Speech

LIMITS = {"answers": (1, MOST_ANSWERS), "margin": (0.1, 49.9), "group": (1, 99), "people": (1, 1e9), "budget": (1.1, 1e6)}
USUAL = {"answers": "1000", "margin": "5", "group": "50", "people": "", "budget": ""}
KEPT = 8
Found = tuple[DraftPlan | None, list[parts.Place]]


class Plans:
    """Plans that were worked out last, by the draft as it was and by what was wished; one is asked for at a time."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, Wishes], Found] = {}

    def of(self, content: parts.Content, wishes: Wishes) -> Found:
        """The plan of all that can be planned, and the places of questions that are left out."""
        known = (parts.mark_of(content), wishes)
        found = self._kept.pop(known, None)
        if found is None:
            asked, left = plannable(content)
            found = (None if asked is None else DraftPlan(asked, wishes), left)
        self._kept[known] = found
        for old in list(self._kept)[:-KEPT]:
            self._kept.pop(old, None)
        return found


def router(store: Store) -> APIRouter:
    """The routes of plans. One is worked out at a time: those who answer surveys go first."""
    routes = APIRouter(prefix=DRAFTS, include_in_schema=False)
    turn, plans = asyncio.Semaphore(1), Plans()

    @routes.get("/{draft}/plan")
    async def plan(draft: str, request: Request) -> Response:
        given = {name: request.query_params.get(name, usual) for name, usual in USUAL.items()}
        async with turn:
            return await answered(
                request,
                lambda me, speech: page(
                    _plan_page(Writer(store.draft(draft), me, speech), given, plans, note=done(request, speech))
                ),
            )

    @routes.post("/{draft}/plan")
    async def use(draft: str, request: Request) -> Response:
        given = await sent(request)

        def work(me: Account, speech: Speech) -> Response:
            return _used(store, Writer(store.draft(draft), me, speech), given, plans, request)

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
                low=float(low),
                high=float(high),
            )
        read[name] = number
    answers, margin, group = read["answers"] or 1_000, read["margin"] or 5, read["group"] or 50
    people = None if read["people"] is None else int(read["people"])
    return Wishes(int(answers), margin / 100, group / 100, people, read["budget"])


def _used(store: Store, writer: Writer, given: Fields, plans: Plans, request: Request) -> Response:
    """A proposal of the plan written into the draft; where that protects people less than now, only after it was said so."""
    query = "&".join(f"{name}={given[name]}" for name in USUAL if _is_number(given.get(name, "")))
    back = f"{writer.path}/plan?{query}" if query else f"{writer.path}/plan"
    try:
        # Worked out before anything is locked: those who answer surveys do not wait for it.
        changed = _proposed(writer.draft.content, given, plans)
        changes = changes_of(writer.draft.content, changed)
        if is_weaker(changes) and given.get("sure") != "yes":
            fields = [(name, text) for name, text in given.items() if name in (*USUAL, "seen", "do", "name")]
            return page(weaker_page(writer, changes, fields, back))
        store.change_draft(writer.draft.key, lambda now: changed if _is_seen(now, given) else now, writer.me.actor)
    except DeniableError as error:
        asked = {name: given.get(name, usual) for name, usual in USUAL.items()}
        return page(_plan_page(writer, asked, plans, in_words(error, writer.speech.language)), 409)
    return led_to(request, after(back, "protected"))


def _is_seen(content: parts.Content, given: Fields) -> bool:
    """Whether the draft is the one that the plan was of; anything else is refused."""
    if parts.mark_of(content) != given.get("seen"):
        raise RefusedError(
            "changed_look", "Somebody else has changed this meanwhile, so nothing was done. This is how it is now."
        )
    return True


def _proposed(content: parts.Content, given: Fields, plans: Plans) -> parts.Content:
    """The draft with the odds that the plan proposes: of one question, or of all that share a budget."""
    _is_seen(content, given)
    planned, _ = plans.of(content, _wishes(given))
    if planned is None:
        raise RefusedError("plan_wrong", "The draft has mistakes; nothing can be planned yet.")
    if given.get("do") == "share":
        proposal = planned.proposal
        odds = {} if proposal is None else {row.name: row.odds for row in proposal.rows}
    else:
        odds = {
            one.row.name: one.strongest.odds
            for one in planned.questions
            if one.row.name == given.get("name") and one.strongest is not None and one.strongest.odds is not None
        }
    return with_odds(content, planned.asked, odds)


def _plan_page(writer: Writer, given: Mapping[str, str], plans: Plans, complaint: str | None = None, note: str = "") -> str:
    speech, content = writer.speech, writer.draft.content
    _, mistakes = check(content)
    values: dict[str, Any] = {
        "wrong": len(mistakes),
        "given": given,
        "complaint": complaint,
        "questions": [],
        "left": [],
        "budget": None,
        "notes": [],
    }
    try:
        planned, left = plans.of(content, _wishes(given))
        values["left"] = left_out(content, left, speech)
        if planned is not None:
            values |= planned_values(planned, content, speech, left=bool(left))
    except ParameterError as error:
        values["complaint"] = in_words(error, speech.language)
    return writer.page(
        "draft_plan.html", "plan", speech["draft_plan"], f"{writer.path}/plan", note, mark=parts.mark_of(content), **values
    )
