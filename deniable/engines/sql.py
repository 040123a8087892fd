"""Counting in SQLite and PostgreSQL: one GROUP BY with quoted names. SQLAlchemy lives here and nowhere else."""

from __future__ import annotations

import contextlib
import sqlite3
import warnings
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from deniable.core.domains.columns import to_arrow
from deniable.core.schema import Schema
from deniable.core.tables import CellTable
from deniable.engines.countable import ROWS, Batches, Countable
from deniable.engines.extras import not_installed
from deniable.engines.frames import check_attributes, check_columns, coded
from deniable.errors import DataError, FileError, ParameterError

try:
    import sqlalchemy as sa
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SAWarning, SQLAlchemyError
    from sqlalchemy.pool import NullPool
    from sqlalchemy.sql.elements import quoted_name
except ImportError:
    raise not_installed("sqlalchemy", "sql") from None

DIALECTS = ("sqlite", "postgresql")
# Labels must be compared by their bytes, whatever collation the column has.
_BYTEWISE = {"sqlite": "BINARY", "postgresql": "C"}


class SqlTable(Countable):
    """A table or view of a SQLite or PostgreSQL database, by URL, SQLAlchemy engine or connection. It is only read.

    >>> import deniable as dn, sqlalchemy as sa
    >>> engine = sa.create_engine("sqlite://")
    >>> with engine.begin() as connection:
    ...     _ = connection.exec_driver_sql("CREATE TABLE answers (smokes INTEGER)")
    ...     _ = connection.exec_driver_sql("INSERT INTO answers VALUES (1), (0), (1)")
    >>> schema = dn.Schema({"smokes": dn.KRR(dn.Binary(), 0.75)})
    >>> SqlTable(engine, "answers").cell_table(schema, ["smokes"]).dense().tolist()
    [1, 2]
    """

    def __init__(self, database: str | sa.Engine | sa.Connection, table: str, schema: str | None = None) -> None:
        self.database = _engine(database) if isinstance(database, str) else database
        if not isinstance(self.database, (sa.Engine, sa.Connection)):
            raise ParameterError(
                "not_a_database",
                "SqlTable takes a URL, a SQLAlchemy engine or a connection, got {got}.",
                got=type(database).__name__,
            )
        dialect = self.database.dialect.name
        if dialect not in DIALECTS:
            raise ParameterError(
                "sql_dialect",
                "SqlTable reads SQLite and PostgreSQL, not {got}: other databases treat different labels as equal.",
                got=dialect,
            )
        self.table, self.schema = table, schema
        self.name = f"{table} of {self._place}"

    @property
    def _place(self) -> str:
        engine = self.database if isinstance(self.database, sa.Engine) else self.database.engine
        return engine.url.render_as_string(hide_password=True)

    @contextlib.contextmanager
    def _connected(self) -> Iterator[sa.Connection]:
        """A connection whose errors become ours; one that was given stays open."""
        try:
            if isinstance(self.database, sa.Connection):
                yield self.database
            else:
                with self.database.connect() as connection:
                    yield connection
        except ModuleNotFoundError as error:
            raise not_installed(error.name or "psycopg", "sql") from None
        except SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or error).strip().rstrip(".")
            raise FileError("database", "{place} cannot be read: {reason}.", place=self._place, reason=reason) from None

    @cached_property
    def columns(self) -> dict[str, Any]:
        """The names of the columns with their types."""
        with self._connected() as connection, warnings.catch_warnings():
            # Columns of unknown types may well be there; they are not asked for.
            warnings.simplefilter("ignore", SAWarning)
            look = sa.inspect(connection)
            if not look.has_table(self.table, schema=self.schema):
                raise DataError(
                    "no_table",
                    "{place} has no table {got!r}, only {allowed}.",
                    place=self._place,
                    got=self.table if self.schema is None else f"{self.schema}.{self.table}",
                    allowed=sorted(look.get_table_names(self.schema) + look.get_view_names(self.schema)),
                )
            return {column["name"]: column["type"] for column in look.get_columns(self.table, schema=self.schema)}

    def cell_table(self, schema: Schema, attributes: Sequence[str]) -> CellTable:
        check_attributes(schema, attributes, list(self.columns))
        query = self._query(attributes)
        with self._connected() as connection:
            rows = connection.execute(query).all()
        *keys, n = zip(*rows, strict=True) if rows else [()] * (len(attributes) + 1)
        columns = [
            to_arrow([float(v) if isinstance(v, Decimal) else v for v in key], name, schema[name].reported.missing)
            for name, key in zip(attributes, keys, strict=True)
        ]
        return coded(columns, n, schema, attributes)

    def distinct(self, column: str) -> pa.Array:
        check_columns([column], list(self.columns))
        with self._connected() as connection:
            values = (
                connection.execute(sa.select(self._key(column).label("k")).select_from(self._table).distinct()).scalars().all()
            )
        return to_arrow([float(value) if isinstance(value, Decimal) else value for value in values], column)

    def batches(self, columns: Sequence[str] | None = None) -> Batches:
        """Its rows in pieces, for what needs more than counts of combinations: all columns, or some."""
        names = list(self.columns if columns is None else columns)
        check_columns(names, list(self.columns))
        return Batches(names, False, lambda: self._rows(names))

    def _rows(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        query = sa.select(*[self._key(name).label(f"k{i}") for i, name in enumerate(names)]).select_from(self._table)
        with self._connected() as connection:
            for rows in connection.execution_options(stream_results=True).execute(query).partitions(ROWS):
                columns = [
                    to_arrow([float(v) if isinstance(v, Decimal) else v for v in column], name)
                    for name, column in zip(names, zip(*rows, strict=True), strict=True)
                ]
                yield pa.RecordBatch.from_arrays(columns, names=names)

    @property
    def _table(self) -> sa.TableClause:
        return sa.table(quoted_name(self.table, True), schema=None if self.schema is None else quoted_name(self.schema, True))

    def _query(self, attributes: Sequence[str]) -> sa.Select[Any]:
        keys = [self._key(name) for name in attributes]
        labelled = [key.label(f"k{i}") for i, key in enumerate(keys)]
        return sa.select(*labelled, sa.func.count().label("n")).select_from(self._table).group_by(*keys)

    def _key(self, name: str) -> sa.ColumnElement[Any]:
        column: sa.ColumnElement[Any] = sa.column(quoted_name(name, True))
        dialect = self.database.dialect.name
        if dialect == "postgresql":
            if not isinstance(self.columns[name], sa.String):
                return column
            # CHAR(n) loses its padding, citext and enumerations become plain text.
            column = sa.cast(column, sa.Text())
        return sa.collate(column, _BYTEWISE[dialect])

    def __repr__(self) -> str:
        return f"SqlTable({self._place!r}, {self.table!r})"


def _engine(text: str) -> sa.Engine:
    try:
        url = sa.make_url(text)
    except (ArgumentError, ValueError):
        # The text is not repeated: it may hold a password.
        raise ParameterError(
            "bad_url", "This is not a database URL; use sqlite:///FILE or postgresql://USER@HOST/DATABASE."
        ) from None
    if url.get_backend_name() == "sqlite":
        return _sqlite(url)
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")
    try:
        return sa.create_engine(url, poolclass=NullPool)
    except NoSuchModuleError:
        raise ParameterError(
            "sql_dialect", "SqlTable reads SQLite and PostgreSQL, not {got}.", got=url.get_backend_name()
        ) from None
    except ModuleNotFoundError as error:
        raise not_installed(error.name or "psycopg", "sql") from None


def _sqlite(url: sa.URL) -> sa.Engine:
    if not url.database or url.database == ":memory:":
        raise ParameterError("bad_url", "A SQLite URL needs a file: sqlite:///FILE (four slashes for an absolute path).")
    path = Path(url.database)
    if not path.is_file():
        raise FileError("no_file", "{path} does not exist.", path=str(path))

    def connect() -> sqlite3.Connection:
        # Read only: a mistyped name must not become an empty database.
        return sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)

    return sa.create_engine(url, creator=connect, poolclass=NullPool)
