"""Counting released answers in the database: how often combinations of reports occur, many tables by one look at the rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa

from deniable.core.domains.exact import Ints
from deniable.survey.store.database import Database
from deniable.survey.store.engine import connected
from deniable.survey.store.surveys import Version, find_survey
from deniable.survey.store.tables import survey, version

ROWS = 100_000
"""So many rows come at a time."""
BITS = 62
"""A whole number of a database has room for so many, its sign left out."""


def count_released(database: Database, read: Version) -> int:
    """How many answers of a version are out."""
    with connected(database.engine) as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(read.table)).scalar_one())


def closings_of(database: Database, slug: str) -> tuple[str, int]:
    """Whether a survey is "open" or "closed", whatever day it is, and how often it was closed when there were answers."""
    with connected(database.engine) as connection:
        row = find_survey(connection, slug)
        query = sa.select(sa.func.coalesce(sa.func.sum(version.c.closings), 0)).where(version.c.survey_id == row.id)
        state = connection.execute(sa.select(survey.c.state).where(survey.c.id == row.id)).scalar_one()
        return str(state), int(connection.execute(query).scalar_one())


def count_reports(database: Database, read: Version, wanted: Sequence[tuple[int, ...]]) -> tuple[int, list[tuple[Ints, Ints]]]:
    """How often combinations of reports occur, all at one moment.

    Parameters
    ----------
    database : Database
        Where the answers are.
    read : Version
        The version that they answer.
    wanted : sequence of tuples of int
        For each table, which columns it is of, by their places in the schema.

    Returns
    -------
    tuple
        How many answers there are; and for each table the numbers of the combinations that occur (codes of its columns in mixed radix, the
        last column fastest, rising) with how often each does.
    """
    sizes = [len(channel.outputs) for channel in read.schema.values()]
    needed = sorted({column for columns in wanted for column in columns})
    adding = [Adding([sizes[column] for column in columns]) for columns in wanted]
    total = 0
    with connected(database.engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ")
        for codes in _pieces(connection, read, needed, [sizes[column] for column in needed]):
            at = dict(zip(needed, codes, strict=True))
            total += len(codes[0]) if needed else 0
            for table, columns in zip(adding, wanted, strict=True):
                table.add([at[column] for column in columns])
        if not needed:
            total = int(connection.execute(sa.select(sa.func.count()).select_from(read.table)).scalar_one())
    return total, [table.found for table in adding]


class Adding:
    """A table that grows piece by piece: numbers of combinations that occur, and how often each does.

    >>> table = Adding([2, 3])
    >>> table.add([np.array([0, 1, 1]), np.array([2, 0, 0])])
    >>> [column.tolist() for column in table.found]
    [[2, 3], [1, 2]]
    """

    DENSE = 1 << 20
    """Tables of up to this many combinations are counted in place, others by sorting."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes = tuple(sizes)
        self._dense = np.zeros(math.prod(sizes), dtype=np.int64) if math.prod(sizes) <= self.DENSE else None
        self._places: Ints = np.zeros(0, dtype=np.int64)
        self._n: Ints = np.zeros(0, dtype=np.int64)

    def add(self, codes: Sequence[Ints]) -> None:
        """Count more rows, given as one array of codes for each column."""
        if not self._sizes:
            return
        places = np.ravel_multi_index(tuple(codes), self._sizes)
        if self._dense is not None:
            self._dense += np.bincount(places, minlength=len(self._dense))
            return
        self._places, self._n = added((self._places, self._n), np.unique(places, return_counts=True))

    @property
    def found(self) -> tuple[Ints, Ints]:
        """What was counted."""
        if self._dense is None:
            return self._places, self._n
        places = np.flatnonzero(self._dense)
        return places, self._dense[places]


def added(one: tuple[Ints, Ints], other: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Two tables of (combinations, how often each occurs) as one.

    >>> places, n = added((np.array([0, 2]), np.array([5, 1])), (np.array([2, 3]), np.array([1, 1])))
    >>> places.tolist(), n.tolist()
    ([0, 2, 3], [5, 2, 1])
    """
    places, inverse = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    n = np.zeros(len(places), dtype=np.int64)
    np.add.at(n, inverse.reshape(-1), np.concatenate([one[1], other[1]]))
    return places, n


def _pieces(connection: sa.Connection, read: Version, columns: Sequence[int], sizes: Sequence[int]) -> Iterator[list[Ints]]:
    """The codes of some columns, piece by piece. Several columns come as one whole number, and many of these as one text: a Python object
    for each row would take most of the time."""
    packs = _packs(sizes)
    if not packs:
        return
    # A column of SQLite has 64 bits as it is, one of PostgreSQL 32.
    wide = "c{}" if connection.dialect.name == "sqlite" else "CAST(c{} AS BIGINT)"
    for row in _texts(connection, read, [_packed(columns, pack, wide) for pack in packs], columns):
        numbers = [np.fromstring(text, dtype=np.int64, sep=",") for text in row]
        codes: list[Any] = [None] * len(columns)
        for pack, packed in zip(packs, numbers, strict=True):
            for place, shift, bits in pack:
                codes[place] = (packed >> shift) & ((1 << bits) - 1)
        yield codes


def _texts(
    connection: sa.Connection, read: Version, expressions: Sequence[str], columns: Sequence[int]
) -> Iterator[Sequence[str]]:
    if connection.dialect.name == "sqlite":
        listed = ", ".join(f"group_concat({expression})" for expression in expressions)
        last = connection.exec_driver_sql(f"SELECT max(rowid) FROM {read.table.name}").scalar() or 0
        for begin in range(0, last, ROWS):
            query = f"SELECT {listed} FROM {read.table.name} WHERE rowid > {begin} AND rowid <= {begin + ROWS}"
            row = connection.exec_driver_sql(query).one()
            if row[0] is not None:
                yield [str(text) for text in row]
        return
    listed = ", ".join(f"string_agg(CAST({expression} AS text), ',')" for expression in expressions)
    inner = ", ".join(f"c{column}" for column in columns)
    numbered = f"SELECT {inner}, row_number() OVER () AS place FROM {read.table.name}"
    query = f"SELECT {listed} FROM ({numbered}) AS numbered GROUP BY (place - 1) / {ROWS}"
    for row in connection.execution_options(stream_results=True).exec_driver_sql(query):
        yield [str(text) for text in row]


def _packs(sizes: Sequence[int]) -> list[list[tuple[int, int, int]]]:
    """Which columns (by place) share a whole number, from which bit on, and how many bits each has."""
    packs: list[list[tuple[int, int, int]]] = []
    used = BITS + 1
    for place, size in enumerate(sizes):
        bits = max(1, (size - 1).bit_length())
        if used + bits > BITS:
            packs.append([])
            used = 0
        packs[-1].append((place, used, bits))
        used += bits
    return packs


def _packed(columns: Sequence[int], pack: Sequence[tuple[int, int, int]], wide: str) -> str:
    return "(" + " | ".join(f"({wide.format(columns[place])} << {shift})" for place, shift, _ in pack) + ")"
