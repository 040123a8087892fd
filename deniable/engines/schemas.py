"""Which schema reports were randomised under: the one that travels with their files or the one given, never two that disagree.

Reports read under a wrong schema give wrong estimates that look like any others, so what contradicts itself is refused.
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


def schema_of(files: Sequence[Path], source: str | Path, given: Schema | str | Path | None = None) -> Schema:
    """The schema given, or the one that travels with the files; there must be one.

    >>> import deniable as dn, tempfile
    >>> schema, other = (dn.Schema({"a": dn.KRR(dn.Binary(), p)}) for p in (0.75, 0.9))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     truth, reported = Path(folder, "truth.csv"), Path(folder, "reported.csv")
    ...     _ = truth.write_text("a" + "\\n1" * 50)
    ...     _ = schema.randomise(truth, output=reported)
    ...     schema_of([reported], reported) == schema
    ...     try:
    ...         schema_of([reported], reported, other)
    ...     except dn.DeniableError as error:
    ...         error.code
    True
    'schemas_differ'
    """
    found = agreed_schema(files, given if given is None or isinstance(given, Schema) else Schema.load(given))
    if not isinstance(found, Schema):
        for path in files:
            Schema.load(path)  # which says where a schema was looked for
        raise DataError("no_schema", "{source} carries no schema: give it.", source=str(source))
    return found


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
        for path, own in carried.items():
            if not _agrees(own, given):
                raise _differ(path, own, "the one given", given)
        return given
    if not carried:
        return None
    first, schema = next(iter(carried.items()))
    for path, own in carried.items():
        if own != schema:
            raise _differ(path, own, f"that of {first}", schema)
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
    """A schema inside a data file or beside it, and whether it says itself that it is that of this file."""

    schema: Schema
    text: SchemaText


def schema_around(path: Path) -> Around | None:
    """The schema that a file was randomised under, or may have been: `Schema.save` does not say which data a schema is of.

    None where there is none, where it is a draft, and where it is that of another file that lies beside it.

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


def _agrees(own: Schema, given: Schema | Channel) -> bool:
    """Whether both randomise alike; which attribute is to be predicted has no part in that."""
    if isinstance(given, Channel):
        return not own.groups and all(channel == given for channel in own.values())
    return Schema(dict(own), None, own.groups) == Schema(dict(given), None, given.groups)


def _differ(path: Path, own: Schema, other: str, schema: Schema | Channel) -> DataError:
    mark = f" ({schema.fingerprint[:12]}...)" if isinstance(schema, Schema) else f", {schema!r} for every attribute"
    return DataError(
        "schemas_differ",
        "{path} was randomised under another schema (fingerprint {own}...) than {other}{mark}. Leave out the schema that is wrong; take "
        "reports of different schemas apart, or as versions of a survey: dn.Sample([(data, schema), ...]).",
        path=str(path),
        own=own.fingerprint[:12],
        other=other,
        mark=mark,
    )
