"""`open_data`: the one way in. Data of any kind, by name or at hand, with the schema that it was randomised under."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from deniable.core.channels.base import Channel
from deniable.core.schema import Schema
from deniable.core.tables import CellTable
from deniable.engines.count import as_countable
from deniable.engines.countable import Batches, Countable
from deniable.engines.schemas import agreed_schema, loaded, no_schema
from deniable.engines.sources import open_source
from deniable.progress import Progress


@dataclass(frozen=True)
class Source:
    """Opened data and its checked schema (or one channel for every attribute, or None)."""

    data: Countable
    schema: Schema | Channel | None

    @property
    def name(self) -> str:
        """Where the data came from."""
        return self.data.name

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.data.columns)

    @property
    def declared(self) -> Schema:
        """The schema, where there must be one."""
        if not isinstance(self.schema, Schema):
            raise no_schema(self.data.files, self.name)
        return self.schema

    def cell_table(self, attributes: Sequence[str]) -> CellTable:
        """How often each combination of reported labels of these attributes occurs."""
        return self.data.cell_table(self.declared, list(dict.fromkeys(attributes)))

    def column_table(self, name: str, bins: object = None, progress: Progress | None = None) -> CellTable:
        """How often each reported label of one attribute occurs, or each bin of numbers."""
        return self.data.column_table(self.declared, name, bins, progress)

    def distinct(self, column: str) -> pa.Array:
        """The distinct values of a column, which need not be an attribute."""
        return self.data.distinct(column)

    def batches(self, columns: Sequence[str] | None = None) -> Batches:
        """The rows in pieces, again and again: all columns, or some."""
        return self.data.batches(columns)


def open_data(data: Any, schema: Schema | Channel | str | Path | None = None, engine: str | None = None) -> Source:
    """Open data and find out under which schema it was randomised; schemas that contradict each other are refused.

    `data` is a name (`sources.open_source`: files, globs, database tables), a frame of any kind, a SqlTable or data that is already
    open. `schema` is the schema, the path of its file, or one channel for every attribute. Without it, the schema inside the data's
    files or beside them is taken, if there is one.

    >>> import deniable as dn, tempfile
    >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     truth, reported = Path(folder, "truth.csv"), Path(folder, "reported.csv")
    ...     _ = truth.write_text("a" + "\\n1" * 50)
    ...     _ = schema.randomise(truth, output=reported)
    ...     source = open_data(reported)
    ...     source.schema == schema, source.columns, source.cell_table(["a"]).total
    (True, ['a'], 50)
    """
    if isinstance(data, Source):
        if schema is None or schema == data.schema:
            return data
        data = data.data
    opened = open_source(str(data), engine) if isinstance(data, (str, Path)) else as_countable(data)
    return Source(opened, agreed_schema(opened.files, loaded(schema)))
