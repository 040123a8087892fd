"""CSV and Parquet files as data that counts itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from deniable.core.schema import Schema
from deniable.core.tables import CellTable, ColumnCounter
from deniable.engines import frames
from deniable.engines.countable import Batches, Countable
from deniable.errors import DataError
from deniable.files.csv_format import said
from deniable.files.tables import open_table
from deniable.progress import Progress, Silent


class CountableFiles(Countable):
    """Files counted piece by piece with pyarrow, which is always installed: slower than DuckDB, in bounded memory too."""

    def __init__(self, files: Sequence[Path], name: str) -> None:
        self.files, self.name, self.csv = tuple(files), name, said()

    def cell_table(self, schema: Schema, attributes: Sequence[str]) -> CellTable:
        readers = [open_table(path, self.csv) for path in self.files]
        for reader in readers:
            frames.check_attributes(schema, attributes, reader.columns)
        table = frames.coded([], [], schema, attributes)
        for reader in readers:
            for batch, _ in reader.pieces():
                table = table + frames.cell_table(pa.Table.from_batches([batch]), schema, attributes, reader.text)
        return table

    def column_table(self, schema: Schema, name: str, bins: object = None, progress: Progress | None = None) -> CellTable:
        # Rows are read one after another anyway, so cells that do not fit can be named with their places.
        readers = [(path, open_table(path, self.csv)) for path in self.files]
        for path, reader in readers:
            if name not in reader.columns:
                raise DataError(
                    "no_column", "{path} has no column {got!r}, only {allowed}.",
                    path=str(path), got=name, allowed=reader.columns,
                )  # fmt: skip
        counter, progress = ColumnCounter(schema[name], bins, name), progress or Silent()
        progress.start(f"counting ({readers[0][1].units})", sum(reader.total for _, reader in readers))
        for _, reader in readers:
            for batch, done in reader.pieces():
                counter.add(batch.column(name), reader.text)
                progress.advance(done)
        progress.finish()
        return counter.table()

    def distinct(self, column: str) -> pa.Array:
        readers = [open_table(path, self.csv) for path in self.files]
        for reader in readers:
            frames.check_columns([column], reader.columns)
        pieces = [batch.column(column) for reader in readers for batch, _ in reader.pieces()]
        values = pa.chunked_array(pieces).unique() if pieces else pa.array([], pa.null())
        return frames.as_written(values)

    @property
    def columns(self) -> list[str]:
        return list(open_table(self.files[0], self.csv).columns)

    def batches(self, columns: Sequence[str] | None = None) -> Batches:
        first = open_table(self.files[0], self.csv)
        wanted = list(first.columns if columns is None else columns)
        frames.check_columns(wanted, first.columns)

        def read() -> Iterator[pa.RecordBatch]:
            for path in self.files:
                for batch, _ in open_table(path, self.csv).pieces():
                    yield batch if columns is None else batch.select(wanted)

        return Batches(wanted, first.text, read)
