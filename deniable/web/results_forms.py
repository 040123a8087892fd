"""From the fields of a form to a question: plain HTML forms send what is empty, too, and one name several times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs

from deniable.errors import ParameterError
from deniable.results.address import LONGEST_ADDRESS
from deniable.results.conditions import check_differ, narrowed, read_condition
from deniable.results.questions import KINDS, Question, from_json
from deniable.statistics.conditions import Compare

OPERATORS = {"at_least": ">=", "at_most": "<=", "exactly": "=="}
LISTS = {"together": ("of",), "prediction": ("given",)}
_FIELDS: Mapping[str, Sequence[str]] = {
    "overview": (),
    "question": ("of", "by"),
    "mean": ("of", "by"),
    "cross": ("of", "by"),
    "compare": ("of", "label"),
    "together": ("of",),
    "prediction": ("of", "given"),
    "versions": ("of",),
}
_MOST_FIELDS = 300


def fields_of(query: str) -> dict[str, list[str]]:
    """What a form sent, without what was left empty."""
    if len(query) > LONGEST_ADDRESS:
        raise ParameterError("long_address", "An address has at most {most:,} characters.", most=LONGEST_ADDRESS)
    try:
        return parse_qs(query, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise ParameterError("bad_address", "This address cannot be read: {got!r}.", got=query[:200]) from None


def view_of(fields: Mapping[str, Sequence[str]]) -> str:
    """Which view a form is for.

    >>> view_of({"view": ["cross"]}), view_of({})
    ('cross', 'overview')
    """
    view = fields.get("view", ["overview"])[0]
    if view not in KINDS:
        raise ParameterError(
            "unknown_view", "There is no view {got!r}; there are {allowed}.", got=view, allowed=", ".join(KINDS)
        )
    return view


def question_of(fields: Mapping[str, Sequence[str]]) -> Question:
    """The question that a form asks.

    >>> question_of({"view": ["question"], "of": ["q3"], "where": ["sex == 'F'"], "add": ["age < 30"]}).where
    "sex == 'F' and age < 30"
    """
    view = view_of(fields)
    lists = LISTS.get(view, ())
    given: dict[str, Any] = {"view": view}
    for name in _FIELDS[view]:
        if name in fields:
            given[name] = list(fields[name]) if name in lists else fields[name][0]
    if "version" in fields:
        given["version"] = _number(fields, "version", int)
    if view in ("overview", "question", "mean"):
        given["where"] = _condition(fields)
    if view == "compare":
        given |= {place: _group(fields, place) for place in ("first", "second") if _group(fields, place)}
        check_differ(read_condition(given.get("first")), read_condition(given.get("second")))
        given["mean"] = "mean" in fields
    if view == "together":
        for name, kind in (("support", float), ("confidence", float), ("longest", int)):
            if name in fields:
                given[name] = _number(fields, name, kind)
    return from_json(given)


def _condition(fields: Mapping[str, Sequence[str]]) -> str | None:
    """What was typed, narrowed by what was clicked."""
    where = fields.get("where", [None])[0]
    read_condition(where)
    for part in (*fields.get("add", ()), *_of_number(fields)):
        where = narrowed(where, part)
    return where


def _of_number(fields: Mapping[str, Sequence[str]]) -> list[str]:
    if "value" not in fields or "number" not in fields:
        return []
    operator = OPERATORS.get(fields.get("is", ["at_least"])[0], ">=")
    value = _number(fields, "value", float)
    return [str(Compare(fields["number"][0], operator, int(value) if value.is_integer() else value))]


def _group(fields: Mapping[str, Sequence[str]], place: str) -> str | None:
    """A group: a condition that was typed, else the answer that was chosen."""
    condition = fields.get(f"{place}_typed", fields.get(place, [None]))[0]
    read_condition(condition)
    return condition


def _number(fields: Mapping[str, Sequence[str]], name: str, kind: type[int] | type[float]) -> Any:
    text = fields[name][0].replace(",", ".")
    try:
        if not text.isascii() or len(text) > 30:
            raise ValueError
        number = kind(text)
        if number - number != 0:  # infinite, or none at all
            raise ValueError
    except (ValueError, OverflowError):
        what = "a whole number" if kind is int else "a number"
        raise ParameterError(
            "wrong_kind", "{name!r} is {kind}, got {got!r}.", name=name, kind=what, got=fields[name][0]
        ) from None
    return number
