"""The organiser's pages as plain HTML: forms and tables, no script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from deniable.survey.store.surveys import Overview
from deniable.survey.texts import LANGUAGES
from deniable.web.accounts import SHORTEST_PASSWORD
from deniable.web.languages import NAMES, day
from deniable.web.organiser_words import WORDS, answers_out, earlier, out_to


@dataclass(frozen=True)
class Speech:
    """The language of a page, and whether its address asked for it: then the links of the page do so too."""

    language: str = "en"
    asked_for: bool = False

    def __getitem__(self, key: str) -> str:
        return WORDS[self.language][key]

    def to(self, path: str) -> str:
        """A path whose page speaks the same language."""
        return f"{path}?lang={self.language}" if self.asked_for else path


ENGLISH = Speech()


def page(title: str, body: str, language: str = "en", switch: str = "") -> str:
    """A whole page; `switch` leads to it in other languages."""
    return (
        f'<!doctype html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)} – Deniable</title>\n"
        '<link rel="stylesheet" href="/static/organiser.css">\n</head>\n<body>\n'
        f"{switch}<main>\n<h1>{escape(title)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _switch(speech: Speech, path: str, post: bool = False) -> str:
    """Links to the same page in each language; buttons where the page is what a form was answered with."""
    made = []
    for one in LANGUAGES:
        name = f'lang="{one}">{NAMES[one]}'
        if one == speech.language:
            made.append(f'<strong aria-current="true" {name}</strong>')
        elif post:
            made.append(f'<form method="post" action="{escape(path)}?lang={one}"><button {name}</button></form>')
        else:
            made.append(f'<a href="{escape(path)}?lang={one}" hreflang="{one}" {name}</a>')
    return _nav(speech["language"], made)


def _anchors(languages: Mapping[str, str]) -> str:
    """Links to the parts of a page that has its text in every language, one below the other."""
    made = [f'<a href="#{escape(one)}" lang="{escape(one)}">{escape(name)}</a>' for one, name in languages.items()]
    return _nav(" / ".join(WORDS[one]["language"] for one in LANGUAGES), made) if len(languages) > 1 else ""


def _nav(label: str, made: Sequence[str]) -> str:
    return f'<nav class="languages" aria-label="{escape(label)}">{" ".join(made)}</nav>\n'


def _complaint(sentence: str | None) -> str:
    return f'<p class="error" role="alert">{escape(sentence)}</p>\n' if sentence else ""


def password_page(path: str, first: bool, complaint: str | None = None, speech: Speech = ENGLISH) -> str:
    """Choose a password, or log in with it."""
    label, word, fill = ("choose_password", "save", "new-password") if first else ("password", "log_in", "current-password")
    rule = f'<p id="rule">{escape(speech["password_length"].format(least=SHORTEST_PASSWORD))}</p>\n' if first else ""
    described = ' aria-describedby="rule"' if first else ""
    return page(
        speech["organiser"],
        f'{_complaint(complaint)}<form method="post" action="{escape(speech.to(path))}">\n'
        '<input type="text" name="username" autocomplete="username" value="organiser" hidden>\n'
        f'<label for="password">{speech[label]}</label>\n{rule}'
        f'<input id="password" name="password" type="password" autocomplete="{fill}"{described} required autofocus>\n'
        f"<button>{speech[word]}</button>\n</form>",
        speech.language,
        _switch(speech, path),
    )


def list_page(surveys: Sequence[Overview], speech: Speech = ENGLISH) -> str:
    """All surveys with their state and how many answers are out; those that wait are not counted."""
    rows = "\n".join(_row(one, speech) for one in surveys)
    headings = "".join(f"<th>{speech[key]}</th>" for key in ("survey", *_COLUMNS))
    table = (
        f"<table>\n<thead><tr>{headings}<td></td></tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
        if surveys
        else f"<p>{speech['no_survey']}</p>"
    )
    return page(
        speech["surveys"],
        f'{table}\n<p class="note">{speech["note"]}</p>\n'
        f'<form method="post" action="{speech.to("/organiser/logout")}"><button>{speech["log_out"]}</button></form>',
        speech.language,
        _switch(speech, "/organiser"),
    )


_COLUMNS = ("state", "answers", "invitations", "last_day", "results")


def _row(one: Overview, speech: Speech) -> str:
    slug = escape(one.slug)
    verb = "close" if one.state == "open" else "open"
    files = " ".join(
        f'<a href="/organiser/surveys/{slug}/export.{kind}" aria-label="{speech["file_of"].format(kind=label, survey=slug)}">{label}</a>'
        for kind, label in (("zip", "CSV"), ("parquet", "Parquet"))
    )
    out = f"{one.mixed:,} out" if speech.language == "en" else answers_out(one.mixed, speech.language)
    cells = {
        "state": speech["open"] if one.state == "open" else speech["closed"] if one.state == "closed" else escape(one.state),
        "answers": (out if one.mixed else speech["none_out"]) + earlier(one.earlier, speech.language),
        "invitations": speech["of"].format(used=f"{one.used:,}", all=f"{one.invitations:,}")
        if one.invited
        else speech["open_to_all"],
        "last_day": day(one.closes, speech.language) if one.closes else "–",
        "results": files if one.mixed else speech["not_yet"],
    }
    row = "".join(f'<td data-label="{speech[key]}">{cells[key]}</td>' for key in _COLUMNS)
    return (
        f'<tr><th scope="row"><a href="/s/{slug}">{slug}</a> ({speech["version"].format(number=one.number)})</th>{row}'
        f'<td><form method="post" action="{speech.to(f"/organiser/surveys/{slug}/{verb}")}">'
        f'<button aria-label="{speech[f"do_{verb}"]} {slug}">{speech[f"do_{verb}"]}</button></form></td></tr>'
    )


def closing_page(one: Overview, speech: Speech = ENGLISH) -> str:
    """Whether a survey is really to be closed, and what that does."""
    slug = escape(one.slug)
    path = f"/organiser/surveys/{slug}/close"
    rest = speech["rest_shown" if one.shown else "rest_shows"]
    return page(
        speech["close_it"].format(survey=one.slug),
        f"<p>{out_to(one.mixed, one.number, speech.language)} {speech['nobody_can']} {rest}</p>\n"
        f'<form method="post" action="{speech.to(path)}"><input type="hidden" name="sure" value="yes">'
        f'<button>{speech["do_close"]} {slug}</button></form>\n<p><a href="{speech.to("/organiser")}">{speech["leave_open"]}</a></p>',
        speech.language,
        _switch(speech, path, post=True),
    )


def missing_page() -> str:
    """A survey that is not there: the same bytes for everyone, in every language."""
    return page(
        "Not found / Nie znaleziono",
        '<section id="en"><p>There is no such survey here. Please check that you have the whole address.</p></section>\n'
        '<section id="pl" lang="pl"><p>Nie ma tu takiej ankiety. Proszę sprawdzić, czy adres jest cały.</p></section>',
        switch=_anchors(NAMES),
    )


def other_way_page(client: Mapping[str, Any]) -> str:
    """How to take part without JavaScript, in every language of the survey."""
    languages = client["languages"]
    parts = "\n".join(
        f'<section id="{escape(one)}" lang="{escape(one)}"><h2>{escape(client["title"][one])}</h2>'
        f"<p>{escape(client['otherWay'][one])}</p>"
        f"<p>{escape(client['organiser'][one])} – {escape(client['contact'][one])}</p></section>"
        for one in languages
    )
    return page(client["title"][languages[0]], parts, languages[0], _anchors({one: NAMES.get(one, one) for one in languages}))
