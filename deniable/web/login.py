"""How an organiser logs in: the first password by a one-time link, a session by a cookie."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from deniable.errors import RefusedError
from deniable.web.accounts import COOKIE, SESSION_SECONDS, Accounts
from deniable.web.collecting import address_of
from deniable.web.forms import field
from deniable.web.languages import chosen, language_of
from deniable.web.limits import Limit
from deniable.web.organiser_words import in_words
from deniable.web.origin import same_site
from deniable.web.pages import Speech, password_page

PATH = "/organiser"
LOGIN = f"{PATH}/login"
NO_STORE = {"Cache-Control": "no-store"}


def router(accounts: Accounts) -> APIRouter:
    """The routes by which a session begins and ends; the only ones that set a cookie."""
    routes = APIRouter(prefix=PATH, include_in_schema=False)
    limit = Limit(burst=10, per_second=1 / 6)
    one_at_a_time = asyncio.Semaphore(1)  # argon2 takes much memory on purpose

    async def begin_session(request: Request, begin: Callable[[], str], path: str, status: int) -> Response:
        """Lead to the surveys with a cookie, or show the form again with the reason why not."""
        try:
            async with one_at_a_time:
                token = await run_in_threadpool(begin)
        except RefusedError as error:
            return _password_form(request, path, status, in_words(error, language_of(request)))
        return _with_session(request, token)

    @routes.get("/login")
    async def login_form(request: Request) -> Response:
        return _password_form(request, LOGIN)

    @routes.post("/login")
    async def log_in(request: Request) -> Response:
        same_site(request, required=True)
        limit.check(address_of(request))
        password = await field(request, "password")
        return await begin_session(request, partial(accounts.log_in, password), LOGIN, 403)

    @routes.get("/first/{key}")
    async def first_form(key: str, request: Request) -> Response:
        if not accounts.is_first(key):
            return _password_form(request, LOGIN, 404, speech_of(request)["link_gone"])
        return _password_form(request, _first(key))

    @routes.post("/first/{key}")
    async def first_password(key: str, request: Request) -> Response:
        same_site(request, required=True)
        limit.check(address_of(request))
        password, again = await field(request, "password"), await field(request, "again")
        return await begin_session(request, partial(accounts.set_password, key, password, again), _first(key), 422)

    @routes.post("/logout")
    async def log_out(request: Request) -> Response:
        same_site(request, required=True)
        accounts.log_out(request.cookies.get(COOKIE))
        answer = led_to(request, LOGIN)
        answer.delete_cookie(COOKIE, path=PATH, httponly=True, samesite="strict")
        return answer

    return routes


def speech_of(request: Request) -> Speech:
    """The language in which a request is answered."""
    return Speech(language_of(request), chosen(request) is not None)


def led_to(request: Request, path: str) -> Response:
    """Lead the browser to another of the organiser's pages."""
    return RedirectResponse(speech_of(request).to(path), 303, NO_STORE)


def _first(key: str) -> str:
    return f"{PATH}/first/{key}"


def _password_form(request: Request, path: str, status: int = 200, complaint: str | None = None) -> Response:
    content = password_page(path, path != LOGIN, complaint, speech_of(request))
    return HTMLResponse(content, status, NO_STORE)


def _with_session(request: Request, token: str) -> Response:
    answer = led_to(request, PATH)
    answer.set_cookie(
        COOKIE, token, SESSION_SECONDS, path=PATH, secure=request.url.scheme == "https", httponly=True, samesite="strict"
    )
    return answer
