"""The organiser's pages: see how many answers have been released, open, close, export. Who may use which is in permissions.py."""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response

from deniable.errors import RefusedError
from deniable.files.sidecar import sidecar
from deniable.survey.apart import MADE_UP
from deniable.survey.export import export
from deniable.survey.store import Store
from deniable.survey.store.accounts import OWNER
from deniable.survey.store.opening import made_up_closed
from deniable.survey.trials import delete_trial
from deniable.web.collecting import Collector
from deniable.web.done import after, done, opened
from deniable.web.draft_pages import title_of
from deniable.web.forms import optional_field
from deniable.web.login import NO_STORE, PATH, led_to, speech_of
from deniable.web.organiser_words import in_words
from deniable.web.pages import called, closing_page, delete_page, list_page, reopening_page, trial_delete_page
from deniable.web.permissions import account_of


def router(collector: Collector) -> APIRouter:
    """The routes under /organiser for those who have logged in."""
    routes = APIRouter(prefix=PATH, include_in_schema=False)
    store = collector.store

    @routes.get("")
    async def surveys(request: Request) -> Response:
        me, speech = account_of(request), speech_of(request)
        rows = await run_in_threadpool(lambda: [store.overview(slug) for slug in store.slugs()])
        rows.sort(key=lambda one: called(one, speech).casefold())
        released = await run_in_threadpool(store.released_surveys)
        drafts = await run_in_threadpool(store.drafts) if me.role == OWNER else []
        written = [{"key": one.key, "title": title_of(one.content, speech), "by": one.changed_by} for one in drafts]
        return HTMLResponse(
            list_page(
                rows, me, speech, sorted(written, key=lambda one: one["title"].casefold()), released, done(request, speech),
                await run_in_threadpool(opened, store, request, speech),
            ),
            headers=NO_STORE,
        )  # fmt: skip

    @routes.post("/surveys/{slug}/{verb}")
    async def change(slug: str, verb: str, request: Request) -> Response:
        me = account_of(request)
        if verb == "delete":
            return await _delete(collector, slug, request)
        if verb not in ("open", "close"):
            raise RefusedError("unknown_survey", "A survey is opened, closed or deleted.")
        if await optional_field(request, "sure") != "yes":
            # One slip of the finger must neither end a survey nor begin it anew. Plain HTML: it works without JavaScript.
            seen = await run_in_threadpool(store.overview, slug)
            if verb == "open" and seen.kind == MADE_UP:
                raise made_up_closed(slug)
            asked = (closing_page if verb == "close" else reopening_page)(seen, me, speech_of(request))
            return HTMLResponse(asked, headers=NO_STORE)
        await run_in_threadpool(store.close_survey if verb == "close" else store.reopen_survey, slug, me.actor)
        collector.forget(slug)
        return led_to(request, after(PATH, "closed" if verb == "close" else "reopened"))

    @routes.get("/surveys/{slug}/export.{kind}")
    async def results(slug: str, kind: str, request: Request) -> Response:
        if kind not in ("zip", "spreadsheet.zip", "parquet"):
            raise RefusedError("unknown_survey", "Results are exported as zip (CSV and schema) or parquet.")
        name, content = await run_in_threadpool(_packed, store, slug, kind)
        # Listed before anything is sent: no file leaves without its line.
        await run_in_threadpool(store.record, account_of(request).actor, "exported", slug)
        headers = {**NO_STORE, "Content-Disposition": f'attachment; filename="{name}"'}
        media_type = "application/octet-stream" if kind == "parquet" else "application/zip"
        return Response(content, headers=headers, media_type=media_type)

    return routes


async def _delete(collector: Collector, slug: str, request: Request) -> Response:
    """A closed survey goes if its short name is typed; until then the page says what goes with it. A trial goes once somebody is sure."""
    me, speech, store = account_of(request), speech_of(request), collector.store
    seen = await run_in_threadpool(store.overview, slug)
    if seen.kind is not None:
        # What was only tried goes without its name, open or closed, but not by one slip of the finger.
        if await optional_field(request, "sure") != "yes":
            return HTMLResponse(trial_delete_page(seen, me, speech), headers=NO_STORE)
        await run_in_threadpool(delete_trial, store, slug, me.actor)
        collector.forget(slug, deleted=True)
        return led_to(request, after(PATH, "made_up_deleted" if seen.kind == MADE_UP else "trial_deleted"))
    typed = (await optional_field(request, "typed")).strip()
    complaint = speech["delete_mistyped"] if typed and typed != slug else None
    if typed == slug:
        try:
            await run_in_threadpool(store.delete_survey, slug, me.actor)
            collector.forget(slug, deleted=True)
            return led_to(request, after(PATH, "deleted"))
        except RefusedError as error:
            complaint = in_words(error, speech.language)
    return HTMLResponse(delete_page(seen, me, complaint, speech), 422 if complaint else 200, NO_STORE)


def _packed(store: Store, slug: str, kind: str) -> tuple[str, bytes]:
    """The name and the bytes of a file of results: Parquet, or a zip of CSV and its schema."""
    with tempfile.TemporaryDirectory() as folder:
        number = store.version(slug).number
        path = Path(folder) / f"{slug}-v{number}{'.parquet' if kind == 'parquet' else '.csv'}"
        export(store, slug, path, spreadsheet=kind == "spreadsheet.zip")
        if kind == "parquet":
            return path.name, path.read_bytes()
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for part in (path, sidecar(path)):
                archive.write(part, part.name)
        return f"{slug}-v{number}{'-' if kind == 'spreadsheet.zip' else '.'}{kind}", packed.getvalue()
