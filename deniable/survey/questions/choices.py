"""Answers that can be picked, as a questionnaire lists them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from deniable.core.channels.base import Channel
from deniable.core.domains.domain import NO_ANSWER, Domain
from deniable.core.domains.labels import Nominal, Ordinal
from deniable.core.question_texts import one_line
from deniable.survey.mistakes import Mistakes, each
from deniable.survey.page_rules import MOST_CHOICES, UNPRINTABLE
from deniable.survey.questions.reading import Reading
from deniable.survey.spelling import shown_again
from deniable.survey.texts import Text, text


@dataclass(frozen=True)
class Choice:
    """An answer that can be picked: its value in the data and its text on the page."""

    value: str
    text: Text


@dataclass(frozen=True)
class AnswerForm:
    """What the kind of a question makes of it: the columns of its answer, and what can be picked."""

    channels: dict[str, Channel]
    choices: list[Choice]
    rows: list[Choice] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    use: str | None = None
    """What a number is asked for, where that is said."""


def read_choices(reading: Reading, given: dict[str, Any], key: str, least: int = 2) -> list[Choice]:
    """The choices under a key; none is given twice."""
    listed = given.get(key)
    if not isinstance(listed, list) or not least <= len(listed) <= MOST_CHOICES:
        raise reading.error(
            (key,), "choices", "{key} is a list of {least} to {most} answers, got {got}.",
            key=key, least=least, most=MOST_CHOICES, got=f"{len(listed):,}" if isinstance(listed, list) else repr(listed),
        )  # fmt: skip
    read: list[Choice] = each(*(partial(_choice, reading, key, i, item) for i, item in enumerate(listed)))
    seen: set[str] = set()
    mistakes = Mistakes()
    for i, choice in enumerate(read):
        if choice.value in seen:
            mistakes.add(reading.error((key, i), "choice_twice", "the choice {got!r} is given twice.", got=choice.value))
        elif not reading.frozen and (twice := _seen_before(choice, read[:i])) is not None:
            mistakes.add(
                reading.error(
                    (key, i),
                    "choice_text_twice",
                    "two choices have the text {got!r}: people could not tell them apart.",
                    got=twice,
                )
            )
        seen.add(choice.value)
    mistakes.raise_all()
    return read


def _seen_before(choice: Choice, before: list[Choice]) -> str | None:
    """The text that people would see twice, in any language."""
    for language, words in choice.text.items():
        if any(one_line(words) == one_line(other.text[language]) for other in before):
            return one_line(words)
    return None


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


def domain_of(choices: list[Choice], ordered: bool) -> Domain:
    """What may be true: any of the choices, or no answer."""
    values = [choice.value for choice in choices]
    return Ordinal(values, missing=NO_ANSWER) if ordered else Nominal(values, missing=NO_ANSWER)
