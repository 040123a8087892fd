"""All mistakes of a draft, each with the part and the field that it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from deniable.errors import DeniableError, QuestionnaireError
from deniable.survey.drafts.parts import Content, Place
from deniable.survey.lines import Document, Path
from deniable.survey.polish_mistakes import mistake_in_polish
from deniable.survey.questionnaire import Questionnaire
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


def check(content: Content) -> tuple[Questionnaire | None, list[Mistake]]:
    """The questionnaire of a draft, or everything that keeps it from being one.

    >>> _, mistakes = check({"survey": "town", "title": "Town", "pages": [{"elements": [{"type": "boolean", "name": "a b"}]}]})
    >>> [(one.error.code, one.place, one.field) for one in mistakes][:2]
    [('keys_missing', None, ('organiser',)), ('keys_missing', None, ('contact',))]
    """
    try:
        return Questionnaire(Document.of(content, WHERE, yaml_text(content)[1])), []
    except QuestionnaireError as error:
        found = error.parameters.get("mistakes", [error])
        return None, [one for each in found for one in _placed(each)]


def _placed(error: QuestionnaireError) -> Sequence[Mistake]:
    if error.code == "keys_missing" and not error.path:
        return [Mistake(error, field=(key,)) for key in error.parameters["missing"] if key != "pages"] or [Mistake(error)]
    match error.path:
        case ("pages", int(page), "elements", int(question), *rest):
            return [Mistake(error, page, question, tuple(rest))]
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
