"""From the inbox to the answers: unsealed, put in random order together with all earlier answers, and the key destroyed.

All answers are written again each time, by one transaction. So neither their order nor their transaction (PostgreSQL's xmin)
says which came with which batch; what arrived when, and with which token, is known only of sealed rows without a key.
"""

from __future__ import annotations

import json

import sqlalchemy as sa

from deniable.core.shuffling import random_order
from deniable.survey.sealing import KeyFolder, unseal
from deniable.survey.store import bulk
from deniable.survey.store.engine import outside_transactions, writing
from deniable.survey.store.tables import answers, inbox, version
from deniable.survey.submission import unpack

BATCH = 50
"""No fewer new answers are mixed in while a survey is open."""


def mix(engine: sa.Engine, keys: KeyFolder, version_id: int, least: int = BATCH) -> int:
    """Move what waits into the answers if there are at least so many; how many were moved."""
    fresh = keys.create()
    moved, needless = 0, fresh
    with writing(engine) as connection:
        here = connection.execute(sa.select(version).where(version.c.id == version_id).with_for_update()).one()
        waiting = bulk.select(connection, "inbox", ["key_name", "sealed"], "version_id", [version_id])
        if waiting and len(waiting) >= least:
            columns = len(json.loads(here.schema)["attributes"])
            rows = [unpack(unseal(keys.get(name), sealed), columns, here.linkage) for name, sealed in waiting]
            _rewrite(connection, answers(version_id, columns, here.linkage), rows)
            connection.execute(sa.delete(inbox).where(inbox.c.version_id == version_id))
            connection.execute(sa.update(version).where(version.c.id == version_id).values(key_name=fresh))
            moved, needless = len(rows), here.key_name
    # Only now is it certain which key is needed. After a crash, or a commit of unknown end, the other is swept away once it is an
    # hour old.
    keys.destroy(needless)
    if moved:
        forget(engine, "inbox", f"answers_{version_id}")
    return moved


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
