"""Who is alone with the values of their other columns: those are published as they are, and anyone who knows them finds the row.

The measure is k-anonymity, of single columns, pairs and triples: how many rows share each combination of values. Everything here can be
counted by anyone who has the published file, so it may be told to anyone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from deniable.core.domains.exact import Ints
from deniable.errors import Setting
from deniable.plurals import counted
from deniable.privacy.reporting.words import percent
from deniable.publish.encoding import Attribute
from deniable.publish.remedies import Remedy

TOGETHER = 3
"""So many columns are taken together: what a neighbour or colleague may know."""
MOST_WORK = 40_000_000
"""Rows times combinations that are counted, some seconds; of more only the columns with the most different values."""
USUALLY_SHARED = 5
"""How many rows should share their values, where somebody asks."""
COUNT_WORDS = {1: "one", 2: "two", 3: "three"}


@dataclass(frozen=True)
class Singled:
    """What combinations of so many columns tell.

    Parameters
    ----------
    columns : how many columns are taken together.
    smallest : the fewest rows that share a combination of values.
    rows : the rows (from 0) that share a combination with fewer rows than asked for; with none, where nothing was asked for.
    worst : the columns by which most of those rows are found.
    worst_rows : how many rows these find.

    Examples
    --------
    >>> Singled(1, 1, np.array([7]), ("age",), 1).to_dict(100)["share_singled_out"]
    0.01
    """

    columns: int
    smallest: int
    rows: Ints
    worst: tuple[str, ...]
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
    """The measures for one, two and three columns together, and which columns were not taken together with others.

    Parameters
    ----------
    rows : how many rows there are.
    shared : how many of them should share every combination at least; 1: nothing was asked for.
    each : what one column, two and three together tell.
    left_out : columns that were not taken together with others, for there are too many.
    identifying : columns that are not counted here, because they tell (nearly) every row apart by themselves.
    recoded : whether the usual recoding was done already.

    Examples
    --------
    >>> uniqueness(["town"], [np.array([0, 0, 1])]).alone.tolist()
    [2]
    """

    rows: int
    shared: int
    each: tuple[Singled, ...]
    left_out: tuple[str, ...]
    identifying: tuple[str, ...] = ()
    recoded: bool = False

    @property
    def passed(self) -> bool:
        """Whether as many rows as asked for share every combination."""
        return self.shared <= 1 or not any(len(singled.rows) for singled in self.each)

    @property
    def alone(self) -> Ints:
        """The rows that any of the combinations singles out."""
        return np.unique(np.concatenate([singled.rows for singled in self.each])) if self.each else np.empty(0, np.int64)

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
        for singled in self.each:
            columns = "other column" if singled.columns == 1 else "other columns together"
            most = f", most by {', '.join(singled.worst)}" if len(singled.rows) else ""
            share = percent(len(singled.rows) / self.rows)
            parts.append(
                f"{counted(len(singled.rows), 'row')} ({share}) by {COUNT_WORDS[singled.columns]} {columns} "
                f"(smallest group {singled.smallest:,}{most})"
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
        columns = f"{COUNT_WORDS[worst.columns]} other columns (most by {', '.join(worst.worst)})"
        return (
            f"But {len(self.alone):,} of {self.rows:,} rows ({share}) {are} values in up to {columns}: anyone who knows those of a person "
            "finds the row and reads its other cells. The sensitive answer in it may still be false."
        )

    @property
    def remedy(self) -> Remedy:
        """What makes such rows fewer."""
        shared = Setting("min_shared", USUALLY_SHARED)
        if self.recoded:
            return Remedy(("It helps to make values coarser until several rows share them (", shared, ")."))
        return Remedy(("It helps to recode them (", Setting("recode", True), ", ", shared, ")."))

    def to_dict(self) -> dict[str, Any]:
        """For JSON; nothing of it is measured on the sensitive answers."""
        return {
            "shared_by_at_least": self.shared,
            "each": [singled.to_dict(self.rows) for singled in self.each],
            "not_taken_together": list(self.left_out),
            "not_counted_for_they_identify": list(self.identifying),
        }


def uniqueness(names: Sequence[str], codes: Sequence[Any], shared: int = 1) -> Uniqueness:
    """Count how many rows share each combination of values of up to three of these columns, given as codes.

    >>> import numpy as np
    >>> counts = uniqueness(["age", "town"], [np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])])
    >>> [(singled.smallest, singled.rows.tolist()) for singled in counts.each]
    [(1, [0]), (1, [0, 1])]
    """
    rows = len(codes[0]) if codes else 0
    taken, left = columns_taken([int(column.max()) + 1 for column in codes], rows)
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
            too_few = sizes < max(2, shared)
            few |= too_few
            smallest = min(smallest, int(sizes.min()))
            if (count := int(too_few.sum())) > worst_rows:
                worst, worst_rows = tuple(names[at] for at in chosen), count
        each.append(Singled(size, smallest, np.flatnonzero(few), worst, worst_rows))
    return Uniqueness(rows, shared, tuple(each), tuple(names[at] for at in left))


def uniqueness_of(attributes: Sequence[Attribute], codes: Sequence[Any], shared: int, recoded: bool = False) -> Uniqueness:
    """The same of columns as the tree reads them. Those that identify people by themselves are named elsewhere: beside them everyone is
    alone. `recoded` says that the usual recoding was done already."""
    kept = [at for at, attribute in enumerate(attributes) if not attribute.identifier]
    counted_rows = uniqueness([attributes[at].name for at in kept], [codes[at] for at in kept], shared)
    identifying = tuple(attribute.name for attribute in attributes if attribute.identifier)
    return replace(counted_rows, identifying=identifying, recoded=recoded)


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
    for column in codes:
        width = int(column.max()) + 1
        if key is None:
            key, size = column.astype(np.int64), width
            continue
        key = key * width + column
        size *= width
        if size > 4 * len(key):
            # Fewer combinations occur than are possible: numbered anew, they can be counted by their number.
            _, key = np.unique(key, return_inverse=True)
            size = int(key.max()) + 1
    counts = np.bincount(key, minlength=size)
    sharing: Ints = counts[key]
    return sharing
