"""Deniability (paper 003): the uncertainty about an answer inside a group of people, as a share of the most there can be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.errors import ParameterError
from deniable.privacy.measures.priors import is_number, over_labels


def deniability(distribution: Any, answers: int | None = None) -> float:
    """-sum p log2 p / log2 n, n being the number of possible answers (003, equation 3).

    1 where all answers are equally frequent, 0 where everyone gave the same. `distribution` holds shares or counts, by label
    or in a list; `answers` is how many are possible if some of them do not occur and are not listed. It says nothing about
    small groups, skew against the whole, or what else an attacker knows; see `minority_share` for its scale.

    >>> import deniable as dn
    >>> dn.privacy.deniability({"yes": 30, "no": 30})
    1.0
    >>> round(dn.privacy.deniability([0.99, 0.01]), 4)
    0.0808
    """
    values = list(distribution.values()) if isinstance(distribution, Mapping) else distribution
    if not hasattr(values, "__len__") or len(values) < 1:
        raise ParameterError(
            "deniability_of", "deniability takes the shares (or counts) of the answers, got {got!r}.", got=distribution
        )
    possible = len(values) if answers is None else answers
    if possible < max(2, len(values)):
        raise ParameterError(
            "answers",
            "deniability: there must be at least {least} possible answers, got {got}.",
            least=max(2, len(values)),
            got=possible,
        )
    listed = over_labels(np.asarray(values), len(values), (), "distribution")
    return float(_levels(listed[None], possible)[0])


def deniability_of_groups(counts: Any, answers: int | None = None) -> Floats:
    """The deniability of many groups at once: one row of counts (or shares) per group, one column per answer.

    `answers` is how many are possible, if some of them have no column.

    >>> deniability_of_groups([[30, 30], [60, 0]]).tolist()
    [1.0, 0.0]
    """
    table = np.asarray(counts, dtype=np.float64)
    return _levels(table / table.sum(axis=1, keepdims=True), table.shape[1] if answers is None else answers)


def _levels(shares: Floats, answers: int) -> Floats:
    bits = -(shares * np.log2(shares, where=shares > 0, out=np.zeros_like(shares))).sum(axis=1)
    levels: Floats = np.maximum(bits, 0.0) / math.log2(answers)
    return levels


def minority_share(level: float, answers: int = 2) -> float:
    """The share of people who did not give the most frequent answer, where deniability is `level` and all other answers are
    equally rare: the number to look at when choosing a level. No group with that level (or more) and that many possible
    answers has a smaller minority.

    The 1/12 of paper 003 (one juror of twelve) is reached by a minority of about 1%, not of 8%.

    >>> import deniable as dn
    >>> round(100 * dn.privacy.minority_share(1 / 12), 2)
    1.04
    >>> dn.privacy.minority_share(1)
    0.5
    """
    if not is_number(level) or not 0 <= level <= 1:
        raise ParameterError("deniability_level", "minority_share: level must lie in [0, 1], got {got!r}.", got=level)
    if not isinstance(answers, int) or answers < 2:
        raise ParameterError("answers", "minority_share: there must be at least 2 answers, got {got!r}.", got=answers)
    low, high = 0.0, 1 - 1 / answers  # deniability rises with the minority between these
    if level == 1:
        return high  # the top is too flat to be searched for
    for _ in range(200):
        middle = (low + high) / 2
        rare = np.full(answers - 1, middle / (answers - 1))
        if deniability([1 - middle, *rare]) < level:
            low = middle
        else:
            high = middle
    return high
