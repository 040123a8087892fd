"""Which schema reports were randomised under: the one that travels with their files or the one given, never two that disagree.

Reports read under a wrong schema give wrong estimates that look like any others, so contradictions are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from deniable.core.channels.base import Channel
from deniable.core.schema import Schema
from deniable.errors import DataError, FileError
from deniable.files.sidecar import SchemaText, schema_text_around

_CARRIES_NONE = ("no_schema", "schema_draft", "schema_of_other")


def loaded(given: Schema | Channel | str | Path | None) -> Schema | Channel | None:
    """The schema, loaded if the path of its file is given; anything else as it is."""
    return Schema.load(given) if isinstance(given, (str, Path)) else given


def no_schema(files: Sequence[Path], source: str) -> DataError:
    """The error where a schema is needed and there is none; it says where the schema of a file was looked for."""
    for path in files:
        Schema.load(path)
    return DataError("no_schema", "{source} carries no schema: give it.", source=source)


def agreed_schema(files: Sequence[Path], given: Schema | Channel | None) -> Schema | Channel | None:
    """The schema given (or one channel for every attribute), else the one that every file carries, else none."""
    carried: dict[Path, Schema] = {}
    without = []
    for path in files:
        try:
            carried[path] = Schema.load(path)
        except FileError as error:
            if error.code not in (_CARRIES_NONE if given is not None else _CARRIES_NONE[:1]):
                raise
            without.append(path)
    if given is not None:
        for path, its_schema in carried.items():
            if not _agrees(its_schema, given):
                raise _differ(path, its_schema, "the one given", given)
        return given
    if not carried:
        return None
    first, schema = next(iter(carried.items()))
    for path, its_schema in carried.items():
        if its_schema != schema:
            raise _differ(path, its_schema, f"that of {first}", schema)
    if without:
        raise DataError(
            "some_without_schema",
            "{first} was randomised under the schema that it carries, but {path} carries none, so its rows may be true ones. If all were "
            "randomised under one schema, give it; else leave out what was not randomised.",
            first=str(first),
            path=str(without[0]),
        )
    return schema


class Around(NamedTuple):
    """A schema inside a data file or beside it, and whether it says that it belongs to this file."""

    schema: Schema
    text: SchemaText


def schema_around(path: Path) -> Around | None:
    """The schema that a file was randomised under, or may have been: `Schema.save` does not record which data a schema belongs to.

    None if there is none, if it is a draft, or if it belongs to another file beside it.

    >>> import deniable as dn, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = Path(folder, "rows.csv")
    ...     _ = rows.write_text("a\\n1\\n")
    ...     dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)}).save(Path(folder, "rows.schema.json"))
    ...     schema_around(rows).text.is_of_this_file
    False
    """
    text = schema_text_around(path)
    return None if text is None else Around(Schema.from_json(text.text, text.where), text)


def _agrees(carried: Schema, given: Schema | Channel) -> bool:
    """Whether both randomise in the same way; which attribute is to be predicted does not matter."""
    if isinstance(given, Channel):
        return not carried.groups and all(channel == given for channel in carried.values())
    return Schema(dict(carried), None, carried.groups) == Schema(dict(given), None, given.groups)


def _differ(path: Path, carried: Schema, other: str, schema: Schema | Channel) -> DataError:
    mark = f" ({schema.fingerprint[:12]}...)" if isinstance(schema, Schema) else f", {schema!r} for every attribute"
    return DataError(
        "schemas_differ",
        "{path} was randomised under another schema (fingerprint {own}...) than {other}{mark}. Leave out the wrong schema. Use reports "
        "of different schemas one at a time, or as versions of a survey: dn.Sample([(data, schema), ...]).",
        path=str(path),
        own=carried.fingerprint[:12],
        other=other,
        mark=mark,
    )
