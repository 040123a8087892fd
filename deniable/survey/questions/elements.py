"""Elements of a page: questions of any kind, and words that ask nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from deniable.core.channels.base import Channel
from deniable.core.domains.domain import NO_ANSWER
from deniable.core.domains.labels import Nominal
from deniable.errors import QuestionnaireError
from deniable.survey.levels import LEVELS
from deniable.survey.mistakes import Mistakes, each
from deniable.survey.page_rules import NAME
from deniable.survey.questions.choices import Choice
from deniable.survey.questions.kinds import KEYS, READERS, REFUSED
from deniable.survey.questions.reading import Reading, channel_of, privacy_of
from deniable.survey.recipe_rows import odds_if_asked
from deniable.survey.spelling import meant, misspelt, plain_name
from deniable.survey.texts import Text


@dataclass(frozen=True)
class Element:
    """One element of a page, and the attributes that its answer becomes."""

    type: str
    name: str
    title: Text
    description: Text | None
    private: bool
    channels: dict[str, Channel]
    choices: list[Choice]
    rows: list[Choice]
    visible_if: dict[str, Any] | None
    extra: dict[str, Any] = field(default_factory=dict)
    use: str | None = None
    """What a number is asked for, where that is said."""

    @property
    def epsilons(self) -> dict[str, float]:
        """What each column gives away; beside a second question that is put to people, to an organiser who knows its answer."""
        if "asked" not in self.extra:
            return {name: channel.epsilon for name, channel in self.channels.items()}
        return {name: math.log(odds_if_asked(one.law.recipe(), one.law.inputs)) for name, one in self.channels.items()}

    def client(self) -> dict[str, Any]:
        """What the respondent's page needs to know of it."""
        return {
            "type": self.type,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "private": self.private,
            "attributes": list(self.channels),
            "choices": [{"value": choice.value, "text": choice.text} for choice in self.choices],
            "rows": [{"value": row.value, "text": row.text} for row in self.rows],
            "visibleIf": self.visible_if,
            **self.extra,
        }


@dataclass(frozen=True)
class Unread:
    """What is known of an element with a mistake in it, so that what others say of it is checked all the same."""

    name: str
    private: bool
    """Surely private: where that is among the mistakes, nobody is blamed for it."""
    visible_if: dict[str, Any] | None
    channels: Mapping[str, Channel] = field(default_factory=dict)

    @classmethod
    def of(cls, reading: Reading, given: Any) -> Unread:
        if not isinstance(given, dict):
            return cls("", False, None)
        level = privacy_of(reading, given)
        asks = isinstance(given.get("type"), str) and given["type"] in KEYS and given["type"] not in ("information", "consent")
        rule = Mistakes().read(partial(_visible_if, reading, given), None)
        return cls(
            str(given.get("name", "")), asks and (level in LEVELS if isinstance(level, str) else isinstance(level, dict)), rule
        )


def read_element(reading: Reading, given: Any) -> Element:
    """One element of a page; everything wrong with it is said with its line."""
    if not isinstance(given, dict):
        raise reading.error((), "not_an_element", "an element is a mapping with type, name and title, got {got!r}.", got=given)
    if "type" not in given:
        slip = next((key for key, wanted in misspelt(given, ["type"]).items() if wanted == "type"), None)
        if slip is not None:
            raise reading.error((slip,), "unknown_key", "an element has no {key!r}; did you mean 'type'?", key=slip)
        raise reading.error((), "no_type", "an element needs a type: one of {allowed}.", allowed=list(KEYS))
    kind = str(given["type"])
    if kind in REFUSED:
        raise reading.error(
            ("type",), "type_refused", "{kind!r} is not asked in a survey with private questions: {why}.",
            kind=kind, why=REFUSED[kind],
        )  # fmt: skip
    if kind not in KEYS:
        near = meant(kind, KEYS)
        raise reading.error(
            ("type",), "unknown_type", "there is no question type {kind!r}; {asks}there are {allowed}.",
            kind=kind, asks="" if near is None else f"did you mean {near!r}? Otherwise ", allowed=list(KEYS),
        )  # fmt: skip
    given, wrong = _respelt(reading, given, kind)
    _, title, description, visible_if, _, asked = each(
        partial(_check_keys, reading, given, kind, wrong),
        lambda: reading.text(given, "title"),
        lambda: reading.text(given, "description") if "description" in given else None,
        partial(_visible_if, reading, given),
        partial(_check_level, reading, given),
        # A name that is wrong is told of once; the rest is read all the same.
        lambda: READERS[kind](reading, given, kind, str(given.get("name"))),
    )
    return Element(
        type=given["type"],
        name=given["name"],
        title=title,
        description=description,
        private=privacy_of(reading, given) != "none" and bool(asked.channels),
        channels=asked.channels,
        choices=asked.choices,
        rows=asked.rows,
        visible_if=visible_if,
        extra=asked.extra,
        use=asked.use,
    )


def _respelt(reading: Reading, given: dict[str, Any], kind: str) -> tuple[dict[str, Any], list[QuestionnaireError]]:
    """The element under the keys that were meant, to be read on: a slip should not also be told of as something missing."""
    slips = misspelt(given, KEYS[kind])
    wrong = []
    for key, wanted in slips.items():
        reading.document.rename(reading.path, key, wanted)
        wrong.append(
            reading.error(
                (key,), "unknown_key", "a {kind} has no {key!r}; did you mean {meant!r}?", kind=kind, key=key, meant=wanted
            )
        )
    return {slips.get(key, key): value for key, value in given.items()}, wrong


def _check_keys(reading: Reading, given: dict[str, Any], kind: str, wrong: list[QuestionnaireError]) -> None:
    mistakes = Mistakes()
    for error in wrong:
        mistakes.add(error)
    for key in given:
        if key in ("showOtherItem", "hasOther", "otherText"):
            mistakes.add(
                reading.error(
                    (key,),
                    "other_refused",
                    "'other: specify' is free text, which can identify its writer; add a choice 'another' instead.",
                )
            )
        elif key not in KEYS[kind]:
            mistakes.add(
                reading.error(
                    (key,), "unknown_key", "a {kind} has no {key!r}; it may have {allowed}.",
                    kind=kind, key=key, allowed=sorted(KEYS[kind]),
                )
            )  # fmt: skip
    name = given.get("name")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        better = plain_name(name) if isinstance(name, str) else ""
        mistakes.add(
            reading.error(
                ("name",), "bad_name",
                "a name has letters a to z (small or capital, without accents), digits and _, begins with a letter and is at most 40 "
                "long, got {got!r}{instead}.",
                got=name, instead=f"; write {better}" if NAME.fullmatch(better) else "",
            )
        )  # fmt: skip
    mistakes.raise_all()


def _visible_if(reading: Reading, given: dict[str, Any]) -> dict[str, Any] | None:
    """{name} = 'value', or <> for its opposite."""
    wanted = given.get("visibleIf")
    if wanted is None:
        return None
    match = re.fullmatch(r"\s*\{(\w+)\}\s*(=|<>)\s*'([^']*)'\s*", str(wanted))
    if not match:
        raise reading.error(
            ("visibleIf",), "visible_if", "visibleIf reads {{name}} = 'value' or {{name}} <> 'value', got {got!r}.", got=wanted
        )
    return {"name": match[1], "equal": match[2] == "=", "value": match[3]}


def _check_level(reading: Reading, given: dict[str, Any]) -> None:
    """A level can be wrong whatever the choices are; designs have to fit them."""
    if isinstance(given.get("privacy"), str):
        channel_of(reading, given, Nominal(["no", "yes"], missing=NO_ANSWER), ordered=False)
