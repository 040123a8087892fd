"""The view that compares two groups: each difference with its interval and a verdict, adjusted for the number of verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from deniable.core.domains.domain import Domain
from deniable.core.estimate import Estimate
from deniable.errors import ParameterError
from deniable.results.calls import Call, call
from deniable.results.conditions import check_differ, chosen, in_words, read_condition
from deniable.results.estimating import Found, attributes_of, names_of
from deniable.results.figures import MEAN, NUMBER, POINTS, SHARE, Block, Figure, figures_of
from deniable.results.material import Material, Spoken
from deniable.results.questions import Comparison
from deniable.results.remarks import remarks
from deniable.results.reported import reported_means, reported_shares
from deniable.results.rounding import supported
from deniable.results.verdicts import holm, more_answers, p_value
from deniable.results.words import Said
from deniable.statistics.conditions import Condition, bare

MOST_COMPARED = 30
"""Answers are compared one by one up to so many."""
FIRST, SECOND = "first", "second"


def comparison(material: Material, asked: Comparison, spoken: Spoken) -> Found:
    """How two groups differ in the share of an answer, of every answer, or in their mean."""
    first, second = _groups(asked)
    check_differ(first, second)
    material.check(names_of(asked.of, None, first, second))
    between = (bare(first), bare(second))
    calls: list[Call] = (
        [call("difference", of=asked.of, between=between)] if asked.mean
        else [call("difference", chosen(asked.of, label), between=between) for label in _labels(material.schema[asked.of].domain, asked)]
    )  # fmt: skip
    estimates = [one.run(material.sample) for one in calls]
    told = holm([p_value(estimate) for estimate in estimates])
    sides, differences = judged(material, asked, spoken, estimates, told, len(estimates))
    if len(estimates) > 1:
        adjusted = spoken.said.adjusted.format(count=len(estimates))
        differences = replace(differences, sentences=(*differences.sentences, adjusted))
    return Found(differences.title, (sides, differences), (), tuple(calls), tuple(estimates))


def judged(
    material: Material, asked: Comparison, spoken: Spoken, estimates: Sequence[Estimate], told: Sequence[bool], verdicts: int
) -> tuple[Block, Block]:
    """Both groups, and their differences with verdicts.

    Parameters
    ----------
    material, asked, spoken
        The answers, what is compared, and the language.
    estimates
        The differences, one for each answer that is compared.
    told
        Which of them are larger than chance explains.
    verdicts
        For how many verdicts that was adjusted: those of one comparison, or of a whole report.

    Returns
    -------
    tuple of Block
        What each group has by itself, and the differences.
    """
    conditions = _groups(asked)
    labels = [asked.of] if asked.mean else _labels(material.schema[asked.of].domain, asked)
    named = [spoken.title(asked.of)] if asked.mean else [spoken.label(asked.of, label) for label in labels]
    marks = [_reported(material, asked, condition, labels) for condition in conditions]
    figures = [
        _difference(estimate, label, word, yes, (one, two), asked.mean, spoken)
        for estimate, label, word, yes, one, two in zip(estimates, labels, named, told, *marks, strict=True)
    ]
    groups = [in_words(condition, spoken.questions, spoken.said) for condition in conditions]
    sentences = [
        _said(estimate, figure, groups, asked.mean, verdicts, spoken)
        for estimate, figure in zip(estimates, figures, strict=True)
    ]
    title = spoken.said.mean.format(title=spoken.title(asked.of)) if asked.mean else spoken.title(asked.of)
    hidden = material.hides(attributes_of(asked))
    differences = Block(
        asked.of, title, NUMBER if asked.mean else POINTS, tuple(figures), estimates[0].n, tuple(sentences),
        remarks(estimates, spoken), None if asked.mean else (-1.0, 1.0), hidden=hidden,
        extra={"verdicts": verdicts},
    )  # fmt: skip
    kind = MEAN if asked.mean else SHARE
    sides = [
        _side(estimate.sides[place][1], kind, (word, group), ((FIRST, SECOND)[place], label), reported, spoken.said)
        for place, group in enumerate(groups)
        for estimate, label, word, reported in zip(estimates, labels, named, marks[place], strict=True)
    ]
    limits = estimates[0].sides[0][1].limits if asked.mean else (0.0, 1.0)
    both = Block(asked.of, spoken.title(asked.of), kind, tuple(sides), estimates[0].n, limits=limits, hidden=hidden)
    return both, differences


def _groups(asked: Comparison) -> tuple[Condition, Condition]:
    first, second = read_condition(asked.first), read_condition(asked.second)
    assert first is not None
    assert second is not None
    return first, second


def _labels(domain: Domain, asked: Comparison) -> Sequence[Any]:
    """The answers that are compared: of yes and no, one is enough, and silence only if it is named."""
    if asked.label is not None:
        found = [label for label in domain.labels if str(label) == asked.label]
        if not found:
            raise ParameterError(
                "value_outside",
                "{name!r} cannot be {got!r}; allowed: {allowed}.",
                name=asked.of,
                got=asked.label,
                allowed=domain.allowed,
            )
        return found[:1]
    labels = [label for label in domain.labels if domain.missing is None or label != domain.missing]
    if len(labels) > MOST_COMPARED:
        raise ParameterError(
            "too_many_labels", "{name!r} has {k:,} values; compare means, or one of them.", name=asked.of, k=len(labels)
        )
    return labels[1:] if len(labels) == 2 else labels


def _reported(material: Material, asked: Comparison, condition: Condition, labels: Sequence[Any]) -> Sequence[float | None]:
    """What those reported who report to be in a group: their mean, or the shares of answers; None each where reports are no answers."""
    if asked.mean:
        means = reported_means(material, asked.of, condition)
        return [None] if means is None else [float(means[0])]
    shares = reported_shares(material, asked.of, condition)
    if shares is None:
        return [None] * len(labels)
    places = {label: place for place, label in enumerate(material.schema[asked.of].domain.labels)}
    return [float(shares[places[label]]) for label in labels]


def _difference(
    estimate: Estimate,
    label: Any,
    word: str,
    told: bool,
    reported: tuple[float | None, float | None],
    mean: bool,
    spoken: Spoken,
) -> Figure:
    """The difference of an answer, or of means; what was reported of it is the difference of what each group reported."""
    one, two = reported
    mark = None if one is None or two is None else [one - two]
    (figure,) = figures_of(estimate, NUMBER if mean else POINTS, spoken.said, [None], mark)
    return replace(figure, label=word, codes=(label,), told=None if figure.value is None else told)


def _side(
    estimate: Estimate, kind: str, words: tuple[str, str], codes: tuple[Any, ...], reported: float | None, said: Said
) -> Figure:
    """What one of the two groups has by itself; `words` are for the answer and for the group."""
    (figure,) = figures_of(estimate, kind, said, [None], None if reported is None else [reported])
    return replace(figure, label=words[0], group=words[1], codes=codes)


def _said(estimate: Estimate, figure: Figure, groups: Sequence[str], mean: bool, verdicts: int, spoken: Spoken) -> str:
    """Both sides, and whether they differ."""
    said, words = spoken.said, spoken.said.words
    sides = [side for _, side in estimate.sides]
    written = [_written(side, mean, said) for side in sides]
    both = (said.compared_means if mean else said.compared).format(
        answer=figure.label, first=groups[0], second=groups[1], one=written[0], two=written[1]
    )
    if figure.told and figure.value is not None:
        size = f"{said.points(figure.value)} {words.points}"
        if mean:
            size = supported(abs(figure.value), figure.low or 0.0, figure.high or 0.0, said)
        return f"{both}: {said.larger.format(difference=size)}"
    more = None if figure.value is None else more_answers(estimate, verdicts)
    if more is None:
        return f"{both}: {said.not_told}"
    return f"{both}: {said.not_told_more.format(more=said.more_answers(more))}"


def _written(side: Estimate, mean: bool, said: Said) -> str:
    """What one of the two groups has, in a sentence about both."""
    if np.isnan(side.shown[0]) or not side.has_interval:
        return said.too_few
    if not mean:
        return said.words.percent(side.shown[0])
    low, high = side.interval()
    return supported(float(side.shown[0]), float(low[0]), float(high[0]), said)
