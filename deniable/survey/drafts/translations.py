"""The texts of a draft, wherever they stand, and what becomes of them when the survey gets or loses a language."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from deniable.survey.drafts.parts import Content, languages_of
from deniable.survey.questionnaire import TEXTS

IN_QUESTIONS = ("title", "description", "labelTrue", "labelFalse", "minRateDescription", "maxRateDescription", "unit")
LISTS = ("choices", "rows", "columns")
Change = Callable[[Any], Any]


def with_texts(content: Content, change: Change) -> Content:
    """The draft with every text as `change` makes it; answers of a list that have no text but their value stay as they are.

    >>> with_texts({"title": "Town", "pages": [{"elements": [{"choices": ["a", {"value": "b", "text": "B"}]}]}]}, str.lower)
    {'title': 'town', 'pages': [{'elements': [{'choices': ['a', {'value': 'b', 'text': 'b'}]}]}]}
    """
    changed = {key: change(value) if key in TEXTS else value for key, value in content.items()}
    if isinstance(content.get("pages"), list):
        changed["pages"] = [_page(one, change) for one in content["pages"]]
    return changed


def _page(page: Any, change: Change) -> Any:
    if not isinstance(page, dict):
        return page
    changed = {key: change(value) if key == "title" else value for key, value in page.items()}
    if isinstance(page.get("elements"), list):
        changed["elements"] = [_question(one, change) for one in page["elements"]]
    return changed


def _question(question: Any, change: Change) -> Any:
    if not isinstance(question, dict):
        return question
    changed = {key: change(value) if key in IN_QUESTIONS else value for key, value in question.items()}
    for key in LISTS:
        if isinstance(question.get(key), list):
            changed[key] = [_answer(one, change) for one in question[key]]
    return changed


def _answer(answer: Any, change: Change) -> Any:
    return {**answer, "text": change(answer["text"])} if isinstance(answer, dict) and "text" in answer else answer


def told_apart(before: Content, after: Content) -> Content:
    """The draft after it got another language: what was written in those of before is not taken for a translation. What is the same in
    every language, such as an address or a number, stays.

    >>> told_apart({"languages": ["en"]}, {"languages": ["en", "pl"], "title": "Town", "contact": "t@town.example"})
    {'languages': ['en', 'pl'], 'title': {'en': 'Town'}, 'contact': 't@town.example'}
    """
    known, wanted = languages_of(before), languages_of(after)
    if set(wanted) <= set(known):
        return after

    def apart(given: Any) -> Any:
        return dict.fromkeys(known, given) if isinstance(given, str) and not _same_in_all(given) else given

    changed = with_texts(after, apart)
    for question in _questions(changed):
        for key in LISTS:
            if isinstance(question.get(key), list):
                question[key] = [_named(one, apart) for one in question[key]]
    return changed


def _questions(content: Content) -> list[dict[str, Any]]:
    pages = content.get("pages")
    listed = [one.get("elements") for one in pages if isinstance(one, dict)] if isinstance(pages, list) else []
    return [one for elements in listed if isinstance(elements, list) for one in elements if isinstance(one, dict)]


def _named(answer: Any, apart: Change) -> Any:
    """An answer whose value was its text, too."""
    if isinstance(answer, dict) and "text" not in answer and isinstance(answer.get("value"), str):
        said = apart(answer["value"])
        return answer if said == answer["value"] else {**answer, "text": said}
    said = apart(answer)
    return answer if said is answer else {"value": answer, "text": said}


def _same_in_all(given: str) -> bool:
    """Whether a text is the same in every language: it has no letters, or is an address."""
    return (
        not any(letter.isalpha() for letter in given) or re.fullmatch(r"\S+@\S+\.\S+|https?://\S+", given.strip()) is not None
    )


def left_over(content: Content) -> list[str]:
    """The languages that texts of a draft are written in, and that the survey does not have (any more).

    >>> left_over({"languages": ["en"], "title": {"en": "Town", "pl": "Miasto"}})
    ['pl']
    """
    known, found = languages_of(content), list[str]()

    def look(given: Any) -> Any:
        found.extend(one for one in given if _is_language(one) and one not in known) if isinstance(given, dict) else None
        return given

    with_texts(content, look)
    return sorted(set(found))


def _is_language(name: Any) -> bool:
    return isinstance(name, str) and re.fullmatch(r"[a-z]{2,3}", name) is not None


def without(content: Content, languages: Sequence[str]) -> Content:
    """The draft without its texts in some languages that the survey does not have.

    >>> without({"languages": ["en"], "title": {"en": "Town", "pl": "Miasto"}}, ["en", "pl"])
    {'languages': ['en'], 'title': {'en': 'Town'}}
    """
    gone = set(languages) - set(languages_of(content))

    def change(given: Any) -> Any:
        return {name: said for name, said in given.items() if name not in gone} if isinstance(given, dict) else given

    return with_texts(content, change)
