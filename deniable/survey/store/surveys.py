"""Surveys: a questionnaire is frozen into a version when it opens; every answer names the version it was randomised under."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import sqlalchemy as sa

from deniable.core.schema import Schema
from deniable.errors import RefusedError
from deniable.survey.page_rules import check_page
from deniable.survey.sealing import KeyFolder, unseal
from deniable.survey.store.engine import writing
from deniable.survey.store.labels import create_view, view_name
from deniable.survey.store.mixing import BATCH, Mixing, forget, mix, vacuum
from deniable.survey.store.tables import REVOKED, SHOWN, USED, answers, contact, inbox, invitation, survey, version
from deniable.survey.submission import Asked, label_counts, unpack

PIECE = 10_000
SLUG = re.compile(r"[a-z0-9-]{1,63}")


class Frozen(Protocol):
    """What is kept of a questionnaire."""

    slug: str
    schema: Schema
    linkage: str
    invited: bool
    closes: datetime.date | None
    budget: float | None

    @property
    def epsilon(self) -> float: ...  # of the private questions together

    def client(self) -> dict[str, Any]: ...
    def to_json(self) -> dict[str, Any]: ...


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


def open_survey(
    engine: sa.Engine, keys: KeyFolder, asked: Frozen, contacts_until: datetime.date | None = None, discard: bool = False
) -> int:
    """Freeze a questionnaire and open it; an unchanged one is opened again under its old number.

    Parameters
    ----------
    engine : sqlalchemy.Engine
        The database.
    keys : KeyFolder
        The keys of waiting answers.
    asked : Frozen
        The questionnaire.
    contacts_until : datetime.date, optional
        The day on which contact details are erased, if the survey keeps any.
    discard : bool
        Throw away the answers that wait for their batch, if there are too few to become one.

    Returns
    -------
    int
        The number of the version.
    """
    if asked.budget is not None and asked.epsilon > asked.budget + 1e-9:
        raise RefusedError(
            "over_budget", "{slug} gives away epsilon {got:.3f} per respondent, its budget is {budget}.",
            slug=asked.slug, got=asked.epsilon, budget=asked.budget,
        )  # fmt: skip
    # Also refuses channels in floating point, which protect nobody.
    asked.schema.recipe()
    # Nobody could answer what pages refuse. Versions that are open already are closed and exported whatever they are.
    check_page({**asked.client(), "version": 1, "open": True})
    if asked.closes is not None and asked.closes < datetime.date.today():
        raise RefusedError("closes_in_the_past", "The last day of the survey, {closes}, is over.", closes=str(asked.closes))
    if contacts_until is not None and asked.linkage != "register":
        raise RefusedError(
            "no_contacts", "{slug} keeps no contact details (linkage: {linkage}), so there is no day on which they are erased.",
            slug=asked.slug, linkage=asked.linkage,
        )  # fmt: skip
    if contacts_until is not None and contacts_until < datetime.date.today():
        raise RefusedError(
            "retention_over", "Contact details cannot be erased on {day}: that day is over.", day=str(contacts_until)
        )
    questionnaire = json.dumps(asked.to_json(), ensure_ascii=False, sort_keys=True)
    fresh, discarded = keys.create(), set[str]()
    try:
        with writing(engine) as connection:
            _lock_version(connection, asked.slug)
            found = connection.execute(sa.select(survey).where(survey.c.slug == asked.slug).with_for_update()).one_or_none()
            if found is None:
                _check_retention(asked, contacts_until)
                made = connection.execute(sa.insert(survey).values(slug=asked.slug, state="open"))
                survey_id, number = _new_id(made), 1
            else:
                survey_id = found.id
                last = connection.execute(
                    sa.select(version).where(version.c.survey_id == survey_id).order_by(version.c.number.desc()).limit(1)
                ).one()
                if last.questionnaire == questionnaire:
                    _keep_until(connection, last, contacts_until)
                    connection.execute(sa.update(survey).where(survey.c.id == survey_id).values(state="open"))
                    keys.destroy(fresh)
                    return int(last.number)
                # Before it is looked whether answers wait: a refusal that comes only if none do would tell of them, and leave no trace.
                _check_retention(asked, contacts_until)
                number = last.number + 1
                discarded = _replace(connection, keys, asked.slug, survey_id, last, discard)
            made = connection.execute(
                sa.insert(version).values(
                    survey_id=survey_id,
                    number=number,
                    fingerprint=asked.schema.fingerprint,
                    schema=asked.schema.to_json(),
                    questionnaire=questionnaire,
                    client=json.dumps({**asked.client(), "version": number}, ensure_ascii=False),
                    linkage=asked.linkage,
                    invited=int(asked.invited),
                    closes=None if asked.closes is None else asked.closes.isoformat(),
                    contacts_until=None if contacts_until is None else contacts_until.isoformat(),
                    key_name=fresh,
                )
            )
            version_id = _new_id(made)
            table = answers(version_id, len(asked.schema), asked.linkage)
            table.create(connection)
            create_view(connection, asked.slug, number, table, asked.schema)
            connection.execute(sa.update(survey).where(survey.c.id == survey_id).values(version_id=version_id, state="open"))
    except RefusedError:
        keys.destroy(fresh)
        raise
    if discarded:
        for name in discarded:
            keys.destroy(name)
        forget(engine, "inbox", "contact")
    if found is not None:
        mix(engine, keys, found.version_id)
        vacuum(engine)
    return number


def _replace(
    connection: sa.Connection, keys: KeyFolder, slug: str, survey_id: int, old: sa.Row[Any], discard: bool
) -> set[str]:
    """See that a version which ends shows nobody by themselves; the keys that are to be destroyed, if answers were thrown away.

    Anyone who could replace a version around each arrival would see everyone's report, one per version. So what waits is mixed in if it
    is a batch; stays sealed until the survey is closed if it is the rest of one with results; and is in the way otherwise.
    """
    waiting = connection.execute(sa.select(inbox).where(inbox.c.version_id == old.id)).all()
    mixed = connection.exec_driver_sql(f"SELECT count(*) FROM answers_{old.id}").scalar_one()
    if not waiting or len(waiting) >= BATCH or (mixed >= BATCH and not _shown(connection, survey_id)):
        return set()
    if not discard:
        raise RefusedError(
            "few_answers",
            "Answers to version {now} of {slug} wait sealed. They are fewer than {batch}, and could be told apart one by one if the "
            "changed questionnaire replaced it now. Wait until there are {batch}, or throw them away: --discard.",
            slug=slug, now=old.number, batch=BATCH,
        )  # fmt: skip
    if old.linkage == "register":
        columns = len(json.loads(old.schema)["attributes"])
        codes = [unpack(unseal(keys.get(row.key_name), row.sealed), columns, old.linkage)[-1] for row in waiting]
        connection.execute(sa.delete(contact).where(contact.c.survey_id == survey_id, contact.c.code.in_(codes)))
    # Their receipts stay: anyone who sends one of them again is told as before, and nothing is stored twice.
    connection.execute(sa.delete(inbox).where(inbox.c.version_id == old.id))
    connection.execute(sa.update(version).where(version.c.id == old.id).values(key_name=keys.create()))
    return {old.key_name, *(row.key_name for row in waiting)}


def _check_retention(asked: Frozen, contacts_until: datetime.date | None) -> None:
    if asked.linkage == "register" and contacts_until is None:
        raise RefusedError(
            "no_retention",
            "A survey that keeps contact details needs the day on which they are erased, which people are told: "
            "--erase-contacts-on YYYY-MM-DD.",
        )


def _keep_until(connection: sa.Connection, here: sa.Row[Any], wanted: datetime.date | None) -> None:
    """An earlier day holds for the details that are there, too; a later one would break what people were told."""
    if here.linkage != "register":
        return
    day = here.contacts_until if wanted is None else wanted.isoformat()
    if day < datetime.date.today().isoformat():
        raise RefusedError(
            "retention_over", "Contact details were to be erased on {day}, which is over, so no more can be taken. Change the "
            "questionnaire, or its name, and open it with a later --erase-contacts-on.", day=day,
        )  # fmt: skip
    if day > here.contacts_until:
        raise RefusedError(
            "retention_longer", "People were told that their contact details are erased on {told}; they cannot be kept until {day}. Only a "
            "changed questionnaire, which people are asked anew, can have a later day.", told=here.contacts_until, day=day,
        )  # fmt: skip
    connection.execute(sa.update(version).where(version.c.id == here.id).values(contacts_until=day))
    sooner = sa.update(contact).where(contact.c.survey_id == here.survey_id, contact.c.until > day)
    connection.execute(sooner.values(until=day))


def _lock_version(connection: sa.Connection, slug: str) -> None:
    """In PostgreSQL, wait for the groups that answer the current version: those lock it first and then the survey, and so must we."""
    query = sa.select(version.c.id).join(survey, survey.c.version_id == version.c.id).where(survey.c.slug == slug)
    connection.execute(query.with_for_update(of=version))


def _shown(connection: sa.Connection, survey_id: int) -> bool:
    """Whether a closing has shown the rest of this survey's answers, however few they were. It is done once."""
    query = sa.select(sa.func.coalesce(sa.func.sum(version.c.closings), 0)).where(version.c.survey_id == survey_id)
    return bool(connection.execute(query).scalar_one())


