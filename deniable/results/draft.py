"""A draft: what an organiser chose to show, in which order and with which words. The report and the released page are made of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from deniable.errors import DeniableError, ParameterError
from deniable.results.questions import Comparison, CrossTable, MeanOf, OneQuestion, Question, Together, from_json
from deniable.results.report.contents import MOST, NOTHING, Chosen, Contents, Words
from deniable.results.showing import Ready, shown
from deniable.survey.texts import LANGUAGES

KINDS = (OneQuestion, MeanOf, CrossTable, Comparison, Together)
"""The views that can be chosen."""
TEXTS = ("title", "words", "asked", "closing")
"""The organiser's words about all of it: above, before, on who was asked, behind."""


@dataclass(frozen=True)
class View:
    """A view with words about it."""

    question: Question
    words: Words = NOTHING


@dataclass(frozen=True)
class Draft:
    """What was chosen."""

    views: tuple[View, ...] = ()
    title: Words = NOTHING
    words: Words = NOTHING
    asked: Words = NOTHING
    closing: Words = NOTHING

    @classmethod
    def of_all(cls, names: Sequence[str]) -> Draft:
        """Every question by itself, which is what a report shows unless something is chosen."""
        return cls(tuple(View(OneQuestion(name)) for name in names[:MOST]))

    def with_view(self, view: View) -> Draft:
        """One view more, behind the others.

        >>> Draft().with_view(View(OneQuestion("q3"))).views[0].question.of
        'q3'
        """
        if len(self.views) >= MOST:
            raise ParameterError("many_views", "At most {most} views can be chosen; remove one first.", most=MOST)
        if not isinstance(view.question, KINDS):
            raise ParameterError("not_chosen", "A view {view!r} cannot be chosen.", view=view.question.view)
        if view.question.version is not None:
            raise ParameterError("one_version", "The report is of the newest version with answers; choose no other one.")
        return replace(self, views=(*self.views, view))

    def without(self, place: int) -> Draft:
        """The draft without one view."""
        self._check(place)
        return replace(self, views=self.views[:place] + self.views[place + 1 :])

    def with_words(self, place: int, words: Words) -> Draft:
        """The draft with other words about one view."""
        self._check(place)
        said = replace(self.views[place], words=words)
        return replace(self, views=(*self.views[:place], said, *self.views[place + 1 :]))

    def in_order(self, places: Sequence[float]) -> Draft:
        """The views in the order of numbers, one for each. Where two have the same, the one that was moved comes first.

        >>> draft = Draft.of_all(["a", "b", "c"])
        >>> [view.question.of for view in draft.in_order([1, 2, 1]).views]
        ['c', 'a', 'b']
        """

        def key(place: int) -> tuple[float, int, int]:
            wanted, now = places[place], place + 1
            # Whoever is sent down to a place comes behind the one that is there, for all between move up.
            side = 0 if wanted < now else 1 if wanted == now else 2
            return wanted, side, place

        return replace(self, views=tuple(self.views[place] for place in sorted(range(len(self.views)), key=key)))

    def _check(self, place: int) -> None:
        if not 0 <= place < len(self.views):
            raise ParameterError("no_place", "There is no view at this place; there are {most}.", most=len(self.views))

    def contents(self) -> Contents:
        """What is in the report, where views of a kind stand together."""
        chosen = [Chosen(view.question, view.words) for view in self.views]  # type: ignore[arg-type]

        def of_kind(*kinds: type[Question]) -> tuple[Chosen, ...]:
            return tuple(one for one in chosen if isinstance(one.question, kinds))

        said = {name: getattr(self, name) for name in TEXTS}
        return Contents(
            of_kind(OneQuestion, MeanOf), of_kind(Comparison), cross=of_kind(CrossTable), together=of_kind(Together), complete=False, **said
        )  # fmt: skip

    def to_json(self) -> str:
        """As it is kept."""
        views = [{"question": view.question.to_json(), "words": dict(view.words.texts)} for view in self.views]
        content = {name: dict(getattr(self, name).texts) for name in TEXTS} | {"views": views}
        return json.dumps(content, ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Draft:
        """From what was kept.

        >>> draft = Draft.of_all(["q1"]).with_words(0, Words({"en": "See below.", "pl": ""}))
        >>> Draft.from_json(draft.to_json()) == draft
        True
        """
        given: dict[str, Any] = json.loads(text)
        views = tuple(View(from_json(one["question"]), Words(one["words"])) for one in given["views"])
        return cls(views, **{name: Words(given[name]) for name in TEXTS})


def languages_of(languages: Sequence[str]) -> list[str]:
    """The languages in which a survey's results are told: its own, as far as we have words for them.

    >>> languages_of(["pl", "de", "en"]), languages_of(["de"])
    (['pl', 'en'], ['en'])
    """
    return [one for one in languages if one in LANGUAGES] or ["en"]


def troubles(ready: Ready, draft: Draft, language: str, told: Callable[[DeniableError], str]) -> Mapping[int, str]:
    """Which views cannot be shown, by their places, and why."""
    found = {}
    for place, view in enumerate(draft.views):
        try:
            shown([ready], view.question, language)
        except DeniableError as error:
            found[place] = told(error)
    return found
