"""A questionnaire: what is asked, in which words, and how each answer is hidden before it leaves the browser.

SurveyJS-like YAML or JSON (docs/questionnaire.md) with one property of its own, `privacy`.
"""

from __future__ import annotations

import datetime
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

from deniable.core.schema import Schema
from deniable.errors import FileError, QuestionnaireError
from deniable.survey.apart import reserved_for, reserved_slug
from deniable.survey.levels import LEVELS
from deniable.survey.lines import Document
from deniable.survey.mistakes import Mistakes
from deniable.survey.page_rules import LONGEST_NAME, broken_rules
from deniable.survey.questions.elements import Element, Unread, read_element
from deniable.survey.questions.reading import Reading
from deniable.survey.spelling import misspelt, plain_name
from deniable.survey.texts import Text, text

SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
LINKAGES = ("none", "code", "register")
KEYS = {
    "survey", "title", "description", "organiser", "contact", "closes", "languages", "linkage", "show_sent", "invited", "budget",
    "privacy", "other_way", "practice", "offline", "pages",
}  # fmt: skip
TEXTS = ("title", "description", "organiser", "contact", "other_way")
REQUIRED = ("survey", "title", "organiser", "contact", "other_way", "pages")


class Questionnaire:
    r'''A checked questionnaire.

    >>> questionnaire = Questionnaire.parse("""
    ... survey: habits
    ... title: Habits
    ... organiser: Town hall
    ... contact: survey@town.example
    ... other_way: Call 555 0100 to take part by telephone.
    ... pages:
    ... - elements:
    ...   - {type: boolean, name: smokes, title: 'Do you smoke?', privacy: strong}
    ... """)
    >>> import math
    >>> questionnaire.slug, list(questionnaire.schema), round(math.exp(questionnaire.schema.epsilon), 6)
    ('habits', ['smokes'], 3.0)
    '''

    def __init__(self, document: Document, frozen: bool = False) -> None:
        # What a store gives back may be a trial, or have a name that was taken before those of trials were reserved.
        self._frozen = frozen
        given = document.value
        if not isinstance(given, dict):
            raise document.error((), "not_a_questionnaire", "a questionnaire is a mapping with survey, title and pages.")
        self._document = document
        self._slips = misspelt(given, KEYS)
        for key, wanted in self._slips.items():
            document.rename((), key, wanted)
        # A slip should not also be told of as something missing.
        self._given: dict[str, Any] = {str(self._slips.get(key, key)): value for key, value in given.items()}
        self._places: dict[int, tuple[str | int, ...]] = {}
        mistakes = Mistakes()
        for error in document.mistakes:
            mistakes.add(error)
        mistakes.read(self._check_keys, None)
        self.slug = mistakes.read(self._slug, "")
        # Where the languages are wrong, no text is blamed for not being in them.
        unknown: list[str] = []
        self.languages = mistakes.read(self._languages, unknown)
        missing: Text = {}
        texts = {key: mistakes.read(partial(self._text, key), missing) for key in TEXTS if key in given}
        self.title = texts.get("title", {})
        self.linkage = mistakes.read(lambda: self._one_of("linkage", LINKAGES, "none"), "none")
        self.show_sent = mistakes.read(lambda: self._one_of("show_sent", ("after", "never"), "after"), "after")
        self.invited = mistakes.read(lambda: self._yes_no("invited"), False)
        self.offline = mistakes.read(lambda: self._yes_no("offline"), False)
        self.closes = mistakes.read(self._date, None)
        mistakes.read(lambda: self._yes_no("practice", True), True)
        self.pages, everything = self._pages(mistakes)
        self.elements = [element for _, elements in self.pages for element in elements]
        mistakes.read(lambda: self._check_names(everything), None)
        # Of a page that could not be read nobody knows what it asks.
        if all(error.code != "page" for error in mistakes.found):
            mistakes.read(lambda: self._check_visibility(everything), None)
        self.budget = mistakes.read(self._budget, None)
        channels = {name: channel for element in self.elements for name, channel in element.channels.items()}
        if not channels and not mistakes.found:
            raise document.error(("pages",), "nothing_asked", "the questionnaire asks nothing.")
        if all(error.code == "over_budget" for error in mistakes.found):
            self.schema = Schema(channels)
            self._check_page(mistakes)
        mistakes.raise_all()

    @property
    def epsilon(self) -> float:
        """What the private answers of one person give away together; what is asked openly is not counted."""
        return sum(epsilon for element in self.elements if element.private for epsilon in element.epsilons.values())

    @property
    def asked_for(self) -> dict[str, str]:
        """By column what it is asked for (a mean, a share or a quantile), where the questionnaire says so.

        >>> Questionnaire.parse('''
        ... {"survey": "habits", "title": "Habits", "organiser": "Town hall", "contact": "t@town.example", "other_way": "Call us.",
        ...  "pages": [{"elements": [{"type": "rating", "name": "buses", "title": "The buses?", "for": "mean"}]}]}
        ... ''').asked_for
        {'buses': 'mean'}
        """
        return {name: element.use for element in self.elements if element.use is not None for name in element.channels}

    @classmethod
    def parse(cls, given: str, where: str = "the questionnaire") -> Questionnaire:
        """Read YAML or JSON text."""
        return cls(Document(given, where))

    @classmethod
    def load(cls, path: str | Path) -> Questionnaire:
        """Read a file."""
        try:
            return cls.parse(Path(path).read_text(encoding="utf-8-sig"), str(path))
        except FileNotFoundError:
            raise FileError("no_file", "{path} does not exist.", path=str(path)) from None
        except UnicodeDecodeError as error:
            raise FileError(
                "not_utf8",
                "{path} is not saved as UTF-8: the byte at {start:,} is no letter of it. "
                "Save it again as UTF-8 (in Notepad: Save as, Encoding: UTF-8).",
                path=str(path), start=error.start,
            ) from None  # fmt: skip
        except OSError as error:
            raise FileError("unreadable", "{path} cannot be read: {reason}", path=str(path), reason=str(error)) from None

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> Questionnaire:
        """Read back what `to_json` gave."""
        return cls(Document.of(given, "the questionnaire"), frozen=True)

    def check_last_day(self, today: datetime.date) -> None:
        """Refuse a last day that is over: nobody could answer."""
        if self.closes is not None and self.closes < today:
            raise over(self._document, self.closes)

    def to_json(self) -> dict[str, Any]:
        """The whole questionnaire as it was given, for keeping a frozen version."""
        content: dict[str, Any] = json.loads(json.dumps(self._given, ensure_ascii=False))
        return content

    def client(self) -> dict[str, Any]:
        """Everything the respondent's page needs: texts in all languages, and the recipe by which it draws."""
        return {
            "survey": self.slug,
            "languages": self.languages,
            "title": self.title,
            "description": self._text("description") if "description" in self._given else None,
            "organiser": self._text("organiser"),
            "contact": self._text("contact"),
            "otherWay": self._text("other_way"),
            "closes": self.closes.isoformat() if self.closes else None,
            "linkage": self.linkage,
            "showSent": self.show_sent,
            "invited": self.invited,
            "practice": self._yes_no("practice", True),
            "pages": [
                {"title": title, "elements": [element.client() for element in elements]} for title, elements in self.pages
            ],
            "recipe": self.schema.recipe(),
            # Named only where it is so: surveys that were opened before there were such pages are described as they were.
            **({"offline": True} if self.offline else {}),
        }

    def _check_keys(self) -> None:
        """Both what is missing and what is too much: often one is the other, misspelt."""
        mistakes = Mistakes()
        missing = [key for key in REQUIRED if key not in self._given]
        for slip, wanted in self._slips.items():
            sentence = "a questionnaire has no {key!r}; did you mean {meant!r}?"
            mistakes.add(self._error(slip, "unknown_key", sentence, key=slip, meant=wanted))
        if missing:
            mistakes.add(self._document.error((), "keys_missing", "the questionnaire is missing {missing}.", missing=missing))
        for key in self._given:
            if key not in KEYS:
                mistakes.add(
                    self._error(
                        key,
                        "unknown_key",
                        "a questionnaire has no {key!r}; it may have {allowed}.",
                        key=key,
                        allowed=sorted(KEYS),
                    )
                )
        mistakes.raise_all()

    def _error(self, at: str, code: str, sentence: str, /, **parameters: Any) -> QuestionnaireError:
        return self._document.error((at,), code, sentence, **parameters)

    def _text(self, key: str) -> Text:
        return text(self._document, (key,), self._given[key], self.languages)

    def _slug(self) -> str:
        slug = self._given.get("survey", "missing")
        if not isinstance(slug, str) or not SLUG.fullmatch(slug):
            better = plain_name(slug, "-").lower() if isinstance(slug, str) else ""
            raise self._error(
                "survey", "bad_slug",
                "survey is a short name of small letters a to z (without accents), digits and -, got {got!r}{instead}.",
                got=slug, instead=f"; write {better}" if SLUG.fullmatch(better) else "",
            )  # fmt: skip
        if not self._frozen and reserved_for(slug) is not None:
            sentence, about = reserved_slug(slug)
            raise self._error("survey", "reserved_slug", sentence, **about)
        return slug

    def _languages(self) -> list[str]:
        languages = self._given.get("languages", ["en"])
        if isinstance(languages, list):
            bad = [one for one in languages if not isinstance(one, str) or not re.fullmatch(r"[a-z]{2,3}", one)]
            if bad:
                raise self._error(
                    "languages", "languages",
                    "languages is a list such as [en, pl], of codes of two or three small letters; {bad} is none.",
                    bad=bad[0] if len(bad) == 1 else bad,
                )  # fmt: skip
        if not isinstance(languages, list) or not languages or len(set(languages)) < len(languages):
            raise self._error("languages", "languages", "languages is a list such as [en, pl], got {got!r}.", got=languages)
        return languages

    def _one_of(self, key: str, allowed: tuple[str, ...], default: str) -> str:
        value = self._given.get(key, default)
        if value not in allowed:
            raise self._error(
                key, "not_allowed", "{key} must be one of {allowed}, got {got!r}.", key=key, allowed=list(allowed), got=value
            )
        return str(value)

    def _yes_no(self, key: str, default: bool = False) -> bool:
        value = self._given.get(key, default)
        if value not in (True, False, "yes", "no"):
            raise self._error(key, "not_allowed", "{key} must be true or false, got {got!r}.", key=key, got=value)
        return value in (True, "yes")

    def _date(self) -> datetime.date | None:
        value = self._given.get("closes")
        if value is None:
            return None
        try:
            return datetime.date.fromisoformat(str(value))
        except ValueError:
            raise self._error("closes", "bad_date", "closes is a day such as 2027-03-31, got {got!r}.", got=value) from None

    def _check_page(self, mistakes: Mistakes) -> None:
        """Nothing is opened that the respondent's page would refuse."""
        for error in broken_rules({**self.client(), "version": 1, "open": True}):
            about = next((element for element in self.elements if element.name == error.about), None)
            where = ("pages",) if about is None else (*self._where(about), *(("privacy",) if error.code == "odds" else ()))
            mistakes.add(self._document.error(where, error.code, "{problem}", problem=str(error)))

    def _budget(self) -> float | None:
        budget = self._given.get("budget")
        if budget is None:
            return None
        if isinstance(budget, bool) or not isinstance(budget, (int, float)) or not 0 < budget < 1e9:
            raise self._error("budget", "bad_budget", "budget is an epsilon above 0, got {got!r}.", got=budget)
        if self.epsilon > budget + 1e-9:
            raise self._error(
                "budget", "over_budget",
                "all private answers together have an epsilon of {epsilon:.2f}, more than the budget of {budget}; "
                "ask fewer private questions or hide them better.",
                epsilon=self.epsilon, budget=budget,
            )  # fmt: skip
        return float(budget)

    def _pages(self, mistakes: Mistakes) -> tuple[list[tuple[Text | None, list[Element]]], list[Element | Unread]]:
        """The pages with what could be read of them; and everything in its order, with what is known of the rest."""
        pages = self._given.get("pages")
        if not isinstance(pages, list) or not pages:
            if "pages" in self._given:
                mistakes.add(self._error("pages", "pages", "pages is a list of pages with elements."))
            return [], []
        privacy = mistakes.read(self._default_privacy, "standard")
        read_pages = []
        everything: list[Element | Unread] = []
        for p, page in enumerate(pages):
            elements = page.get("elements") if isinstance(page, dict) else None
            if not isinstance(elements, list) or not elements or set(page) - {"title", "elements", "name"}:
                mistakes.add(self._document.error(("pages", p), "page", "a page has a title and a list of elements."))
                if not isinstance(elements, list):
                    continue
            title = mistakes.read(partial(self._page_title, p, page), None)
            read = []
            for i, given in enumerate(elements):
                reading = Reading(self._document, ("pages", p, "elements", i), self.languages, privacy, self._frozen)
                element = mistakes.read(partial(read_element, reading, given), None)
                if element is not None:
                    read.append(element)
                one = Unread.of(reading, given) if element is None else element
                everything.append(one)
                self._places[id(one)] = reading.path
            read_pages.append((title, read))
        return read_pages, everything

    def _page_title(self, p: int, page: dict[str, Any]) -> Text | None:
        return text(self._document, ("pages", p, "title"), page["title"], self.languages) if "title" in page else None

    def _default_privacy(self) -> Any:
        privacy = self._given.get("privacy", "standard")
        if isinstance(privacy, str) and privacy not in (*LEVELS, "none"):
            raise self._error(
                "privacy", "privacy_level", "privacy must be one of {allowed}, got {got!r}.", allowed=list(LEVELS), got=privacy
            )
        return privacy

    def _where(self, wanted: Element | Unread) -> tuple[str | int, ...]:
        return self._places[id(wanted)]

    def _check_names(self, everything: list[Element | Unread]) -> None:
        mistakes = Mistakes()
        seen: set[str] = set()
        for element in everything:
            for name in sorted({element.name, *element.channels}):
                if isinstance(element, Element) and len(name.encode()) > LONGEST_NAME:
                    mistakes.add(
                        self._document.error(
                            self._where(element), "name_too_long",
                            "the column {name!r} has a name of more than {most} bytes; give shorter values.",
                            name=name, most=LONGEST_NAME,
                        )
                    )  # fmt: skip
                if name.lower() in seen:
                    mistakes.add(
                        self._document.error(
                            (*self._where(element), "name"), "name_twice", "the name {name!r} is used twice.", name=name
                        )
                    )
            seen |= {name.lower() for name in (element.name, *element.channels) if name}
        mistakes.raise_all()

    def _check_visibility(self, everything: list[Element | Unread]) -> None:
        """Whether a question is shown must not depend on a private answer: what is sent would tell it."""
        before: dict[str, Element | Unread] = {}
        mistakes = Mistakes()
        for element in everything:
            rule = element.visible_if
            if rule is not None:
                mistakes.read(partial(self._check_rule, element, rule, before.get(rule["name"])), None)
            before[element.name] = element
        mistakes.raise_all()

    def _check_rule(self, element: Element | Unread, rule: dict[str, Any], asked: Element | Unread | None) -> None:
        path = (*self._where(element), "visibleIf")
        if asked is None:
            raise self._document.error(
                path, "visible_if_unknown", "visibleIf names {name!r}, which is not asked before.", name=rule["name"]
            )
        if asked.private or (isinstance(asked, Element) and len(asked.channels) != 1):
            raise self._document.error(
                path, "visible_if_private",
                "visibleIf may not depend on {name!r}, whose answer is private; ask both questions of everyone.",
                name=rule["name"],
            )  # fmt: skip
        if isinstance(asked, Element) and rule["value"] not in [choice.value for choice in asked.choices]:
            raise self._document.error(
                path, "visible_if_value", "{name!r} has no choice {value!r}.", name=rule["name"], value=rule["value"]
            )


def over(document: Document, closes: datetime.date) -> QuestionnaireError:
    """What is wrong with a last day that is over."""
    return document.error(
        ("closes",), "closes_in_the_past",
        "closes: {closes} is over, so nobody could answer. Write a later day, or take the line away.", closes=str(closes),
    )  # fmt: skip
