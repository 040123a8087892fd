"""Basic privacy: how often an attacker who sees a report fails to get an entry back."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.privacy.measures.priors import AnyChannel, code_of, joint, shares


def basic_privacy(channel: AnyChannel, prior: Any = None, label: Any = None) -> float:
    """1 - sum_z P(z | x) P(x | z) for x = `label`, by default the last one: "present", "yes" (thesis 3.5.1).

    For MASK's two factors and the average support s of an item this is
    1 - p^2 s / (s p + (1 - s)(1 - q)) - (1 - p)^2 s / (s (1 - p) + (1 - s) q): of the people for whom `label` is true, the
    share whose truth is missed by an attacker who draws a guess from what the report leaves possible. (The thesis'
    words describe the complement; its formula is this one.)

    >>> import deniable as dn
    >>> [round(100 * dn.privacy.basic_privacy(dn.Flip(0.5, q), 0.107), 1) for q in (0.97, 0.87, 0.77)]
    [63.8, 81.0, 86.1]
    """
    together = joint(channel, prior)
    x = channel.law.inputs - 1 if label is None else code_of(channel, label)
    before = shares(channel, prior)[x]
    if before == 0:
        return 1.0
    reported = together.sum(axis=0)
    possible = reported > 0
    # P(z | x) P(x | z) = P(x, z)^2 / (P(x) P(z))
    return 1.0 - float(np.sum(together[x, possible] ** 2 / reported[possible]) / before)
