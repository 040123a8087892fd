"""What the organiser puts into a report: which questions in which order, comparisons, cross tables, rules, and their own words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deniable.errors import DeniableError, FileError, ParameterError
from deniable.results.questions import Comparison, CrossTable, MeanOf, OneQuestion, Question, Together, from_json
from deniable.survey.lines import Document

KEYS = ("title", "words", "asked", "questions", "compare", "cross", "together", "closing")
VIEWS = {
    "questions": "the name of a question, or keys such as of and by",
    "compare": "keys of, first and second",
    "cross": "keys of and by",
    "together": "keys of (a list of names), and if you like support, confidence and longest",
}
"""The lists of views, and what their entries are."""
LONGEST = 20_000
MOST = 100
"""So many views of a kind are in one report at most."""
# Marks that turn the order of letters round could make our sentences say something else.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_BLANK = re.compile(r"\n[ \t]*\n\s*")


@dataclass(frozen=True)
class Words:
    """The organiser's own words: the same in every language, or one text for each."""

    texts: Mapping[str, str]

    def paragraphs(self, language: str) -> list[str]:
        """Their paragraphs in a language, plain text.

        >>> Words({"": "One.\\n\\nTwo,\\nstill two."}).paragraphs("en")
        ['One.', 'Two,\\nstill two.']
        """
        if "" not in self.texts and language not in self.texts:
            raise ParameterError(
                "words_language", "Your own words are given in {given}; write them in {language} too.",
                given=", ".join(self.texts), language=language,
            )  # fmt: skip
        text = self.texts.get(language, self.texts.get("", ""))
        return [part.strip() for part in _BLANK.split(text.strip()) if part.strip()]


NOTHING = Words({"": ""})


@dataclass(frozen=True)
class Chosen:
    """A view of the report, with words about it."""

    question: OneQuestion | MeanOf | Comparison | CrossTable | Together
    words: Words = NOTHING


@dataclass(frozen=True)
class Contents:
    """What is in a report. Without questions: all of the survey, in its order, unless there are to be none."""

    questions: tuple[Chosen, ...] = ()
    compare: tuple[Chosen, ...] = ()
    title: Words = NOTHING
    words: Words = NOTHING
    asked: Words = NOTHING
    """Who was asked, in the organiser's words."""
    closing: Words = NOTHING
    cross: tuple[Chosen, ...] = ()
    """Cross tables."""
    together: tuple[Chosen, ...] = ()
    """What goes together."""
    complete: bool = True
    """Whether all questions are in it where none is chosen."""


def read_contents(path: Path) -> Contents:
    """The contents in a YAML or JSON file."""
    return parse_contents(read_text(path), str(path))


