"""Transactions as lists of items: given as such, or read from a FIMI file (one line per transaction)."""

from __future__ import annotations

import gzip
import io
import itertools
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from deniable.core.domains.exact import Ints
from deniable.errors import DataError, FileError

SMALL_NUMBERS = 1 << 16, 1 << 20
"""Item numbers below these are counted while they are read."""
PIECE = 1 << 18
"""Bytes of a file that are looked at together; lines that are longer are not read quickly."""
BYTES_PER_LINE = 4
"""Of a file with shorter lines (no two items in most of them) nothing is gained by reading quickly."""


@dataclass(frozen=True)
class Baskets:
    """The names of all items that occur; transaction r holds the items `codes[starts[r]:starts[r + 1]]`."""

    names: list[Any]
    starts: Ints
    codes: Any
    counts: Any = None  # how many transactions hold each item, where that is known already

    @property
    def rows(self) -> int:
        """How many transactions there are."""
        return len(self.starts) - 1

    @cached_property
    def has_repeats(self) -> bool:
        """Whether some transaction lists an item twice."""
        from deniable.kernels.bits import has_repeats

        return bool(has_repeats(self.starts, self.codes, len(self.names)))


def listed(data: Any) -> Baskets:
    """Lists of items, names in their order.

    >>> listed([["milk", "bread"], [], ["milk"]]).names
    ['bread', 'milk']
    """
    if not isinstance(data, Iterable) or isinstance(data, (Mapping, str, bytes)):
        raise _not_transactions(data)
    rows = data if isinstance(data, Sequence) else list(data)
    if not set(map(type, rows)) <= {list, tuple, set, frozenset}:
        _check_rows(rows)
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=starts[1:])
    if set(map(type, itertools.chain.from_iterable(rows))) == {int}:
        try:
            return _coded_numbers(starts, np.fromiter(itertools.chain.from_iterable(rows), np.int64, int(starts[-1])))
        except OverflowError:
            pass
    flat = itertools.chain.from_iterable(rows)
    place: dict[Any, int] = {}
    try:
        codes = np.fromiter((place.setdefault(item, len(place)) for item in flat), np.int64, int(starts[-1]))
    except TypeError:
        raise DataError("item_kind", "Items must be names or numbers (hashable), got a list inside a transaction.") from None
    names = list(place)
    missing = [place[name] for name in names if _is_missing(name)]
    if missing:
        row = int(np.searchsorted(starts, int(np.flatnonzero(np.isin(codes, missing))[0]), side="right"))
        raise DataError(
            "missing_item",
            "Transaction {row} holds a missing item ({got!r}): leave it out, or name it.",
            row=row,
            got=names[missing[0]],
        )
    try:
        order = sorted(range(len(names)), key=names.__getitem__)
    except TypeError:
        return Baskets(names, starts, codes.astype(np.int32))
    rank = np.empty(len(names), np.int32)
    rank[order] = np.arange(len(names))
    return Baskets([names[i] for i in order], starts, rank[codes])


def _check_rows(rows: Sequence[Any]) -> None:
    """Refuse transactions that are not lists of items, one by one."""
    for i, row in enumerate(rows):
        if isinstance(row, Mapping):
            raise DataError(
                "transaction_of_columns",
                "Transaction {row} is a mapping, {got!r}, and not a list of items; a list of such records becomes a frame with "
                "pandas.DataFrame(...).",
                row=i + 1,
                got=row,
            )
        if isinstance(row, (str, bytes)) or not hasattr(row, "__len__"):
            raise DataError(
                "not_a_transaction",
                "Transaction {row} must be a list of items, got {got!r}; a single item is written [{got!r}].",
                row=i + 1,
                got=row,
            )


def _is_missing(item: Any) -> bool:
    """None, NaN, and what pandas has for them."""
    if isinstance(item, (float, np.floating)):
        return bool(np.isnan(item))
    return item is None or type(item).__name__ in ("NAType", "NaTType")


def _coded_numbers(starts: Ints, values: Ints) -> Baskets:
    if not len(values):
        return Baskets([], starts, values)
    low, high = int(values.min()), int(values.max())
    if low >= 0 and high < max(1 << 20, 4 * len(values)):
        present = np.zeros(high + 1, bool)
        present[values] = True
        names = np.flatnonzero(present)
        rank = np.cumsum(present, dtype=np.int32) - 1
        return Baskets(names.tolist(), starts, rank[values])
    names, codes = np.unique(values, return_inverse=True)
    return Baskets(names.tolist(), starts, codes.astype(np.int32))


