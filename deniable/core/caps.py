"""Which truths an interval is meant for, where reports leave something open: no value is too crowded.

What noise has blurred, no report tells: two truths that differ only in fine detail look alike. An interval that holds for every truth
is therefore wide. It is narrower for the truths of a class, and this is the class: no value holds more than a given share of the people. A
wide domain is cut into stretches, and then no stretch does, wherever in it the people are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import Floats, Ints
from deniable.errors import ParameterError

EACH_VALUE = 160
STRETCHES = 80
"""Up to this many values are looked at one by one; a wider domain is cut into this many stretches."""
TIMES_EVEN = 5
"""A value may hold this many times what it would hold if all were equally frequent, unless something else is said."""


CONVERGED = 1e-9
"""Critical values that a step of Newton's method moves by less have twice as many digits after it."""


class Cap:
    """No value (or stretch of values) holds more than `most` of the people; nonresponse may hold any share.

    >>> import deniable as dn
    >>> cap = Cap.of(dn.Integer(18, 90))
    >>> round(cap.most, 4), cap.words("age")
    (0.0685, "no single value of 'age' holds more than 6.85% of the people")
    >>> cap.holds(np.full(73, 1 / 73)), cap.holds(np.eye(73)[0])
    (True, False)
    """

    def __init__(self, stretch: Ints, most: float, wide: str | None = None, nonresponse: bool = False) -> None:
        self.stretch = stretch
        self.most = most
        self._wide = wide
        self.nonresponse = nonresponse
        sizes = np.bincount(stretch).astype(np.float64)
        # Stretches differ by a value where their number does not divide the domain's.
        self._limits = np.minimum(1.0, most * sizes / sizes[: len(sizes) - nonresponse].mean())
        if nonresponse:
            self._limits[-1] = 1.0
        self._starts = np.flatnonzero(np.diff(stretch, prepend=-1))
        self._alike = bool((self._limits == self._limits[0]).all())

    @classmethod
    def of(cls, domain: Domain, most: float | None = None, name: str = "") -> Cap:
        """The class for the values of a domain (of an attribute), by default five times their even share."""
        check_most(most)
        nonresponse = domain.missing is not None
        values = domain.size - nonresponse
        stretches = values if values <= EACH_VALUE else STRETCHES
        if most is not None and most * stretches < 1:
            raise ParameterError(
                "most",
                "{whose} has {values} values, so one of them holds at least {least:.3g} of the people: most={most:g} cannot be. Say how "
                "crowded each attribute is, such as most={{{name!r}: {better:.2g}}}.",
                whose=repr(name) if name else "The domain", values=stretches, least=1 / stretches, most=most, name=name or "age",
                better=min(1.0, TIMES_EVEN / stretches),
            )  # fmt: skip
        stretch = np.arange(values) * stretches // values
        wide = None
        if stretches < values:
            numbers = domain.answered.numbers()
            wide = f"{(numbers[-1] - numbers[0]) / stretches:.4g}"
        if nonresponse:
            stretch = np.append(stretch, stretches)
        return cls(stretch, min(1.0, TIMES_EVEN / stretches) if most is None else float(most), wide, nonresponse)

    @property
    def says_nothing(self) -> bool:
        """Whether every truth is in the class."""
        return self.most >= 1

    def words(self, name: str) -> str:
        """The class in words."""
        if self.says_nothing:
            return f"any distribution of {name!r} is possible"
        share = f"{100 * self.most:.3g}%"
        if self._wide is None:
            return f"no single value of {name!r} holds more than {share} of the people"
        return f"no stretch of {name!r} that is {self._wide} wide holds more than {share} of the people"

    def holds(self, shares: Any) -> bool:
        """Whether a distribution of truths is in the class."""
        held = np.bincount(self.stretch, weights=np.asarray(shares, dtype=np.float64), minlength=len(self._limits))
        return bool((held <= self._limits + 1e-9).all())

    def largest(self, residuals: Floats, mass: float = 1.0, fixed: bool = True) -> Floats:
        """The largest mean that a function of the truth can have, for each column of `residuals` (one row per true code), if people who
        are a share `mass` of all count and the others count as 0; `fixed` says that the share is known, else it may be smaller.

        >>> Cap(np.arange(4), 0.5).largest(np.array([[3.0], [1.0], [-5.0], [0.0]])).tolist()
        [2.0]
        """
        values = self._by_stretch(residuals, np.maximum)
        if not fixed:
            values = np.maximum(values, 0.0)
        return self._ends_alike(values, (mass,))[1] if self._alike else self._largest(values, (mass,))

    def ends(self, residuals: Floats, masses: Sequence[float] = (1.0,)) -> tuple[Floats, Floats]:
        """The smallest and the largest mean, for each column, if people who are any one of these shares of all count: quicker than to
        ask for each.

        >>> [end.tolist() for end in Cap(np.arange(4), 0.5).ends(np.array([[3.0], [1.0], [-5.0], [0.0]]))]
        [[-2.5], [2.0]]
        """
        if self._alike and len(self._starts) == len(self.stretch):
            return self._ends_alike(self._by_stretch(residuals, np.maximum), masses)
        least, most = self._by_stretch(residuals, np.minimum), self._by_stretch(residuals, np.maximum)
        largest = self._largest(np.hstack([-least, most]), masses)
        return -largest[: least.shape[1]], largest[least.shape[1] :]

    def _by_stretch(self, residuals: Floats, worst: np.ufunc) -> Floats:
        values: Floats = np.reshape(residuals, (len(self.stretch), -1))
        return values if len(self._starts) == len(values) else worst.reduceat(values, self._starts, axis=0)

    def _ends_alike(self, values: Floats, masses: Sequence[float]) -> tuple[Floats, Floats]:
        """The ends if all limits are the same: some values count in full, one in part, and none need be sorted."""
        last, ways = len(values) - 1, []
        for mass in masses:
            limit = min(float(self._limits[0]), mass)
            full = min(int(mass / limit), last) if limit > 0 else 0
            ways.append((limit, full, min(max(mass - full * limit, 0.0), limit)))
        rising = np.partition(values.T, sorted({place for _, full, _ in ways for place in (full, last - full)}), axis=1)
        least = [limit * rising[:, :full].sum(axis=1) + rest * rising[:, full] for limit, full, rest in ways]
        most = [limit * rising[:, last - full + 1 :].sum(axis=1) + rest * rising[:, last - full] for limit, full, rest in ways]
        return np.min(least, axis=0), np.max(most, axis=0)

    def _largest(self, values: Floats, masses: Sequence[float]) -> Floats:
        order = np.argsort(-values, axis=0)
        falling, sums = np.take_along_axis(values, order, axis=0), []
        for mass in masses:
            limits = np.minimum(self._limits, mass)[order]
            share = np.clip(mass - (np.cumsum(limits, axis=0) - limits), 0.0, limits)
            sums.append((share * falling).sum(axis=0))
        return np.asarray(np.max(sums, axis=0))


