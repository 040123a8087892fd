"""Cumulative tables of released answers: how often combinations of reports occur, kept in memory and added to by every release.

Only sums over all answers that are out are kept, never those of one batch, and nothing is written to a disk: there a table from before a
release, beside one from after it, would be the table of the batch.
"""

from __future__ import annotations

import math
import threading
from collections import Counter, OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from deniable.core.domains.exact import Ints
from deniable.core.schema import Schema
from deniable.core.tables import Axis, CellTable
from deniable.engines.countable import Countable
from deniable.survey.store import releases
from deniable.survey.store.counting import Adding, added

if TYPE_CHECKING:
    from deniable.survey.store import Store
    from deniable.survey.store.surveys import Version

MOST_CELLS = 4_000_000
"""So many cells are kept (64 MB); those that were not asked for longest are forgotten."""
ATTEMPTS = 3
Counts = tuple[Ints, Ints]


class MovedError(Exception):
    """Answers came out while a question was being answered: it is answered anew."""


class Tallies:
    """The cumulative tables of a store. One for each process is enough; it may be asked by several threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.RLock()
        self._kept: OrderedDict[tuple[int, tuple[int, ...]], tuple[int, Counts]] = OrderedDict()
        self._schemas: dict[int, Schema] = {}
        self._cells = 0
        self.changes = 0
        """How often answers have come out, or were erased, in this process."""
        self._changes: Counter[int] = Counter()
        """The same by version."""
        self.looks = 0
        """How often rows were looked at, because something was not kept."""
        releases.listen(store.engine, self._add)

    def released(self, read: Version) -> int:
        """How many answers of a version are out now."""
        return self._store.count_released(read)

    def of(self, read: Version, total: int, wanted: Sequence[Sequence[str]]) -> list[CellTable]:
        """Tables of reports over these attributes, as they were when so many answers were out; those that are not kept are counted, all of
        them by one look at the rows."""
        names = list(read.schema)
        places = [tuple(names.index(name) for name in one) for one in wanted]
        for _ in range(ATTEMPTS):
            self._prepare(read, total, places)
            with self._lock:
                # Meanwhile another thread may have needed the room, or answers came out.
                if all(not place or self._is_kept(read.id, _sorted(place), total) for place in places):
                    tables = [self._table(read, total, place) for place in places]
                    self._make_room()
                    return tables
        raise MovedError

    def prepare(self, read: Version, total: int, wanted: Sequence[Sequence[str]]) -> None:
        """Count what is not kept of these tables, by one look at the rows, as far as there is room to keep it."""
        names = list(read.schema)
        sizes = [len(channel.outputs) for channel in read.schema.values()]
        room, places = MOST_CELLS, []
        for one in wanted:
            place = tuple(names.index(name) for name in one)
            room -= min(total, math.prod(sizes[each] for each in place))
            if room < 0:
                break
            places.append(place)
        self._prepare(read, total, places)

    def _prepare(self, read: Version, total: int, places: Sequence[tuple[int, ...]]) -> None:
        with self._lock:
            self._schemas[read.id] = read.schema
            changes = self._changes[read.id]
            missing = [key for key in dict.fromkeys(map(_sorted, places)) if key and not self._is_kept(read.id, key, total)]
        if not missing:
            return
        # Rows are looked at without the lock: it takes seconds, and neither mixings nor other views should wait for it.
        self.looks += 1
        found, tables = self._store.count_reports(read, missing)
        with self._lock:
            if found != total or self._changes[read.id] != changes:
                raise MovedError
            for key, counts in zip(missing, tables, strict=True):
                self._forget((read.id, key))
                self._kept[read.id, key] = total, counts
                self._cells += len(counts[0])

    def _is_kept(self, version_id: int, key: tuple[int, ...], total: int) -> bool:
        kept = self._kept.get((version_id, key))
        return kept is not None and kept[0] == total

    def _forget(self, key: tuple[int, tuple[int, ...]]) -> None:
        before = self._kept.pop(key, None)
        self._cells -= 0 if before is None else len(before[1][0])

    def _make_room(self) -> None:
        while self._cells > MOST_CELLS and len(self._kept) > 1:
            self._forget(next(iter(self._kept)))

    def _table(self, read: Version, total: int, places: tuple[int, ...]) -> CellTable:
        """The table with its axes in the order in which they were asked for."""
        if not places:
            return CellTable([], np.zeros((1, 0)), [total])
        key = read.id, _sorted(places)
        self._kept.move_to_end(key)
        _, (flat, n) = self._kept[key]
        names, sizes = list(read.schema), [len(channel.outputs) for channel in read.schema.values()]
        codes = np.unravel_index(flat, tuple(sizes[place] for place in key[1]))
        at = dict(zip(key[1], codes, strict=True))
        axes = [Axis(names[place], read.schema[names[place]].outputs) for place in places]
        return CellTable(axes, np.column_stack([at[place] for place in places]), n)

    def _add(self, version_id: int, before: int, codes: Ints) -> None:
        """Add a release to the tables that are kept of its version; those that are not of the moment before it are forgotten."""
        with self._lock:
            self.changes += 1
            self._changes[version_id] += 1
            after = before + len(codes)
            for key in [key for key in self._kept if key[0] == version_id]:
                total, counts = self._kept[key]
                if total == before and version_id in self._schemas:
                    sizes = [len(channel.outputs) for channel in self._schemas[version_id].values()]
                    new = Adding([sizes[place] for place in key[1]])
                    new.add([codes[:, place] for place in key[1]])
                    grown = added(counts, new.found)
                    self._cells += len(grown[0]) - len(counts[0])
                    self._kept[key] = after, grown
                elif total != after:
                    self._forget(key)


def _sorted(places: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(places))


class Released(Countable):
    """The answers to a version that were out at one moment, as data that a `dn.Sample` is asked about."""

    def __init__(self, tallies: Tallies, read: Version, total: int) -> None:
        self.name = f"{read.slug}, version {read.number}"
        self.total = total
        self._tallies, self._read = tallies, read

    @property
    def columns(self) -> list[str]:
        """The attributes."""
        return list(self._read.schema)

    def cell_table(self, schema: Schema, attributes: Sequence[str]) -> CellTable:
        """How often each combination of reports of these attributes occurs."""
        return self._tallies.of(self._read, self.total, [attributes])[0]

    def prepare(self, wanted: Sequence[Sequence[str]]) -> None:
        """Count several such tables by one look at the rows."""
        self._tallies.prepare(self._read, self.total, wanted)
