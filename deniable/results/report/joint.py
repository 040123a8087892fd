"""Sections of a report about several questions at once: cross tables, and what goes together."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from deniable.results.answers import Answer
from deniable.results.estimating import attributes_of
from deniable.results.figures import SHARE, Block, Figure
from deniable.results.material import Spoken
from deniable.results.pictures import exactly
from deniable.results.questions import CrossTable
from deniable.results.remarks import as_sentence, remarks
from deniable.results.report.contents import Chosen
from deniable.results.report.forged import largest_shifts
from deniable.results.report.sections import Cell, Section, drawn, lines_of, nothing_told, quoted
from deniable.results.report.words import words_in
from deniable.results.showing import Ready, shown

MOST_COLUMNS = 6
"""Tables with more columns than paper has room for are printed as lists."""


def cross_section(ready: Ready, chosen: Chosen, language: str) -> Section:
    """A cross table as it is printed: each share of everyone with its interval."""
    words, answer = words_in(language), shown([ready], chosen.question, language)
    spoken, (block,) = ready.spoken(language), answer.blocks
    asked, own = answer.question, chosen.words.paragraphs(language)
    assert isinstance(asked, CrossTable)
    rows, columns = spoken.title(asked.by), spoken.title(asked.of)
    title = spoken.said.words.one_by_other.format(one=columns, other=rows)
    if not any(figure.value is not None for figure in block.figures):
        return nothing_told(block, own, spoken, words, title)
    most, cannot = _most_frequent(block, spoken, words)
    for why in dict.fromkeys(figure.sentence for figure in block.figures if figure.value is None):
        cells = [f"{one.group}, {one.label}" for one in block.figures if one.value is None and one.sentence == why]
        cannot.append(words["cannot_figure"].format(title=title, what="; ".join(cells), why=why))
    sentences = [words["cross_rows"].format(rows=rows, columns=columns), most]
    section = Section(title, own, sentences, remarks=list(remarks(answer.estimates, spoken)), cannot=cannot)
    labels = list(dict.fromkeys(figure.label for figure in block.figures))
    if len(labels) > MOST_COLUMNS:
        lines = lines_of(ready, answer, block, spoken, [0] * len(block.figures), range(len(block.figures)))
        return dataclasses.replace(section, lines=lines)
    return dataclasses.replace(
        section, sentences=[*sentences, *_forged(ready, answer, spoken, words)], columns=labels, cells=_cells(block, labels, spoken)
    )  # fmt: skip


def _most_frequent(block: Block, spoken: Spoken, words: dict[str, str]) -> tuple[str, list[str]]:
    """Which combination is the most frequent, or that this cannot be told."""
    known = [figure for figure in block.figures if figure.value is not None]
    top = max(known, key=lambda figure: figure.value or 0.0)
    if len(known) == len(block.figures) and all((top.low or 0.0) > (one.high or 0.0) for one in known if one is not top):
        percent = spoken.said.words.percent(top.value or 0.0)
        said = words["cross_most"].format(row=top.group, column=top.label, percent=percent, between=top.sentence)
        return said, []
    return words["cross_nobody_most"], [words["cannot_rank_cross"].format(title=quoted(block.title, words))]


def _cells(block: Block, columns: Sequence[str], spoken: Spoken) -> list[tuple[str, list[Cell]]]:
    """The rows of a table, each with one cell for every column."""
    rows: dict[str, dict[str, Figure]] = {}
    for figure in block.figures:
        rows.setdefault(figure.group or "", {})[figure.label] = figure
    return [(name, [_cell(row.get(column), column, spoken) for column in columns]) for name, row in rows.items()]


def _cell(figure: Figure | None, column: str, spoken: Spoken) -> Cell:
    if figure is None or figure.value is None:
        return Cell(column, "", spoken.said.cannot_be_told if figure is None else figure.sentence)
    return Cell(column, exactly(figure, figure.value, SHARE, spoken.said), figure.sentence)


def _forged(ready: Ready, answer: Answer, spoken: Spoken, words: dict[str, str]) -> list[str]:
    """How far forged answers could move a figure of the table."""
    names = attributes_of(answer.question)
    shifts = np.vstack([np.nanmax(largest_shifts(ready.material, call, names), axis=1) for call in answer.found.calls]).max(
        axis=0
    )
    if not np.isfinite(shifts).all():
        return []
    one, five = (spoken.said.points_at_most(float(shift)) for shift in shifts)
    return [words["cross_forged"].format(one=one, five=five)]


def together_section(ready: Ready, chosen: Chosen, language: str) -> Section:
    """What goes together as it is printed: a sentence for each rule, and their shares in one picture."""
    words, answer = words_in(language), shown([ready], chosen.question, language)
    spoken, (block,) = ready.spoken(language), answer.blocks
    own = chosen.words.paragraphs(language)
    title = ", ".join(quoted(spoken.title(name), words) for name in attributes_of(answer.question))
    if block.n is None:
        return nothing_told(block, own, spoken, words, title)
    if not block.figures:
        return Section(title, own, [as_sentence(one) for one in block.sentences])
    numbered = tuple(
        dataclasses.replace(figure, label=f"{place}.", group=None) for place, figure in enumerate(block.figures, start=1)
    )
    pictures = drawn(dataclasses.replace(block, figures=numbered), spoken, words["estimates"])
    told = list(block.sentences[: len(block.figures)])
    return Section(title, own, [], pictures, listed=told, numbered=True)
