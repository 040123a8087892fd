"""Supports of candidates in a class and among all others, as the methods of mining estimate them, with the randomisation's error."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.classify.patterns.strata import Side, Strata
from deniable.errors import ParameterError
from deniable.mining.counting import Sums
from deniable.mining.packed_rows import PackedRows
from deniable.mining.published import mmask_supports
from deniable.mining.shrinking import TINY, Shrunk

METHODS = ("shrunk", "unbiased", "mmask")


class Following(Shrunk):
    """Shrinks the supports of all candidates of a level, and goes on with those that somebody else keeps."""

    def __init__(self, rows: float, biased: Any) -> None:
        super().__init__(rows, -np.inf, biased)  # type: ignore[arg-type]  # of a hidden class the number of people is no whole one

    def keep(self, chosen: Any) -> None:
        """These candidates are the level below from now on."""
        known = self._new.pop()
        # A set that nobody of a class has is still frequent in another; its logarithm is taken.
        known.support = np.maximum(known.support[chosen], TINY)
        known.noise, known.parents, known.error = known.noise[chosen], known.parents[chosen], known.error[chosen]
        self._new.append(known)
        self.finish()


class SideSupports:
    """Supports of one side, level after level."""

    def __init__(self, side: Side, method: str, strata: Strata, r_threshold: int) -> None:
        self._side, self._r = side, r_threshold
        self._items = strata.table.items
        biased = strata.table.biased
        self._shrunk = Following(side.size, biased) if method == "shrunk" and side.size > 0 else None
        self._packed = _members(side, strata) if method == "mmask" else None

    def level(self, itemsets: Any, parents: Any, parts: Any) -> tuple[Any, Any]:
        """The supports of the candidates of a level, and their errors by the randomisation alone: 0 where nothing is distorted."""
        sums = self._side.sums(parts)
        if self._side.size <= 0:
            return np.zeros(len(itemsets)), np.zeros(len(itemsets))
        if self._shrunk is not None:
            self._shrunk.fit(itemsets, parents, sums)
            _, support, error = self._shrunk(itemsets, parents, sums)
            return support, error
        error = randomisation_error(sums, self._side.size)
        if self._packed is not None:
            return self._mmask(itemsets), error
        return sums.total / self._side.size, error

    def keep(self, chosen: Any) -> None:
        """The candidates that the next level is made of."""
        if self._shrunk is not None:
            self._shrunk.keep(chosen)

    def _mmask(self, itemsets: Any) -> Any:
        assert self._packed is not None
        rows: PackedRows = self._packed
        everyone = np.full(rows.packed.shape[1], np.iinfo(np.uint64).max, np.uint64)
        if rows.rows % 64:
            everyone[-1] = (1 << rows.rows % 64) - 1
        return mmask_supports(rows.packed, everyone, itemsets, self._items, self._r) / rows.rows


def randomisation_error(sums: Sums, size: float) -> Any:
    """The standard errors of unbiased supports as far as the randomisation makes them: sum w^2 - sum w is its variance.

    >>> randomisation_error(Sums(np.zeros(1, int), np.array([40.0]), np.array([40.0])), 100.0).tolist()
    [0.0]
    """
    variance = sums.second - sums.total
    # Rounding is no error: a support that is exactly known is known exactly.
    variance = np.where(variance > 1e-9 * np.maximum(sums.second, 1.0), variance, 0.0)
    return np.sqrt(variance) / size


def _members(side: Side, strata: Strata) -> PackedRows:
    """The rows of one side in one piece: MMASK chooses among them."""
    if not strata.table.items.plain or strata.hidden:
        raise ParameterError(
            "method_needs_flips",
            "method='mmask' knows only attributes that are kept or replaced (KRR, retention, yes/no) and a class that is not hidden. "
            "Use method='unbiased'.",
        )
    chosen = [part for part, weight in zip(strata.rows, side.weights, strict=True) if weight]
    flags = [np.unpackbits(part.packed.view(np.uint8), axis=1, bitorder="little")[:, : part.rows] for part in chosen]
    from deniable.kernels.bits import pack

    together = np.concatenate(flags, axis=1).astype(bool)
    return PackedRows(strata.table.items, together.shape[1], bits=pack(together.T))
