"""Why cells of chapter 6 of the thesis are not reached, as far as it was found out."""

from __future__ import annotations

from benchmarks.pattern_cells import Cell

UNKNOWN = "Not explained."


def reason(cell: Cell) -> str:
    """A sentence for a cell that is not reached."""
    return UNKNOWN