def _end(engine: sa.Engine, keys: KeyFolder, found: sa.Row[Any]) -> None:
    """Mix in what waits, of all versions, when a survey is closed: however few the first time that there are any answers. After
    that a batch at least, for anyone who opens and closes a survey around one answer would see it in the difference. All that shows is
    in one transaction: a crash must neither show answers without a note that they were shown, nor the other way round. As in every
    mixing, new keys come first: then those who answer other surveys, or are told that this one is closed, do not wait on PostgreSQL."""
    query = sa.select(version.c.id).where(version.c.survey_id == found.id).order_by(version.c.id)
    with Mixing(engine, keys) as mixing, writing(engine) as connection:
        for one in connection.execute(query).scalars().all():
            mixing.change_key(connection, one, 1)
    with Mixing(engine, keys) as mixing, writing(engine) as connection:
        ids = list(connection.execute(query.with_for_update(key_share=True)).scalars())
        least = BATCH if _shown(connection, found.id) else 1
        for one in ids:
            if mixing.mix_older(connection, one, least):
                mixing.show_used(connection, found.id)
        # A closing without any answers has shown nothing.
        if any(connection.exec_driver_sql(f"SELECT count(*) FROM answers_{one}").scalar_one() for one in ids):
            _note_closing(connection, found.version_id)
            _show_left(mixing, connection, found.id, least)
    vacuum(engine)


