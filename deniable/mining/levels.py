"""The level-wise search: pairs from items, triples from pairs, as long as all subsets of a candidate were found frequent.

Every candidate costs one AND and popcount a word and m multiplications (`kernels.candidates.weighted_sums`): the sums that its
estimate needs are those of its subsets, which the level below has computed. Candidates are made and counted in portions, so that
memory holds a portion of candidates and the itemsets found, never a whole level of candidates. All processors count a large level; a
small one is made by one of them, in a single call without the interpreter's lock, while the caller names the itemsets of the level
below: for many short levels naming takes as long as the search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Protocol

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.errors import ParameterError
from deniable.mining.counting import WORDS_WORTH_A_THREAD, PackedCounts, RowSums, Sums
from deniable.progress import Progress, Silent

PORTION = 1 << 18
"""Candidates that are in memory at a time."""
ROUNDING = 1e-12
"""A support that is the minimum but for rounding reaches it: whether it does must not depend on the order of multiplication."""
MOST_CANDIDATES = 20_000_000
"""Candidates of one level beyond which a search is stopped before it starts; a tenth of them may be found frequent in all."""


@dataclass
class Level:
    """The frequent itemsets of one length: rows of item numbers in lexicographic order, and their sums.

    `parents[i, k]` is the row, in the level below, of itemset i without its item at position k.
    """

    itemsets: Any
    parents: Any
    sums: Sums
    support: Floats
    candidates: int
    error: Floats | None = None  # of the supports shown, where they are not the unbiased ones
    columns: Any = None  # support, its standard error, low and high ends, probability: where they are known already

    @property
    def length(self) -> int:
        """How many items each has."""
        return int(self.itemsets.shape[1])

    def __len__(self) -> int:
        return len(self.itemsets)


@dataclass
class Tally:
    """How many candidates were tested, those of lengths at which nothing was found included."""

    tested: int = 0


@dataclass
class Below:
    """What a level hands up: its itemsets and the partial sums that the next level's recursion reads."""

    itemsets: Any
    parents: Any
    starts: Ints  # where the itemsets begin that are a row of the level below and one more item
    partial: Any = None  # of the weights, of their squares and of their cubes (last axis)
    above: Future[Any] | None = None  # the level above, where another processor is at work on it

    def __post_init__(self) -> None:
        self.tails = self.itemsets[:, -1:].ravel()

    @property
    def joins(self) -> Ints:
        """With how many itemsets after it, that share all its items but the last, each can be joined."""
        joins: Ints = self.starts[self.parents[:, -1] + 1] - np.arange(1, len(self.itemsets) + 1)
        return joins

    @cached_property
    def pairs(self) -> int:
        """How many joins there are in all."""
        alike = np.diff(self.starts)
        return int((alike * (alike - 1)).sum()) // 2


Choose = Callable[[Any, Any, Sums], tuple[Any, Floats]]
"""From candidates, the rows of their subsets in the level below, and their sums to (which are frequent, the supports of all)."""


class Choice(Protocol):
    """A choice that looks at a whole level before it chooses, and at its own earlier levels."""

    def fit(self, itemsets: Any, parents: Any, sums: Sums) -> None:
        """Look at (an even sample of) the candidates of a level before any is chosen."""

    def __call__(self, itemsets: Any, parents: Any, sums: Sums) -> tuple[Any, Floats, Floats | None]:
        """(which are frequent, the supports of all, the errors of these)."""

    def finish(self) -> None:
        """All candidates of the level were seen."""


@dataclass(frozen=True)
class Reaching:
    """The choice of all whose unbiased support reaches a limit.

    What the frame tells of them is computed at once: `given` and `otherwise` are the items' E[w^2 | true] and E[w^2 | not true], `asked`
    is as in `kernels.support_scores.support_columns`.
    """

    limit: float
    given: Floats
    otherwise: Floats
    asked: tuple[int, float, float, float, bool]

    def __call__(self, itemsets: Any, parents: Any, sums: Sums) -> tuple[Any, Floats]:
        support = sums.total / self.asked[0]
        return support >= self.limit, support

    def columns(self, sums: Sums, itemsets: Any) -> Any:
        """What the frame tells of some itemsets but how often they are reported."""
        from deniable.kernels.support_scores import support_columns

        return support_columns((sums.total, sums.second, sums.third), itemsets, self.given, self.otherwise, self.asked)


