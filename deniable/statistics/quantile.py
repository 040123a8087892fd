"""Quantiles from debiased distribution functions."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

from deniable.core.estimate import Estimate
from deniable.core.exact import Floats
from deniable.statistics.functions import Function, factor
from deniable.statistics.moments import Sums
from deniable.statistics.weighted import check_group

MOST_POINTS = 200


def quantile(sums: Sums, of: tuple[str, Floats], q: float, among: tuple[Any, Function], title: str, target: str) -> Estimate:
    """Where the distribution function, made rising, passes q; its interval is where that function moved by its error does (Woodruff)."""
    (name, numbers), (where, group) = of, among
    order = np.argsort(numbers, kind="stable")
    ranks, values = np.argsort(order, kind="stable"), numbers[order]
    step = max(1, len(numbers) // MOST_POINTS)
    ends = np.arange(step - 1, len(numbers) - 1, step)
    below = [factor(name, (ranks <= end).astype(np.float64)) * group for end in ends]
    weighted = sums([*below, group])
    totals = weighted.totals()
    check_group(totals[-1], weighted.people, f"quantile of {name}", where)
    shares = totals[:-1] / totals[-1]
    residuals = (weighted.values[:-1] - shares[:, None] * weighted.values[-1]) / totals[-1]
    known = np.diag(np.clip(shares * (1 - shares), 0, None) / totals[-1])
    spread = np.sqrt(np.maximum(np.diag(weighted.errors(residuals, known, target)[0]), 0.0))
    shown = values[np.append(ends, len(values) - 1)]

    def at(rising: Floats) -> float:
        return float(shown[min(int(np.searchsorted(np.maximum.accumulate(rising), q)), len(shown) - 1)])

    def interval(level: float) -> tuple[Floats, Floats]:
        # The values at which the distribution function, moved up or down by its own error, passes q.
        reach = NormalDist().inv_cdf(0.5 + level / 2) * spread
        return np.array([at(np.append(shares + reach, 1.0))]), np.array([at(np.append(shares - reach, 1.0))])

    low, high = interval(0.6826894921370859)
    se = float(high[0] - low[0]) / 2
    return Estimate(
        [at(np.append(shares, 1.0))], [name], n=round(weighted.rows), method="joint", target=target, covariance=[[se**2]],
        name=title, limits=(float(values[0]), float(values[-1])), ends=interval,
    )  # fmt: skip
