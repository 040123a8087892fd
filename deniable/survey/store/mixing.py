"""From the inbox to the answers: unsealed, put in random order together with all earlier answers, and the key destroyed.

All answers are written again each time, by one transaction. So neither their order nor their transaction (PostgreSQL's xmin)
says which came with which batch; what arrived when, and with which token, is known only of sealed rows without a key.

People are served meanwhile. First, in a moment, a new key takes over. Then what was sealed under older keys is mixed in: on PostgreSQL by
a transaction that holds the version FOR NO KEY UPDATE, which submissions (FOR KEY SHARE) pass, while another mixing, closing and erasing
(FOR UPDATE) wait for it. SQLite has one writer: there all is put in order in memory first, and submissions wait only while it is written.
A crash in between leaves answers under two keys, which are both kept until the next mixing takes them all.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa

from deniable.core.domains.exact import Ints
from deniable.core.shuffling import random_order, shuffled
from deniable.errors import StoreError
from deniable.survey.sealing import KeyFolder, unseal_all
from deniable.survey.store import bulk, releases
from deniable.survey.store.database import Database
from deniable.survey.store.engine import BUSY_SECONDS, connected, outside_transactions, writing_by
from deniable.survey.store.folder import keys_of
from deniable.survey.store.tables import SHOWN, USED, answers, inbox, invitation, version
from deniable.survey.submission import unpack

BATCH = 50
"""No fewer new answers are mixed in while a survey is open."""
PIECE = 1_000
"""So many answers are unsealed at a time: some milliseconds of Python's global lock, which those who answer need too."""
PLACES = 50_000
RESTS = 3.0
"""Beside people who answer, the mixing rests three times as long as it has worked."""


def mix(database: Database, version: int, least: int = BATCH) -> int:
    """Move what waits into the answers if there are at least so many; how many were moved. Answers are stored meanwhile."""
    engine, keys = database.engine, keys_of(database)
    with Mixing(engine, keys, gently=True) as mixing, _private(engine) as connection:
        with connection.begin():
            mixing.note_used(connection, version)
        with writing_by(connection):
            if not mixing.change_key(connection, version, least):
                return 0
        moved = _mix_beside(mixing, connection, version, least)
        if moved:
            mixing.show_noted(connection)
        return moved


def _mix_beside(mixing: Mixing, connection: sa.Connection, version_id: int, least: int) -> int:
    ready = None
    if connection.dialect.name == "sqlite":
        # Not in one transaction: as long as somebody reads one moment, SQLite's log can only grow.
        with connection.execution_options(kind="").begin():
            ready = mixing.prepare(connection, _version(connection, version_id), least)
    with writing_by(connection):
        if ready is not None and ready.holds(connection):
            return mixing.replace(connection, ready)
        return mixing.mix_older(connection, version_id, least)


@contextlib.contextmanager
def _private(engine: sa.Engine) -> Iterator[sa.Connection]:
    """A connection that is not used again: its temporary tables go with it."""
    with connected(engine) as connection:
        try:
            yield connection
        finally:
            connection.invalidate()


@dataclass(frozen=True)
class _Ready:
    """Answers in random order in a temporary table, and what they were made from."""

    version_id: int
    key_name: str
    table: sa.Table
    moved: int
    stored: int
    keys: set[str]
    codes: Ints | None
    """The reports that waited, one row each, where somebody keeps cumulative tables."""

    def holds(self, connection: sa.Connection) -> bool:
        """Whether nothing was erased since it was read, and nobody else has mixed: that would have changed the key."""
        return (self.key_name, self.moved, self.stored) == (
            _version(connection, self.version_id).key_name,
            connection.execute(sa.select(sa.func.count()).where(*_older(self.version_id, self.key_name))).scalar_one(),
            _count(connection, self.table),
        )


