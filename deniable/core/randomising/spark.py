"""A Spark frame randomised to a file: true rows are read and drawn by Spark's workers, and only reports and kept columns leave them.

A lazy frame may be evaluated more than once, and draws that repeat average out. So it is not given back as a frame: its partitions are run
once each, one after the other, and what they draw is written, shuffled like that of any file.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from deniable.core.channels.base import Channel
from deniable.core.channels.blocks import Block
from deniable.core.domains.bad_cells import BAD_ROWS_SHOWN, BadCells, raise_bad_cells
from deniable.core.randomising.files import refuse_target, write_mixed
from deniable.core.randomising.order_watch import OrderWatch
from deniable.core.randomising.table import TableRandomiser, check_columns
from deniable.core.shuffle_mark import marked_metadata
from deniable.core.shuffling import MOST_BUCKETS, RowShuffler
from deniable.errors import DataError, ParameterError
from deniable.files.atomic import replacing, write_text
from deniable.files.sidecar import PARQUET_KEY, sidecar
from deniable.files.tables import writing_pieces
from deniable.progress import Progress

Reader = Callable[[str], tuple[Mapping[str, Channel], Sequence[Block]]]
"""From the JSON text of a schema to its channels and blocks."""


def is_spark_frame(data: Any) -> bool:
    """Whether this is a frame of Spark, which core does not import."""
    return hasattr(data, "mapInArrow") and hasattr(data, "toLocalIterator")


def randomise_spark(
    channels: Mapping[str, Channel],
    schema_json: str,
    read: Reader,
    frame: Any,
    target: Path,
    rng: Any,
    keep: tuple[str, ...],
    order: str | None,
    force: bool,
    progress: Progress,
) -> tuple[int, str | None]:
    """Randomise a Spark frame into one file, with the schema's text beside it. The workers get that text, and `read` makes channels and
    blocks of it again there. Returns the number of rows, and a warning if there is one."""
    if rng is not None:
        raise ParameterError(
            "rng_of_spark", "Spark's workers draw from their operating systems; rng= is for frames and files here."
        )
    if order == "kept":
        raise ParameterError("order_of_spark", "The rows of a Spark frame have no order that could be kept; leave order out.")
    refuse_target(target, force)
    check_columns(channels, frame.columns, keep, "The Spark frame")
    watch = OrderWatch(channels, shuffled=True)
    rows = 0
    with replacing(target, force) as temporary:
        metadata = marked_metadata({PARQUET_KEY: schema_json.encode()}, frame.columns)
        with writing_pieces(temporary, target, metadata) as write, RowShuffler(target) as mixed:
            progress.start("randomising (rows)", None)
            try:
                for piece in _drawn(channels, schema_json, read, frame):
                    watch.handed_on({name: piece.column(name) for name in piece.schema.names})
                    # How many more will come is not known: as many buckets as there may be.
                    mixed.add(piece, 1 / MOST_BUCKETS)
                    rows += piece.num_rows
                    progress.advance(piece.num_rows)
            finally:
                progress.finish()
            if rows == 0:
                raise DataError("no_rows", "The Spark frame has no rows.")
            write_mixed(mixed, write, rows, progress)
        write_text(sidecar(target), schema_json, force)
    return rows, watch.warning()


def _drawn(channels: Mapping[str, Channel], schema_json: str, read: Reader, frame: Any) -> Iterator[pa.RecordBatch]:
    """Randomised pieces as the workers send them. After a bad cell the rest is only read, so that all bad cells are named."""
    bad = {name: BadCells(name, channel.domain.allowed) for name, channel in channels.items()}
    rows = 0
    with warnings.catch_warnings():
        # What passes between Spark and its workers here is Arrow; pandas is only looked at.
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
        # Positions instead of names: a dot in a name would be read as a path.
        plain = frame.toDF(*(f"c{i}" for i in range(len(frame.columns))))
        sent = plain.mapInArrow(_drawing(schema_json, read, list(frame.columns)), "rows bigint, piece binary, bad string")
    for one in sent.toLocalIterator():
        if one["bad"] is not None:
            for name, (total, first) in json.loads(one["bad"]).items():
                bad[name].total += total
                bad[name].first += [(rows + row, value) for row, value in first[: BAD_ROWS_SHOWN - len(bad[name].first)]]
        elif not any(cells.total for cells in bad.values()):
            with pa.ipc.open_stream(one["piece"]) as stream:
                yield from stream
        rows += one["rows"]
    raise_bad_cells(list(bad.values()))


def _drawing(
    schema_json: str, read: Reader, columns: list[str]
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What a worker does with its rows: draw from its operating system's randomness, and send nothing else."""

    def draw(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        channels, blocks = read(schema_json)
        for batch in batches:
            if batch.num_rows == 0:
                continue
            randomiser = TableRandomiser(channels, blocks, os.urandom, text=False)
            reports = randomiser.piece({name: batch.column(columns.index(name)) for name in channels})
            piece = bad = None
            if randomiser.failed:
                bad = json.dumps(randomiser.bad(), default=str)
            else:
                handed_on = [reports[name] if name in channels else batch.column(i) for i, name in enumerate(columns)]
                made = pa.RecordBatch.from_arrays(handed_on, names=columns)
                sink = pa.BufferOutputStream()
                with pa.ipc.new_stream(sink, made.schema) as writer:
                    writer.write_batch(made)
                piece = sink.getvalue().to_pybytes()
            yield pa.RecordBatch.from_arrays(
                [pa.array([batch.num_rows], pa.int64()), pa.array([piece], pa.binary()), pa.array([bad], pa.string())],
                names=["rows", "piece", "bad"],
            )

    return draw
