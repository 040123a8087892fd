"""Opening a survey from its draft: explained on a page before it happens, done by the same function as on the command line."""

from __future__ import annotations

import datetime
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deniable.dates import day
from deniable.errors import QuestionnaireError, RefusedError
from deniable.survey.apart import TRIAL
from deniable.survey.drafts import parts
from deniable.survey.drafts.checked import check
from deniable.survey.lines import Document
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from deniable.survey.store.accounts import Account
from deniable.survey.trials import find_trial
from deniable.web.body_limits import DRAFTS
from deniable.web.collecting import Collector
from deniable.web.done import OPENED, after
from deniable.web.draft_forms import Fields, sent
from deniable.web.draft_pages import Writer, text_in
from deniable.web.draft_routes import answered, page
from deniable.web.draft_taken import taken
from deniable.web.languages import NAMES
from deniable.web.login import led_to
from deniable.web.organiser_words import in_words
from deniable.web.origin import host_of
from deniable.web.pages import Speech


def router(collector: Collector) -> APIRouter:
    """The routes that open a draft."""
    routes = APIRouter(prefix=DRAFTS, include_in_schema=False)
    store = collector.store

    @routes.get("/{draft}/open")
    async def explain(draft: str, request: Request) -> Response:
        def work(me: Account, speech: Speech) -> Response:
            return page(_opening_page(store, Writer(store.draft(draft), me, speech), host_of(request)))

        return await answered(request, work)

    @routes.post("/{draft}/open")
    async def open_(draft: str, request: Request) -> Response:
        given = await sent(request)

        def work(me: Account, speech: Speech) -> Response:
            writer = Writer(store.draft(draft), me, speech)
            if given.get("sure") != "yes":
                return led_to(request, f"{writer.path}/open")
            try:
                _open(store, writer, given)
            except (RefusedError, QuestionnaireError) as error:
                said = in_words(error, speech.language)
                return page(_opening_page(store, writer, host_of(request), said, given), 422)
            slug = str(writer.draft.content["survey"])
            collector.forget(slug)
            return led_to(request, after("/organiser", OPENED) + f"&survey={slug}")

        return await answered(request, work)

    return routes


def _open(store: Store, writer: Writer, given: Fields) -> None:
    """Open what was read on the page before; the draft has done its work then."""
    if parts.mark_of(writer.draft.content) != given.get("seen"):
        raise RefusedError(
            "changed_look", "Somebody else has changed this meanwhile, so nothing was done. This is how it is now."
        )
    questionnaire = Questionnaire(Document.of(writer.draft.content, "the questionnaire"))
    questionnaire.check_last_day(datetime.date.today())
    until = given.get("until", "").strip() if questionnaire.linkage == "register" else ""
    try:
        last = datetime.date.fromisoformat(until) if until else None
    except ValueError:
        raise RefusedError("bad_day", "A day is written like this: 2027-03-31.") from None
    store.open_survey(questionnaire, last, given.get("discard") == "yes", writer.me.actor)
    store.remove_draft(writer.draft.key)


def _opening_page(store: Store, writer: Writer, host: str, complaint: str | None = None, given: Fields | None = None) -> str:
    """What opening does."""
    speech, content = writer.speech, writer.draft.content
    questionnaire, mistakes = check(content)
    values: dict[str, Any] = {"wrong": len(mistakes), "complaint": complaint, "mark": parts.mark_of(content)}
    if questionnaire is not None:
        values |= _explained(store, questionnaire, writer, host)
        values["until"] = (given or {}).get("until", "")
    return writer.page(
        "draft_open.html", "open", speech["open_it"].format(survey=writer.title), f"{writer.path}/open", **values
    )


def _explained(store: Store, asked: Questionnaire, writer: Writer, host: str) -> dict[str, Any]:
    speech, slug, address = writer.speech, asked.slug, f"{host}/s/{asked.slug}"
    there = taken(store, writer.draft.content, speech)
    questions = [element for element in asked.elements if element.channels]
    client = asked.client()
    facts = [
        ("title", text_in(client["title"], speech)),
        ("address", address),
        ("languages", ", ".join(NAMES.get(one, one) for one in asked.languages)),
        ("questions", speech["fact_counts"].format(all=len(questions), private=sum(one.private for one in questions))),
        ("who", speech["who_invited" if asked.invited else "who_anyone"].format(slug=slug)),
        ("last_day", day(asked.closes.isoformat(), speech.language) if asked.closes else speech["no_last_day"]),
        ("organiser", text_in(client["organiser"], speech)),
        ("contact", text_in(client["contact"], speech)),
        ("linkage", speech[f"linked_{asked.linkage}"]),
    ]
    return {
        "what": speech["open_new"] if there is None else there.sentence(speech, "open_version", "open_again"),
        "happens": speech["happens_new"].format(survey=writer.title)
        if there is None
        else there.sentence(speech, "happens_version", "happens_again"),
        "facts": [(speech[f"fact_{name}"], said) for name, said in facts],
        "fixed": [speech["fixed_version"], speech["fixed_address"].format(address=address), speech["fixed_promise"]],
        "register": asked.linkage == "register",
        "few": there is not None and not there.unchanged,
        "trial": find_trial(store, TRIAL, slug) is not None,
    }
