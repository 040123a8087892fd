"""Whom to invite: rows ranked by the probability that they meet a condition."""

from __future__ import annotations

import copy
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from deniable.core.domains.exact import Floats
from deniable.core.intervals import check_level
from deniable.errors import ParameterError
from deniable.plurals import counted
from deniable.statistics.hits import SAME, ListedHits

SHOWN_AS_0 = 5e-5
"""With four decimal places, as lists have them. Likelihood seldom comes to exactly 0."""

if TYPE_CHECKING:
    import pandas as pd


class Candidates:
    """Rows (counted from 0) in order of the probability that they meet the condition, and how many of them are expected to.

    `sizes` are the numbers of rows of each part, where the rows come from several: `parts` says which part a row is of, counted from 0 too.
    `kept` are columns of the data that are shown beside the rows, such as receipt codes.

    Equal probabilities are common, and their order must favour nobody: it is drawn. `draw` is what it was drawn by, so that anybody can
    check it: among equals rows stand in the order of the SHA-256 of "DRAW:ROW", rows counted from 1 through all parts. It comes from the
    operating system's randomness. Given beforehand (any text: the numbers of a public lottery), nobody can draw again until they like it.

    >>> listed = Candidates(np.array([0.2, 0.9, 0.5]), size=2)
    >>> listed.rows.tolist(), listed.expected
    ([1, 2], 1.4)
    >>> equals = np.full(5, 0.5)
    >>> first = Candidates(equals, size=2)
    >>> Candidates(equals, size=2, draw=first.draw).rows.tolist() == first.rows.tolist()
    True
    >>> first.cut
    '2 of 5 rows with the same probability are listed, as drawn'
    """

    hits: ListedHits | None = None
    """Counts how many meet the condition, where sums of probabilities would say too many."""
    warnings: tuple[str, ...] = ()
    """Why the probabilities may mean nothing at all."""

    def __init__(
        self,
        probability: Floats,
        size: int | None,
        rng: np.random.Generator | None = None,
        first: Floats | None = None,
        sizes: Sequence[int] = (),
        draw: str | None = None,
        kept: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        if size is not None and not 1 <= size <= len(probability):
            raise ParameterError("candidates_size", "size must lie in 1..{rows:,}, got {got}.", rows=len(probability), got=size)
        if draw is not None and (not isinstance(draw, str) or not draw.strip()):
            raise ParameterError("candidates_draw", "draw is the text that a list was drawn by, got {got!r}.", got=draw)
        self.draw = draw or (secrets.token_hex(16) if rng is None else rng.bytes(16).hex())
        rank = -np.round(np.nan_to_num(probability), SAME) if first is None else -first
        order = np.lexsort((_lots(self.draw, len(probability)), rank))
        starts = np.cumsum([0, *sizes])
        self.parts = np.searchsorted(starts, order, side="right") - 1 if len(sizes) > 1 else None
        self.rows = order if self.parts is None else order - starts[self.parts]
        self.probability = probability[order]
        self.kept = {name: np.asarray(values, dtype=object)[order] for name, values in (kept or {}).items()}
        self._ranks = rank[order]
        self._listed = len(order)
        if size is not None:
            self._shorten(size)

    def _shorten(self, size: int) -> None:
        self.rows, self.probability = self.rows[:size], self.probability[:size]
        self.parts = None if self.parts is None else self.parts[:size]
        self.kept = {name: values[:size] for name, values in self.kept.items()}
        self._listed = len(self.rows)

    def first(self, size: int) -> Candidates:
        """The best `size` of them, or all if there are fewer."""
        fewer = copy.copy(self)
        fewer._shorten(size)
        return fewer

    @property
    def expected(self) -> float:
        """How many of those listed are expected to meet the condition.

        Not the sum of their probabilities: those who come first were lucky, too. Rows are ranked by some of the reports and counted by
        the others (`hits.py`). Behind noise, and for method="iterative", it is the sum.
        """
        return float(np.nansum(self.probability)) if self.hits is None or not len(self) else self.hits.of(len(self)).expected

    def expected_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Between which numbers the number of those listed who meet the condition lies; not a number where that is not known, as
        behind noise.

        >>> Candidates(np.array([0.2, 0.9, 0.5]), size=2).expected_interval()
        (nan, nan)
        """
        check_level(level)
        if self.hits is None or not len(self):
            return float("nan"), float("nan")
        found = self.hits.of(len(self))
        reach = NormalDist().inv_cdf(0.5 + level / 2) * found.se
        return max(found.expected - reach, 0.0), min(found.expected + reach, float(len(self)))

    @property
    def cut(self) -> str:
        """How many of those that are equal to the last one are listed; empty if all are."""
        if not 0 < self._listed < len(self._ranks) or self._ranks[self._listed] != self._ranks[self._listed - 1]:
            return ""
        equals = self._ranks == self._ranks[self._listed - 1]
        inside = int(equals[: self._listed].sum())
        return f"{inside:,} of {counted(int(equals.sum()), 'row')} with the same probability are listed, as drawn"

    @property
    def note(self) -> str:
        """Why the probabilities say nothing, where they do not; else empty.

        >>> Candidates(np.zeros(3), size=None).note.split(":")[0]
        'Every probability is 0, or shown as 0'
        """
        if not len(self) or np.nan_to_num(self.probability).max() >= SHOWN_AS_0:
            return ""
        return (
            "Every probability is 0, or shown as 0: of all the ways in which these reports could have come about, the likeliest is that "
            "nobody meets the condition, and that chance made the reports that look as if somebody did. There are too few "
            "who do to be told from nobody, so the list is hardly better than a draw. Widen the condition, or ask more people."
        )

    def to_frame(self) -> pd.DataFrame:
        """A frame with the row number (and its part, where there are several), what is kept, and the probability, best first.

        `frame.attrs["draw"]` is what equal probabilities were drawn by.
        """
        import pandas as pd

        part = {} if self.parts is None else {"part": self.parts}
        frame = pd.DataFrame({**part, "row": self.rows, **self.kept, "probability": self.probability})
        frame.attrs["draw"] = self.draw
        return frame

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        low, high = self.expected_interval()
        between = "" if np.isnan(low) else f" (95%: {low:,.1f} to {high:,.1f})"
        said = "".join(f"\n{text}" for text in (*self.warnings, self.note, self.cut) if text)
        return (
            f"Candidates: {counted(len(self), 'row')}, {self.expected:,.1f}{between} of them expected to meet the condition "
            f"(draw {self.draw}){said}\n"
            f"{self.to_frame().head(10)}"
        )


def _lots(draw: str, rows: int) -> npt.NDArray[np.uint64]:
    """The first 8 bytes of each row's SHA-256: two rows share them too seldom to matter."""
    begun = hashlib.sha256(f"{draw}:".encode())
    lots = bytearray()
    for row in range(1, rows + 1):
        of_row = begun.copy()
        of_row.update(b"%d" % row)
        lots += of_row.digest()[:8]
    return np.frombuffer(bytes(lots), dtype=">u8").astype(np.uint64)
