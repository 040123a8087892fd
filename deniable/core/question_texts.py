"""The texts of a survey's questions and answers, which travel in its schema file, so that tables and pictures can be read by anyone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from deniable.errors import ParameterError, SchemaError

# Control characters would move a terminal's cursor; marks that turn the order of letters round would do so to what follows.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True)
class Question:
    """What was asked, in one language: the title of an attribute, and the text of each of its labels."""

    title: str
    labels: Mapping[str, str]

    def label(self, label: Any) -> Any:
        """The text of a label; a label without one (a number, a bin) is itself. Texts of two labels that are alike keep their labels."""
        text = self.labels.get(str(label))
        if text is None:
            return label
        return f"{text} ({label})" if Counter(self.labels.values())[text] > 1 and text != str(label) else text


class QuestionTexts:
    """Titles and labels of attributes in the languages of a survey; how answers are hidden has no part in them, so no fingerprint either.

    >>> texts = QuestionTexts(["pl"], {"smokes": {"title": {"pl": "Czy pali?"}, "labels": {"no": {"pl": "nie"}, "yes": {"pl": "tak"}}}})
    >>> texts.questions()["smokes"].label("yes")
    'tak'
    """

    def __init__(
        self, languages: Any, attributes: Any, where: str = "the schema", known: Collection[str] | None = None
    ) -> None:
        if not isinstance(languages, list) or not languages or not all(isinstance(one, str) and one for one in languages):
            raise SchemaError(
                "text_languages",
                '{where}: "texts" needs "languages", a list such as ["en", "pl"], got {got!r}.',
                where=where,
                got=languages,
            )
        if not isinstance(attributes, Mapping):
            raise SchemaError(
                "text_attributes", '{where}: "texts" needs "attributes": an object from name to texts.', where=where
            )
        self.languages = list(languages)
        self._attributes: dict[str, Any] = {}
        for name, given in attributes.items():
            if known is not None and name not in known:
                raise SchemaError(
                    "text_unknown", "{where} has texts of {name!r}, which is not an attribute.", where=where, name=name
                )
            if not isinstance(given, Mapping) or set(given) != {"title", "labels"} or not isinstance(given["labels"], Mapping):
                raise SchemaError("text_keys", "{where}: the texts of {name!r} are a title and labels.", where=where, name=name)
            self._attributes[name] = {
                "title": self._checked(given["title"], name, where),
                "labels": {label: self._checked(text, name, where) for label, text in given["labels"].items()},
            }

    def _checked(self, given: Any, name: str, where: str) -> dict[str, str]:
        if not isinstance(given, Mapping) or set(given) != set(self.languages):
            raise SchemaError(
                "text_in_languages", "{where}: every text of {name!r} needs one string for each of {languages}, got {got!r}.",
                where=where, name=name, languages=", ".join(self.languages), got=given,
            )  # fmt: skip
        for text in given.values():
            if not isinstance(text, str) or not text.strip() or _UNPRINTABLE.search(text):
                raise SchemaError(
                    "text_bad", "{where}: a text of {name!r} is empty, no text, or holds what cannot be printed: {got!r}.",
                    where=where, name=name, got=text,
                )  # fmt: skip
        return dict(given)

    def to_json(self) -> dict[str, Any]:
        """As it stands in a schema file."""
        return {"languages": self.languages, "attributes": self._attributes}

    def questions(self, language: str | None = None) -> dict[str, Question]:
        """The questions in one language: the survey's first unless said."""
        chosen = self.languages[0] if language is None else language
        if chosen not in self.languages:
            raise ParameterError(
                "no_language", "There are no texts in {got!r}; the survey's languages are {allowed}.",
                got=chosen, allowed=", ".join(self.languages),
            )  # fmt: skip
        return {
            name: Question(texts["title"][chosen], {label: text[chosen] for label, text in texts["labels"].items()})
            for name, texts in self._attributes.items()
        }


def one_line(text: str) -> str:
    """A text without line breaks and doubled spaces, as labels and titles have it.

    >>> one_line("Do you\\n  smoke? ")
    'Do you smoke?'
    """
    return _SPACES.sub(" ", text).strip()
