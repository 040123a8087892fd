"""Which columns put shuffled rows back in the order they came in: ids that count up, dates, numbers that were sorted by."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

LAGS = (1, 5, 17, 64, 251, 1024, 4099)
"""How far apart rows are compared. They leave different remainders, so that what repeats itself is not taken for sorted."""

FINE = 64
"""An order that is restored no better than to within this many rows is not mentioned."""

BLOCKS = 100
"""Nor is one of fewer stretches than this: a column that divides the rows into, say, ten towns restores the order between towns only."""

ORDERED = 0.9
"""Pairs of rows in the right order, less those in the wrong one, as a share of all pairs: from here on the order is restored."""

SURPRISE = 5.0
"""And it must lie this many standard errors above a random order."""

FEWEST_PAIRS = 10
WINDOW, STRETCH = 1 << 14, 1 << 17
"""The first rows of every stretch are looked at: enough to see an order, and large files are not held up."""


class RestoredOrder:
    """How finely a column that comes in pieces tells the order of the rows: the least distance at which it says which row came first.

    >>> seen = RestoredOrder()
    >>> seen.add(pa.array(range(300))); seen.add(pa.array(range(300, 600)))
    >>> seen.within()
    1
    >>> towns = RestoredOrder()
    >>> towns.add(pa.array(["Aa"] * 300 + ["Bo"] * 300))
    >>> towns.within() is None
    True
    """

    def __init__(self) -> None:
        self._tail: pa.Array | None = None
        self._ahead = dict.fromkeys(LAGS, 0)
        self._pairs = dict.fromkeys(LAGS, 0)
        self._rows = 0

    def add(self, values: pa.Array) -> None:
        """Take the next rows."""
        known = 0 if self._tail is None else len(self._tail)
        joined = values if self._tail is None else pa.concat_arrays([self._tail, values])
        for lag in LAGS:
            begin = max(known, lag)
            if begin >= len(joined):
                continue
            later, earlier = joined[begin:], joined[begin - lag : len(joined) - lag]
            up, down = pc.greater(later, earlier), pc.less(later, earlier)
            self._ahead[lag] += (pc.sum(up).as_py() or 0) - (pc.sum(down).as_py() or 0)
            self._pairs[lag] += len(up) - up.null_count
        self._tail = joined[max(0, len(joined) - LAGS[-1]) :]
        self._rows += len(values)

    def skip(self, rows: int) -> None:
        """Leave out rows; those after them are not compared with those before."""
        if rows:
            self._rows += rows
            self._tail = None

    def within(self) -> int | None:
        """To within how many rows the order is restored; None if it is not, or only roughly."""
        compared = [lag for lag in LAGS if self._rows >= 2 * lag + FEWEST_PAIRS and self._pairs[lag]]
        ups = sum(self._ahead.values()) > 0
        finest = None
        # What is sorted is so at every distance; days of a week or hours of a day rise from row to row and begin again.
        for lag in reversed(compared):
            pairs, ahead = self._pairs[lag], self._ahead[lag] if ups else -self._ahead[lag]
            # Of rows in random order the pairs that rise less those that fall have a variance of a third of their number.
            if ahead < ORDERED * pairs or ahead <= SURPRISE * math.sqrt((pairs + 2 * lag) / 3):
                break
            if lag == 1 or (lag <= FINE and lag * BLOCKS <= self._rows):
                finest = lag
        return finest


class KeptColumn:
    """A column of any kind: cells of text are compared as text and, where all of them are numbers or dates, as those.

    >>> column = KeptColumn()
    >>> column.add(pa.array([f"{day}.{month}.2024" for month in range(1, 13) for day in range(1, 29)]))
    >>> column.within()
    1
    """

    def __init__(self) -> None:
        self._readings: dict[str, tuple[Callable[[pa.Array], pa.Array], RestoredOrder]] = {}
        self._text: bool | None = None

    def add(self, values: pa.Array) -> None:
        """Take the next rows. A reading that does not fit is not tried again."""
        for begin in range(0, len(values), STRETCH):
            self._look(values[begin : begin + STRETCH])

    def _look(self, stretch: pa.Array) -> None:
        values, skipped = stretch[:WINDOW], max(0, len(stretch) - WINDOW)
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        if self._text is None:
            self._text = _is_text(values.type)
            self._readings = {name: (read, RestoredOrder()) for name, read in (_OF_TEXT if self._text else _AS_IT_IS).items()}
        for name, (read, seen) in list(self._readings.items()):
            try:
                cells = read(values)
                if cells.null_count > values.null_count:
                    raise pa.ArrowInvalid("some cells are of another kind")
                seen.add(cells)
                seen.skip(skipped)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
                del self._readings[name]

    def within(self) -> int | None:
        """To within how many rows the order is restored; None if it is not, or only roughly."""
        lags = [seen.within() for _, seen in self._readings.values()]
        return min((lag for lag in lags if lag is not None), default=None)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _dates(form: str) -> Callable[[pa.Array], pa.Array]:
    return lambda values: pc.strptime(values, format=form, unit="s", error_is_null=True)


def _numbers(values: pa.Array) -> pa.Array:
    """Cells that are numbers, or words with one number inside, such as p17."""
    try:
        return pc.cast(pc.utf8_trim_whitespace(values), pa.float64())
    except pa.ArrowInvalid:
        return pc.cast(pc.replace_substring_regex(values, pattern=r"^\D*(\d+)\D*$", replacement=r"\1"), pa.float64())


def _itself(values: Any) -> Any:
    return values


_AS_IT_IS: dict[str, Callable[[pa.Array], pa.Array]] = {"as it is": _itself}
# Dates that begin with the year are in order as text.
_OF_TEXT: dict[str, Callable[[pa.Array], pa.Array]] = {
    "text": _itself,
    "numbers": _numbers,
    "day.month.year": _dates("%d.%m.%Y"),
    "day/month/year": _dates("%d/%m/%Y"),
    "month/day/year": _dates("%m/%d/%Y"),
}
