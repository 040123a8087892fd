"""Which folder holds the keys of a database. Both carry the same mark, so that no command makes keys where the server does not look.

A key in another folder would take answers that the server can neither seal nor, later, read.
"""

from __future__ import annotations

import secrets

import sqlalchemy as sa

from deniable.errors import StoreError
from deniable.survey.sealing import KeyFolder
from deniable.survey.store.engine import writing
from deniable.survey.store.surveys import named_keys
from deniable.survey.store.tables import key_folder


def adopt(engine: sa.Engine, keys: KeyFolder, place: str, give_up: bool = False) -> str:
    """See that this is the database's folder of keys; the mark that both carry. `give_up`: the other folder is lost for good.

    A database without a mark (a new one, or of an earlier release) takes the first folder that has the keys of what waits. One with a mark
    takes no other, unless that holds every key it names: then it is the same folder, or a copy.
    """
    here = str(keys.folder.absolute())
    with engine.connect() as connection:
        found = connection.execute(sa.select(key_folder)).one_or_none()
    if found is not None and found.place == here and found.mark in keys.marks():
        return str(found.mark)
    with writing(engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("LOCK TABLE key_folder IN EXCLUSIVE MODE")
        found = connection.execute(sa.select(key_folder)).one_or_none()
        mark = None if found is None else found.mark
        if mark not in keys.marks():
            sealing, sealed = named_keys(connection)
            if give_up:
                mark = None  # what was the folder so far is so no more, should it turn up again
            elif found is not None and not all(keys.has(name) for name in sealing | sealed):
                raise _other_folder(place, found.place, here)
            else:
                for name in sealed:
                    keys.get(name)
            mark = mark or secrets.token_hex(16)
            keys.mark(mark)
        connection.execute(sa.delete(key_folder))
        connection.execute(sa.insert(key_folder).values(mark=mark, place=here))
    return str(mark)


def _other_folder(place: str, known: str, here: str) -> StoreError:
    if known == here:
        return StoreError(
            "keys_gone",
            "{here} no longer holds the keys of {place}. Bring that folder back. If it is lost for good, and with it the answers that "
            "wait: deniable serve --discard-unreadable.",
            here=here,
            place=place,
        )
    return StoreError(
        "other_keys",
        "The keys of {place} are in {known}, and {here} is another folder: a server that uses the first would not find what is made in "
        "the second. Name the right one: --keys {known}. If that is lost for good, and with it the answers that wait: deniable serve "
        "--discard-unreadable.",
        place=place,
        known=known,
        here=here,
    )
