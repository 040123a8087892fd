"""Many rows in one statement, as JSON.

The driver gives up Python's global lock at every step of a statement; beside a busy event loop each return can wait for
milliseconds. So a group of submissions, or a mixing of thousands of answers, takes a handful of steps, not one a row.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa


def insert(connection: sa.Connection, table: sa.Table, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows of numbers, texts and nulls, in their order."""
    if not rows:
        return
    names = ", ".join(connection.dialect.identifier_preparer.quote(name) for name in columns)
    kinds = [table.c[name].type.compile(connection.dialect) for name in columns]
    if connection.dialect.name == "sqlite":
        values = [f"CAST(json_extract(value, '$[{i}]') AS {kind})" for i, kind in enumerate(kinds)]
        source = "json_each(:rows) ORDER BY key"
    else:
        values = [f"CAST(value ->> {i} AS {kind})" for i, kind in enumerate(kinds)]
        source = "json_array_elements(CAST(:rows AS json))"
    statement = sa.text(f"INSERT INTO {table.name} ({names}) SELECT {', '.join(values)} FROM {source}")
    connection.execute(statement, {"rows": json.dumps(rows, separators=(",", ":"))})


def select(connection: sa.Connection, query: sa.Select[Any]) -> list[list[Any]]:
    """All rows of a query of numbers, texts and nulls."""
    inner = query.subquery()
    if connection.dialect.name == "sqlite":
        outer = sa.select(sa.func.json_group_array(sa.func.json_array(*inner.c)))
    else:
        outer = sa.select(sa.cast(sa.func.json_agg(sa.func.json_build_array(*inner.c)), sa.Text))
    found = connection.execute(outer.select_from(inner)).scalar()
    rows: list[list[Any]] = json.loads(found) if found else []
    return rows
