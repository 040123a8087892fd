"""Closing a survey: no more answers are taken, and those that wait are mixed in."""

from __future__ import annotations

import datetime
from typing import Any

import sqlalchemy as sa

from deniable.survey.apart import MADE_UP
from deniable.survey.sealing import KeyFolder
from deniable.survey.store.audit import Actor, write_line
from deniable.survey.store.database import Database
from deniable.survey.store.engine import connected, writing
from deniable.survey.store.folder import keys_of
from deniable.survey.store.mixing import BATCH, Mixing, vacuum
from deniable.survey.store.surveys import find_survey, has_shown_rest, overview
from deniable.survey.store.tables import USED, inbox, invitation, survey, version


def close_survey(database: Database, slug: str, by: Actor | None = None) -> int:
    """Take no more answers, and mix in what waits. How many answers of the current version are out. `by` is listed as who closed it."""
    keys = keys_of(database)
    with writing(database.engine) as connection:
        row = find_survey(connection, slug)
        connection.execute(sa.update(survey).where(survey.c.id == row.id).values(state="closed"))
        if has_shown_rest(connection, row.id):
            # Counted at once: what those see who may not export depends on whether a survey was ever opened again (results/viewable.py).
            _note_closing(connection, row.version_id)
        write_line(connection, by, "closed", slug)
    _release_rest(database.engine, keys, row)
    seen = overview(database, slug)
    if seen.kind != MADE_UP:  # those are nobody: for them those who answer need not wait until the file is rewritten
        vacuum(database.engine)
    return seen.mixed


def close_due(database: Database) -> list[str]:
    """Close the open surveys whose last day is over; their names."""
    keys_of(database)  # where it is the wrong folder, that is said even if nothing is due
    today = datetime.date.today().isoformat()
    query = (
        sa.select(survey.c.slug)
        .join(version, version.c.id == survey.c.version_id)
        .where(survey.c.state == "open", version.c.closes < today)
    )
    with connected(database.engine) as connection:
        due = list(connection.execute(query).scalars())
    for slug in due:
        close_survey(database, slug)
    return due


def _release_rest(engine: sa.Engine, keys: KeyFolder, row: sa.Row[Any]) -> None:
    """Mix in what waits, of all versions, when a survey is closed: however few the first time that there are any answers. After
    that a batch at least, for anyone who opens and closes a survey around one answer would see it in the difference. All that shows is
    in one transaction: a crash must neither show answers without a note that they were shown, nor the other way round. As in every
    mixing, new keys come first: then those who answer other surveys, or are told that this one is closed, do not wait on PostgreSQL."""
    query = sa.select(version.c.id).where(version.c.survey_id == row.id).order_by(version.c.id)
    with Mixing(engine, keys) as mixing, writing(engine) as connection:
        for one in connection.execute(query).scalars().all():
            mixing.change_key(connection, one, 1)
    with Mixing(engine, keys) as mixing, writing(engine) as connection:
        ids = list(connection.execute(query.with_for_update(key_share=True)).scalars())
        least = BATCH if has_shown_rest(connection, row.id) else 1
        for one in ids:
            if mixing.mix_older(connection, one, least):
                mixing.show_used(connection, row.id)
        # A closing without any answers has shown nothing.
        if any(connection.exec_driver_sql(f"SELECT count(*) FROM answers_{one}").scalar_one() for one in ids):
            _note_closing(connection, row.version_id)
            _show_left(mixing, connection, row.id, least)


def _note_closing(connection: sa.Connection, version_id: int) -> None:
    connection.execute(sa.update(version).where(version.c.id == version_id).values(closings=version.c.closings + 1))


def _show_left(mixing: Mixing, connection: sa.Connection, survey_id: int, least: int) -> None:
    """Show the use of invitations that no mixing has shown: whose answers were thrown away, or mixed in by an earlier release."""
    versions = sa.select(version.c.id).where(version.c.survey_id == survey_id)
    waiting = sa.select(sa.func.count()).where(inbox.c.version_id.in_(versions))
    used = sa.select(sa.func.count()).where(invitation.c.survey_id == survey_id, invitation.c.used == USED)
    if not connection.execute(waiting).scalar_one() and connection.execute(used).scalar_one() >= least:
        mixing.show_used(connection, survey_id)
