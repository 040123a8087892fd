"""Shares of an attribute behind noise, smoothed: the point that is shown where only a class of truths gives an interval.

The deconvolution of `dn.reconstruct` errs less than any weights do (docs/deconvolution.md), since it prefers the shapes that distributions
have; but how far it may be off nobody knows. So the point is its, and the interval that of the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
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
"""Up to so many values the share of each is estimated; beyond, of bins."""
BINS = 24


def adds_noise(channel: Channel) -> bool:
    """Whether a channel hides numbers by noise that blurs neighbours."""
    inner = channel.channel if isinstance(channel, Optional) else channel
    return isinstance(inner, Additive) and not channel.law.lumpable


class Smoothed:
    """The smoothed distributions of the attributes of one part, each estimated once."""

    def __init__(self, data: Any, schema: Schema) -> None:
        self._data, self._schema = data, schema
        self._found: dict[tuple[Any, ...], tuple[Floats, Floats]] = {}

    def shares(self, name: str, functions: Sequence[Floats]) -> Floats:
        """The mean of each function of an attribute's true codes, values inside a bin taken as equally frequent."""
        channel = self._schema[name]
        values = len(answered(channel.domain).labels)
        borders: tuple[int, ...] = ()
        if values > EVERY_VALUE:
            steps = [np.flatnonzero(np.diff(f[:values])) + 1 for f in functions]
            own = set(np.concatenate(steps).tolist()) if sum(map(len, steps)) <= EVERY_VALUE else set()
            borders = tuple(sorted({*own, *(np.arange(1, BINS) * values // BINS).tolist()} - {0}))
        if (name, borders) not in self._found:
            self._found[name, borders] = self._estimated(name, channel, borders)
        shares, index = self._found[name, borders]
        means = [np.bincount(index, weights=f, minlength=len(shares)) / np.bincount(index) for f in functions]
        return np.array([shares @ mean for mean in means])

    def _estimated(self, name: str, channel: Channel, borders: tuple[int, ...]) -> tuple[Floats, Any]:
        """Shares of values or bins, and in which each true code is."""
        table = cell_table(self._data, self._schema, [name])
        if not borders:
            return reconstruct(table, channel).value, np.arange(channel.domain.size)
        numbers = answered(channel.domain).numbers()
        binned = channel.binned(edges_between(numbers, borders))
        table = CellTable([binned_axis(name, binned)], binned.reported_codes(table.cells[:, 0]), table.n)
        index = binned.true.index(numbers)
        if channel.domain.missing is not None:
            index = np.append(index, len(binned.true))
        return reconstruct(table, channel).value, index


def with_point(estimate: Estimate, value: Any) -> Estimate:
    """The same intervals around a smoothed point."""
    ends = estimate.interval
    return Estimate(
        value, estimate.labels, n=estimate.n, method="em, regularised", target=estimate.target, covariance=estimate.covariance,
        name=estimate.name, limits=estimate.limits, worth=estimate.worth, ends=ends, assumes=estimate.assumes, bias=estimate.bias,
    )  # fmt: skip
