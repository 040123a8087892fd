"""Conditions of views: built from clicks or typed, taken apart into what must all hold, and said in a survey's own texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.domains.exact import Ints
from deniable.core.question_texts import Question
from deniable.errors import ParameterError
from deniable.picture_words import answer_to
from deniable.results.words import Said
from deniable.statistics.condition_parser import parse
from deniable.statistics.conditions import All, AnyOf, Compare, Condition, Joined, Not, bare

LONGEST_CONDITION = 1_000
"""Longer conditions are not read."""


def read_condition(text: str | None) -> Condition | None:
    """The tree of a condition that somebody typed; one that is too long or too deep is refused.

    >>> str(read_condition("sex == 'F'")), read_condition(None)
    ("sex == 'F'", None)
    """
    if text is None:
        return None
    try:
        if len(text) <= LONGEST_CONDITION:
            return parse(text)
    except RecursionError:
        pass
    raise ParameterError(
        "long_condition",
        "A condition has at most {most:,} characters, and few brackets in one another.",
        most=LONGEST_CONDITION,
    )


def check_differ(first: Condition | None, second: Condition | None) -> None:
    """Refuse to compare a group with itself."""
    if first is not None and second is not None and bare(first) == bare(second):
        raise ParameterError("same_group", "Both groups are the same: choose two different ones.")


def chosen(name: str, *labels: Any) -> str:
    """The condition that a click on one or several answers means.

    >>> chosen("sex", "F"), chosen("how old", 30, 31)
    ("sex == 'F'", '"how old" in (30, 31)')
    """
    return str(Compare(name, "==", labels[0]) if len(labels) == 1 else Compare(name, "in", tuple(labels)))


def parts_of(where: str | None) -> list[str]:
    """What must all hold, one text each.

    >>> parts_of("sex == 'F' and age < 30"), parts_of(None)
    (["sex == 'F'", 'age < 30'], [])
    """
    condition = read_condition(where)
    if condition is None:
        return []
    return [bare(part) for part in condition.parts] if isinstance(condition, All) else [bare(condition)]


def narrowed(where: str | None, part: str) -> str:
    """The condition with one more part, unless it has it already.

    >>> narrowed("sex == 'F'", "age < 30 or age > 60"), narrowed("a == 1", "a == 1")
    ("sex == 'F' and (age < 30 or age > 60)", 'a == 1')
    """
    parts = parts_of(where)
    more = [one for one in parts_of(part) if one not in parts]
    return _joined([*parts, *more])


def widened(where: str | None, part: str) -> str | None:
    """The condition without one of its parts; None if none is left.

    >>> widened("sex == 'F' and age < 30", "age < 30"), widened("a == 1", "a == 1")
    ("sex == 'F'", None)
    """
    left = [one for one in parts_of(where) if one not in parts_of(part)]
    return _joined(left) if left else None


def _joined(parts: list[str]) -> str:
    conditions = [parse(part) for part in parts]
    return bare(conditions[0] if len(conditions) == 1 else All(tuple(conditions)))


def in_words(condition: Condition, asked: Mapping[str, Question], said: Said) -> str:
    """A condition in the texts of a survey.

    >>> from deniable.results.words import said_in
    >>> texts = {"sex": Question("Your sex", {"F": "Female"})}
    >>> in_words(parse("sex == 'F' and not age < 30"), texts, said_in("en"))
    'Your sex: Female and not (age: less than 30)'
    """
    if isinstance(condition, Not):
        return said.negated.format(part=in_words(condition.part, asked, said))
    if isinstance(condition, Joined):
        word = said.both if isinstance(condition, All) else said.either
        told = [in_words(part, asked, said) for part in condition.parts]
        inner = [f"({text})" if isinstance(part, AnyOf) else text for part, text in zip(condition.parts, told, strict=True)]
        return f" {word} ".join(inner)
    assert isinstance(condition, Compare)
    question = asked.get(condition.name)
    title = condition.name if question is None else question.title
    values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    texts = ", ".join(str(value if question is None else question.label(value)) for value in values)
    if condition.operator in ("==", "in"):
        return answer_to(title, texts)
    if condition.operator in ("!=", "not in"):
        return answer_to(title, said.other_than.format(labels=texts))
    return answer_to(title, f"{said.compared_by[condition.operator]} {texts}")


def met(condition: Condition | None, channels: Mapping[str, Channel], codes: Mapping[str, Ints], rows: int) -> Any:
    """Which rows of codes meet a condition, codes being taken for answers."""
    if condition is None:
        return np.ones(rows, dtype=bool)
    if isinstance(condition, Not):
        return ~met(condition.part, channels, codes, rows)
    if isinstance(condition, Joined):
        each = [met(part, channels, codes, rows) for part in condition.parts]
        return np.logical_and.reduce(each) if isinstance(condition, All) else np.logical_or.reduce(each)
    assert isinstance(condition, Compare)
    return condition.members(channels)[codes[condition.name]]
