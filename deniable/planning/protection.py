"""The same way of hiding, stronger or weaker: a channel that changes nobody's odds by more than a given factor."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from deniable.core.channels.additive import Additive
from deniable.core.channels.base import Channel
from deniable.core.channels.designs import KRR, Crosswise, Identity, Retention, UnrelatedQuestion
from deniable.core.channels.laws import Mixture
from deniable.core.channels.noise import Laplace, Noise, Normal
from deniable.core.channels.number_designs import OneBit, Piecewise
from deniable.core.channels.optional import Optional
from deniable.core.domains.domain import NO_ANSWER
from deniable.errors import ParameterError

Design = Callable[[Channel, Fraction], Channel]
"""From a channel and the largest odds to the channel that takes its place."""
FINEST = 200
"""Scales of noise are tried to this part of the range of the numbers."""


def protected_at(channel: Channel, odds: Fraction) -> Channel:
    """The same design at these odds: what is kept or replaced is kept as often as they allow, noise is as small as they allow, one bit and
    windows are as likely. A number that may be withheld is withheld as often as before. Other designs become randomised response. Refused
    where no noise is enough.

    >>> import deniable as dn
    >>> protected_at(dn.KRR(dn.Nominal(["a", "b", "c"]), 0.5), Fraction(3)).p
    Fraction(3, 5)
    >>> round(math.exp(protected_at(dn.UnrelatedQuestion(dn.Binary(), 0.4, 0.3), Fraction(4)).epsilon), 9)
    4.0
    """
    if odds <= 1:
        raise ParameterError("odds", "The odds must be above 1, got {got}.", got=float(odds))
    if isinstance(channel, Crosswise):
        return Crosswise((odds if channel.p > Fraction(1, 2) else 1) / (odds + 1), channel.domain)
    # Anyone who knows what somebody answers to a second question learns more than its odds say: such a one is not proposed.
    if isinstance(channel, Retention) and not (isinstance(channel, UnrelatedQuestion) and channel.asked):
        replacing = channel.parameters()
        if isinstance(channel, UnrelatedQuestion):
            return UnrelatedQuestion(channel.domain, _kept(channel, odds), replacing["innocuous"])
        return Retention(channel.domain, _kept(channel, odds), replacing["replacement"])
    if isinstance(channel, Additive) and _scalable(channel.noise):
        return _with_noise(channel, odds, lambda hidden: hidden)
    if isinstance(channel, Optional) and isinstance(channel.channel, Additive) and _scalable(channel.channel.noise):
        kept, word = channel.p, channel.domain.missing or NO_ANSWER
        return _with_noise(channel.channel, odds, lambda hidden: Optional(hidden, kept, word))
    if isinstance(channel, OneBit):
        return OneBit(channel.domain, odds)
    if isinstance(channel, Piecewise):
        # A width of 1 was chosen for means; other windows are as wide as the odds want them.
        few = channel.width == 1
        return Piecewise(channel.domain, odds, channel.reports, 1) if few else Piecewise(channel.domain, odds)
    return KRR(channel.domain, odds / (odds + channel.domain.size - 1))


def is_open(channel: Channel) -> bool:
    """Whether the answer is asked openly: nothing protects it, and nothing is to be chosen."""
    return isinstance(channel, Identity)


def _kept(channel: Retention, odds: Fraction) -> Fraction:
    """How often the answer is kept: odds = 1 + p / ((1 - p) q), q being the share of the rarest replacement."""
    assert isinstance(channel.law, Mixture)
    parts = channel.law.replacement.tolist()
    rarest = Fraction(min(parts), sum(parts)) if sum(parts) else Fraction(1, len(parts))
    if not rarest:
        raise ParameterError(
            "never_replaced",
            "Some answer never replaces another, so its report proves it: no odds can be had. Let every answer replace others.",
        )
    return (odds - 1) * rarest / (1 + (odds - 1) * rarest)


def _scalable(noise: Noise) -> bool:
    return isinstance(noise, (Laplace, Normal))


def _with_noise(channel: Additive, odds: Fraction, around: Callable[[Channel], Channel]) -> Channel:
    """The smallest scale of the noise that stays within the odds."""
    numbers = channel.domain.numbers()
    span, most = float(numbers[-1] - numbers[0]), math.log(odds) + 1e-12
    kind = Laplace if isinstance(channel.noise, Laplace) else Normal

    def hidden(step: int) -> Channel:
        return around(Additive(channel.domain, kind(Fraction(span).limit_denominator(1_000) * step / FINEST), edges="clamp"))

    low, high = 0, FINEST
    while hidden(high).epsilon > most:
        low, high = high, 4 * high
        if high > 1_000 * FINEST:
            raise ParameterError(
                "odds_of_noise",
                "No noise keeps the odds within a factor of {odds:g}: ask for the number in ranges.",
                odds=float(odds),
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if hidden(middle).epsilon > most else (low, middle)
    return hidden(high)
