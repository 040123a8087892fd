"""Which folder holds the keys of a database. Both carry the same mark, so that no command makes keys where the server does not look.

A key in another folder would take answers that the server can neither seal nor, later, read.
"""

from __future__ import annotations

import secrets
from typing import Any

import sqlalchemy as sa

from deniable.errors import Setting, StoreError
from deniable.survey.sealing import KeyFolder
from deniable.survey.store.database import Database
from deniable.survey.store.engine import connected, writing
from deniable.survey.store.tables import inbox, key_folder, version


def keys_of(database: Database) -> KeyFolder:
    """The keys of a database, for all that makes, uses or destroys any: that has to be done in the right folder."""
    if database.mark is None:
        adopt(database)
    return database.keys


def adopt(database: Database, give_up: bool = False) -> None:
    """See that this is the database's folder of keys, and note the mark that both carry. `give_up`: the other folder is lost for good.

    A database without a mark (a new one, or of an earlier release) takes the first folder that has the keys of what waits. One with a mark
    takes no other, unless that holds every key it names: then it is the same folder, or a copy.
    """
    keys = database.keys
    here = str(keys.folder.absolute())
    with connected(database.engine) as connection:
        known = connection.execute(sa.select(key_folder)).one_or_none()
    if known is not None and known.place == here and known.mark in keys.marks():
        database.mark = str(known.mark)
        return
    with writing(database.engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("LOCK TABLE key_folder IN EXCLUSIVE MODE")
        known = connection.execute(sa.select(key_folder)).one_or_none()
        mark = None if known is None else known.mark
        if mark not in keys.marks():
            if give_up:
                mark = None  # the old folder is no longer the right one, should it turn up again
            else:
                _check_holds(connection, database, known, here)
            mark = mark or secrets.token_hex(16)
            keys.mark(mark)
        connection.execute(sa.delete(key_folder))
        connection.execute(sa.insert(key_folder).values(mark=mark, place=here))
    database.mark = str(mark)


def _check_holds(connection: sa.Connection, database: Database, known: sa.Row[Any] | None, here: str) -> None:
    sealing, sealed = named_keys(connection)
    if known is not None and not all(database.keys.has(name) for name in sealing | sealed):
        raise _other_folder(database.place, known.place, here)
    for name in sealed:
        database.keys.get(name)


def _other_folder(place: str, known: str, here: str) -> StoreError:
    give_up = Setting("discard_unreadable", True)
    if known == here:
        return StoreError(
            "keys_gone",
            "{here} no longer holds the keys of {place}. Bring that folder back. If it is lost for good, so are the answers that wait: "
            "start the service with {give_up}.",
            here=here, place=place, give_up=give_up,
        )  # fmt: skip
    return StoreError(
        "other_keys",
        "The keys of {place} are in {known}, and {here} is another folder: a server that uses the first would not find what is made in "
        "the second. Name the right one: {keys}. If that is lost for good, so are the answers that wait: start the service with "
        "{give_up}.",
        place=place, known=known, here=here, keys=Setting("keys", known), give_up=give_up,
    )  # fmt: skip


def named_keys(connection: sa.Connection) -> tuple[set[str], set[str]]:
    """The keys that surveys seal with, and those that waiting answers are sealed with."""
    return set(connection.execute(sa.select(version.c.key_name)).scalars()), sealed_keys(connection)


def sealed_keys(connection: sa.Connection) -> set[str]:
    """The keys that waiting answers are sealed with."""
    return set(connection.execute(sa.select(inbox.c.key_name).distinct()).scalars())


def renew_keys(database: Database, lost: set[str]) -> None:
    """Give versions whose key is gone, and under which nothing waits, a new one."""
    for name in lost:
        fresh = database.keys.create()
        with writing(database.engine) as connection:
            connection.execute(sa.update(version).where(version.c.key_name == name).values(key_name=fresh))
