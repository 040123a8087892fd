"""Files: randomised from path to path in bounded memory, with the schema beside them, and nothing half-written."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from deniable import interrupts
from deniable.core.channel import Channel
from deniable.core.csv_format import SEPARATORS, CsvFormat, encoding_needed, find_format, with_points
from deniable.core.shuffle_mark import mark_of
from deniable.core.tables import CellTable, ColumnCounter
from deniable.errors import DataError, DeniableError, FileError
from deniable.progress import Progress

if TYPE_CHECKING:
    from deniable.core.schema import Schema

PARQUET_KEY = b"deniable.schema"
BATCH_ROWS = 1 << 17
CSV_BLOCK = 1 << 23
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NOTICE = (
    "Randomised answers in this data may be false. If the same people are randomised a second time, whoever has both copies learns more: "
    "their epsilons add up. Publish one copy only."
)


def sidecar(path: Path) -> Path:
    """Where the schema of a data file lies: NAME.schema.json beside it.

    >>> sidecar(Path("town.csv.gz")).name
    'town.schema.json'
    """
    return path.with_name(path.name[: -len(_suffix(path))] + ".schema.json")


def _suffix(path: Path) -> str:
    for suffix in (".csv.gz", ".csv", ".parquet"):
        if path.name.lower().endswith(suffix) and len(path.name) > len(suffix):
            return path.name[-len(suffix) :]
    raise FileError("file_kind", "{path}: the file must end in .csv, .csv.gz or .parquet.", path=str(path))


def _is_parquet(path: Path) -> bool:
    return _suffix(path).lower() == ".parquet"


def file_exists(path: Path, asked: Path | None = None) -> FileError:
    """What is said of a file in the way, or of one that goes with the file that was asked for.

    >>> print(file_exists(Path("r.schema.json"), Path("r.csv")))
    r.schema.json, which goes with r.csv, exists already; choose another name, or force it to be overwritten.
    """
    which = "{path}" if asked is None else "{path}, which goes with {asked},"
    parameters = {"path": str(path)} | ({} if asked is None else {"asked": str(asked)})
    return FileError(
        "file_exists", f"{which} exists already; choose another name, or force it to be overwritten.", **parameters
    )


@contextlib.contextmanager
def replacing(path: Path, force: bool, private: bool = False) -> Iterator[Path]:
    """A temporary path beside `path`, moved there at the end if nothing went wrong, removed otherwise. `private`: for its owner's eyes."""
    if path.exists() and not force:
        raise file_exists(path)
    if not path.parent.is_dir():
        raise FileError("no_folder", "The folder {folder} does not exist.", folder=str(path.parent))
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise FileError("cannot_write", "{path} cannot be written: {reason}.", path=str(path), reason=error.strerror) from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes files private; a result that is for others too gets the permissions any new file would have.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o600 if private else 0o666 & ~umask)
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        interrupts.check()
        temporary.replace(path)
        interrupts.wrote(path)
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise FileError(
            "cannot_write", "{path} cannot be written: {reason}.", path=str(path), reason=os.strerror(error.errno)
        ) from None
    finally:
        temporary.unlink(missing_ok=True)


def refuse_same(output: Path, *inputs: Path) -> None:
    """Refuse an output that is one of the inputs, forced or not."""
    for given in inputs:
        if output.exists() and given.exists() and output.resolve() == given.resolve():
            raise FileError("same_file", "{path} is an input; choose another name for the output.", path=str(output))


def write_text(path: Path, text: str, force: bool, private: bool = False) -> None:
    """Write a text file whole or not at all. `private`: for its owner's eyes."""
    with replacing(path, force, private) as temporary:
        temporary.write_text(text, encoding="utf-8")


def read_schema_text(path: Path) -> str:
    """The JSON text of a schema file, or of the schema that belongs to a data file: inside Parquet, else beside it."""
    _must_exist(path)
    if path.name.lower().endswith((".csv", ".csv.gz", ".parquet")):
        return _schema_text_of_data(path)
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FileError("not_text", "{path} is not a text file in UTF-8.", path=str(path)) from None
    except OSError as error:
        raise FileError("cannot_read", "{path} cannot be read: {reason}.", path=str(path), reason=error.strerror) from None


def _schema_text_of_data(path: Path) -> str:
    inside = (_opened_parquet(path).schema_arrow.metadata or {}).get(PARQUET_KEY) if _is_parquet(path) else None
    if inside is not None:
        return str(inside.decode())
    if not sidecar(path).exists():
        raise FileError(
            "no_schema",
            "{path} has no schema: {beside} does not exist. Name the schema.",
            path=str(path),
            beside=sidecar(path).name,
        )
    text = read_schema_text(sidecar(path))
    _must_belong(text, path)
    return text


def _must_belong(text: str, path: Path) -> None:
    """A sidecar is the schema of the data beside it only if it was written with that data."""
    content = _content(text)
    if "fingerprint" not in content:
        raise FileError(
            "schema_draft",
            "{beside} is a draft without a fingerprint, so {path} was not randomised under it. Was it randomised at all? "
            "If so, name its schema.",
            beside=sidecar(path).name,
            path=str(path),
        )
    if content.get("data", path.name) != path.name:
        raise FileError(
            "schema_of_other",
            "{beside} belongs to {other}, not to {path}. Name the schema.",
            beside=sidecar(path).name,
            other=content["data"],
            path=str(path),
        )


