"""How well a share or a mean will be known, and what one lie can do to it: with the weights that estimates use (docs/noise.md).

The margin is that of the interval before it is cut at 0 and 1: so many standard errors, and the bias. It chooses the answer that is hardest
to tell; `outcomes.py` works out the interval itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np

from deniable.core.caps import Cap, critical_value
from deniable.core.channels.additive import Additive
from deniable.core.channels.base import Channel
from deniable.core.channels.designs import Identity
from deniable.core.channels.laws import Law
from deniable.core.channels.optional import Optional
from deniable.core.domains.exact import Floats
from deniable.core.undoing import Undoer
from deniable.planning.mean_errors import MeanErrors

SHARE = 0.2
"""The share for which costs are shown: neither rare nor half of all."""

MOST_LABELS = 100
"""Labels of longer lists are alike, or nobody asks for a single one."""

CERTAIN = 0.95
"""Confidence of the margins; and `answered` is tried as high as this to see whether it is what binds."""


@dataclass(frozen=True)
class Known:
    """How far a share may be off either way, bias included; behind noise also what one lie moves it by, in people. `asked` has 1 for the
    true codes that it is the share of, else 0."""

    margin: float
    about: str
    influence: float | None = None
    asked: Floats = field(default_factory=lambda: np.zeros(0))
    direct: float = SHARE * (1 - SHARE)
    """The variance of one answer that is given openly."""


USES = ("mean", "share", "quantile")
"""What a number may be asked for."""


def known_for(channel: Channel, answers: int, use: str | None) -> Known:
    """How well so many answers will tell what a number is asked for. Of a mean, if all answers are equally frequent, the margin is a part
    of the range of the numbers, else one of the people.

    >>> import deniable as dn
    >>> hours = dn.OneBit(dn.Integer(0, 99), 5)
    >>> round(99 * known_for(hours, 1_000, "mean").margin, 1)
    4.6
    """
    if use is None:
        return known_to(channel, answers)
    if use == "mean":
        errors = MeanErrors(channel)
        margin = NormalDist().inv_cdf(0.5 + CERTAIN / 2) * errors.evenly / errors.span / answers**0.5
        return Known(margin, "the mean", direct=errors.direct)
    if use == "share":
        return _known_below(channel, answers, SHARE, f"a share of {SHARE:.0%} (of the lowest fifth of the values)")
    return _known_below(channel, answers, 0.5, "the share below the median")


def known_to(channel: Channel, answers: int, share: float = SHARE) -> Known:
    """How well so many answers will tell a share of 20%, or another: of the answer that is hardest to tell, behind noise of the lowest
    fifth of the values (the lowest tenth for a share of 10%).

    >>> import deniable as dn
    >>> age = dn.Optional(dn.Additive(dn.Integer(18, 90), dn.Laplace(35), edges="clamp"), 0.3)
    >>> round(known_to(age, 3_000).margin, 2), round(known_to(age, 1_000_000).margin, 2)
    (0.31, 0.1)
    """
    law = channel.law
    if not is_noisy(channel):
        candidates = (one_label(law, label, share) for label in range(min(law.inputs, MOST_LABELS)))
        margins = [(_margin(law.weights(asked), law.push(truth), answers), asked) for asked, truth in candidates]
        margin, asked = max(margins, key=lambda each: each[0])
        return Known(margin, f"a share of {share:.0%}", None, asked, share * (1 - share))
    part = "fifth" if share == SHARE else f"{share:.0%}"
    return _known_below(channel, answers, share, f"a share of {share:.0%} (of the lowest {part} of the values)")


def _known_below(channel: Channel, answers: int, share: float, about: str) -> Known:
    """How well a share is known that as large a part of the values has, the lowest."""
    law = channel.law
    asked, truth = lowest(channel, share)
    reports = law.push(truth)
    cap = Cap.of(channel.domain)
    weights, residual = Undoer(law, cap, reports * answers).of(asked, answers)
    bias = 0.0 if residual is None else max(abs(float(end[0])) for end in cap.ends(residual))
    lie = float(max(np.abs(weights).max(), np.abs(weights - 1).max()))
    return Known(_margin(weights, reports, answers, bias), about, lie, asked, share * (1 - share))


def one_label(law: Law, label: int, share: float) -> tuple[Floats, Floats]:
    """Which answer is asked about, and how frequent all are if a share of the people give it and all others are even."""
    return _even_otherwise(law, [label], share)


def lowest(channel: Channel, share: float) -> tuple[Floats, Floats]:
    """The same of the lowest values of a number, as many as they are of all."""
    law = channel.law
    values = law.inputs - (channel.domain.missing is not None)
    # Rounded as it always was: behind noise a questionnaire's numbers have a label for silence, which is the one left out.
    return _even_otherwise(law, range(max(1, min(round(share * (law.inputs - 1)), values - 1))), share)


def _even_otherwise(law: Law, labels: Sequence[int], share: float) -> tuple[Floats, Floats]:
    asked = np.zeros(law.inputs)
    asked[list(labels)] = 1.0
    return asked, spread_over(asked, share)


def spread_over(asked: Floats, share: float) -> Floats:
    """How frequent answers are if a share of the people give one of those asked about, each as often, and all others are even."""
    truth: Floats = np.where(asked > 0, share / asked.sum(), (1 - share) / (len(asked) - asked.sum()))
    return truth


def _margin(weights: Floats, reports: Floats, answers: int, bias: float = 0.0) -> float:
    mean = float(reports @ weights)
    se = float(np.sqrt(max(float(reports @ weights**2) - mean**2, 1e-300) / answers))
    return se * float(critical_value(min(bias / se, 1e6), CERTAIN))


def is_noisy(channel: Channel) -> bool:
    """Whether noise is added to a number, so that nobody asks for a single value."""
    return channel.inner.adds_noise


def binding(channel: Channel, answers: int, margin: float) -> str:
    """What would help most where a share is not known to a margin.

    >>> import deniable as dn
    >>> binding(dn.Optional(dn.Additive(dn.Integer(18, 90), dn.Laplace(35), edges="clamp"), 0.9), 3_000, 0.1)
    'add less noise (a smaller scale), or ask with a few choices, such as ranges'
    """
    if not isinstance(channel, Optional) or not isinstance(channel.channel, Additive):
        return "hide it less, or ask with fewer choices"
    without_noise = _margin_of(Optional(Identity(channel.channel.domain), channel.p), answers) <= margin
    without_silence = _margin_of(Optional(channel.channel, max(float(channel.p), CERTAIN)), answers) <= margin
    noise, silence = "add less noise (a smaller scale)", "withhold fewer answers (a larger answered)"
    if without_noise and not without_silence:
        helps = noise
    elif without_silence and not without_noise:
        helps = silence
    else:
        helps = f"{noise} {'or' if without_noise else 'and'} {silence}"
    return f"{helps}, or ask with a few choices, such as ranges"


def _margin_of(channel: Channel, answers: int) -> float:
    return known_to(channel, answers).margin
