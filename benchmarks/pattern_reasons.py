"""Why cells of chapter 6 of the thesis are not reached, as far as it was found out."""

from __future__ import annotations

from benchmarks.pattern_cells import Cell

LAZY_BEHIND_NOISE = (
    "Not explained. With P_match as the thesis prints it, divided by how often a report was seen, Iris at 100% is still lower (0.77 to 0.80"
    " in one distortion)."
)
EAGER_BEHIND_NOISE = (
    "Behind noise our cells hold equally many reports, for nobody knows the truths; the thesis cut at equally many true values."
)
LAZY_BEHIND_RETENTION = (
    "Probably the threshold: p_thr of this table is not stated (0.3 is that of the one before). With P_match as printed, the probability"
    " of a report given a truth, 0.3 gives less (Iris 0.33 to 0.78 in one distortion)."
)
EAGER_OF_MMASK = "MMASK, which is biased where little is kept: with unbiased supports Breast has 0.957 (5 bins) and 0.953 (10)."
UNKNOWN = "Not explained."


def reason(cell: Cell) -> str:
    """A sentence for a cell that is not reached."""
    if cell.rows.way == "additive-uniform":
        return LAZY_BEHIND_NOISE if cell.method.startswith("lazy") else EAGER_BEHIND_NOISE
    if cell.method.startswith("lazy"):
        return LAZY_BEHIND_RETENTION
    return EAGER_OF_MMASK if (cell.rows.dataset, cell.rows.privacy) == ("Breast", "0.15") else UNKNOWN
