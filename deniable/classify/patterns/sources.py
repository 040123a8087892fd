"""Rows to learn from, wherever they are: what mining reads (files, databases, lazy frames) as one table in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.classify.training_rows import as_frame
from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.core.schema import Schema
from deniable.engines.countable import Countable
from deniable.engines.opening import Source, open_data
from deniable.errors import DataError, ParameterError


def rows_in_memory(data: Any, schema: Schema | None) -> Any:
    """The data as it is if it is in memory; else the columns of the schema, read from where they are.

    >>> rows_in_memory([[1, 2]], None)
    [[1, 2]]
    """
    if not _is_elsewhere(data):
        return data
    if schema is None:
        raise ParameterError(
            "source_needs_schema",
            "Rows of a file, a database or a lazy frame are read under a schema: give the classifier one, or give it a data frame.",
        )
    return _read(open_data(data, schema), schema)


def _is_elsewhere(data: Any) -> bool:
    if isinstance(data, (str, Path, Source, Countable)):
        return True
    return not isinstance(data, (np.ndarray, list)) and hasattr(type(data), "columns") and as_frame(data) is None


def _read(source: Source, schema: Schema) -> pa.Table:
    """The columns of the schema, cells read as it means them; the class may be missing, and given beside them."""
    names = [name for name in schema if name in source.columns]
    missing = [name for name in schema if name not in source.columns and name != schema.target]
    if missing:
        raise DataError(
            "no_column", "{path} has no columns {got}, only {found}.", path=source.name, got=missing, found=source.columns
        )
    batches = source.batches(names)
    bad = {name: BadCells(name, schema[name].reported.allowed) for name in names}
    pieces: dict[str, list[Any]] = {name: [] for name in names}
    rows = 0
    for table in batches:
        for name in names:
            reported = schema[name].reported
            cells = table.column(name).combine_chunks()
            pieces[name].append(reported.column(reported.codes(cells, bad[name], rows, batches.text)))
        rows += table.num_rows
    raise_bad_cells(list(bad.values()))
    if not rows:
        raise DataError("no_rows", "{path} has no rows.", path=source.name)
    return pa.table({name: pa.chunked_array(arrays) for name, arrays in pieces.items()})
