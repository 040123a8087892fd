"""The attack on noise by correlation: reports of related attributes say something about each other, and the noise averages out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from deniable.core.channels.views import View
from deniable.core.domains.exact import Floats, Ints
from deniable.core.schema import Schema
from deniable.errors import DataError, ParameterError
from deniable.privacy.measures.likelihood import (
    Likelihoods,
    chances,
    part,
    posterior_over,
    reported_codes,
    rows_of,
    true_codes,
    views_of,
)

if TYPE_CHECKING:
    import pandas as pd

METHODS = ("reported", "alone", "pca", "bayes", "population", "everything")
SMALLEST = 500
KNOWN = 4000
"""How many people of a population an attacker goes through for each report."""


@dataclass(frozen=True)
class _Moments:
    """What a linear attacker knows of truths x and reports z."""

    mean_x: Floats
    mean_z: Floats
    xx: Floats
    xz: Floats
    zz: Floats


def correlation_attack(
    schema: Schema,
    reported: Any,
    population: Any = None,
    attributes: Sequence[str] | None = None,
    method: str = "bayes",
) -> pd.DataFrame:
    """An attacker's best guesses of the true numbers behind noisy reports.

    Parameters
    ----------
    schema : Schema
        How the reports were randomised.
    reported : frame
        The reports that are attacked.
    population : frame, optional
        Truths like those attacked. Without it, "pca" and "bayes" estimate the covariance of the truths from the reports: their
        covariance minus that of the noise.
    attributes : sequence of str, optional
        The numbers to guess; by default those hidden by noise.
    method : str
        How the attacker guesses:

        - "reported": the report itself
        - "alone": E[x_j | z_j], each attribute for itself, with its distribution in `population`
        - "pca": the report projected on the main components of the truths (Huang, Du and Chen 2005, PCA-DR)
        - "bayes": mean + C_xz C_zz^-1 (z - mean z), the best linear guess from all attributes (BE-DR)
        - "population": E[x | z] over the people of `population`: all that these reports tell anyone who knows how truths are distributed
        - "everything": the same from all answers of the schema, words and groups among them, not only from `attributes`

    Returns
    -------
    pandas.DataFrame
        The guesses: one row per report, one column per attribute.

    Examples
    --------
    >>> import deniable as dn, numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> age = rng.integers(20, 81, 2000)
    >>> noisy = dn.Additive(dn.Integer(20, 80), dn.Uniform(20))
    >>> schema = dn.Schema({"age": noisy, "his wife's": noisy, "his brother's": noisy})
    >>> truths = pd.DataFrame({name: age for name in schema})                     # three answers, one truth
    >>> guesses = dn.privacy.correlation_attack(schema, schema.randomise(truths, rng))
    >>> off = np.sqrt(((guesses["age"] - age) ** 2).mean())
    >>> bool(5.5 < off < 6.6)                                # the noise alone has a standard deviation of 11.8
    True
    """
    import pandas as pd

    if method not in METHODS:
        raise ParameterError("method", "method must be one of {allowed}, got {got!r}.", allowed=list(METHODS), got=method)
    noisy = _numbers(schema, attributes)
    attacker = _Attacker(noisy, schema, population, reported)
    return pd.DataFrame(attacker.guess(method), columns=list(noisy))


def remaining_error(
    schema: Schema,
    population: Any,
    attributes: Sequence[str] | None = None,
    people: int = 2000,
    rng: np.random.Generator | None = None,
) -> pd.DataFrame:
    """The privacy to show for noisy numbers: by how much an attacker's best guess still misses the truth.

    One half of `population` is what the attacker knows, the other is randomised and attacked.

    Parameters
    ----------
    schema : Schema
        How answers are randomised.
    population : frame
        Truths, or made-up ones like them. A small population makes a weak attacker: give as many as there are.
    attributes : sequence of str, optional
        The numbers to guess; by default those hidden by noise.
    people : int
        How many people are attacked at most.
    rng : numpy.random.Generator, optional
        Makes the simulation repeatable.

    Returns
    -------
    pandas.DataFrame
        One row per attribute: sqrt E (guess - truth)^2 of every method of `correlation_attack` and, as `shown`, the least of them
        (less two standard errors of this simulation). `reported` is the error of the report itself, which is all that the noise
        promises; where attributes depend on each other `shown` is smaller.

    Examples
    --------
    >>> import deniable as dn, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> people = dn.datasets.town(4000, rng)
    >>> schema = dn.Schema({"age": dn.Additive(dn.Integer(18, 90), dn.Laplace(20)),
    ...                     "salary": dn.Additive(dn.Integer(0, 12_000, 100), dn.Laplace(3000))})
    >>> left = dn.privacy.remaining_error(schema, people, rng=rng)
    >>> bool((left["shown"] < left["reported"]).all())
    True
    """
    import pandas as pd

    generator = np.random.default_rng() if rng is None else rng
    noisy = _numbers(schema, attributes)
    views = views_of(noisy)
    size = len(true_codes(views, population))
    if size < SMALLEST:
        raise DataError(
            "population_small",
            "remaining_error needs a population of at least {least} rows, got {got}.",
            least=SMALLEST,
            got=size,
        )
    order = generator.permutation(size)
    known = rows_of(population, list(schema), order[: size // 2])
    attacked = rows_of(population, list(schema), order[size // 2 :][:people])
    attacker = _Attacker(noisy, schema, known, schema.randomise(attacked, generator))
    truth = _values([view.true.numbers for view in views.values()], true_codes(views, attacked))
    squares = {method: (attacker.guess(method) - truth) ** 2 for method in METHODS}
    table = pd.DataFrame(
        {method: np.sqrt(square.mean(axis=0)) for method, square in squares.items()},
        index=pd.Index(list(noisy), name="attribute"),
    )
    least = [square.mean(axis=0) - 2 * square.std(axis=0) / np.sqrt(len(square)) for square in squares.values()]
    table["shown"] = np.sqrt(np.maximum(np.min(least, axis=0), 0.0))
    return table


def _numbers(schema: Schema, attributes: Sequence[str] | None) -> Schema:
    if attributes is None:
        attributes = [name for name, channel in schema.items() if channel.adds_noise]
        if not attributes:
            raise ParameterError("no_noise", "No attribute of the schema is hidden by noise; name the numeric attributes=.")
    return part(schema, attributes)


class _Attacker:
    """An attacker who holds the reports, the schema, and perhaps a population."""

    def __init__(self, noisy: Schema, schema: Schema, population: Any, reported: Any) -> None:
        self._by_name = views_of(noisy)
        self.views = list(self._by_name.values())
        self.reports = reported_codes(self._by_name, reported)
        self.z = _values([view.reported.numbers for view in self.views], self.reports)
        self.population = population
        self.noisy, self.schema, self.reported = noisy, schema, reported

    def guess(self, method: str) -> Floats:
        """Guesses, one row per report and one column per attribute."""
        if method == "reported":
            return self.z
        if method in ("alone", "population", "everything") and self.population is None:
            raise ParameterError("needs_population", "method {method!r} needs a population, a frame of truths.", method=method)
        if method == "alone":
            return np.column_stack([self._alone(j) for j in range(len(self.views))])
        moments = self._known() if self.population is not None else self._from_reports()
        if method == "pca":
            return self._projected(moments)
        linear: Floats = moments.mean_x + (self.z - moments.mean_z) @ (moments.xz @ np.linalg.pinv(moments.zz)).T
        return linear if method == "bayes" else self._among(self.noisy if method == "population" else self.schema, linear)

    @cached_property
    def _truths(self) -> Ints:
        return true_codes(self._by_name, self.population)

    def _alone(self, j: int) -> Floats:
        view = self.views[j]
        numbers = view.true.numbers
        prior = np.bincount(self._truths[:, j], minlength=len(numbers)).astype(np.float64)
        # A little everywhere: a truth that does not occur in the population is rare, not impossible.
        prior += 1e-3 * prior.sum() / len(numbers)
        seen, which = np.unique(self.reports[:, j], return_inverse=True)
        weights = prior * np.stack([chances(view.law, int(z)) for z in seen])
        total = weights.sum(axis=1)
        mean = weights @ numbers / np.where(total > 0, total, 1.0)
        return np.where(total > 0, mean, numbers.mean())[which]

    def _known(self) -> _Moments:
        """Moments of truths and reports in the population, exact over the noise."""
        codes = self._truths
        x = _values([view.true.numbers for view in self.views], codes)
        expected, spread = zip(*(_given_truth(view) for view in self.views), strict=True)
        m = _values(expected, codes)
        noise = _values(spread, codes).mean(axis=0)
        k = x.shape[1]
        both = np.atleast_2d(np.cov(x, m, rowvar=False))
        return _Moments(x.mean(axis=0), m.mean(axis=0), both[:k, :k], both[:k, k:], both[k:, k:] + np.diag(noise))

    def _from_reports(self) -> _Moments:
        """Moments estimated from the reports, with the noise as it is in the middle of the range."""
        zz = np.atleast_2d(np.cov(self.z, rowvar=False))
        mean_z = self.z.mean(axis=0)
        noise, shift = np.empty(len(zz)), np.empty(len(zz))
        for j, view in enumerate(self.views):
            expected, spread = _given_truth(view)
            middle = len(expected) // 2
            noise[j], shift[j] = spread[middle], expected[middle] - view.true.numbers[middle]
        values, vectors = np.linalg.eigh(zz - np.diag(noise))
        xx = (vectors * np.maximum(values, 0.0)) @ vectors.T
        return _Moments(mean_z - shift, mean_z, xx, xx, xx + np.diag(noise))

    def _projected(self, moments: _Moments) -> Floats:
        """Reports in units of their noise, so that it is equal in all directions, on the components that leave the least error."""
        noise = np.maximum(np.diag(moments.zz) - np.diag(moments.xx), 1e-12 * np.diag(moments.zz) + 1e-300)
        unit = np.sqrt(noise)
        values, vectors = np.linalg.eigh(moments.xx / np.outer(unit, unit))
        # A component costs its noise (1) if taken and its spread if left out: take those that spread more than they cost.
        taken = vectors[:, values > 1.0] if (values > 1.0).any() else vectors[:, -1:]
        centred = (self.z - moments.mean_z) / unit
        guess: Floats = moments.mean_x + (centred @ taken @ taken.T) * unit
        return guess

    def _among(self, asked: Schema, otherwise: Floats) -> Floats:
        """The mean truth of the people who may have sent each report; `otherwise` where nobody known may have."""
        likelihoods = Likelihoods(asked)
        codes = likelihoods.truths(self.population)[:KNOWN]
        x = _values([view.true.numbers for view in self.views], self._truths[:KNOWN])
        guess = otherwise.copy()
        for place, table in likelihoods.pieces(likelihoods.reports(self.reported), codes):
            possible = np.isfinite(table.max(axis=1))
            rows = np.arange(place.start, place.stop)[possible]
            guess[rows] = posterior_over(table[possible]) @ x
        return guess


def _given_truth(view: View) -> tuple[Floats, Floats]:
    """Mean and variance of the report for each true code."""
    z = view.reported.numbers
    middle = float(z.mean())
    mean = view.law.pull(z - middle)
    square = view.law.pull((z - middle) ** 2)
    return mean + middle, np.maximum(square - mean**2, 0.0)


def _values(numbers: Sequence[Floats], codes: Ints) -> Floats:
    return np.column_stack([numbers[j][codes[:, j]] for j in range(len(numbers))])
