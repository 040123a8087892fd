"""Many rows in one statement, as JSON.

The driver gives up Python's global lock at every step of a statement; beside a busy event loop each return can wait for
milliseconds. So a group of submissions, or a mixing of thousands of answers, takes a handful of steps, not one per row. These
statements go to the driver as text: building them anew from expressions took most of the time of a small group.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

Rows = Sequence[Sequence[Any]]
WIDE = 50
"""Of more columns SQLite looks for each from the beginning of its row's JSON: 1,000 rows of 2,000 columns took two minutes."""
_MOST_BOUND = 32_000
"""Values in one statement: SQLite takes 32,766."""


def insert(connection: sa.Connection, table: sa.Table, columns: Sequence[str], rows: Rows) -> None:
    """Insert rows of numbers, texts and nulls, in their order."""
    if connection.dialect.name == "sqlite" and len(columns) > WIDE:
        return _insert_wide(connection, table, columns, rows)
    return insert_all(connection, [(table, columns, rows)])


def _insert_wide(connection: sa.Connection, table: sa.Table, columns: Sequence[str], rows: Rows) -> None:
    """The same for SQLite, with values that are bound: still many rows in a step."""
    values = [f"CAST(? AS {table.c[name].type.compile(connection.dialect)})" for name in columns]
    row, at_once = f"({', '.join(values)})", max(1, _MOST_BOUND // len(columns))
    for begin in range(0, len(rows), at_once):
        some = rows[begin : begin + at_once]
        statement = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES {', '.join([row] * len(some))}"
        connection.exec_driver_sql(statement, tuple(itertools.chain.from_iterable(some)))


def insert_all(connection: sa.Connection, parts: Sequence[tuple[sa.Table, Sequence[str], Rows]]) -> None:
    """Insert into several tables; PostgreSQL is asked once for all of them."""
    filled = [(_insert(connection.dialect, table, tuple(names)), _text(rows)) for table, names, rows in parts if rows]
    if connection.dialect.name == "sqlite":
        for statement, text in filled:
            connection.exec_driver_sql(statement, (text,))
    elif filled:
        *others, last = [statement for statement, _ in filled]
        named = ", ".join(f"part{i} AS ({statement})" for i, statement in enumerate(others))
        connection.exec_driver_sql(f"WITH {named} {last}" if others else last, tuple(text for _, text in filled))


def _text(rows: Rows) -> str:
    return json.dumps(rows, separators=(",", ":"))


@lru_cache
def _insert(dialect: sa.Dialect, table: sa.Table, columns: tuple[str, ...]) -> str:
    types = [table.c[name].type.compile(dialect) for name in columns]
    if dialect.name == "sqlite":
        values = [f"CAST(json_extract(value, '$[{i}]') AS {kind})" for i, kind in enumerate(types)]
        source = "json_each(?) ORDER BY key"
    else:
        values = [f"CAST(value ->> {i} AS {kind})" for i, kind in enumerate(types)]
        source = "json_array_elements(CAST(%s AS json))"
    return f"INSERT INTO {table.name} ({', '.join(columns)}) SELECT {', '.join(values)} FROM {source}"


def select(connection: sa.Connection, table: str, columns: Sequence[str], where: str, among: Sequence[Any]) -> list[list[Any]]:
    """The rows of a table that have one of some values in a column.

    Parameters
    ----------
    connection : sqlalchemy.Connection
        An open connection.
    table : str
        The name of the table.
    columns : sequence of str
        The columns to read: numbers, texts and nulls.
    where : str
        The column that is compared; it may follow other conditions and an `AND`.
    among : sequence
        The values that are looked for.

    Returns
    -------
    list of list
        The rows.
    """
    if connection.dialect.name == "sqlite":
        statement = f"SELECT json_group_array(json_array({', '.join(columns)})) FROM {table} "
        statement += f"WHERE {where} IN (SELECT value FROM json_each(?))"
        listed = connection.exec_driver_sql(statement, (json.dumps(list(among)),)).scalar()
    else:
        statement = (
            f"SELECT CAST(json_agg(json_build_array({', '.join(columns)})) AS text) FROM {table} WHERE {where} = ANY(%s)"
        )
        listed = connection.exec_driver_sql(statement, (list(among),)).scalar()
    rows: list[list[Any]] = json.loads(listed) if listed else []
    return rows
