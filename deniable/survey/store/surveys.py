"""Reading surveys: their versions, what each asks, and how many answers are out. Every answer names the version it was randomised under."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from deniable.core.schema import Schema
from deniable.errors import RefusedError
from deniable.survey.apart import MADE_UP, NUMBERS, check_kept_apart, kind_of, reserved_for
from deniable.survey.store.database import Database
from deniable.survey.store.engine import connected
from deniable.survey.store.labels import view_name
from deniable.survey.store.tables import REVOKED, SHOWN, answers, inbox, invitation, survey, version
from deniable.survey.submission import Asked, label_counts

PIECE = 10_000
SLUG = re.compile(r"[a-z0-9-]{1,63}")


@dataclass(frozen=True)
class Overview:
    """What an organiser may see: how many answers are out, and nothing of those that wait. So no number moves by one person."""

    slug: str
    state: str
    number: int
    versions: int
    mixed: int  # answers of this version that are out
    earlier: int  # those of the versions before it
    shown: bool  # whether a closing has shown the rest, so that fewer than a batch stay sealed from now on
    linkage: str
    invited: bool
    invitations: int
    used: int  # of the invitations, with answers that are out
    closes: str | None
    view: str
    title: Mapping[str, str] = field(default_factory=dict)  # by language
    due: bool = False  # its last day is over, and nobody has closed it yet

    @property
    def kind(self) -> str | None:
        """Whether it is a trial or made up (apart.py); None for a real survey."""
        return kind_of(self.slug, self.number)


@dataclass(frozen=True)
class Version:
    """A frozen version, to be read."""

    id: int
    slug: str
    number: int
    linkage: str
    schema: Schema
    questionnaire: dict[str, Any]
    table: sa.Table


def find_survey(connection: sa.Connection, slug: str, public: bool = False) -> sa.Row[Any]:
    """The row of a survey; for the public, of one that is not made up."""
    query = sa.select(survey).where(survey.c.slug == slug)
    if public and reserved_for(slug) == MADE_UP:
        # The one query finds nothing, as where there is no such survey: a reply that takes longer would tell that there is a draft.
        query = query.join(version, version.c.id == survey.c.version_id).where(version.c.number <= NUMBERS[MADE_UP])
    # Whatever is no name is not looked up: PostgreSQL refuses some texts as such.
    row = connection.execute(query).one_or_none() if SLUG.fullmatch(slug) else None
    if row is None:
        raise RefusedError("unknown_survey", "There is no survey {slug!r} here.", slug=slug)
    return row


def has_shown_rest(connection: sa.Connection, survey_id: int) -> bool:
    """Whether a closing has shown the rest of this survey's answers, however few they were. It is done once."""
    query = sa.select(sa.func.coalesce(sa.func.sum(version.c.closings), 0)).where(version.c.survey_id == survey_id)
    return bool(connection.execute(query).scalar_one())


def slugs(database: Database) -> list[str]:
    """The names of all surveys."""
    with connected(database.engine) as connection:
        return list(connection.execute(sa.select(survey.c.slug).order_by(survey.c.slug)).scalars())


def overview(database: Database, slug: str) -> Overview:
    """State and count of a survey: of its newest version."""
    return overviews(database, slug)[-1]


def overviews(database: Database, slug: str) -> list[Overview]:
    """State and count of every version of a survey, oldest first. Those before the newest are "replaced": they take no answers."""
    with connected(database.engine) as connection:
        kept = find_survey(connection, slug)
        rows = connection.execute(sa.select(version).where(version.c.survey_id == kept.id).order_by(version.c.number)).all()
        mixed = {row.id: connection.exec_driver_sql(f"SELECT count(*) FROM answers_{row.id}").scalar_one() for row in rows}
        invited = connection.execute(
            sa.select(sa.func.count(), sa.func.count(sa.case((invitation.c.used == SHOWN, 1)))).where(
                invitation.c.survey_id == kept.id, invitation.c.used != REVOKED
            )
        ).one()
        shown = has_shown_rest(connection, kept.id)
    today, before, seen = datetime.date.today().isoformat(), 0, []
    for row in rows:
        over = row.closes is not None and today > row.closes
        seen.append(
            Overview(
                slug=slug,
                state="replaced" if row.id != kept.version_id else "closed" if over else kept.state,
                number=row.number,
                versions=len(rows),
                mixed=mixed[row.id],
                earlier=before,
                shown=shown,
                linkage=row.linkage,
                invited=bool(row.invited),
                invitations=invited[0],
                used=invited[1],
                closes=row.closes,
                view=view_name(slug, row.number),
                title=_title(json.loads(row.client)),
                due=over and kept.state == "open" and row.id == kept.version_id,
            )
        )
        before += mixed[row.id]
    return seen


