"""One question of a privacy report: what it gives away, worded for people."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel, rounded_up
from deniable.core.channels.blocks import Block
from deniable.core.question_texts import Question
from deniable.core.schema import Schema
from deniable.privacy.measures.influence import in_people
from deniable.privacy.measures.priors import shares
from deniable.privacy.measures.worst_case import Rise, posterior_bound, worst_rise
from deniable.privacy.reporting.describe_designs import describe_design
from deniable.privacy.reporting.warnings import notable, warnings_of
from deniable.privacy.reporting.words import odds, percent, quoted, sentence

SUPPOSED = 0.1
"""The chance that an answer is supposed to have before the report, where nothing better is known."""

FEW = 10
"""Up to this many labels it is natural to suppose that one of them has a chance of 10%."""

NO_TEXTS = Question("", {})
"""For a question whose texts are not known: its labels are shown as they are."""

OPEN, NOT_PROTECTED = "open", "not protected"

DENSE = 2000
"""Up to this many labels every report is looked at under a given prior."""


@dataclass(frozen=True)
class Row:
    """What one question (or several that share a draw) gives away."""

    name: str
    questions: tuple[str, ...]
    hidden_by: str
    answers: str
    epsilon: float
    odds: str
    says: str
    supposing: str
    warnings: tuple[str, ...]
    counts_as: str
    """How many people one dishonest answer counts as, at most; empty where it is not worked out."""
    open: bool = False
    """Asked openly: the answer is reported as it is, on purpose."""
    text: str = ""
    """The question as people read it, where it is known."""

    @property
    def shown_epsilon(self) -> str:
        """Epsilon as reports show it; "open" where the question is asked openly."""
        return OPEN if self.open else rounded_up(self.epsilon)

    @property
    def sentence(self) -> str:
        """The worst case as a sentence, with what it supposes."""
        return self.says[0].upper() + self.says[1:] + (f" ({self.supposing})" if self.supposing else "") + "."


def row_of(block: Block, schema: Schema, prior: Mapping[str, Any], texts: Mapping[str, Question] | None = None) -> Row:
    """The row of a block, under the attributes' priors and with the texts of the answers, where these are given."""
    question = (texts or {}).get(block.name, NO_TEXTS)
    says, supposing = _worst(block, schema, prior, question)
    return Row(
        name=block.name,
        questions=block.attributes,
        hidden_by=_hidden(block),
        answers="; ".join(_answers(schema[name], question) for name in block.attributes),
        epsilon=block.epsilon,
        odds=NOT_PROTECTED if block.open else odds(block.epsilon),
        says=says,
        supposing=supposing,
        warnings=(*warnings_of(block), *notable(block.epsilon)),
        counts_as=in_people(block.channel) if isinstance(block.channel, Channel) else "",
        open=block.open,
    )


def at_odds(row: Row, epsilon: float) -> Row:
    """The row of a question that gives away more than its channel alone, for example to someone who knows a second answer."""
    after = percent(posterior_bound(epsilon, SUPPOSED), up=True)
    says = f"whatever someone reports, the chance of any true answer rises from 10% to at most {after}"
    return replace(row, epsilon=epsilon, odds=odds(epsilon), says=says, supposing="assuming it was thought 10% likely before")


def _sentence_of(worst: Rise, question: Question) -> str:
    return sentence(replace(worst, report=question.label(worst.report), truth=question.label(worst.truth)))


def _worst(block: Block, schema: Schema, prior: Mapping[str, Any], question: Question) -> tuple[str, str]:
    """The worst case in words, and what it supposes."""
    channel = block.channel
    if not isinstance(channel, Channel):
        return _worst_of_group(block, schema, prior)
    if block.open:
        return "asked openly: not protected by randomisation. Anyone who sees the report knows the true answer", ""
    if not channel.exact:
        return "the draw is made in floating point, whose last digits can betray the true answer", ""
    given = prior.get(block.name)
    if given is not None:
        believed = shares(channel, given, f"prior[{block.name!r}]")
        if channel.law.inputs <= DENSE:
            return _sentence_of(worst_rise(channel, believed), question), "with the given distribution of answers"
        rises = [posterior_bound(channel.epsilon, before) - before for before in believed.tolist()]
        worst = int(np.argmax(rises))
        return _bounded(
            question.label(channel.inputs[worst]), float(believed[worst]), channel.epsilon
        ), "with the given distribution of answers"
    if channel.law.inputs <= FEW and not math.isinf(channel.epsilon):
        return _sentence_of(
            _worst_of_few(channel), question
        ), "assuming that 10% of people have that answer, whatever the others have"
    return _sentence_of(_worst_of_uniform(channel), question), "assuming that all answers are equally likely"


