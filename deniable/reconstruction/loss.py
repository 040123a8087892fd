"""How far a reconstructed distribution is from the truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.errors import ParameterError


def information_loss(truth: Any, estimate: Any) -> float:
    """Half the L1 distance of two distributions (paper 001, definition 4.1): 0 is perfect, 1 is no overlap.

    >>> information_loss([0.5, 0.5], [0.75, 0.25])
    0.25
    """
    first, second = np.asarray(truth, dtype=np.float64), np.asarray(getattr(estimate, "value", estimate), dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ParameterError(
            "loss_shapes",
            "information_loss compares two distributions over the same labels, got shapes {a} and {b}.",
            a=first.shape,
            b=second.shape,
        )
    if first.sum() <= 0 or second.sum() <= 0:
        raise ParameterError("loss_empty", "information_loss needs distributions with a positive total.")
    return float(0.5 * np.abs(first / first.sum() - second / second.sum()).sum())
