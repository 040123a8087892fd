"""Shares of an attribute behind noise, smoothed: the point that is shown where only a class of truths gives an interval.

The deconvolution of `dn.reconstruct` errs less than any weights do (docs/deconvolution.md), since it prefers the shapes that distributions
have; but how far it may be off nobody knows. So the point is its, and the interval that of the weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.core.additive import Additive
from deniable.core.channel import Channel
from deniable.core.estimate import Estimate
from deniable.core.exact import Floats
from deniable.core.optional import Optional
from deniable.core.schema import Schema
from deniable.core.tables import CellTable, binned_axis
from deniable.engines.count import cell_table
from deniable.reconstruction.reconstruct import reconstruct
from deniable.statistics.joint import answered, edges_between

EVERY_VALUE = 101
BINS = 48
"""Up to so many values the share of each is estimated; beyond, of so many bins, whose values are taken as equally frequent."""


def adds_noise(channel: Channel) -> bool:
    """Whether a channel hides numbers by noise that blurs neighbours."""
    inner = channel.channel if isinstance(channel, Optional) else channel
    return isinstance(inner, Additive) and not channel.law.lumpable


def smoothed_shares(data: Any, schema: Schema, name: str) -> Floats:
    """The share of every true code of an attribute behind noise."""
    channel = schema[name]
    table = cell_table(data, schema, [name])
    numbers = answered(channel.domain).numbers()
    if len(numbers) <= EVERY_VALUE:
        return reconstruct(table, channel).value
    borders = np.unique(np.arange(1, BINS) * len(numbers) // BINS).tolist()
    binned = channel.binned(edges_between(numbers, borders))
    table = CellTable([binned_axis(name, binned)], binned.reported_codes(table.cells[:, 0]), table.n)
    index = binned.true.index(numbers)
    if channel.domain.missing is not None:
        index = np.append(index, len(binned.true))
    shares: Floats = (reconstruct(table, channel).value / np.bincount(index))[index]
    return shares


def with_point(estimate: Estimate, value: Any) -> Estimate:
    """The same intervals around a smoothed point."""
    ends = estimate.interval
    return Estimate(
        value, estimate.labels, n=estimate.n, method="em, regularised", target=estimate.target, covariance=estimate.covariance,
        name=estimate.name, limits=estimate.limits, worth=estimate.worth, ends=ends, assumes=estimate.assumes, bias=estimate.bias,
    )  # fmt: skip
