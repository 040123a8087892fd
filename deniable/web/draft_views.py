"""The form of one part of a draft, as templates show it: fields with labels, inputs, and what is wrong with each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deniable.errors import QuestionnaireError
from deniable.survey.drafts import checked, parts, values
from deniable.survey.drafts.fields import PAGE, SETTINGS, Field, fields_of, others
from deniable.survey.lines import Document
from deniable.survey.questions.elements import read_element
from deniable.survey.questions.reading import Reading
from deniable.web.languages import NAMES
from deniable.web.mistake_words import in_form
from deniable.web.organiser_words import WORDS
from deniable.web.pages import Speech

LEAST_ROWS = 3
"""Rows of a list of answers; one of them at least is empty."""
LONGEST_TITLE = 100
_TALL = ("description", "other_way")


def said(mistake: checked.Mistake, speech: Speech, content: parts.Content) -> str:
    """What is wrong, in the words of those who write surveys; a question that it is about by its text."""
    titles = {}
    for one in parts.questions_of(content) if mistake.error.code.startswith("visible_if") else ():
        title = one.given.get("title") if isinstance(one.given, dict) else None
        text = title.get(speech.language) or next(iter(title.values()), None) if isinstance(title, dict) else title
        if isinstance(text, str) and text.strip():
            titles[str(one.given.get("name"))] = text.strip()[:LONGEST_TITLE]
    return in_form(mistake, speech.language, WORDS[speech.language], titles)


@dataclass(frozen=True)
class PartForm:
    """A part of a draft with its form: `view` is "settings", "page" or "question", `path` where it is sent to."""

    content: parts.Content
    part: dict[str, Any]
    view: str
    title: str
    path: str
    table: Sequence[Field]
    mistakes: Sequence[checked.Mistake]
    speech: Speech
    place: parts.Place | None = None
    about: str = ""
    wanted: Mapping[str, int] | None = None
    """How many rows lists are to show, where somebody asked for more."""

    @property
    def mark(self) -> str:
        """What the part is known by."""
        return parts.mark_of(self.part)

    @property
    def called(self) -> str:
        """The name of the question."""
        return str(self.part.get("name", "")) if self.place is not None else ""

    @property
    def others(self) -> dict[str, Any]:
        """What no field shows."""
        return others(self.table, self.part)

    def elsewhere(self) -> list[str]:
        """What is wrong with the part as a whole, or with what no field shows."""
        return [
            said(one, self.speech, self.content)
            for one in checked.elsewhere(self.mistakes, {field.key for field in self.table})
        ]

    def wrong(self) -> dict[str, list[str]]:
        """What is wrong, by field; under an empty name what is wrong with the part as a whole."""
        found = {field.key: self._wrong_in(field) for field in self.table}
        return {**found, "": self.elsewhere()}

    def _wrong_in(self, field: Field) -> list[str]:
        return [said(one, self.speech, self.content) for one in checked.in_field(self.mistakes, field.key)]

    def fields(self) -> list[dict[str, Any]]:
        """Every field as its template shows it."""
        return [self._field(field) for field in self.table]

    def _field(self, field: Field) -> dict[str, Any]:
        words, languages = WORDS[self.speech.language], parts.languages_of(self.content)
        value = self.part.get(field.key)
        held = field.shown(value, languages)
        label = "field_question" if field.key == "title" and self.place is not None else f"field_{field.key}"
        kind = "pick" if field.key == "visibleIf" else field.kind
        made: dict[str, Any] = {
            "key": field.key, "kind": kind, "label": words[label], "hint": self._hint(field), "wrong": self._wrong_in(field),
            "value": held.get(field.key, ""), "lines": 4 if field.key in _TALL else 2,
        }  # fmt: skip
        if kind == "text":
            made["inputs"] = [
                {"name": name, "value": text, "language": code, "label": NAMES.get(code, code)}
                for (name, text), code in zip(held.items(), languages, strict=True)
            ]
        elif kind == "rows":
            made["rows"] = self._rows(field, value, languages)
        elif kind in ("pick", "privacy"):
            made["options"] = self._options(field, made["value"])
            made["design"] = held.get(f"{field.key}.{values.DESIGN}", "")
        else:
            made["type"] = "date" if kind == "day" and (not made["value"] or values.is_day(made["value"])) else "text"
        return made

    def _hint(self, field: Field) -> str:
        words = WORDS[self.speech.language]
        hints = words.get(f"hint_{field.key}_{self.part.get('type')}", ""), words.get(f"hint_{field.key}", "")
        return " ".join(hint for hint in hints if hint)

    def _rows(self, field: Field, value: Any, languages: Sequence[str]) -> list[dict[str, Any]]:
        speech, count = self.speech, len(value) if isinstance(value, list) else 0
        held = field.shown(value, languages)
        wrong = {one.field[1] for one in self.mistakes if one.field[:1] == (field.key,) and len(one.field) > 1}
        rows = []
        wanted = (self.wanted or {}).get(field.key, 0)
        shown = max(count + 1, LEAST_ROWS, wanted)
        for i in range(shown):
            begin = f"{field.key}.{i}."
            inputs = [{"name": begin + code, "language": code, "label": NAMES.get(code, code)} for code in languages]
            inputs.append({"name": begin + "value", "language": "", "label": speech["value"]})
            rows.append(
                {
                    "label": speech["row"].format(number=i + 1),
                    "inputs": [{**one, "value": held.get(one["name"], "")} for one in inputs],
                    "up": f"up {field.key} {i}" if 0 < i < count else "",
                    "drop": f"drop {field.key} {i}",
                    "new": wanted and i == shown - 1,
                    "wrong": i in wrong,
                }
            )
        return rows

    def _options(self, field: Field, value: str) -> list[tuple[str, str]]:
        """What can be picked, and what stands there whatever it is."""
        words = WORDS[self.speech.language]
        if field.key == "visibleIf":
            options = [("", words["pick_visibleIf"]), *_rules(self.content, self.place, self.speech)]
        elif field.kind == "privacy":
            levels = [(one, words[f"level_{one}"]) for one in (*values.PRIVACIES, values.DESIGN)]
            options = [("", self._usual_privacy(words)), *levels]
            if self.place is None:
                # What is usual is offered once, as it is written or not.
                options = [one for one in options if one[0] != ("" if value == "standard" else "standard")]
        else:
            options = [(one, words[f"{field.key}_{one}"]) for one in field.options]
            options = options if field.key == "type" and value else [("", words[f"pick_{field.key}"]), *options]
            # What is usual need not be offered twice.
            options = [one for one in options if one[0] == value or one[0] == "" or one[1] != words.get(f"pick_{field.key}")]
        return options if value in dict(options) else [*options, (value, value)]

    def _usual_privacy(self, words: Mapping[str, str]) -> str:
        if self.place is None:
            return words["pick_privacy_all"]
        level = self.content.get("privacy", "standard")
        return words["pick_privacy"].format(
            level=words.get(f"level_{level}", "") if isinstance(level, str) else words["level_design"]
        )


def example_condition(content: parts.Content, speech: Speech) -> str:
    """A condition by which a last question of this draft could be shown to some people only; empty where no question allows it."""
    rules = _rules(content, (len(parts.pages_of(content)), 0), speech)
    return rules[0][0] if rules else ""


def _rules(content: parts.Content, place: parts.Place | None, speech: Speech) -> list[tuple[str, str]]:
    """Whom a question may be shown to, by the open questions before it."""
    languages, found = parts.languages_of(content), []
    language = speech.language if speech.language in languages else languages[0]
    for one in parts.questions_of(content):
        if place is None or one.place >= place or not isinstance(one.given, dict):
            break
        reading = Reading(Document.of({}, ""), (), languages, content.get("privacy", "standard"))
        try:
            element = read_element(reading, one.given)
        except QuestionnaireError:
            continue
        if element.private or len(element.channels) != 1:
            continue
        for choice in element.choices:
            texts = {"question": element.title[language], "answer": choice.text[language]}
            for sign, word in (("=", "visible_is"), ("<>", "visible_is_not")):
                found.append((f"{{{element.name}}} {sign} '{choice.value}'", speech[word].format(**texts)))
    return found


def settings_form(content: parts.Content, path: str, speech: Speech) -> PartForm:
    """The form of all that is said of the survey as a whole."""
    mistakes = [one for one in checked.check(content)[1] if one.page is None and one.field[:1] != ("pages",)]
    settings = parts.settings_of(content)
    return PartForm(content, settings, "settings", speech["draft_settings"], f"{path}/settings", SETTINGS, mistakes, speech)


def page_form(content: parts.Content, number: int, path: str, speech: Speech) -> PartForm:
    """The form of the words above a page."""
    pages = parts.pages_of(content)
    if not 0 <= number < len(pages):
        raise parts.unknown_question()
    mistakes = [one for one in checked.check(content)[1] if one.page == number and one.question is None]
    title = speech["page_number"].format(number=number + 1)
    words = parts.words_of(pages[number])
    return PartForm(content, words, "page", title, f"{path}/pages/{number}", PAGE, mistakes, speech)


def question_form(content: parts.Content, one: parts.Asked, path: str, speech: Speech) -> PartForm:
    """The form of a question."""
    if not isinstance(one.given, dict):
        raise parts.unknown_question()
    mistakes = [found for found in checked.check(content)[1] if found.place == one.place]
    number = [each.place for each in parts.questions_of(content)].index(one.place) + 1
    return PartForm(
        content, one.given, "question", f"{speech['field_question']} {number}", f"{path}/questions/{one.at}", fields_of(one.given),
        mistakes, speech, one.place,
    )  # fmt: skip
