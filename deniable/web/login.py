"""How those who run surveys log in: a password chosen by a one-time link, a session by a cookie."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from deniable.errors import RefusedError
from deniable.survey.account_names import FIRST_NAME, folded
from deniable.web.accounts import COOKIE, SESSION_SECONDS, Accounts
from deniable.web.collecting import address_of
from deniable.web.forms import field
from deniable.web.languages import chosen, language_of
from deniable.web.limits import Limit
from deniable.web.organiser_words import in_words
from deniable.web.pages import Speech, choosing_page, login_page

PATH = "/organiser"
LOGIN = f"{PATH}/login"
NO_STORE = {"Cache-Control": "no-store"}
_NAME_COUNTED = 100


class Tries:
    """How often passwords may be tried, from one address and for one name; and one at a time, for argon2 takes much memory on purpose."""

    def __init__(self) -> None:
        self._of_address = Limit(burst=10, per_second=1 / 6)
        # Whoever has many addresses must not have many tries. A name that nobody has is counted in the same way.
        self._of_name = Limit(burst=50, per_second=1 / 6)
        self._one_at_a_time = asyncio.Semaphore(1)

    def check(self, request: Request, name: str | None = None) -> None:
        """Refuse where there were too many."""
        self._of_address.check(address_of(request))
        if name is not None:
            self._of_name.check(f"name {folded(name.strip()[:_NAME_COUNTED]) or FIRST_NAME}")

    async def run(self, begin: Callable[[], str]) -> str:
        """Begin a session when it is this one's turn."""
        async with self._one_at_a_time:
            return await run_in_threadpool(begin)


def router(accounts: Accounts, tries: Tries) -> APIRouter:
    """The routes by which a session begins and ends."""
    routes = APIRouter(prefix=PATH, include_in_schema=False)

    @routes.get("/login")
    async def login_form(request: Request) -> Response:
        return HTMLResponse(login_page(None, "", speech_of(request)), headers=NO_STORE)

    @routes.post("/login")
    async def log_in(request: Request) -> Response:
        name, password = await field(request, "username"), await field(request, "password")
        tries.check(request, name)
        try:
            token = await tries.run(partial(accounts.log_in, name, password))
        except RefusedError as error:
            speech = speech_of(request)
            return HTMLResponse(login_page(in_words(error, speech.language), name[:_NAME_COUNTED], speech), 403, NO_STORE)
        # Nobody goes on in a session that was there before, which somebody else may have begun.
        accounts.log_out(request.cookies.get(COOKIE))
        return with_session(request, token, PATH)

    @routes.get("/first/{key}")
    async def first_form(key: str, request: Request) -> Response:
        name, speech = await run_in_threadpool(accounts.name_of_link, key), speech_of(request)
        if name is None:
            return HTMLResponse(login_page(speech["link_gone"], "", speech), 404, NO_STORE)
        return HTMLResponse(choosing_page(_first(key), name, None, speech), headers=NO_STORE)

    @routes.post("/first/{key}")
    async def first_password(key: str, request: Request) -> Response:
        tries.check(request)
        password, again = await field(request, "password"), await field(request, "again")
        try:
            token = await tries.run(partial(accounts.choose_password, key, password, again))
        except RefusedError as error:
            name, speech = await run_in_threadpool(accounts.name_of_link, key), speech_of(request)
            said = in_words(error, speech.language)
            content = login_page(said, "", speech) if name is None else choosing_page(_first(key), name, said, speech)
            return HTMLResponse(content, 422, NO_STORE)
        accounts.log_out(request.cookies.get(COOKIE))
        return with_session(request, token, PATH)

    @routes.post("/logout")
    async def log_out(request: Request) -> Response:
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


def with_session(request: Request, token: str, path: str) -> Response:
    """Lead to a page with the cookie of a session."""
    answer = led_to(request, path)
    answer.set_cookie(
        COOKIE, token, SESSION_SECONDS, path=PATH, secure=request.url.scheme == "https", httponly=True, samesite="strict"
    )
    return answer


def _first(key: str) -> str:
    return f"{PATH}/first/{key}"