def read_text(path: Path) -> str:
    """A text file in UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FileError("not_text", "{path} is not a text in UTF-8.", path=str(path)) from None
    except OSError as error:
        raise FileError("cannot_read", "{path} cannot be read: {reason}.", path=str(path), reason=error.strerror) from None


def parse_contents(text: str, where: str = "the contents") -> Contents:
    """Contents from YAML or JSON; what is unknown or of another kind is refused with its line.

    >>> contents = parse_contents("questions: [smokes, {of: mood, mean: true, words: Our aim was 4.}]")
    >>> [chosen.question.of for chosen in contents.questions], contents.questions[1].words.paragraphs("en")
    (['smokes', 'mood'], ['Our aim was 4.'])
    >>> parse_contents("title: Results\\nquestion: [smokes]")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    deniable.errors.QuestionnaireError: the contents, line 2: a report has no 'question'; it may have title, words, asked, ...
    """
    document = Document(text, where)
    if document.mistakes:
        raise document.mistakes[0]
    given = {} if document.value is None else document.value
    if not isinstance(given, dict):
        raise document.error(
            (), "contents_kind", "the contents of a report are keys such as 'questions:', got {got!r}.", got=given
        )
    for key in given:
        if key not in KEYS:
            raise document.error(
                (key,), "unknown_key", "a report has no {got!r}; it may have {allowed}.", got=key, allowed=", ".join(KEYS)
            )
    said = {key: _words(document, (key,), given.get(key)) for key in ("title", "words", "asked", "closing")}
    questions, compare, cross, together = (_views(document, given, key) for key in VIEWS)
    title, words, asked, closing = said.values()
    return Contents(questions, compare, title, words, asked, closing, cross, together)


def _views(document: Document, given: dict[str, Any], key: str) -> tuple[Chosen, ...]:
    listed = given.get(key)
    if listed is None:
        return ()
    if not isinstance(listed, list) or not 0 < len(listed) <= MOST:
        raise document.error((key,), "contents_list", "{key!r} is a list of 1 to {most} entries.", key=key, most=MOST)
    return tuple(_view(document, (key, place), entry) for place, entry in enumerate(listed))


def _view(document: Document, at: tuple[Any, ...], entry: Any) -> Chosen:
    kind = at[0]
    if isinstance(entry, str) and kind == "questions":
        return Chosen(OneQuestion(entry))
    if not isinstance(entry, dict):
        raise document.error(
            at, "contents_entry", "an entry of {key!r} is {what}, got {got!r}.", key=kind, what=VIEWS[kind], got=entry
        )
    words = _words(document, (*at, "words"), entry.get("words"))
    mean = entry.get("mean", False)
    if not isinstance(mean, bool):
        raise document.error((*at, "mean"), "mean_kind", "'mean' is true or false, got {got!r}.", got=mean)
    view = kind if kind != "questions" else "mean" if mean else "question"
    asked = {name: value for name, value in entry.items() if name != "words" and (kind != "questions" or name != "mean")}
    if kind == "compare" and asked.get("label") is not None:
        asked["label"] = str(asked["label"])
    try:
        question = from_json({"view": view, **asked})
    except DeniableError as error:
        raise document.error(at, "contents_view", "{problem}", problem=str(error)) from None
    return Chosen(_known(question), words)


def _known(question: Question) -> OneQuestion | MeanOf | Comparison | CrossTable | Together:
    if question.version is not None:
        raise ParameterError("one_version", "A report is of one version; choose it with --version.")
    assert isinstance(question, (OneQuestion, MeanOf, Comparison, CrossTable, Together))
    return question


def _words(document: Document, at: tuple[Any, ...], given: Any) -> Words:
    texts = {"": ""} if given is None else given if isinstance(given, dict) else {"": given}
    for text in texts.values():
        if not isinstance(text, str):
            raise document.error(
                at, "words_kind", "your own words are a text, or one text for each language, got {got!r}.", got=text
            )
        _check(text, lambda code, sentence, **more: document.error(at, code, sentence, **more))
    return Words(texts)


def own_words(text: str, where: str) -> Words:
    """Words of the organiser from a file of plain text.

    >>> own_words("Thank you.", "words.txt").paragraphs("pl")
    ['Thank you.']
    """
    _check(text, lambda code, sentence, **more: ParameterError(code, "{where}: " + sentence, where=where, **more))
    return Words({"": text})


def typed_words(texts: Mapping[str, str]) -> Words:
    """Words of the organiser as a form sends them, one text for each language.

    >>> typed_words({"en": "One.\\r\\n\\r\\nTwo.", "pl": ""}).paragraphs("en")
    ['One.', 'Two.']
    """
    plain = {language: text.replace("\r\n", "\n").replace("\r", "\n").strip() for language, text in texts.items()}
    for text in plain.values():
        _check(text, ParameterError)
    return Words(plain) if any(plain.values()) else NOTHING


def _check(text: str, error: Any) -> None:
    if len(text) > LONGEST:
        raise error("words_long", "your own words have {got:,} characters; {most:,} are the most.", got=len(text), most=LONGEST)
    found = _UNPRINTABLE.search(text)
    if found:
        raise error("words_bad", "your own words hold what cannot be printed: {got!r}.", got=found.group())


def asked_for(text: str) -> Chosen:
    """A question as an option names it: NAME, NAME by NAME, or mean NAME.

    >>> asked_for("mood by sex").question.by, type(asked_for("mean mood").question).__name__
    ('sex', 'MeanOf')
    """
    mean = text.startswith("mean ")
    of, _, by = text.removeprefix("mean ").partition(" by ")
    given = {"view": "mean" if mean else "question", "of": of.strip()} | ({"by": by.strip()} if by else {})
    return Chosen(_known(from_json(given)))


def compared(text: str) -> Chosen:
    """A comparison as an option gives it: NAME: CONDITION | CONDITION, or NAME == LABEL: CONDITION | CONDITION.

    >>> compared("credit == overdue: sex == 'F' | sex == 'M'").question.label
    'overdue'
    """
    what, colon, groups = text.partition(":")
    first, bar, second = groups.partition("|")
    if not (colon and bar and what.strip() and first.strip() and second.strip()):
        raise ParameterError(
            "compare_form", "A comparison is written NAME: CONDITION | CONDITION (\"credit: sex == 'F' | sex == 'M'\"), got {got!r}.",
            got=text,
        )  # fmt: skip
    mean = what.startswith("mean ")
    of, _, label = what.removeprefix("mean ").partition("==")
    given: dict[str, Any] = {"view": "compare", "of": of.strip(), "first": first.strip(), "second": second.strip()}
    given |= ({"label": label.strip().strip("'\"")} if label else {}) | ({"mean": True} if mean else {})
    return Chosen(_known(from_json(given)))


def crossed(text: str) -> Chosen:
    """A cross table as an option gives it: NAME by NAME.

    >>> crossed("credit by sex").question.by
    'sex'
    """
    of, word, by = text.partition(" by ")
    if not (word and of.strip() and by.strip()):
        raise ParameterError("cross_form", 'A cross table is written NAME by NAME ("credit by sex"), got {got!r}.', got=text)
    return Chosen(_known(from_json({"view": "cross", "of": of.strip(), "by": by.strip()})))


def going_together(text: str) -> Chosen:
    """What goes together as an option asks for it: the names of questions, with commas between them.

    >>> going_together("credit, sex, children").question.of
    ('credit', 'sex', 'children')
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    return Chosen(_known(from_json({"view": "together", "of": names})))
