"""From the inbox to the answers: unsealed, put in random order together with all earlier answers, and the key destroyed.

All answers are written again each time, by one transaction. So neither their order nor their transaction (PostgreSQL's xmin)
says which came with which batch; what arrived when, and with which token, is known only of sealed rows without a key.

On PostgreSQL people are served meanwhile. First, in a moment, a new key takes over; then what was sealed under older keys is mixed in
by a transaction that holds the version FOR NO KEY UPDATE: submissions (FOR KEY SHARE) pass it, another mixing, closing and erasing
(FOR UPDATE) wait for it. SQLite has one writer: there submissions wait.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from deniable.core.shuffling import random_order, shuffled
from deniable.survey.sealing import KeyFolder, unseal
from deniable.survey.store import bulk
from deniable.survey.store.engine import outside_transactions, writing
from deniable.survey.store.tables import SHOWN, USED, answers, inbox, invitation, version
from deniable.survey.submission import unpack

BATCH = 50
"""No fewer new answers are mixed in while a survey is open."""


def mix(engine: sa.Engine, keys: KeyFolder, version_id: int, least: int = BATCH) -> int:
    """Move what waits into the answers if there are at least so many; how many were moved."""
    if engine.dialect.name == "sqlite":
        with Mixing(engine, keys) as mixing, writing(engine) as connection:
            return mixing.mix(connection, version_id, least)
    with Mixing(engine, keys) as mixing, writing(engine) as connection:
        if not mixing.change_key(connection, version_id, least):
            return 0
    with Mixing(engine, keys) as mixing, writing(engine) as connection:
        return mixing.mix_older(connection, version_id, least)


class Mixing(contextlib.AbstractContextManager["Mixing"]):
    """Keys that are made for a transaction, and those that it makes needless: known only when it has ended."""

    def __init__(self, engine: sa.Engine, keys: KeyFolder) -> None:
        self._engine, self._keys = engine, keys
        self._made: set[str] = set()
        self._named: set[str] = set()
        self._needless: set[str] = set()
        self._tables: set[str] = set()

    def __exit__(self, kind: object, *_: object) -> None:
        # After a crash, or a commit of unknown end, what is not needed is swept away once it is an hour old.
        if kind is not None:
            return
        for name in (self._made - self._named) | self._needless:
            self._keys.destroy(name)
        if self._tables:
            forget(self._engine, *sorted(self._tables))

    def mix(self, connection: sa.Connection, version_id: int, least: int) -> int:
        """Mix in all that waits, while nobody submits."""
        here = _locked(connection, version_id)
        waiting = bulk.select(connection, "inbox", ["key_name", "sealed"], "version_id", [version_id])
        if not waiting or len(waiting) < least:
            return 0
        self._move(connection, here, waiting, sa.true())
        self.show_used(connection, here.survey_id)
        self._name_fresh_key(connection, here)
        self._needless.add(here.key_name)
        return len(waiting)

    def change_key(self, connection: sa.Connection, version_id: int, least: int) -> bool:
        """Let what arrives from now on be sealed under a new key, if enough waits."""
        here = _locked(connection, version_id)
        query = sa.select(sa.func.count()).where(inbox.c.version_id == version_id)
        if connection.execute(query).scalar_one() < max(1, least):
            return False
        # Here, where nobody submits, and not with the mixing: these are the people whose answers are mixed in now, and no others.
        self.show_used(connection, here.survey_id)
        self._name_fresh_key(connection, here)
        return True

    def mix_older(self, connection: sa.Connection, version_id: int, least: int) -> int:
        """Mix in what was sealed under earlier keys, while people submit under the present one."""
        query = sa.select(version).where(version.c.id == version_id)
        here = connection.execute(query.with_for_update(key_share=True)).one()
        rows = bulk.select(connection, "inbox", ["key_name", "sealed"], "version_id", [version_id])
        waiting = [row for row in rows if row[0] != here.key_name]
        if not waiting or len(waiting) < least:
            # Some were erased, or another server was quicker: they wait for more.
            return 0
        self._move(connection, here, waiting, inbox.c.key_name != here.key_name)
        return len(waiting)

    def show_used(self, connection: sa.Connection, survey_id: int) -> None:
        """Let it be seen which invitations were used up to now."""
        used = sa.update(invitation).where(invitation.c.survey_id == survey_id, invitation.c.used == USED)
        if connection.execute(used.values(used=SHOWN)).rowcount:
            self._tables.add("invitation")

    def _name_fresh_key(self, connection: sa.Connection, here: sa.Row[Any]) -> None:
        fresh = self._keys.create()
        self._made.add(fresh)
        connection.execute(sa.update(version).where(version.c.id == here.id).values(key_name=fresh))
        self._named.add(fresh)

    def _move(self, connection: sa.Connection, here: sa.Row[Any], waiting: Iterable[Any], which: Any) -> None:
        columns = len(json.loads(here.schema)["attributes"])
        table = answers(here.id, columns, here.linkage)
        rows = [unpack(unseal(self._keys.get(name), sealed), columns, here.linkage) for name, sealed in waiting]
        # Here answers can be read for the first time: no statement, and so no log of statements, has them in the order of arrival.
        _rewrite(connection, table, shuffled(rows))
        connection.execute(sa.delete(inbox).where(inbox.c.version_id == here.id, which))
        self._needless |= {name for name, _ in waiting}
        self._tables |= {"inbox", table.name}


def _locked(connection: sa.Connection, version_id: int) -> sa.Row[Any]:
    return connection.execute(sa.select(version).where(version.c.id == version_id).with_for_update()).one()


def _rewrite(connection: sa.Connection, table: sa.Table, rows: list[list[object]]) -> None:
    columns = [column.name for column in table.columns]
    names = ", ".join(columns)
    connection.exec_driver_sql(f"CREATE TEMPORARY TABLE mixing AS SELECT {names} FROM {table.name}")
    bulk.insert(
        connection, sa.Table("mixing", sa.MetaData(), *(sa.Column(c.name, c.type) for c in table.columns)), columns, rows
    )
    if connection.dialect.name == "sqlite":
        count = connection.exec_driver_sql("SELECT count(*) FROM mixing").scalar_one()
        order = random_order(count) + 1
        connection.exec_driver_sql(f"DELETE FROM {table.name}")
        connection.execute(
            sa.text(
                f"INSERT INTO {table.name} ({names}) SELECT {names} FROM json_each(:places) AS place "
                "CROSS JOIN mixing ON mixing.rowid = place.value ORDER BY place.key"
            ),
            {"places": json.dumps(order.tolist(), separators=(",", ":"))},
        )
    else:
        # Not TRUNCATE: a backup or export that began before would find the table empty.
        connection.exec_driver_sql(f"DELETE FROM {table.name}")
        # gen_random_uuid draws from the operating system, random() does not.
        connection.exec_driver_sql(f"INSERT INTO {table.name} ({names}) SELECT {names} FROM mixing ORDER BY gen_random_uuid()")
    connection.exec_driver_sql("DROP TABLE mixing")


def forget(engine: sa.Engine, *tables: str) -> None:
    """Make what was deleted unreadable: empty the log of SQLite, remove the dead rows of PostgreSQL."""
    with outside_transactions(engine) as connection:
        if connection.dialect.name == "sqlite":
            # Somebody who reads at this moment may hinder it; the next mixing, or the close of the last connection, does it then.
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        else:
            connection.exec_driver_sql(f"VACUUM {', '.join(tables)}")


def vacuum(engine: sa.Engine) -> None:
    """Rewrite the whole SQLite file, free pages left out."""
    if engine.dialect.name == "sqlite":
        with outside_transactions(engine) as connection:
            connection.exec_driver_sql("VACUUM")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