def _small_numbers(file: BinaryIO, size: int) -> Baskets | None:
    """The transactions of a file of not too large numbers, read in pieces that fit a cache; None if it holds anything else."""
    # What is not written to takes no memory.
    starts, codes = np.empty(size // BYTES_PER_LINE + 2, np.int64), np.empty(size // 2 + 2, np.int32)
    starts[0] = 0
    for room in SMALL_NUMBERS:
        file.seek(0)
        seen = np.zeros(2 * room, np.int32)
        lines, found = _parsed(file, size, starts, codes, seen)
        if lines > 0:
            return _ranked(starts[: lines + 1].copy(), codes[:found], seen[::2])
    return None


def _parsed(file: BinaryIO, size: int, starts: Ints, codes: Any, seen: Any) -> tuple[int, int]:
    """How many lines and numbers `kernels.fimi.parse_small` finds in the first `size` bytes of a file; (-1, 0) if it gives up."""
    from deniable.kernels.fimi import BLOCK, EIGHT, parse_small

    buffer = bytearray(EIGHT + PIECE + BLOCK)
    text, view = np.frombuffer(buffer, np.uint8), memoryview(buffer)
    lines = found = 0
    end = EIGHT
    while lines >= 0:
        read = file.readinto(view[end : min(end + size, EIGHT + PIECE)])  # type: ignore[attr-defined]  # what is open has it
        size -= read
        end += read
        if not read and end > EIGHT:
            # Also where a line is longer than a piece: what is left then is no last line.
            if size and end == EIGHT + PIECE:
                return -1, 0
            buffer[end : end + 1] = b"\n"
            end += 1
        cut = buffer.rfind(b"\n", EIGHT, end) + 1
        if cut:
            lines, found = parse_small(text, cut, lines, found, starts, codes, seen)
            buffer[EIGHT : EIGHT + end - cut] = buffer[cut:end]
            end = EIGHT + end - cut
        if not read:
            break
    return lines, found


def _ranked(starts: Ints, numbers: Any, counts: Any) -> Baskets:
    """Numbers as ranks among those that occur; `counts` are the transactions that hold each number."""
    names = np.flatnonzero(counts)
    if len(names) and len(names) <= names[-1]:
        rank = np.zeros(len(counts), np.int32)
        rank[names] = np.arange(len(names))
        numbers = rank[numbers]
    return Baskets(names.tolist(), starts, numbers, counts[names].astype(np.int64))


def _not_transactions(data: Any) -> DataError:
    return DataError(
        "not_transactions",
        "Transactions must be a data frame, a list of lists of items or the path of a FIMI file, got {got}.",
        got=type(data).__name__,
    )


def read_fimi(path: Path) -> Baskets:
    """The transactions of a FIMI file: items separated by blanks, one line per transaction; an empty line is an empty transaction.

    Item numbers become ints; a file with other words keeps words. Lines may end as on any system, and a byte order mark is no item.
    """
    from deniable.kernels.fimi import parse

    if not path.exists():
        raise FileError("no_file", "{path} does not exist.", path=str(path))
    if path.is_dir():
        raise FileError("is_folder", "{path} is a folder, not a file.", path=str(path))
    try:
        with path.open("rb") as file:
            packed = path.name.lower().endswith(".gz")
            on_disk = stat.S_ISREG(os.fstat(file.fileno()).st_mode) and not packed
            whole = b"" if on_disk else gzip.decompress(file.read()) if packed else file.read()
            opened: Any = file if on_disk else io.BytesIO(whole)
            quickly = _small_numbers(opened, os.fstat(file.fileno()).st_size if on_disk else len(whole))
            if quickly is not None:
                return quickly
            opened.seek(0)
            content = opened.read()
    except (OSError, EOFError) as error:
        raise FileError("unreadable", "{path} cannot be read: {reason}.", path=str(path), reason=str(error)) from None
    content = content.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not content:
        raise FileError("file_empty", "{path} is empty.", path=str(path))
    starts, numbers, wrong = parse(np.frombuffer(content, np.uint8))
    if wrong < 0:
        return _coded_numbers(starts, numbers)
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise FileError("not_text", "{path} is not a text file in UTF-8.", path=str(path)) from None
    if lines[-1] == "":
        lines.pop()
    return listed([line.split() for line in lines])
