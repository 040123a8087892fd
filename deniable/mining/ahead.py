"""The hand-off between two processors: one makes the next level while the caller names the itemsets of this one.

For many short levels naming takes as long as the search. A level that is worth all processors, or more than a portion of candidates,
is not made ahead: the search counts it itself, in threads.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

from deniable.core.domains.exact import Floats, Ints
from deniable.mining.choices import Choice
from deniable.mining.counting import WORDS_WORTH_A_THREAD, CountsItemsets, PackedCounts, SumsItemsets
from deniable.mining.levels import Below, Level


class ItemArrays(NamedTuple):
    """Of items numbered 0, 1, ...: the attribute of each, its weight where it is not reported, and what a report adds to that."""

    attribute: Ints
    absent: Floats
    slope: Floats


class Ahead:
    """One level made ahead at most; used as a context, at the end of which no thread is left."""

    def __init__(self, counter: CountsItemsets | SumsItemsets, choice: Choice, items: ItemArrays, most_candidates: int) -> None:
        """`items` has a column for each power of the weights; more than `most_candidates` are not made ahead."""
        self._counter = counter if isinstance(counter, PackedCounts) else None
        self._choice, self._items, self._most = choice, items, most_candidates
        self._pool: ThreadPoolExecutor | None = None
        self._level: Future[Any] | None = None
        self._with_columns = False

    def __enter__(self) -> Ahead:
        self._pool = ThreadPoolExecutor(1)
        return self

    def __exit__(self, *raised: object) -> None:
        assert self._pool is not None
        self._pool.shutdown()
        self._pool = None

    def begin(self, level: Level, below: Below) -> None:
        """Have the next level made while the caller is busy with this one, if that is worth it."""
        if self._pool is None or self._counter is None:
            return
        room = below.pairs
        if room > self._most or room * self._counter.words >= 2 * WORDS_WORTH_A_THREAD:
            return
        # The side that has less to do computes this level's columns: as many itemsets are named as made in about the same time.
        self._with_columns = room <= len(level)
        call = self._choice.in_one_call(level, self._with_columns)
        if call is None:
            return
        function, given = call
        sets = below.itemsets, below.tails, below.parents, below.starts, below.partial
        work = sets, tuple(self._items), self._counter.packed, room, *given
        if function.overloads:
            self._level = self._pool.submit(function, *work)
        else:
            # Compiled here the first time, where Ctrl-C reaches it.
            self._level = Future()
            self._level.set_result(function(*work))

    def columns(self, level: Level) -> Any:
        """What the frame tells of a level, as the other processor computed it or, while that one makes the next level, computed here."""
        if level.sums.third is None:
            return None
        if self._level is not None and self._with_columns:
            columns = self._level.result()[2]
            if columns.shape[1] == len(level):
                return columns
        return self._choice.columns(level)

    def take(self) -> tuple[Any, Any] | None:
        """The next level as `kernels.next_level` gives it, and what `Choice.made` makes of the rest; None if none was begun."""
        begun, self._level = self._level, None
        if begun is None:
            return None
        level, told, _ = begun.result()
        return level, self._choice.made(told)
