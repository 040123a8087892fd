"""Trying a draft: the page as respondents see it, a trial with colleagues, and made-up answers. For owners (permissions.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from deniable.errors import QuestionnaireError, RefusedError
from deniable.survey.apart import MADE_UP, PREFIXES, TRIAL
from deniable.survey.drafts.checked import check
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from deniable.survey.store.accounts import Account
from deniable.survey.store.drafts import Draft
from deniable.survey.trials import (
    CONTACT_DAYS,
    MOST_PEOPLE,
    PEOPLE,
    delete_trial,
    find_trial,
    is_of_now,
    make_up,
    open_trial,
)
from deniable.web.body_limits import DRAFTS
from deniable.web.collecting import Collector
from deniable.web.done import after, done
from deniable.web.draft_forms import Fields, sent
from deniable.web.draft_pages import Writer
from deniable.web.draft_routes import answered, overview_of, page
from deniable.web.lanes import Lane
from deniable.web.login import NO_STORE, led_to, speech_of
from deniable.web.organiser_words import in_words
from deniable.web.origin import host_of
from deniable.web.pages import Speech, other_way_page
from deniable.web.permissions import account_of
from deniable.web.problems import problem
from deniable.web.released import SHELL, Released
from deniable.web.served_files import served

DELETED = {"delete": TRIAL, "delete-made-up": MADE_UP}
"""What each of these buttons deletes."""
MOST_WAITING = 3
"""More who want to try something at the same moment are asked to come again."""


def router(collector: Collector, files: Mapping[str, Released]) -> APIRouter:
    """The routes by which a draft is tried."""
    routes = APIRouter(prefix=DRAFTS, include_in_schema=False)
    store, lane = collector.store, Lane(MOST_WAITING)
    _add_preview(routes, store, files)

    @routes.get("/{draft}/trial")
    async def state(draft: str, request: Request) -> Response:
        host = host_of(request)

        def work(me: Account, speech: Speech) -> Response:
            return page(trial_page(store, Writer(store.draft(draft), me, speech), host, note=done(request, speech)))

        return await answered(request, work)

    @routes.post("/{draft}/trial")
    async def do(draft: str, request: Request) -> Response:
        given, me, speech = await sent(request), account_of(request), speech_of(request)
        if given.get("do") in DELETED and given.get("sure") != "yes":
            return await answered(
                request, lambda me, speech: page(_sure_page(Writer(store.draft(draft), me, speech), given["do"]))
            )
        try:
            # One at a time: whoever presses twice must not have two trials that take each other's place.
            path, before = await lane.run(lambda: _done(store, store.draft(draft), given, me))
            if before is not None:
                collector.forget(before, deleted=given.get("do") != "close")
            return led_to(request, path)
        except (RefusedError, QuestionnaireError) as error:
            said, status, host = in_words(error, speech.language), 503 if error.code == "busy" else 422, host_of(request)

        def refused(me: Account, speech: Speech) -> Response:
            return page(trial_page(store, Writer(store.draft(draft), me, speech), host, said, given), status)

        return await answered(request, refused)

    return routes


def _add_preview(routes: APIRouter, store: Store, files: Mapping[str, Released]) -> None:
    @routes.get("/{draft}/preview")
    async def preview(draft: str, request: Request) -> Response:
        """The released page itself: it sees by its address that there is nothing to send."""

        def work(me: Account, speech: Speech) -> Response:
            writer = Writer(store.draft(draft), me, speech)
            asked, _ = check(writer.draft.content)
            if asked is None:
                return page(overview_of(store, writer, speech["preview_wrong"]), 422)
            if "other-way" in request.query_params:
                return HTMLResponse(other_way_page(asked.client()), headers=NO_STORE)
            return served(files.get(SHELL), request)

        return await answered(request, work)

    @routes.get("/{draft}/preview/survey")
    async def told(draft: str, request: Request) -> Response:
        """What that page is told, as it will be told of the survey."""

        def work(_: Account, __: Speech) -> Response:
            asked, _mistakes = check(store.draft(draft).content)
            if asked is None:
                return problem(422, "draft_wrong", "The draft has mistakes, so there is nothing to show yet.")
            # The day on which contact details are erased is chosen at the opening.
            told = {**asked.client(), "version": 1, "open": True, "contacts_until": None}
            return JSONResponse(told, 200, NO_STORE)

        return await answered(request, work)


def _done(store: Store, draft: Draft, given: Fields, me: Account) -> tuple[str, str | None]:
    """Do what a button says; the path of what is to be seen next, and the short name of the trial that was there before."""
    verb, here = given.get("do", ""), f"{DRAFTS}/{draft.key}/trial"
    slug = str(draft.content.get("survey", ""))
    before = find_trial(store, TRIAL, slug)
    if verb == "try":
        open_trial(store, _asked(draft), me.actor)
    elif verb == "close":
        trial = _there(store, TRIAL, slug)
        store.close_survey(trial, me.actor)
        here = f"/organiser/surveys/{trial}/results"
    elif verb == "make-up":
        make_up(store, _asked(draft), _people(given), me.actor)
    elif verb in DELETED:
        delete_trial(store, _there(store, DELETED[verb], slug), me.actor)
        here = after(here, "trial_deleted" if verb == "delete" else "made_up_deleted")
    else:
        raise RefusedError("unknown_question", "There is nothing else that is done to a trial.")
    return here, None if before is None else before.slug


def _asked(draft: Draft) -> Questionnaire:
    asked, mistakes = check(draft.content)
    if asked is None:
        raise mistakes[0].error
    return asked


def _there(store: Store, kind: str, slug: str) -> str:
    """The short name of a trial that is there."""
    found = find_trial(store, kind, slug)
    if found is None:
        raise RefusedError("unknown_survey", "There is no survey {slug!r} here.", slug=PREFIXES[kind] + slug)
    return found.slug


def _people(given: Fields) -> int:
    text = given.get("people", "").strip() or str(PEOPLE)
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise RefusedError("made_up_people", "1 to {most:,} people can be made up at once.", most=MOST_PEOPLE)
    return int(text)


def _sure_page(writer: Writer, verb: str) -> str:
    """Whether a trial, or made-up answers, are really to go."""
    speech, what = writer.speech, "trial" if DELETED[verb] == TRIAL else "made_up"
    path = f"{writer.path}/trial"
    return writer.page(
        "draft_sure.html", "trial", speech[f"delete_{what}_it"].format(survey=writer.title), path, path=path, posted=True,
        fields=[("do", verb)], what=speech[f"delete_{what}_note"], shown="", button=speech[f"do_delete_{what}"], back=path,
    )  # fmt: skip


def trial_page(
    store: Store, writer: Writer, host: str, complaint: str | None = None, given: Fields | None = None, note: str = ""
) -> str:
    """What can be tried, and what is being tried now."""
    asked, mistakes = check(writer.draft.content)
    speech = writer.speech
    values: dict[str, Any] = {"wrong": len(mistakes), "complaint": complaint, "people": (given or {}).get("people") or PEOPLE}
    if asked is not None:
        notes = [speech["try_uninvited"]] if asked.invited else []
        notes += [speech["try_contacts"].format(days=CONTACT_DAYS)] if asked.linkage == "register" else []
        values |= {"notes": notes, "trial": _seen(store, TRIAL, asked, host), "made_up": _seen(store, MADE_UP, asked, host)}
    title = speech["trial_title"].format(survey=writer.title)
    return writer.page("draft_trial.html", "trial", title, f"{writer.path}/trial", note, **values)


def _seen(store: Store, kind: str, asked: Questionnaire, host: str) -> dict[str, Any] | None:
    found = find_trial(store, kind, asked.slug)
    if found is None:
        return None
    return {
        "address": f"{host}/s/{found.slug}", "open": found.state == "open", "answers": found.mixed,
        "survey": f"/organiser/surveys/{found.slug}", "changed": not is_of_now(store, found, asked),
    }  # fmt: skip
