"""The organiser's pages: log in, see how many answers have been released, open, close, export."""

from __future__ import annotations

import asyncio
import io
import tempfile
import zipfile
from pathlib import Path
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from deniable.errors import RefusedError
from deniable.files.sidecar import sidecar
from deniable.survey.export import export
from deniable.web.accounts import COOKIE, SESSION_SECONDS, Accounts
from deniable.web.collecting import Collector, address_of
from deniable.web.languages import chosen, language_of
from deniable.web.limits import Limit
from deniable.web.organiser_words import in_words
from deniable.web.origin import same_site
from deniable.web.pages import Speech, closing_page, list_page, password_page

PATH = "/organiser"
LOGIN = f"{PATH}/login"
_NO_STORE = {"Cache-Control": "no-store"}


def router(collector: Collector, accounts: Accounts) -> APIRouter:
    """The routes under /organiser; the only ones that set a cookie."""
    routes = APIRouter(prefix=PATH, include_in_schema=False)
    store = collector.store
    limit = Limit(burst=10, per_second=1 / 6)
    one_at_a_time = asyncio.Semaphore(1)  # argon2 takes much memory on purpose

    def logged_in(request: Request) -> bool:
        return accounts.holds(request.cookies.get(COOKIE))

    def led_to(request: Request, path: str) -> Response:
        return RedirectResponse(_speech(request).to(path), 303, _NO_STORE)

    def password_form(request: Request, path: str, status: int = 200, complaint: str | None = None) -> Response:
        content = password_page(path, path != LOGIN, complaint, _speech(request))
        return HTMLResponse(content, status, _NO_STORE)

    def with_session(request: Request, token: str) -> Response:
        answer = led_to(request, PATH)
        answer.set_cookie(
            COOKIE, token, SESSION_SECONDS, path=PATH, secure=request.url.scheme == "https", httponly=True, samesite="strict"
        )
        return answer

    @routes.get("")
    async def surveys(request: Request) -> Response:
        if not logged_in(request):
            return led_to(request, LOGIN)
        found = await run_in_threadpool(lambda: [store.overview(slug) for slug in store.slugs()])
        return HTMLResponse(list_page(found, _speech(request)), headers=_NO_STORE)

    @routes.get("/login")
    async def login_form(request: Request) -> Response:
        return password_form(request, LOGIN)

    @routes.post("/login")
    async def log_in(request: Request) -> Response:
        same_site(request, required=True)
        limit.check(address_of(request))
        password = await _field(request, "password")
        try:
            async with one_at_a_time:
                token = await run_in_threadpool(accounts.log_in, password)
        except RefusedError as error:
            return password_form(request, LOGIN, 403, in_words(error, language_of(request)))
        return with_session(request, token)

    @routes.get("/first/{key}")
    async def first_form(key: str, request: Request) -> Response:
        if not accounts.is_first(key):
            return password_form(request, LOGIN, 404, _speech(request)["link_gone"])
        return password_form(request, f"{PATH}/first/{key}")

    @routes.post("/first/{key}")
    async def first_password(key: str, request: Request) -> Response:
        same_site(request, required=True)
        limit.check(address_of(request))
        password = await _field(request, "password")
        try:
            async with one_at_a_time:
                token = await run_in_threadpool(accounts.set_password, key, password, await _field(request, "again"))
        except RefusedError as error:
            return password_form(request, f"{PATH}/first/{key}", 422, in_words(error, language_of(request)))
        return with_session(request, token)

    @routes.post("/logout")
    async def log_out(request: Request) -> Response:
        same_site(request, required=True)
        accounts.log_out(request.cookies.get(COOKIE))
        answer = led_to(request, LOGIN)
        answer.delete_cookie(COOKIE, path=PATH, httponly=True, samesite="strict")
        return answer

    @routes.post("/surveys/{slug}/{verb}")
    async def change(slug: str, verb: str, request: Request) -> Response:
        same_site(request, required=True)
        if not logged_in(request):
            return led_to(request, LOGIN)
        if verb not in ("open", "close"):
            raise RefusedError("unknown_survey", "A survey is opened or closed.")
        if verb == "close" and await _given(request, "sure") != "yes":
            # One slip of the finger must not end a survey. Plain HTML: it works without JavaScript.
            return HTMLResponse(
                closing_page(await run_in_threadpool(store.overview, slug), _speech(request)), headers=_NO_STORE
            )
        await run_in_threadpool(store.close_survey if verb == "close" else store.reopen_survey, slug)
        collector.forget(slug)
        return led_to(request, PATH)

    @routes.get("/surveys/{slug}/export.{kind}")
    async def results(slug: str, kind: str, request: Request) -> Response:
        if not logged_in(request):
            return led_to(request, LOGIN)
        if kind not in ("zip", "spreadsheet.zip", "parquet"):
            raise RefusedError("unknown_survey", "Results are exported as zip (CSV and schema) or parquet.")

        def made() -> tuple[str, bytes]:
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

        name, content = await run_in_threadpool(made)
        headers = {**_NO_STORE, "Content-Disposition": f'attachment; filename="{name}"'}
        return Response(
            content, headers=headers, media_type="application/octet-stream" if kind == "parquet" else "application/zip"
        )

    return routes


def _speech(request: Request) -> Speech:
    return Speech(language_of(request), chosen(request) is not None)


async def _given(request: Request, name: str) -> str:
    """A field of a form that may have none."""
    return await _field(request, name) if "content-type" in request.headers else ""


async def _field(request: Request, name: str) -> str:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        raise RefusedError("content_type", "Forms are sent as application/x-www-form-urlencoded.")
    try:
        fields = parse_qs((await request.body()).decode(), keep_blank_values=True, max_num_fields=20)
    except ValueError:
        raise RefusedError("not_a_form", "The form could not be read.") from None
    return fields.get(name, [""])[0]
