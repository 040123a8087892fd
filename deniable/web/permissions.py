"""Who may do what: every page and verb of the server with the role it needs, in this one place. What is not listed is for owners.

A new page gets a line in `NEEDS`; nothing else has to be done to protect it, and nothing that is done elsewhere can open it. Inside, it
finds who asks by `account_of(request)`. Whatever changes something is refused from pages of other sites.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response

from deniable.survey.store.accounts import ANALYST, OWNER, Account
from deniable.web.accounts import COOKIE, Accounts
from deniable.web.login import LOGIN, NO_STORE, PATH, led_to, speech_of
from deniable.web.origin import same_site
from deniable.web.pages import not_allowed_page

ANYONE = "anyone"
NEEDS: Mapping[str, str] = MappingProxyType(
    {
        # Respondents, and everybody else on the network.
        "GET /": ANYONE,
        "GET /s/{slug}": ANYONE,
        "GET /s/{slug}/": ANYONE,
        "GET /s/{slug}/results": ANYONE,
        "GET /s/{slug}/results/": ANYONE,
        "GET /s/{slug}/results/{part}": ANYONE,
        "GET /static/{name}": ANYONE,
        "GET /api/health": ANYONE,
        "GET /openapi.json": ANYONE,
        "GET /api/surveys/{slug}": ANYONE,
        "POST /api/surveys/{slug}/answers": ANYONE,
        "GET /api/offline/{slug}": ANYONE,
        "OPTIONS /api/offline/{slug}/answers": ANYONE,
        "POST /api/offline/{slug}/answers": ANYONE,
        # Logging in and out.
        "GET /organiser/": ANYONE,
        "GET /organiser/login": ANYONE,
        "POST /organiser/login": ANYONE,
        "GET /organiser/first/{key}": ANYONE,
        "POST /organiser/first/{key}": ANYONE,
        "POST /organiser/logout": ANYONE,
        # Those who have logged in.
        "GET /organiser": ANALYST,
        "GET /organiser/password": ANALYST,
        "POST /organiser/password": ANALYST,
        # Results, by the rule for those who may not export (docs/security.md).
        "GET /organiser/surveys/{slug}/results": ANALYST,
        "GET /organiser/surveys/{slug}/results/choose": ANALYST,
        "GET /organiser/surveys/{slug}/results.{kind}": ANALYST,
        # The report, by the same rule for everyone; what is in it is for owners to choose.
        "GET /organiser/report.css": ANALYST,
        "GET /organiser/surveys/{slug}/report": ANALYST,
        "GET /organiser/surveys/{slug}/report/{language}": ANALYST,
        "GET /organiser/surveys/{slug}/report/{language}/file": ANALYST,
        # Owners.
        "POST /organiser/surveys/{slug}/report": OWNER,
        "GET /organiser/surveys/{slug}/report/add": OWNER,
        "POST /organiser/surveys/{slug}/report/add": OWNER,
        "GET /organiser/surveys/{slug}/report/words/{place}": OWNER,
        "POST /organiser/surveys/{slug}/report/words/{place}": OWNER,
        "GET /organiser/surveys/{slug}/publish": OWNER,
        "GET /organiser/surveys/{slug}/publish/{language}": OWNER,
        "POST /organiser/surveys/{slug}/publish": OWNER,
        "POST /organiser/surveys/{slug}/take-back": OWNER,
        "POST /organiser/surveys/{slug}/{verb}": OWNER,
        "GET /organiser/surveys/{slug}/export.{kind}": OWNER,
        # Writing surveys.
        "GET /organiser/drafts": OWNER,
        "POST /organiser/drafts": OWNER,
        "GET /organiser/drafts/{draft}": OWNER,
        "POST /organiser/drafts/{draft}": OWNER,
        "GET /organiser/drafts/{draft}/settings": OWNER,
        "POST /organiser/drafts/{draft}/settings": OWNER,
        "GET /organiser/drafts/{draft}/pages/{at}": OWNER,
        "POST /organiser/drafts/{draft}/pages/{at}": OWNER,
        "GET /organiser/drafts/{draft}/questions/{at}": OWNER,
        "POST /organiser/drafts/{draft}/questions/{at}": OWNER,
        "GET /organiser/drafts/{draft}/yaml": OWNER,
        "POST /organiser/drafts/{draft}/yaml": OWNER,
        "GET /organiser/drafts/{draft}/draft.yaml": OWNER,
        "GET /organiser/drafts/{draft}/delete": OWNER,
        "POST /organiser/drafts/{draft}/delete": OWNER,
        "GET /organiser/drafts/{draft}/plan": OWNER,
        "POST /organiser/drafts/{draft}/plan": OWNER,
        "GET /organiser/drafts/{draft}/preview": OWNER,
        "GET /organiser/drafts/{draft}/preview/survey": OWNER,
        "GET /organiser/drafts/{draft}/trial": OWNER,
        "POST /organiser/drafts/{draft}/trial": OWNER,
        "GET /organiser/drafts/{draft}/open": OWNER,
        "POST /organiser/drafts/{draft}/open": OWNER,
        "GET /organiser/accounts": OWNER,
        "POST /organiser/accounts": OWNER,
        "POST /organiser/accounts/{mark}/{verb}": OWNER,
        "GET /organiser/audit": OWNER,
    }
)
_SAFE = ("GET", "HEAD", "OPTIONS")
_MAY = {OWNER: (OWNER, ANALYST), ANALYST: (ANALYST,)}


def needs(method: str, path: str) -> str:
    """The role that a verb of a page needs, by the path as its route writes it.

    >>> needs("HEAD", "/s/{slug}"), needs("GET", "/organiser"), needs("GET", "/organiser/a-page-of-tomorrow")
    ('anyone', 'analyst', 'owner')
    """
    return NEEDS.get(f"{'GET' if method == 'HEAD' else method} {path}", OWNER)


def may(role: str, needed: str) -> bool:
    """Whether a role is enough: an owner may do all that an analyst may.

    >>> may("owner", "analyst"), may("analyst", "owner")
    (True, False)
    """
    return needed == ANYONE or needed in _MAY.get(role, ())


def account_of(request: Request) -> Account:
    """Who asks for a page that is not for anyone."""
    account: Account = request.state.account
    return account


class Guard:
    """Stands before every route: lets those in who may, and leads others to where they log in."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    async def __call__(self, request: Request) -> None:
        path = request.scope["route"].path
        needed = needs(request.method, path)
        if request.method not in _SAFE and (needed != ANYONE or path.startswith(f"{PATH}/")):
            same_site(request, required=True)
        if needed == ANYONE:
            return
        account = await run_in_threadpool(self._accounts.who, request.cookies.get(COOKIE))
        if account is None:
            raise _TurnedAwayError(led_to(request, LOGIN))
        if not may(account.role, needed):
            raise _TurnedAwayError(HTMLResponse(not_allowed_page(speech_of(request), account), 403, NO_STORE))
        request.state.account = account


class _TurnedAwayError(Exception):
    """What somebody gets instead of a page."""

    def __init__(self, reply: Response) -> None:
        super().__init__()
        self.reply = reply


async def _turned_away(_: Request, error: Exception) -> Response:
    assert isinstance(error, _TurnedAwayError)
    return error.reply


def guarded(accounts: Accounts) -> dict[str, Any]:
    """What an application is made with so that every route of it is guarded, also those that are added later."""
    return {"dependencies": [Depends(Guard(accounts))], "exception_handlers": {_TurnedAwayError: _turned_away}}
