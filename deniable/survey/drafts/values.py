"""How values of a questionnaire become texts in the inputs of a form, and back."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from deniable.errors import QuestionnaireError
from deniable.survey.levels import LEVELS
from deniable.survey.lines import Document
from deniable.survey.yaml_text import yaml_text

MISSING: Any = object()
"""What nobody wrote."""
DESIGN = "design"
"""A privacy that is a design of one's own."""
Texts = dict[str, str]


class Kind(NamedTuple):
    """A kind of field: inputs by name from a value, and a value from what was sent."""

    shown: Callable[[Any, Sequence[str], bool], Texts]
    read: Callable[[Any, Mapping[str, str], Sequence[str], bool], Any]


def plain_lines(text: str) -> str:
    """A text with the ends of lines that browsers change.

    >>> plain_lines("a\\r\\nb")
    'a\\nb'
    """
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _word(value: Any) -> str:
    return str(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""


def _one(value: Any, _: Sequence[str], __: bool) -> Texts:
    return {"": _word(value)}


def _read_one(_: Any, given: Mapping[str, str], __: Sequence[str], ___: bool) -> Any:
    return given.get("", "").strip() or MISSING


def _text(value: Any, languages: Sequence[str], _: bool = False) -> Texts:
    """One input for each language; a text for all of them stands in each."""
    if isinstance(value, dict):
        return {language: _word(value.get(language)) for language in languages}
    return dict.fromkeys(languages, _word(value))


def _read_text(value: Any, given: Mapping[str, str], languages: Sequence[str], _: bool = False) -> Any:
    if isinstance(value, dict):
        before, changed = _text(value, languages), dict(value)
        for language in languages:
            text = given.get(language, "")
            if text != plain_lines(before[language]):
                changed.pop(language, None)
                changed |= {language: text} if text.strip() else {}
        return changed or MISSING
    texts = {language: text for language in languages if (text := given.get(language, "")).strip()}
    if len(texts) == len(languages) and len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return texts or MISSING


def _number_of(text: str) -> Any:
    """A number, or what was written where it is none: then the questionnaire says so."""
    text = text.strip()
    if re.fullmatch(r"[-+]?\d{1,15}", text):
        return int(text)
    if re.fullmatch(r"[-+]?\d{0,15}[.,]\d{1,15}", text):
        return float(text.replace(",", "."))
    return text or MISSING


def _read_number(_: Any, given: Mapping[str, str], __: Sequence[str], ___: bool) -> Any:
    return _number_of(given.get("", ""))


def _several(value: Any, _: Sequence[str], __: bool) -> Texts:
    return {"": ", ".join(map(_word, value)) if isinstance(value, list) else _word(value)}


def _read_numbers(_: Any, given: Mapping[str, str], __: Sequence[str], ___: bool) -> Any:
    return [_number_of(one) for one in re.split(r"[,;\s]+", given.get("", "")) if one] or MISSING


def _read_words(_: Any, given: Mapping[str, str], __: Sequence[str], ___: bool) -> Any:
    return [one for one in re.split(r"[,;\s]+", given.get("", "")) if one] or MISSING


def _tick(value: Any, _: Sequence[str], usual: bool) -> Texts:
    return {"": "yes" if (usual if value is None else value in (True, "yes")) else ""}


def _read_tick(_: Any, given: Mapping[str, str], __: Sequence[str], usual: bool) -> Any:
    ticked = given.get("") == "yes"
    return MISSING if ticked == usual else ticked


def _privacy(value: Any, _: Sequence[str], __: bool) -> Texts:
    if isinstance(value, dict):
        return {"": DESIGN, DESIGN: yaml_text(value)[0].strip()}
    return {"": _word(value), DESIGN: ""}


def _read_privacy(_: Any, given: Mapping[str, str], __: Sequence[str], ___: bool) -> Any:
    """A level, or the design that was written; what cannot be read as one stays as it was written, and is told of."""
    level, design = given.get("", ""), given.get(DESIGN, "").strip()
    if level != DESIGN:
        return level or MISSING
    try:
        read = Document(design, "privacy").value
    except QuestionnaireError:
        return design
    return design or DESIGN if not isinstance(read, dict) else read


def _rows(value: Any, languages: Sequence[str], _: bool) -> Texts:
    """For each answer of a list its value in the data and its text in every language."""
    items = value if isinstance(value, list) else []
    return {f"{i}.{name}": text for i, item in enumerate(items) for name, text in _row(item, languages).items()}


def _row(item: Any, languages: Sequence[str]) -> Texts:
    if isinstance(item, dict):
        text = _text(item["text"], languages) if "text" in item else dict.fromkeys(languages, "")
        return {"value": _word(item.get("value")), **text}
    return {"value": _word(item), **dict.fromkeys(languages, "")}


def _read_rows(value: Any, given: Mapping[str, str], languages: Sequence[str], _: bool) -> Any:
    items = value if isinstance(value, list) else []
    shown = [_row(item, languages) for item in items]
    places = {row["value"]: i for i, row in reversed(list(enumerate(shown))) if row["value"]}
    rows = rows_of(given)
    written = {row.get("value", "").strip() for row in rows.values()}
    read = []
    for i, row in rows.items():
        if i < len(items) and all(row.get(name, "") == plain_lines(text) for name, text in shown[i].items()):
            read.append(items[i])
        elif any(text.strip() for text in row.values()):
            # The answer of the same value, wherever it stood; else the one in this place, if its value was changed.
            renamed = i if i < len(items) and shown[i]["value"] not in written else None
            place = places.get(row.get("value", "").strip(), renamed)
            read.append(_read_row(None if place is None else items[place], row, languages))
    return read or MISSING


def rows_of(given: Mapping[str, str]) -> dict[int, Texts]:
    """The rows of a list as a form has them, in their order.

    >>> rows_of({"1.value": "b", "0.value": "a", "0.en": "A"})
    {0: {'value': 'a', 'en': 'A'}, 1: {'value': 'b'}}
    """
    rows: dict[int, Texts] = {}
    for name, text in given.items():
        place, _, rest = name.partition(".")
        if place.isdigit() and len(place) < 5:
            rows.setdefault(int(place), {})[rest] = text
    return dict(sorted(rows.items()))


def _read_row(item: Any, row: Texts, languages: Sequence[str]) -> Any:
    texts = {language: row.get(language, "") for language in languages}
    value: Any = row.get("value", "").strip() or next((text.strip() for text in texts.values() if text.strip()), "")
    before = item.get("value") if isinstance(item, dict) else item
    value = before if _word(before) == value else value
    if isinstance(item, dict):
        text = _read_text(item.get("text"), texts, languages)
        rest = {key: one for key, one in item.items() if key not in ("value", "text")}
        return {"value": value, **({} if text is MISSING else {"text": text}), **rest}
    text = _read_text(None, texts, languages)
    return value if text is MISSING or text == value else {"value": value, "text": text}


def is_day(text: str) -> bool:
    """Whether a text is a day as browsers write it.

    >>> is_day("2027-03-31"), is_day("31.3.2027")
    (True, False)
    """
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


PRIVACIES = (*LEVELS, "none")
KINDS: Mapping[str, Kind] = {
    "text": Kind(_text, _read_text),
    "word": Kind(_one, _read_one),
    "day": Kind(_one, _read_one),
    "pick": Kind(_one, _read_one),
    "number": Kind(_one, _read_number),
    "numbers": Kind(_several, _read_numbers),
    "words": Kind(_several, _read_words),
    "tick": Kind(_tick, _read_tick),
    "privacy": Kind(_privacy, _read_privacy),
    "rows": Kind(_rows, _read_rows),
}
