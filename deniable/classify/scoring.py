"""A classifier's score from distorted rows: from unbiased weights of each (class, prediction) where there are useful ones, else with the
band of a latent class model, else guessed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from deniable.classify.confusion import MODEL, UNBIASED, check_method, not_possible, one_hot
from deniable.classify.measures import (
    CHANCES,
    MACRO,
    OF_ALL_CLASSES,
    check_metric,
    measure,
    metric_label,
    part_measured,
    positive_place,
)
from deniable.classify.world_scores import WORLDS, counted, estimate_of, in_worlds
from deniable.core.estimate import Estimate
from deniable.core.intervals import AtLeastDirect, IntervalRule, Moments, NormalInterval, ScoreInterval
from deniable.errors import ParameterError

MODEL_BASED = (
    "the score is a guess: reports of attributes that matter cannot be undone (noise seen through bins, or groups that share a draw), "
    "so true rows were guessed as if attributes were independent in each class. Its error speaks of the rows alone."
)
IMPOSSIBLE = 4.0
"""So many standard errors outside [0, 1] an unbiased share is no chance any more."""


def score_rows(
    model: Any, codes: Any, reported_class: Any, metric: str, pos_label: Any = None, method: str = "auto", worlds: int = WORLDS
) -> Estimate:
    """How well `predict` does on true rows, from the cells and classes that were reported.

    Parameters
    ----------
    model : a fitted classifier.
    codes : reported cells, [row, attribute].
    reported_class : reported classes.
    metric, pos_label, method : as in `score_distorted`.
    worlds : how many worlds a band is made of; 0 where only the value is wanted.

    Returns
    -------
    Estimate
        The score; without worlds it has no error.

    Examples
    --------
    >>> import deniable as dn, numpy as np
    >>> x = np.array([[0], [1]] * 50)
    >>> model = dn.ReconstructionNaiveBayes().fit(x, x[:, 0])
    >>> float(score_rows(model, x, x[:, 0], "accuracy").value[0])
    1.0
    """
    check_metric(metric)
    check_method(method)
    positive = positive_place(model.classes_, pos_label)
    if len(codes) == 0:
        raise ParameterError("no_rows", "There are no rows to score.")
    if metric in CHANCES and method == UNBIASED:
        not_possible(method, f"{metric} is of chances, not of predictions")
    weights = None if metric in CHANCES else model._unbiased(codes, reported_class, method)
    if weights is not None:
        return score(weights, UNBIASED, model.classes_, metric, pos_label)
    found = in_worlds(model, codes, reported_class, metric, positive, worlds)
    if found is not None:
        return estimate_of(*found, len(codes), metric, pos_label)
    if metric in CHANCES:
        raise ParameterError("no_score_of_chances", "There is no {metric} here: {reason}", metric=metric, reason=MODEL_BASED)
    return score(model._guessed(codes, reported_class), MODEL, model.classes_, metric, pos_label)


def score_true_rows(model: Any, codes: Any, labels: Any, metric: str, pos_label: Any = None) -> Estimate:
    """How well `predict` does on rows whose true cells and classes are known: counted.

    >>> import deniable as dn, numpy as np
    >>> x = np.array([[0], [1]] * 50)
    >>> model = dn.ReconstructionNaiveBayes().fit(x, x[:, 0])
    >>> float(score_true_rows(model, x, x[:, 0], "auc").value[0])
    1.0
    """
    check_metric(metric)
    k = len(model.classes_)
    if metric in CHANCES:
        values = counted(model, codes, labels, metric, positive_place(model.classes_, pos_label))
        return estimate_of(values, UNBIASED, None, len(codes), metric, pos_label)
    predicted = model._proba(codes).argmax(axis=1)
    weights = one_hot(labels, k)[:, :, None] * one_hot(predicted, k)[:, None, :]
    return score(weights, UNBIASED, model.classes_, metric, pos_label)


def score(weights: Any, how: str, classes: Any, metric: str, pos_label: Any = None) -> Estimate:
    """The measure and its error from the weights of each row, [row, class, prediction]."""
    check_metric(metric)
    positive = positive_place(classes, pos_label)
    n = len(weights)
    if n == 0:
        raise ParameterError("no_rows", "There are no rows to score.")
    shares = weights.mean(axis=0)
    value = measure(shares, metric, positive)
    residuals = _residuals(weights, shares, lambda m: measure(m, metric, positive))
    variance = float(residuals @ residuals) / max(n - 1, 1) / n
    name = metric_label(metric, pos_label)
    notes = [MACRO] if positive is None and metric not in OF_ALL_CLASSES else []
    if how == MODEL:
        return Estimate(
            [value], [metric], n=n, method=MODEL, covariance=[[variance]], name=name, no_interval=MODEL_BASED, notes=notes
        )
    rule: IntervalRule | None = None
    if metric == "accuracy":
        # What the weights vary by beyond the right and wrong themselves comes from the randomisation, at any accuracy.
        right = np.trace(weights, axis1=1, axis2=2)
        extra = max(0.0, float((right**2).mean() - right.mean()))
        rule = ScoreInterval(Moments(np.array([value]), np.array([1 + extra]), np.array([extra])), n, "population")
    elif (part := part_measured(shares, metric, positive)) is not None:
        # Of few people who all fared alike no share is certain; an impossible value is cut, which must not make it seem certain either.
        at, inside = np.array([value]), np.clip([value], 0.0, 1.0)
        plain = NormalInterval(np.minimum(at, inside), np.maximum(at, inside), np.sqrt([variance]))
        rule = AtLeastDirect(plain, at, part * n)
    method = UNBIASED if metric == "accuracy" else "ratio of unbiased shares"
    return Estimate([value], [metric], n=n, method=method, covariance=[[variance]], name=name, ends=rule, notes=notes)


def is_impossible(accuracy: Estimate, errors: float = IMPOSSIBLE) -> bool:
    """Whether an unbiased accuracy lies so far outside [0, 1] that the rows cannot have been randomised as they are taken to be.

    The standard error is that of an accuracy of 0 or 1, where all of it comes from the randomisation: that of few rows that all say
    the same would be nought.

    >>> def all_right(rows): return score(np.tile([[1.5, 0.0], [-0.5, 0.0]], (rows, 1, 1)), UNBIASED, [0, 1], "accuracy")
    >>> float(all_right(3).value[0]), is_impossible(all_right(3)), is_impossible(all_right(300))  # of 3 rows none was changed
    (1.5, False, True)
    """
    rule = accuracy._uncertainty.interval_rule
    if not isinstance(rule, ScoreInterval):
        return False
    beyond = max(float(accuracy.value[0]) - 1, -float(accuracy.value[0]))
    return beyond > errors * float(np.sqrt(rule.moments.others[0] / accuracy.n))


def _residuals(weights: Any, shares: Any, function: Callable[[Any], float]) -> Any:
    """What each row moves the measure by (delta method)."""
    step = 1e-6
    slopes = np.empty_like(shares)
    for index in np.ndindex(shares.shape):
        up, down = shares.copy(), shares.copy()
        up[index] += step
        down[index] -= step
        slopes[index] = (function(up) - function(down)) / (2 * step)
    return np.tensordot(weights - shares, slopes, axes=2)


class distorted_scorer:  # noqa: N801 - called like scikit-learn's make_scorer
    """A scorer for `GridSearchCV`, `cross_val_score` and the like whose folds are distorted: `score_distorted` as a number.

    Plain `score` on distorted folds asks how well reports are predicted, which is another question. Of the log loss it is the negative,
    as a search takes more for better.

    >>> import deniable as dn, numpy as np, pandas as pd
    >>> from sklearn.model_selection import cross_val_score
    >>> rng = np.random.default_rng(1)
    >>> y = rng.integers(0, 2, 2_000)
    >>> truth = pd.DataFrame({"a": np.where(rng.random(2_000) < 0.9, y, 1 - y)})
    >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.7)})
    >>> Z = schema.randomise(truth, rng)
    >>> model = dn.ReconstructionNaiveBayes(schema)
    >>> scores = cross_val_score(model, Z, y, scoring=dn.distorted_scorer("accuracy"))
    >>> bool(abs(scores.mean() - 0.9) < 0.1), bool(cross_val_score(model, Z, y).mean() < 0.75)
    (True, True)
    """

    def __init__(self, metric: str = "accuracy", pos_label: Any = None, method: str = "auto") -> None:
        check_metric(metric)
        self.metric = metric
        self.pos_label = pos_label
        self.method = method

    def __call__(self, estimator: Any, Z: Any, y: Any = None, sample_weight: Any = None) -> float:
        if sample_weight is not None:
            raise ParameterError("sample_weight", "distorted_scorer does not take sample weights.")
        steps = getattr(estimator, "steps", None)
        if steps is not None:
            # All but the last step of a pipeline transform rows; the last one is the classifier.
            Z = estimator[:-1].transform(Z) if len(steps) > 1 else Z
            estimator = steps[-1][1]
        if not hasattr(estimator, "score_distorted"):
            raise ParameterError(
                "cannot_score",
                "distorted_scorer needs a classifier with score_distorted, got {got}.",
                got=type(estimator).__name__,
            )
        # A search asks hundreds of times and reads the value alone, so no band is made.
        codes, reported_class = estimator._reported_rows(Z, y)
        scored = score_rows(estimator, codes, reported_class, self.metric, self.pos_label, self.method, worlds=0)
        return -float(scored.value[0]) if self.metric == "log_loss" else float(scored.value[0])

    def __repr__(self) -> str:
        return f"distorted_scorer({self.metric!r}, pos_label={self.pos_label!r}, method={self.method!r})"
