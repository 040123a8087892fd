"""Frames of every kind as data that counts itself: in memory, lazy (Polars, DuckDB), in pieces (Dask) or elsewhere (Spark)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from deniable.core.schema import Schema
from deniable.core.tables import CellTable
from deniable.engines import frames
from deniable.engines.countable import ROWS, Batches, Countable
from deniable.errors import FileError
from deniable.files.csv_format import said


class CountableFrame(Countable):
    """A frame with the name of where it came from.

    Parameters
    ----------
    frame
        A frame that narwhals knows: pandas, Polars, PyArrow, DuckDB, Dask or Spark.
    name
        Where it came from, for errors.
    text
        Whether its cells are text, as in CSV files; the schema says what they mean.
    complaints
        The errors that its library raises if the data cannot be read.
    files
        What it was read from.

    Examples
    --------
    >>> import duckdb
    >>> frame = CountableFrame(duckdb.sql("SELECT i % 2 AS a FROM range(200000) t(i)"))
    >>> frame.columns, [table.num_rows for table in frame.batches()]
    (['a'], [131072, 68928])
    """

    def __init__(
        self,
        frame: Any,
        name: str = "",
        text: bool = False,
        complaints: tuple[type[Exception], ...] = (),
        files: Sequence[Path] = (),
    ) -> None:
        self.frame, self.name, self.text, self.files = frame, name or type(frame).__name__, text, tuple(files)
        self.csv = said()
        self._complaints = complaints

    def cell_table(self, schema: Schema, attributes: Sequence[str]) -> CellTable:
        try:
            return frames.cell_table(self.frame, schema, attributes, self.text)
        except self._complaints as error:
            raise unreadable(self.name, error) from None

    def distinct(self, column: str) -> pa.Array:
        try:
            return frames.distinct(self.frame, column)
        except self._complaints as error:
            raise unreadable(self.name, error) from None

    @property
    def columns(self) -> list[str]:
        return list(frames.as_frame(self.frame).collect_schema().names())

    @cached_property
    def kind(self) -> str:
        """Where the rows are, if not in memory: "spark", "duckdb", "polars lazy" or "dask"; "" for frames in memory."""
        module = type(self.frame).__module__
        if module.startswith("pyspark.") and hasattr(self.frame, "mapInArrow"):
            return "spark"
        if module.startswith("polars.") and type(self.frame).__name__ == "LazyFrame":
            return "polars lazy"
        if module.startswith("dask.") and hasattr(self.frame, "partitions"):
            return "dask"
        return "duckdb" if hasattr(self.frame, "to_arrow_reader") or hasattr(self.frame, "fetch_record_batch") else ""

    def batches(self, columns: Sequence[str] | None = None) -> Batches:
        names = self.columns
        if columns is not None:
            frames.check_columns(columns, names)
        wanted = names if columns is None else list(columns)
        return Batches(wanted, self.text, lambda: self._rows(wanted))

    def _rows(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        try:
            yield from _READERS[self.kind](self.frame, columns)
        except self._complaints as error:
            raise unreadable(self.name, error) from None


def unreadable(name: str, error: Exception) -> FileError:
    """What is said of data that its library cannot read."""
    return FileError("unreadable", "{path} cannot be read: {reason}", path=name, reason=str(error).strip().split("\n\n")[0])


def _duckdb_rows(relation: Any, columns: list[str]) -> Iterator[pa.RecordBatch]:
    chosen = relation.project(", ".join('"' + name.replace('"', '""') + '"' for name in columns))
    yield from chosen.to_arrow_reader(ROWS) if hasattr(chosen, "to_arrow_reader") else chosen.fetch_record_batch(ROWS)


def _dask_rows(frame: Any, columns: list[str]) -> Iterator[pa.RecordBatch]:
    chosen = frame[columns]
    for number in range(chosen.npartitions):
        yield from pa.Table.from_pandas(chosen.partitions[number].compute(), preserve_index=False).to_batches()


def _spark_rows(frame: Any, columns: list[str]) -> Iterator[pa.RecordBatch]:
    # Positions instead of names: a dot in a name would be read as a path.
    short = [f"c{i}" for i in range(len(frame.columns))]
    chosen = frame.toDF(*short).select(*(short[frame.columns.index(name)] for name in columns))
    yield from chosen.toArrow().rename_columns(columns).to_batches()


def _polars_rows(frame: Any, columns: list[str]) -> Iterator[pa.RecordBatch]:
    yield from frame.select(columns).collect().to_arrow().to_batches()


def _rows_here(frame: Any, columns: list[str]) -> Iterator[pa.RecordBatch]:
    yield from frames.as_frame(frame).select(*columns).to_arrow().to_batches()


_READERS = {
    "spark": _spark_rows,
    "duckdb": _duckdb_rows,
    "polars lazy": _polars_rows,
    "dask": _dask_rows,
    "": _rows_here,
}
