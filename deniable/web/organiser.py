"""The organiser's pages: log in, see how many answers are out, open, close, export."""

from __future__ import annotations

import asyncio
import io
import tempfile
import zipfile
from html import escape
from pathlib import Path
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from deniable.core.files import sidecar
from deniable.errors import RefusedError
from deniable.survey.export import export
from deniable.survey.store.surveys import Overview
from deniable.web.accounts import COOKIE, SESSION_SECONDS, Accounts
from deniable.web.collecting import Collector, address_of
from deniable.web.limits import Limit
from deniable.web.origin import same_site
from deniable.web.pages import list_page, page, password_page

PATH = "/organiser"
_NO_STORE = {"Cache-Control": "no-store"}


def router(collector: Collector, accounts: Accounts) -> APIRouter:
    """The routes under /organiser; the only ones that set a cookie."""
    routes = APIRouter(prefix=PATH, include_in_schema=False)
    store = collector.store
    limit = Limit(burst=10, per_second=1 / 6)
    one_at_a_time = asyncio.Semaphore(1)  # argon2 takes much memory on purpose

    def logged_in(request: Request) -> bool:
        return accounts.holds(request.cookies.get(COOKIE))

    def with_session(request: Request, token: str) -> Response:
        answer = RedirectResponse(PATH, 303, _NO_STORE)
        answer.set_cookie(
            COOKIE, token, SESSION_SECONDS, path=PATH, secure=request.url.scheme == "https", httponly=True, samesite="strict"
        )
        return answer

    @routes.get("")
    async def surveys(request: Request) -> Response:
        if not logged_in(request):
            return RedirectResponse(f"{PATH}/login", 303, _NO_STORE)
        found = await run_in_threadpool(lambda: [store.overview(slug) for slug in store.slugs()])
        return HTMLResponse(list_page(found), headers=_NO_STORE)

    @routes.get("/login")
    async def login_form() -> Response:
        return HTMLResponse(password_page(f"{PATH}/login", first=False), headers=_NO_STORE)

    @routes.post("/login")
    async def log_in(request: Request) -> Response:
        same_site(request, required=True)
        limit.check(address_of(request))
        password = await _field(request, "password")
        try:
            async with one_at_a_time:
                token = await run_in_threadpool(accounts.log_in, password)
        except RefusedError as error:
            return HTMLResponse(password_page(f"{PATH}/login", first=False, complaint=str(error)), 403, _NO_STORE)
        return with_session(request, token)

    @routes.get("/first/{key}")
    async def first_form(key: str) -> Response:
        if not accounts.is_first(key):
            return HTMLResponse(
                password_page(f"{PATH}/login", first=False, complaint="This link was used already."), 404, _NO_STORE
            )
        return HTMLResponse(password_page(f"{PATH}/first/{key}", first=True), headers=_NO_STORE)

    @routes.post("/first/{key}")
    async def first_password(key: str, request: Request) -> Response:
        same_site(request, required=True)
        limit.check(address_of(request))
        password = await _field(request, "password")
        try:
            async with one_at_a_time:
                token = await run_in_threadpool(accounts.set_password, key, password)
        except RefusedError as error:
            return HTMLResponse(password_page(f"{PATH}/first/{key}", first=True, complaint=str(error)), 422, _NO_STORE)
        return with_session(request, token)

    @routes.post("/logout")
    async def log_out(request: Request) -> Response:
        same_site(request, required=True)
        accounts.log_out(request.cookies.get(COOKIE))
        answer = RedirectResponse(f"{PATH}/login", 303, _NO_STORE)
        answer.delete_cookie(COOKIE, path=PATH, httponly=True, samesite="strict")
        return answer

    @routes.post("/surveys/{slug}/{verb}")
    async def change(slug: str, verb: str, request: Request) -> Response:
        same_site(request, required=True)
        if not logged_in(request):
            return RedirectResponse(f"{PATH}/login", 303, _NO_STORE)
        if verb not in ("open", "close"):
            raise RefusedError("unknown_survey", "A survey is opened or closed.")
        if verb == "close" and await _given(request, "sure") != "yes":
            # One slip of the finger must not end a survey. Plain HTML: it works without JavaScript.
            return HTMLResponse(_closing_page(await run_in_threadpool(store.overview, slug)), headers=_NO_STORE)
        await run_in_threadpool(store.close_survey if verb == "close" else store.reopen_survey, slug)
        collector.forget(slug)
        return RedirectResponse(PATH, 303, _NO_STORE)

    @routes.get("/surveys/{slug}/export.{kind}")
    async def results(slug: str, kind: str, request: Request) -> Response:
        if not logged_in(request):
            return RedirectResponse(f"{PATH}/login", 303, _NO_STORE)
        if kind not in ("zip", "parquet"):
            raise RefusedError("unknown_survey", "Results are exported as zip (CSV and schema) or parquet.")

        def made() -> tuple[str, bytes]:
            with tempfile.TemporaryDirectory() as folder:
                number = store.version(slug).number
                path = Path(folder) / f"{slug}-v{number}{'.csv' if kind == 'zip' else '.parquet'}"
                export(store, slug, path)
                if kind == "parquet":
                    return path.name, path.read_bytes()
                packed = io.BytesIO()
                with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                    for part in (path, sidecar(path)):
                        archive.write(part, part.name)
                return f"{slug}-v{number}.zip", packed.getvalue()

        name, content = await run_in_threadpool(made)
        headers = {**_NO_STORE, "Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, headers=headers, media_type="application/zip" if kind == "zip" else "application/octet-stream")

    return routes


def _closing_page(one: Overview) -> str:
    slug = escape(one.slug)
    rest = (
        "Its rest was shown at an earlier closing: answers that came since are shown only if they are 50 or more."
        if one.shown
        else "The answers that wait are then shown, however few they are. This is done once: after that, results come in batches of 50 "
        "or more, also if the survey is opened again."
    )
    count = f"{one.mixed:,} answer{' is' if one.mixed == 1 else 's are'}"
    return page(
        f"Close {one.slug}?",
        f"<p>{count} out, to version {one.number}. Nobody can answer while it is closed. {rest}</p>\n"
        f'<form method="post" action="{PATH}/surveys/{slug}/close"><input type="hidden" name="sure" value="yes">'
        f'<button>Close {slug}</button></form>\n<p><a href="{PATH}">Leave it open</a></p>',
    )


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
