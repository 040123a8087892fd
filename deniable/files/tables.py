"""Tables in CSV and Parquet files, read and written in pieces: cells as they are, whatever they mean."""

from __future__ import annotations

import codecs
import contextlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from deniable.errors import DeniableError, FileError
from deniable.files.csv_format import SEPARATORS, CsvFormat, encoding_needed, find_format, with_points

BATCH_ROWS = 1 << 17
CSV_BLOCK = 1 << 23


def suffix_of(path: Path) -> str:
    """How the name of a table file ends; any other ending is refused."""
    for suffix in (".csv.gz", ".csv", ".parquet"):
        if path.name.lower().endswith(suffix) and len(path.name) > len(suffix):
            return path.name[-len(suffix) :]
    database = {".db": "sqlite", ".sqlite": "sqlite", ".sqlite3": "sqlite", ".duckdb": "duckdb"}.get(path.suffix.lower())
    raise FileError(
        "file_kind",
        "{path}: the file must end in .csv, .csv.gz or .parquet.{hint}",
        path=str(path),
        hint=f" A table of a database is named like this: {database}:///{path}#table." if database else "",
    )


def is_parquet(path: Path) -> bool:
    """Whether a table is in Parquet, by its name."""
    return suffix_of(path).lower() == ".parquet"


def must_exist(path: Path) -> None:
    """Refuse what is not a file, and an empty file."""
    if not path.exists():
        raise FileError("no_file", "{path} does not exist.", path=str(path))
    if path.is_dir():
        raise FileError("is_folder", "{path} is a folder, not a file.", path=str(path))
    if path.stat().st_size == 0:
        raise FileError("file_empty", "{path} is empty.", path=str(path))


class _Csv:
    """A CSV file read in pieces, every cell as text: what a cell means is the schema's business, not a guess."""

    text = True

    def __init__(self, path: Path, said: CsvFormat | None = None) -> None:
        self._path = path
        self.units = "bytes"
        self.total = path.stat().st_size
        with _explained(path):
            self.format = find_format(path, said)
        self.columns = list(self.format.columns)
        if not self.columns:
            raise FileError("unreadable", "{path} cannot be read: it has no header.", path=str(path))

    def _open(self) -> Any:
        self._raw = pa.OSFile(str(self._path))
        stream = pa.CompressedInputStream(self._raw, "gzip") if self._path.name.lower().endswith(".gz") else self._raw
        return pa.csv.open_csv(
            stream,
            read_options=pa.csv.ReadOptions(
                block_size=CSV_BLOCK, use_threads=False, encoding=self.format.encoding, skip_rows=self.format.skip
            ),
            parse_options=pa.csv.ParseOptions(newlines_in_values=True, delimiter=self.format.delimiter),
            convert_options=pa.csv.ConvertOptions(
                column_types=dict.fromkeys(self.columns, pa.string()), strings_can_be_null=True, null_values=[""]
            ),
        )

    def pieces(self) -> Iterator[tuple[pa.RecordBatch, int]]:
        with _explained(self._path, SEPARATORS.get(self.format.delimiter, "its delimiter")):
            done = 0
            batches = self._open()
            if batches.schema.names != self.columns:
                raise FileError("unreadable", "{path} cannot be read: its header is damaged.", path=str(self._path))
            for batch in batches:
                here = min(self._raw.tell(), self.total)
                yield with_points(batch, self.format.texts, self._path) if self.format.decimal == "," else batch, here - done
                done = here


class _Parquet:
    """A Parquet file read in pieces, cells with their types."""

    text = False
    format = None

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = opened_parquet(path)
        self.units = "rows"
        self.total = self._file.metadata.num_rows
        self.columns = self._file.schema_arrow.names

    def pieces(self) -> Iterator[tuple[pa.RecordBatch, int]]:
        with _explained(self._path):
            for batch in self._file.iter_batches(batch_size=BATCH_ROWS):
                yield batch, batch.num_rows


def opened_parquet(path: Path) -> Any:
    """pyarrow's ParquetFile; one that is damaged is refused by name."""
    with _explained(path):
        return pa.parquet.ParquetFile(path)


@contextlib.contextmanager
def _explained(path: Path, separators: str = "commas") -> Iterator[None]:
    """Turn the reader's errors into one of ours that names the file."""
    try:
        yield
    except (pa.ArrowInvalid, OSError, EOFError, UnicodeDecodeError) as error:
        if isinstance(error, DeniableError):
            raise
        if "utf-8" in str(error).lower() or "utf8" in str(error).lower():
            raise encoding_needed(path) from None
        raise FileError(
            "unreadable", "{path} cannot be read: {reason}.", path=str(path), reason=_without_cells(str(error), separators)
        ) from None


def _without_cells(reason: str, separators: str) -> str:
    """The reader's error without the row it quotes: that row is somebody's answers."""
    match = re.search(r"(Row #\d+: )?Expected (\d+) columns, got (\d+)", reason)
    if match:
        row = f"line {match.group(1)[5:-2]} has" if match.group(1) else "a line has"
        return f"{row} {match.group(3)} columns, the header has {match.group(2)}; quote cells that hold {separators}"
    if "can't decode" in reason:
        return "it is not in the encoding that was given for it"
    return reason.split("\n")[0].rstrip(".")


def open_table(path: Path, said: CsvFormat | None = None) -> _Csv | _Parquet:
    """A reader for a CSV or Parquet file; what is missing, empty or of another kind is refused. `said`: what the caller said
    about CSV files."""
    parquet = is_parquet(path)
    must_exist(path)
    return _Parquet(path) if parquet else _Csv(path, said)


def table_writer(path: Path, final: Path, schema: pa.Schema, metadata: dict[bytes, bytes], spreadsheet: bool = False) -> Any:
    """What writes rows to `path`.

    Parameters
    ----------
    path, final
        Where rows are written now, and the final name of the file, which says in which format.
    schema, metadata
        The columns, and what a Parquet file says about itself.
    spreadsheet
        Whether CSV has semicolons, which spreadsheets of all countries understand, and the byte order mark by which they know UTF-8.
    """
    if is_parquet(final):
        return pa.parquet.ParquetWriter(path, schema.with_metadata(metadata), compression="zstd")
    sink = pa.output_stream(str(path), compression="gzip" if final.name.lower().endswith(".gz") else None)
    return _CsvSink(sink, schema, spreadsheet)


class _CsvSink:
    """pyarrow's CSV writer, which leaves closing the (compressed) stream to its caller."""

    def __init__(self, sink: Any, schema: pa.Schema, spreadsheet: bool = False) -> None:
        self._sink = sink
        if spreadsheet:
            sink.write(codecs.BOM_UTF8)
        options = pa.csv.WriteOptions(quoting_style="needed", delimiter=";" if spreadsheet else ",")
        self._writer = pa.csv.CSVWriter(sink, schema, write_options=options)

    def write_batch(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch)

    def close(self) -> None:
        self._writer.close()
        self._sink.close()


@contextlib.contextmanager
def writing_pieces(
    path: Path, final: Path, metadata: dict[bytes, bytes], spreadsheet: bool = False
) -> Iterator[Callable[[pa.RecordBatch], None]]:
    """A function that writes pieces; the file is complete when the context ends."""
    writer: Any = None

    def write(piece: pa.RecordBatch) -> None:
        nonlocal writer
        if writer is None:
            writer = table_writer(path, final, piece.schema, metadata, spreadsheet)
        writer.write_batch(piece)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()
