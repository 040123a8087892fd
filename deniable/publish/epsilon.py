"""What mixing the groups with all rows promises: epsilon, the mix that it takes, and both in words."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from deniable.errors import Setting
from deniable.privacy.reporting.warnings import WEAK
from deniable.privacy.reporting.words import odds, percent
from deniable.publish.remedies import Write, in_python

TREE_NOT_COVERED = (
    "given the tree (its questions and the sizes of its groups) and the overall shares of the answers as public; the tree itself, which "
    "was found by looking at the answers, is not covered"
)


def epsilon_of(mix: Any, sizes: Any, whole: Any) -> float:
    """The epsilon of publishing leaves of these sizes, mixed with the shares of `whole`.

    A leaf of n rows publishes n draws from q(z) = (1 - mix) c(z) / n + mix P(z). If one answer changes, q(z) changes at most by the
    factor 1 + (1 - mix) / (n mix P(z)), and all n draws can be that z: epsilon = max over leaves and z of n log of it.

    >>> epsilon_of(0, [10], [5, 5]), round(epsilon_of(0.5, [1], [5, 5]), 4), round(epsilon_of(1, [10], [5, 5]), 4)
    (inf, 1.0986, 0.0)
    """
    mixed = float(mix)
    if mixed == 0 or (np.asarray(whole) == 0).any():
        return math.inf
    rarest = np.min(whole) / np.sum(whole)
    n = np.asarray(sizes, dtype=np.float64)
    return float((n * np.log1p((1 - mixed) / (n * mixed * rarest))).max())


def mix_for(epsilon: float, sizes: Any, whole: Any) -> Fraction:
    """The least mix, in thousandths, that keeps epsilon.

    >>> mix_for(2.0, [100], [50, 50])
    Fraction(249, 500)
    """
    return next(
        (Fraction(m, 1000) for m in range(1, 1001) if epsilon_of(Fraction(m, 1000), sizes, whole) <= epsilon), Fraction(1)
    )


def epsilon_in_words(epsilon: float, write: Write = in_python) -> str:
    """What an epsilon promises; `write` says how a face writes settings.

    >>> epsilon_in_words(math.inf)[-54:]
    'Only mixing the groups with the whole (mix) gives one.'
    """
    if math.isinf(epsilon):
        return (
            "no epsilon: one person's answer can decide whether an answer can be drawn in a group at all. Only mixing the groups with the "
            f"whole ({write(Setting('mix'))}) gives one."
        )
    weak = "" if epsilon < WEAK else " That is weak." if epsilon < 2 * WEAK else " That is as good as no epsilon."
    return f"one person's answer changes the chance of any published table {odds(epsilon)}, {TREE_NOT_COVERED}.{weak}"


def mix_in_words(epsilon: float, sizes: Any, whole: Any) -> str:
    """Which mix would give an epsilon that is worth something; for the owner, since it is found from the true answers."""
    if epsilon < WEAK:
        return ""
    # About 1 / (1 + epsilon times the share of the rarest answer), whatever the groups: one answer can change every draw of its group.
    needed = mix_for(WEAK, sizes, whole)
    rest = percent(1 - float(needed))
    if needed == 1:
        return (
            "No mix below 1 gives a useful epsilon here: an answer is too rare. "
            + ("Put rare answers together, or, if" if len(whole) > 2 else "If")
            + " you need an epsilon, randomise each answer by itself instead (deniable randomise)."
        )
    return (
        f"Even for an epsilon of {WEAK:g}, which promises little, the mix would have to be {float(needed):g}: {rest} of each draw "
        "would then come from the group. If you need an epsilon, randomise each answer by itself instead (deniable randomise)."
    )