def _title(client: dict[str, Any]) -> dict[str, str]:
    """The title by language; the earliest releases kept one for all."""
    title = client.get("title") or {}
    return title if isinstance(title, dict) else {"": str(title)}


def current(database: Database, slug: str, public: bool = False) -> tuple[Asked, str]:
    """What the current version asks, and the JSON for the respondent's page. For the public, what is made up is not there: nobody takes
    part in it, and its questions are those of a draft."""
    with connected(database.engine) as connection:
        row = find_survey(connection, slug, public)
        here = connection.execute(sa.select(version).where(version.c.id == row.version_id)).one()
    over = here.closes is not None and datetime.date.today().isoformat() > here.closes
    client = {
        **json.loads(here.client),
        "open": row.state == "open" and not over,
        "contacts_until": here.contacts_until,
    }
    return _asked(slug, here), json.dumps(client, ensure_ascii=False)


def asked_before(database: Database, slug: str, number: int) -> Asked:
    """What a version by its number asked: anyone who repeats what was acknowledged then gets the same reply."""
    with connected(database.engine) as connection:
        row = find_survey(connection, slug)
        query = sa.select(version).where(version.c.survey_id == row.id, version.c.number == number)
        here = connection.execute(query).one_or_none()
    if here is None:
        raise _unknown_version(slug, number)
    return _asked(slug, here)


def _unknown_version(slug: str, number: int | None) -> RefusedError:
    return RefusedError("unknown_version", "{slug} has no version {got}.", slug=slug, got=number)


def _asked(slug: str, here: sa.Row[Any]) -> Asked:
    check_kept_apart(slug, here.number)
    return Asked(
        slug=slug,
        survey=here.survey_id,
        version=here.id,
        number=here.number,
        linkage=here.linkage,
        invited=bool(here.invited),
        sizes=label_counts(Schema.from_json(here.schema)),
    )


def frozen_version(database: Database, slug: str, number: int | None = None) -> Version:
    """A version by its number, the newest unless said."""
    with connected(database.engine) as connection:
        row = find_survey(connection, slug)
        query = sa.select(version).where(version.c.survey_id == row.id)
        query = query.where(version.c.id == row.version_id) if number is None else query.where(version.c.number == number)
        here = connection.execute(query).one_or_none()
    if here is None:
        raise _unknown_version(slug, number)
    check_kept_apart(slug, here.number)
    schema = Schema.from_json(here.schema)
    return Version(
        id=here.id,
        slug=slug,
        number=here.number,
        linkage=here.linkage,
        schema=schema,
        questionnaire=json.loads(here.questionnaire),
        table=answers(here.id, len(schema), here.linkage),
    )


def mixed_rows(database: Database, version: Version) -> Iterator[list[sa.Row[Any]]]:
    """The mixed answers in pieces, all from one moment."""
    with connected(database.engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ")
        result = connection.execution_options(yield_per=PIECE).execute(sa.select(version.table))
        for piece in result.partitions():
            yield list(piece)


def waiting(database: Database) -> dict[int, tuple[int, int]]:
    """How many answers wait in the inbox, and how many are mixed, by version."""
    with connected(database.engine) as connection:
        query = sa.select(inbox.c.version_id, sa.func.count()).group_by(inbox.c.version_id)
        counts = {row[0]: row[1] for row in connection.execute(query)}
        return {
            one: (counts.get(one, 0), connection.exec_driver_sql(f"SELECT count(*) FROM answers_{one}").scalar_one())
            for one in connection.execute(sa.select(version.c.id).order_by(version.c.id)).scalars()
        }
