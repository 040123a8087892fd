"""The kinds of questions: what each may say in a questionnaire, and which attributes hide its answers."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

from deniable.core.channels.base import Channel
from deniable.core.domains.domain import NO_ANSWER, Domain
from deniable.core.domains.grids import Integer
from deniable.core.domains.labels import Nominal, Ordinal
from deniable.core.domains.missing import WithMissing
from deniable.errors import DeniableError, QuestionnaireError
from deniable.survey.levels import LEVELS, cannot_have, channel_for
from deniable.survey.lines import Document, Path
from deniable.survey.mistakes import Mistakes, each
from deniable.survey.page_rules import FARTHEST, MOST_CHOICES, MOST_VALUES, NAME, UNPRINTABLE, columns
from deniable.survey.recipe_rows import odds_if_asked
from deniable.survey.spelling import meant, misspelt, plain_name, shown_again
from deniable.survey.texts import Text, joined, text

AGE_BANDS = [16, 25, 35, 45, 55, 65, 75]
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


@dataclass(frozen=True)
class Choice:
    """An answer that can be picked: its value in the data and its text on the page."""

    value: str
    text: Text


@dataclass(frozen=True)
class Asked:
    """What the kind of a question makes of it: the columns of its answer, and what can be picked."""

    channels: dict[str, Channel]
    choices: list[Choice]
    rows: list[Choice] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)


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
class Reading:
    """Where an element stands, and what holds for the whole survey."""

    document: Document
    path: Path
    languages: list[str]
    privacy: Any

    def at(self, *steps: str | int) -> Path:
        return (*self.path, *steps)

    def error(self, steps: Path, code: str, sentence: str, /, **parameters: Any) -> QuestionnaireError:
        return self.document.error((*self.path, *steps), code, sentence, **parameters)

    def text(self, given: dict[str, Any], key: str) -> Text:
        return text(self.document, self.at(key), given.get(key), self.languages)


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
        level = _privacy(reading, given)
        asks = given.get("type") in KEYS and given["type"] not in ("information", "consent")
        rule = Mistakes().read(partial(_visible_if, reading, given), None)
        return cls(
            str(given.get("name", "")), asks and (level in LEVELS if isinstance(level, str) else isinstance(level, dict)), rule
        )


COMMON = {"type", "name", "title", "description", "privacy", "visibleIf"}
KEYS: Mapping[str, set[str]] = MappingProxyType(
    {
        "boolean": COMMON | {"labelTrue", "labelFalse"},
        "radiogroup": COMMON | {"choices", "ordered"},
        "dropdown": COMMON | {"choices", "ordered"},
        "rating": COMMON | {"choices", "rateMin", "rateMax", "minRateDescription", "maxRateDescription"},
        "number": COMMON | {"bands", "grid", "min", "max", "step", "unit"},
        "age": COMMON | {"bands"},
        "checkbox": COMMON | {"choices"},
        "matrix": COMMON | {"rows", "columns"},
        "information": {"type", "name", "title", "description", "visibleIf"},
        "consent": {"type", "name", "title", "description"},
    }
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
        lambda: _READERS[kind](reading, given, kind, str(given.get("name"))),
    )
    return Element(
        type=given["type"],
        name=given["name"],
        title=title,
        description=description,
        private=_privacy(reading, given) != "none" and bool(asked.channels),
        channels=asked.channels,
        choices=asked.choices,
        rows=asked.rows,
        visible_if=visible_if,
        extra=asked.extra,
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


def _privacy(reading: Reading, given: dict[str, Any]) -> Any:
    return given.get("privacy", reading.privacy)


def _visible_if(reading: Reading, given: dict[str, Any]) -> dict[str, Any] | None:
    """{name} = 'value', or <> for its opposite."""
    wanted = given.get("visibleIf")
    if wanted is None:
        return None
    found = re.fullmatch(r"\s*\{(\w+)\}\s*(=|<>)\s*'([^']*)'\s*", str(wanted))
    if not found:
        raise reading.error(
            ("visibleIf",), "visible_if", "visibleIf reads {{name}} = 'value' or {{name}} <> 'value', got {got!r}.", got=wanted
        )
    return {"name": found[1], "equal": found[2] == "=", "value": found[3]}


def _check_level(reading: Reading, given: dict[str, Any]) -> None:
    """A level can be wrong whatever the choices are; designs have to fit them."""
    if isinstance(given.get("privacy"), str):
        _channel(reading, given, Nominal(["no", "yes"], missing=NO_ANSWER), ordered=False)


def _choices(reading: Reading, given: dict[str, Any], key: str, least: int = 2) -> list[Choice]:
    listed = given.get(key)
    if not isinstance(listed, list) or not least <= len(listed) <= MOST_CHOICES:
        raise reading.error(
            (key,), "choices", "{key} is a list of {least} to {most} answers, got {got}.",
            key=key, least=least, most=MOST_CHOICES, got=f"{len(listed):,}" if isinstance(listed, list) else repr(listed),
        )  # fmt: skip
    found: list[Choice] = each(*(partial(_choice, reading, key, i, item) for i, item in enumerate(listed)))
    seen: set[str] = set()
    mistakes = Mistakes()
    for i, choice in enumerate(found):
        if choice.value in seen:
            mistakes.add(reading.error((key, i), "choice_twice", "the choice {got!r} is given twice.", got=choice.value))
        seen.add(choice.value)
    mistakes.raise_all()
    return found


def _choice(reading: Reading, key: str, i: int, item: Any) -> Choice:
    if isinstance(item, dict):
        if len(item) == 1 and "value" not in item and "text" not in item:
            [(before, after)] = item.items()
            raise reading.error(
                (key, i), "choice_keys", "a choice has a value and a text; a text with a colon in it needs quotes: {whole}.",
                whole=shown_again(f"{before}: {after}"),
            )  # fmt: skip
        if "value" not in item or set(item) - {"value", "text"}:
            raise reading.error((key, i), "choice_keys", "a choice has a value and a text, got {got}.", got=sorted(item))
        value, shown = item["value"], item.get("text", item["value"])
    else:
        value = shown = item
    if isinstance(value, (list, dict)) or value is None or str(value) == NO_ANSWER or UNPRINTABLE.search(str(value)):
        raise reading.error(
            (key, i),
            "choice_value",
            "{got!r} cannot be a choice; 'no answer' is added to every question by itself.",
            got=value,
        )
    return Choice(str(value), text(reading.document, reading.at(key, i), shown, reading.languages))


def _channel(reading: Reading, given: dict[str, Any], domain: Domain, ordered: bool) -> Channel:
    privacy = _privacy(reading, given)
    try:
        channel = channel_for(domain, privacy, ordered)
        reason = None if privacy == "none" else cannot_have(channel)
    except DeniableError as error:
        raise reading.error(("privacy",), error.code, "{problem}", problem=str(error)) from None
    except (ArithmeticError, TypeError, ValueError):
        raise reading.error(
            ("privacy",), "privacy_numbers", "the numbers of this privacy make no sense: {got}.", got=privacy
        ) from None
    if reason is not None:
        raise reading.error(("privacy",), "channel_refused", "this privacy cannot be used: {reason}.", reason=reason)
    return channel


def _domain(choices: list[Choice], ordered: bool) -> Domain:
    values = [choice.value for choice in choices]
    return Ordinal(values, missing=NO_ANSWER) if ordered else Nominal(values, missing=NO_ANSWER)


def _single(reading: Reading, given: dict[str, Any], choices: list[Choice], ordered: bool, **extra: Any) -> Asked:
    channel = _channel(reading, given, _domain(choices, ordered), ordered)
    privacy = _privacy(reading, given)
    if isinstance(privacy, dict) and yes_no(reading, ("privacy", "asked"), privacy.get("asked", False)):
        if given["type"] == "dropdown":
            raise reading.error(
                ("privacy", "asked"), "asked_where", "a second question is asked beside radio buttons, not in a dropdown."
            )
        extra["asked"] = text(reading.document, reading.at("privacy", "question"), privacy.get("question"), reading.languages)
    return Asked({str(given.get("name")): channel}, choices, extra=extra)


def _boolean(reading: Reading, given: dict[str, Any], kind: str, name: str) -> Asked:
    words = {
        "labelFalse": joined(reading.languages, en="No", pl="Nie"),
        "labelTrue": joined(reading.languages, en="Yes", pl="Tak"),
    }
    shown = {key: reading.text(given, key) if key in given else word for key, word in words.items()}
    return _single(reading, given, [Choice("no", shown["labelFalse"]), Choice("yes", shown["labelTrue"])], ordered=False)


def _picked(reading: Reading, given: dict[str, Any], kind: str, name: str) -> Asked:
    return _single(
        reading, given, _choices(reading, given, "choices"), ordered=yes_no(reading, ("ordered",), given.get("ordered", False))
    )


def _rating(reading: Reading, given: dict[str, Any], kind: str, name: str) -> Asked:
    if "choices" in given:
        choices = _choices(reading, given, "choices")
    else:
        low, high = given.get("rateMin", 1), given.get("rateMax", 5)
        if not isinstance(low, int) or not isinstance(high, int) or not 1 <= high - low <= 20:
            raise reading.error(
                ("rateMax",), "rating_ends", "rateMin and rateMax are whole numbers 1 to 20 apart, got {low!r} and {high!r}.",
                low=low, high=high,
            )  # fmt: skip
        choices = [Choice(str(i), joined(reading.languages, en=str(i))) for i in range(low, high + 1)]
    ends = {key: reading.text(given, key) for key in ("minRateDescription", "maxRateDescription") if key in given}
    return _single(reading, given, choices, ordered=True, **ends)


def _bands(reading: Reading, given: dict[str, Any], edges: Any) -> list[Choice]:
    """[18, 30, 60]: 18-29, 30-59, and what lies below or above as 'under 18' and '60 or more'."""
    if edges is None:
        raise reading.error(
            (), "bands",
            "a number is asked in one of two ways: in ranges (bands: [1000, 2000, 4000]), or as a number itself (grid: true with min, max "
            "and step).",
        )  # fmt: skip
    if (
        not isinstance(edges, list)
        or not 2 <= len(edges) < MOST_CHOICES
        or any(isinstance(edge, bool) or not isinstance(edge, int) for edge in edges)
        or any(later <= edge for edge, later in itertools.pairwise(edges))
    ):
        raise reading.error(
            ("bands",),
            "bands",
            "bands are 2 to {most} whole numbers that rise, such as [18, 30, 45, 60], got {got!r}.",
            most=MOST_CHOICES - 1,
            got=edges,
        )
    languages = reading.languages
    first = Choice(f"under {edges[0]}", joined(languages, en=f"under {edges[0]}", pl=f"poniżej {edges[0]}"))
    between = [
        Choice(f"{low}-{high - 1}", joined(languages, en=f"{low}–{high - 1}" if high - 1 > low else str(low)))
        for low, high in itertools.pairwise(edges)
    ]
    last = Choice(f"{edges[-1]} or more", joined(languages, en=f"{edges[-1]} or more", pl=f"{edges[-1]} lub więcej"))
    return [first, *between, last]


def _number(reading: Reading, given: dict[str, Any], kind: str, name: str) -> Asked:
    unit: dict[str, Any] = {"unit": reading.text(given, "unit")} if "unit" in given else {}
    if kind == "age" or not yes_no(reading, ("grid",), given.get("grid", False)):
        return _single(
            reading, given, _bands(reading, given, given.get("bands", AGE_BANDS if kind == "age" else None)), True, **unit
        )
    low, high, step = given.get("min"), given.get("max"), given.get("step", 1)
    whole = all(isinstance(number, int) and not isinstance(number, bool) for number in (low, high, step))
    fits = whole and max(abs(low), abs(high)) <= FARTHEST and 0 < step <= high - low  # type: ignore[arg-type, operator]
    if not fits or (high - low) // step >= MOST_VALUES or (high - low) % step:  # type: ignore[operator]
        raise reading.error(
            ("max",), "grid_ends",
            "a grid has whole numbers min, max and step, the step divides what lies between, and there are at most {most:,} values; "
            "got {low!r}, {high!r}, {step!r}.", most=MOST_VALUES, low=low, high=high, step=step,
        )  # fmt: skip
    numbers = Integer(low, high, step)  # type: ignore[arg-type]
    channel = _channel(reading, given, WithMissing(numbers, NO_ANSWER), ordered=True)
    return Asked({name: channel}, [], extra={"grid": {"min": low, "max": high, "step": step}, **unit})


def _unasked(reading: Reading, given: dict[str, Any]) -> None:
    privacy = _privacy(reading, given)
    if isinstance(privacy, dict) and "asked" in privacy:
        raise reading.error(("privacy", "asked"), "asked_where", "a second question is asked beside a single choice only.")


def yes_no(reading: Reading, steps: Path, given: Any) -> bool:
    """true or false, in whichever of YAML's words."""
    if given not in (True, False, "yes", "no"):
        raise reading.error(steps, "not_allowed", "{key} must be true or false, got {got!r}.", key=steps[-1], got=given)
    return given in (True, "yes")


