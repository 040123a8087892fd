"""The fields by which a form shows and changes a part of a questionnaire: one table for settings, pages and questions.

What a field shows is compared with what comes back. A field that comes back as it was changes nothing, so whatever a form cannot show stays
in the draft as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deniable.planning.known_to import USES
from deniable.survey.drafts import values
from deniable.survey.questionnaire import LINKAGES
from deniable.survey.questions.kinds import KEYS

Part = dict[str, Any]
Given = Mapping[str, str]


@dataclass(frozen=True)
class Field:
    """A key of a questionnaire, and how a form shows what stands under it."""

    key: str
    kind: str  # one of values.KINDS
    options: tuple[str, ...] = ()
    usual: bool = False  # what a box to tick is where nothing is said

    def shown(self, value: Any, languages: Sequence[str]) -> dict[str, str]:
        """What the inputs of the field hold, by their names."""
        return {
            _name(self.key, rest): text for rest, text in values.KINDS[self.kind].shown(value, languages, self.usual).items()
        }

    def read(self, value: Any, given: Given, languages: Sequence[str]) -> Any:
        """The value that was meant; `values.MISSING` where the key goes."""
        inside = {rest: text for name, text in given.items() if (rest := _rest(self.key, name)) is not None}
        return values.KINDS[self.kind].read(value, inside, languages, self.usual)

    def is_in(self, given: Given) -> bool:
        """Whether a form had this field at all."""
        return any(_rest(self.key, name) is not None for name in given)


def _name(key: str, rest: str) -> str:
    return f"{key}.{rest}" if rest else key


def _rest(key: str, name: str) -> str | None:
    """What follows the key in the name of an input."""
    if name == key:
        return ""
    return name[len(key) + 1 :] if name.startswith(f"{key}.") else None


SETTINGS: Sequence[Field] = (
    Field("title", "text"),
    Field("survey", "word"),
    Field("languages", "words"),
    Field("description", "text"),
    Field("organiser", "text"),
    Field("contact", "text"),
    Field("other_way", "text"),
    Field("closes", "day"),
    Field("invited", "tick"),
    Field("privacy", "privacy"),
    Field("budget", "number"),
    Field("linkage", "pick", LINKAGES),
    Field("show_sent", "pick", ("after", "never")),
    Field("practice", "tick", usual=True),
    Field("offline", "tick"),
)
PAGE: Sequence[Field] = (Field("title", "text"), Field("name", "word"))
QUESTION: Sequence[Field] = (
    Field("type", "pick", tuple(KEYS)),
    Field("title", "text"),
    Field("description", "text"),
    Field("choices", "rows"),
    Field("rows", "rows"),
    Field("columns", "rows"),
    Field("ordered", "tick"),
    Field("labelTrue", "text"),
    Field("labelFalse", "text"),
    Field("rateMin", "number"),
    Field("rateMax", "number"),
    Field("minRateDescription", "text"),
    Field("maxRateDescription", "text"),
    Field("bands", "numbers"),
    Field("grid", "tick"),
    Field("min", "number"),
    Field("max", "number"),
    Field("step", "number"),
    Field("unit", "text"),
    Field("privacy", "privacy"),
    Field("for", "pick", tuple(USES)),
    Field("visibleIf", "word"),
    Field("name", "word"),
)


def fields_of(question: Part) -> list[Field]:
    """The fields of a question, by its type; of one that there is not, those of all questions.

    >>> [field.key for field in fields_of({"type": "age"})]
    ['type', 'title', 'description', 'bands', 'privacy', 'for', 'visibleIf', 'name']
    """
    kind = question.get("type")
    known = KEYS[kind] if isinstance(kind, str) and kind in KEYS else KEYS["boolean"] & KEYS["number"]
    return [field for field in QUESTION if field.key in known]


def shown(fields: Sequence[Field], part: Part, languages: Sequence[str]) -> dict[str, str]:
    """What a form holds, by the names of its inputs.

    >>> shown(PAGE, {"title": {"en": "You", "pl": "O Tobie"}}, ["en", "pl"])
    {'title.en': 'You', 'title.pl': 'O Tobie', 'name': ''}
    """
    held: dict[str, str] = {}
    for field in fields:
        held |= field.shown(part.get(field.key), languages)
    return held


def applied(fields: Sequence[Field], part: Part, given: Given, languages: Sequence[str]) -> Part:
    """The part as a form that was sent says it is. `part` is what the form was filled with.

    >>> applied(PAGE, {"title": "You", "more": 1}, {"title.en": "You", "title.pl": "O Tobie", "name": ""}, ["en", "pl"])
    {'title': {'en': 'You', 'pl': 'O Tobie'}, 'more': 1}
    """
    changed = dict(part)
    every = {name: values.plain_lines(text) for name, text in given.items()}
    for field in fields:
        before = {name: values.plain_lines(text) for name, text in field.shown(part.get(field.key), languages).items()}
        # A form that was opened before the survey got another language has no input for it, and says nothing about it.
        sent = {**before, **every} if field.kind == "text" and field.is_in(every) else every
        same = all(sent.get(name, "") == text for name, text in before.items()) and not _more(field, sent, before)
        # A row that is not sent is one that was removed, also where all its inputs were empty.
        removed = field.kind == "rows" and any(name not in sent for name in before)
        if not field.is_in(sent) or (same and not removed):
            continue
        value = field.read(part.get(field.key), sent, languages)
        if value is values.MISSING:
            changed.pop(field.key, None)
        else:
            changed[field.key] = value
    return changed


def _more(field: Field, given: Given, before: Mapping[str, str]) -> bool:
    """Whether something was written into inputs that held nothing: new rows of a list."""
    return any(text.strip() for name, text in given.items() if name not in before and _rest(field.key, name) is not None)


def others(fields: Sequence[Field], part: Part) -> Part:
    """What stands in a part that no field shows."""
    known = {field.key for field in fields}
    return {key: value for key, value in part.items() if key not in known}
