"""What a `Sample` was given: data and the schema it was randomised under, once or several times; what is wrong with it is said at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from deniable.core.schema import Schema
from deniable.engines.countable import Countable
from deniable.engines.frames import as_frame
from deniable.engines.opening import Source, open_data
from deniable.errors import DataError, ParameterError

Part = tuple[Any, Schema]


def given_parts(data: Any, schema: Any) -> list[Part]:
    """The (data, schema) pairs: one pair, a list of pairs, or a list of frames under one schema.

    >>> import deniable as dn, pandas as pd
    >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)})
    >>> frame = pd.DataFrame({"a": [0, 1]})
    >>> len(given_parts(frame, schema)), len(given_parts([frame, frame], schema)), len(given_parts([(frame, schema)], None))
    (1, 2, 1)
    """
    if isinstance(data, Schema):
        raise ParameterError("sample_order", "The data comes first, then its schema: Sample(data, schema).")
    if isinstance(data, Iterator):
        raise ParameterError(
            "sample_iterator",
            "Sample takes frames, not an iterator over them ({got}): give a list of (data, schema) pairs, or add one after the other with "
            "sample.update(frame).",
            got=type(data).__name__,
        )
    several = isinstance(data, Sequence) and not isinstance(data, str)
    given = [pair if schema is None else (pair, schema) for pair in data] if several else [(data, schema)]
    if not given:
        raise ParameterError("sample_parts", "Sample needs at least one (data, schema) pair.")
    return [_part(pair) for pair in given]


def _part(given: Any) -> Part:
    """Data and its schema, which that of its files must not contradict; opened data (`engines.opening`) may know it."""
    if not (isinstance(given, tuple) and len(given) == 2):
        raise ParameterError(
            "sample_parts", "Each part of a sample is a pair, (data, schema), got {got}.", got=type(given).__name__
        )
    data, schema = given
    if isinstance(schema, (str, Path)):
        schema = Schema.load(schema)
    if schema is not None and not isinstance(schema, Schema):
        raise ParameterError(
            "not_a_schema", "The schema must be a dn.Schema or the path of its file, got {got}.", got=_kind(schema)
        )
    if isinstance(data, (str, Path, Source, Countable)):
        source = open_data(data, schema)
        return source.data, source.declared
    _check_frame(data)
    if schema is None:
        raise DataError(
            "no_schema",
            "A frame does not know how it was randomised: give the schema, Sample(data, schema). Files know: dn.read(path).",
        )
    return data, schema


def _check_frame(data: Any) -> None:
    """Refuse at once what cannot be counted later."""
    if hasattr(data, "cursor"):
        raise DataError(
            "connection",
            "A connection ({got}) has many tables: name one, as in dn.read('sqlite:///answers.db#table', schema) or "
            "dn.read('duckdb:///answers.db#table', schema).",
            got=type(data).__module__,
        )
    as_frame(data)


def _kind(given: Any) -> str:
    return f"{type(given).__name__}; write dn.Schema({{...}})" if isinstance(given, Mapping) else type(given).__name__