class Mixing(contextlib.AbstractContextManager["Mixing"]):
    """Keys that a transaction makes needless, and tables with deleted rows: known only when it has ended."""

    def __init__(self, engine: sa.Engine, keys: KeyFolder, gently: bool = False) -> None:
        self._engine, self._keys, self._gently = engine, keys, gently
        self._needless: set[str] = set()
        self._tables: set[str] = set()
        self._released: list[tuple[int, int, Ints]] = []

    def __exit__(self, kind: object, *_: object) -> None:
        # After a crash, or a commit of unknown end, what is not needed is swept away once it is an hour old.
        if kind is not None:
            return
        for name in self._needless:
            self._keys.destroy(name)
        if self._tables:
            forget(self._engine, *sorted(self._tables))
        for version_id, before, codes in self._released:
            releases.tell(self._engine, version_id, before, codes)

    def change_key(self, connection: sa.Connection, version_id: int, least: int) -> bool:
        """Let what arrives from now on be sealed under a new key, if enough waits."""
        connection.execute(sa.select(version.c.id).where(version.c.id == version_id).with_for_update())
        least = max(1, least)
        some = sa.select(inbox.c.id).where(inbox.c.version_id == version_id).limit(least).subquery()
        if connection.execute(sa.select(sa.func.count()).select_from(some)).scalar_one() < least:
            return False
        connection.execute(sa.update(version).where(version.c.id == version_id).values(key_name=self._keys.create()))
        return True

    def mix_older(self, connection: sa.Connection, version_id: int, least: int) -> int:
        """Mix in what was sealed under earlier keys, if it is enough. Some may have been erased, or another server was quicker."""
        query = sa.select(version).where(version.c.id == version_id)
        here = connection.execute(query.with_for_update(key_share=True)).one()
        ready = self.prepare(connection, here, least)
        return 0 if ready is None else self.replace(connection, ready)

    def prepare(self, connection: sa.Connection, here: sa.Row[Any], least: int) -> _Ready | None:
        """Unseal what waits into a temporary table, in random order, if it is enough."""
        query = sa.select(_listed(connection, inbox.c.id)).where(*_older(here.id, here.key_name))
        ids = json.loads(connection.execute(query).scalar() or "[]")
        if not ids or len(ids) < least:
            return None
        columns = len(json.loads(here.schema)["attributes"])
        contents, keys = self._unsealed(connection, ids)
        # Here answers can be read for the first time: no statement, and so no log of statements, has them in the order of arrival.
        contents = shuffled(contents)
        table = answers(here.id, columns, here.linkage)
        mixing = _temporary(connection, "mixing", table)
        codes = np.zeros((len(contents), columns), dtype=np.int64) if releases.listened(self._engine) else None
        for begin in range(0, len(contents), PIECE):
            with self._resting():
                rows = [unpack(content, columns, here.linkage) for content in contents[begin : begin + PIECE]]
                bulk.insert(connection, mixing, mixing.c.keys(), rows)
                if codes is not None:
                    codes[begin : begin + PIECE] = [row[:columns] for row in rows]
        stored = _order_in_memory(connection, table) if connection.dialect.name == "sqlite" else _count(connection, table)
        return _Ready(here.id, here.key_name, table, len(contents), stored, keys, codes)

    def _unsealed(self, connection: sa.Connection, ids: list[int]) -> tuple[list[bytes], set[str]]:
        # Bytes, not rows: Python's collector of garbage would stop everybody to look through hundreds of thousands of lists.
        contents, keys = [], set()
        for begin in range(0, len(ids), PIECE):
            with self._resting():
                waiting = bulk.select(connection, "inbox", ["key_name", "sealed"], "id", ids[begin : begin + PIECE])
                keys |= {name for name, _ in waiting}
                contents += unseal_all(self._keys, waiting)
        return contents, keys

    @contextlib.contextmanager
    def _resting(self) -> Iterator[None]:
        began = time.thread_time()
        yield
        if self._gently:
            time.sleep(RESTS * (time.thread_time() - began))

    def replace(self, connection: sa.Connection, ready: _Ready) -> int:
        """Write the answers anew, with those that waited, and take these out of the inbox."""
        _rewrite(connection, ready.table)
        gone = connection.execute(sa.delete(inbox).where(*_older(ready.version_id, ready.key_name))).rowcount
        if (gone, _count(connection, ready.table)) != (ready.moved, ready.stored + ready.moved):
            raise StoreError("mixing_differs", "A mixing did not come out even; nothing was changed.")
        self._needless |= ready.keys
        self._tables |= {"inbox", ready.table.name}
        if ready.codes is not None:
            self._released.append((ready.version_id, ready.stored, ready.codes))
        return ready.moved

    def show_used(self, connection: sa.Connection, survey_id: int) -> None:
        """Let it be seen which invitations were used up to now, where nobody submits."""
        used = sa.update(invitation).where(invitation.c.survey_id == survey_id, invitation.c.used == USED)
        if connection.execute(used.values(used=SHOWN)).rowcount:
            self._tables.add("invitation")

    def note_used(self, connection: sa.Connection, version_id: int) -> None:
        """Note the invitations that were used by people who wait now: before the key is changed, so that none is noted who waits on."""
        _drop(connection, "noted")
        used = f"survey_id = (SELECT survey_id FROM survey_version WHERE id = {int(version_id)}) AND used = {USED}"
        connection.exec_driver_sql(
            f"CREATE TEMPORARY TABLE noted AS SELECT row_number() OVER (ORDER BY hash) AS place, hash FROM invitation WHERE {used}"
        )
        connection.exec_driver_sql("CREATE UNIQUE INDEX noted_place ON noted (place)")

    def show_noted(self, connection: sa.Connection) -> None:
        """Let it be seen that those were used, whose answers are out now: some at a time, for who repeats a submission waits meanwhile."""
        with connection.begin():
            count = connection.exec_driver_sql("SELECT count(*) FROM noted").scalar_one()
        for begin in range(0, count, PIECE):
            with writing_by(connection):
                connection.exec_driver_sql(
                    f"UPDATE invitation SET used = {SHOWN} WHERE used = {USED} AND hash IN "
                    f"(SELECT hash FROM noted WHERE place > {begin} AND place <= {begin + PIECE})"
                )
            self._tables.add("invitation")


