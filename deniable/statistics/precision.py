"""Parts of a sample that are alike, each counting by its precision.

A respondent of part i counts by 1 / V_i, V_i being the variance of one report's weight under the *design* of that part, at what all parts
together say of the truths. (Weights from each part's own answers would be biased: an answer that happens to be small looks precise.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.errors import NotInvertibleError
from deniable.statistics.counted import Counted
from deniable.statistics.functions import MOST_TERMS, Function, weight_product
from deniable.statistics.weighted import Gradient, Weighted

DIFFERENT = 0.01
"""Below this probability parts differ more than chance explains."""
ROUNDS = 3
"""How often precision is worked out anew from what the parts together say; the second time changes little, the third nothing."""


def by_precision(weighted: Weighted, counted: Sequence[Counted], functions: Sequence[Function], gradient: Gradient) -> Weighted:
    """The same weights, each part counting by the precision of its design at what the parts together say."""
    means = np.array([function.even_mean() for function in functions])
    variances = _Variances(weighted, counted, functions)
    sizes = np.array([part.direct_rows for part in counted])
    counts_as = weighted.counts_as
    for turn in range(ROUNDS):
        rows = gradient(means)
        if rows is None:
            return weighted
        spread = variances.told(rows, means, counts_as if turn else None)
        if not spread.max() > 1e-12 * float((rows**2).sum()):
            # Nothing varies: every part says the same for certain.
            return weighted
        shares = sizes / spread / (sizes / spread).sum()
        people = np.array([part.people for part in counted])
        each = np.divide(shares * people.sum(), people, out=np.zeros(len(people)), where=people > 0)
        counts_as = each[weighted.part]
        means = weighted.values @ (weighted.n * weighted.stands_for * counts_as) / weighted.people
    rows = gradient(means)
    if rows is None:
        return weighted
    pooled = Weighted(weighted.values, weighted.n, weighted.stands_for, weighted.part, counts_as)
    if len(rows) == 1:
        pooled.design_variance = float(np.divide(shares**2 * spread, sizes, out=np.zeros(len(sizes)), where=sizes > 0).sum())
    pooled.assumes = (said_of_parts(shares[shares > 0], difference_probability(pooled, rows @ weighted.values)),)
    return pooled


class _Variances:
    """The variance of one report's residuals under the design of each part."""

    def __init__(self, weighted: Weighted, counted: Sequence[Counted], functions: Sequence[Function]) -> None:
        self._weighted, self._counted, self._functions = weighted, counted, functions

    def told(self, rows: Floats, means: Floats, counts_as: Floats | None) -> Floats:
        """`at`; where a part tells means alone, and so not how much another part's reports vary, as before any answer is looked at."""
        try:
            return self.at(rows, means, counts_as)
        except NotInvertibleError as error:
            if error.code != "means_only" or counts_as is None:
                raise
            return self.at(rows, means, None)

    def at(self, rows: Floats, means: Floats, counts_as: Floats | None) -> Floats:
        """The sum over the rows of their variances, for each part; before any answer is looked at if `counts_as` is None."""
        squares = rows.T @ rows
        pairs = [(a, b) for a in range(len(means)) for b in range(a, len(means)) if squares[a, b]]
        terms = sum(len(self._functions[a].terms) * len(self._functions[b].terms) for a, b in pairs)
        variances = []
        for i, part in enumerate(self._counted):
            if terms > MOST_TERMS // 8:
                variances.append(self._seen(i, rows, means))
                continue
            expected = Function([])
            for a, b in pairs:
                product = weight_product(self._functions[a], self._functions[b], part.schema, part.undo)
                expected = expected + product.times(squares[a, b] * (1 if a == b else 2))
            variances.append(self._mean(expected, counts_as) - float(((rows @ means) ** 2).sum()))
        spread = np.array(variances)
        # Only what is impossible by far gets here, and counts as varying little.
        least: Floats = np.maximum(spread, 1e-6 * max(float(spread.max()), 1e-300))
        return least

    def _mean(self, function: Function, counts_as: Floats | None) -> float:
        """The mean of a function of the truth, one standard error up: near the border of what is possible it may be 0 or below, and
        a handful of undistorted answers would then seem to know everything."""
        if counts_as is None:
            return function.even_mean()
        values = np.concatenate([part.weights([function])[0] for part in self._counted])
        each = self._weighted.stands_for * counts_as
        mean = float(values @ (self._weighted.n * each)) / self._weighted.people
        error = float(np.sqrt(((values - mean) * each) ** 2 @ self._weighted.n)) / self._weighted.people
        return max(mean, 0.0) + error

    def _seen(self, i: int, rows: Floats, means: Floats) -> float:
        """The spread of a part's own reports about what all say: for questions with too many terms to be worked out."""
        inside = self._weighted.part == i
        apart = rows @ self._weighted.values[:, inside] - (rows @ means)[:, None]
        return float((apart**2).sum(axis=0) @ self._weighted.n[inside]) / max(float(self._weighted.n[inside].sum()), 1.0)


def difference_probability(weighted: Weighted, residuals: Floats) -> float:
    """How probable differences between parts as large as these are if the parts are alike (Cochran's Q; Bonferroni over the numbers)."""
    from scipy.special import gammaincc

    each = weighted.n * weighted.stands_for
    whole = residuals @ (each * weighted.counts_as) / weighted.people
    apart = residuals - whole[:, None]
    means, precisions = [], []
    for i in np.unique(weighted.part[each > 0]):
        inside = weighted.part == i
        means.append(apart[:, inside] @ each[inside] / each[inside].sum())
        squared = apart[:, inside] ** 2 @ (each * weighted.stands_for)[inside] / each[inside].sum() ** 2
        precisions.append(np.divide(1.0, squared, out=np.zeros(len(squared)), where=squared > 0))
    mean, precision = np.array(means), np.array(precisions)
    common = np.divide(
        (mean * precision).sum(axis=0), precision.sum(axis=0), out=np.zeros(len(whole)), where=precision.any(axis=0)
    )
    q = ((mean - common) ** 2 * precision).sum(axis=0)
    least = float(np.min(gammaincc((len(means) - 1) / 2, q / 2))) if len(means) > 1 else 1.0
    return min(1.0, len(q) * least)


def said_of_parts(shares: Floats, probability: float) -> str:
    """That parts are taken for alike, how much each counts, and what a test says of it."""
    counts = ", ".join(f"{100 * share:.3g}%" for share in shares)
    said = f"the {len(shares)} parts are alike, so that each counts by its precision ({counts})"
    if probability >= DIFFERENT:
        return f"{said}; a test at the 1% level does not find them different (p = {probability:.2g})"
    return f"{said}; but a test at the 1% level finds that they differ (p = {probability:.1g}): ask each part alone, or take alike=False"
