"""Quantiles from debiased distribution functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.core.estimate import Estimate
from deniable.core.exact import Floats
from deniable.statistics.functions import Function, factor
from deniable.statistics.moments import Sums
from deniable.statistics.weighted import check_group

MOST_POINTS = 200


def quantile(sums: Sums, of: tuple[str, Floats], q: float, among: tuple[Any, Function], title: str, target: str) -> Estimate:
    """Where the distribution function, made rising, passes q; its error there is read off along the values (Woodruff)."""
    (name, numbers), (where, group) = of, among
    step = max(1, len(numbers) // MOST_POINTS)
    ends = np.arange(step - 1, len(numbers) - 1, step)
    below = [factor(name, (np.arange(len(numbers)) <= end).astype(np.float64)) * group for end in ends]
    weighted = sums([*below, group])
    totals = weighted.totals()
    check_group(totals[-1], weighted.people, f"quantile of {name}", where)
    shares = totals[:-1] / totals[-1]
    residuals = (weighted.values[:-1] - shares[:, None] * weighted.values[-1]) / totals[-1]
    known = np.diag(np.clip(shares * (1 - shares), 0, None) / totals[-1])
    spread = np.sqrt(np.maximum(np.diag(weighted.errors(residuals, known, target)[0]), 0.0))
    rising = np.maximum.accumulate(np.clip(np.append(shares, 1.0), 0.0, 1.0))
    values = numbers[np.append(ends, len(numbers) - 1)]

    def at(share: float) -> float:
        return float(values[np.searchsorted(rising, share)]) if share < 1 else float(values[-1])

    here = min(int(np.searchsorted(rising, q)), len(spread) - 1)
    se = (at(min(q + spread[here], 1.0)) - at(max(q - spread[here], 0.0))) / 2
    return Estimate(
        [at(q)], [name], n=round(weighted.rows), method="joint", target=target, covariance=[[se**2]], name=title,
        limits=(float(numbers[0]), float(numbers[-1])),
    )  # fmt: skip
