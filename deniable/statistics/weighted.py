"""Sums of unbiased weights over cells of reports, and their errors: what every estimate of a Sample is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from deniable.core.estimate import Estimate
from deniable.core.exact import Floats
from deniable.core.intervals import Moments, at_least_direct, score_interval
from deniable.errors import NoIntervalError

SMALLEST_GROUP = 1e-9


class Weighted:
    """Unbiased weights of several functions on every cell of reports, with how often each cell occurs and, in a weighted
    sample, how many people each of its respondents stands for."""

    def __init__(self, values: Floats, n: Floats, stands_for: Floats) -> None:
        self.values = values
        self.n = n
        self.stands_for = stands_for

    @property
    def rows(self) -> float:
        """How many respondents there are."""
        return float(self.n.sum())

    @property
    def people(self) -> float:
        """How many people they stand for: as many, unless there are survey weights."""
        return float(self.n @ self.stands_for)

    def totals(self) -> Floats:
        """The estimated sum of each function over the people."""
        return self.values @ (self.n * self.stands_for)

    def per_person(self, values: Floats) -> Floats:
        """Residuals of means over the people: with survey weights also their sum, which divides, is random."""
        if (self.stands_for == 1).all():
            return values / self.people
        means = values @ (self.n * self.stands_for) / self.people
        return (values - means[:, None]) / self.people

    def share_ends(self, level: float) -> tuple[Floats, Floats]:
        """Score intervals for the shares of the population that the functions are the members of: all shares s that lie within z of
        *their own* standard error from the estimate v.

        If the share were s, the mean square of the weights would be M2 + slope (s - v), slope = cov(w^2, w) / var(w): the reports that
        make a share large make its error large. And nobody knows more than the same number of direct answers would tell (Wilson).
        """
        v, m2, m3 = ((self.values**power) @ self.n / self.rows for power in (1, 2, 3))
        alone = m2 - v**2
        slope = np.divide(m3 - m2 * v, alone, out=np.zeros(len(v)), where=alone > 1e-12 * np.maximum(m2, 1e-300))
        others = m2 - slope * v
        seen = score_interval(Moments(v, others + slope, others), self.rows, level, "population")
        return at_least_direct(seen, v, self.rows, level)

    def errors(self, residuals: Floats, squares: Floats, target: str) -> tuple[Floats, Floats]:
        """Covariance of the sums of residuals, and how many direct answers these reports are worth for each.

        `squares` estimates the sums of products of the true residuals. Population: the spread of the residuals. Respondents: what
        that spread exceeds the true one by, since only the randomisation is random then.
        """
        each = residuals * self.stands_for
        second = (each * self.n) @ each.T
        sums = each @ self.n
        population = second - np.outer(sums, sums) / self.rows
        direct = np.diag(squares) - sums**2 / self.rows
        # Who is in the sample adds to what the randomisation does: where an estimate lies beyond what is possible, reports all
        # alike would otherwise seem to be certain.
        population = population + np.diag(np.maximum(0.0, -direct))
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = self.rows * np.clip(direct / np.diag(population), 0.0, 1.0)
        if (self.stands_for != 1).any():
            worth = np.full(len(worth), np.nan)
        return (population if target == "population" else second - squares), worth


def check_group(size: float, rows: float, what: str, where: Any) -> None:
    """Refuse to speak of a group that is estimated to be empty."""
    if size <= SMALLEST_GROUP * rows:
        raise NoIntervalError(
            "empty_group",
            "No {what}: the group ({where}) is estimated at {size:.1f} of {rows:,.0f} people, so it has none. Ask for its count.",
            what=what,
            where=str(where),
            size=size,
            rows=rows,
        )


def scaled(ends: tuple[Floats, Floats], people: float) -> tuple[Floats, Floats]:
    """Ends of shares as numbers of people."""
    return people * ends[0], people * ends[1]


def estimate_of(
    values: Any,
    errors: tuple[Floats, Floats],
    labels: Sequence[Any],
    weighted: Weighted,
    target: str,
    title: str,
    limits: tuple[float, float] | None,
    ends: Callable[[float], tuple[Floats, Floats]] | None = None,
) -> Estimate:
    """An estimate from its values and what `Weighted.errors` says of them; `ends` are intervals of the population's values, where
    better ones are known than value +- z se."""
    known = target == "population" and (weighted.stands_for == 1).all()
    return Estimate(
        values,
        labels,
        n=round(weighted.rows),
        method="joint",
        target=target,
        covariance=errors[0],
        name=title,
        limits=limits,
        worth=errors[1],
        ends=ends if known else None,
    )
