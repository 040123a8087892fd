"""A schema as JSON text (docs/schema.md): what is read must be of this format and version, and say everything once."""

from __future__ import annotations

import json
from typing import Any

from deniable.core.channels.base import Channel
from deniable.core.question_texts import QuestionTexts
from deniable.errors import ParameterError, SchemaError

VERSION = 1
FORMAT = "deniable-schema"
KEYS = {"format", "version", "target", "attributes", "groups", "fingerprint", "notice", "data", "texts"}


def read_content(given: str | bytes | dict[str, Any], where: str) -> dict[str, Any]:
    """The properties of a schema, with its attributes; `where` is what errors call it.

    >>> read_content('{"format": "deniable-schema", "version": 1, "attributes": {}}', "the schema")["attributes"]
    {}
    """
    content = _parsed(given, where) if isinstance(given, (str, bytes)) else given
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise SchemaError(
            "not_a_schema", '{where} is not a schema: its "format" must be "{format}".', where=where, format=FORMAT
        )
    if content.get("version") != VERSION:
        raise SchemaError(
            "schema_version",
            "{where} has version {got!r}; this release reads version {version}.",
            where=where,
            got=content.get("version"),
            version=VERSION,
        )
    if set(content) - KEYS:
        raise SchemaError(
            "unknown_property",
            "{where} has unknown properties {got}; allowed are {allowed}.",
            where=where,
            got=sorted(set(content) - KEYS),
            allowed=sorted(KEYS),
        )
    if not isinstance(content.get("attributes"), dict):
        raise SchemaError("no_attributes", '{where} needs "attributes": an object from name to channel.', where=where)
    return content


def read_texts(given: Any, attributes: list[str], where: str) -> QuestionTexts | None:
    """What was asked, as the schema says it; None if it says nothing."""
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) != {"languages", "attributes"}:
        raise SchemaError("texts", '{where}: "texts" is an object with "languages" and "attributes".', where=where)
    return QuestionTexts(given["languages"], given["attributes"], where, attributes)


def read_channel(name: str, given: Any, where: str) -> Channel:
    """The channel of an attribute; an error names both."""
    try:
        return Channel.from_json(given)
    except (SchemaError, ParameterError) as error:
        raise SchemaError(
            "bad_attribute", "{where}, attribute {name!r}: {reason}", where=where, name=name, reason=str(error)
        ) from None


def _once(pairs: list[tuple[str, Any]], where: str) -> dict[str, Any]:
    properties = dict(pairs)
    if len(properties) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise SchemaError("property_twice", "{where} has the property {got!r} twice in one object.", where=where, got=twice)
    return properties


def _parsed(text: str | bytes, where: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=lambda pairs: _once(pairs, where))
    except json.JSONDecodeError as error:
        raise SchemaError(
            "not_json",
            "{where} is not JSON: {reason} at line {line}, column {column}.",
            where=where,
            reason=error.msg,
            line=error.lineno,
            column=error.colno,
        ) from None
