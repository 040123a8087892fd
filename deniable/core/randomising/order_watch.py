"""Watches rows as they are randomised, and says in words what their order tells, and what would restore it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from deniable.core.channels.base import Channel
from deniable.core.channels.designs import Identity
from deniable.core.domains.labels import Binary, Nominal
from deniable.core.order import MORE, SURPRISE, EqualNeighbours, SerialCorrelation
from deniable.core.restored_order import KeptColumn
from deniable.core.stretches import Stretches

NEARLY_SORTED = 0.9
"""From here on, of chance (0) to sorted (1), a column is said to be sorted, or nearly."""


class OrderWatch:
    """Measures the order of the true rows, piece by piece. No true value is told, only how far neighbours are alike.

    >>> import deniable as dn, numpy as np
    >>> watch = OrderWatch(dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.6)}), shuffled=False)
    >>> watch.truths({"smokes": np.repeat([0, 1], [160, 40])})
    >>> print(watch.warning())
    The order of the rows is kept, and it tells answers: smokes (sorted, or nearly, along that order). Anyone who knows how the rows
    were ordered can read answers off it, whatever epsilon is. Have the rows shuffled, which is the default.
    """

    def __init__(self, channels: Mapping[str, Channel], shuffled: bool) -> None:
        self._shuffled = shuffled
        self._measures = {name: _measure(channel) for name, channel in channels.items()}
        self._hidden = set(channels)
        self._columns: dict[str, KeptColumn] = {}
        self._open = {name for name, channel in channels.items() if isinstance(channel, Identity)}
        self._stretches: dict[str, Stretches] = {}
        self._not_comparable: set[str] = set()
        self._saw_truths = False

    def truths(self, truths: dict[str, Any]) -> None:
        """The next rows, as codes (or numbers, where there is no grid)."""
        self._saw_truths = True
        for name, codes in truths.items():
            self._measures[name].add(codes)

    def handed_on(self, columns: dict[str, pa.Array]) -> None:
        """The same rows as they are handed on, in the order they came in."""
        if not self._shuffled:
            return
        for name, column in columns.items():
            # Labels are too few to restore an order finely.
            if name not in self._hidden or isinstance(self._measures[name], SerialCorrelation):
                self._columns.setdefault(name, KeptColumn()).add(column)
            if name not in self._hidden or name in self._open:
                self._look_for_stretches(name, column)

    def _look_for_stretches(self, name: str, column: pa.Array) -> None:
        if name in self._not_comparable:
            return
        try:
            self._stretches.setdefault(name, Stretches()).add(column)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
            self._not_comparable.add(name)
            del self._stretches[name]

    def told(self, secret: bool = False) -> list[str]:
        """Which attributes the order of the rows tells, and how much; only those that are not reported as they are, if `secret`."""
        telling = []
        for name, measure in self._measures.items():
            if secret and name in self._open:
                continue
            more, surprise = measure.found()
            if more <= MORE or surprise <= SURPRISE:
                continue
            if isinstance(measure, EqualNeighbours):
                telling.append(f"{name} ({_in_words(more)})")
            else:
                telling.append(f"{name} (values of neighbours correlate by {more:.2f}; by chance it would be 0)")
        return telling

    def _finely(self) -> set[str]:
        return {name for name, column in self._columns.items() if column.within() is not None}

    def restored(self) -> list[str]:
        """Which columns put shuffled rows back in order, and how finely."""
        restoring = []
        for name, column in self._columns.items():
            within = column.within()
            if within is not None:
                finely = "row by row" if within == 1 else f"to within about {within} rows"
                restoring.append(f"{name} ({finely})" if name not in self._hidden else f"the reports of {name} ({finely})")
        return restoring

    def warning(self) -> str | None:
        """What somebody who hands these rows on should know; None if there is nothing to say."""
        told = self.told()
        if not self._shuffled:
            return None if not told else (
                f"The order of the rows is kept, and it tells answers: {', '.join(told)}. Anyone who knows how the rows were ordered can "
                "read answers off it, whatever epsilon is. Have the rows shuffled, which is the default."
            )  # fmt: skip
        return " ".join(filter(None, [self._about_restored(told), self._about_stretches()])) or None

    def _about_stretches(self) -> str | None:
        told = self.told(secret=True)
        if not told:
            # Where the order tells nothing, to know the stretch tells nothing.
            return None
        named = [
            f"{name} (about {many:,} stretches)"
            for name, many in ((name, seen.found()) for name, seen in self._stretches.items() if name not in self._finely())
            if many is not None
        ]
        return None if not named else (
            f"Columns that are handed on as they are tell which stretch of the input a row was in: {', '.join(named)}; that order tells "
            f"answers: {', '.join(told)}. Leave such columns out, or make them coarser."
        )  # fmt: skip

    def _about_restored(self, told: list[str]) -> str | None:
        restored = self.restored()
        if not restored:
            return None
        says = f"; that order tells answers: {', '.join(told)}" if told else "; neighbours in it agree no more than by chance"
        return (
            f"The rows are shuffled, but sorting them puts them back in the order they came in: by {', '.join(restored)}"
            f"{says if self._saw_truths else ''}. "
            "Leave such columns out, or put random numbers in their place."
        )


def _in_words(more: float) -> str:
    """How far neighbours agree, from chance to a sorted file."""
    if more > NEARLY_SORTED:
        return "sorted, or nearly, along that order"
    return f"neighbours have the same answer more often than by chance; {more:.0%}, where a sorted file has 100%"


def _measure(channel: Channel) -> EqualNeighbours | SerialCorrelation:
    """How neighbours are compared: labels without an order agree or not, everything else has codes or numbers in order."""
    domain = channel.domain
    if isinstance(domain.answered, (Nominal, Binary)):
        return EqualNeighbours(domain.size)
    return SerialCorrelation()
