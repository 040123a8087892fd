"""Results that everyone may see, as they were released. Nothing is read from the address behind the path, nor from cookies."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from deniable.survey.store import Store
from deniable.survey.store.published import FIRST, STYLE
from deniable.survey.texts import LANGUAGES
from deniable.web.pages import missing_page
from deniable.web.released import TYPES, Released
from deniable.web.served_files import READING, served


def router(store: Store) -> APIRouter:
    """The routes under /s/{slug}/results, for anyone."""
    routes = APIRouter(include_in_schema=False)

    @routes.api_route("/s/{slug}/results", methods=READING)
    async def first(slug: str, request: Request) -> Response:
        return await _part(store, slug, FIRST, request)

    @routes.api_route("/s/{slug}/results/", methods=READING)
    async def without_slash(slug: str) -> Response:
        return RedirectResponse(f"/s/{quote(slug, safe='')}/results", 307, {"Cache-Control": "no-store"})

    @routes.api_route("/s/{slug}/results/{part}", methods=READING)
    async def part(slug: str, part: str, request: Request) -> Response:
        return await _part(store, slug, part if part in (*LANGUAGES, STYLE) else "", request)

    return routes


async def _part(store: Store, slug: str, name: str, request: Request) -> Response:
    """A page as it was released; where there is none, what is said of surveys that are not there."""
    content = await run_in_threadpool(store.released_part, slug, name)
    if content is None:
        return HTMLResponse(missing_page(), 404)
    return served(Released(name, content.encode(), TYPES[".css" if name == STYLE else ".html"]), request)
