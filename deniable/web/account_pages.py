"""What the pages about accounts show."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from deniable.dates import day
from deniable.plurals import grouped_in_polish
from deniable.survey.store.accounts import ROLES, Account
from deniable.survey.store.audit import ABOUT_SURVEYS, MOST_LINES, Line
from deniable.web.accounts import SHORTEST_PASSWORD
from deniable.web.pages import ENGLISH, Speech, spoken

PATH = "/organiser/accounts"
NO_TITLES: Mapping[str, str] = MappingProxyType({})


def isolated(name: str) -> str:
    """A name inside a sentence: letters that are written from right to left turn nothing around but themselves.

    >>> isolated("Anna")[1:-1]
    'Anna'
    """
    return f"\u2068{name}\u2069"


def own_password_page(me: Account, complaint: str | None = None, speech: Speech = ENGLISH) -> str:
    """Change one's own password."""
    title = speech["change_password"]
    return spoken(
        "own_password.html",
        speech,
        title=title,
        me=me,
        here="/organiser/password",
        complaint=complaint,
        least=SHORTEST_PASSWORD,
    )


def accounts_page(accounts: Sequence[Account], me: Account, complaint: str | None = None, speech: Speech = ENGLISH) -> str:
    """Who may log in."""
    rows = [_row(one, me, speech) for one in accounts]
    return spoken(
        "accounts.html", speech, title=speech["accounts"], me=me, here=PATH, rows=rows, roles=ROLES, complaint=complaint
    )


def _row(one: Account, me: Account, speech: Speech) -> dict[str, Any]:
    if one.ready:
        state = speech["password_chosen"]
    elif one.link_until is None or one.link_until < datetime.date.today().isoformat():
        state = speech["link_over"]
    else:
        state = speech["link_until"].format(day=day(one.link_until, speech.language))
    other = next(role for role in ROLES if role != one.role)
    return {
        "name": one.name,
        "role": speech[one.role],
        "state": state,
        "path": f"{PATH}/{one.mark}",
        "other": other,
        "mine": one.mark == me.mark,
    }


def link_page(one: Account, link: str, me: Account, speech: Speech = ENGLISH) -> str:
    """The one-time link of an account: shown once."""
    until = day(one.link_until or "", speech.language)
    title = speech["link_for"].format(name=isolated(one.name))
    return spoken("account_link.html", speech, title=title, me=me, here="", link=link, until=until, least=SHORTEST_PASSWORD)


def sure_page(one: Account, verb: str, me: Account, speech: Speech = ENGLISH) -> str:
    """Whether an account is really to be removed, or its password taken away."""
    title = speech[f"{verb}_it"].format(name=isolated(one.name))
    return spoken("account_sure.html", speech, title=title, me=me, here="", verb=verb, path=f"{PATH}/{one.mark}/{verb}")


def audit_page(
    lines: Sequence[Line], older: int | None, me: Account, speech: Speech = ENGLISH, titles: Mapping[str, str] = NO_TITLES
) -> str:
    """What was done, newest first; `older` is where the next page goes on, `titles` are those of surveys by their short names."""
    rows = [
        {
            "day": day(line.day, speech.language),
            "who": line.actor.name,
            "what_is_no_account": "" if line.actor.kind == "account" else speech[f"by_{line.actor.kind}"],
            "what": what_was_done(line, speech.language, titles),
            "times": line.repeats,
        }
        for line in lines
    ]
    most = grouped_in_polish(MOST_LINES) if speech.language == "pl" else f"{MOST_LINES:,}"
    return spoken(
        "audit.html", speech, title=speech["audit"], me=me, here="/organiser/audit", rows=rows, older=older, most=most
    )


def what_was_done(line: Line, language: str, titles: Mapping[str, str] = NO_TITLES) -> str:
    """One line of the audit trail in words, without who did it. Surveys have their titles, as far as these are known.

    >>> from deniable.survey.store.audit import COMMAND_LINE
    >>> what_was_done(Line(1, "2026-11-16", COMMAND_LINE, "backed_up", "", 1), "en")
    'made a backup'
    """
    speech = Speech(language)
    action = "failed_unknown" if line.action == "failed_login" and not line.about else line.action
    # The short name of a survey may be the name of an account, too.
    known = titles if line.action in ABOUT_SURVEYS else NO_TITLES
    return speech[f"did_{action}"].format(about=isolated(known.get(line.about, line.about)))
