"""What browsers load: the released files, the same bytes for everyone, and the pages around them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from deniable.errors import RefusedError
from deniable.web.collecting import Collector
from deniable.web.pages import missing_page, other_way_page
from deniable.web.problems import problem
from deniable.web.released import FRONT, SHELL, Released

READING = ["GET", "HEAD"]


def router(collector: Collector, files: Mapping[str, Released]) -> APIRouter:
    """The routes of pages and files, for anyone."""
    routes = APIRouter(include_in_schema=False)

    @routes.api_route("/", methods=READING)
    async def start(request: Request) -> Response:
        # The same bytes for everyone, whatever is asked here: which surveys there are is between organisers and those they invite.
        return served(files.get(FRONT), request)

    @routes.api_route("/s/{slug}", methods=READING)
    async def respond(slug: str, request: Request) -> Response:
        try:
            _, client = await collector.survey(slug)
        except RefusedError:
            return HTMLResponse(missing_page(), 404)
        if "other-way" in request.query_params:
            return HTMLResponse(other_way_page(json.loads(client)))
        return served(files.get(SHELL), request)

    @routes.api_route("/s/{slug}/", methods=READING)
    async def without_slash(slug: str, request: Request) -> Response:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/s/{quote(slug, safe='')}{query}", 307, {"Cache-Control": "no-store"})

    @routes.api_route("/organiser/", methods=READING)
    async def organiser_without_slash() -> Response:
        return RedirectResponse("/organiser", 307, {"Cache-Control": "no-store"})

    @routes.api_route("/static/{name}", methods=READING)
    async def static(name: str, request: Request) -> Response:
        return served(files.get(name), request)

    return routes


def served(file: Released | None, request: Request) -> Response:
    """A file, unless the browser has it already; it asks each time."""
    if file is None:
        return problem(404, "not_found", "Not Found.")
    tag = f'"{file.sha256}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Repr-Digest": file.digest}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(file.content, headers={**headers, "Content-Type": file.media_type})
