"""A first schema for a data file, to be edited: domains read off the cells, and a channel of standard strength for each."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deniable.core.channels.base import Channel
from deniable.core.channels.designs import KRR, Identity, Retention
from deniable.core.channels.optional import Optional
from deniable.core.domains.domain import NO_ANSWER, Domain
from deniable.core.domains.grids import Continuous, Integer
from deniable.core.domains.labels import Binary, Nominal
from deniable.core.schema import Schema
from deniable.errors import DataError
from deniable.files.csv_format import refuse_undecided
from deniable.files.tables import open_table
from deniable.plurals import counted
from deniable.progress import Progress, Silent

STANDARD_ODDS = 5
"""A report changes anyone's odds at most this many times: the "standard" strength for questions with few answers."""

MOST_LABELS = 50
MOST_WHOLE = 20
GRID_POINTS = 100
KEPT = "0.5"
LARGEST = 10**15
STATUS_KEPT = "0.9"


@dataclass
class _Column:
    """What the cells of one column have in common."""

    rows: int = 0
    missing: int = 0
    words: dict[str, None] = field(default_factory=dict)
    too_many_words: bool = False
    numeric: bool = True
    low: Fraction | None = None
    high: Fraction | None = None
    decimals: int = 0
    numbers: int = 0
    not_numbers: dict[str, None] = field(default_factory=dict)
    padded: bool = False
    boolean: bool = False

    def add(self, given: pa.Array, text: bool) -> None:
        """Look at more cells; `text`: they come from a CSV, where all is text. Elsewhere the digits of a text are not a number."""
        plain = given.dictionary_decode() if pa.types.is_dictionary(given.type) else given
        cells = plain.cast(pa.string())
        self.boolean = pa.types.is_boolean(plain.type)
        words = pa.types.is_string(plain.type) or pa.types.is_large_string(plain.type) or pa.types.is_string_view(plain.type)
        self.numeric = self.numeric and (text or not words)
        self.rows += len(cells)
        self.missing += cells.null_count
        for word in pc.unique(cells.drop_null()).to_pylist():
            self._word(word)

    def _word(self, word: str) -> None:
        if not self.too_many_words:
            self.words.setdefault(word)
            self.too_many_words = len(self.words) > MOST_LABELS
        try:
            value = Fraction(word.strip())
        except (ValueError, ZeroDivisionError):
            self.numeric = False
            self.not_numbers.setdefault(word)
            return
        self.numbers += 1
        if abs(value) > LARGEST:
            self.numeric = False
            self.not_numbers.setdefault(word)
            return
        self.padded = self.padded or (len(word) > 1 and word[0] == "0" and word.isdigit())
        if self.numeric:
            self.low = value if self.low is None else min(self.low, value)
            self.high = value if self.high is None else max(self.high, value)
            self.decimals = max(self.decimals, len(word.strip().partition(".")[2].rstrip("0")))


def propose(path: str | Path, progress: Progress | None = None) -> tuple[Schema, list[str]]:
    """A schema for a CSV or Parquet file, and notes on what to look at before using it."""
    reader = open_table(Path(path))
    listener = progress or Silent()
    duplicates = sorted({name for name in reader.columns if reader.columns.count(name) > 1})
    if duplicates or "" in reader.columns:
        raise DataError(
            "column_names", "{path}: every column needs a name of its own; got {got}.", path=str(path), got=reader.columns
        )
    columns = {name: _Column() for name in reader.columns}
    listener.start(f"reading ({reader.units})", reader.total)
    for batch, done in reader.pieces():
        for name, column in columns.items():
            column.add(batch.column(name), reader.text)
        listener.advance(done)
    listener.finish()
    if reader.format is not None and reader.format.decimal is None:
        for name, column in columns.items():
            refuse_undecided(path, name, column.not_numbers)
    if not any(column.rows for column in columns.values()):
        raise DataError("no_rows", "{path} has no rows.", path=str(path))
    channels: dict[str, Channel] = {}
    notes: list[str] = []
    for name, column in columns.items():
        channel = _channel(name, column, notes)
        if channel is not None:
            channels[name] = channel
    if not channels:
        raise DataError(
            "nothing_to_hide", "{path}: no column can be hidden as it is. {notes}", path=str(path), notes=" ".join(notes)
        )
    return Schema(channels), notes


