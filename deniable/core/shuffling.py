"""Rows in random order: all orders are equally likely, from the operating system's randomness, in bounded memory.

Rows that do not fit into memory go to temporary files, the buckets: each row to one of them at random. Then every bucket is read, its rows
are put in random order, and one is written after the other. That is a sort by a random key whose first bits are the bucket.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from deniable.core.channels.sampling import byte_source
from deniable.core.domains.exact import Ints
from deniable.core.forgotten_order import plain_batch
from deniable.errors import FileError

T = TypeVar("T")
BUCKET_BYTES = 1 << 23
"""About how many bytes of rows are held in memory, and put in order at a time."""

MOST_BUCKETS = 64
"""How many files are open at a time; a bucket that is still too large is split again."""

NO_SMALLER = 0.9
"""A bucket that is still this large, compared with the one it was split from, is not split again."""


def random_order(rows: int, rng: np.random.Generator | None = None) -> Ints:
    """A random order, from the operating system's randomness or, in simulations, a generator.

    >>> sorted(random_order(5).tolist())
    [0, 1, 2, 3, 4]
    """
    if rng is not None:
        byte_source(rng)
        order: Ints = rng.permutation(rows)
        return order
    # Two rows share their key too seldom to matter: among a billion rows with a chance of 3%.
    return np.argsort(_keys(rows, None))


def shuffled(rows: Sequence[T]) -> list[T]:
    """The same rows in random order.

    >>> sorted(shuffled(["a", "b", "c"]))
    ['a', 'b', 'c']
    """
    return [rows[i] for i in random_order(len(rows)).tolist()]


def _keys(rows: int, rng: np.random.Generator | None) -> Any:
    """64 random bits per row."""
    return np.frombuffer(byte_source(rng)(8 * rows), dtype="<u8")


class RowShuffler:
    """Takes rows piece by piece and gives them back in random order; what it put on the disk is gone when it is left.

    `beside` is the file that the rows are for: buckets lie in a private folder next to it. They hold the rows that were added and nothing
    else, every piece in random order.

    >>> with RowShuffler(Path("out.csv")) as rows:
    ...     rows.add(pa.RecordBatch.from_pydict({"a": [1, 2, 3]}))
    ...     [sorted(piece.column("a").to_pylist()) for piece in rows.pieces()]
    [[1, 2, 3]]
    """

    def __init__(self, beside: Path, rng: np.random.Generator | None = None) -> None:
        self._beside = beside
        self._rng = rng
        self._held: list[pa.RecordBatch] = []
        self._bytes = 0
        self._folder: Path | None = None
        self._buckets: _Buckets | None = None

    def __enter__(self) -> RowShuffler:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._held.clear()
        try:
            if self._buckets is not None:
                self._buckets.close()
        finally:
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)

    def add(self, piece: pa.RecordBatch, done: float = 1.0) -> None:
        """Take the next rows; `done` is about which share of all rows has come with them."""
        # A dictionary holds its words in the order in which they came, and every bucket would carry all of it.
        piece = plain_batch(piece)
        if self._buckets is not None:
            self._buckets.add(piece)
            return
        self._held.append(piece)
        self._bytes += piece.nbytes
        if self._bytes > BUCKET_BYTES:
            self._buckets = self._fresh(self._bytes / max(done, 1e-6), piece.schema)
            for held in self._held:
                self._buckets.add(held)
            self._held.clear()

    def pieces(self) -> Iterator[pa.RecordBatch]:
        """All rows that were added, in random order."""
        if self._buckets is not None:
            yield from self._emptied(self._buckets)
        elif self._held:
            yield from self._in_random_order(self._held)

    def _fresh(self, size: float, schema: pa.Schema) -> _Buckets:
        """Empty buckets for about this many bytes."""
        if self._folder is None:
            try:
                # For its owner's eyes, as `mkdtemp` makes folders.
                name = tempfile.mkdtemp(prefix=f".{self._beside.name}.", suffix=".part", dir=self._beside.parent)
            except OSError as error:
                raise FileError(
                    "cannot_write", "{path} cannot be written: {reason}.", path=str(self._beside), reason=error.strerror
                ) from None
            self._folder = Path(name)
        bits = max(1, min(math.ceil(math.log2(max(size / BUCKET_BYTES, 2))), int(math.log2(MOST_BUCKETS))))
        return _Buckets(self._folder, bits, schema, self._rng)

    def _emptied(self, buckets: _Buckets, split: float = math.inf) -> Iterator[pa.RecordBatch]:
        """The rows of all buckets; `split` is the size of the bucket that these were split from."""
        buckets.close()
        for path in buckets.paths:
            size = path.stat().st_size
            # What does not shrink, such as one row that is larger than all others, is not split for ever.
            if size > 4 * BUCKET_BYTES and buckets.rows(path) > 1 and size < NO_SMALLER * split:
                smaller = self._buckets = self._fresh(size, buckets.schema)
                with _reading(path) as stream:
                    for piece in stream:
                        smaller.add(piece)
                path.unlink()
                yield from self._emptied(smaller, size)
            elif buckets.rows(path):
                with _reading(path) as stream:
                    held = list(stream)
                path.unlink()
                yield from self._in_random_order(held)

    def _in_random_order(self, pieces: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        table = pa.Table.from_batches(pieces).combine_chunks()
        pieces.clear()
        yield from table.take(pa.array(random_order(table.num_rows, self._rng))).to_batches()


class _Buckets:
    """Files of rows, each row in one of them at random."""

    def __init__(self, folder: Path, bits: int, schema: pa.Schema, rng: np.random.Generator | None) -> None:
        self.schema = schema
        self._bits = bits
        self._rng = rng
        self.paths: list[Path] = []
        self._rows = np.zeros(1 << bits, dtype=np.int64)
        self._writers: list[Any] = []
        self._open = contextlib.ExitStack()
        for _ in range(1 << bits):
            handle, name = tempfile.mkstemp(suffix=".arrows", dir=folder)
            os.close(handle)
            self.paths.append(Path(name))
            sink = self._open.enter_context(pa.OSFile(name, "wb"))
            self._writers.append(self._open.enter_context(pa.ipc.new_stream(sink, schema)))

    def rows(self, path: Path) -> int:
        """How many rows are in one of the files."""
        return int(self._rows[self.paths.index(path)])

    def add(self, piece: pa.RecordBatch) -> None:
        """Send each row to a bucket: the first bits of its key. Sorted by key, no piece lies on the disk in the order it came in."""
        keys = _keys(piece.num_rows, self._rng)
        order = np.argsort(keys)
        counts = np.bincount((keys >> np.uint64(64 - self._bits)).astype(np.int64), minlength=1 << self._bits)
        mixed = piece.take(pa.array(order))
        begin = 0
        for writer, count in zip(self._writers, counts.tolist(), strict=True):
            if count:
                writer.write_batch(mixed.slice(begin, count))
            begin += count
        self._rows += counts

    def close(self) -> None:
        """Write what is left; nothing is added after that."""
        self._open.close()


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[Any]:
    with pa.OSFile(str(path)) as source, pa.ipc.open_stream(source) as stream:
        yield stream
