"""The organiser's pages as plain HTML: forms and tables, no script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from deniable.survey.store.surveys import Overview


def page(title: str, body: str) -> str:
    """A whole page."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)} – Deniable</title>\n"
        '<link rel="stylesheet" href="/static/organiser.css">\n</head>\n<body>\n<main>\n'
        f"<h1>{escape(title)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _complaint(sentence: str | None) -> str:
    return f'<p class="error" role="alert">{escape(sentence)}</p>\n' if sentence else ""


def password_page(action: str, first: bool, complaint: str | None = None) -> str:
    """Choose a password, or log in with it."""
    label, word, fill = ("Choose a password", "Save", "new-password") if first else ("Password", "Log in", "current-password")
    return page(
        "Organiser",
        f'{_complaint(complaint)}<form method="post" action="{escape(action)}">\n'
        '<input type="text" name="username" autocomplete="username" value="organiser" hidden>\n'
        f'<label for="password">{label}</label>\n'
        f'<input id="password" name="password" type="password" autocomplete="{fill}" required autofocus>\n'
        f"<button>{word}</button>\n</form>",
    )


def list_page(surveys: Sequence[Overview], complaint: str | None = None) -> str:
    """All surveys with their state and how many answers are out; those that wait are not counted."""
    rows = "\n".join(_row(one) for one in surveys)
    table = (
        "<table>\n<thead><tr><th>Survey</th><th>State</th><th>Answers</th><th>Invitations used</th>"
        f"<th>Last day</th><th>Results</th><td></td></tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
        if surveys
        else "<p>No survey is open yet. On the server: <code>deniable survey open FILE.yaml</code>.</p>"
    )
    return page(
        "Surveys",
        f'{_complaint(complaint)}{table}\n<p class="note">{_NOTE}</p>\n'
        '<form method="post" action="/organiser/logout"><button>Log out</button></form>',
    )


_NOTE = (
    "Answers come out together, 50 or more at a time: half an hour to an hour and a half after enough have come, or when the survey is "
    "closed. The numbers of answers and of used invitations move with them, so that none shows that one person came; until then people may "
    "have answered though none are out. Whoever sends many answers themselves knows those, and the others hide among fewer."
)


def _row(one: Overview) -> str:
    slug = escape(one.slug)
    verb = "close" if one.state == "open" else "open"
    files = " ".join(
        f'<a href="/organiser/surveys/{slug}/export.{kind}" aria-label="{label} of {slug}">{label}</a>'
        for kind, label in (("zip", "CSV"), ("parquet", "Parquet"))
    )
    cells = {
        "State": one.state,
        "Answers": (f"{one.mixed:,} out" if one.mixed else "none out yet") + _earlier(one),
        "Invitations used": f"{one.used:,} of {one.invitations:,}" if one.invited else "open to all",
        "Last day": escape(one.closes or "–"),
        "Results": files if one.mixed else "not yet",
    }
    row = "".join(f'<td data-label="{label}">{cell}</td>' for label, cell in cells.items())
    return (
        f'<tr><th scope="row"><a href="/s/{slug}">{slug}</a> (version {one.number})</th>{row}'
        f'<td><form method="post" action="/organiser/surveys/{slug}/{verb}">'
        f'<button aria-label="{verb.capitalize()} {slug}">{verb.capitalize()}</button></form></td></tr>'
    )


def _earlier(one: Overview) -> str:
    return f", and {one.earlier:,} to earlier versions" if one.earlier else ""


def missing_page() -> str:
    """A survey that is not there."""
    return page("Not found", "<p>There is no such survey here. Was the address copied whole?</p>")


def other_way_page(client: Mapping[str, Any]) -> str:
    """How to take part without JavaScript, in every language of the survey."""
    languages = client["languages"]
    parts = "\n".join(
        f'<section lang="{escape(one)}"><h2>{escape(client["title"][one])}</h2><p>{escape(client["otherWay"][one])}</p>'
        f"<p>{escape(client['organiser'][one])} – {escape(client['contact'][one])}</p></section>"
        for one in languages
    )
    return page(client["title"][languages[0]], parts)
