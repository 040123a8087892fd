"""What the pages of results show: an answer with its pictures, and forms to ask something else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from deniable.charts.dots import clean, ticks_between
from deniable.core.question_texts import Question as Texts
from deniable.errors import DeniableError
from deniable.picture_words import answer_to
from deniable.results.address import address
from deniable.results.answers import Answer
from deniable.results.conditions import chosen, in_words, parts_of, read_condition, widened
from deniable.results.draft import KINDS as CHOSEN
from deniable.results.figures import Block, Figure
from deniable.results.pictures import exactly, reach, written
from deniable.results.questions import KINDS, Comparison, CrossTable, OneQuestion, Overview, Question, Together, from_json
from deniable.results.remarks import as_sentence
from deniable.results.words import Said, said_in
from deniable.results.workbench import Choice
from deniable.survey.store.accounts import OWNER, Account
from deniable.web.pages import Speech, spoken
from deniable.web.results_forms import OPERATORS
from deniable.web.results_words import said_of

TWINS = ("csv", "json", "svg", "png", "py")
SUPPORTS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
CONFIDENCES = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True)
class Reader:
    """Who reads the results of which survey, in which language, and what can be asked."""

    slug: str
    title: str
    me: Account
    speech: Speech
    menu: Sequence[Choice] = ()
    versions: Sequence[int] = ()
    kind: str | None = None
    """Whether these are the results of a trial, or made up (survey/apart.py)."""
    no_groups: str = ""
    """Why nobody can be divided into groups, if that is so, as `Said` names it."""

    @property
    def path(self) -> str:
        """Where the results are."""
        return f"/organiser/surveys/{self.slug}/results"

    @property
    def report(self) -> str:
        """Where the report is."""
        return f"/organiser/surveys/{self.slug}/report"

    @property
    def publish(self) -> str:
        """Where the results are released."""
        return f"/organiser/surveys/{self.slug}/publish"

    @property
    def said(self) -> Said:
        """The sentences around estimates."""
        return said_in(self.speech.language)

    @property
    def titles(self) -> dict[str, str]:
        """The questions by their names."""
        return {choice.name: choice.title for choice in self.menu}

    def wrong(self, error: DeniableError) -> str:
        """What was wrong, in the reader's language and the survey's texts."""
        return said_of(error, self.speech.language, self.titles, _example(self.menu))

    def to(self, question: Question, kind: str = "") -> str:
        """The address of a view, or of one of its twins."""
        return self.speech.to(f"{self.path}{kind}?{address(question)}")


def results_page(answer: Answer, reader: Reader) -> str:
    """One view, with a form to change it."""
    question = answer.question
    many = isinstance(question, Overview)
    # Its lines of Python read an export, which trials do not have.
    kinds = [kind for kind in TWINS if kind != "py" or (answer.exporting and reader.kind is None)]
    return spoken(
        "results.html", reader.speech, title=answer.title, me=reader.me, here=reader.path, asked=answer.address,
        twins=[(kind, reader.to(question, f".{kind}")) for kind in kinds],
        answer=answer, blocks=[_linked(block, reader, question) for block in answer.blocks], many=many,
        marked=any(figure.reported is not None for block in answer.blocks for figure in block.figures),
        can_be_chosen=isinstance(question, CHOSEN),
        **around(reader, question.view, question.to_json()),
    )  # fmt: skip


def choosing_page(reader: Reader, view: str, given: Mapping[str, Any], error: DeniableError | None = None) -> str:
    """The form of a view, with what was wrong with it, if anything was."""
    title = reader.speech[f"view_{view}"]
    return spoken(
        "results_choose.html", reader.speech, title=title, me=reader.me, here=f"{reader.path}/choose", asked=urlencode({"view": view}),
        complaint=None if error is None else reader.wrong(error), **around(reader, view, given, error is None),
    )  # fmt: skip


def problem_page(reader: Reader, error: DeniableError, query: str, fix: str) -> str:
    """A view that cannot be shown: what was wrong, where, and what helps."""
    return spoken(
        "results_problem.html", reader.speech, title=reader.speech["cannot_show"], me=reader.me, here=reader.path, asked="",
        what=reader.wrong(error), where=query, fix=reader.speech[fix], **around(reader, "", {}),
    )  # fmt: skip


def around(reader: Reader, view: str, given: Mapping[str, Any], readable: bool = True) -> dict[str, Any]:
    """What all these pages have: the other views, and the form of this one."""
    owner = reader.me.role == OWNER
    views = [
        name
        for name in KINDS
        if (owner or name != "prediction")
        and (len(reader.versions) > 1 or name != "versions")
        and (name != "mean" or any(choice.has_mean for choice in reader.menu))
    ]
    return {
        "reader": reader, "owner": owner, "view": view, "given": dict(given), "views": views if reader.menu else [],
        "operators": list(OPERATORS), "supports": SUPPORTS, "confidences": CONFIDENCES,
        "parts": _parts(reader, view, given) if readable else [],
        "conditions": _conditions(reader.menu), "numbers": [one for one in reader.menu if not one.labels],
        "example": _example(reader.menu),
        "no_groups": as_sentence(getattr(reader.said, reader.no_groups)) if reader.no_groups else "",
    }  # fmt: skip


def _parts(reader: Reader, view: str, given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What must hold, each with the address of the view without it."""
    where = given.get("where")
    if not where or view not in ("overview", "question", "mean"):
        return []
    kept = {name: value for name, value in given.items() if name != "where"}
    asked = {choice.name: _asked(choice) for choice in reader.menu}
    found = []
    for part in parts_of(where):
        condition = read_condition(part)
        assert condition is not None
        wider = widened(where, part)
        found.append(
            (in_words(condition, asked, reader.said), reader.to(from_json({**kept, **({"where": wider} if wider else {})})))
        )
    return found