def _note_closing(connection: sa.Connection, version_id: int) -> None:
    connection.execute(sa.update(version).where(version.c.id == version_id).values(closings=version.c.closings + 1))


def _show_left(mixing: Mixing, connection: sa.Connection, survey_id: int, least: int) -> None:
    """Show the use of invitations that no mixing has shown: whose answers were thrown away, or mixed in by an earlier release."""
    versions = sa.select(version.c.id).where(version.c.survey_id == survey_id)
    waiting = sa.select(sa.func.count()).where(inbox.c.version_id.in_(versions))
    used = sa.select(sa.func.count()).where(invitation.c.survey_id == survey_id, invitation.c.used == USED)
    if not connection.execute(waiting).scalar_one() and connection.execute(used).scalar_one() >= least:
        mixing.show_used(connection, survey_id)


def _new_id(made: sa.CursorResult[Any]) -> int:
    key = made.inserted_primary_key
    assert key is not None
    return int(key[0])


def close_survey(engine: sa.Engine, keys: KeyFolder, slug: str) -> int:
    """Take no more answers, and mix in what waits. How many answers of the current version are out."""
    with writing(engine) as connection:
        found = find_survey(connection, slug)
        connection.execute(sa.update(survey).where(survey.c.id == found.id).values(state="closed"))
    _end(engine, keys, found)
    return overview(engine, slug).mixed


def reopen_survey(engine: sa.Engine, slug: str) -> None:
    """Take answers to the current version again."""
    with writing(engine) as connection:
        found = find_survey(connection, slug)
        _lock_version(connection, slug)
        here = connection.execute(sa.select(version).where(version.c.id == found.version_id)).one()
        if here.closes is not None and datetime.date.today().isoformat() > here.closes:
            raise RefusedError("closes_in_the_past", "The last day of the survey, {closes}, is over.", closes=here.closes)
        _keep_until(connection, here, None)
        check_page({**json.loads(here.client), "open": True})
        connection.execute(sa.update(survey).where(survey.c.id == found.id).values(state="open"))


def find_survey(connection: sa.Connection, slug: str) -> sa.Row[Any]:
    """The row of a survey."""
    # Whatever is no name is not looked up: PostgreSQL refuses some texts as such.
    query = sa.select(survey).where(survey.c.slug == slug)
    found = connection.execute(query).one_or_none() if SLUG.fullmatch(slug) else None
    if found is None:
        raise RefusedError("unknown_survey", "There is no survey {slug!r} here.", slug=slug)
    return found


def slugs(engine: sa.Engine) -> list[str]:
    """The names of all surveys."""
    with engine.connect() as connection:
        return list(connection.execute(sa.select(survey.c.slug).order_by(survey.c.slug)).scalars())


def overview(engine: sa.Engine, slug: str) -> Overview:
    """State and count of a survey: of its newest version."""
    return overviews(engine, slug)[-1]


