"""Deleting a closed survey with all that belongs to it: answers, keys, receipts, invitations, contact details, questionnaires,
the report and released results."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from deniable.errors import RefusedError
from deniable.survey import apart
from deniable.survey.store import releases
from deniable.survey.store.audit import Actor, write_line
from deniable.survey.store.database import Database
from deniable.survey.store.engine import writing
from deniable.survey.store.folder import keys_of
from deniable.survey.store.labels import quoted, view_name
from deniable.survey.store.mixing import forget, vacuum
from deniable.survey.store.surveys import find_survey
from deniable.survey.store.tables import (
    contact,
    deleted,
    inbox,
    invitation,
    once_released,
    receipt,
    released_page,
    report_draft,
    survey,
    version,
)


def delete_survey(database: Database, slug: str, by: Actor | None = None, trial: int | None = None) -> None:
    """Delete a closed survey in one transaction, then the keys of its answers. Backups keep what they have.

    Parameters
    ----------
    database : Database
        Where the survey is.
    slug : str
        Its short name.
    by : Actor, optional
        Who is listed as having deleted it.
    trial : int, optional
        The number of a trial's version, or of a made-up one: that goes, open or closed, unless another has taken its place.
    """
    keys = keys_of(database)
    with writing(database.engine) as connection:
        row = find_survey(connection, slug)
        query = sa.select(version).where(version.c.survey_id == row.id).order_by(version.c.id)
        versions = connection.execute(query.with_for_update()).all()
        # Read again, now that nobody else can open it.
        state = connection.execute(sa.select(survey.c.state).where(survey.c.id == row.id).with_for_update()).scalar_one()
        number = versions[-1].number
        if trial is not None and (apart.kind_of(slug, number) is None or number != trial):
            raise RefusedError("no_trial", "{slug} is no trial, so it is not deleted as one.", slug=slug)
        if trial is None and state != "closed":
            raise RefusedError("still_open", "{slug} is open; close it before it is deleted.", slug=slug)
        ids = [one.id for one in versions]
        waiting = sa.select(inbox.c.key_name).where(inbox.c.version_id.in_(ids)).distinct()
        names = {*connection.execute(waiting).scalars(), *(one.key_name for one in versions)}
        connection.execute(sa.delete(inbox).where(inbox.c.version_id.in_(ids)))
        connection.execute(sa.delete(once_released).where(once_released.c.version_id.in_(ids)))
        for table in (receipt, invitation, contact, report_draft, released_page):
            connection.execute(sa.delete(table).where(table.c.survey_id == row.id))
        for one in versions:
            connection.exec_driver_sql(f"DROP VIEW IF EXISTS {quoted(view_name(slug, one.number))}")
            connection.exec_driver_sql(f"DROP TABLE IF EXISTS answers_{one.id}")
        connection.execute(sa.delete(version).where(version.c.survey_id == row.id))
        connection.execute(sa.delete(survey).where(survey.c.id == row.id))
        _note(connection, slug, row.id, versions[-1])
        write_line(connection, by, "deleted", slug)
    for name in names:
        keys.destroy(name)
    for one in versions:
        releases.tell_of_erasing(database.engine, one.id)
    forget(
        database.engine, "inbox", "receipt", "invitation", "contact", "report_draft", "released_page", "once_released", "survey_version",
        "survey",
    )  # fmt: skip
    # Made-up people are nobody: for them those who answer need not wait until the file is rewritten.
    if apart.kind_of(slug, number) != apart.MADE_UP:
        vacuum(database.engine)


def _note(connection: sa.Connection, slug: str, survey_id: int, last: sa.Row[Any]) -> None:
    connection.execute(sa.delete(deleted).where(deleted.c.slug == slug))
    connection.execute(sa.insert(deleted).values(slug=slug, number=last.number, survey_id=survey_id, version_id=last.id))


def first_number(connection: sa.Connection, slug: str) -> int:
    """The number of a new survey's first version: beyond those of a deleted one that had the same short name. Pages that are still open
    somewhere, files on people's disks and whoever keeps what was read know a version by short name and number."""
    gone = connection.execute(sa.select(deleted.c.number).where(deleted.c.slug == slug)).scalar()
    first = apart.first_number(slug)
    return first if gone is None else max(first, int(gone) + 1)


def unused_id(connection: sa.Connection, table: sa.Table) -> dict[str, int]:
    """The number of a new survey or version where the database would give out that of a deleted one again: whoever still holds what was
    said of the old one (a page, a table of counts) must not find another in its place."""
    column = deleted.c.survey_id if table is survey else deleted.c.version_id
    gone = connection.execute(sa.select(sa.func.max(column))).scalar()
    if gone is None or connection.dialect.name != "sqlite":
        return {}
    highest = connection.execute(sa.select(sa.func.coalesce(sa.func.max(table.c.id), 0))).scalar_one()
    return {"id": max(int(highest), int(gone)) + 1}
