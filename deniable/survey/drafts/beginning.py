"""What a draft begins as: a template, or YAML or JSON that somebody has."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from deniable.errors import RefusedError
from deniable.survey.drafts.parts import Content
from deniable.survey.lines import Document
from deniable.survey.spelling import plain_name

FOLDER = Path(__file__).parent / "templates"
TEMPLATES = ("blank", "sensitive", "site", "services", "register")
"""Files of the folder, in the order in which they are offered; their texts are English and Polish."""
TEXTS = ("en", "pl")
MOST_PAGES, MOST_QUESTIONS = 200, 500
LONGEST_TEXT = 500_000
"""Characters of YAML that are read: a questionnaire has a few thousand, and the reader takes seconds for a million."""


def from_template(name: str, title: str, languages: Sequence[str], taken: Collection[str], written: str = "") -> Content:
    """A draft from a template, in some of its languages, with an address of its own.

    Parameters
    ----------
    name
        The template.
    title
        What the survey is called.
    languages
        Those of the survey.
    taken
        Addresses that surveys and drafts have.
    written
        The language of the title, the first one unless it is said; in the others it is still to be written.

    Returns
    -------
    dict
        The draft.

    Examples
    --------
    >>> draft = from_template("site", "Nowy plac zabaw", ["pl"], {"nowy-plac-zabaw"})
    >>> draft["survey"], draft["title"], draft["pages"][1]["title"]
    ('nowy-plac-zabaw-2', 'Nowy plac zabaw', 'O Tobie')
    >>> from_template("blank", "Nowy plac zabaw", ["en", "pl"], (), "pl")["title"]
    {'pl': 'Nowy plac zabaw'}
    """
    if name not in TEMPLATES:
        raise RefusedError("unknown_template", "There is no template of this name.")
    wanted = [one for one in languages if one in TEXTS] or list(TEXTS[:1])
    content = Document((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"), name).value
    said = title.strip()
    begun = {"title": said if len(wanted) == 1 else {written if written in wanted else wanted[0]: said}} if said else {}
    return {"survey": free_slug(title, taken), **begun, "languages": wanted, **_in(content, wanted)}


def free_slug(title: str, taken: Collection[str]) -> str:
    """An address from a title, which no survey and no draft has.

    >>> free_slug("Życie w mieście", {"zycie-w-miescie"}), free_slug("?", ())
    ('zycie-w-miescie-2', 'survey')
    """
    stem = plain_name(title, "-").lower()[:50].strip("-") or "survey"
    wanted, number = stem, 1
    while wanted in taken:
        number += 1
        wanted = f"{stem}-{number}"
    return wanted


def _in(value: Any, languages: Sequence[str]) -> Any:
    """The texts of a template in some languages; a text in one language is written as such."""
    if isinstance(value, dict) and set(value) == set(TEXTS):
        return value[languages[0]] if len(languages) == 1 else {one: value[one] for one in languages}
    if isinstance(value, dict):
        return {key: _in(one, languages) for key, one in value.items()}
    return [_in(one, languages) for one in value] if isinstance(value, list) else value


def from_text(text: str) -> Content:
    """A draft from YAML or JSON. Mistakes in what it asks are no hindrance; what is no mapping is no draft.

    >>> from_text('{"survey": "town"}')
    {'survey': 'town'}
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if len(text) > LONGEST_TEXT:
        raise RefusedError("draft_too_large", "A draft may have {most:,} characters at most.", most=LONGEST_TEXT)
    document = _json(text) or Document(text, "draft.yaml")
    if document.mistakes:
        raise document.mistakes[0]
    if not isinstance(document.value, dict):
        raise document.error((), "not_a_questionnaire", "a questionnaire is a mapping with survey, title and pages.")
    _check_values(document, document.value)
    _check_length(document.value)
    return dict(document.value)


def _check_length(content: Content) -> None:
    """Refuse what nobody would fill in: every page of it is on one page of the editor."""
    pages = content.get("pages")
    listed = pages if isinstance(pages, list) else []
    elements = sum(
        len(page["elements"]) for page in listed if isinstance(page, dict) and isinstance(page.get("elements"), list)
    )
    if len(listed) > MOST_PAGES or elements > MOST_QUESTIONS:
        raise RefusedError(
            "draft_too_long", "A draft may have {pages} pages and {questions} questions at most. Ask fewer, or divide it into two surveys.",
            pages=MOST_PAGES, questions=MOST_QUESTIONS,
        )  # fmt: skip


def _json(text: str) -> Document | None:
    """JSON read as such: there a letter beyond the first 65,536 may be written as two halves, which YAML takes for two letters. None where
    it is something else, or names a key twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError
        return dict(pairs)

    try:
        return Document.of(json.loads(text, object_pairs_hook=once), "draft.yaml")
    except (ValueError, RecursionError):
        return None


def _check_values(document: Document, value: Any, path: tuple[str | int, ...] = ()) -> None:
    """Refuse what no page can show and no file can hold: endless numbers, and halves of characters."""
    if isinstance(value, float) and not math.isfinite(value):
        raise document.error(path, "infinite_number", "a number is too large.")
    if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise document.error(path, "bad_text", "a text holds half of a character: {got!r}.", got=value)
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        _check_values(document, str(key))
        _check_values(document, one, (*path, key))
