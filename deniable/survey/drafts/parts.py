"""The parts of a draft: its settings, its pages, its questions; found by where they stand and by what they were when somebody saw them.

A form carries the mark of the part that it shows. Whoever saves replaces just what they have seen: a part that was changed, moved away or
removed meanwhile is never overwritten.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from deniable.errors import RefusedError
from deniable.survey.questions.kinds import KEYS

Content = dict[str, Any]
Place = tuple[int, int]
"""The page, and the place of a question on it."""


class ChangedMeanwhileError(RefusedError):
    """Somebody else changed the same part since it was seen: `now` is what stands there (None if it is gone), `place` where it is."""

    def __init__(self, now: Any, place: Place | None = None) -> None:
        super().__init__("changed_meanwhile", "Somebody else has changed this meanwhile; nothing was overwritten.")
        self.now, self.place = now, place


def mark_of(part: Any) -> str:
    """What a part is known by: another one after every change.

    >>> mark_of({"a": 1, "b": 2}) == mark_of({"b": 2, "a": 1}), mark_of([1]) == mark_of([2])
    (True, False)
    """
    return hashlib.sha256(json.dumps(part, sort_keys=True).encode()).hexdigest()[:32]


def languages_of(content: Content) -> list[str]:
    """The languages in which a draft is written, as far as they can be read.

    >>> languages_of({"languages": ["en", "pl", 7]}), languages_of({})
    (['en', 'pl'], ['en'])
    """
    given = content.get("languages")
    codes = (
        [one for one in given if isinstance(one, str) and re.fullmatch(r"[a-z]{2,3}", one)] if isinstance(given, list) else []
    )
    return list(dict.fromkeys(codes))[:20] or ["en"]


def settings_of(content: Content) -> Content:
    """All that is said of the survey as a whole."""
    return {key: value for key, value in content.items() if key != "pages"}


def with_settings(content: Content, seen: str, settings: Content) -> Content:
    """The draft with other settings; `seen` is the mark of those that were there."""
    if mark_of(settings_of(content)) != seen:
        raise ChangedMeanwhileError(settings_of(content))
    return {**settings, **({"pages": content["pages"]} if "pages" in content else {})}


def pages_of(content: Content) -> list[dict[str, Any]]:
    """The pages that can be read, each with a list of elements; none where that is not what stands there."""
    pages = content.get("pages")
    fits = isinstance(pages, list) and all(isinstance(one, dict) and isinstance(one.get("elements", []), list) for one in pages)
    return pages if fits and isinstance(pages, list) else []


@dataclass(frozen=True)
class Asked:
    """A question, or whatever stands in its place, and where."""

    place: Place
    given: Any

    @property
    def mark(self) -> str:
        """What it is known by."""
        return mark_of(self.given)

    @property
    def at(self) -> str:
        """Its place in addresses."""
        return f"{self.place[0]}-{self.place[1]}"


def questions_of(content: Content) -> Iterator[Asked]:
    """Every element of every page."""
    for p, page in enumerate(pages_of(content)):
        for i, given in enumerate(page.get("elements", [])):
            yield Asked((p, i), given)


def place_of(text: str) -> Place:
    """A place as addresses write it.

    >>> place_of("0-12")
    (0, 12)
    """
    match = re.fullmatch(r"(\d{1,4})-(\d{1,4})", text)
    if match is None:
        raise unknown_question()
    return int(match[1]), int(match[2])


def question_at(content: Content, place: Place) -> Asked:
    """The question in a place."""
    for one in questions_of(content):
        if one.place == place:
            return one
    raise unknown_question()


def unknown_question() -> RefusedError:
    """There is nothing in the place that was named."""
    return RefusedError("unknown_question", "There is no such question in this draft.")


def found(content: Content, place: Place, seen: str, called: str = "") -> Asked:
    """The question that somebody saw in a place, by its mark: there, or wherever it was moved to since. `called` is its name then: a
    question of that name which has another mark is the one that was changed."""
    asked = list(questions_of(content))
    for one in asked:
        if one.place == place and one.mark == seen:
            return one
    moved = [one for one in asked if one.mark == seen]
    if len(moved) == 1:
        return moved[0]
    named = [one for one in asked if called and isinstance(one.given, dict) and one.given.get("name") == called]
    now = next((one for one in named if one.place == place), named[0] if named else None)
    raise ChangedMeanwhileError(None if now is None else now.given, None if now is None else now.place)


def with_question(content: Content, one: Asked, given: Any) -> Content:
    """The draft with something else in place of a question that was found."""
    changed = copy.deepcopy(content)
    changed["pages"][one.place[0]]["elements"][one.place[1]] = given
    return changed


def with_page(content: Content, number: int, seen: str, page: Content) -> Content:
    """The draft with other words above a page; its questions stay."""
    pages = pages_of(content)
    now = words_of(pages[number]) if number < len(pages) else None
    if now is None or mark_of(now) != seen:
        raise ChangedMeanwhileError(now)
    changed = copy.deepcopy(content)
    changed["pages"][number] = {
        **page,
        **({"elements": changed["pages"][number]["elements"]} if "elements" in pages[number] else {}),
    }
    return changed


def words_of(page: Content) -> Content:
    """A page without its questions."""
    return {key: value for key, value in page.items() if key != "elements"}


def added(content: Content, kind: str) -> tuple[Content, Asked]:
    """The draft with a new question at its end, and that question."""
    changed = copy.deepcopy(content)
    if not pages_of(changed):
        if changed.get("pages"):
            raise RefusedError("pages_unreadable", "The pages of this draft cannot be read; put them right as YAML first.")
        changed["pages"] = [{"elements": []}]
    elements = changed["pages"][-1].setdefault("elements", [])
    number = sum(len(page.get("elements") or ()) for page in pages_of(changed)) + 1
    elements.append({"type": kind if kind in KEYS else "boolean", "name": free_name(content, f"q{number}")})
    return changed, Asked((len(changed["pages"]) - 1, len(elements) - 1), elements[-1])


def free_name(content: Content, wanted: str) -> str:
    """A name that no question has yet.

    >>> free_name({"pages": [{"elements": [{"name": "q1"}, {"name": "age"}]}]}, "q1"), free_name({}, "age")
    ('q2', 'age')
    """
    taken = {str(one.given.get("name")).lower() for one in questions_of(content) if isinstance(one.given, dict)}
    stem, number = re.sub(r"\d+$", "", wanted)[:36], 1
    while wanted.lower() in taken:
        number += 1
        wanted = f"{stem}{number}"
    return wanted


def copied(content: Content, place: Place, seen: str) -> Content:
    """The draft with a question once more, right behind it, under a name of its own."""
    changed, one = copy.deepcopy(content), found(content, place, seen)
    twin = copy.deepcopy(one.given)
    if isinstance(twin, dict) and isinstance(twin.get("name"), str):
        twin["name"] = free_name(content, twin["name"])
    changed["pages"][one.place[0]]["elements"].insert(one.place[1] + 1, twin)
    return changed


def removed(content: Content, place: Place, seen: str) -> Content:
    """The draft without a question, and without its page if that has no other."""
    changed, one = copy.deepcopy(content), found(content, place, seen)
    page = changed["pages"][one.place[0]]
    del page["elements"][one.place[1]]
    if not page["elements"] and len(changed["pages"]) > 1:
        del changed["pages"][one.place[0]]
    return changed


def moved(content: Content, place: Place, seen: str, step: int) -> Content:
    """The draft with a question one place earlier (-1) or later (1); at the end of a page it goes on the next one."""
    changed, one = copy.deepcopy(content), found(content, place, seen)
    pages, (p, i) = changed["pages"], one.place
    elements = pages[p]["elements"]
    if 0 <= i + step < len(elements):
        elements[i], elements[i + step] = elements[i + step], elements[i]
    elif 0 <= p + step < len(pages):
        elements.pop(i)
        other = pages[p + step].setdefault("elements", [])
        other.insert(len(other) if step < 0 else 0, one.given)
        if not elements:
            del pages[p]
    return changed


def split(content: Content, place: Place, seen: str) -> Content:
    """The draft with a new page that begins with a question."""
    changed, one = copy.deepcopy(content), found(content, place, seen)
    p, i = one.place
    if i:
        elements = changed["pages"][p]["elements"]
        changed["pages"][p]["elements"], later = elements[:i], elements[i:]
        changed["pages"].insert(p + 1, {"elements": later})
    return changed


def joined(content: Content, number: int, seen: str) -> Content:
    """The draft with the questions of a page on the page before it. What stood above it goes, so it has to be what was seen."""
    pages = pages_of(content)
    if not 0 < number < len(pages) or mark_of(words_of(pages[number])) != seen:
        raise ChangedMeanwhileError(words_of(pages[number]) if 0 <= number < len(pages) else None)
    changed = copy.deepcopy(content)
    gone = changed["pages"].pop(number)
    changed["pages"][number - 1].setdefault("elements", []).extend(gone.get("elements", []))
    return changed
