"""Answers of many classifiers become one: votes counted at one level, in groups, or groups weighed by held-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np

SMALLEST = 1e-3
"""The least chance that a group's answer is taken to give a class, so that one surprise does not decide."""
ROUNDS = 200
CLOSE = 1e-9


def vote_of(chances: Any) -> Any:
    """The one class that each row of chances speaks for, [row, class].

    >>> vote_of(np.array([[0.2, 0.8], [0.6, 0.4]])).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    return (chances.argmax(axis=1)[:, None] == np.arange(chances.shape[1])).astype(np.float64)


def summed(answers: list[Any], weights: Any) -> Any:
    """The weighted mean of answers [row, class]; where no weight is left all count the same.

    >>> summed([np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])], np.array([1.0, 3.0])).tolist()
    [[0.25, 0.75]]
    """
    weights = np.asarray(weights, dtype=np.float64)
    weights = weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1 / len(weights))
    total = np.zeros_like(answers[0])
    for weight, answer in zip(weights, answers, strict=True):
        total += weight * answer
    return total


def multiplied(answers: list[Any], weights: Any) -> Any:
    """The weighted mean of the logarithms of chances, as chances, [row, class]: who is sure counts more than in `summed`.

    >>> multiplied([np.array([[0.5, 0.5]]), np.array([[0.9, 0.1]])], np.array([1.0, 1.0])).round(6).tolist()
    [[0.75, 0.25]]
    """
    floored = [np.maximum(answer, SMALLEST) for answer in answers]
    logs = summed([np.log(answer / answer.sum(axis=1, keepdims=True)) for answer in floored], weights)
    chances = np.exp(logs - logs.max(axis=1, keepdims=True))
    return chances / chances.sum(axis=1, keepdims=True)


def group_weights(chances: Any, belongs: Any) -> Any:
    """How much each group's chances count so that their mean makes held-out classes likeliest (expectation maximisation).

    `chances` are those given to the classes, [group, row, class]; `belongs` is P(its reported class | class) of each row, [row, class].
    A mean of chances, unlike a product, means the same for reports as for truths: so what is learned from reports holds for true rows.
    Every group begins with the weight of one row.

    >>> good, poor = np.array([[0.9, 0.1]] * 50), np.array([[0.5, 0.5]] * 50)
    >>> group_weights(np.stack([good, poor]), np.array([[1.0, 0.0]] * 50)).round(2).tolist()
    [0.96, 0.04]
    """
    floored = np.maximum(chances, SMALLEST)
    likely = np.einsum("grc,rc->rg", floored / floored.sum(axis=2, keepdims=True), belongs)
    groups = likely.shape[1]
    weights = np.full(groups, 1 / groups)
    for _ in range(ROUNDS):
        parts = likely * weights
        parts /= np.maximum(parts.sum(axis=1, keepdims=True), 1e-300)
        new = (parts.sum(axis=0) + 1) / (len(parts) + groups)
        if np.abs(new - weights).max() < CLOSE:
            return new
        weights = new
    return weights
