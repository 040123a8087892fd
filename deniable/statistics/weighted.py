"""Sums of unbiased weights over cells of reports, and their errors: what every estimate of a Sample is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from deniable.core.estimate import Estimate
from deniable.core.exact import Floats, Ints
from deniable.core.intervals import Moments, at_least_direct, score_interval
from deniable.errors import NoIntervalError

SMALLEST_GROUP = 1e-9


class Weighted:
    """Unbiased weights of several functions on every cell of reports, with how often each cell occurs.

    `stands_for` says how many people each respondent of a cell stands for (survey weights, else 1). `part` says which part of the sample a
    cell belongs to, and `counts_as` how much a respondent of that part counts where parts are weighed by their precision; it averages 1.
    """

    def __init__(
        self,
        values: Floats,
        n: Floats,
        stands_for: Floats,
        part: Ints,
        counts_as: Floats | None = None,
        assumes: Sequence[str] = (),
    ) -> None:
        self.values = values
        self.n = n
        self.stands_for = stands_for
        self.part = part
        self.counts_as = np.ones(len(n)) if counts_as is None else counts_as
        self.assumes = tuple(assumes)

    @property
    def rows(self) -> float:
        """How many respondents there are."""
        return float(self.n.sum())

    @property
    def people(self) -> float:
        """How many people they stand for: as many, unless there are survey weights."""
        return float(self.n @ self.stands_for)

    @property
    def direct_rows(self) -> float:
        """How many equally weighted respondents are worth as much as these (Kish)."""
        each = self.stands_for * self.counts_as
        return float((self.n @ each) ** 2 / (self.n @ each**2))

    @property
    def survey_weighted(self) -> bool:
        """Whether respondents stand for different numbers of people."""
        return bool((self.stands_for != 1).any())

    def totals(self) -> Floats:
        """The estimated sum of each function over the people."""
        return self.values @ (self.n * self.stands_for * self.counts_as)

    def square_totals(self) -> Floats:
        """The same with every respondent's weight squared: for the squares of what respondents add to a sum."""
        return self.values @ (self.n * (self.stands_for * self.counts_as) ** 2)

    def per_person(self, values: Floats) -> Floats:
        """Residuals of means over the people: with survey weights also their sum, which divides, is random."""
        if not self.survey_weighted:
            return values / self.people
        means = values @ (self.n * self.stands_for * self.counts_as) / self.people
        return (values - means[:, None]) / self.people

    def share_ends(self, level: float) -> tuple[Floats, Floats]:
        """Score intervals for the shares of the population that the functions are the members of: all shares s that lie within z of
        *their own* standard error from the estimate v.

        If the share were s, the mean square of the weights would be M2 + slope (s - v), slope = cov(w^2, w) / var(w): the reports that
        make a share large make its error large. And nobody knows more than the same number of direct answers would tell (Wilson).
        """
        scale = self.people / self.rows
        values = self.values * self.stands_for / scale
        centre = values @ (self.n * self.counts_as) / self.rows
        squared, linear, constant = 0.0, np.zeros(len(values)), np.zeros(len(values))
        for part in np.unique(self.part):
            inside = self.part == part
            n, rows = self.n[inside], float(self.n[inside].sum())
            v, m2, m3 = ((values[:, inside] ** power) @ n / rows for power in (1, 2, 3))
            alone = m2 - v**2
            slope = np.divide(m3 - m2 * v, alone, out=np.zeros(len(v)), where=alone > 1e-12 * np.maximum(m2, 1e-300))
            # What this part adds to the variance of the estimate, were the share s: share^2 / rows (M2(s) - s^2).
            adds = (rows * float(self.counts_as[inside][0]) / self.rows) ** 2 / rows
            squared += adds
            linear += adds * slope
            constant += adds * (m2 - slope * v)
        others = constant / squared
        seen = score_interval(Moments(centre, others + linear / squared, others), 1 / squared, level, "population")
        return at_least_direct(seen, centre, self.direct_rows, level)

    def errors(self, residuals: Floats, squares: Floats, target: str) -> tuple[Floats, Floats]:
        """Covariance of the sums of residuals, and how many direct answers these reports are worth for each.

        `squares` estimates the sums of products of the true residuals. Population: the spread of the residuals. Respondents: what
        that spread exceeds the true one by, since only the randomisation is random then.
        """
        each = residuals * self.stands_for
        if target == "respondents":
            return (each * self.n) @ each.T - squares, self._worth(each, squares, None)
        mean = each @ (self.n * self.counts_as) / self.rows
        apart = (each - mean[:, None]) * self.counts_as
        population = (apart * self.n) @ apart.T
        # Who is in the sample adds to what the randomisation does: where an estimate lies beyond what is possible, reports all
        # alike would otherwise seem to be certain.
        population = population + np.diag(np.maximum(0.0, -self._direct(each, squares)))
        return population, self._worth(each, squares, population)

    def _direct(self, each: Floats, squares: Floats) -> Floats:
        """The variance that direct answers would have."""
        squared = self.n * self.counts_as**2
        mean = each @ (self.n * self.counts_as) / self.rows
        direct: Floats = np.diag(squares) - 2 * mean * (each @ squared) + mean**2 * squared.sum()
        return direct

    def _worth(self, each: Floats, squares: Floats, population: Floats | None) -> Floats:
        if self.survey_weighted:
            return np.full(len(each), np.nan)
        direct = self._direct(each, squares)
        if population is None:
            spread = ((each - (each @ self.n / self.rows)[:, None]) ** 2) @ self.n + np.maximum(0.0, -direct)
        else:
            spread = np.diag(population)
        with np.errstate(divide="ignore", invalid="ignore"):
            worth: Floats = self.direct_rows * np.clip(direct / spread, 0.0, 1.0)
        return worth


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
        ends=ends if target == "population" else None,
        assumes=weighted.assumes,
    )
