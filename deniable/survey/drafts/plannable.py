"""What can be planned of a draft that is not finished: mistakes that change no figure do not matter, questions with others are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deniable.errors import QuestionnaireError
from deniable.survey.drafts.checked import placed
from deniable.survey.drafts.parts import Content, Place, languages_of, pages_of
from deniable.survey.drafts.translations import with_texts
from deniable.survey.levels import LEVELS
from deniable.survey.lines import Document
from deniable.survey.page_rules import NAME
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.texts import text

WORDS = "…"
"""Stands where a text is missing: plans do not depend on it."""
_FIGURES_NEED = ("type", "name", "title", "choices", "rows", "columns", "ordered", "labelTrue", "labelFalse", "rateMin", "rateMax",
                 "bands", "grid", "min", "max", "step", "privacy", "for")  # fmt: skip


def plannable(content: Content) -> tuple[Questionnaire | None, list[Place]]:
    """The questionnaire of all that can be planned, each question in its place, and the places of those that are left out; None where
    nothing is left.

    >>> asked, left = plannable({"languages": ["en", "pl"], "pages": [{"elements": [
    ...     {"type": "boolean", "name": "smokes", "title": {"en": "Do you smoke?"}}, {"type": "rating", "name": "b", "rateMax": 90}]}]})
    >>> list(asked.schema), left
    (['smokes'], [(0, 1)])
    """
    pages, used = [], set[str]()
    for p, page in enumerate(pages_of(content)):
        elements = page.get("elements", [])
        pages.append({"elements": [_repaired(one, f"q{p}_{i}", used) for i, one in enumerate(elements)] or [_nothing(p, 0)]})
    privacy = content.get("privacy", "standard")
    repaired = {
        **dict.fromkeys(("title", "organiser", "contact", "other_way"), WORDS), "survey": "draft", "pages": pages,
        "privacy": privacy if isinstance(privacy, dict) or privacy in (*LEVELS, "none") else "standard",
    }  # fmt: skip
    repaired = with_texts(repaired, lambda given: _filled(given, languages_of(content)))
    repaired["languages"] = languages_of(content)
    left: list[Place] = []
    while True:
        try:
            return Questionnaire.from_json(repaired), sorted(left)
        except QuestionnaireError as error:
            wrong = {one.place for each in error.parameters.get("mistakes", [error]) for one in placed(each)}
            places = [place for place in wrong if place is not None and place not in left]
            if not places:
                return None, sorted(left)
            for p, i in places:
                repaired["pages"][p]["elements"][i] = _nothing(p, i)
            left += places


def _nothing(p: int, i: int) -> dict[str, Any]:
    """Words in the place of a question, so that all others keep theirs."""
    return {"type": "information", "name": f"left_{p}_{i}", "title": WORDS}


def _repaired(given: Any, name: str, used: set[str]) -> Any:
    """A question with what its figures depend on, under a name of its own; what no form shows stays away."""
    if not isinstance(given, dict):
        return given
    kept = {key: value for key, value in given.items() if key in _FIGURES_NEED}
    called = given.get("name")
    if not isinstance(called, str) or not NAME.fullmatch(called) or called.lower() in used:
        kept["name"] = name
    used.add(str(kept["name"]).lower())
    return {**kept, "title": kept.get("title", WORDS)}


def _filled(given: Any, languages: Sequence[str]) -> Any:
    """A text in every language: what is missing is said as in another, and where there is nothing, by three dots."""
    known = list(languages)
    if isinstance(given, dict):
        said = {one: given[one] for one in known if isinstance(given.get(one), str) and given[one].strip()}
        given = {one: said.get(one, next(iter(said.values()), WORDS)) for one in known}
    try:
        return text(Document.of({}, ""), (), given, known)
    except QuestionnaireError:
        return WORDS
