"""What respondents' pages ask and send: the survey as JSON, and the randomised answers."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from deniable.errors import DeniableError, RefusedError
from deniable.survey.store import Store
from deniable.survey.store.submissions import Outcome
from deniable.survey.submission import CONTACT_FIELDS, CONTACT_LENGTH, Asked, Submission, read_submission
from deniable.survey.writer import Writer
from deniable.web.limits import Limit
from deniable.web.origin import same_site
from deniable.web.problems import DOCUMENTED, from_error

REMEMBERED_SECONDS = 1.0
STORED = json.dumps({"stored": True}).encode()
_BODY = {
    "type": "object",
    "required": ["version", "id", "report"],
    "additionalProperties": False,
    "properties": {
        "version": {"type": "integer", "description": "the version of the survey that was shown"},
        "id": {"type": "string", "pattern": "^[A-Za-z0-9_-]{22,64}$", "description": "random; a retry repeats it"},
        "token": {"type": "string", "pattern": "^[A-Za-z0-9_~-]{1,128}$", "description": "of an invitation"},
        "code": {"type": "string", "pattern": "^[A-Za-z0-9-]{10,40}$", "description": "receipt code, where one is kept"},
        "contact": {
            "type": "object",
            "properties": {name: {"type": "string", "maxLength": CONTACT_LENGTH} for name in CONTACT_FIELDS},
            "additionalProperties": False,
            "minProperties": 1,
        },
        "report": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
    },
}
ANSWERS_DESCRIBED: dict[str, Any] = {
    "status_code": 201,
    "summary": "Store one person's randomised answers",
    "responses": {
        201: {"content": {"application/json": {"schema": {"type": "object", "required": ["stored"]}}}},
        **DOCUMENTED,
    },
    "openapi_extra": {"requestBody": {"required": True, "content": {"application/json": {"schema": _BODY}}}},
}


class Collector:
    """Between the event loop and the writer's thread."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.writer = Writer(store, self._deliver)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._remembered: dict[str, tuple[float, Asked, str]] = {}
        self._replaced: dict[tuple[str, int], Asked] = {}
        self._looking: dict[str, asyncio.Task[tuple[Asked, str]]] = {}

    def start(self) -> None:
        """Called inside the running loop."""
        self._loop = asyncio.get_running_loop()
        self.writer.start()

    async def stop(self) -> None:
        """Write what is queued and acknowledge it, then end."""
        await run_in_threadpool(self.writer.stop)

    async def survey(self, slug: str) -> tuple[Asked, str]:
        """What is asked now; looked up again every second, for an organiser may close or change it elsewhere."""
        known = self._remembered.get(slug)
        if known is not None and known[0] >= time.monotonic():
            return known[1], known[2]
        # One looks it up; the others go on with what was known a moment ago: the store checks version and state once more.
        if slug not in self._looking:
            self._looking[slug] = asyncio.create_task(self._look_up(slug))
        elif known is not None:
            return known[1], known[2]
        return await asyncio.shield(self._looking[slug])

    async def asked(self, slug: str, body: Any) -> Asked:
        """What the version asked that a body names, if it was replaced: a retry of what was acknowledged then has its old reply, which
        only the store knows. Whatever else names an old version is refused there."""
        now, _ = await self.survey(slug)
        number = body.get("version") if isinstance(body, dict) else None
        if type(number) is not int or not 1 <= number < now.number:
            return now
        # A version that was replaced is never changed, and there are no more of them than were opened.
        if (slug, number) not in self._replaced:
            self._replaced[slug, number] = await run_in_threadpool(self.store.asked_before, slug, number)
        return self._replaced[slug, number]

    async def _look_up(self, slug: str) -> tuple[Asked, str]:
        try:
            asked, client = await run_in_threadpool(self.store.current, slug, public=True)
            # Only surveys that exist are remembered, so that nobody fills the memory with made-up names.
            self._remembered[slug] = (time.monotonic() + REMEMBERED_SECONDS, asked, client)
            return asked, client
        except RefusedError:
            self._remembered.pop(slug, None)
            raise
        finally:
            del self._looking[slug]

    def forget(self, slug: str, deleted: bool = False) -> None:
        """Look it up anew next time; of one that was deleted nothing of earlier versions holds either."""
        self._remembered.pop(slug, None)
        # A copy: a draft is opened in another thread, while this one remembers more.
        for known in [one for one in tuple(self._replaced) if deleted and one[0] == slug]:
            del self._replaced[known]

    async def submit(self, submission: Submission) -> Outcome:
        """Wait until the submission is on the disk, or refused."""
        assert self._loop is not None
        future: asyncio.Future[Outcome] = self._loop.create_future()
        self.writer.put(submission, future)
        return await future

    def _deliver(self, replies: Sequence[tuple[Any, Outcome]]) -> None:
        assert self._loop is not None
        # One call into the loop for the whole group, not one a reply.
        self._loop.call_soon_threadsafe(_resolve, replies)


def _resolve(replies: Sequence[tuple[asyncio.Future[Outcome], Outcome]]) -> None:
    for future, outcome in replies:
        if not future.done():
            future.set_result(outcome)


def address_of(request: Request) -> str:
    """Where a request comes from; used for limits, never stored."""
    return request.client.host if request.client else ""


def router(collector: Collector, limit: Limit | None) -> APIRouter:
    """The routes of the interface that respondents' pages use."""
    routes = APIRouter(prefix="/api")

    @routes.get("/surveys/{slug}", responses={404: DOCUMENTED[404]}, summary="All that the respondent's page needs")
    async def survey(slug: str) -> Response:
        _, client = await collector.survey(slug)
        return Response(client, headers={"Cache-Control": "no-store"}, media_type="application/json")

    @routes.post("/surveys/{slug}/answers", **ANSWERS_DESCRIBED)
    async def answers(slug: str, request: Request) -> Response:
        same_site(request, required=False)
        return await stored(collector, limit, slug, request)

    return routes


async def stored(collector: Collector, limit: Limit | None, slug: str, request: Request) -> Response:
    """Take one person's answers, or say why not."""
    body = await _json(request)
    asked = await collector.asked(slug, body)
    submission = read_submission(asked, body)
    # Only what is stored counts: others behind the same address must not be shut out by somebody's junk.
    address = address_of(request)
    if limit is not None:
        limit.check(address)
    outcome = await collector.submit(submission)
    if outcome is not None and limit is not None:
        # A repetition counts as little: one answer, sent again and again, would shut the others out.
        limit.give_back(address)
    if isinstance(outcome, DeniableError):
        return from_error(outcome)
    return Response(STORED, 201, headers={"Cache-Control": "no-store"}, media_type="application/json")


async def body_of(request: Request) -> bytearray:
    """The whole body. `Request.body` keeps every piece by itself, and a client chooses how small they are."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
    return body


async def _json(request: Request) -> Any:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RefusedError("content_type", "Answers are sent as application/json.")
    try:
        # Not bytes: those would be taken in other encodings too, and with halves of characters.
        return json.loads((await body_of(request)).decode("utf-8-sig"), object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise RefusedError("not_json", "The body is not JSON, or names a field twice.") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a field is named twice")
    return content


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
