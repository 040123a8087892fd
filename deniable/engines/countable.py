"""What every kind of data can do once it is opened: name its columns, count itself where it lives, and give its rows in pieces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from deniable.core.domains.columns import to_arrow
from deniable.core.schema import Schema
from deniable.core.tables import CellTable, ColumnCounter, axis_of
from deniable.engines.frames import as_written
from deniable.errors import ParameterError
from deniable.files.csv_format import CsvFormat
from deniable.progress import Progress

ROWS = 1 << 17
WORD = 64


class Batches:
    """Columns of opened data and a way to read its rows again and again; `text`: all cells are text, as in a CSV file."""

    def __init__(self, columns: Sequence[str], text: bool, read: Callable[[], Iterator[pa.RecordBatch]]) -> None:
        self.columns, self.text, self._read = list(columns), text, read

    def __iter__(self) -> Iterator[pa.Table]:
        """Tables of about `ROWS` rows; all but the last have a multiple of 64, so that packed bits can be put side by side."""
        held: list[pa.RecordBatch] = []
        rows = 0
        for batch in self._read():
            held.append(batch)
            rows += batch.num_rows
            if rows >= ROWS:
                table = pa.Table.from_batches(held)
                whole = rows - rows % WORD
                yield table.slice(0, whole)
                held, rows = table.slice(whole).to_batches(), rows - whole
        if rows:
            yield pa.Table.from_batches(held)


class Countable(ABC):
    """Data that counts itself where it lives: files, a table of a database, a frame of any kind."""

    name: str
    files: tuple[Path, ...] = ()  # what it was read from; its schema may lie beside them
    csv: CsvFormat | None = None  # what the caller said about CSV files when it was opened

    @abstractmethod
    def cell_table(self, schema: Schema, attributes: Sequence[str]) -> CellTable:
        """How often each combination of reported labels of these attributes occurs."""

    @property
    def columns(self) -> Collection[str]:
        """The names of its columns."""
        raise ParameterError("no_columns", "{name} does not say which columns it has.", name=self.name)

    def distinct(self, column: str) -> pa.Array:
        """The distinct values of a column, which need not be an attribute, as `cell_table` counts them."""
        raise ParameterError(
            "no_distinct", "{name} does not say which values a column ({column!r}) has.", name=self.name, column=column
        )

    def batches(self, columns: Sequence[str] | None = None) -> Batches:
        """Its rows in pieces: all columns, or some."""
        raise ParameterError("no_rows_told", "{name} does not give out its rows.", name=self.name)

    def column_table(self, schema: Schema, name: str, bins: object = None, progress: Progress | None = None) -> CellTable:
        """How often each reported label of one attribute occurs, or each bin; `progress` hears of rows that are read here."""
        channel = schema[name]
        if not channel.exact:
            # Hardly any two numbers without a grid are equal, so they are not grouped: they come here, one column of them.
            counter, pieces = ColumnCounter(channel, bins, name), self.batches([name])
            for table in pieces:
                counter.add(as_written(to_arrow(table.column(name), name)), pieces.text)
            return counter.table()
        table = self.cell_table(schema, [name])
        if bins is None:
            return table
        view = channel.binned(bins)
        return CellTable([axis_of(name, view)], view.reported.of_code[table.cells[:, 0]], table.n)
