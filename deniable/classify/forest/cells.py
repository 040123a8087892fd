"""Attributes as a forest weighs them: what each report says about each cell, undone draw by draw."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.classify.features import Feature
from deniable.classify.shared import SharedDraw
from deniable.errors import SchemaError
from deniable.kernels.path_weights import ForestCells

WILDEST = 10.0
"""The largest weight of a cell: about that of an answer which is kept once in ten. Larger ones, as noise has them, are bounded at the price
of a bias."""
FIRST_RIDGE = 1e-6


def bounded_inverse(matrix: Any, wildest: float = WILDEST) -> Any:
    """Row z, column x: what the report z says for the cell x. No number is larger than `wildest`, and each row sums to 1.

    The inverse of a wild channel is pulled toward "this report says nothing" (every cell has its equal share), by no more than it takes:
    among weights W they minimise, cells being equally frequent, squares of the bias plus a ridge times squares of the weights.

    >>> channel = np.array([[0.5, 0.3, 0.2], [0.3, 0.4, 0.3], [0.2, 0.3, 0.5]])
    >>> float(abs(np.linalg.inv(channel)).max().round(1)), float(abs(bounded_inverse(channel, 3.0)).max().round(1))
    (7.0, 3.0)
    """
    cells = len(matrix)
    prior = np.full(cells, 1 / cells)
    reports = np.maximum(prior @ matrix, 1e-12)
    square, aim = matrix.T @ matrix / cells, matrix.T / cells

    def weights(ridge: float) -> Any:
        return np.linalg.solve(square + ridge * np.diag(reports), aim + ridge * np.outer(reports, prior))

    low, high = 0.0, FIRST_RIDGE
    while np.abs(weights(high)).max() > wildest:
        low, high = high, high * 4
    for _ in range(30):
        middle = (low + high) / 2
        if middle > 0 and np.abs(weights(middle)).max() > wildest:
            low = middle
        else:
            high = middle
        if high - low < 1e-3 * high:
            break
    return weights(high)


def cell_weights(feature: Feature) -> Any:
    """What each report says for each cell: the unbiased inverse, a bounded one where that is wild; None if reports say nothing."""
    if np.allclose(feature.matrix, feature.matrix[:1]):
        return None
    inverse = feature.inverse()
    return inverse if inverse is not None and np.abs(inverse).max() <= WILDEST else bounded_inverse(feature.matrix)


def is_open(feature: Feature) -> bool:
    """Whether reports are the truth."""
    return np.array_equal(feature.matrix, np.eye(feature.cells))


def forest_cells(features: list[Feature], groups: list[SharedDraw]) -> ForestCells:
    """The attributes for the kernels, with one draw for each group that shares one."""
    size = np.array([feature.cells for feature in features], dtype=np.int64)
    reports = np.array([feature.matrix.shape[1] for feature in features], dtype=np.int64)
    open_ = np.array([is_open(feature) for feature in features])
    draw = np.arange(len(features))
    part, other_part = np.ones(len(features)), np.zeros(len(features))
    told: list[Any] = [None if done else cell_weights(feature) for feature, done in zip(features, open_, strict=True)]
    other: list[Any] = [None if table is None else np.zeros_like(table) for table in told]
    for group in groups:
        _undo_together(group, draw, part, other_part, told, other, open_)
    starts, at = np.zeros(len(features), dtype=np.int64), 0
    for i, table in enumerate(told):
        starts[i] = at
        if table is not None:
            at += table.size
        elif not open_[i]:
            size[i] = 1
    of_told, of_other = (
        np.concatenate([*(table.ravel() for table in tables if table is not None), np.zeros(1)]) for tables in (told, other)
    )
    ordered = np.array([feature.ordered * (1 + bool(feature.n_unordered)) for feature in features], dtype=np.int64)
    return ForestCells(size, reports, ordered, open_, draw, starts, of_told, of_other, part, other_part)


def _undo_together(
    group: SharedDraw, draw: Any, part: Any, other_part: Any, told: list[Any], other: list[Any], open_: Any
) -> None:
    """Members of a group are told together, or replaced (or turned round) together: the weight of sets of several is a sum of two
    products, one for each case."""
    if not group.independent:
        raise SchemaError(
            "forest_and_innocuous",
            "UnbiasedForest cannot learn from the group {group!r}: its innocuous answers depend on each other. Use "
            "dn.ReconstructionNaiveBayes, or declare the group without `innocuous`.",
            group=group.channel.name,
        )
    first, theta = group.members[0], group.theta
    for place, feature, margin in zip(group.members, group.features, group.margins(), strict=True):
        if (group.flips and theta == 0.5) or theta == 0:
            told[place] = other[place] = None
            open_[place] = False
            continue
        draw[place], open_[place] = first, False
        told[place] = np.eye(feature.cells)
        other[place] = told[place][::-1] if group.flips else np.tile(margin, (feature.cells, 1))
    if group.flips and theta != 0.5:
        part[first], other_part[first] = theta / (2 * theta - 1), -(1 - theta) / (2 * theta - 1)
    elif not group.flips and theta > 0:
        part[first], other_part[first] = 1 / theta, -(1 - theta) / theta
