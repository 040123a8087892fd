"""How many people one dishonest answer counts as: what hides an honest answer also magnifies one that was never randomised."""

from __future__ import annotations

import math

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.laws import Mixture
from deniable.errors import NotInvertibleError, ParameterError, WideDomainError

WIDEST = 1_200
"""Up to this many labels the weights of a channel that is no mixture are looked at one by one."""


def influence(channel: Channel) -> float:
    """The most by which one person who sends a label of their choice, without any draw, moves the estimated count of any answer.

    An estimate adds up w_y(z), the unbiased weight of report z for answer y: for an honest person 0 or 1 on average. Anyone who chooses
    z moves the count of y by max(|w_y(z)|, |w_y(z) - 1|) people. For randomised response with k labels and odds of a, that is
    (a + k - 2) / (a - 1): the better answers are hidden and the more labels there are, the more one lie weighs. Of numbers whose means
    alone are told (`dn.OneBit`) it is the sum that is moved: by so many times what one honest answer can add to it at most.

    >>> import deniable as dn
    >>> strong = dn.KRR(dn.Nominal(["no", "yes"], missing="no answer"), "3/5")
    >>> dn.privacy.influence(strong), dn.privacy.influence(dn.Identity(dn.Binary()))
    (2.0, 1.0)
    """
    if not isinstance(channel, Channel) or not channel.exact:
        raise ParameterError(
            "influence_of", "influence takes a channel over a finite list of answers, got {got!r}.", got=channel
        )
    law = channel.law
    if channel.tells_means_only:
        # Nobody is counted: what is moved is a sum, measured by the most that an honest answer can make of it.
        numbers = np.linspace(0.0, 1.0, law.inputs - (channel.domain.missing is not None))
        weights = law.weights(np.append(numbers, [0.0] * (law.inputs - len(numbers))))
    elif isinstance(law, Mixture):
        if law.diagonal == 0:
            return math.inf
        # w_y(z) = (denominator [y = z] - replacement[y]) / diagonal
        same = (law.denominator - law.replacement) / law.diagonal
        other = -law.replacement / law.diagonal
        weights = np.concatenate([same, other] if law.inputs > 1 else [same])
    elif law.inputs > WIDEST:
        raise WideDomainError(
            "influence_wide", "The influence of one answer is worked out for up to {most:,} labels, got {got:,}.",
            most=WIDEST, got=law.inputs,
        )  # fmt: skip
    else:
        try:
            weights = law.inverse
        except NotInvertibleError:
            return math.inf
    return float(max(np.abs(weights).max(), np.abs(weights - 1).max()))


def in_people(channel: Channel, answers: int | None = None, known: float | None = None) -> str:
    """The same in words, if this many `answers` are expected; an empty text where it is not worked out. `known` is the influence, for
    estimates that use other weights than the unbiased ones.

    >>> import deniable as dn
    >>> in_people(dn.KRR(dn.Binary(), 0.75)), in_people(dn.KRR(dn.Binary(), 0.501), 100)
    ('1.5 people', 'all who answer')
    """
    try:
        people = influence(channel) if known is None else known
    except (ParameterError, WideDomainError):
        return ""
    # A count is never above the number of those who answer, and never moves by more.
    if people > (1e6 if answers is None else answers):
        return "all who answer"
    if people <= 1 + 1e-6:
        return "one person"
    # Rounded up, like everything that speaks against a design.
    return f"{math.ceil(people * 10 - 1e-6) / 10:,.1f} people"
