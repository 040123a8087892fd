"""An answer: what a view shows, and its twins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from deniable.charts.dots import as_png, headline, stacked
from deniable.core.estimate import Estimate
from deniable.errors import RefusedError
from deniable.results.address import address
from deniable.results.estimating import Found
from deniable.results.figures import Block
from deniable.results.pictures import picture
from deniable.results.questions import Question
from deniable.results.twins import as_json, as_python, as_table
from deniable.results.words import said_in


@dataclass(frozen=True)
class Answer:
    """What a view shows: a title, blocks of figures, and sentences about all of them."""

    question: Question
    language: str
    title: str
    blocks: tuple[Block, ...]
    sentences: tuple[str, ...]
    found: Found = field(repr=False)
    versions: tuple[int, ...] = (1,)
    exporting: bool = True
    apart: tuple[str, str] | None = None
    """Where it is no result of a survey: whether it is of a trial, or made up (survey/apart.py), and the sentence that says so."""

    def marked(self, kind: str, sentence: str) -> Answer:
        """The same, whose twins say what it is: a file goes further than the page that it was found on."""
        return replace(self, apart=(kind, sentence))

    @property
    def address(self) -> str:
        """Its address, behind the question mark."""
        return address(self.question)

    @property
    def estimates(self) -> Sequence[Estimate | None]:
        """The estimates behind its blocks, as `dn.Sample` gave them."""
        return self.found.estimates

    def json(self) -> str:
        """Its JSON twin."""
        return as_json(self.question.to_json(), self.title, self.sentences, self.blocks, self.apart)

    def csv(self) -> str:
        """Its table for spreadsheets, defused."""
        return as_table(self.blocks, "" if self.apart is None else self.apart[1])

    def svg(self) -> str:
        """Its picture: one for each block, below each other."""
        first = [] if self.apart is None else [headline(self.apart[1])]
        return stacked([*first, *(picture(block, said_in(self.language)) for block in self.blocks)])

    def png(self) -> bytes:
        """The same as PNG."""
        return as_png(self.svg())

    def py(self) -> str:
        """The Python that gives these numbers from an export; for those who may export."""
        if self.apart is not None:
            raise RefusedError(
                "trial_no_code", "This code runs on an export, and answers of trials, or made-up ones, are not exported."
            )
        if not self.exporting:
            raise RefusedError("no_export", "This code runs on an export, which only those have who may export the answers.")
        return as_python(self.found.calls, self.versions, self.found.code)
