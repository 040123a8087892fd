"""What the pages of the server show: forms and tables without script, by the templates of `deniable/pages`."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from deniable.dates import day
from deniable.pages import render
from deniable.survey.apart import MADE_UP, reserved_for
from deniable.survey.store.accounts import OWNER, Account
from deniable.survey.store.mixing import BATCH
from deniable.survey.store.surveys import Overview
from deniable.survey.texts import LANGUAGES
from deniable.web.accounts import SHORTEST_PASSWORD
from deniable.web.languages import NAMES
from deniable.web.organiser_words import WORDS, answers_released, at_least_released, earlier, released_to


@dataclass(frozen=True)
class Speech:
    """The language of a page, and whether its address asked for it: then the links of the page do so too."""

    language: str = "en"
    asked_for: bool = False

    def __getitem__(self, key: str) -> str:
        return WORDS[self.language][key]

    def to(self, path: str) -> str:
        """A path whose page speaks the same language."""
        return f"{path}{'&' if '?' in path else '?'}lang={self.language}" if self.asked_for else path


ENGLISH = Speech()
_NAMED = {one: NAMES[one] for one in LANGUAGES}
_EVERY_LANGUAGE = " / ".join(WORDS[one]["language"] for one in LANGUAGES)


def spoken(template: str, speech: Speech, **values: Any) -> str:
    """A page in one language, with links to it in the others. For the menu: `me` is who reads it, `here` the page's path."""
    return render(template, language=speech.language, speech=speech, names=_NAMED, **values)


def login_page(complaint: str | None = None, name: str = "", speech: Speech = ENGLISH) -> str:
    """Log in with a name and a password."""
    return spoken("login.html", speech, title=speech["organiser"], complaint=complaint, name=name)


def choosing_page(path: str, name: str, complaint: str | None = None, speech: Speech = ENGLISH) -> str:
    """Choose a password by a one-time link."""
    title, least = speech["choose_password"], SHORTEST_PASSWORD
    return spoken("choose_password.html", speech, title=title, path=path, name=name, complaint=complaint, least=least)


def not_allowed_page(speech: Speech, me: Account) -> str:
    """What an account may not do."""
    return spoken("not_allowed.html", speech, title=speech["not_allowed_title"], me=me, here="/organiser")


def list_page(
    surveys: Sequence[Overview], me: Account, speech: Speech = ENGLISH, drafts: Sequence[Mapping[str, str]] = (),
    released: Collection[str] = (), done: str = "", opened: Mapping[str, str] | None = None,
) -> str:  # fmt: skip
    """All surveys with their state and how many answers have been released; those that wait are not counted.

    Parameters
    ----------
    surveys
        What is known of each.
    me, speech
        Who reads it, in which language.
    drafts
        What is being written, for owners.
    released
        The short names of those whose results everyone may see.
    done
        What was just done.
    opened
        Of a survey that was just opened, what to say and the address to send to people.

    Returns
    -------
    str
    """
    rows = [{**_row(one, me, speech), "released": one.slug in released} for one in surveys if one.kind is None]
    return spoken(
        "surveys.html",
        speech,
        title=speech["surveys"],
        me=me,
        here="/organiser",
        owner=me.role == OWNER,
        rows=rows,
        # Nobody takes part in what is made up: it has no page.
        apart=[
            {**_row(one, me, speech), "kind": speech[f"is_{one.kind}"], "answered": one.kind != MADE_UP}
            for one in surveys
            if one.kind is not None
        ],
        drafts=drafts,
        done=done,
        opened=opened,
    )


def called(one: Overview, speech: Speech) -> str:
    """The title of a survey in the reader's language, else in its first."""
    return one.title.get(speech.language) or next(iter(one.title.values()), one.slug)


def _next(one: Overview, me: Account) -> str:
    """What is to be done next."""
    results = bool(one.mixed or one.earlier) and (me.role == OWNER or one.shown)
    if one.due:
        return "next_close"
    if one.state == "open":
        if one.invited and not one.invitations and me.role == OWNER:
            return "next_invite"
        if not one.mixed + one.earlier:
            # By what is out alone: whether anyone has answered is not told.
            return "next_none_yet"
        return "next_open_results" if results else "next_come_in"
    if results:
        return "next_results"
    return "next_wait" if one.shown else "next_nothing"