def _channel(name: str, column: _Column, notes: list[str]) -> Channel | None:
    if not column.words:
        notes.append(f"{name}: left out, every cell is empty.")
        return None
    if len(column.words) == 1 and not column.missing:
        notes.append(
            f"{name}: has one value only ({next(iter(column.words))!r}) and is reported as it is, which tells nothing. If others may "
            "come, add them, and hide it."
        )
        return Identity(_constant(column))
    if column.missing:
        cells = counted(column.missing, "empty cell is", "empty cells are")
        notes.append(f"{name}: {cells} read as the label {NO_ANSWER!r}, which is hidden too.")
    spaced = [word for word in column.words if word != word.strip()]
    if spaced and not column.numeric:
        notes.append(
            f"{name}: labels with blanks around them, such as {spaced[0]!r}, count as labels of their own; fix the file."
        )
    if column.numeric and column.too_many_words and (column.padded or column.numbers >= column.rows - column.missing):
        notes.append(
            f"{name}: every value is different, or padded with zeros: if it identifies people or places, drop the column."
        )
    # One value or none is a question of two answers, whatever the value is.
    if column.numeric and len(column.words) > 1 and not set(column.words) <= {"0", "1"}:
        return _number(name, column, notes)
    if column.too_many_words and column.numbers > 9 * len(column.not_numbers):
        odd = ", ".join(repr(word) for word in list(column.not_numbers)[:5])
        notes.append(f"{name}: left out, it would be a column of numbers but for {odd}. Fix those cells.")
        return None
    if column.too_many_words:
        notes.append(
            f"{name}: left out, more than {MOST_LABELS} different texts: an identifier or free text cannot be hidden. "
            "Drop the column, or group its values."
        )
        return None
    if set(column.words) == {"0", "1"} and not column.missing:
        return _few(Binary())
    labels_found = "one label found is" if len(column.words) == 1 else f"{len(column.words)} labels found are"
    notes.append(f"{name}: the {labels_found} taken to be all there are; add those that may still come.")
    return _few(Nominal(_labels(column), missing=NO_ANSWER if column.missing else None))


def _labels(column: _Column) -> list[Any]:
    """The labels found, as the file holds them: true and false, numbers, or words."""
    if column.boolean:
        return sorted(word == "true" for word in column.words)
    if not column.numeric or column.padded:
        return sorted(column.words)
    values = sorted(Fraction(word.strip()) for word in column.words)
    whole = all(value.denominator == 1 for value in values)
    return [int(value) if whole else float(value) for value in values]


def _constant(column: _Column) -> Domain:
    (label,) = _labels(column)
    if isinstance(label, (str, bool)):
        return Nominal([label])
    return Integer(label, label) if isinstance(label, int) else Continuous(label, label, step=1)


def _few(domain: Domain) -> Channel:
    k = domain.size
    # Rounded down to three decimals: a number to read aloud, and never less private than said.
    return KRR(domain, Fraction(math.floor(1000 * STANDARD_ODDS / (STANDARD_ODDS + k - 1)), 1000))


def _number(name: str, column: _Column, notes: list[str]) -> Channel:
    assert column.low is not None
    assert column.high is not None
    low, high = column.low, column.high
    whole = column.decimals == 0
    channel: Channel
    if whole and high - low < MOST_WHOLE:
        channel = _few(Integer(int(low), int(high)))
    elif whole and high - low < GRID_POINTS:
        channel = Retention(Integer(int(low), int(high)), KEPT)
    else:
        step = max(_nice((high - low) / GRID_POINTS), Fraction(1, 10**column.decimals))
        low, high = math.floor(low / step) * step, math.ceil(high / step) * step
        channel = Retention(Continuous(low, high, step), KEPT)
        notes.append(f"{name}: values are rounded to steps of {float(step):g} before they are hidden.")
    notes.append(
        f"{name}: the ends {float(low):g} and {float(high):g} are taken from the data, so each gives away somebody's value; "
        "set them to the lowest and the highest that are possible."
    )
    return Optional(channel, STATUS_KEPT) if column.missing else channel


def _nice(step: Fraction) -> Fraction:
    """The next 1, 2 or 5 times a power of ten."""
    power = Fraction(10) ** math.floor(math.log10(step))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step)
