"""Releasing results to everyone: a preview, a question whether it is really meant, and taking them back. For owners (permissions.py)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from deniable.errors import DeniableError, RefusedError
from deniable.survey.store.accounts import Account
from deniable.survey.store.published import trial_not_released
from deniable.web.forms import form
from deniable.web.login import NO_STORE, PATH, speech_of
from deniable.web.origin import host_of
from deniable.web.pages import Speech
from deniable.web.permissions import account_of
from deniable.web.report_routes import Fields, desk_of, marked
from deniable.web.results import Results, page_or_problem
from deniable.web.results_words import said_of


def router(results: Results) -> APIRouter:
    """The routes under /organiser/surveys/{slug} that release results and take them back."""
    routes = APIRouter(prefix=PATH, include_in_schema=False)

    @routes.get("/surveys/{slug}/publish")
    async def state(slug: str, request: Request) -> Response:
        me, speech = account_of(request), speech_of(request)
        return await page_or_problem(
            results, results.run(lambda: _state(results, slug, me, speech, host_of(request))), slug, me, speech, ""
        )

    @routes.get("/surveys/{slug}/publish/{language}")
    async def preview(slug: str, language: str, request: Request) -> Response:
        me, speech = account_of(request), speech_of(request)
        made = results.run(lambda: _preview(results, slug, language, me, speech), long=True)
        return await page_or_problem(results, made, slug, me, speech, "")

    @routes.post("/surveys/{slug}/publish")
    async def release(slug: str, request: Request) -> Response:
        me, speech, fields = account_of(request), speech_of(request), await _sent(request)
        made = results.run(lambda: _released(results, slug, fields, me, speech), long=True)
        return await page_or_problem(results, made, slug, me, speech, "")

    @routes.post("/surveys/{slug}/take-back")
    async def take_back(slug: str, request: Request) -> Response:
        me, speech, fields = account_of(request), speech_of(request), await _sent(request)
        return await page_or_problem(
            results, results.run(lambda: _taken_back(results, slug, fields, me, speech)), slug, me, speech, ""
        )

    return routes


async def _sent(request: Request) -> Fields:
    return await form(request) if "content-type" in request.headers else {}


def _state(results: Results, slug: str, me: Account, speech: Speech, host: str) -> Response:
    from deniable.results.releasing import EVERYONE, releasable
    from deniable.web.release_pages import release_page

    complaint, everyone = None, False
    try:
        everyone = releasable(results.bench, slug).moment.division == EVERYONE
    except RefusedError as error:
        complaint = said_of(error, speech.language)
    reader, released = results.reader(slug, me, speech), results.store.released_on(slug)
    page = release_page(reader, host, results.bench.languages(slug), released, complaint, everyone)
    return HTMLResponse(page, headers=NO_STORE)


def _preview(results: Results, slug: str, language: str, me: Account, speech: Speech) -> Response:
    from deniable.results.releasing import releasable
    from deniable.results.report.making import unmoved
    from deniable.web.public_page import public_page

    desk = desk_of(results, slug, me, speech)
    if language not in desk.languages:
        raise RefusedError("not_found", "The page is there in {allowed}.", allowed=", ".join(desk.languages))

    def made() -> str:
        return public_page(results.bench, releasable(results.bench, slug).ready, slug, desk.draft, language, preview=True)

    try:
        return HTMLResponse(unmoved(made), headers=NO_STORE)
    except DeniableError as error:
        return marked(results, desk, error)


def _released(results: Results, slug: str, fields: Fields, me: Account, speech: Speech) -> Response:
    """Ask whether it is meant; then release the very pages that were looked at, or say that they would be others by now."""
    from deniable.web.public_page import made_pages
    from deniable.web.release_pages import sure_page

    desk = desk_of(results, slug, me, speech)
    if desk.reader.kind is not None:
        raise trial_not_released(slug)
    try:
        made = made_pages(results.bench, slug, desk.draft)
    except DeniableError as error:
        return marked(results, desk, error)
    digest, complaint = _digest(made.pages), None
    if fields.get("sure", [""])[0] == "yes":
        if fields.get("seen", [""])[0] == digest:
            results.store.release_results(slug, made.pages, made.of.moment, made.of.known, me.actor)
            return RedirectResponse(speech.to(desk.reader.publish), 303, NO_STORE)
        complaint = speech["release_differs"]
    page = sure_page(desk.reader, "release", desk.languages, digest, complaint)
    return HTMLResponse(page, 200 if complaint is None else 409, NO_STORE)


def _digest(pages: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(dict(pages), sort_keys=True).encode()).hexdigest()


def _taken_back(results: Results, slug: str, fields: Fields, me: Account, speech: Speech) -> Response:
    from deniable.web.release_pages import sure_page

    reader = results.reader(slug, me, speech)
    if fields.get("sure", [""])[0] != "yes":
        return HTMLResponse(sure_page(reader, "take_back", [], ""), headers=NO_STORE)
    results.store.take_back_results(slug, me.actor)
    return RedirectResponse(speech.to(reader.publish), 303, NO_STORE)
