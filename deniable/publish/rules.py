"""What every group must meet, and which views of the answers each rule looks at."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats


@dataclass
class Rules:
    """What every leaf must meet.

    Parameters
    ----------
    min_deniability : least deniability.
    min_rows : fewest rows.
    max_posterior : largest share of one answer.
    max_skew : largest distance (total variation) of its answers from those of all rows.
    max_skew_ratio : how many times as frequent an answer may be as among all rows.
    max_ruled_out : largest share of an answer among those who did not give another one.

    Examples
    --------
    >>> Rules(0.1, 5, 0.95, 0.4).max_skew_ratio
    inf
    """

    min_deniability: float
    min_rows: int
    max_posterior: float
    max_skew: float
    max_skew_ratio: float = math.inf
    max_ruled_out: float = 1.0

    def for_kernel(self, rows: int, views: Any, outcomes: list[int], whole: Floats) -> tuple[Any, ...]:
        """As the kernel reads it."""
        counts = np.arange(1, rows + 1, dtype=np.float64)
        xlog = np.concatenate([[0.0], counts * np.log2(counts)])
        asked = ruled_out_views(outcomes)
        each = [
            (self.min_deniability * math.log2(k), self.max_ruled_out if v in asked else 1.0) for v, k in enumerate(outcomes)
        ]
        need = np.asarray([(self.min_rows, self.max_skew), *each], dtype=np.float64)
        caps = np.full((len(outcomes), max(outcomes)), float(self.max_posterior))
        if math.isfinite(self.max_skew_ratio):
            for v in single_views(outcomes):
                shares = np.bincount(views[v], weights=whole, minlength=outcomes[v])
                caps[v, : outcomes[v]] = np.minimum(caps[v, : outcomes[v]], self.max_skew_ratio * shares)
        return xlog, views, np.asarray(outcomes), need, caps, whole, np.zeros(max(outcomes), np.int64)


def single_views(outcomes: list[int]) -> list[int]:
    """The views that are one column each: of several columns hidden together the first is their combination.

    >>> single_views([2]), single_views([6, 2, 3])
    ([0], [1, 2])
    """
    return [0] if len(outcomes) == 1 else list(range(1, len(outcomes)))


def ruled_out_views(outcomes: list[int]) -> list[int]:
    """The views of which an attacker may rule out an answer and still be in doubt: those of three answers or more.

    >>> ruled_out_views([2]), ruled_out_views([3]), ruled_out_views([4, 2, 2]), ruled_out_views([9, 3, 3])
    ([], [0], [0], [1, 2])
    """
    return [v for v, k in enumerate(outcomes) if k > 2][-len(single_views(outcomes)) :]
