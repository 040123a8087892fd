"""Why cells of chapter 6 of the thesis are not reached, as far as it was found out."""

from __future__ import annotations

from benchmarks.pattern_cells import Cell

LAZY_BEHIND_NOISE = (
    "Probably another threshold: the thesis divides P_match by how often a report was seen, so that it is no probability, and its p_thr is "
    "not ours; its own accuracy is higher at 200% of noise than at 150%. More cells (10, 20) do not help."
)
EAGER_BEHIND_NOISE = (
    "Behind noise our cells hold equally many reports, for nobody knows the truths; the thesis cut at equally many true values."
)
LAZY_BEHIND_RETENTION = (
    "Probably the threshold: p_thr of this table is not stated (0.3 is that of the one before), and the thesis takes the probability of a "
    "report given a truth for that of a truth given a report."
)
UNKNOWN = "Not explained."


def reason(cell: Cell) -> str:
    """A sentence for a cell that is not reached."""
    if cell.rows.way == "additive-uniform":
        return LAZY_BEHIND_NOISE if cell.method.startswith("lazy") else EAGER_BEHIND_NOISE
    return LAZY_BEHIND_RETENTION if cell.method.startswith("lazy") else UNKNOWN
