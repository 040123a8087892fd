"""The one way from data of any kind to an additive table of reported values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from deniable.core.schema import Schema
from deniable.core.tables import CellTable
from deniable.engines import frames
from deniable.errors import ParameterError
from deniable.files.csv_format import CsvFormat


class Countable(ABC):
    """Data that counts itself where it lives: a table of a database, an opened source."""

    name: str
    files: tuple[Path, ...] = ()  # what it was read from, for the schema that lies beside
    csv: CsvFormat | None = None  # what was said of CSV files when it was opened

    @abstractmethod
    def cell_table(self, schema: Schema, attributes: Sequence[str]) -> CellTable:
        """How often each combination of reported labels of these attributes occurs."""

    def distinct(self, column: str) -> pa.Array:
        """What occurs in a column, which need not be an attribute: each value once, as `cell_table` counts it."""
        raise ParameterError(
            "no_distinct", "{name} does not tell what occurs in a column ({column!r}).", name=self.name, column=column
        )


def distinct(data: Any, column: str) -> pa.Array:
    """What occurs in a column of a frame, a SqlTable or an opened source, each value once.

    >>> import pyarrow as pa
    >>> sorted(distinct(pa.table({"w": [2.0, 0.5, 2.0]}), "w").to_pylist())
    [0.5, 2.0]
    """
    return data.distinct(column) if isinstance(data, Countable) else frames.distinct(data, column)


def cell_table(data: Any, schema: Schema, attributes: Sequence[str]) -> CellTable:
    """How often each combination of reported labels of these attributes occurs in a frame, a SqlTable or an opened source.

    >>> import deniable as dn, pyarrow as pa
    >>> schema = dn.Schema({"a": dn.KRR(dn.Nominal(["x", "y"], missing="no answer"), 0.75)})
    >>> cell_table(pa.table({"a": ["y", None, "y"]}), schema, ["a"]).dense().tolist()
    [0, 2, 1]
    """
    attributes = list(dict.fromkeys(attributes))
    if isinstance(data, Countable):
        return data.cell_table(schema, attributes)
    return frames.cell_table(data, schema, attributes)