def _checkbox(reading: Reading, given: dict[str, Any], kind: str, name: str) -> Asked:
    boxes = _choices(reading, given, "choices", least=1)
    _unasked(reading, given)
    channel = _channel(reading, given, Nominal(["no", "yes"], missing=NO_ANSWER), ordered=False)
    channels = dict.fromkeys(columns(kind, name, [box.value for box in boxes], []), channel)
    if len(channels) < len(boxes):
        raise reading.error(
            ("choices",), "box_names", "two choices are too much alike to name their columns; give them other values."
        )
    return Asked(channels, boxes)


def _matrix(reading: Reading, given: dict[str, Any], kind: str, name: str) -> Asked:
    picked, rows = each(lambda: _choices(reading, given, "columns"), lambda: _choices(reading, given, "rows", least=1))
    _unasked(reading, given)
    channel = _channel(reading, given, _domain(picked, ordered=True), ordered=True)
    channels = dict.fromkeys(columns(kind, name, [], [row.value for row in rows]), channel)
    if len(channels) < len(rows):
        raise reading.error(
            ("rows",), "box_names", "two rows are too much alike to name their columns; give them other values."
        )
    return Asked(channels, picked, rows)


def _words(reading: Reading, given: dict[str, Any], kind: str, name: str) -> Asked:
    return Asked({}, [])


_READERS: Mapping[str, Callable[[Reading, dict[str, Any], str, str], Asked]] = MappingProxyType(
    {
        "boolean": _boolean,
        "radiogroup": _picked,
        "dropdown": _picked,
        "rating": _rating,
        "number": _number,
        "age": _number,
        "checkbox": _checkbox,
        "matrix": _matrix,
        "information": _words,
        "consent": _words,
    }
)
