"""Privacy as the width of a uniform distribution that is as uncertain: two to the power of the differential entropy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from deniable.core.channels.additive import Additive
from deniable.core.channels.base import Channel
from deniable.core.channels.noise import Laplace, Noise, Normal, Staircase, Uniform
from deniable.core.channels.views import View
from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import Floats
from deniable.core.domains.grids import Continuous, Integer
from deniable.errors import ParameterError
from deniable.privacy.measures.information import mutual_information
from deniable.privacy.measures.interval import noise_of
from deniable.privacy.measures.priors import AnyChannel, over_labels, shares

UNIT: dict[type[Noise], tuple[str, float]] = {
    Uniform: ("half_width", 2.0),
    Normal: ("sd", math.sqrt(2 * math.pi * math.e)),
    Laplace: ("b", 2 * math.e),
}
"""For each noise the name of its scale, and 2^h of the noise with scale 1 (h grows with the logarithm of the scale)."""


def entropy_privacy(source: Any, prior: Any = None) -> float:
    """2^h(A), h(A) being the differential entropy -integral of f log2 f (thesis 3.5.4).

    It is the length of the interval on which a uniform distribution is as uncertain as A. `source` is noise, an additive
    channel (its noise), or a domain whose values are spread as `prior` says (uniformly by default): numbers with a step are
    taken as uniform within a step, and for words the result is a number of equally likely answers.

    >>> import deniable as dn
    >>> dn.privacy.entropy_privacy(dn.Uniform(5))
    10.0
    >>> dn.privacy.entropy_privacy(dn.Nominal(["a", "b", "c", "d"]), [0.5, 0.5, 0, 0])
    2.0
    """
    if isinstance(source, Domain):
        if not source.has_grid:
            raise ParameterError(
                "entropy_step", "entropy_privacy needs a domain with a step, or noise, got {got!r}.", got=source
            )
        return step_of(source) * 2 ** bits(over_labels(prior, source.size, source.labels, "prior"))
    noise = noise_of(source, "entropy_privacy")
    if type(noise) in UNIT:
        scale, unit = UNIT[type(noise)]
        return float(getattr(noise, scale)) * unit
    if isinstance(noise, Staircase):
        step = step_of(source.domain) if isinstance(source, Additive) else 1.0
        weights = np.array([float(weight) for weight in noise.weights])
        return step * 2 ** bits(weights / weights.sum())
    raise ParameterError("entropy_noise", "The entropy of {got!r} is not known.", got=noise)


def conditional_entropy_privacy(channel: AnyChannel, prior: Any = None) -> float:
    """2^h(A | Z): what is left of the privacy of A once its report Z has been seen (thesis 3.5.4; Agrawal and Aggarwal 2001).

    h(A | Z) is the mean over the reports of the entropy of the posterior, in the units of `entropy_privacy`: an interval of
    this length, uniform, is as uncertain as a reported answer still is.

    >>> import deniable as dn
    >>> noisy = dn.Additive(dn.Integer(0, 99), dn.Uniform(10))
    >>> round(dn.privacy.entropy_privacy(noisy.domain)), round(dn.privacy.conditional_entropy_privacy(noisy))
    (100, 19)
    """
    before = shares(channel, prior)
    # h(A | Z) = h(A) - I(A; Z), and the mutual information needs no unit.
    left = bits(before) + float(before @ np.log2(_widths(channel))) - mutual_information(channel, prior)
    return float(2**left)


def privacy_loss(channel: AnyChannel, prior: Any = None) -> float:
    """1 - 2^(h(A | Z) - h(A)) = 1 - 2^-I(A; Z): the share of the entropy privacy of A that a report takes away
    (Agrawal and Aggarwal 2001).

    >>> import deniable as dn
    >>> round(dn.privacy.privacy_loss(dn.KRR(dn.Binary(), 0.75)), 3)
    0.123
    """
    return 1.0 - 2 ** -mutual_information(channel, prior)


def _widths(channel: AnyChannel) -> Floats:
    """How wide a cell each true label stands for."""
    if isinstance(channel, View):
        step = step_of(channel.channel.domain) if channel.channel.exact else 1.0
        return channel.true.widths * step
    width = step_of(channel.domain) if isinstance(channel, Channel) else 1.0
    return np.full(channel.law.inputs, width)


def bits(distribution: Floats) -> float:
    """-sum p log2 p, with 0 log 0 = 0."""
    positive = distribution[distribution > 0]
    return float(-(positive * np.log2(positive)).sum())


def step_of(domain: Domain) -> float:
    """The width of a cell of the grid: 1 for words."""
    return float(domain.step) if isinstance(domain, (Integer, Continuous)) else 1.0