def _response(one: Overview, me: Account, speech: Speech) -> str:
    """How many of those who were invited have answered: in coarse steps for those who may not export."""
    if not one.invited or not one.invitations:
        return speech["no_invitations"] if me.role == OWNER else speech["rate_none"]
    if me.role == OWNER:
        used, all_ = (f"{number:,}" for number in (one.used, one.invitations))
        return speech["rate"].format(used=used, all=all_, percent=round(100 * one.used / one.invitations))
    whole = 10 * (10 * (one.used // BATCH * BATCH) // one.invitations)
    return speech["rate_at_least"].format(percent=whole) if whole else speech["rate_few"]


def _row(one: Overview, me: Account, speech: Speech) -> dict[str, Any]:
    # Those who may not export are told no number that a few people could change.
    answers = answers_released(one.mixed, speech.language) + earlier(one.earlier, speech.language)
    return {
        "slug": one.slug,
        "title": called(one, speech),
        "next": speech[_next(one, me)].format(slug=one.slug),
        "closed": one.state != "open" and not one.due,
        "number": one.number,
        "state": speech[one.state] if one.state in ("open", "closed") else one.state,
        "answers": answers if me.role == OWNER else at_least_released(one.mixed + one.earlier, speech.language),
        "invitations": _response(one, me, speech),
        "last_day": day(one.closes, speech.language) if one.closes else "–",
        "has_results": bool(one.mixed or one.earlier),
        "shown": one.shown,
        "verb": "close" if one.state == "open" or one.due else "open",
        "button": speech["do_close" if one.state == "open" or one.due else "do_open_again"],
    }


def closing_page(one: Overview, me: Account, speech: Speech = ENGLISH) -> str:
    """Whether a survey is really to be closed, and what that does, also for opening it again one day."""
    said = [
        released_to(one.mixed, one.number, speech.language),
        speech["nobody_can"],
        *([speech["close_invited"]] if one.invited else []),
        speech["rest_shown" if one.shown else "rest_shows"],
        speech["close_again" if one.shown else "close_later"],
    ]
    return spoken(
        "closing.html",
        speech,
        title=speech["close_it"].format(survey=called(one, speech)),
        me=me,
        here="",
        path=f"/organiser/surveys/{one.slug}/close",
        said=said,
    )


def reopening_page(one: Overview, me: Account, speech: Speech = ENGLISH) -> str:
    """Whether a survey is really to be opened again, and what that does; where its last day is over, what to do instead."""
    over = one.closes is not None and one.closes < datetime.date.today().isoformat()
    last = speech["reopen_until"].format(day=day(one.closes, speech.language)) if one.closes else speech["reopen_no_last_day"]
    said = [
        speech["reopen_same"].format(number=one.number),
        *([released_to(one.mixed, one.number, speech.language) + " " + speech["reopen_kept"]] if one.mixed else []),
        speech["reopen_batches" if one.shown else "reopen_rest"],
        *([speech["reopen_invited"]] if one.invited else []),
        *([speech["reopen_public"]] if one.shown else []),
        last,
    ]
    return spoken(
        "reopening.html", speech, title=speech["reopen_it"].format(survey=called(one, speech)), me=me, here="", slug=one.slug,
        path=f"/organiser/surveys/{one.slug}/open", over=day(one.closes, speech.language) if over and one.closes else "", said=said,
    )  # fmt: skip


def trial_delete_page(one: Overview, me: Account, speech: Speech = ENGLISH) -> str:
    """Whether a trial, or made-up answers, are really to go."""
    what = "made_up" if one.kind == MADE_UP else "trial"
    title = speech[f"delete_{what}_it"].format(survey=called(one, speech))
    path = f"/organiser/surveys/{one.slug}/delete"
    return spoken("survey_sure.html", speech, title=title, me=me, here="", path=path, what=speech[f"delete_{what}_note"])


def delete_page(one: Overview, me: Account, complaint: str | None = None, speech: Speech = ENGLISH) -> str:
    """What goes with a survey that is deleted, and what stays elsewhere."""
    count = answers_released(one.mixed + one.earlier, speech.language)
    goes = [speech["goes_answers"].format(count=count), *(speech[f"goes_{what}"] for what in ("sealed", "people", "questions"))]
    return spoken(
        "survey_delete.html", speech, title=speech["delete_it"].format(survey=called(one, speech)), me=me, here="", slug=one.slug,
        path=f"/organiser/surveys/{one.slug}/delete", name=called(one, speech), goes=goes, complaint=complaint,
    )  # fmt: skip


@cache
def missing_page() -> str:
    """A survey that is not there: the same bytes for everyone, in every language."""
    return render("no_such_survey.html", language="en", title="Not found / Nie znaleziono", label=_EVERY_LANGUAGE, names=NAMES)


def other_way_page(client: Mapping[str, Any]) -> str:
    """How to take part without JavaScript, in every language of the survey."""
    languages, kind = client["languages"], reserved_for(str(client.get("survey", "")))
    return render(
        "other_way.html",
        # Without JavaScript, too, a trial says that it is one.
        banner={one: WORDS[one if one in WORDS else "en"][f"banner_{kind}"] for one in languages} if kind else {},
        language=languages[0],
        title=client["title"][languages[0]],
        label=_EVERY_LANGUAGE,
        names={one: NAMES.get(one, one) for one in languages},
        survey=client,
    )
