"""What a designer should know about a question before asking it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from deniable.core.channels.additive import Additive
from deniable.core.channels.base import Channel, rounded_up
from deniable.core.channels.blocks import Block
from deniable.core.channels.designs import Identity
from deniable.core.channels.groups import JointChannel
from deniable.core.schema import Schema, summed
from deniable.errors import DeniableError, ParameterError
from deniable.privacy.measures.edges import edge_leak
from deniable.privacy.measures.finite import nearest_finite
from deniable.privacy.measures.worst_case import posterior_bound
from deniable.privacy.reporting.second_question import known_second_answer
from deniable.privacy.reporting.words import odds, percent, quoted

WEAK = 6.0
"""From this epsilon on a single report can make an unlikely answer nearly certain."""

NOTABLE = 9
"""A report that changes someone's odds by more than this factor protects less than the lightest level of a questionnaire."""

HIDE_MORE = "Hide the answer more, or offer fewer answers to choose from."

ALL_TOGETHER = "all questions together"
"""What a warning is about if it concerns no single question."""

MEANS_ALONE = "its reports tell means alone: no shares and no quantiles can be worked out from them."
"""Of designs that are made so."""

NEARLY_SINGULAR = 1e6
"""From this condition number on, the shares of single answers can hardly be estimated."""


def warnings_of(given: Block | Channel | Schema) -> list[str]:
    """Sentences about a channel, or about attributes that share a draw (a block of `schema.blocks`): what rules answers out, leaks at
    the ends, can hardly be estimated or protects nobody. For a whole schema: all of them, each after the name of its block.

    >>> import deniable as dn
    >>> dn.privacy.warnings_of(dn.Flip(1, 0.5))[0].split(". ")[0]
    'epsilon is infinite: a report of 0 can come from 0, but proves that the true answer is not 1'
    >>> dn.privacy.warnings_of(dn.Schema({"age": dn.Identity(dn.Binary()), "ill": dn.KRR(dn.Binary(), 0.7)}))[0].split(".")[0]
    'age: it is reported as it is'
    """
    if isinstance(given, Schema):
        return [f"{block.name}: {warning}" for block in given.blocks for warning in warnings_of(block)]
    channel = given.channel if isinstance(given, Block) else given
    if isinstance(channel, JointChannel):
        return _of_group(channel)
    if not isinstance(channel, Channel):
        raise ParameterError(
            "not_a_channel",
            "warnings_of takes a channel, a schema or one of schema.blocks (attributes that share a draw), got {got}.",
            got=type(given).__name__,
        )
    if not channel.exact:
        return [
            "works in floating point: for simulation only, it protects nobody. Give the domain a step, so that the answers are a "
            "finite grid."
        ]
    return [*_ruled_out(channel), *known_second_answer(channel), *weak(channel.epsilon), *_edges(channel), *_singular(channel)]


def weak(epsilon: float) -> list[str]:
    """A sentence about an epsilon that is finite but protects little.

    >>> weak(1.0), weak(7.0)[0].split(".")[0]
    ([], 'weak protection: a report can raise a chance of 10% to 99')
    """
    if not WEAK <= epsilon < math.inf:
        return []
    after = posterior_bound(epsilon, 0.1)
    return [f"weak protection: a report can raise a chance of 10% to {percent(after, up=True)}. {HIDE_MORE}"]


def weak_together(epsilons: Sequence[float]) -> list[str]:
    """The same about several answers of one person together.

    >>> weak_together([7.0]), weak_together([4.0, 3.0])[0].split(".")[0]
    ([], "weak protection: all of someone's reports together can raise a chance of 10% to 99")
    """
    total = summed(list(epsilons))
    if len(epsilons) < 2 or not WEAK <= total < math.inf:
        return []
    after = percent(posterior_bound(total, 0.1), up=True)
    return [
        f"weak protection: all of someone's reports together can raise a chance of 10% to {after}. Ask fewer questions, or hide the "
        "answers more."
    ]


def notable(epsilon: float) -> list[str]:
    """A sentence about a finite epsilon that is above the lightest level of a questionnaire, and below what `weak` covers.

    >>> notable(math.log(9)), notable(7.0), notable(math.log(19))[0].split(" (")[0]
    ([], [], "weak protection: a report can change someone's odds by a factor of up to 19.0")
    """
    if epsilon >= WEAK or math.exp(epsilon) <= NOTABLE * (1 + 1e-9):
        return []
    after = percent(posterior_bound(epsilon, 0.1), up=True)
    return [
        f"weak protection: a report can change someone's odds {odds(epsilon).replace('at most', 'up to')} (the lightest level of a "
        f"questionnaire: {NOTABLE}), so a chance of 10% may become {after}. {HIDE_MORE}"
    ]


def _of_group(group: JointChannel) -> list[str]:
    if not math.isinf(group.epsilon):
        return weak(group.epsilon)
    if group.flips:
        return [
            "the joint report of this group rules out all combinations of answers but two (as reported, and all reversed): "
            "epsilon is infinite. Let each question have its own draw, or use UnrelatedQuestion for all of them."
        ]
    return [
        "the joint report of this group rules out some combinations of answers, because they can never come from the innocuous "
        "questions: epsilon is infinite. Give every combination an innocuous probability above 0, and theta below 1."
    ]


def _ruled_out(channel: Channel) -> list[str]:
    if not math.isinf(channel.epsilon):
        return []
    if isinstance(channel, Identity):
        sentence = "it is reported as it is."
    else:
        z, likelier, rarer = channel.worst_case
        sentence = (
            f"epsilon is infinite: a report of {quoted(z)} can come from {quoted(likelier)}, but proves that the true answer is not "
            f"{quoted(rarer)}."
        )
    return [sentence + _suggestion(channel)]


def _suggestion(channel: Channel) -> str:
    try:
        finite = nearest_finite(channel)
    except DeniableError:
        return ""
    if math.isinf(finite.epsilon):
        return ""
    if isinstance(finite, Additive):
        what = f"{finite.noise!r} noise with the same standard deviation"
    else:
        what = "replace 5% of the reports with an even draw from all answers"
    return f" The nearest design with a finite epsilon ({rounded_up(finite.epsilon, 1)}): {what}."


def _edges(channel: Channel) -> list[str]:
    leak = edge_leak(channel)
    if not leak:
        return []
    return [
        f"bounded noise: {leak:.1%} of the reports (if all answers are equally frequent) prove that the true value "
        "lies near an end of the range."
    ]


def _singular(channel: Channel) -> list[str]:
    if channel.tells_means_only:
        return [MEANS_ALONE]
    condition = channel.condition_number
    if condition <= NEARLY_SINGULAR:
        return []
    if math.isinf(condition):
        return ["cannot be undone: different distributions of answers give the same reports."]
    advice = "ask for the mean or for wide bins" if isinstance(channel, Additive) else "error bars will be very wide"
    return [f"the shares of single answers can hardly be estimated (condition number {condition:.1g}): {advice}."]
