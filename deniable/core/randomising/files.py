"""A file randomised to a file in bounded memory, its rows in random order unless their order is kept on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.core.channels.base import Channel
from deniable.core.channels.blocks import Block
from deniable.core.channels.sampling import byte_source
from deniable.core.randomising.order_watch import OrderWatch
from deniable.core.randomising.table import TableRandomiser, check_columns, is_shuffled, without_dropped
from deniable.core.shuffle_mark import marked_metadata
from deniable.core.shuffling import RowShuffler
from deniable.errors import DataError, FileError
from deniable.files.atomic import file_exists, replacing, write_text
from deniable.files.sidecar import PARQUET_KEY, refuse_randomised, sidecar
from deniable.files.tables import open_table, writing_pieces
from deniable.progress import Progress


def randomise_file(
    channels: Mapping[str, Channel],
    blocks: Sequence[Block],
    schema_json: str,
    source: Path,
    target: Path,
    rng: np.random.Generator | None,
    keep: tuple[str, ...],
    order: str | None,
    force: bool,
    progress: Progress,
    drop: Sequence[str] = (),
) -> tuple[int, str | None]:
    """Randomise `source` into `target` piece by piece; the schema's text is written beside it.

    Returns the number of rows, and what is to be said about their order.
    """
    shuffled = is_shuffled(order, rng)
    reader = open_table(source)
    beside = sidecar(target)
    refuse_target(target, force, source)
    refuse_randomised(source)
    names = without_dropped(channels, reader.columns, drop, str(source))
    check_columns(channels, names, keep, str(source))
    metadata = {PARQUET_KEY: schema_json.encode()}
    watch = OrderWatch(channels, shuffled) if rng is None else None
    randomiser = TableRandomiser(channels, blocks, byte_source(rng), reader.text, watch)
    with replacing(target, force) as temporary:
        with writing_pieces(temporary, target, marked_metadata(metadata, names) if shuffled else metadata) as write:
            if shuffled:
                with RowShuffler(target, rng) as mixed:
                    for piece, done in _randomised(reader, names, randomiser, watch, progress):
                        mixed.add(piece, done)
                    _check(randomiser, source)
                    write_mixed(mixed, write, randomiser.rows, progress)
            else:
                for piece, _ in _randomised(reader, names, randomiser, watch, progress):
                    write(piece)
                _check(randomiser, source)
        # The schema goes first: data without its schema could not be read, a schema without data does no harm.
        write_text(beside, schema_json, force)
    return randomiser.rows, None if watch is None else watch.warning()


def refuse_target(target: Path, force: bool, source: Path | None = None) -> None:
    """Refuse an output that is the input, a folder, or in the way, or whose schema would be."""
    beside = sidecar(target)
    if source is not None and target.exists() and source.resolve() == target.resolve():
        raise FileError("same_file", "{path} would be overwritten by its own randomised copy.", path=str(target))
    if target.is_dir():
        raise FileError("is_folder", "{path} is a folder, not a file.", path=str(target))
    if target.exists() and not force:
        raise file_exists(target)
    if beside.exists() and not force:
        raise file_exists(beside, target)


def _randomised(
    reader: Any, names: list[str], randomiser: TableRandomiser, watch: OrderWatch | None, progress: Progress
) -> Iterator[tuple[pa.RecordBatch, float]]:
    """Randomised pieces of the file in its own order, each with the share of the file that is done; none after a bad cell."""
    channels = randomiser.channels
    done = 0
    progress.start(f"randomising ({reader.units})", reader.total)
    try:
        for batch, units in reader.pieces():
            reports = randomiser.piece({name: batch.column(name) for name in channels})
            done += units
            if not randomiser.failed:
                columns = {name: reports[name] if name in channels else batch.column(name) for name in names}
                if watch is not None:
                    watch.handed_on({name: column for name, column in columns.items() if name not in channels})
                yield pa.RecordBatch.from_arrays(list(columns.values()), names=names), done / max(reader.total, 1)
            progress.advance(units)
    finally:
        progress.finish()


def _check(randomiser: TableRandomiser, source: Path) -> None:
    """Refuse a file without rows, or with cells that do not fit."""
    randomiser.finish()
    if randomiser.rows == 0:
        raise DataError("no_rows", "{path} has no rows.", path=str(source))


def write_mixed(mixed: RowShuffler, write: Callable[[pa.RecordBatch], None], rows: int, progress: Progress) -> None:
    """Write all rows of a shuffler in random order."""
    progress.start("shuffling (rows)", rows)
    try:
        for piece in mixed.pieces():
            write(piece)
            progress.advance(piece.num_rows)
    finally:
        progress.finish()
