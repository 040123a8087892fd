"""Coarser and coarser values until enough rows share every combination of up to three columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from deniable.core.domains.exact import Ints
from deniable.errors import ParameterError
from deniable.privacy.measures.entropy import bits as entropy_bits
from deniable.publish.cells import as_numbers, as_text, cells
from deniable.publish.recoding import (
    Recoding,
    at_least,
    into_bands,
    is_numeric,
    is_whole,
    round_edges,
    the_largest,
    with_rare_merged,
)
from deniable.publish.singled_out import TOGETHER, columns_taken, shared_by

LADDER = (40, 20, 12, 8, 6, 5, 4, 3, 2, 1)
"""How many values a column is left with, step by step, until enough rows share every combination."""


class _Column:
    """A column with ever coarser forms of itself."""

    def __init__(self, name: str, column: Any, start: Recoding | None, fixed: bool, missing: str | None, shared: int) -> None:
        self.level = 0
        self.name = name
        self._made: dict[int, tuple[Recoding | None, Ints]] = {0: (start, _codes(column, name, start, missing))}
        self._makers: Sequence[Callable[[], Recoding]] = []
        if fixed:
            return
        values = int(self._made[0][1].max()) + 1
        chosen = f"so that at least {shared:,} rows share every combination with two other columns"
        steps = [count for count in LADDER if count < values]
        if is_numeric(column, name):
            numbers = as_numbers(cells(column, name, missing, True))
            whole = is_whole(column, name)

            def banded(bands: int) -> Recoding:
                return into_bands(column, name, round_edges(numbers, bands, whole), missing, chosen)

            self._makers = [partial(banded, bands) for bands in steps]
            return

        def merged(keep: Callable[[Ints], Any]) -> Recoding:
            # A few missing cells would otherwise be found for ever, however coarse the rest is.
            return with_rare_merged(column, name, keep, missing, chosen, apart=False)

        self._makers = [partial(merged, keep) for keep in (at_least(shared), *(the_largest(kept, shared) for kept in steps))]

    @property
    def last(self) -> bool:
        return self.level == len(self._makers)

    def at(self, level: int) -> tuple[Recoding | None, Ints]:
        """The recoding of a level (None: as it is) and the codes of the rows."""
        if level not in self._made:
            recoding = self._makers[level - 1]()
            self._made[level] = (recoding, recoding.codes)
        return self._made[level]

    @property
    def codes(self) -> Ints:
        return self.at(self.level)[1]

    @property
    def bits(self) -> float:
        """How much the column tells: the entropy of its values."""
        return entropy_bits(np.bincount(self.codes) / len(self.codes))


def _codes(column: Any, name: str, recoded: Recoding | None, missing: str | None) -> Ints:
    if recoded is not None:
        return recoded.codes
    if is_numeric(column, name):
        return np.unique(as_numbers(cells(column, name, missing, True)), return_inverse=True)[1].ravel().astype(np.int64)
    codes: Ints = as_text(cells(column, name, missing, False)).dictionary_encode().indices.to_numpy(zero_copy_only=False)
    return codes.astype(np.int64)


def until_shared(
    columns: Mapping[str, Any], done: Mapping[str, Recoding], fixed: Sequence[str], missing: str | None, shared: int
) -> dict[str, Recoding]:
    """Coarser and coarser values until at least `shared` rows share every combination of up to three of these columns.

    Of the columns that single out most, the one that tells most is made coarser by a step, again and again (as in Sweeney's Datafly);
    then every column is made finer again as far as that does no harm. Merging values never splits rows that share a combination, so what
    holds once holds ever after.

    Parameters
    ----------
    columns : the columns, by name.
    done : recodings that were made already.
    fixed : columns that stay as the owner chose them.
    missing : the label of missing cells.
    shared : how many rows should share every combination.

    Returns
    -------
    dict
        One `Recoding` per column that is coarser now.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = {"age": pa.array(list(range(20, 40)) * 3), "town": pa.array(["A", "B"] * 30)}
    >>> list(until_shared(people, {}, [], None, 5)["age"].labels)
    ['under 24', '24 to 27', '28 to 31', '32 to 35', '36 or more']
    """
    rows = len(next(iter(columns.values())))
    if rows < shared:
        raise ParameterError(
            "min_shared", "min_shared is {asked:,}, but there are only {rows:,} rows.", asked=shared, rows=rows
        )
    each = [_Column(name, column, done.get(name), name in fixed, missing, shared) for name, column in columns.items()]
    taken, rest = columns_taken([int(column.codes.max()) + 1 for column in each], rows)
    sets = [(at,) for at in rest] + [chosen for size in range(1, TOGETHER + 1) for chosen in combinations(taken, size)]

    def few(chosen: Sequence[int]) -> int:
        return int((shared_by([each[at].codes for at in chosen]) < shared).sum())

    bad = {chosen: count for chosen in sets if (count := few(chosen))}
    while bad:
        weight = np.zeros(len(each))
        for chosen, count in bad.items():
            weight[list(chosen)] += count
        scores = [-1.0 if column.last else weight[at] * column.bits for at, column in enumerate(each)]
        best = int(np.argmax(scores))
        if scores[best] <= 0:
            break  # what is left is fixed by the owner
        each[best].level += 1
        bad = {chosen: left for chosen, count in bad.items() if (left := few(chosen) if best in chosen else count)}
    for at in sorted(range(len(each)), key=lambda at: each[at].bits):
        concerned = [chosen for chosen in sets if at in chosen and chosen not in bad]
        while each[at].level > 0:
            each[at].level -= 1
            if any(few(chosen) for chosen in concerned):
                each[at].level += 1
                break
    return {column.name: recoding for column in each if (recoding := column.at(column.level)[0]) is not None}