def check_most(most: Any) -> None:
    """Refuse what cannot be the largest share of the people."""
    if most is not None and (isinstance(most, bool) or not isinstance(most, (int, float)) or not 0 < most <= 1):
        raise ParameterError(
            "most",
            "most is the largest share of the people that any single value holds, above 0 and up to 1 (such as 0.06), got {got!r}.",
            got=most,
        )


def critical_value(ratio: Any, level: float) -> Floats:
    """How many standard errors hold a normal error of this level whose bias is up to `ratio` standard errors.

    >>> critical_value(np.array([0.0, 10.0]), 0.95).round(2).tolist()
    [1.96, 11.64]
    """
    t, two = np.asarray(ratio, dtype=np.float64), NormalDist().inv_cdf(0.5 + level / 2)
    if not t.any():
        return np.full(t.shape, two)
    from scipy.special import ndtr  # slow to load, and of no use without bias

    # Newton's method from above, where the coverage is concave: it never passes the root.
    one = NormalDist().inv_cdf(level)
    c = np.where(t < 1e-9, two, t + two)
    for _ in range(8):
        covered = ndtr(c - t) - ndtr(-c - t)
        slope = (np.exp(-((c - t) ** 2) / 2) + np.exp(-((c + t) ** 2) / 2)) / math.sqrt(2 * math.pi)
        before, c = c, np.maximum(c - (covered - level) / np.maximum(slope, 1e-12), np.minimum(t + one, t + two))
        if np.abs(c - before).max(initial=0.0) < CONVERGED:
            break
    critical: Floats = np.asarray(c)
    return critical


def half_length(bias: Any, se: Any, level: float) -> Floats:
    """Half the length of the interval of a number that may be off by `bias`, besides a normal error: of no chance at all it is the bias.

    >>> half_length(np.array([0.0, 5.0, 5.0]), np.array([1.0, 1.0, 0.0]), 0.95).round(2).tolist()
    [1.96, 6.64, 5.0]
    """
    off = np.asarray(bias, dtype=np.float64)
    errors = np.maximum(np.maximum(se, 1e-9 * off), 1e-150)
    half: Floats = np.asarray(errors * critical_value(off / errors, level))
    return half
