"""Which reports count as having a row's value: those whose truth has it with more than a given probability (P_match, thesis 6.2.1).

P(truth is x | report z, class c) is Bayes' theorem with the distribution of truths in class c, reconstructed from reports; it sums to 1
over x. For numbers and ordered labels `neighbours` cells on either side of x count as x, as far as there are any.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.classify.features import Feature


def match_chances(feature: Feature, shares: Any, neighbours: int) -> Any:
    """[class, report, cell]: the probability that the truth behind a report lies in the neighbourhood of a cell.

    >>> import deniable as dn
    >>> from deniable.classify.features import Hidden
    >>> colour = Hidden("colour", dn.KRR(dn.Nominal(["red", "blue"]), 0.8)).cells(np.ones(2), 10, 10)
    >>> match_chances(colour, np.array([[0.5, 0.5], [0.2, 0.8]]), 0)[:, 0, 0].round(3).tolist()   # reported and asked for: red
    [0.8, 0.5]
    """
    if np.array_equal(feature.matrix, np.eye(feature.cells)):
        chances = np.tile(np.eye(feature.cells), (len(shares), 1, 1))
    else:
        both = shares[:, None, :] * feature.matrix.T[None, :, :]
        total = both.sum(axis=2, keepdims=True)
        chances = np.divide(both, total, out=np.zeros_like(both), where=total > 0)
    if neighbours and feature.ordered:
        inside = feature.cells - feature.n_unordered
        running = np.concatenate([np.zeros((*chances.shape[:2], 1)), np.cumsum(chances[:, :, :inside], axis=2)], axis=2)
        place = np.arange(inside)
        first, last = np.maximum(place - neighbours, 0), np.minimum(place + neighbours + 1, inside)
        chances = chances.copy()
        chances[:, :, :inside] = running[:, :, last] - running[:, :, first]
    return chances


@dataclass(frozen=True)
class Matches:
    """For every attribute whether (class and report, in one number) matches a cell, in one flat array, as the kernels read it."""

    flat: Any
    offsets: Any
    sizes: Any
    reports: Any

    @classmethod
    def of(cls, features: list[Feature], shares: list[Any], least: Mapping[str, float], neighbours: int) -> Matches:
        """Reports that match with a probability above `least` of their attribute."""
        tables = [
            match_chances(feature, share, neighbours) > least[feature.name]
            for feature, share in zip(features, shares, strict=True)
        ]
        offsets = np.concatenate([[0], np.cumsum([table.size for table in tables])])[:-1]
        return cls(
            np.concatenate([table.ravel() for table in tables]),
            offsets.astype(np.int64),
            np.array([table.shape[2] for table in tables], dtype=np.int64),
            np.array([table.shape[1] for table in tables], dtype=np.int64),
        )

    def numbers(self, codes: Any, classes: Any) -> Any:
        """Class and report of rows (rows x attributes) in one number, attributes x rows."""
        return np.ascontiguousarray((classes[:, None] * self.reports + codes).T.astype(np.int32))
