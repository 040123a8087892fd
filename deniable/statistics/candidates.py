"""Whom to invite: rows ranked by the probability that they meet a condition."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from deniable.core.exact import Floats
from deniable.errors import ParameterError

if TYPE_CHECKING:
    import pandas as pd


class Candidates:
    """Rows (counted from 0) in order of the probability that they meet the condition, and how many of them are expected to.

    `sizes` are the numbers of rows of each part, where the rows come from several: `parts` says which part a row is of, counted from 0 too.

    >>> found = Candidates(np.array([0.2, 0.9, 0.5]), size=2)
    >>> found.rows.tolist(), found.expected
    ([1, 2], 1.4)
    """

    def __init__(
        self,
        probability: Floats,
        size: int | None,
        rng: np.random.Generator | None = None,
        first: Floats | None = None,
        sizes: Sequence[int] = (),
    ) -> None:
        if size is not None and not 1 <= size <= len(probability):
            raise ParameterError("candidates_size", "size must lie in 1..{rows:,}, got {got}.", rows=len(probability), got=size)
        # Equal probabilities are common; their order must not favour whoever came first.
        tie = np.random.default_rng().random(len(probability)) if rng is None else rng.random(len(probability))
        order = np.lexsort((tie, -np.nan_to_num(probability))) if first is None else np.lexsort((tie, -first))
        chosen = order if size is None else order[:size]
        starts = np.cumsum([0, *sizes])
        self.parts = np.searchsorted(starts, chosen, side="right") - 1 if len(sizes) > 1 else None
        self.rows = chosen if self.parts is None else chosen - starts[self.parts]
        self.probability = probability[chosen]

    def first(self, size: int) -> Candidates:
        """The best `size` of them, or all if there are fewer."""
        fewer = copy.copy(self)
        fewer.rows, fewer.probability = self.rows[:size], self.probability[:size]
        fewer.parts = None if self.parts is None else self.parts[:size]
        return fewer

    @property
    def expected(self) -> float:
        """How many of those listed are expected to meet the condition."""
        return float(np.nansum(self.probability))

    def to_frame(self) -> pd.DataFrame:
        """A frame with the row number (and its part, where there are several) and its probability, best first."""
        import pandas as pd

        part = {} if self.parts is None else {"part": self.parts}
        return pd.DataFrame({**part, "row": self.rows, "probability": self.probability})

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Candidates: {len(self):,} rows, {self.expected:,.1f} of them expected to meet the condition\n{self.to_frame().head(10)}"