def _content(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def is_randomised(path: Path) -> bool:
    """Whether the schema inside a file, or beside it and about it, says that its rows are randomised."""
    inside = (_opened_parquet(path).schema_arrow.metadata or {}).get(PARQUET_KEY) if _is_parquet(path) else None
    beside = _content(read_schema_text(sidecar(path))) if sidecar(path).exists() else {}
    return inside is not None or ("fingerprint" in beside and beside.get("data") == path.name)


class SchemaText(NamedTuple):
    """A schema in or beside a data file, where it was found, and the data file that it says it is of (None if it names none)."""

    text: str
    where: str
    data: str | None
    is_of_this_file: bool


def schema_text_around(path: Path) -> SchemaText | None:
    """The schema inside a file or beside it, unless that is a draft, or of another file that lies beside it too."""
    inside = (_opened_parquet(path).schema_arrow.metadata or {}).get(PARQUET_KEY) if _is_parquet(path) else None
    if inside is not None:
        return SchemaText(str(inside.decode()), str(path), path.name, True)
    beside = sidecar(path)
    text = read_schema_text(beside) if beside.exists() else ""
    content = _content(text)
    data = content.get("data")
    if "fingerprint" not in content or (data != path.name and isinstance(data, str) and path.with_name(data).exists()):
        return None
    return SchemaText(text, str(beside), data, data == path.name)


def is_shuffled(path: Path) -> bool:
    """Whether a Parquet file holds rows that `Schema.randomise` shuffled: pandas and PyArrow hand their mark on to such files."""
    if not _is_parquet(path):
        return False
    return mark_of(_opened_parquet(path).schema_arrow.empty_table()) is not None


def refuse_randomised(path: Path) -> None:
    """Refuse to randomise what is randomised already: drawn twice, its estimates would be wrong."""
    if is_randomised(path):
        raise FileError("randomised_already", "{path} is randomised already; randomise the true data instead.", path=str(path))


def _must_exist(path: Path) -> None:
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
        self._file = _opened_parquet(path)
        self.units = "rows"
        self.total = self._file.metadata.num_rows
        self.columns = self._file.schema_arrow.names

    def pieces(self) -> Iterator[tuple[pa.RecordBatch, int]]:
        with _explained(self._path):
            for batch in self._file.iter_batches(batch_size=BATCH_ROWS):
                yield batch, batch.num_rows


def _opened_parquet(path: Path) -> Any:
    with _explained(path):
        return pa.parquet.ParquetFile(path)


@contextlib.contextmanager
def _explained(path: Path, separators: str = "commas") -> Iterator[None]:
    """Turn the reader's complaints into one of ours that names the file."""
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
    """The reader's complaint without the row it quotes: that row is somebody's answers."""
    found = re.search(r"(Row #\d+: )?Expected (\d+) columns, got (\d+)", reason)
    if found:
        row = f"line {found.group(1)[5:-2]} has" if found.group(1) else "a line has"
        return f"{row} {found.group(3)} columns, the header has {found.group(2)}; quote cells that hold {separators}"
    if "can't decode" in reason:
        return "it is not in the encoding that it is said to have"
    return reason.split("\n")[0].rstrip(".")


def open_table(path: Path, said: CsvFormat | None = None) -> _Csv | _Parquet:
    """A reader for a CSV or Parquet file; what is missing, empty or of another kind is refused. `said`: how a CSV file is written, if
    somebody said so before."""
    parquet = _is_parquet(path)
    _must_exist(path)
    return _Parquet(path) if parquet else _Csv(path, said)


def table_writer(path: Path, final: Path, schema: pa.Schema, metadata: dict[bytes, bytes]) -> Any:
    """What writes rows to `path` in the format that the name `final` asks for; Parquet carries the metadata."""
    if _is_parquet(final):
        return pa.parquet.ParquetWriter(path, schema.with_metadata(metadata), compression="zstd")
    sink = pa.output_stream(str(path), compression="gzip" if final.name.lower().endswith(".gz") else None)
    return _CsvSink(sink, schema)


class _CsvSink:
    """pyarrow's CSV writer, which leaves closing the (compressed) stream to its caller."""

    def __init__(self, sink: Any, schema: pa.Schema) -> None:
        self._sink = sink
        self._writer = pa.csv.CSVWriter(sink, schema, write_options=pa.csv.WriteOptions(quoting_style="needed"))

    def write_batch(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch)

    def close(self) -> None:
        self._writer.close()
        self._sink.close()


def write_reports(
    schema: Schema, pieces: Iterator[pa.RecordBatch], target: Path, force: bool = False, private: bool = False
) -> int:
    """Write rows that are randomised already, with the schema beside them (and inside Parquet). Returns the number of rows. `private`: for
    their owner's eyes."""
    schema_json = schema.to_json(NOTICE, data=target.name)
    beside = sidecar(target)
    if beside.exists() and not force:
        raise file_exists(beside, target)
    rows, writer = 0, None
    with replacing(target, force, private) as temporary:
        try:
            for piece in pieces:
                if writer is None:
                    writer = table_writer(temporary, target, piece.schema, {PARQUET_KEY: schema_json.encode()})
                writer.write_batch(piece)
                rows += piece.num_rows
        finally:
            if writer is not None:
                writer.close()
        if rows == 0:
            raise DataError("no_rows", "There are no rows to write to {path}.", path=str(target))
        write_text(beside, schema_json, force, private)
    return rows


def count_file(path: Path, channel: Channel, name: str, bins: Any, progress: Progress) -> CellTable:
    """How often each label, or bin, of one column was reported, read piece by piece."""
    reader = open_table(path)
    if name not in reader.columns:
        raise DataError(
            "no_column", "{path} has no column {got!r}, only {allowed}.", path=str(path), got=name, allowed=reader.columns
        )
    counter = ColumnCounter(channel, bins, name)
    progress.start(f"counting ({reader.units})", reader.total)
    for batch, done in reader.pieces():
        counter.add(batch.column(name), reader.text)
        progress.advance(done)
    progress.finish()
    return counter.table()
