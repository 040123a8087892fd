"""Views that ask a `dn.Sample`: all questions, one question, means, cross tables and versions side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from deniable.core.estimate import Estimate
from deniable.core.estimate_sentences import in_the_group
from deniable.errors import NoIntervalError, NotInvertibleError
from deniable.results.calls import Call, call
from deniable.results.conditions import in_words, read_condition
from deniable.results.figures import MEAN, SHARE, Block, figures_of
from deniable.results.material import Material, Spoken
from deniable.results.questions import CrossTable, MeanOf, OneQuestion, Overview, Question, Versions
from deniable.results.remarks import remarks, why_not
from deniable.results.reported import reported_means, reported_shares
from deniable.results.tallies import Released
from deniable.statistics.conditions import Condition
from deniable.statistics.label_numbers import has_numbers

MOST_LABELS = 30
"""Numbers of more values than this are put into bins."""
BINS = 10
MOST_GROUPS = 12
"""Groups of a number with more values than this are bins."""
GROUP_BINS = 4


@dataclass(frozen=True)
class Found:
    """What a view found: its blocks, what is said of all of them, the calls behind the blocks, and their estimates as `dn.Sample` gave
    them."""

    title: str
    blocks: tuple[Block, ...]
    sentences: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    estimates: tuple[Estimate | None, ...] = ()
    code: tuple[str, ...] | None = None
    """The lines of the twin, where they are more than calls of a sample."""


def bins_of(material: Material, name: str, most: int, bins: int) -> int | None:
    """How many bins the values of a number are put into, unless they are few."""
    domain = material.schema[name].domain
    return bins if domain.is_numeric and domain.size > most else None


def means_only(material: Material, name: str) -> bool:
    """Whether the reports of a number tell its mean and nothing else."""
    return material.schema[name].tells_means_only


def overview(material: Material, asked: Overview, spoken: Spoken) -> Found:
    """All questions, each by itself."""
    condition = read_condition(asked.where)
    names = list(material.schema)
    of_condition = [] if condition is None else condition.attributes()
    if isinstance(material.data, Released):
        material.data.prepare([list(dict.fromkeys([name, *of_condition])) for name in names])
    each = [_or_why(material, OneQuestion(name, where=asked.where), spoken) for name in names]
    return Found(
        spoken.said.overview,
        tuple(block for found in each for block in found.blocks),
        within(condition, spoken),
        tuple(one for found in each for one in found.calls),
        tuple(one for found in each for one in found.estimates),
    )


def _or_why(material: Material, asked: OneQuestion, spoken: Spoken) -> Found:
    """One question, or why it cannot be answered: the others still can."""
    if not material.may(names_of(asked.of, None, read_condition(asked.where))):
        return not_shown(asked.of, spoken.title(asked.of), spoken, material.instead)
    try:
        return one_question(material, asked, spoken)
    except (NotInvertibleError, NoIntervalError) as error:
        block = Block(
            asked.of, spoken.title(asked.of), SHARE, (), None, (spoken.said.cannot_be_told,), (why_not(error, spoken),)
        )
        return Found(block.title, (block,))


def not_shown(name: str, title: str, spoken: Spoken, why: str = "too_few") -> Found:
    """What is shown instead of a view that may not be seen, of too few people for example: why, and nothing else, not even how few.

    Parameters
    ----------
    name, title
        The attribute that it is about, and what the view is called.
    spoken
        The language.
    why
        The name of a sentence of `Said`.

    Returns
    -------
    Found
    """
    block = Block(name, title, SHARE, (), None, (getattr(spoken.said, why),))
    return Found(block.title, (block,))


def one_question(material: Material, asked: OneQuestion, spoken: Spoken) -> Found:
    """The distribution of a question; the mean of a number that was hidden so that nothing else can be told."""
    condition = read_condition(asked.where)
    material.check(names_of(asked.of, asked.by, condition))
    if means_only(material, asked.of):
        return mean_of(material, MeanOf(asked.of, asked.by, asked.where), spoken)
    bins = asked.bins if material.schema[asked.of].domain.is_numeric else None
    bins = bins or bins_of(material, asked.of, MOST_LABELS, BINS)
    by_bins = None if asked.by is None else bins_of(material, asked.by, MOST_GROUPS, GROUP_BINS)
    asking = call("distribution", asked.of, where=asked.where, by=asked.by, bins=bins, by_bins=by_bins)
    marks = reported_shares(material, asked.of, condition, asked.by, bins, by_bins)
    block, estimate = _block(material, asking, SHARE, spoken, asked, marks)
    return Found(block.title, (block,), within(condition, spoken), (asking,), (estimate,))


def mean_of(material: Material, asked: MeanOf, spoken: Spoken) -> Found:
    """The mean of a number or rating."""
    condition = read_condition(asked.where)
    material.check(names_of(asked.of, asked.by, condition))
    by_bins = None if asked.by is None else bins_of(material, asked.by, MOST_GROUPS, GROUP_BINS)
    asking = call("mean", asked.of, where=asked.where, by=asked.by, by_bins=by_bins)
    marks = (
        reported_means(material, asked.of, condition, asked.by, by_bins)
        if has_numbers(material.schema[asked.of].domain)
        else None
    )
    block, estimate = _block(material, asking, MEAN, spoken, asked, marks)
    return Found(block.title, (block,), within(condition, spoken), (asking,), (estimate,))


def cross_table(material: Material, asked: CrossTable, spoken: Spoken) -> Found:
    """The joint shares of two questions: those of `by` in rows, those of `of` in columns."""
    material.check([asked.of, asked.by])
    bins = {name: bins_of(material, name, MOST_GROUPS, GROUP_BINS) for name in (asked.by, asked.of)}
    given = {name: count for name, count in bins.items() if count is not None}
    asking = call("crosstab", asked.by, asked.of, bins=given or None)
    marks = reported_shares(material, asked.of, None, asked.by, bins[asked.of], bins[asked.by], of_everyone=True)
    block, estimate = _block(material, asking, SHARE, spoken, asked, marks)
    block = replace(block, table=True, sentences=(*block.sentences, f"{spoken.said.words.of_everyone}.".capitalize()))
    return Found(block.title, (block,), (), (asking,), (estimate,))


def versions(materials: Sequence[Material], asked: Versions, spoken: Spoken) -> Found:
    """The distribution of a question in each version that asks it."""
    blocks: list[Block] = []
    calls: list[Call] = []
    estimates: list[Estimate | None] = []
    for material in materials:
        if asked.of not in material.schema:
            continue
        found = _or_why(material, OneQuestion(asked.of), material.spoken(spoken.said.words.language))
        label = spoken.said.version.format(number=material.number)
        blocks += [
            replace(block, title=f"{block.title} ({label})", extra={"version": material.number}) for block in found.blocks
        ]
        calls += found.calls
        estimates += found.estimates
    if not blocks:
        materials[-1].check([asked.of])
    return Found(
        spoken.said.by_version.format(title=spoken.title(asked.of)), tuple(blocks), (), tuple(calls), tuple(estimates),
    )  # fmt: skip


def _block(
    material: Material, asking: Call, kind: str, spoken: Spoken, asked: OneQuestion | MeanOf | CrossTable, marks: Any
) -> tuple[Block, Estimate]:
    of, by = asked.of, asked.by
    estimate = asking.run(material.sample)
    texts = [spoken.questions.get(by or ""), spoken.questions.get(of)]
    if kind == MEAN:
        texts = [spoken.questions.get(by or "")]
    figures = figures_of(estimate, kind, spoken.said, texts, marks)
    if kind == MEAN and by is None:
        figures = tuple(replace(figure, label=spoken.title(of)) for figure in figures)
    one = spoken.title(of)
    title = one if by is None else spoken.said.words.one_by_other.format(one=one, other=spoken.title(by))
    title = spoken.said.mean.format(title=title) if kind == MEAN else title
    counted = spoken.said.answers.format(n=spoken.said.words.number(estimate.n, ","))
    # Of a group of which nothing is shown, not even its size is.
    inside = in_the_group(estimate, spoken.said.words) if any(figure.value is not None for figure in figures) else ""
    counted = f"{counted}, {inside}" if inside else counted
    limits, hidden = estimate.limits if kind == MEAN else (0.0, 1.0), material.hides(attributes_of(asked))
    return Block(
        of, title, kind, figures, estimate.n, (f"{counted}.",), remarks([estimate], spoken), limits, hidden=hidden
    ), estimate


def within(condition: Condition | None, spoken: Spoken) -> tuple[str, ...]:
    """Of whom a view speaks, where that is not everyone."""
    return (
        () if condition is None else (spoken.said.within.format(condition=in_words(condition, spoken.questions, spoken.said)),)
    )


def names_of(of: str, by: str | None, *conditions: Condition | None) -> list[str]:
    """All attributes of a view, each once."""
    asked = [name for condition in conditions if condition is not None for name in condition.attributes()]
    return list(dict.fromkeys([of, *([by] if by else []), *asked]))


def attributes_of(question: Question) -> list[str]:
    """The attributes that a question is about, those of its conditions included; none of an overview but its condition's."""
    texts = [getattr(question, name, None) for name in ("where", "first", "second")]
    conditions = [read_condition(text) for text in texts]
    of = getattr(question, "of", None)
    named = [*(of if isinstance(of, tuple) else [of] if of else []), *getattr(question, "given", ())]
    by = getattr(question, "by", None)
    asked = [name for condition in conditions if condition is not None for name in condition.attributes()]
    return list(dict.fromkeys([*named, *([by] if by else []), *asked]))
