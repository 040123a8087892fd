"""Connections that sync before they say "committed", and turn the database's errors into ours."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DataError, IntegrityError, SQLAlchemyError

from deniable.engines.extras import not_installed
from deniable.errors import ParameterError, Setting, StoreError

BUSY_SECONDS = 60
PASSWORD, PASSWORD_FILE = "DENIABLE_DB_PASSWORD", "DENIABLE_DB_PASSWORD_FILE"
RESTED_SECONDS = 1.0


def parse(url: str) -> sa.URL:
    """A SQLite or PostgreSQL URL; a plain path means a SQLite file."""
    if "://" not in url:
        url = f"sqlite:///{url}"
    try:
        parsed = sa.make_url(url)
    except (ArgumentError, ValueError):
        # The text is not repeated: it may hold a password.
        raise ParameterError("bad_url", "This is no database URL; use FILE.db or postgresql://USER@HOST/DATABASE.") from None
    backend = parsed.get_backend_name()
    if backend in ("postgresql", "postgres"):
        parsed = parsed.set(drivername="postgresql+psycopg")
        return parsed if parsed.password is not None else parsed.set(password=_password())
    if backend != "sqlite":
        raise ParameterError("sql_dialect", "Answers are kept in SQLite or PostgreSQL, not in {got}.", got=backend)
    if not parsed.database or parsed.database == ":memory:":
        raise ParameterError("bad_url", "A SQLite URL needs a file: sqlite:///FILE (four slashes for an absolute path).")
    if not Path(parsed.database).absolute().parent.is_dir():
        raise StoreError("no_folder", "The folder {folder} does not exist.", folder=str(Path(parsed.database).parent))
    return parsed


def place_of(url: sa.URL) -> str:
    """Where a database is, as people may see it."""
    return url.render_as_string(hide_password=True)


def _password() -> str | None:
    """The database's password from the environment or from a file: in a command it would be seen by everybody on the machine."""
    file = os.environ.get(PASSWORD_FILE)
    if file is None:
        # None: PostgreSQL's own ways (PGPASSWORD, ~/.pgpass) are left.
        return os.environ.get(PASSWORD)
    try:
        return Path(file).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(
            "password_file", "{path}, which {name} names, cannot be read: {reason}.",
            path=file, name=PASSWORD_FILE, reason=getattr(error, "strerror", None) or "it is not text",
        ) from None  # fmt: skip


def create(url: sa.URL) -> sa.Engine:
    """An engine whose every commit has reached the disk when it returns."""
    # Parameters are answers and tokens; they stay out of error messages.
    if url.get_backend_name() == "sqlite":
        _create_private(Path(str(url.database)))
        engine = sa.create_engine(url, hide_parameters=True, connect_args={"timeout": BUSY_SECONDS})
        sa.event.listen(engine, "connect", _prepare_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        engine = sa.create_engine(url, hide_parameters=True)
    except ModuleNotFoundError as error:
        raise not_installed(error.name or "psycopg", "serve") from None
    sa.event.listen(engine, "connect", _prepare_postgresql)
    sa.event.listen(engine, "checkin", _note_use)
    sa.event.listen(engine, "checkout", partial(_look_if_alive, engine.dialect))
    return engine


def _note_use(_: Any, record: Any) -> None:
    record.info["used"] = time.monotonic()


def _look_if_alive(dialect: Any, connection: Any, record: Any, _: Any) -> None:
    """A connection that rested may have been ended by a restart of the server; one in steady use is not asked each time."""
    if time.monotonic() - record.info.get("used", math.inf) > RESTED_SECONDS:
        try:
            dialect.do_ping(connection)
        except dialect.loaded_dbapi.Error:
            raise sa.exc.DisconnectionError from None


def _create_private(path: Path) -> None:
    """A new file is for its owner alone, for it may hold contact details; SQLite gives its -wal and -shm the same mode."""
    # One that exists keeps the mode that somebody gave it. What cannot be made is reported when it is opened.
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _prepare_sqlite(connection: Any, _: Any) -> None:
    # Transactions are begun by hand (see _begin_sqlite), not by the driver's guess.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",  # the log is synced at every commit, not only at checkpoints
        "secure_delete=ON",  # what is deleted is overwritten
        "temp_store=MEMORY",  # the mixing of answers leaves no temporary file
        "foreign_keys=ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    # A transaction that will write takes the lock at once: two that read first and write later would refuse each other.
    kind = connection.get_execution_options().get("kind", "BEGIN")
    if kind:
        connection.exec_driver_sql(kind)


class RowsRefusedError(StoreError):
    """Rows that the tables do not take: what one submission can do to the transaction of a whole group."""


@contextlib.contextmanager
def connected(engine: sa.Engine) -> Iterator[sa.Connection]:
    """A connection to read from. What the database complains of, here and in the two below, becomes an error of ours."""
    with _explained(engine), engine.connect() as connection:
        yield connection


@contextlib.contextmanager
def writing(engine: sa.Engine) -> Iterator[sa.Connection]:
    """A transaction that writes; committed and synced at the end."""
    with connected(engine) as connection, writing_by(connection):
        yield connection


@contextlib.contextmanager
def writing_by(connection: sa.Connection) -> Iterator[None]:
    """The same on a connection that is there already."""
    connection.execution_options(kind="BEGIN IMMEDIATE")
    try:
        with connection.begin():
            yield
    finally:
        connection.execution_options(kind="BEGIN")


@contextlib.contextmanager
def outside_transactions(engine: sa.Engine) -> Iterator[sa.Connection]:
    """A connection on which every statement stands alone."""
    options = {"kind": ""} if engine.dialect.name == "sqlite" else {"isolation_level": "AUTOCOMMIT"}
    with _explained(engine), engine.connect().execution_options(**options) as connection:
        yield connection


@contextlib.contextmanager
def _explained(engine: sa.Engine) -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        place = place_of(engine.url)
        reason = str(getattr(error, "orig", None) or error).strip().split("\n")[0].rstrip(".")
        if reason == "file is not a database":
            raise StoreError(
                "not_a_database", "{place} is no SQLite database. Name the file of the survey's database: {setting}.",
                place=place, setting=Setting("url", "FILE.db"),
            ) from error  # fmt: skip
        kind = RowsRefusedError if isinstance(error, (IntegrityError, DataError)) else StoreError
        raise kind("database", "{place}: {reason}.", place=place, reason=reason) from error


def _prepare_postgresql(connection: Any, _: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")
        cursor.execute("SET client_min_messages = warning")
        fsync = cursor.execute("SHOW fsync").fetchone()[0]
    connection.commit()
    if fsync != "on":
        raise StoreError(
            "no_sync", "This PostgreSQL server runs with fsync off: acknowledged answers could be lost. Turn it on."
        )
