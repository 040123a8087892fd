"""Cells that do not fit, collected so that one error names them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from deniable.core.domains.exact import Ints
from deniable.errors import DataError
from deniable.plurals import counted

BAD_ROWS_SHOWN = 20
MOST_KINDS = 1_000
"""So many different values are told apart; more are free text, of which the first rows say enough."""


class BadCells:
    """The cells of one column that do not fit, kept until the whole column (or file) has been read.

    >>> bad = BadCells("smokes", "'no', 'yes'")
    >>> bad.add(np.array([2, 4, 6]), pa.array(["perhaps", "perhaps", None]))
    >>> bad.sentence()
    "Column 'smokes': 3 cells do not fit ('perhaps' in 2 cells, first in row 3; row 7: missing). Allowed: 'no', 'yes'."
    """

    may_decline = False
    """Whether a word that is no label may be how people decline to answer: then the error says how to declare it."""

    def __init__(self, column: str, allowed: str) -> None:
        self.column = column
        self.allowed = allowed
        self.first: list[tuple[int, Any]] = []
        self.total = 0
        self.kinds: dict[str, Kind] = {}

    def add(self, rows: Ints, values: Sequence[Any] | pa.Array, offset: int = 0) -> None:
        """Remember rows (counted from 0 in this piece, which starts `offset` rows into the column) and their values: of all of them, to
        be counted, or of the first."""
        self.total += len(rows)
        cells = values if isinstance(values, pa.Array) else None
        shown = values if cells is None else cells[:BAD_ROWS_SHOWN].to_pylist()
        for row, value in zip(rows[: BAD_ROWS_SHOWN - len(self.first)], shown, strict=False):
            self.first.append((offset + int(row) + 1, value))
        if cells is not None:
            for kind in _kinds(cells, rows + offset + 1):
                self.add_kind(kind)

    def add_kind(self, kind: Kind) -> None:
        """Count equal values together."""
        known = self.kinds.get(repr(kind.value))
        if known is not None or len(self.kinds) < MOST_KINDS:
            self.kinds[repr(kind.value)] = kind if known is None else known._replace(cells=known.cells + kind.cells)

    def sentence(self) -> str:
        """What stands in which rows (counted from 1), equal values together, and what is allowed."""
        if sum(kind.cells for kind in self.kinds.values()) == self.total:
            kinds = list(self.kinds.values())[:BAD_ROWS_SHOWN]
            told = sum(kind.cells for kind in kinds)
            shown = ("; " if told > len(kinds) else ", ").join(map(str, kinds))
        else:
            shown, told = ", ".join(str(Kind(value, 1, row)) for row, value in self.first), len(self.first)
        more = f", and {self.total - told:,} more" if self.total > told else ""
        return (
            f"Column {self.column!r}: {counted(self.total, 'cell does', 'cells do')} not fit ({shown}{more}). Allowed: {self.allowed}."
            + self._declined()
        )

    def _declined(self) -> str:
        words = [kind for kind in self.kinds.values() if kind.cells > 1 and isinstance(kind.value, str) and kind.value.strip()]
        if not self.may_decline or not words:
            return ""
        likeliest = max(words, key=lambda kind: kind.cells).value
        return f" If {likeliest!r} is how people decline to answer, declare the attribute with missing={likeliest!r}."


class Kind(NamedTuple):
    """A value that does not fit: in how many cells it stands, and in which row first."""

    value: Any
    cells: int
    row: int

    def __str__(self) -> str:
        shown = "missing" if self.value is None else repr(self.value)
        return f"row {self.row}: {shown}" if self.cells == 1 else f"{shown} in {self.cells:,} cells, first in row {self.row}"


def _kinds(cells: pa.Array, rows: Ints) -> list[Kind]:
    if pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    try:
        told_apart = cells.dictionary_encode(null_encoding="encode")
    except pa.ArrowNotImplementedError:  # lists and the like are no values of any attribute; the first rows say so
        return []
    codes, first, count = np.unique(told_apart.indices.to_numpy(zero_copy_only=False), return_index=True, return_counts=True)
    # Codes are given in the order in which values occur.
    values = told_apart.dictionary.take(pa.array(codes[:MOST_KINDS])).to_pylist()
    return [Kind(value, int(many), int(rows[at])) for value, many, at in zip(values, count, first, strict=False)]


def raise_bad_cells(columns: Sequence[BadCells]) -> None:
    """One error for all columns that have bad cells; silent when there are none."""
    bad = [cells for cells in columns if cells.total]
    if bad:
        raise DataError(
            "bad_cells",
            "{sentences}",
            sentences="\n".join(cells.sentence() for cells in bad),
            columns={cells.column: {"total": cells.total, "first": cells.first} for cells in bad},
        )
