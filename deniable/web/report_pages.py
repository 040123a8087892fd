"""What the pages show on which an organiser chooses what is in the report and on the public page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from deniable.charts.dots import clean
from deniable.errors import DeniableError, ParameterError
from deniable.results.draft import KINDS, TEXTS, Draft
from deniable.results.material import Spoken
from deniable.results.naming import named
from deniable.results.questions import Question
from deniable.results.report.contents import Words, typed_words
from deniable.survey.store.published import draft_mark
from deniable.web.pages import spoken
from deniable.web.results_pages import Reader, around
from deniable.web.results_words import said_of

MOST = {"title": 200, "words": 2_500, "asked": 1_000, "closing": 1_500}
"""How long each text may be: all of them in two languages, whatever their letters, fit into what a form may send (headers.py)."""
MOST_ON_VIEW = 4_000


@dataclass(frozen=True)
class Desk:
    """The draft of a survey, as one person changes it."""

    reader: Reader
    draft: Draft
    languages: Sequence[str]
    kept: str | None
    """The draft as it is kept, if it is."""
    spoken: Spoken
    """The reader's language, with the texts of all questions."""
    why_not: Sequence[str | None] = ()
    """Of each view, why the report shows nothing of it, if that is so (`Ready.why_not`)."""

    @property
    def mark(self) -> str:
        """By what the kept draft is recognised."""
        return draft_mark(self.kept)


@dataclass
class Typed:
    """What a form sent: texts and places as they were typed, and what is wrong with which."""

    texts: dict[str, str] = field(default_factory=dict)
    places: dict[int, str] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)


def read_draft(desk: Desk, fields: Mapping[str, Sequence[str]]) -> tuple[Draft, Typed]:
    """The draft as a form has it, its views not yet in order, and what was typed."""
    typed = Typed()
    said = {name: read_words(desk, fields, name, MOST[name], typed) for name in TEXTS}
    for place in range(len(desk.draft.views)):
        text = fields.get(f"place_{place}", [str(place + 1)])[0].strip()
        typed.places[place] = text
        if not (text.isascii() and text.isdigit() and len(text) < 4 and int(text) > 0):
            typed.wrong[f"place_{place}"] = desk.reader.speech["wrong_place"]
    return Draft(desk.draft.views, **said), typed


def read_words(desk: Desk, fields: Mapping[str, Sequence[str]], name: str, most: int, typed: Typed) -> Words:
    """A text in every language.

    Parameters
    ----------
    desk
        The draft, which says in which languages.
    fields
        What the form sent.
    name
        That of the text; its fields are named NAME_LANGUAGE.
    most
        So many characters it may have.
    typed
        Where it is noted what was typed, and what is wrong with it.

    Returns
    -------
    Words
    """
    texts = {}
    for language in desk.languages:
        key = f"{name}_{language}"
        text = fields.get(key, [""])[0].replace("\r\n", "\n")
        typed.texts[key] = text
        try:
            if len(text) > most:
                raise ParameterError("text_long", "At most {most} characters; there are {got}.", most=most, got=len(text))
            typed_words({language: text})
            texts[language] = text
        except ParameterError as error:
            typed.wrong[key] = said_of(error, desk.reader.speech.language)
    return typed_words(texts)


def described(question: Question, desk: Desk) -> str:
    """A view in a few words, also where the report may not show it."""
    return clean(named(question, desk.spoken))


def report_page(
    desk: Desk, complaint: str | None = None, typed: Typed | None = None, troubles: Mapping[int, str] | None = None
) -> str:
    """What is chosen, with its words; for owners, a form."""
    reader, typed, troubles = desk.reader, typed or Typed(), troubles or {}
    views = [
        {
            "title": described(view.question, desk), "kind": reader.speech[f"view_{view.question.view}"],
            "words": [one for language in desk.languages for one in _said(view.words, language)],
            "place": typed.places.get(place, str(place + 1)), "wrong": typed.wrong.get(f"place_{place}"),
            "trouble": troubles.get(place) or (why and reader.speech[f"not_in_report_{why}"]),
        }
        for place, (view, why) in enumerate(zip(desk.draft.views, desk.why_not, strict=True))
    ]  # fmt: skip
    texts = [
        _text(desk, typed, name, language, getattr(desk.draft, name), MOST[name])
        for name in TEXTS
        for language in desk.languages
    ]
    title = reader.speech["report_of"].format(survey=reader.title)
    return spoken(
        "report_draft.html", reader.speech, title=title, me=reader.me, here=reader.report, asked="", complaint=complaint,
        chosen=views, texts=texts, mark=desk.mark, languages=desk.languages, kinds=[kind.view for kind in KINDS],
        unsaved=bool(typed.texts), **around(reader, "report", {}),
    )  # fmt: skip


def words_page(desk: Desk, place: int, complaint: str | None = None, typed: Typed | None = None) -> str:
    """The organiser's words about one view."""
    reader, typed, view = desk.reader, typed or Typed(), desk.draft.views[place]
    texts = [_text(desk, typed, "words", language, view.words, MOST_ON_VIEW) for language in desk.languages]
    title = reader.speech["words_for"].format(view=described(view.question, desk))
    return spoken(
        "report_words.html", reader.speech, title=title, me=reader.me, here=f"{reader.report}/words/{place + 1}", asked="",
        path=f"{reader.report}/words/{place + 1}", complaint=complaint, texts=texts, mark=desk.mark, unsaved=bool(typed.texts),
        **around(reader, "report", {}),
    )  # fmt: skip


def adding_page(
    desk: Desk, view: str, given: Mapping[str, Any], error: DeniableError | None = None, typed: Typed | None = None
) -> str:
    """A form for one view more, with what was wrong with it, if anything was.

    Parameters
    ----------
    desk
        The draft, and who changes it.
    view
        Of which kind the view is.
    given
        What was filled in before.
    error
        Why that cannot be shown.
    typed
        The words that were typed.

    Returns
    -------
    str
    """
    reader, typed = desk.reader, typed or Typed()
    texts = [_text(desk, typed, "words", language, Words({"": ""}), MOST_ON_VIEW) for language in desk.languages]
    complaint = None if error is None and not typed.wrong else reader.speech["something_wrong"]
    form = {**around(reader, view, given, error is None), "parts": []}
    return spoken(
        "report_add.html", reader.speech, title=reader.speech["add_to_report"], me=reader.me, here=f"{reader.report}/add",
        asked=urlencode({"view": view}), path=f"{reader.report}/add", texts=texts, complaint=complaint,
        why=None if error is None else reader.wrong(error), kinds=[kind.view for kind in KINDS],
        unsaved=complaint is not None, **form,
    )  # fmt: skip


def _said(words: Words, language: str) -> list[str]:
    return words.paragraphs(language) if "" in words.texts or language in words.texts else []


def _text(desk: Desk, typed: Typed, name: str, language: str, words: Words, most: int) -> dict[str, Any]:
    """A field for a text: what was typed, else what is kept."""
    key, speech = f"{name}_{language}", desk.reader.speech
    label = speech[f"text_{name}"] if most != MOST_ON_VIEW else speech["your_words"]
    if len(desk.languages) > 1:
        label = speech["text_in"].format(text=label, language=speech[f"spoken_{language}"])
    kept = words.texts.get(language, words.texts.get("", ""))
    return {
        "name": key, "label": label, "text": typed.texts.get(key, kept), "wrong": typed.wrong.get(key), "most": most,
        "language": language, "short": name == "title",
    }  # fmt: skip
