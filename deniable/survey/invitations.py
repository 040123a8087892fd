"""Invitations: tokens of 160 bits that open a survey once. The database gets only their hashes; the list stays with you.

Lists are CSV files with LimeSurvey's column names, so that its lists can be read and ours be sent with its tools.
"""

from __future__ import annotations

import csv
import datetime
import io
import re
import secrets
from pathlib import Path
from typing import Any

from deniable.core.files import write_text
from deniable.errors import DataError, FileError
from deniable.survey.store import Store
from deniable.survey.submission import TOKEN, token_hash

COLUMNS = (
    "tid", "firstname", "lastname", "email", "emailstatus", "token", "language", "validfrom", "validuntil", "invited", "reminded",
    "remindercount", "completed", "usesleft",
)  # fmt: skip
_DEFAULTS = {"emailstatus": "OK", "invited": "N", "reminded": "N", "remindercount": "0", "completed": "N", "usesleft": "1"}
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})([ T]\d{2}:\d{2}(:\d{2})?)?")
TOKEN_BYTES = 20
LEAST_TOKEN = 22
"""128 bits take 22 letters and digits of 64 kinds; shorter tokens of other tools could be guessed."""


def new_token() -> str:
    """A token from the operating system's randomness.

    >>> len(new_token())
    27
    """
    return secrets.token_urlsafe(TOKEN_BYTES)


def read_list(path: Path) -> list[dict[str, str]]:
    """The people of a CSV list; columns of LimeSurvey are known, others are carried along. All bad rows at once."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FileError("no_file", "{path} does not exist.", path=str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError("unreadable", "{path} cannot be read: {reason}.", path=str(path), reason=str(error)) from None
    reader = csv.reader(io.StringIO(text))
    header = [name.strip() for name in next(reader, [])]
    if not set(header) & set(COLUMNS):
        raise DataError(
            "no_known_column", "{path} has none of the columns {allowed}.", path=str(path), allowed=", ".join(COLUMNS)
        )
    if len(set(header)) < len(header):
        raise DataError("column_twice", "{path} has a column twice.", path=str(path))
    rows, bad = [], []
    for cells in reader:
        if not cells:
            continue
        if len(cells) != len(header):
            bad.append(f"line {reader.line_num} has {len(cells)} cells, the header {len(header)}")
            continue
        row = dict(zip(header, cells, strict=True))
        bad += [f"line {reader.line_num}: {reason}" for reason in _faults(row)]
        rows.append(row)
    tokens = [row["token"] for row in rows if row.get("token")]
    if len(set(tokens)) < len(tokens):
        bad.append("a token is there twice")
    if bad:
        more = f"; and {len(bad) - 10} more" if len(bad) > 10 else ""
        raise DataError("bad_rows", "{path}: {reasons}{more}.", path=str(path), reasons="; ".join(bad[:10]), more=more)
    if not rows:
        raise DataError("no_rows", "{path} has no rows.", path=str(path))
    return rows


def _faults(row: dict[str, str]) -> list[str]:
    found = []
    token = row.get("token", "")
    if token and (len(token) < LEAST_TOKEN or not TOKEN.fullmatch(token)):
        found.append(f"the token is shorter than {LEAST_TOKEN} letters or digits and could be guessed; leave it empty")
    found += [
        f"{name} is no date (YYYY-MM-DD)" for name in ("validfrom", "validuntil") if row.get(name) and _day(row[name]) is None
    ]
    if row.get("usesleft", "1") not in ("", "1"):
        found.append("usesleft must be 1: every token is used once")
    return found


def _day(text: str) -> str | None:
    found = _DATE.fullmatch(text.strip())
    try:
        return datetime.date.fromisoformat(found.group(1)).isoformat() if found else None
    except ValueError:
        return None


def invite(store: Store, slug: str, people: list[dict[str, str]]) -> list[dict[str, str]]:
    """Give everybody without a token one, store the hashes of all new tokens; the list with tokens."""
    store.overview(slug)  # an unknown survey is refused before tokens are drawn
    made: list[dict[str, str]] = []
    for i, person in enumerate(people):
        row: dict[str, Any] = dict.fromkeys(COLUMNS, "") | _DEFAULTS | {"tid": str(i + 1)}
        row |= {name: value for name, value in person.items() if value}
        row["token"] = row["token"] or new_token()
        made.append(row)
    known = store.invitation_states([token_hash(slug, row["token"]) for row in made])
    new = [row for row in made if token_hash(slug, row["token"]) not in known]
    store.add_invitations(
        slug, [(token_hash(slug, row["token"]), _day(row["validfrom"]), _day(row["validuntil"])) for row in new]
    )
    return made


def with_states(store: Store, slug: str, people: list[dict[str, str]]) -> list[dict[str, str]]:
    """The list with `completed` (Y or N, never a time) and `usesleft` as the database knows them."""
    hashes = {row["token"]: token_hash(slug, row["token"]) for row in people if row.get("token")}
    states = store.invitation_states(list(hashes.values()))
    unknown = [token for token, hashed in hashes.items() if hashed not in states]
    if unknown or len(hashes) < len(people):
        raise DataError(
            "unknown_tokens",
            "{count} rows have no token of {slug}; is this the list that `invite` wrote?",
            count=len(unknown) + len(people) - len(hashes),
            slug=slug,
        )
    used = [states[hashes[row["token"]]] for row in people]
    return [
        row | {"completed": "Y" if done else "N", "usesleft": "0" if done else "1"}
        for row, done in zip(people, used, strict=True)
    ]


def write_list(path: Path, people: list[dict[str, str]], force: bool = False) -> None:
    """Write a list as CSV, with the byte order mark that LimeSurvey and spreadsheets expect."""
    extra = [name for name in people[0] if name not in COLUMNS]
    text = io.StringIO()
    writer = csv.DictWriter(text, [*COLUMNS, *extra], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(people)
    write_text(path, "\ufeff" + text.getvalue(), force, private=True)
