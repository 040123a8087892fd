"""Who is alone with the values of their other columns: those are published as they are, and whoever knows them finds the row.

The measure is k-anonymity, of single columns, pairs and triples: how many rows share each combination of values. Everything here can be
counted by whoever has the published file, so it may be told to anyone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from deniable.core.domains.exact import Ints
from deniable.plurals import counted
from deniable.privacy.words import percent
from deniable.publish.encoding import Attribute

TOGETHER = 3
"""So many columns are taken together: what a neighbour or colleague may know."""
MOST_WORK = 40_000_000
"""Rows times combinations that are counted, some seconds; of more only the columns with the most different values."""
COUNT_WORDS = {1: "one", 2: "two", 3: "three"}


@dataclass(frozen=True)
class Singled:
    """What combinations of so many columns tell."""

    columns: int
    smallest: int
    """The fewest rows that share a combination of values."""
    rows: Ints
    """The rows (from 0) that share a combination with fewer rows than asked for; with none, where nothing was asked for."""
    worst: tuple[str, ...]
    """The columns by which most of those rows are found."""
    worst_rows: int

    def to_dict(self, total: int) -> dict[str, Any]:
        """For JSON."""
        return {
            "columns_together": self.columns,
            "smallest_group": self.smallest,
            "rows_singled_out": len(self.rows),
            "share_singled_out": len(self.rows) / total,
            "most_by": list(self.worst),
            "rows_singled_out_by_these": self.worst_rows,
        }


@dataclass(frozen=True)
class Uniqueness:
    """The measures for one, two and three columns together, and which columns were not taken together with others."""

    rows: int
    shared: int
    """How many rows should share every combination at least; 1: nothing was asked for."""
    each: tuple[Singled, ...]
    left_out: tuple[str, ...]
    identifying: tuple[str, ...] = ()
    """Columns that are not counted here, because they tell (nearly) every row apart by themselves."""
    recoded: bool = False
    """Whether the usual recoding was done already."""

    @property
    def passed(self) -> bool:
        """Whether as many rows as asked for share every combination."""
        return self.shared <= 1 or not any(len(own.rows) for own in self.each)

    @property
    def alone(self) -> Ints:
        """The rows that any of the combinations singles out."""
        return np.unique(np.concatenate([own.rows for own in self.each])) if self.each else np.empty(0, np.int64)

    @property
    def tested(self) -> str:
        """What was tested, for the public."""
        if self.shared <= 1:
            text = "how many rows are alone with their values in up to three other columns was counted; no limit was set"
        else:
            text = f"every combination of values of up to three other columns is shared by at least {self.shared:,} rows"
        return f"{text}. {self.not_counted}" if self.identifying else text

    @property
    def not_counted(self) -> str:
        """Which columns are left out here, and why; empty if none."""
        if not self.identifying:
            return ""
        one = len(self.identifying) == 1
        tell, itself = ("tells", "itself") if one else ("tell", "themselves")
        return f"Not counted here: {', '.join(self.identifying)}, which {tell} rows apart by {itself}; see identifiers"

    @property
    def found(self) -> str:
        """What was found, in a sentence."""
        if not self.each:
            none = "there is no other column that does not identify people by itself"
            return f"{none}. {self.not_counted}" if self.identifying else none
        alone = "the only ones" if self.shared <= 1 else f"among fewer than {self.shared:,}"
        parts = []
        for own in self.each:
            columns = "other column" if own.columns == 1 else "other columns together"
            most = f", most by {', '.join(own.worst)}" if len(own.rows) else ""
            parts.append(
                f"{counted(len(own.rows), 'row')} ({percent(len(own.rows) / self.rows)}) by {COUNT_WORDS[own.columns]} {columns} "
                f"(smallest group {own.smallest:,}{most})"
            )
        left = (
            f". Not taken together with others, for there are too many columns: {', '.join(self.left_out)}"
            if self.left_out
            else ""
        ) + (f". {self.not_counted}" if self.identifying else "")
        if not len(self.alone):
            return f"nobody is {'the only one' if self.shared <= 1 else alone} with the same values: {'; '.join(parts)}{left}"
        limit = "" if self.shared > 1 else "; no limit was set"
        return f"rows that are {alone} with their values: {'; '.join(parts)}{limit}{left}"

    @property
    def warning(self) -> str:
        """A sentence for the verdict of a set that passes though people are alone with their values; empty if nobody is."""
        if self.shared > 1 or not len(self.alone):
            return ""
        worst = self.each[-1]
        share = percent(len(self.alone) / self.rows)
        are = "is the only one with its" if len(self.alone) == 1 else "are the only ones with their"
        mend = (
            "Coarser values until several rows share them lessen it (min_shared; on the command line --min-shared 5)."
            if self.recoded
            else "Recoding lessens it (recode, min_shared; on the command line --recode, --min-shared 5)."
        )
        return (
            f"But {len(self.alone):,} of {self.rows:,} rows ({share}) {are} values in up "
            f"to {COUNT_WORDS[worst.columns]} other columns (most by {', '.join(worst.worst)}): whoever knows those of a person finds the "
            "row and reads its other cells. The sensitive answer in it may still be false. "
            f"{mend}"
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON; nothing of it is measured on the sensitive answers."""
        return {
            "shared_by_at_least": self.shared,
            "each": [own.to_dict(self.rows) for own in self.each],
            "not_taken_together": list(self.left_out),
            "not_counted_for_they_identify": list(self.identifying),
        }