def _version(connection: sa.Connection, version_id: int) -> sa.Row[Any]:
    return connection.execute(sa.select(version).where(version.c.id == version_id)).one()


def _older(version_id: int, key_name: str) -> tuple[Any, Any]:
    return inbox.c.version_id == version_id, inbox.c.key_name != key_name


def _listed(connection: sa.Connection, column: sa.Column[int]) -> Any:
    if connection.dialect.name == "sqlite":
        return sa.func.json_group_array(column)
    return sa.cast(sa.func.json_agg(column), sa.Text)


def _count(connection: sa.Connection, table: sa.Table) -> int:
    return int(connection.exec_driver_sql(f"SELECT count(*) FROM {table.name}").scalar_one())


def _drop(connection: sa.Connection, name: str) -> None:
    space = "temp" if connection.dialect.name == "sqlite" else "pg_temp"
    connection.exec_driver_sql(f"DROP TABLE IF EXISTS {space}.{name}")


def _temporary(connection: sa.Connection, name: str, like: sa.Table) -> sa.Table:
    _drop(connection, name)
    made = sa.Table(name, sa.MetaData(), *(sa.Column(c.name, c.type) for c in like.columns), prefixes=["TEMPORARY"])
    made.create(connection, checkfirst=False)
    return made


def _order_in_memory(connection: sa.Connection, table: sa.Table) -> int:
    """In SQLite, whose temporary tables are in memory: earlier answers and those of `mixing`, in the order in which they will lie. How many
    there were earlier."""
    names = ", ".join(table.c.keys())
    stored = connection.exec_driver_sql(f"INSERT INTO mixing SELECT * FROM {table.name}").rowcount
    _temporary(connection, "mixed", table)
    count = connection.exec_driver_sql("SELECT count(*) FROM mixing").scalar_one()
    order = random_order(count) + 1
    for begin in range(0, count, PLACES):
        connection.execute(
            sa.text(
                f"INSERT INTO mixed ({names}) SELECT {names} FROM json_each(:places) AS place "
                "CROSS JOIN mixing ON mixing.rowid = place.value ORDER BY place.key"
            ),
            {"places": json.dumps(order[begin : begin + PLACES].tolist(), separators=(",", ":"))},
        )
    _drop(connection, "mixing")
    return stored


def _rewrite(connection: sa.Connection, table: sa.Table) -> None:
    names = ", ".join(table.c.keys())
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"DELETE FROM {table.name}")
        # Every column and no order: SQLite copies the rows as they are, several times faster.
        connection.exec_driver_sql(f"INSERT INTO {table.name} SELECT * FROM mixed")
        _drop(connection, "mixed")
        return
    # Not TRUNCATE: a backup or export that began before would find the table empty. gen_random_uuid draws from the operating system,
    # random() does not.
    connection.exec_driver_sql(
        f"WITH earlier AS (DELETE FROM {table.name} RETURNING {names}) INSERT INTO {table.name} ({names}) SELECT {names} FROM "
        f"(SELECT {names} FROM earlier UNION ALL SELECT {names} FROM mixing) AS everybody ORDER BY gen_random_uuid()"
    )
    _drop(connection, "mixing")


def forget(engine: sa.Engine, *tables: str) -> None:
    """Make what was deleted unreadable: empty the log of SQLite, remove the dead rows of PostgreSQL."""
    with outside_transactions(engine) as connection:
        if connection.dialect.name == "sqlite":
            # Somebody who reads at this moment, a backup for example, prevents it; waiting for them would keep all others from writing. It
            # is tried again every minute.
            connection.exec_driver_sql("PRAGMA busy_timeout = 100")
            try:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                connection.exec_driver_sql(f"PRAGMA busy_timeout = {1_000 * BUSY_SECONDS}")
        elif tables:
            connection.exec_driver_sql(f"VACUUM {', '.join(tables)}")


def vacuum(engine: sa.Engine) -> None:
    """Rewrite the whole SQLite file, free pages left out."""
    if engine.dialect.name == "sqlite":
        with outside_transactions(engine) as connection:
            connection.exec_driver_sql("VACUUM")
        forget(engine)
