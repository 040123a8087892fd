"""Who is taken for what, estimated from distorted rows: for each row a weight of every (class, prediction).

The mean over rows of unbiased weights is unbiased for the confusion matrix of `predict` on true rows. Weights are found where the
prediction depends on few hidden cells (all their combinations are tried), or on one group that shares a draw (paper 004, 3.4).
Elsewhere `world_scores.py` scores. What it cannot do is guessed here: true rows drawn from their posterior under the fitted model.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from deniable.classify.shared import SharedDraw
from deniable.core.channels.operators import FloatTable
from deniable.errors import NotInvertibleError, ParameterError

METHODS = ("auto", "unbiased", "model")
UNBIASED, MODEL = "unbiased", "model-based"
USEFUL_ERROR = 0.05
"""With method="auto" unbiased weights are used while the error to be expected of them stays below."""

MOST_INFLATION = 400.0
"""What keeps one answer in twenty and replaces the others multiplies variances by that much. Wilder ones are those of noise."""
MOST_COMBINATIONS = 4_096
MOST_IN_GROUP = 1 << 16
MOST_EVALUATIONS = 20_000_000
CELLS_AT_ONCE = 2_000_000
INNOCUOUS_DRAWS = 16
POSTERIOR_DRAWS = 16


def class_weights(matrix: Any) -> Any:
    """Row z, column c: the unbiased weight of class c when z was reported; None if reports do not determine it."""
    try:
        return FloatTable(np.asarray(matrix)).inverse
    except NotInvertibleError:
        return None


def scaled(rows: Any) -> Any:
    """Rows of numbers of at least 0 as chances; equal ones where there is nothing.

    >>> scaled(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    total = rows.sum(axis=1, keepdims=True)
    return np.divide(rows, total, out=np.full_like(rows, 1 / rows.shape[1]), where=total > 0)


def inflation(weights: Any) -> float:
    """By how much undoing a channel multiplies the variance of a typical indicator."""
    return float((weights**2).sum() / weights.shape[1])


def usable_inverse(feature: Any) -> Any:
    """Unbiased weights of an attribute's cells; None where there are none, or ones so large that no number of rows is enough."""
    inverse = feature.inverse()
    return None if inverse is None or inflation(inverse) > MOST_INFLATION else inverse


def group_inflation(group: SharedDraw) -> float:
    """The same of a group that shares a draw."""
    theta = group.theta
    if group.flips:
        return (theta**2 + (1 - theta) ** 2) / max((2 * theta - 1) ** 2, 1e-300)
    return 1 / theta**2


def useful(variance: float, rows: int, method: str) -> bool:
    """Whether unbiased weights of that variance are worth having; asked for by name they always are."""
    return method == UNBIASED or 0.5 * math.sqrt(variance / max(rows, 1)) <= USEFUL_ERROR


def check_method(method: str) -> None:
    """Refuse what is no way of scoring."""
    if method not in METHODS:
        raise ParameterError("method", "method must be one of {allowed}, got {got!r}.", allowed=list(METHODS), got=method)


def not_possible(method: str, reason: str) -> Any:
    """Nothing, for the model to be asked. Unbiased weights that were asked for by name and do not exist are an error."""
    if method == UNBIASED:
        raise ParameterError(
            "no_unbiased_score", "There is no unbiased score here: {reason}. Use method='model'.", reason=reason
        )


def one_hot(predicted: Any, classes: int) -> Any:
    """[row, prediction]"""
    return (predicted[:, None] == np.arange(classes)).astype(np.float64)


def grid_confusion(model: Any, codes: Any, reported_class: Any, method: str) -> Any:
    """Unbiased weights for a classifier that looks at all cells at once; None where the model must be asked."""
    if method == "model":
        return None
    classes = len(model.classes_)
    hidden = [i for i, f in enumerate(model.features_) if not np.array_equal(f.matrix, np.eye(f.cells))]
    groups = [group for group in model.groups_ if set(group.members) & set(hidden)]
    grouped = {i for group in groups for i in group.members}
    singles = [i for i in hidden if i not in grouped]
    with_class = bool(groups) and groups[0].class_name is not None
    of_class: Any = None if with_class else class_weights(model.target_.matrix)
    if of_class is None and not with_class:
        return not_possible(method, "the reported class does not determine the class")
    if len(groups) > 1 or (groups and singles):
        return not_possible(method, "the prediction depends on several draws, one of them of a group")
    variance = 1.0 if with_class else inflation(of_class)

    def predicted(cells: Any) -> Any:
        return one_hot(model._proba(cells).argmax(axis=1), classes)

    if not hidden:
        if not useful(variance, len(codes), method):
            return None
        return of_class[reported_class][:, :, None] * predicted(codes)[:, None, :]
    if groups:
        if groups[0].flips and groups[0].theta == 0.5:
            return not_possible(method, "a flip with probability 1/2 says nothing")
        if not useful(variance * group_inflation(groups[0]), len(codes), method):
            return None
        return _of_group(model, groups[0], codes, reported_class, of_class, predicted)
    inverses = [model.features_[i].inverse() for i in singles]
    size = math.prod(model.features_[i].cells for i in singles)
    if any(inverse is None for inverse in inverses):
        return not_possible(method, "an attribute is hidden by noise and seen through bins, or cannot be undone")
    if size > MOST_COMBINATIONS or size * len(codes) > 5 * MOST_EVALUATIONS:
        return not_possible(method, f"the prediction depends on {size:,} combinations of hidden cells")
    for inverse in inverses:
        variance *= inflation(inverse)
    if not useful(variance, len(codes), method):
        return None
    chances = _of_singles(model, singles, inverses, codes, predicted)
    return of_class[reported_class][:, :, None] * chances[:, None, :]


def _draws(model: Any) -> Any:
    """Draws that stand for a sum too long to write out: the same every time, unless the classifier's random_state says otherwise."""
    return check_random_state(0 if model.random_state is None else model.random_state)


def _combinations(sizes: list[int]) -> Any:
    return np.indices(sizes).reshape(len(sizes), -1).T.astype(np.int32)


def _by_open_part(codes: Any, hidden: list[int]) -> Any:
    """Rows that agree in everything undistorted: one of each, and which one every row is."""
    rest = [i for i in range(codes.shape[1]) if i not in hidden]
    if not rest:
        return codes[:1], np.zeros(len(codes), dtype=np.int64)
    _, first, inverse = np.unique(codes[:, rest], axis=0, return_index=True, return_inverse=True)
    return codes[first], inverse.reshape(-1)


def _of_singles(model: Any, places: list[int], inverses: list[Any], codes: Any, predicted: Any) -> Any:
    grid = _combinations([model.features_[i].cells for i in places])
    kinds, kind = _by_open_part(codes, places)
    chances = np.empty((len(codes), len(model.classes_)))
    for j, example in enumerate(kinds):
        rows = np.flatnonzero(kind == j)
        cells = np.repeat(example[None, :], len(grid), axis=0)
        cells[:, places] = grid
        outcome = predicted(cells)
        for some in np.array_split(rows, 1 + len(rows) * len(grid) // CELLS_AT_ONCE):
            weights = np.ones((len(some), 1))
            for place, inverse in zip(places, inverses, strict=True):
                undone = inverse[codes[some, place]]
                weights = (weights[:, :, None] * undone[:, None, :]).reshape(len(some), -1)
            chances[some] = weights @ outcome
    return chances


def _of_group(model: Any, group: SharedDraw, codes: Any, reported_class: Any, of_class: Any, predicted: Any) -> Any:
    """w(z) = (f(z) - (1 - theta) E_q f) / theta; of a joint flip, f and its mirror image are unmixed."""
    classes = len(model.classes_)
    with_class = group.class_name is not None
    of_row = one_hot(reported_class, classes) if with_class else of_class[reported_class]
    told = of_row[:, :, None] * predicted(codes)[:, None, :]
    theta = group.theta
    if group.flips:
        mirrored = codes.copy()
        mirrored[:, group.members] = 1 - mirrored[:, group.members]
        of_row = of_row[:, ::-1] if with_class else of_row
        turned = of_row[:, :, None] * predicted(mirrored)[:, None, :]
        return (theta * told - (1 - theta) * turned) / (2 * theta - 1)
    instead = _innocuous_outcome(model, group, codes, predicted)
    if instead.ndim == 2:
        class_part = np.broadcast_to(group.of_class(), of_row.shape) if with_class else of_row
        instead = class_part[:, :, None] * instead[:, None, :]
    return (told - (1 - theta) * instead) / theta


def _innocuous_outcome(model: Any, group: SharedDraw, codes: Any, predicted: Any) -> Any:
    """For each row the chance of every prediction if the group's cells were innocuous ([row, prediction]); with the class where
    innocuous answers depend on each other ([row, class, prediction])."""
    classes = len(model.classes_)
    kinds, kind = _by_open_part(codes, group.members)
    sizes = [feature.cells for feature in group.features]
    jointly = group.class_name is not None and not group.independent
    if math.prod(sizes) <= MOST_IN_GROUP and math.prod(sizes) * len(kinds) <= MOST_EVALUATIONS:
        grid = _combinations(sizes)
        if jointly:
            chances = np.column_stack([group.innocuous(grid, np.full(len(grid), c)) for c in range(classes)])
        else:
            chances = group.innocuous(grid)[:, None]
        outcomes = np.empty((len(kinds), chances.shape[1], classes))
        for j, example in enumerate(kinds):
            cells = np.repeat(example[None, :], len(grid), axis=0)
            cells[:, group.members] = grid
            outcomes[j] = chances.T @ predicted(cells)
        return outcomes[kind] if jointly else outcomes[kind, 0]
    if not group.independent:
        raise ParameterError(
            "group_too_large",
            "Group {name!r} has too many combinations of cells to score; use method='model'.",
            name=group.channel.name,
        )
    # Drawn anew for every row: still unbiased, and the spread of the rows' weights holds what the draws add.
    rng = _draws(model)
    margins = [np.cumsum(margin) for margin in group.margins()]
    total = np.zeros((len(codes), classes))
    for _ in range(INNOCUOUS_DRAWS):
        cells = codes.copy()
        for place, running in zip(group.members, margins, strict=True):
            cells[:, place] = np.minimum(
                np.searchsorted(running, rng.random_sample(len(codes)) * running[-1]), len(running) - 1
            )
        total += predicted(cells)
    return total / INNOCUOUS_DRAWS


def sampled_confusion(model: Any, codes: Any, reported_class: Any) -> Any:
    """Naive Bayes: classes and true cells drawn from their posterior given all reports of a row, then predicted."""
    rng = _draws(model)
    n, classes = len(codes), len(model.classes_)
    chances = np.cumsum(model._proba_distorted(codes, reported_class), axis=1)
    grouped = {i for group in model.groups_ for i in group.members}
    tables = {
        i: np.cumsum(_posterior(model.shares_[i], feature.matrix), axis=2)
        for i, feature in enumerate(model.features_)
        if i not in grouped
    }
    terms = [model._group_terms(group, codes, reported_class) for group in model.groups_]
    total = np.zeros((n, classes, classes))
    rows = np.arange(n)
    for _ in range(POSTERIOR_DRAWS):
        c = np.minimum((chances < rng.random_sample(n)[:, None]).sum(axis=1), classes - 1)
        cells = codes.copy()
        for i, running in tables.items():
            of_cells = running[c, codes[:, i]]
            cells[:, i] = np.minimum(
                (of_cells < rng.random_sample(n)[:, None] * of_cells[:, -1:]).sum(axis=1), of_cells.shape[1] - 1
            )
        for group, (told, otherwise, _) in zip(model.groups_, terms, strict=True):
            both = told[rows, c] + otherwise[rows, c]
            replaced = rng.random_sample(n) * both > told[rows, c]
            for i in group.members:
                if group.flips:
                    cells[replaced, i] = 1 - codes[replaced, i]
                else:
                    running = np.cumsum(model.shares_[i], axis=1)[c[replaced]]
                    cells[replaced, i] = np.minimum(
                        (running < rng.random_sample(int(replaced.sum()))[:, None]).sum(axis=1), running.shape[1] - 1
                    )
        total[rows, c, model._proba(cells).argmax(axis=1)] += 1
    return total / POSTERIOR_DRAWS


def _posterior(shares: Any, matrix: Any) -> Any:
    """[class, reported cell, true cell]"""
    both = shares[:, None, :] * matrix.T[None, :, :]
    return both / np.maximum(both.sum(axis=2, keepdims=True), 1e-300)
