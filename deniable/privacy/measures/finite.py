"""A channel with an infinite epsilon, and the channel near it that has a finite one."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from deniable.core.channels.additive import Additive
from deniable.core.channels.base import LARGEST_MATRIX, Channel
from deniable.core.channels.designs import Identity, Retention
from deniable.core.channels.noise import Laplace
from deniable.core.channels.optional import Optional
from deniable.core.channels.shift import Shift
from deniable.core.channels.table_designs import Matrix
from deniable.core.domains.exact import Number, probability
from deniable.errors import ParameterError, WideDomainError


def nearest_finite(channel: Channel, share: Number = 0.05) -> Channel:
    """A channel near one with an infinite epsilon that no longer rules any answer out.

    (1 - share) P + share U: one report in 20 (no further away, in total variation, than `share`) is replaced by an even draw of
    all labels. Bounded noise becomes Laplace noise with the same standard deviation instead, stopped at the ends of the range.
    A channel whose epsilon is finite is returned as it is.

    >>> import deniable as dn
    >>> dn.privacy.nearest_finite(dn.Flip(1, 0.5)).matrix().round(3).tolist()
    [[0.5, 0.5], [0.025, 0.975]]
    >>> dn.privacy.nearest_finite(dn.Additive(dn.Integer(18, 90), dn.Uniform(10))).noise
    Laplace(4.29)
    """
    if not channel.exact:
        raise ParameterError("needs_step", "{got!r} works in floating point; give its domain a step first.", got=channel)
    mixed = probability(share, "nearest_finite", "share")
    if mixed == 0:
        raise ParameterError("share_zero", "nearest_finite: share must be above 0, or nothing changes.")
    if not math.isinf(channel.epsilon):
        return channel
    if isinstance(channel, Optional):
        keep = min(channel.p, 1 - mixed / 2) if channel.p > 0 else mixed / 2
        return Optional(nearest_finite(channel.channel, share), keep, missing=str(channel.domain.missing))
    if isinstance(channel, Additive) and isinstance(channel.law, Shift) and np.count_nonzero(channel.law.kernel) > 1:
        return Additive(channel.domain, Laplace(_same_spread(channel.law, channel.domain.step)))  # type: ignore[attr-defined]
    if isinstance(channel, Identity):
        return Retention(channel.domain, 1 - mixed)
    if channel.law.inputs * channel.law.outputs > LARGEST_MATRIX // 100:
        raise WideDomainError("too_wide", "{got!r} is too wide to be written out as a matrix.", got=channel)
    rows = channel.integer_rows()
    even = mixed / channel.law.outputs
    table = [[(1 - mixed) * Fraction(int(part), channel.denominator) + even for part in row] for row in rows]
    return Matrix(channel.domain, table, channel.reported)


def _same_spread(law: Shift, step: Fraction) -> str:
    """b of the Laplace noise with the standard deviation of a kernel, to three figures upward."""
    offsets = np.arange(len(law.kernel)) - (len(law.kernel) - 1) / 2
    weights = law.kernel / law.denominator
    centre = offsets @ weights
    spread = float(step) * math.sqrt(float(((offsets - centre) ** 2) @ weights) / 2)
    digits = 2 - math.floor(math.log10(spread))
    return repr(math.ceil(spread * 10.0**digits) / 10.0**digits)
