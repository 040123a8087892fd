"""The text of the schema that travels with a data file: inside Parquet, and as NAME.schema.json beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from deniable.errors import DataError, FileError
from deniable.files.atomic import file_exists, replacing, write_text
from deniable.files.tables import is_parquet, must_exist, opened_parquet, suffix_of, writing_pieces

PARQUET_KEY = b"deniable.schema"
PUBLICATION_KEY = b"deniable.publication"
NOTICE = (
    "Randomised answers in this data may be false. If the same people are randomised a second time, anyone who has both copies learns "
    "more: their epsilons add up. Publish one copy only."
)


def sidecar(path: Path) -> Path:
    """Where the schema of a data file lies: NAME.schema.json beside it.

    >>> sidecar(Path("town.csv.gz")).name
    'town.schema.json'
    """
    return path.with_name(path.name[: -len(suffix_of(path))] + ".schema.json")


def read_schema_text(path: Path) -> str:
    """The JSON text of a schema file, or of the schema that belongs to a data file: inside Parquet, else beside it."""
    must_exist(path)
    if path.name.lower().endswith((".csv", ".csv.gz", ".parquet")):
        return _schema_text_of_data(path)
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FileError("not_text", "{path} is not a text file in UTF-8.", path=str(path)) from None
    except OSError as error:
        raise FileError("cannot_read", "{path} cannot be read: {reason}.", path=str(path), reason=error.strerror) from None


def _schema_text_of_data(path: Path) -> str:
    inside = _inside(path)
    if inside is not None:
        return inside
    if not sidecar(path).exists():
        if is_published(path):
            raise FileError(
                "published_set",
                "{path} is a published set: its sensitive answers were drawn inside groups, not by a schema, so there is no noise to take "
                "out. Count it as it is, with any tool; docs/publishing.md, 'What recipients can do', says what that tells you.",
                path=str(path),
            )
        raise FileError(
            "no_schema",
            "{path} has no schema: {beside} does not exist. Name the schema.",
            path=str(path),
            beside=sidecar(path).name,
        )
    text = read_schema_text(sidecar(path))
    _must_belong(text, path)
    return text


def _inside(path: Path) -> str | None:
    """The text of the schema inside a Parquet file, if there is one."""
    text = (opened_parquet(path).schema_arrow.metadata or {}).get(PARQUET_KEY) if is_parquet(path) else None
    return None if text is None else str(text.decode())


def is_published(path: Path) -> bool:
    """Whether `deniable publish` wrote this file: it says so inside Parquet, or in NAME.publication.json beside it."""
    if is_parquet(path) and PUBLICATION_KEY in (opened_parquet(path).schema_arrow.metadata or {}):
        return True
    beside = path.with_name(path.name[: -len(suffix_of(path))] + ".publication.json")
    try:
        return beside.exists() and _content(beside.read_text(encoding="utf-8")).get("data") == path.name
    except (OSError, UnicodeDecodeError):
        return False


def _must_belong(text: str, path: Path) -> None:
    """Refuse a sidecar that was not written with the data beside it."""
    content = _content(text)
    if "fingerprint" not in content:
        raise FileError(
            "schema_draft",
            "{beside} is a draft without a fingerprint, so {path} was not randomised under it. Was it randomised at all? "
            "If so, name its schema.",
            beside=sidecar(path).name,
            path=str(path),
        )
    if content.get("data", path.name) != path.name:
        raise FileError(
            "schema_of_other",
            "{beside} belongs to {other}, not to {path}. Name the schema.",
            beside=sidecar(path).name,
            other=content["data"],
            path=str(path),
        )


def _content(text: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return content if isinstance(content, dict) else {}


def is_randomised(path: Path) -> bool:
    """Whether the schema inside a file, or the one beside it that names it, says that its rows are randomised."""
    inside = _inside(path)
    beside = _content(read_schema_text(sidecar(path))) if sidecar(path).exists() else {}
    return inside is not None or ("fingerprint" in beside and beside.get("data") == path.name)


class SchemaText(NamedTuple):
    """A schema in or beside a data file, where it was found, and the data file that it names (None if it names none)."""

    text: str
    where: str
    data: str | None
    is_of_this_file: bool


def schema_text_around(path: Path) -> SchemaText | None:
    """The schema inside a file or beside it, unless it is a draft or belongs to another file that lies there too."""
    inside = _inside(path)
    if inside is not None:
        return SchemaText(inside, str(path), path.name, True)
    beside = sidecar(path)
    text = read_schema_text(beside) if beside.exists() else ""
    content = _content(text)
    data = content.get("data")
    if "fingerprint" not in content or (data != path.name and isinstance(data, str) and path.with_name(data).exists()):
        return None
    return SchemaText(text, str(beside), data, data == path.name)


def refuse_randomised(path: Path, verb: str = "randomise") -> None:
    """Refuse to randomise or publish what is already randomised: drawn twice, its estimates would be wrong."""
    if is_randomised(path):
        raise FileError(
            "randomised_already", "{path} is randomised already; {verb} the true data instead.", path=str(path), verb=verb
        )


def write_reports(
    schema_json: str,
    pieces: Iterator[pa.RecordBatch],
    target: Path,
    force: bool = False,
    private: bool = False,
    spreadsheet: bool = False,
) -> int:
    """Write rows that are already randomised, with the text of their schema beside them, and inside a Parquet file.

    Parameters
    ----------
    schema_json
        The text of the schema.
    pieces
        The rows.
    target
        Where they go; the end of the name says in which format.
    force
        Whether existing files are overwritten.
    private
        Whether only the owner may read the files.
    spreadsheet
        Whether CSV is written with semicolons and a byte order mark.

    Returns
    -------
    int
        The number of rows.
    """
    beside = sidecar(target)
    if beside.exists() and not force:
        raise file_exists(beside, target)
    rows = 0
    with replacing(target, force, private) as temporary:
        with writing_pieces(temporary, target, {PARQUET_KEY: schema_json.encode()}, spreadsheet) as write:
            for piece in pieces:
                write(piece)
                rows += piece.num_rows
        if rows == 0:
            raise DataError("no_rows", "There are no rows to write to {path}.", path=str(target))
        write_text(beside, schema_json, force, private)
    return rows
