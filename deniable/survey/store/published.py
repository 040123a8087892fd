"""What an organiser chose for the report, and the pages of results that were released to everyone.

Pages are kept as they are sent. Of every release, also of one that was taken back, it stays known of how many answers it was and into which
classes people were divided: what is released later must not be subtracted from it (results/releasing.py).
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from deniable.errors import RefusedError
from deniable.survey.apart import kind_of
from deniable.survey.store.audit import Actor, lock_accounts, write_line
from deniable.survey.store.database import Database
from deniable.survey.store.engine import connected, writing
from deniable.survey.store.surveys import SLUG, find_survey
from deniable.survey.store.tables import once_released as once
from deniable.survey.store.tables import released_page, survey, version
from deniable.survey.store.tables import report_draft as draft

FIRST, STYLE = "results", "style"
"""The names of the page in the survey's first language, and of the style sheet; the other pages are named by their languages."""


@dataclass(frozen=True)
class Moment:
    """What figures were made of: a version's answers that were out, after so many closings, and the classes people were divided into."""

    version_id: int
    closings: int
    total: int
    division: str


def report_draft(database: Database, slug: str) -> str | None:
    """What was chosen for the report of a survey, as JSON; None if nothing was."""
    with connected(database.engine) as connection:
        row = find_survey(connection, slug)
        return _draft(connection, row.id)


def _draft(connection: sa.Connection, survey_id: int) -> str | None:
    found: str | None = connection.execute(sa.select(draft.c.content).where(draft.c.survey_id == survey_id)).scalar()
    return found


def draft_mark(content: str | None) -> str:
    """By what a draft is recognised, so that nobody overwrites what somebody else has changed meanwhile.

    >>> draft_mark(None), draft_mark("{}")
    ('', '44136fa355b3678a')
    """
    return "" if content is None else hashlib.sha256(content.encode()).hexdigest()[:16]


def keep_report_draft(database: Database, slug: str, content: str, mark: str) -> None:
    """Keep what was chosen, unless the draft is no longer the one with this mark."""
    with writing(database.engine) as connection:
        row = _alone(connection, slug)
        found = _draft(connection, row.id)
        if draft_mark(found) != mark:
            raise RefusedError("draft_changed", "The report was changed meanwhile. Look at it again.")
        if found is None:
            connection.execute(sa.insert(draft).values(survey_id=row.id, content=content))
        else:
            connection.execute(sa.update(draft).where(draft.c.survey_id == row.id).values(content=content))


def once_released(database: Database, version_id: int) -> set[tuple[int, str]]:
    """Of how many answers of a version figures were ever released, and into which classes people were divided then."""
    with connected(database.engine) as connection:
        return _once(connection, version_id)


def _once(connection: sa.Connection, version_id: int) -> set[tuple[int, str]]:
    rows = connection.execute(sa.select(once.c.total, once.c.division).where(once.c.version_id == version_id)).all()
    return {(row.total, row.division) for row in rows}


def release_results(
    database: Database, slug: str, pages: Mapping[str, str], of: Moment, known: set[tuple[int, str]], by: Actor | None
) -> None:
    """Let everyone see pages, in place of those that they may see now.

    Parameters
    ----------
    database : Database
        Where the survey is.
    slug : str
        Its short name.
    pages : mapping
        The pages by their names.
    of : Moment
        What their figures were made of; refused if that is no longer what is there.
    known : set
        What was ever released when the pages were made; refused if more was released since.
    by : Actor or None
        Who releases them.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Database(f"{folder}/town.db") as database:
    ...     release_results(database, "town", {"en": "<p>"}, Moment(1, 1, 80, "everyone"), set(), None)
    Traceback (most recent call last):
    deniable.errors.RefusedError: There is no survey 'town' here.
    """
    with writing(database.engine) as connection:
        row = _alone(connection, slug)
        if row.state != "closed":
            raise RefusedError("release_after_closing", "Results of {slug} can be released when it is closed.", slug=slug)
        number = connection.execute(sa.select(version.c.number).where(version.c.id == of.version_id)).scalar_one()
        if kind_of(slug, number) is not None:
            raise trial_not_released(slug)
        counted = connection.exec_driver_sql(f"SELECT count(*) FROM answers_{of.version_id}").scalar_one()
        query = sa.select(sa.func.coalesce(sa.func.sum(version.c.closings), 0)).where(version.c.survey_id == row.id)
        here = (connection.execute(query).scalar_one(), counted, _once(connection, of.version_id))
        if here != (of.closings, of.total, known):
            raise RefusedError("release_moved", "The survey or its results were changed meanwhile. Look at the page again.")
        if (of.total, of.division) not in known:
            connection.execute(sa.insert(once).values(version_id=of.version_id, total=of.total, division=of.division))
        connection.execute(sa.delete(released_page).where(released_page.c.survey_id == row.id))
        day = datetime.date.today().isoformat()
        for name, content in pages.items():
            connection.execute(sa.insert(released_page).values(survey_id=row.id, name=name, day=day, content=content))
        write_line(connection, by, "released_results", slug)


def trial_not_released(slug: str) -> RefusedError:
    """Trials and made-up answers are nobody's results."""
    return RefusedError(
        "trial_not_released", "{slug} is a trial: what was found in it is never released to everyone. You can look at the page.", slug=slug
    )  # fmt: skip


def take_back_results(database: Database, slug: str, by: Actor | None) -> None:
    """Let nobody see them any more. That there was a release, and of what, stays known."""
    with writing(database.engine) as connection:
        row = _alone(connection, slug)
        if connection.execute(sa.delete(released_page).where(released_page.c.survey_id == row.id)).rowcount:
            write_line(connection, by, "took_back_results", slug)


def released_on(database: Database, slug: str) -> str | None:
    """The day on which the pages that everyone may see were released; None if there are none."""
    with connected(database.engine) as connection:
        row = find_survey(connection, slug)
        query = sa.select(sa.func.max(released_page.c.day)).where(released_page.c.survey_id == row.id)
        found: str | None = connection.execute(query).scalar()
    return found


def released_surveys(database: Database) -> set[str]:
    """The short names of all surveys whose results everyone may see."""
    pages = released_page.join(survey, survey.c.id == released_page.c.survey_id)
    with connected(database.engine) as connection:
        return set(connection.execute(sa.select(survey.c.slug).distinct().select_from(pages)).scalars())


def released_part(database: Database, slug: str, name: str) -> str | None:
    """A page that everyone may see, by its name; None where there is none, whether or not there is such a survey."""
    if not (SLUG.fullmatch(slug) and SLUG.fullmatch(name)):  # PostgreSQL refuses some texts as such
        return None
    pages = released_page.join(survey, survey.c.id == released_page.c.survey_id)
    query = sa.select(released_page.c.content).select_from(pages).where(survey.c.slug == slug, released_page.c.name == name)
    with connected(database.engine) as connection:
        found: str | None = connection.execute(query).scalar()
    return found


def _alone(connection: sa.Connection, slug: str) -> sa.Row[Any]:
    """The survey, while nobody else keeps a draft, releases or takes back. The lock is that of the audit trail, not the survey's row: those
    who answer lock rows in an order of their own."""
    lock_accounts(connection)
    return find_survey(connection, slug)
