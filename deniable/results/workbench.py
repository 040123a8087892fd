"""`Workbench`: the answers of a store's surveys, asked again and again. What was counted is kept; releases are added to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from deniable.errors import RefusedError
from deniable.results.answers import Answer
from deniable.results.kept import Kept
from deniable.results.questions import Question, Versions
from deniable.results.showing import Ready, ready, shown
from deniable.results.tallies import MovedError, Released, Tallies
from deniable.results.viewable import open_names
from deniable.statistics.label_numbers import has_numbers
from deniable.survey.question_texts import frozen_texts

if TYPE_CHECKING:
    from deniable.core.schema import Schema
    from deniable.survey.store import Store
    from deniable.survey.store.surveys import Version

KEPT = 16
"""So many versions, each at one moment, are kept ready."""
ATTEMPTS = 3
KEPT_ANSWERS = 128
"""So many answers are kept until other answers come out."""


T = TypeVar("T")


@dataclass(frozen=True)
class Choice:
    """One question of a survey, as menus list it: its texts, and what can be done with it."""

    name: str
    title: str
    labels: tuple[tuple[Any, str], ...]
    """The answers, each with its text; none of a number with many values."""
    open: bool
    has_mean: bool
    groups: bool
    """Whether people can be divided by it."""


Moment = tuple["Version", int, bool, bool]
"""A version, how many answers to it are out, whether those who ask may export, and whether answers came after results were first shown."""


class Workbench:
    """The surveys of a store, to be asked by pages, reports and the command line. One for each process; threads may share it. Nothing is
    locked while something is computed: what takes long keeps nobody else waiting."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.tallies = Tallies(store)
        self._versions: dict[tuple[str, int], Version] = {}
        self._schemas: dict[int, Schema] = {}
        """Those of versions, with their texts: reading a questionnaire takes longer than most views."""
        self._ready = Kept[Ready](KEPT)
        self._answers = Kept[Answer](KEPT_ANSWERS)

    def ask(self, slug: str, question: Question, language: str | None = None, exporting: bool = False) -> Answer:
        """What a view shows to those who may export, or to those who may not (docs/security.md).

        Parameters
        ----------
        slug
            The short name of the survey.
        question
            What is asked.
        language
            "en" or "pl"; the survey's first language unless given.
        exporting
            Whether those who ask may export the answers.

        Returns
        -------
        Answer
        """
        return _settled(lambda: self._asked(slug, question, language, exporting))

    def kept(self, slug: str, question: Question, language: str | None = None, exporting: bool = False) -> Answer | None:
        """The same if it is kept since it was asked last, else None: nothing is computed."""
        return self._answers.get(self._key(slug, question, language, exporting)[1])

    def _asked(self, slug: str, question: Question, language: str | None, exporting: bool) -> Answer:
        moments, key = self._key(slug, question, language, exporting)
        return self._answers.get(key) or self._answers.keep(key, self._computed(moments, question, language))

    def _key(
        self, slug: str, question: Question, language: str | None, exporting: bool
    ) -> tuple[list[Moment], tuple[Any, ...]]:
        """The versions that a question is about, as they are now, and what its answer is kept under."""
        changes = self.tallies.changes
        wanted = None if isinstance(question, Versions) else question.version
        moments = self._moments(slug, exporting, wanted, every=isinstance(question, Versions))
        return moments, (changes, tuple((moment[0].id, *moment[1:]) for moment in moments), question, language)

    def _computed(self, moments: list[Moment], question: Question, language: str | None) -> Answer:
        return shown([self._one(*moment) for moment in moments], question, language)

    def menu(self, slug: str, language: str | None = None, exporting: bool = False, version: int | None = None) -> list[Choice]:
        """The questions of a version, as menus list them: those that may be seen, with the answers or cells that conditions can name."""
        here = _settled(lambda: self.ready(slug, exporting, version))
        spoken = here.material.spoken(language)
        schema, opened = here.material.schema, set(open_names(here.whole.schema))
        found = []
        for name, channel in schema.items():
            domain = channel.domain
            labels = (
                []
                if domain.is_numeric and domain.size > 12
                else [(label, spoken.label(name, label)) for label in domain.labels]
            )
            divides = here.viewable is None or (
                name in here.viewable.chain if name in opened else not here.viewable.everyone_only
            )
            found.append(Choice(name, spoken.title(name), tuple(labels), name in opened, has_numbers(domain), divides))
        return found

    def instead(self, slug: str, exporting: bool = False, version: int | None = None) -> str:
        """What is said where a view may not be seen, as `Said` names it."""
        return _settled(lambda: self.ready(slug, exporting, version)).material.instead

    def ready(self, slug: str, exporting: bool = False, version: int | None = None) -> Ready:
        """One version as it is now, for reports, which ask it many things at one moment."""
        return self._one(*self._moments(slug, exporting, version)[-1])

    def versions(self, slug: str) -> list[int]:
        """The versions that have answers that are out, oldest first."""
        return [one.number for one in self.store.overviews(slug) if one.mixed]

    def languages(self, slug: str) -> list[str]:
        """The languages of the survey's newest version."""
        return self._version(slug, self.store.overview(slug).number).questionnaire.get("languages", ["en"])  # type: ignore[no-any-return]

    def _moments(self, slug: str, exporting: bool, number: int | None, every: bool = False) -> list[Moment]:
        """The versions that a question is about, as they are now."""
        overviews = [one for one in self.store.overviews(slug) if one.mixed]
        if not exporting:
            state, closings = self.store.closings_of(slug)
            if not closings:
                raise RefusedError("results_after_closing", "Results of {slug} can be seen when it is closed.", slug=slug)
        if not overviews:
            raise RefusedError("nothing_released", "No answers to {slug} have been released yet.", slug=slug)
        chosen = overviews if every else [one for one in overviews if number is None or one.number == number][-1:]
        if not chosen:
            raise RefusedError("unknown_version", "{slug} has no version {got}.", slug=slug, got=number)
        grown = not exporting and not (state == "closed" and closings == 1)
        return [(self._version(slug, one.number), one.mixed, exporting, grown) for one in chosen]

    def _version(self, slug: str, number: int) -> Version:
        if (slug, number) not in self._versions:
            self._versions[slug, number] = self.store.version(slug, number)
        return self._versions[slug, number]

    def _one(self, read: Version, total: int, exporting: bool, grown: bool) -> Ready:
        key = (self.tallies.changes, read.id, total, exporting, grown)
        found = self._ready.get(key)
        if found is not None:
            return found
        released = Released(self.tallies, read, total)
        if read.id not in self._schemas:
            self._schemas[read.id] = read.schema.with_texts(frozen_texts(read.questionnaire))
        return self._ready.keep(key, ready(read.number, released, self._schemas[read.id], exporting, grown))


def _settled(work: Callable[[], T]) -> T:
    """What something gives; it is tried anew where answers came out meanwhile."""
    for _ in range(ATTEMPTS):
        try:
            return work()
        except MovedError:
            continue
    raise RefusedError("busy", "New answers come out faster than these results are computed. Please try again in a moment.")
