"""Base scores: what a typical row of a class scores for it, so that classes with many patterns do not win by their number."""

from __future__ import annotations

from typing import Any

import numpy as np


def weighted_percentile(values: Any, weights: Any, percent: float) -> float:
    """The percentile of values, linear between them; one of weight 2 counts as two. With weights of 1 it is numpy's.

    >>> weighted_percentile(np.array([1.0, 2.0, 4.0]), np.ones(3), 75), weighted_percentile(np.array([1.0, 4.0]), np.array([3.0, 1.0]), 75)
    (3.0, 1.75)
    """
    kept = weights > 0
    if not kept.any():
        return 0.0
    order = np.argsort(values[kept], kind="stable")
    values, weights = values[kept][order], weights[kept][order]
    first = np.cumsum(weights) - weights
    last = first + np.maximum(weights - 1, 0.0)
    places = np.stack([first, last], axis=1).ravel()
    return float(np.interp(percent / 100 * (weights.sum() - 1), places, np.repeat(values, 2)))


def base_score(scores: Any, weights: Any, percent: float, mean: float | None) -> float:
    """The percentile of the training rows' scores for their class, never 0.

    Reported rows hold fewer patterns than the true ones, which nobody has seen. But the mean score of true rows is known: every pattern
    adds its contribution times its support. So where rows are distorted the percentile is scaled to that `mean`.
    """
    typical = weighted_percentile(scores, weights, percent)
    seen = float(scores @ weights / weights.sum()) if weights.sum() > 0 else 0.0
    typical = typical if typical > 0 else seen
    if typical <= 0:
        return mean if mean is not None and mean > 0 else 1.0
    return typical if mean is None or mean <= 0 else typical * mean / seen
