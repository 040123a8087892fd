"""Looking after a database: whether it is whole, whether every waiting answer has its key, and what its log tells."""

from __future__ import annotations

import sqlalchemy as sa

from deniable.errors import StoreError
from deniable.survey.store.database import Database
from deniable.survey.store.engine import connected, writing
from deniable.survey.store.folder import adopt, keys_of, named_keys, renew_keys
from deniable.survey.store.mixing import forget
from deniable.survey.store.tables import inbox

_LOGS = {
    "log_statement": ("none", "ddl"),
    "log_min_duration_statement": ("-1",),
    "log_min_duration_sample": ("-1",),
    "log_transaction_sample_rate": ("0",),
    "auto_explain.log_min_duration": ("-1",),
    "pgaudit.log": ("", "none"),
}
"""Settings of PostgreSQL that write statements to its log, and the values that do not."""


def check(database: Database, discard_unreadable: bool = False) -> int:
    """See that the database is whole and every waiting answer has its key; sweep keys that nobody needs.

    Returns how many waiting answers were discarded because their key is lost, if that was asked for.
    """
    _check_file(database)
    adopt(database, discard_unreadable)
    keys = database.keys
    sealing, sealed = _named_keys(database)
    lost = {name for name in sealed if not keys.has(name)}
    if lost:
        # Another server may have mixed those answers, and destroyed their key, since we looked.
        sealing, sealed = _named_keys(database)
        lost &= sealed
    discarded = _discard_sealed(database, lost) if lost and discard_unreadable else 0
    for name in lost if not discard_unreadable else ():
        keys.get(name)
    renew_keys(database, {name for name in sealing if not keys.has(name)})
    sweep(database)
    return discarded


def _check_file(database: Database) -> None:
    if database.engine.dialect.name != "sqlite":
        return
    with connected(database.engine) as connection:
        state = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
    if state != "ok":
        raise StoreError("damaged", "{place} is damaged: {reason}. Restore a backup.", place=database.place, reason=state)


def _named_keys(database: Database) -> tuple[set[str], set[str]]:
    with connected(database.engine) as connection:
        return named_keys(connection)


def _discard_sealed(database: Database, lost: set[str]) -> int:
    """Delete waiting answers whose key is gone for good."""
    with writing(database.engine) as connection:
        return connection.execute(sa.delete(inbox).where(inbox.c.key_name.in_(sorted(lost)))).rowcount


def sweep(database: Database) -> None:
    """Destroy keys that a crash left behind: those that no survey and no waiting answer names, nor is about to.

    It also empties SQLite's log, if somebody who read it kept a mixing from doing so, and removes PostgreSQL's earlier copies of the lines
    of the audit trail and of released pages (audit.py says why there are any).
    """
    keys = keys_of(database)
    forget(database.engine, "account", "audit", "released_page")
    keys.forget_destroyed()
    # In this order: a key that is named between the two looks is among the named. Where databases share a folder none is swept: the
    # others' keys are not known here.
    old = keys.leftover() if keys.marks() == {database.mark} else set()
    if old:
        sealing, sealed = _named_keys(database)
        for name in old - sealing - sealed:
            keys.destroy(name)


def logged_statements(database: Database) -> list[str]:
    """The settings by which a database writes to its own log what is stored: tokens used, sealed answers, and when."""
    if database.engine.dialect.name == "sqlite":
        return []
    with connected(database.engine) as connection:
        values = {
            name: connection.execute(sa.text("SELECT current_setting(:name, true)"), {"name": name}).scalar() for name in _LOGS
        }
    return [f"{name} = {value}" for name, value in values.items() if value is not None and value not in _LOGS[name]]
