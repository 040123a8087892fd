"""Sums of unbiased weights over cells of reports, and their errors: what every estimate of a Sample is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.core.estimate import Estimate
from deniable.core.intervals import Moments, at_least_direct, score_interval
from deniable.errors import NoIntervalError
from deniable.statistics.functions import Residual

SMALLEST_GROUP = 1e-9
Gradient = Callable[[Floats], Floats | None]
"""From the means of functions to the coefficients by which what is to be known depends on them, one row for each number; None where the
means say nothing."""


class BoundedBias(Protocol):
    """How far weights may be off for every truth (`bounded.Bounded`)."""

    off: Sequence[Sequence[Sequence[Residual]]]

    @property
    def assumes(self) -> tuple[str, ...]:
        """The classes of truths, in words."""

    def bias_range(self, rows: Floats) -> tuple[Floats, Floats]:
        """The smallest and the largest bias of numbers that depend on the functions' means by these coefficients."""

    def bias_of(self, function: int) -> float:
        """How far the mean of one of the functions may be off."""

    def randomness(self, rows: Floats) -> Floats:
        """The variance of what such numbers are off by if the people are fixed."""

    def estimate(
        self,
        values: Any,
        errors: tuple[Floats, Floats],
        labels: Sequence[Any],
        target: str,
        title: str,
        limits: tuple[float, float] | None,
        scale: float,
        whole: int,
    ) -> Estimate:
        """The estimate in the middle of what its bias may be."""


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
        self.bounded: BoundedBias | None = None
        """How far weights may be off, where they are not unbiased."""
        self.design_variance = 0.0
        """What the designs say of the variance of a question with one number: reports that happen to be all alike seem to have none."""

    @cached_property
    def rows(self) -> float:
        """How many respondents there are."""
        return float(self.n.sum())

    @cached_property
    def people(self) -> float:
        """How many people they stand for: as many, unless there are survey weights."""
        return float(self.n @ self.stands_for)

    @cached_property
    def direct_rows(self) -> float:
        """How many equally weighted respondents are worth as much as these (Kish)."""
        each = self.stands_for * self.counts_as
        return float((self.n @ each) ** 2 / (self.n @ each**2))

    def respondents_in(self, place: int) -> float:
        """How many of the respondents, each counted once, are estimated to be members, by the place of the function."""
        return float(min(max(self.values[place] @ self.n, 0.0), self.rows))

    def knows(self, places: Sequence[int]) -> bool:
        """Whether nothing hides who are members of these functions: of everyone it is known."""
        return bool(np.isin(self.values[list(places)], (0.0, 1.0)).all())

    @cached_property
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

    def centred_squares(self, squares: Floats, sums: Floats) -> Floats:
        """Sums of squares of f / people from those of f^2 and of f; with survey weights residuals are f less its mean (`per_person`)."""
        if not self.survey_weighted:
            return squares / self.people**2
        means = sums @ (self.n * self.stands_for * self.counts_as) / self.people
        weights = self.n * (self.stands_for * self.counts_as) ** 2
        centred: Floats = (squares - 2 * means * (sums @ weights) + means**2 * weights.sum()) / self.people**2
        return centred

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
            if not rows:
                continue
            # With survey weights a respondent of this part stands for this many times as many people as one of the sample.
            times = float(n @ self.stands_for[inside]) / rows / scale
            v, m2, m3 = ((values[:, inside] ** power) @ n / rows for power in (1, 2, 3))
            alone = m2 - v**2
            slope = np.divide(m3 - m2 * v, alone, out=np.zeros(len(v)), where=alone > 1e-12 * np.maximum(m2, 1e-300))
            # What this part adds to the variance of the estimate, were the share s: share^2 / rows (M2(s) - (times s)^2).
            adds = (rows * float(self.counts_as[inside][0]) / self.rows) ** 2 / rows
            squared += adds * times**2
            linear += adds * slope * times
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
        apart = (each - self._expected(each)) * self.counts_as
        population = (apart * self.n) @ apart.T
        # Who is in the sample adds to what the randomisation does: where an estimate lies beyond what is possible, reports all
        # alike would otherwise seem to be certain.
        population = population + np.diag(np.maximum(0.0, -self._direct(each, squares)))
        return population, self._worth(each, squares, population)

    def error_of_one(self, residual: Floats, squares: Floats, target: str) -> tuple[Floats, Floats]:
        """The same for one number; for the population no less than the designs of the parts lead one to expect."""
        covariance, worth = self.errors(residual, squares, target)
        return np.maximum(covariance, self.least_variance(target)), worth

    def least_variance(self, target: str) -> float:
        """What the variance of a question with one number is at least."""
        return self.design_variance if target == "population" else -np.inf

    def _expected(self, each: Floats) -> Floats:
        """What a respondent of each cell is expected to add to a sum: a person's mean, for all that one of that part stands for."""
        mean = each @ (self.n * self.counts_as) / self.people
        expected: Floats = mean[:, None] * self._stands_for_on_average
        return expected

    @cached_property
    def _stands_for_on_average(self) -> Floats:
        """How many people a respondent of each cell's part stands for."""
        rows, people = (np.bincount(self.part, weights) for weights in (self.n, self.n * self.stands_for))
        average: Floats = np.divide(people, rows, out=np.zeros(len(rows)), where=rows > 0)[self.part]
        return average

    def _direct(self, each: Floats, squares: Floats) -> Floats:
        """The variance that direct answers would have."""
        squared, expected = self.n * self.counts_as**2, self._expected(each)
        direct: Floats = np.diag(squares) + (expected * (expected - 2 * each)) @ squared
        return direct

    def _worth(self, each: Floats, squares: Floats, population: Floats | None) -> Floats:
        if self.survey_weighted:
            return np.full(len(each), np.nan)
        direct = self._direct(each, squares)
        alone = ((each - self._expected(each)) ** 2) @ self.n + np.maximum(0.0, -direct)
        spread = alone if population is None else np.diag(population)
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
    scale: float = 1.0,
    whole: int = 1,
) -> Estimate:
    """An estimate from its values and what `Weighted.errors` says of them; `ends` are intervals of the population's values, where
    better ones are known than value +- z se. The values are `scale` times means over the people; of shares, each `whole`
    labels add up to 1."""
    if weighted.bounded is not None:
        return weighted.bounded.estimate(values, errors, labels, target, title, limits, scale, whole)
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
        whole=whole,
    )
