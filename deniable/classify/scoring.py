"""Measures of a classifier from the (estimated) shares of each (class, prediction), with their errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from deniable.classify.confusion import MODEL, UNBIASED
from deniable.core.estimate import Estimate
from deniable.core.intervals import Moments, ScoreInterval
from deniable.errors import ParameterError

METRICS = ("accuracy", "balanced_accuracy", "sensitivity", "recall", "specificity", "precision", "f1")
MODEL_BASED = (
    "the score is model-based: true rows were guessed as if attributes were independent in each class, and as far as they are not the "
    "score is off, usually too high. Its error speaks of the rows alone."
)
OF_ALL_CLASSES = ("accuracy", "balanced_accuracy")
"""These speak of all classes at once; the others are of one class, or averaged."""
MACRO = "macro average: the mean over the classes, each of which counts the same"
SMALLEST = 1e-9
IMPOSSIBLE = 4.0
"""So many standard errors outside [0, 1] an unbiased share is no chance any more."""


def metric_names() -> list[str]:
    """The measures there are; F with another weight is written f0.5, f2, ..."""
    return list(METRICS)


def measure(shares: Any, metric: str, positive: int | None = None) -> float:
    """A measure of a confusion matrix of shares [class, prediction]; of one class, or the macro average over those that occur (thesis 2.5).

    >>> measure(np.array([[0.4, 0.1], [0.2, 0.3]]), "accuracy"), measure(np.array([[0.4, 0.1], [0.2, 0.3]]), "sensitivity", 1)
    (0.7, 0.6)
    """
    shares = np.asarray(shares, dtype=np.float64)
    right, rows, columns, all_ = np.diag(shares), shares.sum(axis=1), shares.sum(axis=0), shares.sum()
    if metric == "accuracy":
        return float(right.sum() / all_)
    present = rows > SMALLEST
    recall = np.divide(right, rows, out=np.zeros_like(rows), where=present)
    if metric == "balanced_accuracy":
        return float(recall[present].mean())
    if metric in ("sensitivity", "recall"):
        each = recall
    elif metric == "specificity":
        others = all_ - rows
        each = np.divide(others - columns + right, others, out=np.zeros_like(rows), where=others > SMALLEST)
    elif metric == "precision":
        each = np.divide(right, columns, out=np.zeros_like(rows), where=columns > SMALLEST)
    else:
        alpha2 = _alpha(metric) ** 2
        # (1 + a2) precision recall / (a2 precision + recall), errata of thesis 2.5, in terms of shares.
        below = alpha2 * rows + columns
        each = np.divide((1 + alpha2) * right, below, out=np.zeros_like(rows), where=below > SMALLEST)
    return float(each[positive] if positive is not None else each[present].mean())


def _alpha(metric: str) -> float:
    try:
        alpha = float(metric[1:]) if metric.startswith("f") else float("nan")
    except ValueError:
        alpha = float("nan")
    if not alpha > 0:
        raise ParameterError(
            "metric", "metric must be one of {allowed} (or f0.5, f2, ...), got {got!r}.", allowed=list(METRICS), got=metric
        )
    return alpha


def metric_label(metric: str, pos_label: Any = None) -> str:
    """A measure as people should read it: of which class it is, or that it is averaged.

    >>> metric_label("f1"), metric_label("f1", "yes"), metric_label("accuracy")
    ('f1 (macro average)', 'f1 of yes', 'accuracy')
    """
    if metric in OF_ALL_CLASSES:
        return metric
    return f"{metric} (macro average)" if pos_label is None else f"{metric} of {pos_label}"


def check_metric(metric: Any) -> None:
    """Refuse what is no measure."""
    if not isinstance(metric, str) or metric not in METRICS:
        _alpha(str(metric))


def score(weights: Any, how: str, classes: Any, metric: str, pos_label: Any = None) -> Estimate:
    """The measure and its error from the weights of each row, [row, class, prediction]."""
    check_metric(metric)
    positive = None
    if pos_label is not None:
        matches = np.flatnonzero(np.asarray(classes) == pos_label)
        if not matches.size:
            raise ParameterError(
                "pos_label", "pos_label must be one of {allowed}, got {got!r}.", allowed=list(classes), got=pos_label
            )
        positive = int(matches[0])
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
    rule = None
    if metric == "accuracy":
        # What the weights vary by beyond the right and wrong themselves comes from the randomisation, at any accuracy.
        right = np.trace(weights, axis1=1, axis2=2)
        extra = max(0.0, float((right**2).mean() - right.mean()))
        rule = ScoreInterval(Moments(np.array([value]), np.array([1 + extra]), np.array([extra])), n, "population")
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

    Plain `score` on distorted folds asks how well reports are predicted, which is another question.

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
        scored = estimator.score_distorted(Z, y, metric=self.metric, pos_label=self.pos_label, method=self.method)
        return float(scored.value[0])

    def __repr__(self) -> str:
        return f"distorted_scorer({self.metric!r}, pos_label={self.pos_label!r}, method={self.method!r})"
