"""Bounded noise leaks at the edges: a report beyond an end of the domain can only come from a truth near that end."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.core.additive import Additive
from deniable.core.channel import Channel
from deniable.errors import ParameterError


def edge_leak(channel: Channel, prior: Any = None) -> float:
    """The probability that a report proves that the truth lies within the noise's reach of an end of the domain.

    Under bounded noise of reach h a report at or below the low end proves truth <= low + h, and likewise above. Noise that
    reaches every label, and channels without noise, prove nothing of the kind: 0. `prior` (uniform by default) is the
    distribution of truths.

    >>> import deniable as dn
    >>> round(dn.privacy.edge_leak(dn.Additive(dn.Integer(18, 65), dn.Uniform(18))), 3)      # thesis 3.3.1
    0.214
    """
    if not isinstance(channel, Additive) or not channel.noise.bounded:
        return 0.0
    if not channel.exact:
        raise ParameterError("edge_leak_step", "edge_leak needs a domain with a step, got {got!r}.", got=channel.domain)
    k = channel.law.inputs
    shares = np.full(k, 1 / k) if prior is None else np.asarray(prior, dtype=np.float64)
    reported = channel.push(shares / shares.sum())
    values = channel.reported.numbers()
    truths = channel.domain.numbers()
    return float(reported[(values <= truths[0]) | (values >= truths[-1])].sum())