def _asked(choice: Choice) -> Texts:
    return Texts(choice.title, {str(label): text for label, text in choice.labels})


def _conditions(menu: Sequence[Choice]) -> list[tuple[str, list[tuple[str, str]]]]:
    """What a click on an answer means, by question; each line says its question too, for a list that is closed shows that line alone."""
    return [
        (choice.title, [(chosen(choice.name, label), answer_to(choice.title, text)) for label, text in choice.labels])
        for choice in menu
        if choice.labels and choice.groups
    ]


def _example(menu: Sequence[Choice]) -> str:
    """A condition on a question of this survey, if possible one that divides people."""
    named = next((choice for choice in sorted(menu, key=lambda one: not one.groups) if choice.labels), None)
    return "" if named is None else chosen(named.name, named.labels[0][0])


def _linked(block: Block, reader: Reader, question: Question) -> dict[str, Any]:
    link = None
    if isinstance(question, Overview):
        link = reader.to(OneQuestion(block.name, where=question.where, version=question.version))
    return drawn(block, reader.speech, question, link, reader.titles)


def drawn(
    block: Block, speech: Speech, question: Question, link: str | None = None, titles: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """A block as templates draw it.

    Parameters
    ----------
    block
        What is drawn.
    speech
        The language of the page.
    question
        What it answers.
    link
        Where its title leads to.
    titles
        The questions of the survey by their names.

    Returns
    -------
    dict
        The values of the template `results_figures.html`.
    """
    said, (low, high) = said_in(speech.language), reach(block)
    low, high = (low, high) if high > low else (low - 0.5, low + 0.5)

    def at(number: float) -> str:
        # Inside the margins, so that dots at the ends are whole.
        return f"{3 + 94 * (min(max(number, low), high) - low) / (high - low):.2f}%"

    groups: dict[str | None, list[dict[str, Any]]] = {}
    for figure in block.figures:
        groups.setdefault(figure.group, []).append(_figure(figure, block, said, at))
    if isinstance(question, Together):  # whoever reads one line of a rule should understand it
        groups = {group and said.of_those_with.format(given=group): figures for group, figures in groups.items()}
    verdicts = "verdicts" in block.extra
    told = (
        block.sentences[len(block.figures) :] if isinstance(question, Together) else block.sentences
    )  # each line says its own
    sentences = told if verdicts else tuple(one[:1].upper() + one[1:] for one in told)
    # Of whom shares are must be known before they are read.
    above, sentences = (sentences[-1:], sentences[:-1]) if block.table and block.figures else ((), sentences)
    title = block.title
    if isinstance(question, Comparison):
        title = speech["differences" if verdicts else "both_groups"]
    return {
        "title": title, "kind": block.kind, "above": above, "sentences": sentences, "notes": block.notes, "groups": list(groups.items()),
        "table": block.table and _rectangular(groups), "caption": _caption(question, speech, titles), "link": link, "verdicts": verdicts,
        "ticks": [(at(tick), written(tick, block.kind, said)) for tick in ticks_between(low, high)] if block.figures else [],
        "zero": at(0.0) if low < 0 < high else None,
    }  # fmt: skip


def _caption(question: Question, speech: Speech, titles: Mapping[str, str]) -> str | None:
    """What stands above a cross table: which question its rows are answers to, and which its columns."""
    if not isinstance(question, CrossTable):
        return None
    rows, columns = (titles.get(name, name) for name in (question.by, question.of))
    return speech["cross_caption"].format(rows=rows, columns=columns)


def _rectangular(groups: Mapping[Any, Sequence[dict[str, Any]]]) -> bool:
    return len({tuple(figure["label"] for figure in row) for row in groups.values()}) == 1


def _figure(figure: Figure, block: Block, said: Said, at: Any) -> dict[str, Any]:
    """A figure in words and places of a picture; without an estimate, only what is said instead."""
    kind = block.kind
    if figure.value is None or figure.low is None or figure.high is None:
        return {"label": figure.label, "value": None, "sentence": figure.sentence, "told": None}
    value = exactly(figure, figure.value, kind, said)
    reported = None if figure.reported is None else exactly(figure, figure.reported, kind, said)
    return {
        "label": figure.label, "value": value, "sentence": figure.sentence, "told": figure.told,
        # Of less than one direct answer there is nothing to say.
        "worth": said.worth(figure.worth)
        if block.hidden and figure.worth is not None and figure.worth >= 1 else None,
        "reported": reported, "at": at(figure.value), "low": at(figure.low), "high": at(figure.high),
        "reported_at": None if figure.reported is None else at(figure.reported),
        "name": clean(answer_to(figure.label, f"{value}, {figure.sentence}")),
    }  # fmt: skip
