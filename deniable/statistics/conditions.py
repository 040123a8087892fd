"""A small language for groups of people, parsed to a tree and never evaluated as code.

    sex == 'F' and 18 <= age < 30 and credit in ('none', 'repaid')
    not (children == 'yes' or "monthly salary" > 2000)
    `net.income` >= 1000

A condition speaks of true values; whether a person meets it is never known, only how many do. Text becomes a condition in
`condition_parser`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.domains.domain import Domain
from deniable.core.domains.labels import Nominal, Ordinal
from deniable.errors import ParameterError
from deniable.statistics.condition_words import plain_value, pointed, written_name, written_value
from deniable.statistics.label_numbers import has_numbers, numbers_of

Mask = np.ndarray[Any, np.dtype[np.bool_]]


class Condition(ABC):
    """A statement about one person's true answers; combine with &, | and ~.

    >>> from deniable.statistics.condition_parser import parse
    >>> str(parse("sex == 'F' and 18 <= age < 30"))
    "(sex == 'F' and age >= 18 and age < 30)"
    """

    def __and__(self, other: Condition) -> Condition:
        return All((self, other))

    def __or__(self, other: Condition) -> Condition:
        return AnyOf((self, other))

    def __invert__(self) -> Condition:
        return Not(self)

    def __bool__(self) -> bool:
        # Python's own `and`, `or`, `not` and chains (18 <= age < 30) ask for this, and would silently drop one of their sides.
        raise ParameterError(
            "condition_truth",
            "A condition is neither true nor false by itself, so Python's and, or, not and chains such as 18 <= age < 30 drop a part of "
            "it. Combine conditions with &, | and ~, each in brackets, or write it as text: \"18 <= age < 30 and sex == 'F'\".",
        )

    @abstractmethod
    def attributes(self) -> list[str]:
        """The attributes it speaks of, each once, in order of appearance."""

    def check(self, schema: Mapping[str, Channel]) -> None:
        """Refuse unknown attributes, values outside their domain and comparisons that make no sense."""
        for part in self.comparisons():
            part.members(schema)

    @abstractmethod
    def comparisons(self) -> list[Compare]:
        """Its elementary statements."""


@dataclass(frozen=True)
class Compare(Condition):
    """attribute (==, !=, <, <=, >, >=, in, not in) value(s)."""

    name: str
    operator: str
    value: Any
    position: int | None = field(default=None, compare=False)
    text: str = field(default="", compare=False)

    def attributes(self) -> list[str]:
        return [self.name]

    def comparisons(self) -> list[Compare]:
        return [self]

    def members(self, schema: Mapping[str, Channel]) -> Mask:
        """Which true labels of the attribute meet it."""
        if self.name not in schema:
            raise self.error(
                "unknown_attribute", "There is no attribute {got!r}; there are {allowed}.", got=self.name, allowed=list(schema)
            )
        channel = schema[self.name]
        if not channel.exact:
            raise self.error("no_grid", "{name!r} has no step, so no condition on it can be counted.", name=self.name)
        domain = channel.domain
        if self.operator in ("==", "!=", "in", "not in"):
            values = self.value if self.operator in ("in", "not in") else (self.value,)
            inside = np.zeros(domain.size, dtype=bool)
            for value in values:
                inside[self._code(domain, value)] = True
            return ~inside if self.operator in ("!=", "not in") else inside
        return self._ordered(domain)

    def _code(self, domain: Domain, value: Any) -> int:
        try:
            return domain.code_of(_as_label(domain, value))
        except ValueError:
            raise self.error(
                "value_outside",
                "{name!r} cannot be {got!r}; allowed: {allowed}.",
                name=self.name,
                got=value,
                allowed=domain.allowed,
            ) from None

    def _ordered(self, domain: Domain) -> Mask:
        answered = domain.size - (domain.missing is not None)
        if type(domain.answered) is Nominal:
            raise self.error(
                "no_order", "{name!r} has no order, so {op} makes no sense; use == or in.", name=self.name, op=self.operator
            )
        if isinstance(self.value, str):
            places, limit = np.arange(domain.size, dtype=np.float64), float(self._code(domain, self.value))
        else:
            numbers = domain.labels[:answered]
            if isinstance(numbers[0], str):
                if not has_numbers(domain):
                    raise self.error(
                        "wrong_type", "{name!r} has words as values, got the number {got!r}.", name=self.name, got=self.value
                    )
                numbers = tuple(numbers_of(domain)[:answered])
            places = np.array([*numbers, *([np.nan] * (domain.size - answered))], dtype=np.float64)
            limit = float(self.value)
        with np.errstate(invalid="ignore"):
            met = {"<": places < limit, "<=": places <= limit, ">": places > limit, ">=": places >= limit}[self.operator]
        inside: Mask = met & (np.arange(domain.size) < answered)
        return inside

    def error(self, code: str, sentence: str, **parameters: Any) -> ParameterError:
        """An error that points at the place in the text, if there was one."""
        return pointed(code, sentence, self.text, self.position, **parameters)

    def __str__(self) -> str:
        if self.operator in ("in", "not in"):
            return f"{written_name(self.name)} {self.operator} ({', '.join(map(written_value, self.value))})"
        return f"{written_name(self.name)} {self.operator} {written_value(self.value)}"


def _as_label(domain: Domain, value: Any) -> Any:
    """The label that a number means where labels are numbers written as text, as those of a rating are; else the value itself."""
    if (
        not isinstance(value, (int, float))
        or isinstance(value, bool)
        or not isinstance(domain.answered, Ordinal)
        or not has_numbers(domain)
    ):
        return value
    return next((label for label, number in zip(domain.labels, numbers_of(domain), strict=True) if number == value), value)


@dataclass(frozen=True)
class Joined(Condition):
    """Several conditions, joined by a word."""

    parts: tuple[Condition, ...]
    word: ClassVar[str]

    def attributes(self) -> list[str]:
        return list(dict.fromkeys(name for part in self.parts for name in part.attributes()))

    def comparisons(self) -> list[Compare]:
        return [comparison for part in self.parts for comparison in part.comparisons()]

    def __str__(self) -> str:
        return "(" + f" {self.word} ".join(str(part) for part in self.parts) + ")"


class All(Joined):
    """Every part holds."""

    word = "and"


class AnyOf(Joined):
    """At least one part holds."""

    word = "or"


@dataclass(frozen=True)
class Not(Condition):
    """The part does not hold."""

    part: Condition

    def attributes(self) -> list[str]:
        return self.part.attributes()

    def comparisons(self) -> list[Compare]:
        return self.part.comparisons()

    def __str__(self) -> str:
        return f"not {self.part}"


def bare(condition: Any) -> str:
    """A condition in words, without brackets around the whole; none at all is met by everyone.

    >>> from deniable.statistics.condition_parser import parse
    >>> bare(parse("a == 1 and b == 2")), bare(None)
    ('a == 1 and b == 2', 'everyone')
    """
    if condition is None:
        return "everyone"
    text = str(condition)
    return text[1:-1] if isinstance(condition, Joined) else text


def compared_groups(first: Condition | None, second: Condition | None) -> tuple[Condition, Condition, Condition] | None:
    """What two conditions have in common and by which groups they differ, if they look like one question to two groups of people.

    >>> from deniable.statistics.condition_parser import parse
    >>> [str(part) for part in compared_groups(parse("sick == 1 and sex == 'F'"), parse("sex == 'M' and sick == 1"))]
    ['sick == 1', "sex == 'F'", "sex == 'M'"]
    >>> compared_groups(parse("sex == 'F'"), parse("sex == 'M'")) is None
    True
    """
    if first is None or second is None:
        return None
    one, two = _joined_parts(first), _joined_parts(second)
    shared = [part for part in one if part in two]
    rests = [[part for part in parts if part not in shared] for parts in (one, two)]
    about = {name for part in shared for name in part.attributes()}
    if not shared or not all(rests) or any(about & set(part.attributes()) for rest in rests for part in rest):
        return None
    a, b, c = (parts[0] if len(parts) == 1 else All(tuple(parts)) for parts in (shared, *rests))
    return a, b, c


def _joined_parts(condition: Condition) -> list[Condition]:
    """The parts that must all hold."""
    if not isinstance(condition, All):
        return [condition]
    return [inner for part in condition.parts for inner in _joined_parts(part)]


class where:  # noqa: N801 - it reads as a word: dn.where("age") < 30
    """Conditions written in Python: `dn.where("age") < 30`, combined with &, | and ~.

    >>> import deniable as dn
    >>> str((dn.where("age") < 30) & dn.where("sex").is_in(["F"]))
    "(age < 30 and sex in ('F'))"
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def _compared(self, operator: str, value: Any) -> Condition:
        return Compare(self._name, operator, plain_value(value, self._name))

    def is_in(self, values: Any) -> Condition:
        """The value is one of these."""
        return Compare(self._name, "in", tuple(plain_value(value, self._name) for value in values))

    isin = is_in  # as in pandas

    def __eq__(self, value: object) -> Condition:  # type: ignore[override]
        return self._compared("==", value)

    def __ne__(self, value: object) -> Condition:  # type: ignore[override]
        return self._compared("!=", value)

    def __lt__(self, value: Any) -> Condition:
        return self._compared("<", value)

    def __le__(self, value: Any) -> Condition:
        return self._compared("<=", value)

    def __gt__(self, value: Any) -> Condition:
        return self._compared(">", value)

    def __ge__(self, value: Any) -> Condition:
        return self._compared(">=", value)

    __hash__ = None  # type: ignore[assignment]