def overviews(engine: sa.Engine, slug: str) -> list[Overview]:
    """State and count of every version of a survey, oldest first. Those before the newest are "replaced": they take no answers."""
    with engine.connect() as connection:
        found = find_survey(connection, slug)
        rows = connection.execute(sa.select(version).where(version.c.survey_id == found.id).order_by(version.c.number)).all()
        mixed = {row.id: connection.exec_driver_sql(f"SELECT count(*) FROM answers_{row.id}").scalar_one() for row in rows}
        invited = connection.execute(
            sa.select(sa.func.count(), sa.func.count(sa.case((invitation.c.used == SHOWN, 1)))).where(
                invitation.c.survey_id == found.id, invitation.c.used != REVOKED
            )
        ).one()
        shown = _shown(connection, found.id)
    today, before, seen = datetime.date.today().isoformat(), 0, []
    for row in rows:
        over = row.closes is not None and today > row.closes
        seen.append(
            Overview(
                slug=slug,
                state="replaced" if row.id != found.version_id else "closed" if over else found.state,
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
            )
        )
        before += mixed[row.id]
    return seen


def current(engine: sa.Engine, slug: str) -> tuple[Asked, str]:
    """What the current version asks, and the JSON for the respondent's page."""
    with engine.connect() as connection:
        found = find_survey(connection, slug)
        here = connection.execute(sa.select(version).where(version.c.id == found.version_id)).one()
    over = here.closes is not None and datetime.date.today().isoformat() > here.closes
    client = {
        **json.loads(here.client),
        "open": found.state == "open" and not over,
        "contacts_until": here.contacts_until,
    }
    return _asked(slug, here), json.dumps(client, ensure_ascii=False)


def asked_before(engine: sa.Engine, slug: str, number: int) -> Asked:
    """What a version by its number asked: anyone who repeats what was acknowledged then gets the same reply."""
    with engine.connect() as connection:
        found = find_survey(connection, slug)
        query = sa.select(version).where(version.c.survey_id == found.id, version.c.number == number)
        here = connection.execute(query).one_or_none()
    if here is None:
        raise RefusedError("unknown_version", "{slug} has no version {got}.", slug=slug, got=number)
    return _asked(slug, here)


def _asked(slug: str, here: sa.Row[Any]) -> Asked:
    return Asked(
        slug=slug,
        survey=here.survey_id,
        version=here.id,
        number=here.number,
        linkage=here.linkage,
        invited=bool(here.invited),
        sizes=label_counts(Schema.from_json(here.schema)),
    )


def frozen(engine: sa.Engine, slug: str, number: int | None = None) -> Version:
    """A version by its number, the newest unless said."""
    with engine.connect() as connection:
        found = find_survey(connection, slug)
        query = sa.select(version).where(version.c.survey_id == found.id)
        query = query.where(version.c.id == found.version_id) if number is None else query.where(version.c.number == number)
        here = connection.execute(query).one_or_none()
    if here is None:
        raise RefusedError("unknown_version", "{slug} has no version {got}.", slug=slug, got=number)
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


def mixed_rows(engine: sa.Engine, read: Version) -> Iterator[list[sa.Row[Any]]]:
    """The mixed answers in pieces, all from one moment."""
    with engine.connect() as connection:
        if connection.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ")
        result = connection.execution_options(yield_per=PIECE).execute(sa.select(read.table))
        for piece in result.partitions():
            yield list(piece)


def due(engine: sa.Engine) -> list[str]:
    """Open surveys whose last day is over."""
    today = datetime.date.today().isoformat()
    query = (
        sa.select(survey.c.slug)
        .join(version, version.c.id == survey.c.version_id)
        .where(survey.c.state == "open", version.c.closes < today)
    )
    with engine.connect() as connection:
        return list(connection.execute(query).scalars())


def waiting_counts(engine: sa.Engine) -> dict[int, tuple[int, int]]:
    """How many answers wait in the inbox, and how many are mixed, by version."""
    with engine.connect() as connection:
        query = sa.select(inbox.c.version_id, sa.func.count()).group_by(inbox.c.version_id)
        waiting = {row[0]: row[1] for row in connection.execute(query)}
        return {
            one: (waiting.get(one, 0), connection.exec_driver_sql(f"SELECT count(*) FROM answers_{one}").scalar_one())
            for one in connection.execute(sa.select(version.c.id).order_by(version.c.id)).scalars()
        }


def named_keys(connection: sa.Connection) -> tuple[set[str], set[str]]:
    """The keys that surveys seal with, and those that waiting answers are sealed with."""
    sealing = set(connection.execute(sa.select(version.c.key_name)).scalars())
    sealed = set(connection.execute(sa.select(inbox.c.key_name).distinct()).scalars())
    return sealing, sealed
