"""Addresses: a question as the part of an address behind the question mark, in one way only, and back."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from deniable.errors import ParameterError
from deniable.results.questions import KINDS, Question, from_json

LONGEST_ADDRESS = 4_000
"""Longer addresses are not read."""
_KINDS_OF_VALUES = {"version": int, "bins": int, "longest": int, "support": float, "confidence": float, "mean": str}
_LISTS = {"together": ("of",), "prediction": ("given",)}


def address(question: Question) -> str:
    """The address of a question: always the same for the same question.

    >>> from deniable.results.questions import OneQuestion
    >>> address(OneQuestion("q3", by="sex", where="age >= 30"))
    'view=question&of=q3&by=sex&where=age+%3E%3D+30'
    """
    return urlencode([(name, _written(value)) for name, value in question.to_json().items()])


def from_address(text: str) -> Question:
    """The question of an address; what is unknown, repeated or malformed is refused.

    >>> from_address("view=question&of=q3&by=sex").by
    'sex'
    >>> from_address("view=question&of=q3&of=q4")
    Traceback (most recent call last):
    deniable.errors.ParameterError: Each part of a question is given once; of is given again.
    """
    if len(text) > LONGEST_ADDRESS:
        raise ParameterError("long_address", "An address has at most {most:,} characters.", most=LONGEST_ADDRESS)
    try:
        pairs = parse_qsl(
            text.removeprefix("?"), keep_blank_values=True, strict_parsing=bool(text.removeprefix("?")), errors="strict"
        )
    except ValueError:
        raise ParameterError("bad_address", "This address cannot be read: {got!r}.", got=text[:200]) from None
    given: dict[str, Any] = {}
    for name, value in pairs:
        if name in given:
            raise ParameterError("repeated_key", "Each part of a question is given once; {got} is given again.", got=name)
        given[name] = value
    view = given.setdefault("view", "overview")
    if view in KINDS:
        lists = _LISTS.get(view, ())
        given = {name: _read(view, name, value, name in lists) for name, value in given.items()}
    return from_json(given)


def _written(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(quote(one, safe="") for one in value)
    return ("yes" if value else "no") if isinstance(value, bool) else repr(value) if isinstance(value, float) else str(value)


def _read(view: str, name: str, value: str, is_list: bool) -> Any:
    if is_list:
        return [unquote(one) for one in value.split(",")]
    kind = _KINDS_OF_VALUES.get(name)
    if kind is None:
        return value
    if name == "mean":
        if value not in ("yes", "no"):
            raise ParameterError("wrong_kind", "Of a view {view!r}, {name!r} is {kind}, got {got!r}.", view=view, name=name, kind="yes or no", got=value)  # fmt: skip  # noqa: E501
        return value == "yes"
    try:
        if not value.isascii():
            raise ValueError
        return kind(value)
    except ValueError:
        raise ParameterError(
            "wrong_kind", "Of a view {view!r}, {name!r} is {kind}, got {got!r}.",
            view=view, name=name, kind="a whole number" if kind is int else "a number", got=value,
        ) from None  # fmt: skip
