"""Views that show labels instead of codes, so that `dn.read` and any SQL client can ask the live database."""

from __future__ import annotations

from typing import Any

import numpy as np
import sqlalchemy as sa

from deniable.core.domains.domain import Domain
from deniable.core.domains.missing import WithMissing
from deniable.core.schema import Schema
from deniable.errors import RefusedError

LISTED = 1000
"""Domains with more labels are grids of numbers, whose labels are computed."""
_LONGEST_NAME = 63  # bytes, in PostgreSQL


def view_name(slug: str, number: int) -> str:
    """The name of the view on a version's answers.

    >>> view_name("town-2026", 1)
    'town_2026_v1'
    """
    return f"{slug.replace('-', '_')}_v{number}"


def create_view(connection: sa.Connection, slug: str, number: int, table: sa.Table, schema: Schema) -> None:
    """Create a view with one column of labels per attribute, and the receipt code where there is one.

    Parameters
    ----------
    connection : sqlalchemy.Connection
        A transaction that writes.
    slug : str
        The short name of the survey.
    number : int
        The version.
    table : sqlalchemy.Table
        The table of the version's answers, which are codes.
    schema : Schema
        What the codes mean.
    """
    long = [name for name in [*schema, view_name(slug, number)] if len(name.encode()) > _LONGEST_NAME]
    if long:
        raise RefusedError(
            "name_too_long", "Names of questions and surveys may have {most} bytes: {got}.", most=_LONGEST_NAME, got=long
        )
    columns = [
        f"{_label(schema[name].reported, f'c{i}', connection.dialect)} AS {quoted(name)}" for i, name in enumerate(schema)
    ]
    if "code" in table.c:
        columns.append(f"code AS {quoted(_free('code', schema))}")
    statement = f"CREATE VIEW {quoted(view_name(slug, number))} AS SELECT {', '.join(columns)} FROM {table.name}"
    # A colon would begin the name of a parameter.
    connection.execute(sa.text(statement.replace(":", "\\:")))


def quoted(name: str) -> str:
    """A name as SQL writes it.

    >>> quoted("town_v1")
    '"town_v1"'
    """
    return '"' + name.replace('"', '""') + '"'


def _free(name: str, schema: Schema) -> str:
    return name if name not in schema else _free(f"{name}_", schema)


def _label(domain: Domain, column: str, dialect: sa.Dialect) -> str:
    if domain.size <= LISTED:
        labels = domain.column(np.arange(domain.size)).to_pylist()
        cases = " ".join(f"WHEN {code} THEN {_literal(label, dialect)}" for code, label in enumerate(labels))
        return f"CASE {column} {cases} END"
    if isinstance(domain, WithMissing):
        inner = _label(domain.answered, column, dialect)
        return f"CASE WHEN {column} < {domain.answered.size} THEN {inner} END"
    if not domain.is_numeric:
        raise RefusedError(
            "too_many_labels",
            "A list of {got:,} labels is too long for a question; at most {most:,}.",
            got=domain.size,
            most=LISTED,
        )
    grid: Any = domain
    denominator = int(np.lcm(grid.low.denominator, grid.step.denominator))
    start, stride = int(grid.low * denominator), int(grid.step * denominator)
    whole = f"({start} + {stride} * {column})"
    if domain.column(np.zeros(1, dtype=np.int64)).type in ("int64",):
        return whole
    return f"(CAST({whole} AS DOUBLE PRECISION) / {denominator})"


def _literal(label: Any, dialect: sa.Dialect) -> str:
    if label is None:
        return "NULL"
    if isinstance(label, bool):
        return str(label).lower() if dialect.name == "postgresql" else str(int(label))
    if isinstance(label, (int, float)):
        return repr(label)
    return "'" + str(label).replace("'", "''") + "'"
