"""Invitations and contact details: all that is kept about those who answer, away from what they answered."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from deniable.errors import RefusedError
from deniable.survey.sealing import unseal
from deniable.survey.store import bulk, releases
from deniable.survey.store.database import Database
from deniable.survey.store.engine import connected, writing
from deniable.survey.store.folder import keys_of
from deniable.survey.store.mixing import forget
from deniable.survey.store.surveys import find_survey
from deniable.survey.store.tables import REVOKED, SHOWN, UNUSED, answers, contact, inbox, invitation, version
from deniable.survey.submission import RESERVED, unpack

CHUNK = 500


def add_invitations(database: Database, slug: str, rows: Sequence[tuple[str, str | None, str | None]]) -> None:
    """Store hashes of tokens with their first and last day; all or none."""
    with writing(database.engine) as connection:
        survey_id = _survey_id(connection, slug)
        known = {hash_ for hash_, _ in _states(connection, [row[0] for row in rows])}
        if known:
            raise RefusedError(
                "token_twice",
                "{count} of the tokens are stored already, or were taken back; nothing was added. Make new ones.",
                count=len(known),
            )
        # Sorted: the order of the list of people is not the order of the rows.
        added = [[hash_, survey_id, UNUSED, begins, ends] for hash_, begins, ends in sorted(rows)]
        bulk.insert(connection, invitation, ["hash", "survey_id", "used", "valid_from", "valid_until"], added)


def invitation_states(database: Database, hashes: Sequence[str]) -> dict[str, bool]:
    """Whether each known token is seen to be used: from the batch on that its answer came out with."""
    with connected(database.engine) as connection:
        return {hash_: used == SHOWN for hash_, used in _states(connection, hashes) if used != REVOKED}


def revoke_invitations(database: Database, slug: str, hashes: Sequence[str]) -> int:
    """Take invitations back that are not seen to be used; how many. Those whose answers wait are among them, or the number would tell of
    them. Such an answer stays, and its token opens nothing again."""
    revoked = 0
    with writing(database.engine) as connection:
        survey_id = _survey_id(connection, slug)
        # As a mixing does, which turns invitations too: each would wait for the other's.
        connection.execute(
            sa.select(version.c.id).where(version.c.survey_id == survey_id).order_by(version.c.id).with_for_update()
        )
        for begin in range(0, len(hashes), CHUNK):
            among = invitation.c.hash.in_(hashes[begin : begin + CHUNK])
            unseen = sa.update(invitation).where(among, invitation.c.survey_id == survey_id, invitation.c.used < SHOWN)
            revoked += connection.execute(unseen.values(used=REVOKED)).rowcount
    return revoked


def _states(connection: sa.Connection, hashes: Sequence[str]) -> Iterable[tuple[str, int]]:
    for begin in range(0, len(hashes), CHUNK):
        rows = bulk.select(connection, "invitation", ["hash", "used"], "hash", hashes[begin : begin + CHUNK])
        yield from ((row[0], row[1]) for row in rows)


def _survey_id(connection: sa.Connection, slug: str) -> int:
    return int(find_survey(connection, slug).id)


def contacts(database: Database, slug: str) -> list[dict[str, Any]]:
    """The register: receipt code, details, and the day on which they are erased. Only of people whose answers are out: others would be
    seen to come one by one."""
    with connected(database.engine) as connection:
        survey_id = _survey_id(connection, slug)
        kept = sa.select(version.c.id).where(version.c.survey_id == survey_id, version.c.linkage == "register")
        tables = [sa.table(f"answers_{one}", sa.column("code")) for one in connection.execute(kept).scalars()]
        out = sa.or_(sa.false(), *(contact.c.code.in_(sa.select(table.c.code)) for table in tables))
        query = sa.select(contact).where(contact.c.survey_id == survey_id, out).order_by(contact.c.code)
        return [
            {"code": row.code, **_entered(json.loads(row.details)), "erased_after": row.until}
            for row in connection.execute(query)
        ]


def _entered(details: dict[str, str]) -> dict[str, str]:
    """What a person entered, under names that are not ours."""
    return {f"entered_{name}" if name in RESERVED else name: value for name, value in details.items()}


def erase(database: Database, slug: str, code: str) -> tuple[int, int]:
    """Erase a person's contact details and answers by their receipt code: how many of each were erased."""
    keys = keys_of(database)
    with writing(database.engine) as connection:
        survey_id = _survey_id(connection, slug)
        # Versions first, in the order of all others who lock them.
        query = sa.select(version).where(version.c.survey_id == survey_id).order_by(version.c.id)
        versions = connection.execute(query.with_for_update()).all()
        details = connection.execute(
            sa.delete(contact).where(contact.c.survey_id == survey_id, contact.c.code == code)
        ).rowcount
        erased, tables = 0, ["contact", "inbox"]
        for here in versions:
            if here.linkage == "none":
                continue
            columns = len(json.loads(here.schema)["attributes"])
            table = answers(here.id, columns, here.linkage)
            erased += connection.execute(sa.delete(table).where(table.c.code == code)).rowcount
            for row in connection.execute(sa.select(inbox).where(inbox.c.version_id == here.id)).all():
                if unpack(unseal(keys.get(row.key_name), row.sealed), columns, here.linkage)[-1] == code:
                    erased += connection.execute(sa.delete(inbox).where(inbox.c.id == row.id)).rowcount
            tables.append(table.name)
    if details or erased:
        forget(database.engine, *tables)
    if erased:
        for here in versions:
            releases.tell_of_erasing(database.engine, here.id)
    return details, erased


def expire_contacts(database: Database, today: datetime.date | None = None) -> int:
    """Erase contact details whose last day is over; how many."""
    day = (today or datetime.date.today()).isoformat()
    with writing(database.engine) as connection:
        erased = connection.execute(sa.delete(contact).where(contact.c.until < day)).rowcount
    if erased:
        forget(database.engine, "contact")
    return erased
