"""Questionnaires that are being written: kept as they are, with or without mistakes, until they are opened or deleted.

No day and no time is kept with them: in a database that numbers its transactions it would date what was written beside it.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from deniable.errors import RefusedError
from deniable.survey.store.audit import Actor
from deniable.survey.store.database import Database
from deniable.survey.store.engine import connected, writing
from deniable.survey.store.tables import draft

MOST_DRAFTS = 200
LARGEST_DRAFT = 1024 * 1024
"""Characters of a draft as JSON."""
_KEY = re.compile(r"[0-9a-f]{16}")
Content = dict[str, Any]


@dataclass(frozen=True)
class Draft:
    """A questionnaire that is being written, how often it was saved, and who saved it last."""

    key: str
    content: Content
    revision: int
    changed_by: str


def drafts(database: Database) -> list[Draft]:
    """All drafts."""
    with connected(database.engine) as connection:
        return [_draft(row) for row in connection.execute(sa.select(draft).order_by(draft.c.key))]


def find_draft(database: Database, key: str) -> Draft:
    """A draft by its key."""
    with connected(database.engine) as connection:
        return _draft(_row(connection, key))


def add_draft(database: Database, content: Content, by: Actor) -> Draft:
    """Keep a new draft."""
    key, text = secrets.token_hex(8), _text(content)
    with writing(database.engine) as connection:
        if connection.execute(sa.select(sa.func.count()).select_from(draft)).scalar_one() >= MOST_DRAFTS:
            raise RefusedError("many_drafts", "There are {most} drafts already; delete some first.", most=MOST_DRAFTS)
        connection.execute(sa.insert(draft).values(key=key, content=text, revision=1, changed_by=by.name))
        return _draft(_row(connection, key))


def change_draft(database: Database, key: str, change: Callable[[Content], Content], by: Actor) -> Draft:
    """Change a draft as it is now, in one transaction: what somebody else saved meanwhile is what `change` is given, and whatever it raises
    leaves the draft as it was."""
    with writing(database.engine) as connection:
        before = _draft(_row(connection, key, lock=True))
        text = _text(change(before.content))
        values = {"content": text, "revision": before.revision + 1, "changed_by": by.name}
        connection.execute(sa.update(draft).where(draft.c.key == key).values(**values))
        return _draft(_row(connection, key))


def remove_draft(database: Database, key: str) -> None:
    """Delete a draft."""
    with writing(database.engine) as connection:
        _row(connection, key, lock=True)
        connection.execute(sa.delete(draft).where(draft.c.key == key))


def _row(connection: sa.Connection, key: str, lock: bool = False) -> sa.Row[Any]:
    query = sa.select(draft).where(draft.c.key == key)
    row = connection.execute(query.with_for_update() if lock else query).one_or_none() if _KEY.fullmatch(key) else None
    if row is None:
        raise RefusedError("unknown_draft", "There is no such draft here; it may have been opened or deleted.")
    return row


def _draft(row: sa.Row[Any]) -> Draft:
    return Draft(row.key, json.loads(row.content), row.revision, row.changed_by)


def _text(content: Content) -> str:
    # Half characters cannot be stored, so letters beyond ASCII are written as escapes.
    text = json.dumps(content)
    if len(text) > LARGEST_DRAFT:
        raise RefusedError("draft_too_large", "A draft may have {most:,} characters at most.", most=LARGEST_DRAFT)
    return text