class ByEach:
    """A choice that looks at each candidate by itself."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose

    def fit(self, itemsets: Any, parents: Any, sums: Sums) -> None:
        pass

    def __call__(self, itemsets: Any, parents: Any, sums: Sums) -> tuple[Any, Floats, Floats | None]:
        return *self._choose(itemsets, parents, sums), None

    def finish(self) -> None:
        pass


class Search:
    """One search over items that were numbered 0, 1, ...: `attribute`, `absent` and `slope` are theirs."""

    def __init__(
        self,
        counter: PackedCounts | RowSums | Any,
        rows: int,
        attribute: Ints,
        absent: Floats,
        slope: Floats,
        choose: Choose | Choice,
        most: int = MOST_CANDIDATES,
        progress: Progress | None = None,
        tally: Tally | None = None,
    ) -> None:
        """`tally` counts the candidates of two and more items; how many items were looked at to begin with the caller knows."""
        self._tally = tally or Tally()
        self._counter, self._rows, self._attribute = counter, rows, attribute.astype(np.int64)
        # A power of a weight that is one of two numbers is again one of two numbers.
        self._absent = np.stack([absent**k for k in (1, 2, 3)], axis=1)
        self._slope = np.stack([(absent + slope) ** k for k in (1, 2, 3)], axis=1) - self._absent
        self._choose: Any = choose if hasattr(choose, "fit") else ByEach(choose)
        self._reaching = choose if isinstance(choose, Reaching) else None
        self._most = most
        self._portion: int = getattr(counter, "portion", PORTION)
        self._progress = progress or Silent()
        self._found = 0

    def levels(self, max_len: int | None = None) -> Iterator[Level]:
        """Level after level until none is frequent; a caller may stop at any time and keep what it has."""
        items = np.arange(len(self._attribute), dtype=np.int32)[:, None]
        parents = np.zeros((len(items), 1), np.int32)
        below = Below(np.zeros((1, 0), np.int32), parents[:0], np.zeros(0, np.int64), np.full((1, 1, 3), float(self._rows)))
        level, below = self._measured([(items, parents)], below, len(items))
        with ThreadPoolExecutor(1) as beside:
            while len(level):
                last = max_len is not None and level.length >= max_len
                if not last:
                    self._begin_above(level, below, beside)
                yield level
                self._tell(level, below)
                if last:
                    return
                level, below = self._next(below)

    def _begin_above(self, level: Level, below: Below, beside: ThreadPoolExecutor) -> None:
        """Have the next level made while the caller is busy with this one, unless it is worth more than a processor or a portion."""
        if self._reaching is None or not isinstance(self._counter, PackedCounts):
            return
        room = below.pairs
        if room > self._portion or room * self._counter.words >= 2 * WORDS_WORTH_A_THREAD:
            return
        from deniable.kernels.levels import level_above

        reaching, sets = self._reaching, (below.itemsets, below.tails, below.parents, below.starts, below.partial)
        items = self._attribute, self._absent, self._slope, reaching.given, reaching.otherwise
        # Who has less to do computes the columns of this level: its itemsets are named in about the time in which as many are made.
        known: Any = level.sums.total, level.sums.second, level.sums.third
        sums = known if room <= len(level) else tuple(each[:0] for each in known)
        work = sets, items, self._counter.packed, room, reaching.limit, sums, reaching.asked
        if level_above.signatures:
            below.above = beside.submit(level_above, *work)
        else:
            # Compiled here the first time, where Ctrl-C reaches it.
            below.above = Future()
            below.above.set_result(level_above(*work))

    def _tell(self, level: Level, below: Below) -> None:
        """Set the columns of a level, as the other processor computed them or, while it is at work on the level above, here."""
        if self._reaching is not None and level.sums.third is not None:
            if below.above is not None and below.pairs <= len(level):
                level.columns = below.above.result()[1]
            else:
                level.columns = self._reaching.columns(level.sums, below.itemsets)

    def _next(self, below: Below) -> tuple[Level, Below]:
        pairs = below.pairs
        self._check_candidates(below, pairs)
        if below.above is not None:
            return self._made(below.above, below, pairs)
        joins = below.joins
        if pairs > self._portion and not isinstance(self._choose, ByEach):
            self._fit_sample(below, joins)
        return self._measured(self._portions(below, joins), below, pairs)

    def _joined(self, below: Below, joins: Ints, first: int, last: int) -> tuple[Any, Any]:
        """The candidates, and the rows of their subsets, that the itemsets first..last of the level below begin."""
        from deniable.kernels.candidates import join

        shape = int(joins[first:last].sum()), below.itemsets.shape[1] + 1
        itemsets, parents = np.empty(shape, np.int32), np.empty(shape, np.int32)
        found = join(below.itemsets, below.tails, below.parents, below.starts, self._attribute, first, last, itemsets, parents)
        return itemsets[:found], parents[:found]

    def _fit_sample(self, below: Below, joins: Ints) -> None:
        """Show the choice candidates from all over a level that is too large to be seen at once."""
        runs = 64
        width = max(1, int(len(joins) * (self._portion / 2 / joins.sum()) / runs))
        firsts = np.linspace(0, len(joins) - width, runs).astype(np.int64).tolist()
        pieces = [self._joined(below, joins, first, first + width) for first in firsts]
        itemsets, parents = (np.concatenate(part) for part in zip(*pieces, strict=True))
        self._choose.fit(itemsets, parents, self._sums(itemsets, parents, below)[0])

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

        length = below.itemsets.shape[1] + 1
        self._progress.start(f"itemsets of {length}", joins)
        kept: list[tuple[Any, ...]] = []
        candidates = 0
        for itemsets, parents in portions:
            candidates += len(itemsets)
            self._tally.tested += len(itemsets) if length > 1 else 0
            sums, partial = self._sums(itemsets, parents, below)
            if joins <= self._portion:
                self._choose.fit(itemsets, parents, sums)
            frequent, support, error = self._choose(itemsets, parents, sums)
            chosen = np.flatnonzero(frequent)
            self._found += len(chosen)
            self._check_found(length)
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
            self._choose.finish()
        else:
            nothing = np.zeros((0, length), np.int32)
            sums = Sums(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
            return Level(nothing, nothing, sums, np.zeros(0), 0), Below(nothing, nothing, np.zeros(0, np.int64))
        parents, reported, total, second, third, support, error, itemsets, partial = map(_together, zip(*kept, strict=True))
        level = Level(itemsets, parents, Sums(reported, total, second, third), support, candidates, error)
        return level, Below(itemsets, parents, first_of_each(parents[:, -1], len(below.itemsets)), partial)

    def _made(self, above: Future[Any], below: Below, joins: int) -> tuple[Level, Below]:
        """As `_measured`, of what another processor has made."""
        length = below.itemsets.shape[1] + 1
        self._progress.start(f"itemsets of {length}", joins)
        itemsets, parents, reported, sums, partial, starts, candidates = above.result()[0]
        self._tally.tested += candidates
        self._found += len(itemsets)
        self._check_found(length)
        self._progress.advance(joins)
        self._progress.finish()
        found = Sums(reported, *sums)
        level = Level(itemsets, parents, found, found.total / self._rows, candidates)
        return level, Below(itemsets, parents, starts, partial)

    def _sums(self, itemsets: Any, parents: Any, below: Below) -> tuple[Sums, Any]:
        from deniable.kernels.candidates import weighted_sums

        if not hasattr(self._counter, "counts"):
            return self._counter.sums(itemsets), None
        reported = self._counter.counts(itemsets)
        partial, whole = weighted_sums(reported, itemsets, parents, below.partial, self._absent, self._slope)
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
                length=below.itemsets.shape[1],
                next=below.itemsets.shape[1] + 1,
                got=int(total * share),
                most=self._most,
            )

    def _share_with_known_subsets(self, below: Below) -> float:
        """Of the joins of an even sample of itemsets, the share that are candidates."""
        if below.itemsets.shape[1] < 2:
            return 1.0
        joins = below.joins
        tried = found = 0
        for row in np.linspace(0, len(joins) - 1, 2_000).astype(np.int64).tolist():
            tried += int(joins[row])
            found += len(self._joined(below, joins, row, row + 1)[0])
            if tried > 1_000_000:
                break
        return found / tried if tried else 0.0

    def _check_found(self, length: int) -> None:
        allowed = max(self._most // 10, 1)
        if self._found > allowed:
            raise ParameterError(
                "too_many_itemsets",
                "{found:,} itemsets are frequent already, more than {most:,} (a tenth of max_candidates={candidates:,}), and those of "
                "{length} items are not all counted. Raise min_support, lower max_len, or raise max_candidates if memory allows.",
                found=self._found,
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