def uniqueness(names: Sequence[str], codes: Sequence[Any], shared: int = 1) -> Uniqueness:
    """Count how many rows share each combination of values of up to three of these columns, given as codes.

    >>> import numpy as np
    >>> found = uniqueness(["age", "town"], [np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])])
    >>> [(own.smallest, own.rows.tolist()) for own in found.each]
    [(1, [0]), (1, [0, 1])]
    """
    rows = len(codes[0]) if codes else 0
    taken, left = columns_taken([int(own.max()) + 1 for own in codes], rows)
    each = []
    for size in range(1, min(TOGETHER, len(names)) + 1):
        among = range(len(names)) if size == 1 else taken
        if len(among) < size:
            break
        few = np.zeros(rows, bool)
        smallest, worst_rows = rows, 0
        worst: tuple[str, ...] = ()
        for chosen in combinations(among, size):
            sizes = shared_by([codes[at] for at in chosen])
            own = sizes < max(2, shared)
            few |= own
            smallest = min(smallest, int(sizes.min()))
            if (count := int(own.sum())) > worst_rows:
                worst, worst_rows = tuple(names[at] for at in chosen), count
        each.append(Singled(size, smallest, np.flatnonzero(few), worst, worst_rows))
    return Uniqueness(rows, shared, tuple(each), tuple(names[at] for at in left))


def uniqueness_of(attributes: Sequence[Attribute], codes: Sequence[Any], shared: int) -> Uniqueness:
    """The same of columns as the tree reads them. Those that identify people by themselves are named elsewhere: beside them everyone is
    alone."""
    kept = [at for at, own in enumerate(attributes) if not own.identifier]
    found = uniqueness([attributes[at].name for at in kept], [codes[at] for at in kept], shared)
    return replace(found, identifying=tuple(own.name for own in attributes if own.identifier))


def columns_taken(values: Sequence[int], rows: int) -> tuple[list[int], list[int]]:
    """Which columns are taken together with others, and which are left out because counting would take too long: those with the fewest
    different values, which single out the fewest."""
    order = sorted(range(len(values)), key=lambda at: -values[at])
    most = len(values)
    while most > TOGETHER and sum(comb(most, size) for size in range(1, TOGETHER + 1)) * rows > MOST_WORK:
        most -= 1
    return sorted(order[:most]), sorted(order[most:])


def shared_by(codes: Iterable[Any]) -> Ints:
    """For every row how many rows, itself included, have the same codes."""
    key: Any = None
    size = 1
    for own in codes:
        width = int(own.max()) + 1
        if key is None:
            key, size = own.astype(np.int64), width
            continue
        key = key * width + own
        size *= width
        if size > 4 * len(key):
            # Fewer combinations occur than are possible: numbered anew, they can be counted by their number.
            _, key = np.unique(key, return_inverse=True)
            size = int(key.max()) + 1
    counts = np.bincount(key, minlength=size)
    found: Ints = counts[key]
    return found
