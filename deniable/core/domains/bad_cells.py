"""Cells that do not fit, collected so that one error names them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deniable.core.domains.exact import Ints
from deniable.errors import DataError
from deniable.plurals import counted

BAD_ROWS_SHOWN = 20


class BadCells:
    """The cells of one column that do not fit, kept until the whole column (or file) has been read."""

    def __init__(self, column: str, allowed: str) -> None:
        self.column = column
        self.allowed = allowed
        self.first: list[tuple[int, Any]] = []
        self.total = 0

    def add(self, rows: Ints, values: Sequence[Any], offset: int = 0) -> None:
        """Remember rows (counted from 0 in this piece, which starts `offset` rows into the column)."""
        self.total += len(rows)
        for row, value in zip(rows[: BAD_ROWS_SHOWN - len(self.first)], values, strict=False):
            self.first.append((offset + int(row) + 1, value))

    def sentence(self) -> str:
        """Which rows (counted from 1), what they hold, and what is allowed."""
        shown = ", ".join(f"row {row}: {'missing' if value is None else repr(value)}" for row, value in self.first)
        more = f", and {self.total - len(self.first):,} more" if self.total > len(self.first) else ""
        return f"Column {self.column!r}: {counted(self.total, 'cell does', 'cells do')} not fit ({shown}{more}). Allowed: {self.allowed}."


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
