"""Answers from pages that are files: the only place that another site's page may send to, and the only answers it may read.

Browsers ask first (a preflight) whether a page of another site may send JSON here. It may, without cookies, to surveys with
`offline: true`; nothing else of the service allows other origins.
"""

from __future__ import annotations

import functools
import json

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deniable.errors import DeniableError, RefusedError
from deniable.web.collecting import ANSWERS_DESCRIBED, Collector, stored
from deniable.web.limits import Limit
from deniable.web.problems import DOCUMENTED, from_error

# No credentials are allowed with a star, and none are ever sent or looked at.
ANYONE = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}
ASKED_FIRST = ANYONE | {
    "Access-Control-Allow-Methods": "POST",
    "Access-Control-Allow-Headers": "content-type",
    "Access-Control-Max-Age": "600",
}


@functools.lru_cache(maxsize=64)
def _now(client: str) -> str | None:
    """All that a file may know of a survey by now, as JSON; None where the survey has no such pages."""
    told = json.loads(client)
    return json.dumps({"version": told["version"], "open": told["open"]}) if told.get("offline") is True else None


def router(collector: Collector, limit: Limit | None) -> APIRouter:
    """The routes that pages as files use."""
    routes = APIRouter(prefix="/api/offline")

    async def now(slug: str) -> str:
        _, client = await collector.survey(slug)
        content = _now(client)
        if content is None:
            # As if it were not there: also without the header that would let a page of another site read this.
            raise RefusedError("unknown_survey", "There is no survey {slug!r} that takes answers from files.", slug=slug)
        return content

    @routes.get("/{slug}", responses={404: DOCUMENTED[404]}, summary="Which version takes answers from pages that are files")
    async def version(slug: str) -> Response:
        return Response(await now(slug), headers=ANYONE, media_type="application/json")

    @routes.options("/{slug}/answers", include_in_schema=False)
    async def asked_first(slug: str) -> Response:
        await now(slug)
        return Response(status_code=204, headers=ASKED_FIRST)

    @routes.post("/{slug}/answers", **ANSWERS_DESCRIBED)
    async def answers(slug: str, request: Request) -> Response:
        await now(slug)
        try:
            reply = await stored(collector, limit, slug, request)
        except DeniableError as error:
            reply = from_error(error)
        reply.headers.update(ANYONE)
        return reply

    return routes
