"""A published table as a file: CSV with every cell as it was written, or Parquet with its description inside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from deniable.files.sidecar import PUBLICATION_KEY

PLAIN_NUMBER = r"^-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,17})?(e[+-]?[0-9]{1,3})?$"
LINES_AT_ONCE = 1 << 16


def _csv_lines(table: pa.Table) -> Iterator[bytes]:
    """A CSV file in pieces, every cell as it was written: words in quotes, numbers and missing cells without."""
    yield (",".join(_quoted(name) for name in table.column_names) + "\n").encode()
    bare = [_is_bare(column) for column in table.columns]
    for begin in range(0, table.num_rows, LINES_AT_ONCE):
        piece = table.slice(begin, LINES_AT_ONCE).combine_chunks()
        cells = [_csv_cells(column.chunk(0), plain) for column, plain in zip(piece.columns, bare, strict=True)]
        lines = pc.binary_join_element_wise(*cells, pa.scalar(",", pa.large_string()))
        yield ("\n".join(lines.to_pylist()) + "\n").encode()


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _is_bare(column: pa.ChunkedArray) -> bool:
    """Whether no cell needs quotes: numbers, dates, and text that is a plain number in every cell. Codes such as 007 are words."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return not pa.types.is_dictionary(column.type)
    return bool(pc.all(pc.match_substring_regex(column, PLAIN_NUMBER), min_count=0).as_py())


def _csv_cells(column: pa.Array, bare: bool) -> pa.Array:
    text = pc.cast(column, pa.large_string())
    if not bare:
        quote = pa.scalar('"', pa.large_string())
        doubled = pc.replace_substring(text, '"', '""')
        text = pc.binary_join_element_wise(quote, doubled, quote, pa.scalar("", pa.large_string()))
    return pc.fill_null(text, "")


def write_table(path: Path, final: Path, table: pa.Table, description: str) -> None:
    """Write a table to `path`, in the format that the name `final` asks for; Parquet carries its description."""
    if final.name.lower().endswith(".parquet"):
        # Nothing else that was noted in the file is handed on: pandas keeps its index there, others may keep anything.
        bare = pa.schema([field.remove_metadata() for field in table.schema], {PUBLICATION_KEY: description.encode()})
        pa.parquet.write_table(table.cast(bare), path, compression="zstd")
        return
    compressed = "gzip" if final.name.lower().endswith(".gz") else None
    with pa.output_stream(str(path), compression=compressed) as sink:
        for lines in _csv_lines(table):
            sink.write(lines)
