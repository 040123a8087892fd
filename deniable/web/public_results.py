"""Results that everyone may see, as they were released. Nothing is read from the address behind the path, nor from cookies; the language of
the browser decides only which of the released pages it is led to."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from deniable.survey.store import Store
from deniable.survey.store.published import FIRST, STYLE
from deniable.survey.texts import LANGUAGES
from deniable.web.languages import wished
from deniable.web.pages import missing_page
from deniable.web.released import TYPES, Released
from deniable.web.served_files import READING, served

BY_LANGUAGE = {"Vary": "Accept-Language"}
"""Keeps caches from giving one reader's language to another."""


def router(store: Store) -> APIRouter:
    """The routes under /s/{slug}/results, for anyone."""
    routes = APIRouter(include_in_schema=False)

    @routes.api_route("/s/{slug}/results", methods=READING)
    async def first(slug: str, request: Request) -> Response:
        return await _in_the_readers_language(store, slug, request)

    @routes.api_route("/s/{slug}/results/", methods=READING)
    async def without_slash(slug: str) -> Response:
        return RedirectResponse(f"/s/{quote(slug, safe='')}/results", 307, {"Cache-Control": "no-store"})

    @routes.api_route("/s/{slug}/results/{part}", methods=READING)
    async def part(slug: str, part: str, request: Request) -> Response:
        return await _part(store, slug, part if part in (*LANGUAGES, STYLE) else "", request)

    return routes


async def _in_the_readers_language(store: Store, slug: str, request: Request) -> Response:
    """The page in the survey's first language, or the way to the other one where the browser asks for that: both are frozen."""
    wanted = wished(request.headers.get("accept-language", ""))
    if wanted is not None:
        first, other = await run_in_threadpool(lambda: [store.released_part(slug, name) for name in (FIRST, wanted)])
        if other is not None and other != first:
            headers = {"Cache-Control": "no-store", **BY_LANGUAGE}
            return RedirectResponse(f"/s/{quote(slug, safe='')}/results/{wanted}", 307, headers)
    reply = await _part(store, slug, FIRST, request)
    if reply.status_code != 404:
        reply.headers.update(BY_LANGUAGE)
    return reply


async def _part(store: Store, slug: str, name: str, request: Request) -> Response:
    """A page as it was released; where there is none, what is said of surveys that are not there."""
    content = await run_in_threadpool(store.released_part, slug, name)
    if content is None:
        return HTMLResponse(missing_page(), 404)
    return served(Released(name, content.encode(), TYPES[".css" if name == STYLE else ".html"]), request)
