"""An answer that may be withheld: whether one answered is hidden too."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.laws import Law
from deniable.core.channels.sparse_windows import SparseWindows
from deniable.core.channels.windows import Windows
from deniable.core.domains.domain import NO_ANSWER, Domain
from deniable.core.domains.exact import LARGEST_DENOMINATOR, Floats, Ints, Number, probability, written
from deniable.core.domains.missing import WithMissing
from deniable.errors import ParameterError


class _MayBeSilent(Law):  # its name is part of the fingerprints of schemas already written
    """Answer or nonresponse is kept with probability p; else nonresponse becomes an even draw of the reported labels, and an
    answer becomes nonresponse, which has the last code on both sides.
    """

    lumpable = False

    def __init__(self, inner: Law, p: Fraction) -> None:
        self._inner = inner
        self.inputs, self.outputs = inner.inputs + 1, inner.outputs + 1
        # Nonresponse becomes every label evenly: the denominator is enlarged until its parts can be shared out without remainder.
        # A rating is reported as some of its labels only; the others, which nobody else reports, would prove nonresponse.
        places = inner.places if isinstance(inner, SparseWindows) else np.arange(inner.outputs)
        labels, share = len(places), (1 - p).numerator * inner.denominator
        repeat = labels // math.gcd(share, labels) if p < 1 else 1
        if p.denominator * repeat * inner.denominator > LARGEST_DENOMINATOR:
            repeat = max(1, math.ceil(labels / share)) if p < 1 else 1
        self.kept = p.numerator * repeat
        self.denominator = p.denominator * repeat * inner.denominator
        turned = self.denominator - self.kept * inner.denominator
        self.even = np.zeros(inner.outputs, dtype=np.int64)
        self.even[places] = turned // labels + (np.arange(labels) < turned % labels).astype(np.int64)
        self.turned = turned
        self._check()

    @property
    def inner(self) -> Law:
        return self._inner

    @property
    def tells_means_only(self) -> bool:
        return self.inner.tells_means_only

    @property
    def keep(self) -> float:
        """The probability that the status (answered or not) is kept."""
        return self.kept * self.inner.denominator / self.denominator

    def rows(self, codes: Ints) -> Ints:
        rows = np.empty((len(codes), self.outputs), dtype=np.int64)
        nonresponse = codes == self.inputs - 1
        rows[~nonresponse, :-1] = self.inner.rows(codes[~nonresponse]) * self.kept
        rows[~nonresponse, -1] = self.turned
        rows[nonresponse, :-1] = self.even
        rows[nonresponse, -1] = self.denominator - self.turned
        return rows

    def column(self, z: int) -> Ints:
        if z == self.outputs - 1:
            return np.append(np.full(self.inputs - 1, self.turned), self.denominator - self.turned)
        return np.append(self.inner.column(z) * self.kept, self.even[z])

    def column_range(self) -> tuple[Ints, Ints]:
        low, high = self.inner.column_range()
        ends = (self.turned, self.denominator - self.turned)
        return (
            np.append(np.minimum(low * self.kept, self.even), min(ends)),
            np.append(np.maximum(high * self.kept, self.even), max(ends)),
        )

    def push(self, p: Floats) -> Floats:
        keep = self.keep
        answered = keep * self.inner.push(p[:-1]) + p[-1] * self.even / self.denominator
        return np.append(answered, (1 - keep) * p[:-1].sum() + keep * p[-1])

    def pull(self, v: Floats) -> Floats:
        keep = self.keep
        answered = keep * self.inner.pull(v[:-1]) + (1 - keep) * v[-1]
        return np.append(answered, self.even @ v[:-1] / self.denominator + keep * v[-1])

    def weights(self, f: Floats, reported: Floats | None = None) -> Floats:
        # What undoes the inner law undoes the rest in closed form, however many values there are.
        keep = self.keep
        closed = self.inner.inputs == self.inner.outputs or isinstance(self.inner, Windows)
        if not closed or min(keep, abs(2 * keep - 1)) < 1e-9:
            return super().weights(f, reported)
        return self.around(self.inner.weights(f[:-1]), f[-1])

    def around(self, inner: Floats, nonresponse: Any) -> Floats:
        """Weights for answers and nonresponse from those that undo the inner law, and the function's value of nonresponse."""
        keep = self.keep
        weight = (keep * nonresponse - self.even @ inner / self.denominator) / (2 * keep - 1)
        return np.concatenate([(inner - (1 - keep) * weight) / keep, np.reshape(weight, (1, *np.shape(inner)[1:]))])

    def _dense_between(self, true: Ints, reported: Ints, rows: int, columns: int) -> Floats:
        if np.count_nonzero(true == true[-1]) > 1 or np.count_nonzero(reported == reported[-1]) > 1:
            return super()._dense_between(true, reported, rows, columns)
        # Nonresponse is a cell of its own, the last: around the cells of answers as around the answers.
        inner = self.inner.between(true[:-1], reported[:-1], rows - 1, columns - 1).dense()
        even = np.bincount(reported[:-1], weights=self.even, minlength=columns - 1) / self.denominator
        answered = np.column_stack([self.keep * inner, np.full(rows - 1, 1 - self.keep)])
        return np.vstack([answered, np.append(even, self.keep)])

    @cached_property
    def _even_cumulative(self) -> Ints:
        return np.cumsum(self.even)

    def choose(self, codes: Ints, draws: Ints) -> Ints:
        nonresponse = codes == self.inputs - 1
        out = np.full(len(codes), self.outputs - 1, dtype=np.int64)
        answers = ~nonresponse & (draws < self.denominator - self.turned)
        out[answers] = self.inner.choose(codes[answers], draws[answers] % self.inner.denominator)
        turned = nonresponse & (draws < self.turned)
        out[turned] = np.searchsorted(self._even_cumulative, draws[turned], side="right")
        return out

    def recipe(self) -> dict[str, Any]:
        return {"law": "silent", "denominator": self.denominator, "even": self.even.tolist(), "inner": self.inner.recipe()}

    def _parts(self) -> list[Any]:
        inner = self.inner.digest
        return [[int(inner[i : i + 8], 16) for i in range(0, len(inner), 8)], [self.kept], self.even]


