"""Invitations: tokens of 160 bits that open a survey once. The database gets only their hashes; the list stays with you.

Lists are CSV files with LimeSurvey's column names, so that its lists can be read and ours be sent with its tools.
"""

from __future__ import annotations

import csv
import datetime
import io
import re
import secrets
from collections import Counter
from pathlib import Path
from typing import Any

from deniable.errors import DataError, FileError, RefusedError, Setting
from deniable.files.atomic import write_text
from deniable.files.csv_format import encoding_needed, find_format
from deniable.plurals import counted
from deniable.survey.spreadsheets import plain, table
from deniable.survey.store import Store
from deniable.survey.submission import TOKEN, token_hash

COLUMNS = (
    "tid", "firstname", "lastname", "email", "emailstatus", "token", "language", "validfrom", "validuntil", "invited", "reminded",
    "remindercount", "completed", "usesleft",
)  # fmt: skip
EXACT = (*(name for name in COLUMNS if name not in ("firstname", "lastname", "email")), "link")
"""Columns for programs: they are written and read as they are."""
_DEFAULTS = {"emailstatus": "OK", "invited": "N", "reminded": "N", "remindercount": "0", "completed": "N", "usesleft": "1"}
_AGAIN = Setting("again", True)
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})([ T]\d{2}:\d{2}(:\d{2})?)?")
TOKEN_BYTES = 20
LEAST_TOKEN = 22
"""128 bits take 22 letters and digits of 64 kinds; shorter tokens of other tools could be guessed."""


def new_token() -> str:
    """A token from the operating system's randomness.

    >>> len(new_token())
    27
    """
    while True:
        token = secrets.token_urlsafe(TOKEN_BYTES)
        # Spreadsheets take a cell that begins with - for a formula, and mail programs a link that ends so for a shorter one.
        if token[0].isalnum() and token[-1].isalnum():
            return token


def read_list(path: Path) -> list[dict[str, str]]:
    """The people of a CSV list; columns of LimeSurvey are known, others are carried along. All bad rows at once."""
    try:
        kind = find_format(path)
        with path.open(encoding="utf-8-sig" if kind.encoding == "utf-8" else kind.encoding, newline="") as file:
            text = "".join(file.readlines()[kind.skip :])
    except FileNotFoundError:
        raise FileError("no_file", "{path} does not exist.", path=str(path)) from None
    except UnicodeDecodeError:
        raise encoding_needed(path) from None
    except FileError:
        raise
    except OSError as error:
        raise FileError("unreadable", "{path} cannot be read: {reason}.", path=str(path), reason=str(error)) from None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=kind.delimiter)
    try:
        return _rows(path, reader)
    except csv.Error as error:
        raise DataError(
            "bad_csv", "{path}, line {line}: {reason}. Is a quotation mark left open?",
            path=str(path), line=reader.line_num, reason=str(error),
        ) from None  # fmt: skip


def _rows(path: Path, reader: Any) -> list[dict[str, str]]:
    header = [plain(name.strip()) for name in next(reader, [])]
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
            bad.append(f"line {reader.line_num} has {counted(len(cells), 'cell')}, the header {len(header)}")
            continue
        row = {name: cell if name in EXACT else plain(cell) for name, cell in zip(header, cells, strict=True)}
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
    faults = []
    token = row.get("token", "")
    if token and (len(token) < LEAST_TOKEN or not TOKEN.fullmatch(token)):
        faults.append(f"the token is shorter than {LEAST_TOKEN} letters or digits and could be guessed; leave it empty")
    faults += [
        f"{name} is not a date (YYYY-MM-DD)"
        for name in ("validfrom", "validuntil")
        if row.get(name) and _day(row[name]) is None
    ]
    begins, ends = (_day(row.get(name, "")) for name in ("validfrom", "validuntil"))
    if begins and ends and ends < begins:
        faults.append("validuntil is before validfrom")
    if row.get("usesleft", "1") not in ("", "1"):
        faults.append("usesleft must be 1: every token is used once")
    return faults


