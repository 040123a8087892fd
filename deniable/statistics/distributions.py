"""Shares of labels within groups: ratios of unbiased sums, one distribution a group."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from deniable.core.estimate import Estimate
from deniable.core.exact import Floats
from deniable.core.intervals import at_least_direct
from deniable.statistics.functions import Function, factor
from deniable.statistics.moments import Sums
from deniable.statistics.weighted import Weighted, check_group, estimate_of

Group = tuple[tuple[Any, ...], Function, Any]
"""What stands before its labels, who is in it, and the words for that."""


def distribution(
    sums: Sums, of: tuple[str, Sequence[Any], Sequence[Floats]], groups: Sequence[Group], title: str, target: str
) -> Estimate:
    """The distribution of an attribute (its name, labels or bins, and their members) in each of some groups."""
    name, labels, masks = of
    weighted = sums([function for _, group, _ in groups for function in (*(group * factor(name, m) for m in masks), group)])
    totals = weighted.totals()
    values, residuals, names, sizes = [], [], [], []
    known = np.zeros((len(groups) * len(masks),) * 2)
    for g, (prefix, _, words) in enumerate(groups):
        first = g * (len(masks) + 1)
        inside, whole = slice(first, first + len(masks)), first + len(masks)
        check_group(totals[whole], weighted.people, f"distribution of {name}", words)
        shares = totals[inside] / totals[whole]
        values.append(shares)
        sizes += [min(totals[whole], weighted.people)] * len(masks)
        residuals.append((weighted.values[inside] - shares[:, None] * weighted.values[whole]) / totals[whole])
        rows = slice(g * len(masks), (g + 1) * len(masks))
        known[rows, rows] = (np.diag(shares) - np.outer(shares, shares)) / totals[whole]
        names += [(*prefix, label) if prefix else label for label in labels]
    shown = np.concatenate(values)
    errors = weighted.errors(np.vstack(residuals), known, target)
    reach = np.sqrt(np.maximum(np.diag(errors[0]), 0.0))

    def ends(level: float) -> tuple[Floats, Floats]:
        if len(groups) == 1 and (weighted.values[-1] == 1).all():
            # Of everyone: plain shares, not ratios.
            return Weighted(weighted.values[:-1], weighted.n, weighted.stands_for).share_ends(level)
        z = NormalDist().inv_cdf(0.5 + level / 2)
        return at_least_direct((shown - z * reach, shown + z * reach), shown, np.array(sizes), level)

    return estimate_of(shown, errors, names, weighted, target, title, (0.0, 1.0), ends)
