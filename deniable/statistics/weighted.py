"""Sums of unbiased weights over cells of reports, and their errors: what every estimate of a Sample is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deniable.core.estimate import Estimate
from deniable.core.exact import Floats
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


def estimate_of(
    values: Any,
    errors: tuple[Floats, Floats],
    labels: Sequence[Any],
    weighted: Weighted,
    target: str,
    title: str,
    limits: tuple[float, float] | None,
) -> Estimate:
    """An estimate from its values and what `Weighted.errors` says of them."""
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
    )
