"""Bounded noise leaks at the edges: a report beyond an end of the domain can only come from a truth near that end."""

from __future__ import annotations

from typing import Any

from deniable.core.additive import Additive
from deniable.core.channel import Channel
from deniable.errors import ParameterError
from deniable.privacy.priors import shares


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
    reported = channel.push(shares(channel, prior))
    values, truths = channel.reported.numbers(), channel.domain.numbers()
    step = channel.domain.step  # type: ignore[attr-defined]
    reach = float(channel.noise.margin(step) * step)
    low, high = truths[0], truths[-1]
    # Where the noise reaches further than the domain is long, such a report may still leave every truth possible.
    proves_low = (values <= low) & (values + reach < high)
    proves_high = (values >= high) & (values - reach > low)
    return float(reported[proves_low | proves_high].sum())
