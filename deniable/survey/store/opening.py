"""Opening a survey: a questionnaire is frozen into a version, which replaces the one before it."""

from __future__ import annotations

import datetime
import json
from typing import Any, Protocol

import sqlalchemy as sa

from deniable.core.schema import Schema
from deniable.errors import RefusedError, Setting
from deniable.survey.apart import MADE_UP, kind_of, reserved_for, reserved_slug
from deniable.survey.page_rules import check_page
from deniable.survey.sealing import KeyFolder, unseal
from deniable.survey.store.audit import Actor, write_line
from deniable.survey.store.database import Database
from deniable.survey.store.deleting import first_number, unused_id
from deniable.survey.store.engine import writing
from deniable.survey.store.folder import keys_of
from deniable.survey.store.labels import create_view
from deniable.survey.store.mixing import BATCH, forget, mix, vacuum
from deniable.survey.store.retention import check_retention, keep_until
from deniable.survey.store.surveys import find_survey, has_shown_rest
from deniable.survey.store.tables import answers, contact, inbox, survey, version
from deniable.survey.submission import unpack


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


def open_survey(
    database: Database,
    questionnaire: Frozen,
    contacts_until: datetime.date | None = None,
    discard: bool = False,
    by: Actor | None = None,
    trial: bool = False,
) -> int:
    """Freeze a questionnaire and take answers; an unchanged one is opened again under its old number.

    Parameters
    ----------
    database : Database
        Where the survey is, or will be.
    questionnaire : Frozen
        What is asked.
    contacts_until : datetime.date, optional
        The day on which contact details are erased, if the survey keeps any.
    discard : bool
        Throw away the answers that wait for their batch, if there are too few to become one.
    by : Actor, optional
        Who is listed as having opened it.
    trial : bool
        Whether it is a trial, or made up: only those have the names that are kept for them.

    Returns
    -------
    int
        The number of the version.
    """
    keys = keys_of(database)
    _check_name(questionnaire.slug, trial)
    _check_asked(questionnaire)
    _check_days(questionnaire, contacts_until)
    text = json.dumps(questionnaire.to_json(), ensure_ascii=False, sort_keys=True)
    slug = questionnaire.slug
    fresh, discarded, number = keys.create(), set[str](), 1
    try:
        with writing(database.engine) as connection:
            _lock_version(connection, slug)
            before = connection.execute(sa.select(survey).where(survey.c.slug == slug).with_for_update()).one_or_none()
            last = None if before is None else _last_version(connection, before.id)
            if trial and last is not None:
                _check_trial(slug, last.number)
            if last is not None and last.questionnaire == text:
                keep_until(connection, last, contacts_until)
                _set_open(connection, last.survey_id)
                write_line(connection, by, "opened", slug)
                keys.destroy(fresh)
                return int(last.number)
            # Before it is looked whether answers wait: a refusal that comes only if none do would tell of them, and leave no trace.
            check_retention(questionnaire.linkage, contacts_until)
            if last is None:
                added = sa.insert(survey).values(slug=slug, state="open", **unused_id(connection, survey))
                survey_id, number = _new_id(connection.execute(added)), first_number(connection, slug)
            else:
                survey_id, number = last.survey_id, last.number + 1
                discarded = _replace(connection, keys, slug, last, discard)
            row = {"questionnaire": text, "number": number, "survey_id": survey_id, "key_name": fresh}
            _add_version(connection, questionnaire, contacts_until, row)
            write_line(connection, by, "opened", slug)
    except RefusedError:
        keys.destroy(fresh)
        raise
    if discarded:
        for name in discarded:
            keys.destroy(name)
        forget(database.engine, "inbox", "contact")
    if before is not None:
        mix(database, before.version_id)
        vacuum(database.engine)
    return number


def _check_name(slug: str, trial: bool) -> None:
    """Real surveys and trials have names of two kinds; none is opened under one of the other."""
    if trial == (reserved_for(slug) is None):
        sentence, about = reserved_slug(slug)
        raise RefusedError("reserved_slug", sentence[:1].upper() + sentence[1:], **about)


def _check_trial(slug: str, number: int) -> None:
    """A trial takes the place of no real survey, whatever that is called."""
    if kind_of(slug, number) is None:
        raise RefusedError(
            "trial_taken", "{slug} is a real survey, which was opened before such names were kept for trials. Delete it, or give the draft "
            "another short name.", slug=slug,
        )  # fmt: skip


def _check_asked(questionnaire: Frozen) -> None:
    if questionnaire.budget is not None and questionnaire.epsilon > questionnaire.budget + 1e-9:
        raise RefusedError(
            "over_budget", "{slug} gives away epsilon {got:.3f} per respondent, its budget is {budget}.",
            slug=questionnaire.slug, got=questionnaire.epsilon, budget=questionnaire.budget,
        )  # fmt: skip
    # Also refuses channels in floating point, which protect nobody.
    questionnaire.schema.recipe()
    # Nobody could answer what pages refuse. Versions that are open already are closed and exported whatever they are.
    check_page({**questionnaire.client(), "version": 1, "open": True})


