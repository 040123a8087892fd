"""Rows one by one, for what cannot be counted: lists of candidates and the published methods that choose rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa

from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.core.schema import Schema
from deniable.engines.countable import Countable
from deniable.errors import DataError, ParameterError
from deniable.files.csv_format import CsvFormat
from deniable.files.tables import open_table


def columns_of(data: Any, schema: Schema, names: Sequence[str]) -> dict[str, Any]:
    """Columns of an eager frame, or of the files of an opened source, as numpy; a lazy frame or a database cannot name its rows."""
    if isinstance(data, Countable):
        if not data.files:
            raise ParameterError("lazy_rows", "Rows of {name} cannot be named; export them to a file first.", name=data.name)
        tables = [load_columns(path, schema, names, data.csv) for path in data.files]
        data = pa.concat_tables(tables)
    frame = nw.from_native(data, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise ParameterError("lazy_rows", "Rows can be named only in an eager data frame; collect it first.")
    return {name: frame[name].to_numpy() for name in names}


def kept_cells(data: Any, name: str) -> list[Any]:
    """A column that is no attribute of the schema, such as receipt codes, cell by cell as it stands there."""
    if isinstance(data, Countable):
        cells: list[Any] = []
        for path in data.files:
            reader = open_table(path, data.csv)
            if name not in reader.columns:
                raise _not_kept(str(path), name, reader.columns)
            for batch, _ in reader.pieces():
                cells += batch.column(name).to_pylist()
        return cells
    frame = nw.from_native(data, eager_only=True)
    if name not in frame.columns:
        raise _not_kept("The data", name, frame.columns)
    listed: list[Any] = frame[name].to_list()
    return listed


def _not_kept(where: str, name: str, found: Sequence[str]) -> DataError:
    """A column that should tell whose rows are, and is not there: where it would have come from."""
    return DataError(
        "no_column",
        "{path} has no columns {got}, only {found}. What tells whose a row is must be kept when rows are randomised; the export of a "
        "survey has receipt codes, as `code`, if it was asked with linkage: code or linkage: register, and nothing with linkage: none.",
        path=where,
        got=[name],
        found=list(found),
    )


def _no_column(where: str, got: list[str], found: Sequence[str]) -> DataError:
    return DataError("no_column", "{path} has no columns {got}, only {found}.", path=where, got=got, found=list(found))


def load_columns(path: Path, schema: Schema, names: Sequence[str], said: CsvFormat | None = None) -> pa.Table:
    """Some columns of a file in memory, cells read as the schema means them; for what needs single rows."""
    reader = open_table(path, said)
    missing = [name for name in names if name not in reader.columns]
    if missing:
        raise _no_column(str(path), missing, reader.columns)
    bad = {name: BadCells(name, schema[name].reported.allowed) for name in names}
    pieces: dict[str, list[pa.Array]] = {name: [] for name in names}
    rows = 0
    for batch, _ in reader.pieces():
        for name in names:
            reported = schema[name].reported
            pieces[name].append(reported.column(reported.codes(batch.column(name), bad[name], rows, reader.text)))
        rows += batch.num_rows
    raise_bad_cells(list(bad.values()))
    if not rows:
        raise DataError("no_rows", "{path} has no rows.", path=str(path))
    return pa.table({name: pa.chunked_array(arrays) for name, arrays in pieces.items()})
