"""Information-theoretic measures: how many bits a report says about the truth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from deniable.privacy.measures.priors import AnyChannel, joint, shares


def mutual_information(channel: AnyChannel, prior: Any = None) -> float:
    """I(X; Z) = sum P(x, z) log2( P(x, z) / (P(x) P(z)) ), in bits: what a report says on average about the truth.

    >>> import deniable as dn
    >>> round(dn.privacy.mutual_information(dn.KRR(dn.Binary(), 0.75)), 4)       # 1 - H(0.75)
    0.1887
    """
    together = joint(channel, prior)
    alone = together.sum(axis=1)[:, None] * together.sum(axis=0)[None, :]
    possible = together > 0
    return max(0.0, float(np.sum(together[possible] * np.log2(together[possible] / alone[possible]))))


def min_entropy_leakage(channel: AnyChannel, prior: Any = None) -> float:
    """log2( sum_z max_x P(x, z) / max_x P(x) ), in bits: by how many doublings a report raises the chance of guessing right
    at the first attempt (Smith 2009).

    The uniform prior, the default, gives the largest leakage that any prior can (the min-capacity).

    >>> import deniable as dn
    >>> round(dn.privacy.min_entropy_leakage(dn.KRR(dn.Binary(), 0.75)), 4)      # from 1/2 to 3/4
    0.585
    """
    together = joint(channel, prior)
    return max(0.0, math.log2(float(together.max(axis=0).sum()) / float(shares(channel, prior).max())))
