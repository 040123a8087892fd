"""Estimates that left [0, 1]: bring them back, or leave them."""

from __future__ import annotations

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.errors import ParameterError

WAYS = ("raw", "clip", "project")


def project(shares: Floats) -> Floats:
    """The nearest point of the simplex in Euclidean distance (Duchi et al. 2008): subtract one number, cut at 0.

    >>> project(np.array([0.9, 0.3, -0.2])).round(3).tolist()
    [0.8, 0.2, 0.0]
    """
    falling = np.sort(shares)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(shares) + 1)
    last = np.flatnonzero(falling > excess)[-1]
    nearest: Floats = np.maximum(shares - excess[last], 0.0)
    return nearest


def clip(shares: Floats) -> Floats:
    """Negative shares become 0 and the rest is scaled to sum to 1: the usual remedy, and a biased one.

    >>> clip(np.array([0.9, 0.3, -0.2])).round(3).tolist()
    [0.75, 0.25, 0.0]
    """
    kept = np.maximum(shares, 0.0)
    scaled: Floats = kept / kept.sum()
    return scaled


def to_simplex(shares: Floats, way: str) -> Floats:
    """`shares` as they are ("raw"), clipped ("clip") or projected ("project")."""
    if way not in WAYS:
        raise ParameterError("negative", "negative must be one of {allowed}, got {got!r}.", allowed=list(WAYS), got=way)
    if way == "raw":
        return shares
    return clip(shares) if way == "clip" else project(shares)


def nearest_possible(values: Floats, limits: tuple[float, float] | None, whole: int = 1) -> Floats:
    """The nearest values within their limits; each `whole` of them are shares that add up to 1 afterwards.

    >>> nearest_possible(np.array([1.25, -0.25]), (0.0, 1.0), whole=2).tolist(), nearest_possible(np.array([7.0]), (1.0, 5.0)).tolist()
    ([1.0, 0.0], [5.0])
    """
    if limits is None:
        return values
    if whole > 1:
        return np.concatenate(
            [project(shares) if np.isfinite(shares).all() else shares for shares in values.reshape(-1, whole)]
        )
    return np.clip(values, *limits)