def _day(text: str) -> str | None:
    match = _DATE.fullmatch(text.strip())
    try:
        return datetime.date.fromisoformat(match.group(1)).isoformat() if match else None
    except ValueError:
        return None


def invite(store: Store, slug: str, people: list[dict[str, str]], again: bool = False) -> list[dict[str, str]]:
    """Give everybody without a token one, store the hashes of all new tokens; the list with tokens.

    Names are not stored, so nobody here knows whom an earlier list invited. A list without any token of the survey, where there are
    invitations already, is refused unless `again`: its people may get a second token each, and answer twice. So are two rows with one
    e-mail address.
    """
    there = store.overview(slug).invitations  # an unknown survey is refused before tokens are drawn
    tokens = [token_hash(slug, row["token"]) for row in people if row.get("token")]
    without = len(people) - len(tokens)
    if not again and there and without and not store.invitation_states(tokens):
        raise RefusedError(
            "invited_before",
            "{slug} has {there} already, and {without} no token in this list: people who were invited before "
            "would get a second one, and could answer twice. Give the list that `invite` wrote, with new people added to it; or, if all "
            "of them are new, say so: {setting}.",
            slug=slug, setting=_AGAIN, there=counted(there, "invitation"), without=counted(without, "row has", "rows have"),
        )  # fmt: skip
    addresses = Counter(address for row in people if (address := row.get("email", "").strip().casefold()))
    twice = [address for address, count in addresses.items() if count > 1]
    if twice and not again:
        raise RefusedError(
            "address_twice", "{count:,} e-mail addresses are there more than once ({first}): would one person answer twice? If they share "
            "an address, say so: {setting}.",
            count=len(twice), setting=_AGAIN, first=", ".join(twice[:3]) + (", ..." if len(twice) > 3 else ""),
        )  # fmt: skip
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


def revoke(store: Store, slug: str, people: list[dict[str, str]]) -> tuple[int, int]:
    """Take the tokens of a list back: how many were, and how many had been used before and stay so."""
    hashes = [token_hash(slug, row["token"]) for row in people if row.get("token")]
    states = store.invitation_states(hashes)
    unknown = len(people) - len(states)
    if unknown:
        raise _unknown_tokens(slug, unknown)
    return store.revoke_invitations(slug, hashes), sum(states.values())


def _unknown_tokens(slug: str, count: int) -> DataError:
    return DataError(
        "unknown_tokens",
        "{count} no token of {slug}; is this the list that `invite` wrote?",
        count=counted(count, "row has", "rows have"),
        slug=slug,
    )


def with_states(store: Store, slug: str, people: list[dict[str, str]]) -> list[dict[str, str]]:
    """The list with `completed` (Y or N, never a time) and `usesleft` as the database knows them."""
    hashes = {row["token"]: token_hash(slug, row["token"]) for row in people if row.get("token")}
    states = store.invitation_states(list(hashes.values()))
    unknown = [token for token, hashed in hashes.items() if hashed not in states]
    if unknown or len(hashes) < len(people):
        raise _unknown_tokens(slug, len(unknown) + len(people) - len(hashes))
    used = [states[hashes[row["token"]]] for row in people]
    return [
        row | {"completed": "Y" if done else "N", "usesleft": "0" if done else "1"}
        for row, done in zip(people, used, strict=True)
    ]


def write_list(path: Path, people: list[dict[str, str]], force: bool = False) -> None:
    """Write a list as CSV, with the byte order mark that LimeSurvey and spreadsheets expect.

    Names and notes that a spreadsheet would run as a formula get an apostrophe, which `read_list` takes away again.
    """
    extra = [name for name in people[0] if name not in COLUMNS]
    text = table([*COLUMNS, *extra], people, EXACT)
    write_text(path, text, force, private=True)
