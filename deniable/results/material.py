"""What answers are computed from: the sample of one version, its schema with its texts, and its tables of counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from deniable.core.channels.designs import Identity
from deniable.core.question_texts import Question
from deniable.core.schema import Schema
from deniable.core.tables import CellTable
from deniable.engines.countable import Countable
from deniable.errors import ParameterError
from deniable.results.words import Said, said_in
from deniable.statistics.sample import Sample

MOST_ATTRIBUTES = 6
"""A view is of so many questions at most, those of its conditions included."""


def _anything(_: Sequence[str]) -> bool:
    return True


@dataclass(frozen=True)
class Material:
    """The answers to one version at one moment."""

    number: int
    data: Countable
    schema: Schema
    sample: Sample
    may: Callable[[Sequence[str]], bool] = _anything
    """Whether a view of some attributes may be seen."""
    instead: str = "too_few"
    """What is said where it may not: the name of a sentence of `Said`."""

    @classmethod
    def of(
        cls, number: int, data: Countable, schema: Schema, may: Callable[[Sequence[str]], bool] = _anything, instead: str = "too_few"
    ) -> Material:  # fmt: skip
        """Data under its schema."""
        return cls(number, data, schema, Sample(data, schema), may, instead)

    def table(self, names: Sequence[str]) -> CellTable:
        """How often each combination of reports of some attributes occurs."""
        return self.data.cell_table(self.schema, list(dict.fromkeys(names)))

    def hides(self, names: Sequence[str]) -> bool:
        """Whether the answers to some of these questions were hidden."""
        return any(not isinstance(self.schema[name], Identity) for name in names)

    @cached_property
    def languages(self) -> list[str]:
        """Those of the survey."""
        return ["en"] if self.schema.texts is None else self.schema.texts.languages

    def spoken(self, language: str | None) -> Spoken:
        """Its texts in a language: one of the survey's, or the first of these."""
        texts = self.schema.texts
        chosen = language if language in self.languages else self.languages[0]
        return Spoken(said_in(language or chosen), {} if texts is None else texts.questions(chosen))

    def check(self, names: Sequence[str]) -> None:
        """Refuse attributes that there are none of, or too many at once."""
        for name in names:
            if name not in self.schema:
                raise ParameterError(
                    "unknown_attribute",
                    "There is no attribute {got!r}; there are {allowed}.",
                    got=name,
                    allowed=list(self.schema),
                )
        if len(set(names)) > MOST_ATTRIBUTES:
            raise ParameterError(
                "many_attributes", "A view is of at most {most} questions, those of its conditions included; got {got}.",
                most=MOST_ATTRIBUTES, got=len(set(names)),
            )  # fmt: skip


@dataclass(frozen=True)
class Spoken:
    """A language: our sentences in it, and the survey's questions."""

    said: Said
    questions: dict[str, Question]

    def title(self, name: str) -> str:
        """What was asked."""
        return self.questions[name].title if name in self.questions else name

    def label(self, name: str, label: object) -> str:
        """The text of an answer."""
        return str(self.questions[name].label(label) if name in self.questions else label)
