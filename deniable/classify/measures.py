"""Measures of a classifier: what they are called, of which class they are, and how they follow from a confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deniable.errors import ParameterError

METRICS = ("accuracy", "balanced_accuracy", "sensitivity", "recall", "specificity", "precision", "f1", "auc", "log_loss")
CHANCES = ("auc", "log_loss")
"""These are of the chances that `predict_proba` gives, not of predictions."""
OF_ALL_CLASSES = ("accuracy", "balanced_accuracy", "log_loss")
"""These speak of all classes at once; the others are of one class, or averaged."""
MACRO = "macro average: the mean over the classes, each of which counts the same"
SMALLEST = 1e-9


def metric_names() -> list[str]:
    """The measures there are; F with another weight is written f0.5, f2, ..."""
    return list(METRICS)


def measure(shares: Any, metric: str, positive: int | None = None) -> float:
    """A measure of a confusion matrix of shares [class, prediction]; of one class, or the macro average over those that occur (thesis 2.5).

    >>> measure(np.array([[0.4, 0.1], [0.2, 0.3]]), "accuracy"), measure(np.array([[0.4, 0.1], [0.2, 0.3]]), "sensitivity", 1)
    (0.7, 0.6)
    """
    shares = np.asarray(shares, dtype=np.float64)
    if metric in CHANCES:
        raise ParameterError("metric_of_chances", "{metric} is not known from predictions; it takes chances.", metric=metric)
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


def part_measured(shares: Any, metric: str, positive: int | None = None) -> float | None:
    """Of which part of all people a measure is the share; None for those that are no share of people.

    >>> part_measured(np.array([[0.4, 0.1], [0.2, 0.3]]), "precision", 1), part_measured(np.eye(2) / 2, "f1", 1)
    (0.4, None)
    """
    if metric == "accuracy":
        return 1.0
    if positive is None or metric not in ("sensitivity", "recall", "specificity", "precision"):
        return None
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    part = {"precision": columns[positive], "specificity": rows.sum() - rows[positive]}.get(metric, rows[positive])
    return float(np.clip(part / shares.sum(), SMALLEST, 1))


def _alpha(metric: str, allowed: Sequence[str] = METRICS) -> float:
    try:
        alpha = float(metric[1:]) if metric.startswith("f") else float("nan")
    except ValueError:
        alpha = float("nan")
    if not alpha > 0:
        raise ParameterError(
            "metric", "metric must be one of {allowed} (or f0.5, f2, ...), got {got!r}.", allowed=list(allowed), got=metric
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


def positive_place(classes: Any, pos_label: Any) -> int | None:
    """Where the class stands that a measure is of; None for all of them."""
    if pos_label is None:
        return None
    matches = np.flatnonzero(np.asarray(classes) == pos_label)
    if not matches.size:
        raise ParameterError(
            "pos_label", "pos_label must be one of {allowed}, got {got!r}.", allowed=list(classes), got=pos_label
        )
    return int(matches[0])


def check_metric(metric: Any, of_predictions: bool = False) -> None:
    """Refuse what is no measure, or where only predictions are known what is no measure of them."""
    allowed = [name for name in METRICS if not (of_predictions and name in CHANCES)]
    if not isinstance(metric, str) or metric not in allowed:
        _alpha(str(metric), allowed)
