"""Many rows in one statement, as JSON.

The driver gives up Python's global lock at every step of a statement; beside a busy event loop each return can wait for
milliseconds. So a group of submissions, or a mixing of thousands of answers, takes a handful of steps, not one a row. These
statements go to the driver as text: building them anew from expressions took most of the time of a small group.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sqlalchemy as sa


def insert(connection: sa.Connection, table: sa.Table, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows of numbers, texts and nulls, in their order."""
    if rows:
        types = tuple(table.c[name].type.compile(connection.dialect) for name in columns)
        statement = _insert(connection.dialect.name, table.name, tuple(columns), types)
        connection.exec_driver_sql(statement, (json.dumps(rows, separators=(",", ":")),))


@lru_cache
def _insert(dialect: str, table: str, columns: tuple[str, ...], types: tuple[str, ...]) -> str:
    if dialect == "sqlite":
        values = [f"CAST(json_extract(value, '$[{i}]') AS {kind})" for i, kind in enumerate(types)]
        source = "json_each(?) ORDER BY key"
    else:
        values = [f"CAST(value ->> {i} AS {kind})" for i, kind in enumerate(types)]
        source = "json_array_elements(CAST(%s AS json))"
    return f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)} FROM {source}"


def select(connection: sa.Connection, table: str, columns: Sequence[str], where: str, among: Sequence[Any]) -> list[list[Any]]:
    """The rows of a table whose column `where` is among some values: numbers, texts and nulls."""
    if connection.dialect.name == "sqlite":
        statement = f"SELECT json_group_array(json_array({', '.join(columns)})) FROM {table} "
        statement += f"WHERE {where} IN (SELECT value FROM json_each(?))"
        found = connection.exec_driver_sql(statement, (json.dumps(list(among)),)).scalar()
    else:
        statement = (
            f"SELECT CAST(json_agg(json_build_array({', '.join(columns)})) AS text) FROM {table} WHERE {where} = ANY(%s)"
        )
        found = connection.exec_driver_sql(statement, (list(among),)).scalar()
    rows: list[list[Any]] = json.loads(found) if found else []
    return rows
