"""Rows of data that is not in memory, piece by piece and as often as wanted; or sums over its parts where it lives (Spark).

Mining needs more than one table of counts, but still only numbers that add up over parts of the rows.
"""

from __future__ import annotations

import contextlib
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.core.domains.exact import Floats
from deniable.engines.count import Countable
from deniable.engines.extras import optional
from deniable.engines.frames import as_frame
from deniable.engines.sources import FileSource, FrameSource
from deniable.errors import DataError, DeniableError
from deniable.files.tables import open_table

ROWS = 1 << 17
WORD = 64


class Batches:
    """Columns of a source and a way to read its rows again and again; `text`: all cells are text, as in a CSV file."""

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


def is_source(data: Any) -> bool:
    """Whether data is an opened source or a lazy frame, rather than rows in memory.

    >>> import pandas as pd
    >>> is_source(pd.DataFrame({"a": [1]}))
    False
    """
    return isinstance(data, Countable) or hasattr(data, "to_arrow_reader") or _kind(data) in ("spark", "polars lazy", "dask")


def is_spark(data: Any) -> bool:
    """Whether the rows live in Spark."""
    return _kind(data.frame if isinstance(data, FrameSource) else data) == "spark"


def _kind(data: Any) -> str:
    module = type(data).__module__
    if module.startswith("pyspark.") and hasattr(data, "mapInArrow"):
        return "spark"
    if module.startswith("polars.") and type(data).__name__ == "LazyFrame":
        return "polars lazy"
    return "dask" if module.startswith("dask.") and hasattr(data, "partitions") else ""


def batches(data: Any) -> Batches:
    """The rows of an opened source or lazy frame.

    >>> import duckdb
    >>> found = batches(duckdb.sql("SELECT i % 2 AS a FROM range(200000) t(i)"))
    >>> found.columns, [table.num_rows for table in found], sum(table.num_rows for table in found)
    (['a'], [131072, 68928], 200000)
    """
    if isinstance(data, FileSource):
        readers = [open_table(path, data.csv) for path in data.files]

        def read_files() -> Iterator[pa.RecordBatch]:
            for path in data.files:
                for batch, _ in open_table(path, data.csv).pieces():
                    yield batch

        return Batches(readers[0].columns, readers[0].text, read_files)
    text = isinstance(data, FrameSource) and data.text
    frame = data.frame if isinstance(data, FrameSource) else data
    if isinstance(frame, Countable):
        return Batches(list(frame.columns), text, lambda: frame.row_batches(ROWS))  # type: ignore[attr-defined]
    if hasattr(frame, "to_arrow_reader") or hasattr(frame, "fetch_record_batch"):
        return Batches(frame.columns, text, lambda: _duckdb_rows(frame))
    kind = _kind(frame)
    if kind == "polars lazy":
        return Batches(frame.collect_schema().names(), text, lambda: iter(frame.collect().to_arrow().to_batches()))
    if kind == "dask":
        return Batches(list(frame.columns), text, lambda: _dask_rows(frame))
    as_frame(data)
    return Batches(frame.columns, text, lambda: iter(pa.Table.from_batches([frame.toArrow()])))


def _duckdb_rows(relation: Any) -> Iterator[pa.RecordBatch]:
    reader = relation.to_arrow_reader(ROWS) if hasattr(relation, "to_arrow_reader") else relation.fetch_record_batch(ROWS)
    yield from reader


def _dask_rows(frame: Any) -> Iterator[pa.RecordBatch]:
    for number in range(frame.npartitions):
        yield from pa.Table.from_pandas(frame.partitions[number].compute(), preserve_index=False).to_batches()


def spark_columns(data: Any) -> tuple[Any, list[str], bool]:
    """(frame, its columns, whether all cells are text) of rows that live in Spark."""
    frame = data.frame if isinstance(data, FrameSource) else data
    return frame, list(frame.columns), isinstance(data, FrameSource) and data.text


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """What a worker of Spark complained of, without the traces around it."""
    errors = optional("pyspark.errors", "spark")
    try:
        yield
    except errors.PySparkException as error:
        missing = re.search(r"ModuleNotFoundError: No module named '([\w.]+)'", str(error))
        if missing is not None:
            raise DeniableError(
                "spark_workers",
                "Spark's workers run with a Python that has no module {module!r}. Start Spark with PYSPARK_PYTHON set to one that has "
                "Deniable installed, for example {python}.",
                module=missing.group(1),
                python=sys.executable,
            ) from None
        reason = re.search(r"deniable\.errors\.\w+: (.*?)(?:\n\n|\n *at |\nDriver|$)", str(error), re.DOTALL)
        if reason is None:
            raise
        raise DataError("in_spark", "{reason}", reason=reason.group(1).strip()) from None


def spark_sums(frame: Any, compute: Callable[[Iterator[pa.Table]], Floats]) -> Floats:
    """The sum over Spark's partitions of an array of numbers that `compute` makes of the rows of each; rows do not travel."""

    def partition(parts: Any) -> Iterator[pa.RecordBatch]:
        numbers = compute(pa.Table.from_batches([part]) for part in parts)
        yield pa.RecordBatch.from_arrays([pa.array([numbers.astype("<f8").tobytes()], pa.binary())], names=["sums"])

    with warnings.catch_warnings(), _explained():
        # Spark warns of new versions of pandas, which has no part in this.
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
        rows = frame.mapInArrow(partition, "sums binary").collect()
    found = [np.frombuffer(row["sums"], "<f8") for row in rows]
    total: Floats = np.sum(found, axis=0) if found else np.zeros(0)
    return total
