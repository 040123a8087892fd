"""Pages about accounts: one's own password; for owners, who may log in, and what was done."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response

from deniable.errors import ParameterError, RefusedError
from deniable.survey.store import Store
from deniable.survey.store.accounts import Account
from deniable.survey.store.audit import ABOUT_SURVEYS, Line
from deniable.web.account_pages import accounts_page, audit_page, link_page, own_password_page, sure_page
from deniable.web.accounts import COOKIE, Accounts
from deniable.web.forms import field
from deniable.web.login import NO_STORE, PATH, Tries, led_to, speech_of, with_session
from deniable.web.organiser_words import in_words
from deniable.web.origin import host_of
from deniable.web.pages import Speech, called
from deniable.web.permissions import account_of

LINES = 200


def router(store: Store, accounts: Accounts, tries: Tries) -> APIRouter:
    """The routes under /organiser about those who log in. Who may use which is in permissions.py."""
    routes = APIRouter(prefix=PATH, include_in_schema=False)

    @routes.get("/password")
    async def password_form(request: Request) -> Response:
        return HTMLResponse(own_password_page(account_of(request), None, speech_of(request)), headers=NO_STORE)

    @routes.post("/password")
    async def change_password(request: Request) -> Response:
        me, speech = account_of(request), speech_of(request)
        current, password, again = [await field(request, name) for name in ("current", "password", "again")]
        tries.check(request, me.name)
        try:
            token = await tries.run(partial(accounts.change_password, me, current, password, again))
        except RefusedError as error:
            return HTMLResponse(own_password_page(me, in_words(error, speech.language), speech), 422, NO_STORE)
        accounts.log_out(request.cookies.get(COOKIE))
        return with_session(request, token, PATH)

    async def listed(request: Request, error: RefusedError | None = None) -> Response:
        """All accounts, with what was refused, if anything was."""
        speech = speech_of(request)
        said = None if error is None else in_words(error, speech.language)
        rows = await run_in_threadpool(store.accounts)
        return HTMLResponse(accounts_page(rows, account_of(request), said, speech), 200 if said is None else 422, NO_STORE)

    @routes.get("/accounts")
    async def list_accounts(request: Request) -> Response:
        return await listed(request)

    @routes.post("/accounts")
    async def add(request: Request) -> Response:
        name, role = await field(request, "name"), await field(request, "role")
        try:
            made, key = await run_in_threadpool(accounts.add, name, role, account_of(request).actor)
        except (RefusedError, ParameterError) as error:
            return await listed(request, _refused(error))
        return _link(request, made, key)

    @routes.post("/accounts/{mark}/{verb}")
    async def change(mark: str, verb: str, request: Request) -> Response:
        me = account_of(request)
        if verb not in ("role", "remove", "link"):
            raise RefusedError("not_found", "An account is given a role or a link, or removed.")
        try:
            if verb == "role":
                await run_in_threadpool(store.set_role, mark, await field(request, "role"), me.actor)
            elif await field(request, "sure") != "yes":
                one = await run_in_threadpool(_found, store, mark)
                return HTMLResponse(sure_page(one, verb, me, speech_of(request)), headers=NO_STORE)
            elif verb == "link":
                made, key = await run_in_threadpool(accounts.new_link, mark, me.actor)
                return _link(request, made, key)
            else:
                await run_in_threadpool(store.remove_account, mark, me.actor)
        except (RefusedError, ParameterError) as error:
            return await listed(request, _refused(error))
        return led_to(request, f"{PATH}/accounts")

    @routes.get("/audit")
    async def audit(request: Request) -> Response:
        given = request.query_params.get("before", "")
        before = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else None
        lines = await run_in_threadpool(store.audit_lines, before, LINES + 1)
        older = lines[LINES - 1].id if len(lines) > LINES else None
        speech = speech_of(request)
        titles = await run_in_threadpool(_titles, store, lines, speech)
        return HTMLResponse(audit_page(lines[:LINES], older, account_of(request), speech, titles), headers=NO_STORE)

    return routes


def _found(store: Store, mark: str) -> Account:
    found = store.account_by_mark(mark)
    if found is None:
        raise RefusedError("account_changed", "This account was changed or removed meanwhile. Look at the list again.")
    return found


def _refused(error: RefusedError | ParameterError) -> RefusedError:
    return error if isinstance(error, RefusedError) else RefusedError(error.code, "{said}", said=str(error))


def _link(request: Request, made: Account, key: str) -> Response:
    # The address is the one that the owner's own browser shows; nobody else chooses it, and nothing is led there.
    link = f"{host_of(request)}{PATH}/first/{key}"
    return HTMLResponse(link_page(made, link, account_of(request), speech_of(request)), headers=NO_STORE)


def _titles(store: Store, lines: Sequence[Line], speech: Speech) -> dict[str, str]:
    """What the surveys of these lines are called, as far as they are still there; trials have short names that tell nobody anything."""
    named = {line.about for line in lines if line.action in ABOUT_SURVEYS} & set(store.slugs())
    seen = [store.overview(slug) for slug in sorted(named)]
    return {
        one.slug: speech[f"done_to_{one.kind or 'survey'}"].format(title=called(one, speech), slug=one.slug) for one in seen
    }
