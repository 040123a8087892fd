"""The sections of a report: a question or a comparison in sentences, with a picture, a table, and what forged answers could do to it."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from deniable.charts.dots import NARROW, WIDE
from deniable.core.estimate import Estimate
from deniable.picture_words import answers_say, direct_answers
from deniable.results.answers import Answer
from deniable.results.cells import FEWEST
from deniable.results.comparing import judged
from deniable.results.conditions import in_words, read_condition
from deniable.results.estimating import attributes_of
from deniable.results.figures import MEAN, NUMBER, POINTS, SHARE, Block, Figure
from deniable.results.material import Spoken
from deniable.results.pictures import exactly, picture, reach
from deniable.results.questions import Comparison
from deniable.results.remarks import as_sentence, remarks
from deniable.results.report.contents import Chosen
from deniable.results.report.forged import largest_shifts
from deniable.results.report.words import words_in
from deniable.results.rounding import at_most
from deniable.results.showing import Ready, shown
from deniable.results.verdicts import holm, p_value

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_ROWS = 12
"""So many lines are in one picture, headings of groups included, unless a group has more."""


@dataclass(frozen=True)
class Line:
    """One line of a table."""

    group: str
    label: str
    estimate: str
    between: str
    shifts: tuple[str, str]
    largest: float
    """The larger shift, in the unit of the figure; 0 where it is not worked out."""
    kind: str


@dataclass(frozen=True)
class Cell:
    """One cell of a cross table."""

    column: str
    estimate: str
    between: str


@dataclass(frozen=True)
class Picture:
    """A picture, and what is in it: drawn for paper and wide screens, and again for narrow ones."""

    label: str
    wide: Markup
    narrow: Markup


@dataclass(frozen=True)
class Section:
    """A view as it is printed."""

    title: str
    words: list[str]
    sentences: list[str]
    pictures: list[Picture] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    cannot: list[str] = field(default_factory=list)
    """What it cannot say."""
    marked: bool = False
    """Whether a picture marks what was reported."""
    verdicts: int = 0
    listed: list[str] = field(default_factory=list)
    """Sentences that are printed as a list."""
    numbered: bool = False
    """Whether the list has numbers, by which a picture names them."""
    columns: list[str] = field(default_factory=list)
    cells: list[tuple[str, list[Cell]]] = field(default_factory=list)
    """A cross table, row by row."""
    needs_more: bool = False
    """Whether it says how many more answers would tell something."""
    of_everyone: bool = True
    """Whether no condition says whose answers it is about."""

    @property
    def long(self) -> bool:
        """Whether its table may go on on the next page."""
        return max(len(self.lines), len(self.cells)) > 8

    @property
    def in_points(self) -> bool:
        """Whether its shifts are in percentage points."""
        return any(line.kind in (SHARE, POINTS) for line in self.lines)

    @property
    def groups(self) -> list[tuple[str, list[Line]]]:
        """Its lines by group."""
        names = dict.fromkeys(line.group for line in self.lines)
        return [(name, [line for line in self.lines if line.group == name]) for name in names]


def question_section(ready: Ready, chosen: Chosen, language: str) -> Section:
    """A question, or a mean, as it is printed."""
    words, answer = words_in(language), shown([ready], chosen.question, language)
    spoken = ready.material.spoken(language)
    (block,) = answer.blocks
    title, own = block.title, chosen.words.paragraphs(language)
    if not any(figure.value is not None for figure in block.figures):
        return nothing_told(block, own, spoken, words)
    if block.kind == MEAN and len(block.figures) == 1:  # the question is the title
        block = dataclasses.replace(block, figures=(dataclasses.replace(block.figures[0], label=words["mean"]),))
    shown_places, untold = _told_groups(block)
    places = range(len(block.figures)) if block.kind == MEAN or not shown_places else shown_places
    block = dataclasses.replace(block, figures=tuple(block.figures[place] for place in places))
    lines = lines_of(ready, answer, block, spoken, [0] * len(places), places)
    listed, cannot = _most(block, spoken, words)
    cannot += [
        words["cannot_figure"].format(title=quoted(title, words), what=group, why=spoken.said.cannot_be_told)
        for group in (untold if shown_places else [])
    ]
    sentences = [as_sentence(one) for one in answer.sentences]
    if len(listed) == 1:
        sentences, listed = [*sentences, *listed], []
    sentences += _worth(block, answer.estimates[0], spoken, words, ready.viewable is None)
    cannot += [
        words["cannot_figure"].format(title=quoted(title, words), what=_named(figure), why=figure.sentence)
        for figure in block.figures
        if figure.value is None
    ]
    pictures, told = drawn(block, spoken, words["estimates"]), list(remarks(answer.estimates, spoken))
    everyone = getattr(chosen.question, "where", None) is None
    marked = _is_marked(block)
    return Section(title, own, sentences, pictures, lines, told, cannot, marked, listed=listed, of_everyone=everyone)


def nothing_told(block: Block, own: list[str], spoken: Spoken, words: dict[str, str], title: str = "") -> Section:
    """A view of which nothing is shown, and why; it has the title of its block, unless another is given.

    Parameters
    ----------
    block, title
        The view, and what it is called.
    own
        The organiser's words about it.
    spoken, words
        The language, and what a report says in it.

    Returns
    -------
    Section
    """
    title = title or block.title
    why = (block.sentences or (spoken.said.cannot_be_told,))[0] if not block.figures else block.figures[0].sentence
    cannot = words["cannot_block"].format(title=quoted(title, words), why=why)
    return Section(title, own, [as_sentence(why)], cannot=[cannot])


def _is_marked(*blocks: Block) -> bool:
    """Whether pictures mark what was reported."""
    return any(figure.reported is not None for block in blocks for figure in block.figures)


def _told_groups(block: Block) -> tuple[list[int], list[str]]:
    """The places of the figures of groups of which something is known, and the groups of which nothing is: some share lies between 0 and
    100%."""

    def nothing(figure: Figure) -> bool:
        return figure.low is not None and figure.high is not None and figure.low <= 0.005 and figure.high >= 0.995

    untold = dict.fromkeys(figure.group for figure in block.figures if figure.group and block.kind == SHARE and nothing(figure))
    return [place for place, figure in enumerate(block.figures) if figure.group not in untold], [one for one in untold if one]


def comparison_sections(ready: Ready, chosen: Sequence[Chosen], language: str) -> list[Section]:
    """Comparisons as they are printed, their verdicts adjusted for the number of all of them."""
    answers = [shown([ready], one.question, language) for one in chosen]
    estimates = [[one for one in answer.estimates if one is not None] for answer in answers]
    p = [p_value(one) for some in estimates for one in some]
    told = iter(holm(p))
    return [
        _comparison(ready, one, answer, some, [next(told) for _ in some], len(p), language)
        for one, answer, some in zip(chosen, answers, estimates, strict=True)
    ]


def _comparison(
    ready: Ready, chosen: Chosen, answer: Answer, estimates: list[Estimate], told: list[bool], verdicts: int, language: str
) -> Section:
    words, spoken, own = words_in(language), ready.material.spoken(language), chosen.words.paragraphs(language)
    asked = answer.question
    assert isinstance(asked, Comparison)
    title = quoted(answer.title, words)
    if not estimates:
        why = answer.blocks[0].sentences[0]
        return Section(answer.title, own, [as_sentence(why)], cannot=[words["cannot_block"].format(title=title, why=why)])
    forms: dict[str, Any] = {key: words[key] for key in ("compared", "compared_means", "not_told", "not_told_more")}
    retold = dataclasses.replace(spoken, said=dataclasses.replace(spoken.said, **forms))
    sides, differences = judged(ready.material, asked, retold, estimates, told, verdicts)
    conditions = [read_condition(text) for text in (asked.first, asked.second)]
    first, second = (in_words(one, spoken.questions, spoken.said) for one in conditions if one is not None)
    unsure = [figure.label for figure in differences.figures if not figure.told]
    cannot = words["cannot_compare"].format(title=title, first=first, second=second, what=", ".join(unsure))
    lines = lines_of(ready, answer, differences, spoken, range(len(estimates)), [0] * len(estimates))
    pictures = [*drawn(sides, spoken, words["estimates"]), *drawn(differences, spoken, words["differences"])]
    more = words["not_told_more"].partition("{more}")[0]
    return Section(
        answer.title, own, [words["groups"].format(first=first, second=second)], pictures, lines, list(remarks(estimates, spoken)),
        [cannot] if unsure else [], _is_marked(sides, differences), verdicts=len(estimates), listed=list(differences.sentences),
        needs_more=any(more in sentence for sentence in differences.sentences),
    )  # fmt: skip


def lines_of(
    ready: Ready, answer: Answer, block: Block, spoken: Spoken, calls: Sequence[int], places: Sequence[int]
) -> list[Line]:
    """The figures of a block as lines; figure i is number `places[i]` of call `calls[i]`."""
    words, names = words_in(spoken.said.words.language), attributes_of(answer.question)
    shifts = [largest_shifts(ready.material, call, names) for call in answer.found.calls]
    lines = []
    for figure, call, place in zip(block.figures, calls, places, strict=True):
        pair = shifts[call][:, place]
        if figure.value is None or not np.isfinite(pair).all():
            lines.append(Line(figure.group or "", figure.label, "", figure.sentence, ("", ""), 0.0, block.kind))
            continue
        said = tuple(words["up_to"].format(shift=_shift(float(one), block.kind, spoken)) for one in pair)
        lines.append(
            Line(
                figure.group or "", figure.label, exactly(figure, figure.value, block.kind, spoken.said), figure.sentence,
                (said[0], said[1]), float(pair[-1]), block.kind,
            )
        )  # fmt: skip
    return lines


def _shift(shift: float, kind: str, spoken: Spoken) -> str:
    """The most that a figure moves, rounded up."""
    return spoken.said.points_at_most(shift) if kind in (SHARE, POINTS) else at_most(shift, spoken.said)


def _most(block: Block, spoken: Spoken, words: dict[str, str]) -> tuple[list[str], list[str]]:
    """What the figures say in a sentence for everyone or each group; and what they cannot say."""
    sentences, unsure = [], []
    for group in dict.fromkeys(figure.group for figure in block.figures):
        figures = [figure for figure in block.figures if figure.group == group and figure.value is not None]
        if not figures:
            continue
        before = f"{quoted(group, words)}: " if group else ""
        if block.kind in (MEAN, NUMBER):
            sentences += [_mean(figure, block, spoken, words) for figure in figures]
            continue
        top = max(figures, key=lambda figure: figure.value or 0.0)
        if all((top.low or 0.0) > (other.high or 0.0) for other in figures if other is not top):
            percent = spoken.said.words.percent(top.value or 0.0)
            said = words["most"].format(label=top.label, percent=percent, between=top.sentence)
            sentences.append(before + (said[0].lower() + said[1:] if before else said))
        elif group is None:
            sentences.append(words["nobody_most"])
            return sentences, [words["cannot_rank"].format(title=quoted(block.title, words))]
        else:
            unsure.append(quoted(group, words))
    title, groups = quoted(block.title, words), ", ".join(unsure)
    return sentences, [words["cannot_rank_in"].format(title=title, groups=groups)] if unsure else []


def _mean(figure: Figure, block: Block, spoken: Spoken, words: dict[str, str]) -> str:
    """A mean in a sentence; of several, each is that of the group it is labelled with."""
    said = words["the_mean"].format(
        value=exactly(figure, figure.value or 0.0, block.kind, spoken.said), between=figure.sentence
    )
    return said if len(block.figures) == 1 else f"{quoted(figure.label, words)}: {said[0].lower()}{said[1:]}"


def quoted(text: str, words: dict[str, str]) -> str:
    """A text in the quotes of a language, unless it has some already.

    >>> quoted("Płeć", words_in("pl")), quoted("“Sex” by “age”", words_in("en"))
    ('„Płeć”', '“Sex” by “age”')
    """
    return text if text.startswith(("„", "“")) else words["quoted"].format(text=text)


def _worth(block: Block, estimate: Estimate | None, spoken: Spoken, words: dict[str, str], exporting: bool) -> list[str]:
    """How much hiding cost, of everyone or of the one group that a condition makes."""
    known = [figure for figure in block.figures if figure.worth is not None and figure.value is not None and not figure.group]
    if not known or block.n is None or (block.kind == MEAN and len(block.figures) > 1):
        return []
    if not block.hidden:
        return [words["worth_open"]]
    # That of the largest share: near 0 hiding costs so much that nobody could make sense of the number.
    least = max(known, key=lambda figure: figure.value or 0.0).worth or 0.0
    sizes = None if estimate is None else estimate.group_sizes
    people = block.n if sizes is None else float(sizes[0])
    if least >= 0.99 * people or (sizes is not None and people < FEWEST and not exporting):
        return []
    language = spoken.said.words.language
    worth = direct_answers(_roughly(least), language)
    if sizes is None:
        return [words["worth"].format(n=answers_say(block.n, language), worth=worth)]
    # A group's answers are worth what they are among its own members, not among everyone.
    return [words["worth_group"].format(n=spoken.said.words.number(_roughly(people), ","), worth=worth)]


def _roughly(number: float) -> int:
    """A number of people to two figures."""
    return int(float(f"{number:.2g}"))


def drawn(block: Block, spoken: Spoken, title: str) -> list[Picture]:
    """A block as pictures on one axis, each of as many groups as fit half a page: paper breaks between pictures, not in them."""
    from markupsafe import Markup

    parts: list[list[Figure]] = [[]]
    lines = 0
    for name, group in itertools.groupby(block.figures, key=lambda figure: figure.group):
        figures = list(group)
        more = len(figures) + (name is not None)
        if parts[-1] and lines + more > MOST_ROWS:
            parts.append([])
            lines = 0
        parts[-1] += figures
        lines += more
    labels = [f"{title} ({place}/{len(parts)})" if len(parts) > 1 else title for place in range(1, len(parts) + 1)]
    pictures = []
    for label, part in zip(labels, parts, strict=True):
        some, ends = dataclasses.replace(block, figures=tuple(part)), reach(block)
        # `charts/dots.py` escapes every text in them.
        wide, narrow = (Markup(picture(some, spoken.said, label, ends, layout)) for layout in (WIDE, NARROW))
        pictures.append(Picture(label, wide, narrow))
    return pictures


def _named(figure: Figure) -> str:
    return f"{figure.group}, {figure.label}" if figure.group else figure.label
