"""A group of submissions in one transaction: all are on the disk, after one sync, before any of them is acknowledged."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from deniable.core.shuffling import shuffled
from deniable.errors import DeniableError, RefusedError, StoreError
from deniable.survey.sealing import KeyFolder, seal
from deniable.survey.store import bulk
from deniable.survey.store.database import Database
from deniable.survey.store.engine import RowsRefusedError, writing
from deniable.survey.store.folder import keys_of
from deniable.survey.store.tables import REVOKED, USED, contact, inbox, invitation, receipt
from deniable.survey.submission import Submission


class Repeated:
    """It was stored before, and is acknowledged again; it counts for nothing else."""


REPEATED = Repeated()
Outcome = DeniableError | Repeated | None
"""None: stored. REPEATED: by an earlier copy of the same submission. A RefusedError: not taken. Any other error: not stored, try again."""


def submit(database: Database, group: Sequence[Submission]) -> list[Outcome]:
    """Store a group of submissions: it is on the disk when this returns. One that is refused does not hold up the others."""
    engine, keys = database.engine, keys_of(database)
    for _ in range(2):
        # Another server on the same database may store a copy between our look and our insert; the second time we see it.
        with contextlib.suppress(RowsRefusedError):
            return _commit(engine, keys, group)
    # One of them cannot be stored, for a reason that nobody thought of: it must not hold up the others.
    return [_commit_alone(engine, keys, one) for one in group]


def _commit_alone(engine: sa.Engine, keys: KeyFolder, one: Submission) -> Outcome:
    try:
        return _commit(engine, keys, [one])[0]
    except RowsRefusedError:
        return StoreError("not_stored", "The answer could not be stored just now. Nothing is lost: send it again.")


def _commit(engine: sa.Engine, keys: KeyFolder, group: Sequence[Submission]) -> list[Outcome]:
    today = datetime.date.today().isoformat()
    with writing(engine) as connection:
        versions = _versions(connection, group)
        seen = _receipts(connection, group)
        tokens = _tokens(connection, group)
        codes = _codes(connection, group)
        outcomes: list[Outcome] = []
        receipts, contacts, used = [], [], []
        taken: dict[int, list[bytes]] = {}
        for one in group:
            if one.id_hash in seen:
                outcomes.append(REPEATED if seen[one.id_hash] == one.body_mac else _id_reused())
                continue
            here = versions.get(one.version)
            if here is None:  # deleted meanwhile: nobody else's answer waits for that
                outcomes.append(_closed())
                continue
            token = tokens.get(one.token_hash or "")
            refused = _refusal(here, token, one, today)
            if refused is None and (one.survey, one.code) in codes:
                refused = _code_used()
            # Last: anyone who tries another's invitation to see whether it was used, uses it up.
            if refused is None and token is not None and token["used"]:
                refused = _token_used()
            outcomes.append(refused)
            if refused is not None:
                continue
            seen[one.id_hash] = one.body_mac
            receipts.append([one.id_hash, one.body_mac, one.survey])
            taken.setdefault(one.version, []).append(one.content)
            if one.contact is not None:
                contacts.append([one.code, one.survey, one.contact, here.contacts_until])
                codes.add((one.survey, one.code))
            if one.token_hash is not None:
                tokens[one.token_hash]["used"] = USED
                used.append(one.token_hash)
        waiting = [
            [version, versions[version].key_name, sealed]
            for version, contents in taken.items()
            for sealed in seal(keys.get(versions[version].key_name), contents)
        ]
        # A database that logs its statements must not see in which order the people of a group came.
        bulk.insert_all(
            connection,
            [
                (receipt, ["id_hash", "body_mac", "survey_id"], shuffled(receipts)),
                (inbox, ["version_id", "key_name", "sealed"], shuffled(waiting)),
                (contact, ["code", "survey_id", "details", "until"], shuffled(contacts)),
            ],
        )
        if used:
            connection.execute(sa.update(invitation).where(invitation.c.hash.in_(sorted(used))).values(used=USED))
    return outcomes


@dataclass(frozen=True)
class _Version:
    id: int
    key_name: str
    closes: str | None
    contacts_until: str | None
    state: str
    current: int


def _versions(connection: sa.Connection, group: Sequence[Submission]) -> dict[int, _Version]:
    ids = ", ".join(str(int(one)) for one in sorted({one.version for one in group}))
    # Closing, erasing and the change of keys wait until this group is committed, and the other way round; a mixing, which takes long, does
    # not (see mixing.py). SQLite has one writer anyway.
    lock = " FOR KEY SHARE OF v FOR SHARE OF s" if connection.dialect.name == "postgresql" else ""
    rows = connection.exec_driver_sql(
        "SELECT v.id, v.key_name, v.closes, v.contacts_until, s.state, s.version_id FROM survey_version v "
        f"JOIN survey s ON s.id = v.survey_id WHERE v.id IN ({ids}) ORDER BY v.id{lock}"
    )
    return {row[0]: _Version(*row) for row in rows}


def _receipts(connection: sa.Connection, group: Sequence[Submission]) -> dict[str, str]:
    rows = bulk.select(connection, "receipt", ["id_hash", "body_mac"], "id_hash", sorted(one.id_hash for one in group))
    return {row[0]: row[1] for row in rows}


def _tokens(connection: sa.Connection, group: Sequence[Submission]) -> dict[str, dict[str, object]]:
    hashes = sorted({one.token_hash for one in group if one.token_hash is not None})
    if not hashes:
        return {}
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SELECT 1 FROM invitation WHERE hash = ANY(%s) ORDER BY hash FOR UPDATE", (hashes,))
    names = ["hash", "survey_id", "used", "valid_from", "valid_until"]
    rows = bulk.select(connection, "invitation", names, "hash", hashes)
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def _codes(connection: sa.Connection, group: Sequence[Submission]) -> set[tuple[int, str | None]]:
    """The receipt codes of the group under which contact details are kept already. Only surveys with contacts are looked at."""
    asked = [one for one in group if one.contact is not None]
    if not asked:
        return set()
    surveys = ", ".join(str(int(one)) for one in sorted({one.survey for one in asked}))
    where = f"survey_id IN ({surveys}) AND code"  # in the order of the primary key
    rows = bulk.select(connection, "contact", ["survey_id", "code"], where, sorted(str(one.code) for one in asked))
    return {(row[0], row[1]) for row in rows}


def _refusal(here: _Version, token: dict[str, object] | None, one: Submission, today: str) -> Outcome:
    if here.state != "open" or (here.closes is not None and today > here.closes):
        return _closed()
    if here.current != here.id:
        return RefusedError(
            "wrong_version", "The survey has changed since the page was opened. Load the page again and answer there."
        )
    if one.token_hash is None:
        return None
    if token is None or token["survey_id"] != one.survey or token["used"] == REVOKED:
        return RefusedError("token_unknown", "This invitation is not known here. Please check that you have the whole link.")
    early = token["valid_from"] is not None and today < str(token["valid_from"])
    late = token["valid_until"] is not None and today > str(token["valid_until"])
    if early or late:
        return RefusedError("token_not_now", "This invitation is not valid today.")
    return None


def _closed() -> RefusedError:
    return RefusedError("closed", "This survey is closed; nothing was stored.")


def _token_used() -> RefusedError:
    return RefusedError("token_used", "This invitation has already been used; each can be used only once.")


def _code_used() -> RefusedError:
    return RefusedError(
        "code_used",
        "Somebody's contact details are kept under this receipt code already. Load the page again: it makes a new code.",
    )


def _id_reused() -> RefusedError:
    return RefusedError("id_reused", "Another answer was sent under this id; each person's submission needs an id of its own.")
