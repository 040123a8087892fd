"""All mistakes of a draft, each with the part and the field that it is about."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from deniable.errors import DeniableError, QuestionnaireError
from deniable.survey.drafts.parts import Content, Place
from deniable.survey.lines import Document, Path
from deniable.survey.polish_mistakes import mistake_in_polish
from deniable.survey.questionnaire import Questionnaire, over
from deniable.survey.yaml_text import yaml_text

WHERE = "draft.yaml"


@dataclass(frozen=True)
class Mistake:
    """What is wrong, where: in the settings (no page), above a page (no question), or in a question; and in which field, if in one."""

    error: DeniableError
    page: int | None = None
    question: int | None = None
    field: Path = ()

    @property
    def place(self) -> Place | None:
        """The question, if it is in one."""
        return None if self.page is None or self.question is None else (self.page, self.question)

    @property
    def line(self) -> int:
        """The line of the draft as YAML."""
        return int(self.error.parameters.get("line", 1))

    def sentence(self, language: str) -> str:
        """What is wrong, without the line."""
        if language == "pl" and (polish := mistake_in_polish(self.error)) is not None:
            return polish[:1].upper() + polish[1:]
        plain = str(self.error).removeprefix(f"{WHERE}, line {self.error.parameters.get('line')}: ")
        return plain[:1].upper() + plain[1:]


def check(content: Content, today: datetime.date | None = None) -> tuple[Questionnaire | None, list[Mistake]]:
    """The questionnaire of a draft, and everything that keeps it from being opened today.

    >>> _, mistakes = check({"survey": "town", "title": "Town", "pages": [{"elements": [{"type": "boolean", "name": "a b"}]}]})
    >>> [(one.error.code, one.place, one.field) for one in mistakes][:2]
    [('keys_missing', None, ('organiser',)), ('keys_missing', None, ('contact',))]
    """
    document = Document.of(content, WHERE, yaml_text(content)[1])
    late = _late(document, content.get("closes"), today or datetime.date.today())
    try:
        return Questionnaire(document), late
    except QuestionnaireError as error:
        found = error.parameters.get("mistakes", [error])
        return None, [one for each in found for one in placed(each)] + late


def _late(document: Document, closes: Any, today: datetime.date) -> list[Mistake]:
    """A last day that is over: nobody could answer."""
    try:
        last = datetime.date.fromisoformat(str(closes))
    except ValueError:  # none, or told of as what it is
        return []
    return [Mistake(over(document, last), field=("closes",))] if last < today else []


def placed(error: QuestionnaireError) -> Sequence[Mistake]:
    """A mistake with the part and the field that it is about; several where several fields are missing."""
    if error.code == "keys_missing" and not error.path:
        return [Mistake(error, field=(key,)) for key in error.parameters["missing"] if key != "pages"] or [Mistake(error)]
    match error.path:
        case ("pages", int(page), "elements", int(question), *rest):
            # That a number has no ranges yet is said where they are written.
            field = ("bands",) if error.code == "bands" else tuple(rest)
            return [Mistake(error, page, question, field)]
        case ("pages", int(page), *rest):
            return [Mistake(error, page, None, tuple(rest))]
        case path:
            return [Mistake(error, field=tuple(path))]


def in_field(mistakes: Sequence[Mistake], key: str) -> list[Mistake]:
    """The mistakes of one field, wherever inside it they are."""
    return [one for one in mistakes if one.field[:1] == (key,)]


def elsewhere(mistakes: Sequence[Mistake], keys: Any) -> list[Mistake]:
    """The mistakes of none of these fields: they are told of the part as a whole."""
    return [one for one in mistakes if not one.field or one.field[0] not in keys]
