"""Copies of a member learn from drawn rows: each on its own (bagging), or each from what the one before got wrong (boosting)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from deniable.classify.coded_rows import CodedRows
from deniable.classify.tree import ReconstructionTree
from deniable.classify.tree_scoring import leaf_votes
from deniable.errors import ParameterError
from deniable.reconstruction.em import em

BAGGING, BOOSTING, ONCE = "bagging", "boosting", "once"
REDRAWN = 20
"""So many times rows are drawn again if all have the same class."""
NO_MISTAKES = 1.0
"""What the vote of a boosted copy without mistakes counts: as much as one of bagging."""


@dataclass(frozen=True)
class Drawing:
    """How copies get their rows.

    Parameters
    ----------
    max_samples : how many rows are drawn, as a share of all.
    bootstrap : whether a row may be drawn several times.
    by_weights : whether boosting gives rows weights instead of drawing them.
    by_leaves : whether trees classify reported rows by the leaves where their truths probably end.
    """

    max_samples: float
    bootstrap: bool
    by_weights: bool
    by_leaves: bool


@dataclass
class Task:
    """One copy, or one series of boosted copies, of a member."""

    member: int
    how: str
    copies: int
    seed: Any


@dataclass
class Copy:
    """A fitted copy: of which member, how it came about, and how much its vote counts."""

    model: Any
    member: int
    how: str
    weight: float


def train(member: Any, schema: Any, rows: CodedRows, weights: Any, task: Task, drawing: Drawing) -> list[Copy]:
    """The copies of one task. Rows and weights (None: each counts once) are those of all copies."""
    rng = np.random.default_rng(task.seed)
    fresh = [_fresh(member, schema, rng) for _ in range(task.copies)]
    if task.how == BOOSTING:
        return _boosted(fresh, rows, weights, task, drawing, rng)
    if task.how == ONCE or (not drawing.bootstrap and drawing.max_samples == 1.0):
        return [Copy(_fitted(fresh[0], rows, weights), task.member, task.how, 1.0)]
    if drawing.bootstrap:
        chosen, own = drawn(rows, np.ones(len(rows)) if weights is None else weights, drawing.max_samples, rng), None
    else:
        some = max(2, round(drawing.max_samples * len(rows)))
        chosen = rows.order[np.sort(rng.permutation(len(rows))[:some])]
        own = None if weights is None else weights[chosen]
    return [Copy(_fitted(fresh[0], rows.take(chosen), own), task.member, task.how, 1.0)]


def _fresh(member: Any, schema: Any, rng: Any) -> Any:
    """An unfitted copy; one that draws and was given no seed gets one of its own."""
    copy = clone(member).set_params(schema=schema)
    seed = int(rng.integers(1 << 31))
    return copy.set_params(random_state=seed) if copy.get_params().get("random_state", 0) is None else copy


def _fitted(copy: Any, rows: CodedRows, weights: Any) -> Any:
    if weights is None:
        return copy.fit(rows)
    if not has_fit_parameter(copy, "sample_weight"):
        raise ParameterError(
            "member_takes_no_weights",
            "{member} takes no sample weights: leave bootstrap=True and boost_by='drawing', which draw rows by their weights.",
            member=type(copy).__name__,
        )
    return copy.fit(rows, sample_weight=weights)


def drawn(rows: CodedRows, weights: Any, share: float, rng: Any) -> Any:
    """Rows drawn with chances as their weights, as many as the weights add up to, times `share`; two classes among them at least."""
    order = np.lexsort([weights, *rows.codes, rows.classes])
    running = np.cumsum(weights[order])
    many = max(2, round(share * float(running[-1])))
    for _ in range(REDRAWN):
        places = np.searchsorted(running, rng.random(many) * running[-1], side="right")
        chosen = order[np.minimum(places, len(order) - 1)]
        if (rows.classes[chosen] != rows.classes[chosen[0]]).any():
            return chosen
    return order


def _boosted(fresh: list[Any], rows: CodedRows, weights: Any, task: Task, drawing: Drawing, rng: Any) -> list[Copy]:
    """AdaBoost (thesis 2.4.2); with more than two classes as SAMME does. A copy without mistakes is the last one; one that is no better
    than guessing is left out, and the last, too. If it is the first it stays, with a vote that counts nothing."""
    # In an order of their own: sums of the same numbers in another order may differ in the last digit.
    order = rows.order if weights is None else np.lexsort([weights, *rows.codes, rows.classes])
    rows, weights = rows.take(order), None if weights is None else weights[order]
    total = float(len(rows) if weights is None else weights.sum())
    chances = np.full(len(rows), 1 / len(rows)) if weights is None else weights / total
    classes = len(rows.target.labels)
    belongs = true_classes(rows, chances)
    copies: list[Copy] = []
    for model in fresh:
        if drawing.by_weights:
            _fitted(model, rows, chances * total)
        else:
            model.fit(rows.take(drawn(rows, chances * total, drawing.max_samples, rng)))
        wrong, error = mistakes(model, rows, chances, belongs, drawing.by_leaves)
        if error >= 1 - 1 / classes:
            return copies or [Copy(model, task.member, task.how, 0.0)]
        if error <= 0:
            return [*copies, Copy(model, task.member, task.how, NO_MISTAKES)]
        alpha = 0.5 * (np.log((1 - error) / error) + np.log(classes - 1))
        copies.append(Copy(model, task.member, task.how, float(alpha)))
        chances = chances * np.exp(alpha * (2 * wrong - 1))
        chances /= chances.sum()
    return copies


def true_classes(rows: CodedRows, chances: Any) -> Any:
    """P(class | reported class) of every row, [row, class]; what an open class says is so."""
    matrix = rows.target.matrix
    if not rows.target.hidden:
        return matrix[:, rows.classes].T
    counts: Any = np.bincount(rows.classes, chances * len(rows), minlength=matrix.shape[1])
    prior = em(rows.target.channel.law, counts).shares  # type: ignore[union-attr]
    both = prior * matrix[:, rows.classes].T
    return both / np.maximum(both.sum(axis=1, keepdims=True), 1e-300)


def mistakes(model: Any, rows: CodedRows, chances: Any, belongs: Any, by_leaves: bool) -> tuple[Any, float]:
    """The chance that each row is misclassified, and their mean by the rows' chances.

    A reported row is classified by what its reports say through the channels (thesis 7.1), not as if they were true.
    """
    cells = rows.cells_for(model)
    by_leaves = by_leaves and isinstance(model, ReconstructionTree)
    said = (leaf_votes(model, cells) if by_leaves else model._proba_distorted(cells)).argmax(axis=1)
    wrong = 1 - belongs[np.arange(len(said)), said]
    return wrong, float(chances @ wrong)
