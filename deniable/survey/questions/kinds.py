"""The kinds of questions: what each may say in a questionnaire, and how its answer is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from deniable.survey.questions.choices import AnswerForm
from deniable.survey.questions.numbers import read_number
from deniable.survey.questions.reading import Reading
from deniable.survey.questions.several import read_checkbox, read_matrix
from deniable.survey.questions.single import read_boolean, read_picked, read_rating

REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "ranking": "the order of many things is as good as a name; ask for the first choice (radiogroup)",
        "comment": "free text can identify its writer and cannot be randomised; ask with choices",
        "text": "free text can identify its writer and cannot be randomised; ask with choices, or type: number",
        "multipletext": "free text can identify its writer and cannot be randomised; ask with choices",
        "file": "a file cannot be randomised; ask about what it would show",
        "signaturepad": "a signature is a name; leave it out",
        "map": "a point on a map is an address; ask for a district (dropdown)",
        "imagemap": "a point on a map is an address; ask for a district (dropdown)",
    }
)
COMMON = {"type", "name", "title", "description", "privacy", "visibleIf"}
KEYS: Mapping[str, set[str]] = MappingProxyType(
    {
        "boolean": COMMON | {"labelTrue", "labelFalse"},
        "radiogroup": COMMON | {"choices", "ordered", "for"},
        "dropdown": COMMON | {"choices", "ordered", "for"},
        "rating": COMMON | {"choices", "rateMin", "rateMax", "minRateDescription", "maxRateDescription", "for"},
        "number": COMMON | {"bands", "grid", "min", "max", "step", "unit", "for"},
        "age": COMMON | {"bands", "for"},
        "checkbox": COMMON | {"choices"},
        "matrix": COMMON | {"rows", "columns"},
        "information": {"type", "name", "title", "description", "visibleIf"},
        "consent": {"type", "name", "title", "description"},
    }
)


def _words(reading: Reading, given: dict[str, Any], kind: str, name: str) -> AnswerForm:
    return AnswerForm({}, [])


READERS: Mapping[str, Callable[[Reading, dict[str, Any], str, str], AnswerForm]] = MappingProxyType(
    {
        "boolean": read_boolean,
        "radiogroup": read_picked,
        "dropdown": read_picked,
        "rating": read_rating,
        "number": read_number,
        "age": read_number,
        "checkbox": read_checkbox,
        "matrix": read_matrix,
        "information": _words,
        "consent": _words,
    }
)
