"""Do reports fit their schema at all? True answers, or answers to another survey, do not, and estimates from them mean nothing.

Whatever the truths are, the reports are draws from one of the laws that the channel makes of them. The nearest of these is the
likeliest (EM); how far the reports lie from it, n times their relative entropy, is at most how far they lie from the law they were drawn
from. That exceeds x with a probability of at most e^-x (e x / (m - 1))^(m - 1) for m labels and any number of reports (Agrawal 2020): no
large samples are assumed. Where EM has not converged, what it could still gain is subtracted (its certificate), so that an alarm is never
due to a bad fit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.laws import Law, Mixture
from deniable.core.channels.operators import Operator
from deniable.core.channels.views import View
from deniable.core.domains.exact import Floats, Ints
from deniable.reconstruction.em import em

FALSE_ALARM = 1e-6
"""How often, at most, reports that do fit are said not to."""
MOST_CELLS = 64
"""With more labels than this, neighbours are counted together: a distance over many labels is mostly chance."""
STEPS = (20, 300)
"""How many steps of EM are tried first, and how many where those leave it open."""
WIDEST = 20_000
"""Noise over more values than this is not looked at: it would take longer than the question."""


def misfit(counts: Floats, channel: Channel, name: str = "", view: View | None = None) -> str | None:
    """A sentence saying that the counted reports (of labels, or of the cells of a view) do not fit the channel, or None if they may fit.

    >>> import deniable as dn
    >>> channel = dn.KRR(dn.Nominal(["no", "yes"]), 0.75)
    >>> print(misfit(np.array([970.0, 30.0]), channel, "evades"))
    the reports of 'evades' do not fit the schema: no true answers can give them (at least 25% of them would be 'yes', 3% are). Are they \
true answers, or randomised under another schema?
    >>> misfit(np.array([770.0, 230.0]), channel) is None
    True
    """
    n = float(counts.sum())
    if not channel.exact or n < 1 or (channel.law.inputs > WIDEST and not isinstance(channel.law, Mixture)):
        return None
    in_cells = view is not None and not view.reported.is_fine
    cells = view.reported.of_code if view is not None and in_cells else _cells(channel)
    law: Operator = channel.law
    if cells is not None:
        law = _coarser(channel.law, cells)
        counts = counts if in_cells else _summed(cells, counts, law.outputs)
    if not _beyond_chance(counts, law, n):
        return None
    labels = channel.outputs if cells is None else view.outputs if view is not None and in_cells else None
    said = _evidence(counts / n, law, n, labels)
    return (
        f"the reports{f' of {name!r}' if name else ''} do not fit the schema: no true answers can give them ({said}). "
        "Are they true answers, or randomised under another schema?"
    )


def _cells(channel: Channel) -> Ints | None:
    """The cell of every report if there are many; "no answer" keeps its own. None if every label is a cell."""
    outputs = channel.law.outputs
    if outputs <= MOST_CELLS:
        return None
    missing = int(channel.reported.missing is not None)
    cells = np.arange(outputs) * (MOST_CELLS - missing) // (outputs - missing)
    return np.minimum(cells, MOST_CELLS - 1)


def _summed(cells: Ints, values: Floats, size: int) -> Floats:
    return np.bincount(cells, weights=values, minlength=size).astype(np.float64)


class _Cells(Operator):
    """A law whose reports are seen through cells."""

    def __init__(self, law: Law, cells: Ints) -> None:
        self._law, self._of = law, cells
        self.inputs, self.outputs = law.inputs, int(cells.max()) + 1

    def dense(self) -> Floats:
        return np.array([_summed(self._of, row, self.outputs) for row in self._law.dense()])

    def push(self, p: Floats) -> Floats:
        return _summed(self._of, self._law.push(p), self.outputs)

    def pull(self, v: Floats) -> Floats:
        return self._law.pull(v[self._of])


def _coarser(law: Law, cells: Ints) -> Operator:
    if isinstance(law, Mixture):
        return law.between(cells, cells, int(cells.max()) + 1, int(cells.max()) + 1)
    return _Cells(law, cells)


def _beyond_chance(counts: Floats, law: Operator, n: float) -> bool:
    """Whether the reports lie farther from every law that truths can give than chance explains."""
    possible = law.push(np.full(law.inputs, 1 / law.inputs)) > 0
    limit = _limit(int(possible.sum()))
    seen = counts > 0
    for steps in STEPS:
        fit = em(law, counts, tolerance=0.5 / n, max_evaluations=steps)
        expected = np.maximum(law.push(fit.shares)[seen], 1e-300)
        distance = float(counts[seen] @ np.log(counts[seen] / (n * expected)))
        if distance <= limit:
            return False
        if distance - n * math.log1p(fit.gap) > limit:
            return True
    return False


def _limit(labels: int) -> float:
    """The distance that reports which fit exceed with a probability of at most `FALSE_ALARM`.

    >>> round(_limit(2), 1), round(_limit(64), 1)
    (17.7, 114.4)
    """
    free = max(1, labels - 1)
    limit = free + 40.0
    for _ in range(60):
        # x = log(1 / alarm) + free (1 + log(x / free)) has one solution above `free`, to which this converges.
        limit = -math.log(FALSE_ALARM) + free * (1 + math.log(limit / free))
    return limit


def _evidence(shares: Floats, law: Operator, n: float, labels: Sequence[Any] | None) -> str:
    """The label that shows it best: its share lies outside of what any truths can give."""
    if labels is not None and law.inputs * law.outputs <= 1_000_000:
        dense = law.dense()
        low, high = dense.min(axis=0), dense.max(axis=0)
        nearest = np.clip(shares, low, high)
        errors = np.abs(shares - nearest) / np.sqrt(np.maximum(nearest * (1 - nearest), 1e-9) / n)
        # With two labels both are off by as much; the one that is missing says more.
        worst = int(np.argmax(errors * np.where(shares < nearest, 1 + 1e-6, 1.0)))
        if errors[worst] > math.sqrt(2 * _limit(2)):
            most = "at least" if shares[worst] < nearest[worst] else "at most"
            seen, allowed = (f"{100 * float(share):.3g}%" for share in (shares[worst], nearest[worst]))
            return f"{most} {allowed} of them would be {labels[worst]!r}, {seen} are"
    return "their shares contradict each other"
