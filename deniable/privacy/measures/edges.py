"""Bounded noise leaks at the edges: a report beyond an end of the domain can only come from a truth near that end."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.core.channels.additive import Additive
from deniable.core.channels.base import Channel
from deniable.core.channels.shift import Shift
from deniable.core.domains.exact import Ints
from deniable.errors import ParameterError
from deniable.privacy.measures.priors import shares

EVERY_COLUMN = 3_000


def edge_leak(channel: Channel, prior: Any = None) -> float:
    """The probability that a report proves that the truth lies within the noise's reach of an end of the domain.

    Under bounded noise of reach h some reports leave only truths up to low + h possible, or only truths from high - h on. Noise that
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
    reported = channel.push(shares(channel, prior))
    lowest, highest = _possible(channel)
    reach = channel.noise.margin(channel.domain.step)  # type: ignore[attr-defined]
    last = channel.law.inputs - 1
    # Where the noise reaches further than the domain is long, a report may still leave every truth possible.
    proves_low = (highest <= reach) & (highest < last)
    proves_high = (lowest >= last - reach) & (lowest > 0)
    return float(reported[(proves_low | proves_high) & (lowest <= highest)].sum())


def _possible(channel: Channel) -> tuple[Ints, Ints]:
    """For each report the first and the last true code that can cause it (first above last: none can)."""
    law = channel.law
    assert isinstance(law, Shift)
    if law.outputs <= EVERY_COLUMN:
        columns = [np.flatnonzero(law.column(z)) for z in range(law.outputs)]
        return (
            np.array([codes[0] if codes.size else 1 for codes in columns]),
            np.array([codes[-1] if codes.size else 0 for codes in columns]),
        )
    # On a wide grid the noise is taken to reach every offset between its ends, as uniform noise does.
    offsets = np.flatnonzero(law.kernel) + law.lowest
    place = np.arange(law.outputs) - law.margin
    lowest, highest = place - offsets[-1], place - offsets[0]
    lowest[-1], highest[0] = min(lowest[-1], law.inputs - 1), max(highest[0], 0)
    return np.clip(lowest, 0, None), np.clip(highest, None, law.inputs - 1)