def _check_days(questionnaire: Frozen, contacts_until: datetime.date | None) -> None:
    today = datetime.date.today()
    if questionnaire.closes is not None and questionnaire.closes < today:
        raise _over(str(questionnaire.closes))
    if contacts_until is not None and questionnaire.linkage != "register":
        raise RefusedError(
            "no_contacts", "{slug} keeps no contact details (linkage: {linkage}), so there is no day on which they are erased.",
            slug=questionnaire.slug, linkage=questionnaire.linkage,
        )  # fmt: skip
    if contacts_until is not None and contacts_until < today:
        raise RefusedError(
            "retention_over", "Contact details cannot be erased on {day}: that day is over.", day=str(contacts_until)
        )


def _over(last_day: str) -> RefusedError:
    return RefusedError("closes_in_the_past", "The last day of the survey, {closes}, is over.", closes=last_day)


def _lock_version(connection: sa.Connection, slug: str) -> None:
    """In PostgreSQL, wait for the groups that answer the current version: those lock it first and then the survey, and so must we."""
    query = sa.select(version.c.id).join(survey, survey.c.version_id == version.c.id).where(survey.c.slug == slug)
    connection.execute(query.with_for_update(of=version))


def _last_version(connection: sa.Connection, survey_id: int) -> sa.Row[Any]:
    query = sa.select(version).where(version.c.survey_id == survey_id)
    return connection.execute(query.order_by(version.c.number.desc()).limit(1)).one()


def _add_version(
    connection: sa.Connection, questionnaire: Frozen, contacts_until: datetime.date | None, row: dict[str, Any]
) -> None:
    """Add a version, the table of its answers and their view, and let it be the one that is answered."""
    client = {**questionnaire.client(), "version": row["number"]}
    added = sa.insert(version).values(
        fingerprint=questionnaire.schema.fingerprint,
        schema=questionnaire.schema.to_json(),
        client=json.dumps(client, ensure_ascii=False),
        linkage=questionnaire.linkage,
        invited=int(questionnaire.invited),
        closes=None if questionnaire.closes is None else questionnaire.closes.isoformat(),
        contacts_until=None if contacts_until is None else contacts_until.isoformat(),
        **unused_id(connection, version),
        **row,
    )
    version_id = _new_id(connection.execute(added))
    table = answers(version_id, len(questionnaire.schema), questionnaire.linkage)
    table.create(connection)
    create_view(connection, questionnaire.slug, row["number"], table, questionnaire.schema)
    _set_open(connection, row["survey_id"], version_id=version_id)


def _set_open(connection: sa.Connection, survey_id: int, **more: int) -> None:
    connection.execute(sa.update(survey).where(survey.c.id == survey_id).values(state="open", **more))


def _new_id(made: sa.CursorResult[Any]) -> int:
    key = made.inserted_primary_key
    assert key is not None
    return int(key[0])


def _replace(connection: sa.Connection, keys: KeyFolder, slug: str, old: sa.Row[Any], discard: bool) -> set[str]:
    """See that a version that ends exposes nobody; returns the keys to be destroyed, if answers were thrown away.

    Anyone who could replace a version around each arrival would see everyone's report, one per version. So what waits is mixed in if it
    is a batch; stays sealed until the survey is closed if it is the rest of one with results; and is in the way otherwise.
    """
    waiting = connection.execute(sa.select(inbox).where(inbox.c.version_id == old.id)).all()
    mixed = connection.exec_driver_sql(f"SELECT count(*) FROM answers_{old.id}").scalar_one()
    if not waiting or len(waiting) >= BATCH or (mixed >= BATCH and not has_shown_rest(connection, old.survey_id)):
        return set()
    if not discard:
        raise RefusedError(
            "few_answers",
            "Answers to version {now} of {slug} wait sealed. They are fewer than {batch}, and could be told apart one by one if the "
            "changed questionnaire replaced it now. Wait until there are {batch}, or throw them away: {discard}.",
            slug=slug, now=old.number, batch=BATCH, discard=Setting("discard", True),
        )  # fmt: skip
    if old.linkage == "register":
        columns = len(json.loads(old.schema)["attributes"])
        codes = [unpack(unseal(keys.get(row.key_name), row.sealed), columns, old.linkage)[-1] for row in waiting]
        connection.execute(sa.delete(contact).where(contact.c.survey_id == old.survey_id, contact.c.code.in_(codes)))
    # Their receipts stay: anyone who sends one of them again is told as before, and nothing is stored twice.
    connection.execute(sa.delete(inbox).where(inbox.c.version_id == old.id))
    connection.execute(sa.update(version).where(version.c.id == old.id).values(key_name=keys.create()))
    return {old.key_name, *(row.key_name for row in waiting)}


def made_up_closed(slug: str) -> RefusedError:
    """Why a survey of made-up answers is not opened."""
    return RefusedError("made_up_closed", "{slug} holds made-up answers; nobody can add to them.", slug=slug)


def reopen_survey(database: Database, slug: str, by: Actor | None = None) -> None:
    """Take answers to the current version again. `by` is listed as who opened it."""
    with writing(database.engine) as connection:
        row = find_survey(connection, slug)
        _lock_version(connection, slug)
        here = connection.execute(sa.select(version).where(version.c.id == row.version_id)).one()
        if kind_of(slug, here.number) == MADE_UP:
            raise made_up_closed(slug)
        if here.closes is not None and datetime.date.today().isoformat() > here.closes:
            raise _over(here.closes)
        keep_until(connection, here, None)
        check_page({**json.loads(here.client), "open": True})
        _set_open(connection, row.id)
        write_line(connection, by, "opened", slug)