class Optional(Channel):
    """A channel for people who may decline: "no answer" becomes one more label, itself randomised.

    With probability p the status (answered or not) is kept; otherwise an answer is reported as "no answer" and "no answer" as
    one of the labels, evenly. For nominal answers `missing=` of the domain does the same inside one design.

    >>> import deniable as dn
    >>> channel = dn.Optional(dn.Additive(dn.Integer(0, 3), dn.Laplace(2)), 0.8)
    >>> channel.inputs
    (0, 1, 2, 3, 'no answer')
    """

    def __init__(self, channel: Channel, p: Number, missing: str = NO_ANSWER) -> None:
        if not isinstance(channel, Channel) or not channel.exact or channel.domain.missing is not None:
            raise ParameterError(
                "optional_of",
                "Optional wraps a channel on a domain with a step and without a missing label, got {got!r}.",
                got=channel,
            )
        self.channel = channel
        self.p = probability(p, "Optional", "p")
        self.domain: Domain = WithMissing(channel.domain, missing)
        self.reported: Domain = WithMissing(channel.reported, missing)
        self.law: _MayBeSilent = _MayBeSilent(channel.law, self.p)

    @property
    def inner(self) -> Channel:
        return self.channel

    def parameters(self) -> dict[str, Any]:
        return {"channel": self.channel.to_json(), "p": written(self.p), "missing": self.domain.missing}

    @classmethod
    def arguments(cls, given: dict[str, Any]) -> dict[str, Any]:
        return {**given, "channel": Channel.from_json(given.get("channel"))}