def _worst_of_few(channel: Channel) -> Rise:
    """The report at which epsilon is reached; of several the last, which is "yes" where the answers are no and yes."""
    low, high = channel.law.column_range()
    ratios = np.where(high > 0, high / np.maximum(low, 1), 0.0)
    reached = [int(z) for z in np.flatnonzero(ratios >= ratios.max() * (1 - 1e-12))]
    spoken = [z for z in reached if channel.reported.missing is None or channel.outputs[z] != channel.reported.missing]
    z = (spoken or reached)[-1]
    truth = channel.inputs[int(np.argmax(channel.law.column(z)))]
    return Rise(channel.outputs[z], truth, SUPPOSED, posterior_bound(channel, SUPPOSED))


def _worst_of_uniform(channel: Channel) -> Rise:
    """The largest posterior under equal chances, from the ranges of the columns: no matrix is built, however wide."""
    _, high = channel.law.column_range()
    total = channel.law.push(np.ones(channel.law.inputs)) * channel.denominator
    possible = high > 0
    after = np.where(possible, high / np.where(possible, total, 1.0), 0.0)
    z = int(np.argmax(after))
    truth = int(np.argmax(channel.law.column(z)))
    return Rise(channel.outputs[z], channel.inputs[truth], 1 / channel.law.inputs, min(1.0, float(after[z])))


def _worst_of_group(block: Block, schema: Schema, prior: Mapping[str, Any]) -> tuple[str, str]:
    if math.isinf(block.epsilon):
        return "the reports to these questions together can rule out combinations of true answers", ""
    given = [name for name in block.attributes if prior.get(name) is not None]
    if not given:
        after = posterior_bound(block.epsilon, SUPPOSED)
        return (
            f"whatever someone reports to these questions together, the chance of any true answer, or combination of answers, rises "
            f"from 10% to at most {percent(after, up=True)}",
            "assuming it was thought 10% likely before",
        )
    best: tuple[float, str] = (-1.0, "")
    for name in given:
        channel = schema[name]
        for label, before in zip(channel.inputs, shares(channel, prior[name], f"prior[{name!r}]").tolist(), strict=True):
            rise = posterior_bound(block.epsilon, before) - before
            if rise > best[0]:
                best = (rise, _bounded(label, before, block.epsilon, name))
    return best[1], "with the given distribution of answers"


def _bounded(label: Any, before: float, epsilon: float, name: str | None = None) -> str:
    about = f" to {quoted(name)}" if name else ""
    after = posterior_bound(epsilon, before)
    return (
        f"whatever someone reports, the chance that the true answer{about} is {quoted(label)} rises from {percent(before)} to at "
        f"most {percent(after, up=True)}"
    )


def _hidden(block: Block) -> str:
    channel = block.channel
    if not isinstance(channel, Channel):
        kinds = sorted({type(member).__name__ for member in channel.channels})
        become = "reversed" if channel.flips else "replaced"
        return (
            f"one draw for all: {percent(float(channel.theta))} of the time all true answers are reported, otherwise all are {become} "
            f"({', '.join(kinds)})"
        )
    name = type(channel).__name__
    if channel.adds_noise:
        return f"{describe_design(channel)} ({name})"
    if block.open:
        return "nothing: it is asked openly and reported as it is"
    if not channel.exact or channel.inputs != channel.outputs or channel.law.inputs > DENSE:
        return f"{describe_design(channel)} ({name})"
    kept = [int(channel.law.column(z)[z]) / channel.denominator for z in range(channel.law.inputs)]
    low, high = percent(min(kept)), percent(max(kept))
    return f"the true answer is reported {low if low == high else f'{low} to {high}'} of the time ({name})"


def _answers(channel: Channel, question: Question) -> str:
    if not channel.exact:
        return channel.domain.allowed
    if channel.domain.size > FEW:
        answered = channel.domain.size - (channel.domain.missing is not None)
        ends = (
            f"{answered:,} values, {quoted(question.label(channel.inputs[0]))} to "
            f"{quoted(question.label(channel.inputs[answered - 1]))}"
        )
        return ends if channel.domain.missing is None else f"{ends}, or {quoted(question.label(channel.domain.missing))}"
    return ", ".join(str(question.label(label)) for label in channel.inputs)
