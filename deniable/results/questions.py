"""Questions to a survey's answers, one kind for each view: frozen, read strictly from JSON, written shortest."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from deniable.errors import ParameterError

MOST_TOGETHER = 8
"""So many attributes are looked through for what goes together, or given to a classifier."""
LONGEST = 3
"""Rules are of so many answers at most."""
LAST_VERSION = 2**31 - 1
"""Versions of trials begin above a million; databases hold numbers of versions up to this."""


@dataclass(frozen=True)
class Question:
    """What is asked. `version` is that of the survey: the newest unless it is given."""

    view: ClassVar[str]
    takes_long: ClassVar[bool] = False
    """Whether it may take a minute, so that others must not wait for it."""
    version: int | None = dataclasses.field(default=None, kw_only=True)

    def to_json(self) -> dict[str, Any]:
        """As JSON has it, without what is not said.

        >>> OneQuestion("q3", by="sex").to_json()
        {'view': 'question', 'of': 'q3', 'by': 'sex'}
        """
        given = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        order = [*(name for name in given if name != "version"), "version"]
        said = {name: given[name] for name in order if given[name] != defaults[name]}
        return {"view": self.view, **{name: list(value) if isinstance(value, tuple) else value for name, value in said.items()}}


@dataclass(frozen=True)
class Overview(Question):
    """All questions at a glance, of everyone or of those who meet a condition."""

    view: ClassVar[str] = "overview"
    where: str | None = None


@dataclass(frozen=True)
class OneQuestion(Question):
    """The distribution of one question, by the groups of another or not, of everyone or under a condition."""

    view: ClassVar[str] = "question"
    of: str
    by: str | None = None
    where: str | None = None
    bins: int | None = None


@dataclass(frozen=True)
class MeanOf(Question):
    """The mean of a rating or number."""

    view: ClassVar[str] = "mean"
    of: str
    by: str | None = None
    where: str | None = None


@dataclass(frozen=True)
class CrossTable(Question):
    """The joint shares of two questions."""

    view: ClassVar[str] = "cross"
    of: str
    by: str


@dataclass(frozen=True)
class Comparison(Question):
    """How two groups, each a condition, differ: in the share of one answer, in that of each answer, or in their means."""

    view: ClassVar[str] = "compare"
    of: str
    first: str
    second: str
    label: str | None = None
    mean: bool = False


@dataclass(frozen=True)
class Together(Question):
    """Which answers go together: rules with intervals, among a few questions."""

    view: ClassVar[str] = "together"
    takes_long: ClassVar[bool] = True
    of: tuple[str, ...]
    support: float = 0.1
    confidence: float = 0.5
    longest: int = 2


@dataclass(frozen=True)
class Prediction(Question):
    """How well an answer can be told from those to other questions: a classifier and the accuracy to expect of it."""

    view: ClassVar[str] = "prediction"
    takes_long: ClassVar[bool] = True
    of: str
    given: tuple[str, ...]


@dataclass(frozen=True)
class Versions(Question):
    """The distribution of one question in each version of the survey, side by side."""

    view: ClassVar[str] = "versions"
    of: str


KINDS: dict[str, type[Question]] = {
    kind.view: kind for kind in (Overview, OneQuestion, MeanOf, CrossTable, Comparison, Together, Prediction, Versions)
}


def from_json(given: str | Mapping[str, Any]) -> Question:
    """A question from JSON, text or object; whatever is unknown, missing or of another type is refused.

    >>> from_json('{"view": "question", "of": "q3", "where": "age >= 30"}')
    OneQuestion(version=None, of='q3', by=None, where='age >= 30', bins=None)
    >>> from_json({"view": "question", "off": "q3"})
    Traceback (most recent call last):
    deniable.errors.ParameterError: A view 'question' has no 'off'; it may have of, by, where, bins, version.
    """
    if isinstance(given, str):
        try:
            given = json.loads(given, object_pairs_hook=_each_once)
        except (json.JSONDecodeError, RecursionError):
            raise ParameterError("view_json", "A question is a JSON object such as {example}.", example=_EXAMPLE) from None
    if not isinstance(given, Mapping):
        raise ParameterError("view_json", "A question is a JSON object such as {example}.", example=_EXAMPLE)
    kind = given.get("view")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ParameterError(
            "unknown_view", "There is no view {got!r}; there are {allowed}.", got=kind, allowed=", ".join(KINDS)
        )
    return _made(KINDS[kind], {name: value for name, value in given.items() if name != "view"})


_EXAMPLE = '{"view": "question", "of": "q3"}'


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        repeated = sorted({name for name, _ in pairs if [key for key, _ in pairs].count(name) > 1})
        raise ParameterError(
            "repeated_key", "Each part of a question is given once; {got} is given again.", got=", ".join(repeated)
        )
    return found


def _made(kind: type[Question], given: Mapping[str, Any]) -> Question:
    fields = {field.name: field for field in dataclasses.fields(kind)}
    allowed = [*(name for name in fields if name != "version"), "version"]
    for name in given:
        if name not in fields:
            raise ParameterError(
                "unknown_key", "A view {view!r} has no {got!r}; it may have {allowed}.",
                view=kind.view, got=name, allowed=", ".join(allowed),
            )  # fmt: skip
    for name, field in fields.items():
        if field.default is dataclasses.MISSING and name not in given:
            raise ParameterError("missing_key", "A view {view!r} needs {name!r}.", view=kind.view, name=name)
    read = {name: _value(kind.view, name, str(fields[name].type), value) for name, value in given.items()}
    made = kind(**read)
    _check(made)
    return made


def _value(view: str, name: str, kind: str, given: Any) -> Any:
    """The value of a field, which must be of its type."""
    number = isinstance(given, (int, float)) and not isinstance(given, bool)
    fits = {
        "str": isinstance(given, str) and bool(given),
        "str | None": given is None or (isinstance(given, str) and bool(given)),
        "int": isinstance(given, int) and number,
        "int | None": given is None or (isinstance(given, int) and number),
        "float": number,
        "bool": isinstance(given, bool),
        "tuple[str, ...]": isinstance(given, (list, tuple)) and all(isinstance(one, str) and one for one in given),
    }[kind]
    if not fits:
        words = {
            "str": "a text",
            "int": "a whole number",
            "float": "a number",
            "bool": "true or false",
            "tuple[str, ...]": "names",
        }
        raise ParameterError(
            "wrong_kind", "Of a view {view!r}, {name!r} is {kind}, got {got!r}.",
            view=view, name=name, kind=words[kind.removesuffix(" | None")], got=given,
        )  # fmt: skip
    if kind == "tuple[str, ...]":
        return tuple(given)
    return float(given) if kind == "float" else given


def _check(question: Question) -> None:
    """Refuse numbers outside what a view allows, and what would cost too much."""

    def between(name: str, value: float | None, low: float, high: float) -> None:
        if value is not None and not low <= value <= high:
            raise ParameterError(
                "out_of_range",
                "{name!r} must lie between {low} and {high}, got {got}.",
                name=name,
                low=low,
                high=high,
                got=value,
            )

    between("version", question.version, 1, LAST_VERSION)
    if isinstance(question, OneQuestion):
        between("bins", question.bins, 2, 50)
    if isinstance(question, Together):
        between("support", question.support, 0.01, 1)
        between("confidence", question.confidence, 0, 1)
        between("longest", question.longest, 2, LONGEST)
    names = question.of if isinstance(question, Together) else question.given if isinstance(question, Prediction) else ()
    if names or isinstance(question, (Together, Prediction)):
        least = 2 if isinstance(question, Together) else 1
        if not least <= len(names) <= MOST_TOGETHER or len(set(names)) != len(names):
            raise ParameterError(
                "how_many_questions", "A view {view!r} is of {least} to {most} different questions, got {got}.",
                view=question.view, least=least, most=MOST_TOGETHER, got=len(names),
            )  # fmt: skip
    if isinstance(question, Prediction) and question.of in question.given:
        raise ParameterError("same_attribute", "{name!r} cannot be told from itself.", name=question.of)
    for one, other in ((getattr(question, "of", None), getattr(question, "by", None)),):
        if one is not None and one == other:
            raise ParameterError("same_attribute", "{name!r} by itself says nothing: name another question.", name=one)
    if isinstance(question, Comparison) and question.mean and question.label is not None:
        raise ParameterError("mean_or_label", "A comparison is of means or of one answer, not of both.")
