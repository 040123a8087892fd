"""The level-wise search: pairs from items, triples from pairs, as long as all subsets of a candidate were found frequent.

Every candidate costs one AND and popcount per word and m multiplications (`kernels.candidates.weighted_sums`): the sums that its
estimate needs are those of its subsets, which the level below has computed. Candidates are made and counted in portions, so that
memory holds a portion of candidates and the itemsets found, never a whole level of candidates. All processors count a large level; a
small one is made ahead by one of them (`ahead.py`), in a single call without the interpreter's lock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from deniable import interrupts
from deniable.core.domains.exact import Ints
from deniable.errors import ParameterError
from deniable.mining.ahead import Ahead, ItemArrays
from deniable.mining.choices import Choice
from deniable.mining.counting import CountsItemsets, Sums, SumsItemsets
from deniable.mining.levels import MOST_CANDIDATES, Below, Level, Tally
from deniable.progress import Progress, Silent

PORTION = 1 << 18
"""Candidates that are in memory at a time."""


class Search:
    """One search over items that were numbered 0, 1, ...

    Parameters
    ----------
    counter
        What counts itemsets of these items; its `portion`, if it has one, is how many it counts at a time.
    rows
        How many transactions there are.
    items
        The attributes and weights of the items; weights are not read where the counter sums them itself.
    choice
        Which candidates are frequent.
    most
        More candidates of one length than this are refused before they are made.
    progress
        Who is told how far the search is.
    tally
        Counts the candidates of two and more items; how many items were looked at to begin with the caller knows.
    """

    def __init__(
        self,
        counter: CountsItemsets | SumsItemsets,
        rows: int,
        items: ItemArrays,
        choice: Choice,
        most: int = MOST_CANDIDATES,
        progress: Progress | None = None,
        tally: Tally | None = None,
    ) -> None:
        self._tally = tally or Tally()
        self._counter, self._rows, self._choice = counter, rows, choice
        # A power of a weight that is one of two numbers is again one of two numbers.
        absent = np.stack([items.absent**k for k in (1, 2, 3)], axis=1)
        slope = np.stack([(items.absent + items.slope) ** k for k in (1, 2, 3)], axis=1) - absent
        self._items = ItemArrays(items.attribute.astype(np.int64), absent, slope)
        self._most = most
        self._portion: int = getattr(counter, "portion", PORTION)
        self._progress = progress or Silent()
        self._frequent = 0
        self._ahead = Ahead(counter, choice, self._items, self._portion)
        self._last: tuple[Level, Below] | None = None

    def levels(self, max_len: int | None = None) -> Iterator[Level]:
        """Level after level until none is frequent; a caller may stop at any time and keep what it has."""
        with self._ahead:
            while (level := self.next_level(max_len)) is not None:
                yield level

    @property
    def length(self) -> int:
        """How many items the itemsets of the last level have; 0 before the first."""
        return 0 if self._last is None else self._last[1].length

    def next_level(self, max_len: int | None = None) -> Level | None:
        """The next level, None where there is none or it would be longer than `max_len`.

        While the caller is busy with a level another processor may be at work on the next. What the frame tells of a level
        (`Level.columns`) is known once the next one is asked for.
        """
        interrupts.check()
        if self._last is None:
            level, below = self._first_level()
        else:
            level, below = self._last
            level.columns = self._ahead.columns(level)
            if not len(level) or (max_len is not None and below.length >= max_len):
                return None
            level, below = self._above(below)
        self._last = level, below
        if not len(level):
            return None
        if max_len is None or level.length < max_len:
            self._ahead.begin(level, below)
        return level

    def _first_level(self) -> tuple[Level, Below]:
        items = np.arange(len(self._items.attribute), dtype=np.int32)[:, None]
        parents = np.zeros((len(items), 1), np.int32)
        nothing = Below(np.zeros((1, 0), np.int32), parents[:0], np.zeros(0, np.int64), np.full((1, 1, 3), float(self._rows)))
        return self._measured([(items, parents)], nothing, len(items))

    def _above(self, below: Below) -> tuple[Level, Below]:
        pairs = below.pairs
        self._check_candidates(below, pairs)
        made = self._ahead.take()
        if made is not None:
            return self._as_level(*made, below, pairs)
        joins = below.joins
        if pairs > self._portion and self._choice.looks_at_levels:
            self._fit_sample(below, joins)
        return self._measured(self._portions(below, joins), below, pairs)

    def _joined(self, below: Below, joins: Ints, first: int, last: int) -> tuple[Any, Any]:
        """The candidates, and the rows of their subsets, that the itemsets first..last of the level below begin."""
        from deniable.kernels.candidates import join

        shape = int(joins[first:last].sum()), below.length + 1
        itemsets, parents = np.empty(shape, np.int32), np.empty(shape, np.int32)
        sets = below.itemsets, below.tails, below.parents, below.starts
        candidates = join(*sets, self._items.attribute, first, last, itemsets, parents)
        return itemsets[:candidates], parents[:candidates]

    def _fit_sample(self, below: Below, joins: Ints) -> None:
        """Show the choice candidates from all over a level that is too large to be seen at once."""
        runs = 64
        width = max(1, int(len(joins) * (self._portion / 2 / joins.sum()) / runs))
        firsts = np.linspace(0, len(joins) - width, runs).astype(np.int64).tolist()
        pieces = [self._joined(below, joins, first, first + width) for first in firsts]
        itemsets, parents = (np.concatenate(part) for part in zip(*pieces, strict=True))
        self._choice.fit(itemsets, parents, self._sums(itemsets, parents, below)[0])

    def _portions(self, below: Below, joins: Ints) -> Iterator[tuple[Any, Any]]:
        bounds = np.cumsum(joins)
        first = 0
        while first < len(joins):
            done = bounds[first - 1] if first else 0
            last = max(int(np.searchsorted(bounds, done + self._portion, side="right")), first + 1)
            room = int(bounds[last - 1] - done)
            if room:
                itemsets, parents = self._joined(below, joins, first, last)
                self._progress.advance(room - len(itemsets))
                yield itemsets, parents
            first = last

    def _measured(self, portions: Any, below: Below, joins: int) -> tuple[Level, Below]:
        from deniable.kernels.candidates import first_of_each

        length = below.length + 1
        self._progress.start(f"itemsets of {length}", joins)
        kept: list[tuple[Any, ...]] = []
        candidates = 0
        for itemsets, parents in portions:
            candidates += len(itemsets)
            self._tally.add(length, len(itemsets) if length > 1 else 0)
            sums, partial = self._sums(itemsets, parents, below)
            if joins <= self._portion:
                self._choice.fit(itemsets, parents, sums)
            frequent, support, error = self._choice(itemsets, parents, sums)
            chosen = np.flatnonzero(frequent)
            self._frequent += len(chosen)
            self._check_frequent(length)
            columns = parents, sums.reported, sums.total, sums.second, sums.third, support, error
            kept.append(
                (
                    *(None if column is None else column.take(chosen, axis=0) for column in columns),
                    *(_in_place(table, chosen) for table in (itemsets, partial)),
                )
            )
            self._progress.advance(len(itemsets))
        self._progress.finish()
        if kept:
            self._choice.finish()
        else:
            nothing = np.zeros((0, length), np.int32)
            sums = Sums(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
            return Level(nothing, nothing, sums, np.zeros(0), 0), Below(nothing, nothing, np.zeros(0, np.int64))
        parents, reported, total, second, third, support, error, itemsets, partial = map(_together, zip(*kept, strict=True))
        level = Level(itemsets, parents, Sums(reported, total, second, third), support, candidates, error)
        return level, Below(itemsets, parents, first_of_each(parents[:, -1], len(below.itemsets)), partial)

    def _as_level(self, made: Any, drawn: Any, below: Below, joins: int) -> tuple[Level, Below]:
        """As `_measured`, of what another processor has made."""
        length = below.length + 1
        self._progress.start(f"itemsets of {length}", joins)
        itemsets, parents, reported, sums, partial, starts, candidates = made
        self._tally.add(length, candidates)
        self._frequent += len(itemsets)
        self._check_frequent(length)
        self._progress.advance(joins)
        self._progress.finish()
        together = Sums(reported, *sums)
        support, error = drawn or (together.total / self._rows, None)
        level = Level(itemsets, parents, together, support, candidates, error)
        return level, Below(itemsets, parents, starts, partial)

    def _sums(self, itemsets: Any, parents: Any, below: Below) -> tuple[Sums, Any]:
        from deniable.kernels.candidates import weighted_sums

        if not isinstance(self._counter, CountsItemsets):
            return self._counter.sums(itemsets), None
        reported = self._counter.counts(itemsets)
        partial, whole = weighted_sums(reported, itemsets, parents, below.partial, self._items.absent, self._items.slope)
        return Sums(reported, *whole), partial

    def _check_candidates(self, below: Below, total: int) -> None:
        """Estimate the candidates of the next level and stop before they are made if there are too many."""
        if total <= self._most:
            return
        share = self._share_with_known_subsets(below)
        if total * share > self._most:
            raise ParameterError(
                "too_many_candidates",
                "{found:,} itemsets of {length} items seem frequent, which makes about {got:,} candidates of {next} items "
                "(allowed: {most:,}). Raise min_support, set max_len={length}, or raise max_candidates if time and memory allow.",
                found=len(below.itemsets),
                length=below.length,
                next=below.length + 1,
                got=int(total * share),
                most=self._most,
            )

    def _share_with_known_subsets(self, below: Below) -> float:
        """Of the joins of an even sample of itemsets, the share that are candidates."""
        if below.length < 2:
            return 1.0
        joins = below.joins
        tried = candidates = 0
        for row in np.linspace(0, len(joins) - 1, 2_000).astype(np.int64).tolist():
            tried += int(joins[row])
            candidates += len(self._joined(below, joins, row, row + 1)[0])
            if tried > 1_000_000:
                break
        return candidates / tried if tried else 0.0

    def _check_frequent(self, length: int) -> None:
        allowed = max(self._most // 10, 1)
        if self._frequent > allowed:
            raise ParameterError(
                "too_many_itemsets",
                "{found:,} itemsets are frequent already, more than {most:,} (a tenth of max_candidates={candidates:,}), and those of "
                "{length} items are not all counted. Raise min_support, lower max_len, or raise max_candidates if memory allows.",
                found=self._frequent,
                most=allowed,
                candidates=self._most,
                length=length,
            )


def _together(parts: Sequence[Any]) -> Any:
    """Columns of all portions as one; columns that there are not stay so."""
    return parts[0] if len(parts) == 1 or parts[0] is None else np.concatenate(parts)


def _in_place(table: Any, chosen: Ints) -> Any:
    """The chosen rows of what only the next level reads."""
    from deniable.kernels.candidates import kept_rows

    if table is None:
        return None
    flat = table.reshape(len(table), prod(table.shape[1:]))
    return kept_rows(flat, chosen).reshape(len(chosen), *table.shape[1:])
