"""What organisers did: who, on which day, what; never anything about respondents. The program adds lines and changes none.

Lines have a day and no time of day. An hour beside "opened" and "closed" would date the answers that came between them, more finely than
anything else in the database does. The same done again by the same person on the same day is counted in its line.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import sqlalchemy as sa

from deniable.errors import ParameterError
from deniable.survey.store.database import Database
from deniable.survey.store.engine import connected, writing
from deniable.survey.store.tables import account, audit, deleted, released_page

MOST_LINES = 10_000
"""So many lines are kept: the newest."""
ACTIONS = (
    "opened", "closed", "deleted", "exported", "invited", "looked_up", "revoked", "register", "backed_up", "restored",
    "released_results", "took_back_results",
    "added_owner", "added_analyst", "made_owner", "made_analyst", "removed", "new_link", "chose_password", "changed_password",
    "logged_in", "failed_login",
)  # fmt: skip
ABOUT_SURVEYS = (
    "opened", "closed", "exported", "invited", "looked_up", "revoked", "register", "released_results", "took_back_results",
)  # fmt: skip
"""What is done to surveys that are still there: the lines name one by its short name."""
_LOCK = 0x61756469


@dataclass(frozen=True)
class Actor:
    """Who does something: an account by its name, or what is no account. The mark of an account shows that it is still what it was."""

    kind: str  # "account", "command line" or "unknown"
    name: str = ""
    mark: str = ""


COMMAND_LINE = Actor("command line")
UNKNOWN = Actor("unknown")


@dataclass(frozen=True)
class Line:
    """One line of the audit trail."""

    id: int
    day: str
    actor: Actor
    action: str
    about: str  # the short name of a survey, the name of an account, or nothing
    repeats: int


def lock_accounts(connection: sa.Connection) -> None:
    """One after the other: whatever changes accounts or adds a line. SQLite has one writer anyway."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")


def write_line(connection: sa.Connection, by: Actor | None, action: str, about: str = "") -> None:
    """Add a line in the transaction of what it tells of; nothing where nobody is named."""
    if action not in ACTIONS:
        raise ParameterError(
            "action", "{got!r} is not among what is listed: {allowed}.", got=action, allowed=", ".join(ACTIONS)
        )
    if by is None:
        return
    lock_accounts(connection)
    what = {"day": _today(), "kind": by.kind, "name": by.name, "action": action, "about": about}
    same = sa.and_(*(audit.c[name] == value for name, value in what.items()))
    if not connection.execute(sa.update(audit).where(same).values(repeats=audit.c.repeats + 1)).rowcount:
        connection.execute(sa.insert(audit).values(repeats=1, **what))
        oldest = sa.select(audit.c.id).order_by(audit.c.id.desc()).offset(MOST_LINES).limit(1)
        beyond = connection.execute(oldest).scalar()
        if beyond is not None:
            connection.execute(sa.delete(audit).where(audit.c.id <= beyond))
    forget_when(connection)


def forget_when(connection: sa.Connection) -> None:
    """PostgreSQL numbers transactions, and keeps with every row by which one it was written. A line with a day would date whatever
    was written right before and after it, contact details for example. So all lines are written again, and have one number. So is "
    "what stays
    known of deleted surveys, whose line has a day, and so are released pages, which have a day, too; as a new text, for a long one "
    "that stays the same keeps its old rows."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.update(audit).values(repeats=audit.c.repeats))
        connection.execute(sa.update(account).values(role=account.c.role))
        connection.execute(sa.update(deleted).values(number=deleted.c.number))
        connection.execute(sa.update(released_page).values(content=released_page.c.content + ""))


def _today() -> str:
    return datetime.date.today().isoformat()


def record(database: Database, by: Actor | None, action: str, about: str = "") -> None:
    """Add a line about something that changes nothing in the database."""
    with writing(database.engine) as connection:
        write_line(connection, by, action, about)


def audit_lines(database: Database, before: int | None = None, most: int = 200) -> list[Line]:
    """The newest lines first; `before` goes on after the line with that number."""
    query = sa.select(audit).order_by(audit.c.id.desc()).limit(most)
    if before is not None:
        query = query.where(audit.c.id < before)
    with connected(database.engine) as connection:
        rows = connection.execute(query).all()
    return [Line(row.id, row.day, Actor(row.kind, row.name), row.action, row.about, row.repeats) for row in rows]
