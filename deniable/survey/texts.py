"""Texts in several languages: a plain string, or one string per language."""

from __future__ import annotations

from typing import Any

from deniable.survey.lines import Document, Path
from deniable.survey.page_rules import BLANK, UNPRINTABLE
from deniable.survey.spelling import shown_again

LANGUAGES = ("en", "pl")
"""Languages that the interface itself speaks; questions may be asked in others."""

Text = dict[str, str]


def text(document: Document, path: Path, given: Any, languages: list[str]) -> Text:
    """A text in every language of the survey.

    >>> text(Document("", "s.yaml"), (), "Traffic", ["en", "pl"])
    {'en': 'Traffic', 'pl': 'Traffic'}
    """
    if isinstance(given, bool) or given is None or given == "":
        raise document.error(path, "no_text", "a text is missing: {what}.", what=_called(path))
    for part in given.values() if isinstance(given, dict) else [given]:
        # What cannot be printed cannot be read, what is half a character cannot be sent, and what turns the order of letters round
        # would do so to the page's own words that follow.
        if isinstance(part, str) and UNPRINTABLE.search(part):
            raise document.error(
                path, "bad_text", "a text holds a control character, half of one, or a mark that turns letters round: {got!r}.",
                got=part,
            )  # fmt: skip
        if isinstance(part, str) and BLANK.fullmatch(part):
            raise document.error(
                path,
                "no_text",
                "a text is missing: {what} is {got!r}, of which nothing can be seen.",
                what=_called(path),
                got=part,
            )
    if isinstance(given, (str, int, float)):
        return dict.fromkeys(languages, str(given))
    if not isinstance(given, dict):
        raise document.error(
            path, "not_text", "a text is a string or one string per language ({allowed}), got {got!r}.",
            allowed=languages, got=given,
        )  # fmt: skip
    missing = [language for language in languages if not isinstance(given.get(language), str) or not given[language]]
    unknown = [language for language in given if language not in languages]
    if languages and (missing or unknown):
        raise document.error(
            path, "languages_differ", "{what} {wrong}; the survey's languages are {allowed}.{comma}",
            what=_called(path), allowed=languages, comma=_comma(given, unknown), missing=missing, unknown=unknown,
            wrong=" and ".join(
                [f"is missing {missing}"] * bool(missing) + [f"has the unknown {unknown}"] * bool(unknown)
            ),
        )  # fmt: skip
    return {language: given[language] for language in languages}


def _comma(given: dict[str, Any], unknown: list[str]) -> str:
    """Inside { } a comma ends a text, and what follows it looks like a language without one.

    >>> _comma({"en": "Well", "how are you?": None}, ["how are you?"])
    ' Inside { } a text with a comma needs quotes: "Well, how are you?".'
    """
    names = list(given)
    for name in unknown:
        before = given[names[names.index(name) - 1]] if names.index(name) else None
        if given[name] is None and isinstance(before, str):
            return f" Inside {{ }} a text with a comma needs quotes: {shown_again(f'{before}, {name}')}."
    return ""


def _called(path: Path) -> str:
    """The key that a text stands under, without the numbers of lists.

    >>> _called(("pages", 0, "title")), _called(())
    ('title', 'text')
    """
    return next((part for part in reversed(path) if isinstance(part, str)), "text")


def joined(languages: list[str], **words: str) -> Text:
    """A text made by the program: English unless there is a word in the language.

    >>> joined(["pl", "de"], en="60 or more", pl="60 lub więcej")
    {'pl': '60 lub więcej', 'de': '60 or more'}
    """
    return {language: words.get(language, words["en"]) for language in languages}
