"""Backup and restore: all rows of one moment as lines of JSON, the same for SQLite and PostgreSQL."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from typing import IO, Any

import sqlalchemy as sa

from deniable.core.schema import Schema
from deniable.errors import StoreError
from deniable.survey.account_names import FIRST_NAME
from deniable.survey.sealing import KeyFolder
from deniable.survey.store import bulk
from deniable.survey.store.database import Database
from deniable.survey.store.engine import connected, writing
from deniable.survey.store.folder import adopt, named_keys, renew_keys, sealed_keys
from deniable.survey.store.labels import create_view
from deniable.survey.store.migrations import MIGRATIONS
from deniable.survey.store.tables import STATIC, account, answers, audit, survey, version

FORMAT = "deniable-backup"
PIECE = 2_000


def dump(database: Database, file: IO[str]) -> dict[str, bytes]:
    """Write all rows of one moment as lines of JSON; the keys of the answers that waited then."""
    keys = database.keys
    while True:
        with connected(database.engine) as connection:
            if connection.dialect.name == "postgresql":
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            # The first read fixes the moment, in SQLite and in PostgreSQL; writers go on meanwhile.
            stored = connection.exec_driver_sql("SELECT version FROM deniable_store").scalar_one()
            names = sealed_keys(connection)
            try:
                needed = {name: keys.get(name) for name in sorted(names)}
            except StoreError:
                with connected(database.engine) as now:
                    if all(keys.has(name) for name in names & sealed_keys(now)):
                        continue  # the others were mixed in, and their key destroyed, since that moment
                raise
            _write(connection, stored, file)
            return needed


def _write(connection: sa.Connection, stored: int, file: IO[str]) -> None:
    _line(file, {"format": FORMAT, "version": stored})
    versions = connection.execute(sa.select(version)).all()
    for table in [*STATIC, *(_wide(row) for row in versions)]:
        _line(file, {"table": table.name, "columns": [column.name for column in table.columns]})
        result = connection.execution_options(yield_per=PIECE).execute(sa.select(table))
        for piece in result.partitions():
            _line(file, {"rows": [list(row) for row in piece]})
    _line(file, {"end": True})


def _wide(row: sa.Row[Any]) -> sa.Table:
    return answers(row.id, len(json.loads(row.schema)["attributes"]), row.linkage)


def _line(file: IO[str], content: dict[str, Any]) -> None:
    file.write(json.dumps(content, separators=(",", ":")) + "\n")


def load(database: Database, file: IO[str], keys: dict[str, bytes]) -> int:
    """Read what `dump` wrote into an empty database, in one transaction; how many rows. Keys are in place before anything names them."""
    lines = _lines(file)
    head = next(lines, {})
    if head.get("format") != FORMAT or head.get("version") not in range(1, len(MIGRATIONS) + 1):
        raise StoreError(
            "not_a_backup",
            "This is no backup of a store of version {known} or earlier: {got}.",
            known=len(MIGRATIONS),
            got={key: head.get(key) for key in ("format", "version")},
        )
    folder = database.keys
    fresh = [name for name in keys if not folder.has(name)]
    try:
        for name, key in keys.items():
            folder.put(name, key)
        total = _fill(database.engine, folder, _upgraded(lines, head["version"]))
    except BaseException:
        for name in fresh:
            folder.destroy(name)
        raise
    with connected(database.engine) as connection:
        sealing, _ = named_keys(connection)
    renew_keys(database, {name for name in sealing if not folder.has(name)})
    adopt(database)
    return total


def _fill(engine: sa.Engine, keys: KeyFolder, lines: Iterator[dict[str, Any]]) -> int:
    static = {table.name: table for table in STATIC}
    total, table, columns, ended = 0, None, [], False
    with writing(engine) as connection:
        for kept in (survey, account, audit):
            if connection.execute(sa.select(sa.func.count()).select_from(kept)).scalar_one():
                raise StoreError(
                    "not_empty", "A backup is restored into a new database; this one holds surveys or accounts already."
                )
        for line in lines:
            if "table" in line:
                if line["table"] not in static and not any(name.startswith("answers_") for name in static):
                    static |= _create_wide(connection)
                table, columns = static[line["table"]], line["columns"]
            elif "rows" in line and table is not None:
                bulk.insert(connection, table, columns, line["rows"])
                total += len(line["rows"])
            ended = bool(line.get("end"))
        if not ended:
            raise StoreError("backup_cut", "The backup ends in the middle; it was not written whole.")
        _check_keys(connection, keys)
        if connection.dialect.name == "postgresql":
            for name in ("survey", "survey_version", "inbox", "account", "audit"):
                connection.exec_driver_sql(
                    f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), (SELECT coalesce(max(id), 0) + 1 FROM {name}), false)"
                )
    return total


def _upgraded(lines: Iterator[dict[str, Any]], stored: int) -> Iterator[dict[str, Any]]:
    """Lines of an earlier version as they are written today: steps that change a table do the same to its lines."""
    organiser = False
    for line in lines:
        if "table" in line and stored < 3:
            organiser = line["table"] == "organiser"
            if organiser:
                line = {"table": "account", "columns": ["id", "name", "folded", "role", "password", "stamp"]}
        elif "rows" in line and organiser:
            passwords = [password for _, password in line["rows"]]
            line = {"rows": [[1, FIRST_NAME, FIRST_NAME, "owner", one, secrets.token_hex(16)] for one in passwords]}
        yield line


def _lines(file: IO[str]) -> Iterator[dict[str, Any]]:
    for text in file:
        try:
            yield json.loads(text)
        except json.JSONDecodeError:
            raise StoreError("backup_cut", "The backup ends in the middle; it was not written whole.") from None


def _create_wide(connection: sa.Connection) -> dict[str, sa.Table]:
    slugs = {row.id: row.slug for row in connection.execute(sa.select(survey))}
    made = {}
    for row in connection.execute(sa.select(version)).all():
        table = _wide(row)
        table.create(connection)
        create_view(connection, slugs[row.survey_id], row.number, table, Schema.from_json(row.schema))
        made[table.name] = table
    return made


def _check_keys(connection: sa.Connection, keys: KeyFolder) -> None:
    for name in sealed_keys(connection):
        keys.get(name)
