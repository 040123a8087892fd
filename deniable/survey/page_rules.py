"""What a respondent's page may be asked to show and draw: docs/page-rules.md.

The page refuses a survey that breaks these rules, no matter who serves it; so do `survey check`, `survey open` and `deniable verify`.
static/rules.js says the same in JavaScript, function by function; vectors/pages.json is run by both.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from deniable.core.domains.domain import NO_ANSWER
from deniable.errors import RefusedError
from deniable.privacy.reporting.words import odds as in_words
from deniable.survey.recipe_rows import UnreadableRecipeError, is_identity, odds, odds_if_asked, whole

MOST_ODDS = 20
"""The most that the reports of one input may change anyone's odds: what was thought of one person in 21 is then as likely as not."""
DEEPEST = 50
MOST_CHOICES = 500
MOST_VALUES = 1_000
FARTHEST = 10**15
LONGEST_NAME = 63  # in PostgreSQL
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")
LANGUAGE = re.compile(r"[a-z]{2,3}")
DAY = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Controls but tab and new line, halves of characters, and marks that turn round the order of what follows them."""
BLANK = re.compile(
    "[\t\n \u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028\u2029\u202f\u205f-\u206f\u2800"
    "\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)
"""A text of these alone cannot be seen."""
KINDS: Mapping[str, tuple[int, int, int, int]] = MappingProxyType(
    {
        "boolean": (2, 2, 0, 0),
        "radiogroup": (2, MOST_CHOICES, 0, 0),
        "dropdown": (2, MOST_CHOICES, 0, 0),
        "rating": (2, MOST_CHOICES, 0, 0),
        "age": (2, MOST_CHOICES, 0, 0),
        "number": (2, MOST_CHOICES, 0, 0),
        "checkbox": (1, MOST_CHOICES, 0, 0),
        "matrix": (2, MOST_CHOICES, 1, MOST_CHOICES),
        "information": (0, 0, 0, 0),
        "consent": (0, 0, 0, 0),
    }
)
"""How many choices and rows each kind of question has."""
SEVERAL = ("checkbox", "matrix")
_SAYS: Mapping[str, str] = MappingProxyType(
    {
        "json": "it is no JSON that browsers and Python read alike",
        "languages": "languages is a list of different codes such as en",
        "version": "version is a whole number from 1 on",
        "text": "a text must be there in every language, visible, and without controls or marks that turn its order round",
        "flag": "it has none of the values that it may have",
        "day": "a day looks like 2027-03-31",
        "pages": "pages is a list of pages with elements",
        "type": "an element has no type that pages know",
        "name": "a name has letters, digits and _, begins with a letter and is at most 40 long",
        "private": "private is true or false, and true only where something is asked",
        "choices": "its choices or rows are too few, too many, twice the same or not what its type has",
        "grid": "a grid has whole numbers min, max and step, and the step divides what lies between",
        "condition": "visibleIf may depend on one choice of an open question that is asked before, and on nothing else",
        "attributes": "its columns are not those that follow from its type, name, choices and rows",
        "asked": "a second question is asked beside a private single choice only",
        "name_twice": "two questions or columns have the same name",
        "recipe": "not every column is drawn exactly once, by a recipe of its own",
        "not_identity": "it is asked openly, but not sent as it is",
        "odds": "a report changes anyone's odds {odds}, and pages refuse more than {most}. Hide it better: privacy: light (at most 9), "
        "a smaller p, theta or answered, a larger scale, or fewer values",
    }
)


class PageRuleError(RefusedError):
    """A survey that pages refuse; `code` is the rule that it breaks and `about` the question."""

    @property
    def about(self) -> str:
        return str(self.parameters.get("about", ""))


def _broken(code: str, about: str = "", **more: Any) -> PageRuleError:
    where = "{about!r}: " if about else ""
    return PageRuleError(code, "pages refuse this survey: " + where + _SAYS[code] + ".", about=about, **more)


def _must(holds: Any, code: str, about: str = "") -> None:
    if not holds:
        raise _broken(code, about)


@dataclass(frozen=True)
class Shown:
    """What the rules worked out of one element."""

    type: str
    name: str
    private: bool
    values: list[str]
    attributes: list[str]
    labels: int
    asked: bool
    grid: bool


def read_json(body: bytes) -> Any:
    """The bytes of an answer as the page reads them; PageRuleError where Python would read what browsers do not, or otherwise.

    >>> read_json(b'{"a": 1.0}')
    {'a': 1.0}
    """
    try:
        value = json.loads(
            body.decode("utf-8-sig"), object_pairs_hook=_once, parse_constant=_no_constant, parse_int=_integer
        )  # fmt: skip
        _must(_depth(value) <= DEEPEST, "json")
    except (ValueError, RecursionError):
        raise _broken("json") from None
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a key is given twice")
    return content


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> float:
    # Python refuses to read thousands of digits, which JavaScript reads as infinite.
    return int(digits) if len(digits) < 400 else float(digits)


def _depth(value: Any) -> int:
    deepest, waiting = 0, [(value, 1)]
    while waiting:
        one, depth = waiting.pop()
        if isinstance(one, (dict, list)):
            deepest = max(deepest, depth)
            waiting += [(part, depth + 1) for part in (one.values() if isinstance(one, dict) else one)]
    return deepest


def check_page(told: Any) -> None:
    """Raise PageRuleError where a respondent's page would refuse what it is told (the JSON of `/api/surveys/NAME`).

    >>> check_page({"languages": ["en"], "version": 0})
    Traceback (most recent call last):
    deniable.survey.page_rules.PageRuleError: pages refuse this survey: version is a whole number from 1 on.
    """
    for error in broken_rules(told):
        raise error


def broken_rules(told: Any) -> list[PageRuleError]:
    """What a page would refuse: the first fault of what is asked, or else every question that is not hidden as it should be.

    >>> [error.code for error in broken_rules({"languages": ["en"], "version": 0})]
    ['version']
    """
    try:
        elements, blocks = _readable(told)
    except PageRuleError as error:
        return [error]
    broken = []
    for element in elements:
        try:
            for name in element.attributes:
                _check_column(element, blocks[name])
        except PageRuleError as error:
            broken.append(error)
    return broken


def _readable(told: Any) -> tuple[list[Shown], dict[str, Any]]:
    """The elements, and the recipe of each column, of a survey that keeps all rules but those about the recipes themselves."""
    _must(isinstance(told, dict), "json")
    languages = told.get("languages")
    _must(isinstance(languages, list) and languages, "languages")
    _must(all(isinstance(one, str) and LANGUAGE.fullmatch(one) for one in languages), "languages")
    _must(len(set(languages)) == len(languages), "languages")
    _must(_is_whole(told.get("version")) and told["version"] >= 1, "version")
    for key in ("title", "organiser", "contact", "otherWay"):
        _text(told.get(key), languages, key)
    _text(told.get("description"), languages, "description", optional=True)
    for key in ("open", "invited", "practice"):
        _must(type(told.get(key)) is bool, "flag", key)
    for key, allowed in (("linkage", ("none", "code", "register")), ("showSent", ("after", "never"))):
        _must(isinstance(told.get(key), str) and told[key] in allowed, "flag", key)
    for key in ("closes", "contacts_until"):
        day = told.get(key)
        _must(day is None or (isinstance(day, str) and DAY.fullmatch(day)), "day", key)
    elements = _pages(told.get("pages"), languages)
    _check_names(elements)
    return elements, _recipes(told.get("recipe"), elements)


def _is_whole(number: Any) -> bool:
    try:
        whole(number)
    except UnreadableRecipeError:
        return False
    return True


def _printable(value: Any) -> bool:
    return isinstance(value, str) and not UNPRINTABLE.search(value)


def _text(given: Any, languages: list[str], about: str, optional: bool = False) -> None:
    if given is None and optional:
        return
    _must(isinstance(given, dict), "text", about)
    for language in languages:
        words = given.get(language)
        _must(_printable(words) and not BLANK.fullmatch(words), "text", about)


def _choices(given: Any, least: int, most: int, languages: list[str], about: str) -> list[str]:
    _must(isinstance(given, list) and least <= len(given) <= most, "choices", about)
    for choice in given:
        _must(isinstance(choice, dict) and _printable(choice.get("value")) and choice["value"] != NO_ANSWER, "choices", about)
        _text(choice.get("text"), languages, about)
    values = [choice["value"] for choice in given]
    _must(len(set(values)) == len(values), "choices", about)
    return values


def suffix(value: str) -> str:
    """What a choice or a row adds to the name of its column.

    >>> suffix(" Other drugs! "), suffix("Zaległy"), suffix("?")
    ('other_drugs', 'zaległy', '_')
    """
    return re.sub(r"\W+", "_", value.lower()).strip("_") or "_"


def columns(kind: str, name: str, choices: list[str], rows: list[str]) -> list[str]:
    """The columns of a question follow from what it is: a server does not choose them.

    >>> columns("checkbox", "took", ["alcohol", "other drugs"], [])
    ['took_alcohol', 'took_other_drugs']
    """
    if kind in ("information", "consent"):
        return []
    if kind not in SEVERAL:
        return [name]
    return [f"{name}_{suffix(value)}" for value in (choices if kind == "checkbox" else rows)]


def _grid(given: Any, kind: str, about: str) -> int | None:
    """How many values a grid has."""
    if given is None:
        return None
    numbers: list[Any] = [given.get(key) for key in ("min", "max", "step")] if isinstance(given, dict) else []
    _must(kind == "number" and len(numbers) == 3, "grid", about)
    _must(all(_is_whole(number) and abs(number) <= FARTHEST for number in numbers), "grid", about)
    low, high, step = map(int, numbers)
    _must(1 <= step <= high - low and (high - low) % step == 0 and (high - low) // step < MOST_VALUES, "grid", about)
    return (high - low) // step + 1


def _check_condition(given: Any, kind: str, before: list[Shown], about: str) -> None:
    """Whether a question is shown may depend on an open answer alone: what is sent would tell a private one."""
    if given is None:
        return
    _must(isinstance(given, dict) and kind != "consent", "condition", about)
    asked = next((other for other in before if other.name == given.get("name")), None)
    _must(asked is not None and not asked.private and asked.values and asked.type not in SEVERAL, "condition", about)
    _must(type(given.get("equal")) is bool and asked is not None and given.get("value") in asked.values, "condition", about)


def _element(given: Any, languages: list[str], before: list[Shown]) -> Shown:
    _must(isinstance(given, dict) and isinstance(given.get("type"), str) and given["type"] in KINDS, "type")
    kind, name, private = given["type"], given.get("name"), given.get("private")
    _must(isinstance(name, str) and NAME.fullmatch(name), "name")
    _must(type(private) is bool, "private", name)
    values = _grid(given.get("grid"), kind, name)
    least, most, fewest, greatest = KINDS[kind] if values is None else (0, 0, 0, 0)
    _text(given.get("title"), languages, name)
    for key in ("description", "unit", "minRateDescription", "maxRateDescription", "asked"):
        _text(given.get(key), languages, name, optional=True)
    choices = _choices(given.get("choices"), least, most, languages, name)
    rows = _choices(given.get("rows"), fewest, greatest, languages, name)
    _check_condition(given.get("visibleIf"), kind, before, name)
    _must(kind != "boolean" or choices == ["no", "yes"], "choices", name)
    attributes = columns(kind, name, choices, rows)
    _must(not private or attributes, "private", name)
    _must(given.get("attributes") == attributes, "attributes", name)
    _must(all(len(one.encode()) <= LONGEST_NAME for one in attributes), "attributes", name)
    asked = given.get("asked") is not None
    _must(not asked or (private and values is None and kind != "dropdown" and kind not in SEVERAL), "asked", name)
    labels = 3 if kind == "checkbox" else (len(choices) if values is None else values) + 1
    return Shown(kind, name, private, choices, attributes, labels, asked, values is not None)


def _pages(given: Any, languages: list[str]) -> list[Shown]:
    _must(isinstance(given, list) and given, "pages")
    shown: list[Shown] = []
    for page in given:
        _must(isinstance(page, dict) and isinstance(page.get("elements"), list) and page["elements"], "pages")
        _text(page.get("title"), languages, "pages", optional=True)
        for element in page["elements"]:
            shown.append(_element(element, languages, shown))
    return shown


def _check_names(elements: list[Shown]) -> None:
    """One name, one column, one input: names that differ in capitals alone are the same."""
    seen: set[str] = set()
    for element in elements:
        for name in [element.name, *(element.attributes if element.type in SEVERAL else ())]:
            if name.lower() in seen:
                raise _broken("name_twice", element.name)
            seen.add(name.lower())


def _recipes(given: Any, elements: list[Shown]) -> dict[str, Any]:
    """Every column is drawn once, by a recipe of its own."""
    _must(isinstance(given, dict) and isinstance(given.get("blocks"), list), "recipe")
    blocks: dict[str, Any] = {}
    for block in given["blocks"]:
        names = block.get("attributes") if isinstance(block, dict) else None
        _must(isinstance(names, list) and len(names) == 1 and isinstance(names[0], str) and names[0] not in blocks, "recipe")
        blocks[names[0]] = block  # type: ignore[index]
    asked = [name for element in elements for name in element.attributes]
    _must(asked and sorted(blocks) == sorted(asked), "recipe")
    return blocks


def _check_column(element: Shown, block: Any) -> None:
    """An open column is sent as it is, a private one within the limit."""
    try:
        if not element.private:
            _must(is_identity(block, element.labels), "not_identity", element.name)
            return
        changed = odds_if_asked(block, element.labels) if element.asked else odds(block, element.labels, element.grid)
    except UnreadableRecipeError as error:
        if not element.private:
            raise _broken("not_identity", element.name) from error
        raise _broken(
            "odds", element.name, odds=f"without limit (its recipe cannot be followed: {error})", most=MOST_ODDS
        ) from error
    if not changed <= MOST_ODDS:
        raise _broken("odds", element.name, odds=in_words(math.log(changed)), most=MOST_ODDS)
