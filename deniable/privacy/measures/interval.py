"""Agrawal and Srikant's measure: how wide an interval must be to hold the truth with a given confidence."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.core.channels.additive import Additive
from deniable.core.channels.noise import Noise, Uniform
from deniable.errors import ParameterError
from deniable.privacy.measures.priors import is_number


def noise_of(source: Any, owner: str) -> Noise:
    """The noise itself, or that of an additive channel."""
    if isinstance(source, Additive):
        return source.noise
    if isinstance(source, Noise):
        return source
    raise ParameterError(
        "not_noise",
        "{owner} takes noise such as dn.Uniform(10), or an additive channel, got {got!r}.",
        owner=owner,
        got=source,
    )


def interval_privacy(source: Any, confidence: float = 0.95) -> float:
    """The length x2 - x1 of the shortest interval that holds the truth with `confidence`
    (thesis 3.5.3, Table 3.3).

    `source` is noise, an additive channel, or a number: the width of the intervals of a discretisation, which leaves the
    truth anywhere inside one of them. The longer the interval, the less a report says; the measure knows nothing of how the
    truths are spread, so an attacker who does may do better (`remaining_error`).

    >>> import deniable as dn
    >>> [round(dn.privacy.interval_privacy(dn.Normal(1), c), 2) for c in (0.5, 0.95, 0.999)]     # the thesis prints 1.34
    [1.35, 3.92, 6.58]
    >>> round(dn.privacy.interval_privacy(10, 0.95), 6)                                          # intervals of width 10
    9.5
    """
    if not is_number(confidence) or not 0 < confidence < 1:
        raise ParameterError(
            "confidence", "interval_privacy: confidence must lie between 0 and 1, got {got!r}.", got=confidence
        )
    if is_number(source):
        noise: Noise = Uniform(float(source) / 2)
    else:
        noise = noise_of(source, "interval_privacy")
    # Every noise here is symmetric and falls away from its centre, so the middle interval is the shortest.
    low, high = noise.quantile(np.array([(1 - confidence) / 2, (1 + confidence) / 2]))
    return float(high - low)
