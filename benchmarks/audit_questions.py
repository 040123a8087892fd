"""What the audit asks a `Sample`, and what is true: every statistic but the quantile follows from the means of a few products.

The products are those of functions of x (1, x, x squared, a condition, bins) with functions of g or of y. Their means over a table of true
shares are the truth; over reports taken at face value, or over unbiased weights, they are what other methods say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import deniable as dn
from benchmarks.audit_cases import Y_VALUES, Array, Case, Tables
from deniable.core.domains.bins import true_bins

TARGETS = ("population", "respondents")


@dataclass(frozen=True)
class Means:
    """Means of products: a row for each function of x (`Asked.functions`); columns 1, g == 0, g == 1, and 1, y, y squared."""

    with_g: Array
    with_y: Array


class Asked:
    """The thresholds, bins and functions of x that the questions about a case use."""

    def __init__(self, case: Case) -> None:
        self.case = case
        k = len(case.numbers)
        self.low, self.high = float(case.numbers[0]), float(case.numbers[-1])
        self.t, self.u = float(case.numbers[k // 4]), float(case.numbers[3 * k // 4])
        self.bins = None if k <= 5 else 4

    def functions(self, numbers: Array) -> Array:
        """A row for each number, a column for 1, x, x^2, x <= t, x > u and every bin."""
        if self.bins is None:
            cells = np.clip(np.rint(numbers - self.low), 0, self.high - self.low).astype(np.int64)
            many = round(self.high - self.low) + 1
        else:
            cells, many = true_bins(self.case.channel.domain, self.bins).index(numbers), self.bins
        plain = [np.ones(len(numbers)), numbers, numbers**2, numbers <= self.t, numbers > self.u]
        return np.column_stack([*plain, np.eye(many)[cells]])

    @cached_property
    def true(self) -> Array:
        """The functions of the true values."""
        return self.functions(self.case.numbers)

    @cached_property
    def face_value(self) -> Array:
        """The functions of the reports, taken for true."""
        return self.functions(self.case.reported)

    @cached_property
    def of_g(self) -> Array:
        """The functions of g: 1, g == 0, g == 1."""
        return np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])

    @cached_property
    def of_y(self) -> Array:
        """The functions of y: 1, y, y^2."""
        y = np.arange(Y_VALUES, dtype=np.float64)
        return np.column_stack([np.ones(Y_VALUES), y, y**2])

    def means(self, tables: Tables, x: Array, g: Array | None = None, y: Array | None = None) -> Means:
        """Means of products of functions (or weights) of x with those of g and of y."""
        return Means(x.T @ tables.xg @ (self.of_g if g is None else g), x.T @ tables.xy @ (self.of_y if y is None else y))

    def median(self, shares: Array, numbers: Array) -> float:
        """The lowest number that half of the people do not exceed, within the domain."""
        place = int(np.argmax(np.cumsum(shares) >= 0.5 - 1e-12))
        return float(np.clip(numbers[place], self.low, self.high))


@dataclass(frozen=True)
class Question:
    """A statistic: how a sample is asked, what follows from means of products, and which values are possible."""

    name: str
    ask: Callable[[dn.Sample, Asked, dict[str, Any]], dn.Estimate]
    value: Callable[[Means, Asked], Any] | None
    possible: Callable[[Asked, int], tuple[float, float]]
    per_person: bool = True
    has_target: bool = True
    has_likelihood: bool = True

    def from_means(self, means: Means, asked: Asked, n: int) -> Array | None:
        """The statistic's values; counts are of n people."""
        if self.value is None:
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.atleast_1d(np.asarray(self.value(means, asked), dtype=np.float64))
        return found if self.per_person else n * found

    def truth(self, tables: Tables, asked: Asked, n: int) -> Array:
        """The true values in a population or among the people drawn."""
        if self.value is None:
            return np.array([asked.median(tables.x, asked.case.numbers)])
        found = self.from_means(asked.means(tables, asked.true), asked, n)
        assert found is not None
        return found

    def targets(self) -> tuple[str, ...]:
        """What its error bars may speak about."""
        return TARGETS if self.has_target else TARGETS[:1]


def _correlation(m: Means, _: Asked) -> float:
    _, y, yy = m.with_y[0]
    x, xx, xy = m.with_y[1, 0], m.with_y[2, 0], m.with_y[1, 1]
    spread = (xx - x**2) * (yy - y**2)
    return (xy - x * y) / np.sqrt(spread) if spread > 0 else np.nan


def _regression(m: Means, _: Asked) -> float:
    x, xx, y, xy = m.with_y[1, 0], m.with_y[2, 0], m.with_y[0, 1], m.with_y[1, 1]
    return (xy - x * y) / (xx - x**2)


def _shares(asked: Asked, n: int) -> tuple[float, float]:
    return 0.0, 1.0


def _domain(asked: Asked, n: int) -> tuple[float, float]:
    return asked.low, asked.high


def _bins(asked: Asked) -> dict[str, Any] | None:
    return None if asked.bins is None else {"x": asked.bins}


QUESTIONS: dict[str, Question] = {
    question.name: question
    for question in (
        Question(
            "count", lambda s, a, o: s.count(f"x <= {a.t:.0f}", **o), lambda m, a: m.with_g[3, 0], lambda a, n: (0.0, n), False
        ),
        Question("mean", lambda s, a, o: s.mean("x", **o), lambda m, a: m.with_g[1, 0], _domain),
        Question(
            "mean in a group",
            lambda s, a, o: s.mean("x", where="g == 1", **o),
            lambda m, a: m.with_g[1, 2] / m.with_g[0, 2],
            _domain,
        ),
        Question("distribution", lambda s, a, o: s.distribution("x", bins=a.bins, **o), lambda m, a: m.with_g[5:, 0], _shares),
        Question(
            "distribution in a group",
            lambda s, a, o: s.distribution("x", where="g == 1", bins=a.bins, **o),
            lambda m, a: m.with_g[5:, 2] / m.with_g[0, 2],
            _shares,
        ),
        Question(
            "group among x <= t",
            lambda s, a, o: s.distribution("g", where=f"x <= {a.t:.0f}", **o),
            lambda m, a: m.with_g[3, 1:] / m.with_g[3, 0],
            _shares,
        ),
        Question(
            "crosstab",
            lambda s, a, o: s.crosstab("g", "x", bins=_bins(a), **o),
            lambda m, a: m.with_g[5:, 1:].T.ravel(),
            _shares,
        ),
        Question(
            "difference of shares",
            lambda s, a, o: s.difference(f"x <= {a.t:.0f}", f"x > {a.u:.0f}", **o),
            lambda m, a: m.with_g[3, 0] - m.with_g[4, 0],
            lambda a, n: (-1.0, 1.0),
        ),
        Question(
            "difference of means",
            lambda s, a, o: s.difference("g == 1", "g == 0", of="x", **o),
            lambda m, a: m.with_g[1, 2] / m.with_g[0, 2] - m.with_g[1, 1] / m.with_g[0, 1],
            lambda a, n: (a.low - a.high, a.high - a.low),
        ),
        Question("quantile", lambda s, a, o: s.quantile("x", 0.5, **o), None, _domain),
        Question(
            "correlation", lambda s, a, o: s.correlation("x", "y"), _correlation, lambda a, n: (-1.0, 1.0), True, False, False
        ),
        Question(
            "regression",
            lambda s, a, o: s.regression("y", ["x"]),
            _regression,
            lambda a, n: (-np.inf, np.inf),
            True,
            False,
            False,
        ),
    )
}
