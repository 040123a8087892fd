"""Estimated values with their labels and errors: which are known, which are possible, and which may be shown."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.core.intervals import Ends, IntervalRule, NormalInterval, check_level
from deniable.core.simplex import nearest_possible
from deniable.core.uncertainty import Resample, Uncertainty
from deniable.errors import NoIntervalError, ParameterError
from deniable.picture_words import words_of
from deniable.progress import Progress

TARGETS = ("population", "respondents")
FEWEST = 5
"""Of fewer people no shares are shown: one of them would be 20% or more."""


class EstimatedValues:
    """The numbers of an estimate. `Estimate` puts them before people: as frames, in words and in pictures."""

    bias: Floats | None = None
    """How far the values may be off, besides their standard errors, for the truths that are assumed; None if they are unbiased."""
    assumes: tuple[str, ...] = ()
    """What the values take for granted, in words."""
    notes: tuple[str, ...] = ()
    """What else is to be said of them."""
    warnings: tuple[str, ...] = ()
    """Why they may mean nothing at all."""
    whole: int = 1
    """How many values, one after the other, are shares that add up to 1."""
    attributes: tuple[str, ...] = ()
    """What the labels are values of: one attribute, or that of the groups and that within them; empty where labels are not values."""
    language: str | None = None
    """The language of the labels, where they are texts of a survey."""
    group_sizes: Floats | None = None
    """How many of the reports are estimated to come from the group that each value is about; None where that is everyone."""
    sizes_known: bool = False
    """Whether nothing that decides who is in these groups is hidden, so that their sizes are not estimates."""
    exact: bool = False
    """Whether nothing that was asked is hidden, and the values are of the respondents themselves: they are counted, not estimated."""
    sides: tuple[tuple[str, Self], ...] = ()
    """Of a difference between two groups: each group, and its own share or mean."""
    by: str | None = None
    """The attribute whose labels are groups, where each value is about one of them."""
    table: tuple[tuple[str, tuple[Any, ...]], tuple[str, tuple[Any, ...]]] | None = None
    """Of a cross table: the names and labels of its rows and of its columns."""
    row_people: Callable[[], Floats] | None = None
    """Of a cross table: how many respondents are estimated to have each label of its rows, where that is known better than by its cells."""
    _in_points: bool | None = None
    _on_a_scale: bool | None = None

    def __init__(
        self,
        value: Any,
        labels: Sequence[Any],
        *,
        n: int,
        method: str,
        target: str = "population",
        covariance: Any = None,
        ends: IntervalRule | None = None,
        no_interval: str | None = None,
        resample: Resample | None = None,
        name: str = "",
        limits: tuple[float, float] | None = (0.0, 1.0),
        worth: Any = None,
        assumes: Sequence[str] = (),
        bias: Any = None,
        notes: Sequence[str] = (),
        whole: int = 1,
        group_sizes: Any = None,
    ) -> None:
        """An estimate, with the rule that its intervals follow.

        Parameters
        ----------
        value, labels
            The values, and what each of them is about.
        n
            How many reports they are estimated from.
        method, name
            How they were obtained, and what they are.
        target
            Whom the errors are about: the "population" or the "respondents".
        covariance
            The covariance matrix of the values, where it is known.
        ends
            The rule of the intervals: a function from a level to the lower and upper ends. By default so many standard errors around
            the value.
        no_interval
            The reason why there must be no interval, such as a bias of unknown size.
        resample
            Estimates again from simulated reports, given a random generator and how often: one row per re-estimate.
        limits
            Between which numbers the values lie, None if they may be anything.
        worth
            How many direct answers, of those whom the values are about, would tell as much.
        assumes, notes, bias, whole, group_sizes
            The attributes of the same names.
        """
        if target not in TARGETS:
            raise ParameterError("target", "target must be one of {allowed}, got {got!r}.", allowed=list(TARGETS), got=target)
        self.value: Floats = np.asarray(value, dtype=np.float64)
        self.labels = tuple(labels)
        self.n = n
        self.method = method
        self.target = target
        self.name = name
        self.limits = limits
        self.assumes = tuple(assumes)
        self.notes = tuple(notes)
        self.whole = whole
        self.group_sizes = None if group_sizes is None else np.asarray(group_sizes, dtype=np.float64)
        self.bias = None if bias is None else np.asarray(bias, dtype=np.float64)
        self.worth = None if worth is None else np.asarray(worth, dtype=np.float64)
        self._uncertainty = Uncertainty(covariance, ends, resample, no_interval)
        if ends is None and covariance is not None:
            # An impossible value is cut, which must not make it seem certain.
            low, high = np.minimum(self.value, self._possible), np.maximum(self.value, self._possible)
            self._uncertainty.interval_rule = NormalInterval(low, high, self.se)

    def __float__(self) -> float:
        """The value, where there is one."""
        if len(self.value) != 1:
            raise TypeError(
                f"This estimate has {len(self.value)} values: take one by its label, estimate[{self.labels[0]!r}], or .value."
            )
        return float(self.value[0])

    def __getitem__(self, label: Any) -> float:
        """The value of a label.

        >>> import deniable as dn
        >>> round(dn.reconstruct({"a": 60, "b": 40}, dn.KRR(dn.Nominal(["a", "b"]), 0.75))["a"], 4)
        0.7
        """
        if label not in self.labels:
            raise KeyError(f"There is no {label!r}; there are {', '.join(map(repr, self.labels[:20]))}.")
        return float(self.value[self.labels.index(label)])

    __iter__ = None
    """Values, labels and errors would all be reasonable: `to_frame()` has them side by side."""

    @property
    def covariance(self) -> Floats:
        """The covariance matrix of the values."""
        if self._uncertainty.covariance is None:
            raise NoIntervalError("no_covariance", "Method {method!r} gives no covariance.", method=self.method)
        return self._uncertainty.covariance

    @property
    def se(self) -> Floats:
        """The standard errors of the values: how much they vary, which leaves out what a method is biased by. There are some wherever there
        is a `band`; where a method has no covariance they are those of the band's re-estimates, which are simulated when first asked for.

        >>> import deniable as dn
        >>> dn.reconstruct([60, 40], dn.KRR(dn.Binary(), 0.75)).se.round(3).tolist()
        [0.098, 0.098]
        """
        if not self.has_band:
            raise self._unknown("no_error", "standard error")
        return self._uncertainty.errors

    def _unknown(self, code: str, what: str) -> NoIntervalError:
        reason = self.why_no_interval or "its error is not known."
        return NoIntervalError(
            code, "Method {method!r} gives no {what}: {reason}", method=self.method, what=what, reason=reason
        )

    @property
    def has_interval(self) -> bool:
        """Whether `interval` has an honest answer."""
        return self._uncertainty.has_interval

    @property
    def why_no_interval(self) -> str | None:
        """The reason why there is no interval, or None."""
        return self._uncertainty.why_no_interval

    @property
    def has_band(self) -> bool:
        """Whether `band` and `se` have an answer: they do together or not at all."""
        return self._uncertainty.has_errors

    @property
    def error_is_known(self) -> bool:
        """Whether `band` and `se` have an answer at once, with nothing left to simulate."""
        return self._uncertainty.is_known

    def interval(self, level: float = 0.95) -> Ends:
        """Lower and upper ends of a confidence interval for each value; a biased method has none and raises.

        >>> import deniable as dn
        >>> low, high = dn.reconstruct([1884, 116], dn.Flip(p=0.4, q=0.96)).interval()
        >>> low.round(3).tolist(), high.round(3).tolist()
        ([0.919, 0.024], [0.976, 0.081])
        """
        check_level(level)
        if not self.has_interval:
            raise NoIntervalError(
                "no_interval",
                "Method {method!r} gives no confidence interval: {reason}",
                method=self.method,
                reason=self.why_no_interval or "its error is not known.",
            )
        rule = self._uncertainty.interval_rule
        assert rule is not None  # whatever has a covariance has one
        return self._within_limits(*rule(level))

    def band(
        self,
        level: float = 0.95,
        draws: int | None = None,
        rng: np.random.Generator | None = None,
        progress: Progress | None = None,
    ) -> Ends:
        """A variability band: where the middle `level` of re-estimates falls. Not a confidence interval: what the method is biased by does
        not show in it. It is stretched to the value itself where re-estimates drift off.

        Methods without a covariance are repeated on simulated reports, `draws` times (200 unless it was done already). Re-estimates of the
        others are normal, so that the band is the value plus and minus so many standard errors.

        >>> import deniable as dn, numpy as np
        >>> channel = dn.Additive(dn.Integer(0, 9), dn.Uniform(2))
        >>> estimate = dn.reconstruct(1000 * channel.push(np.full(10, 0.1)), channel)
        >>> low, high = estimate.band(draws=20, rng=np.random.default_rng(1))
        >>> bool((low <= high).all())
        True
        """
        check_level(level)
        if not self.has_band:
            raise self._unknown("no_band", "variability band")
        if not self._uncertainty.is_simulated:
            return self._within_limits(*NormalInterval(self.value, self.value, self.se)(level))
        self._uncertainty.simulate(draws, rng, progress)
        return self._holding_the_point(*self._uncertainty.middle(level))

    def _within_limits(self, low: Floats, high: Floats) -> Ends:
        if self.limits is not None:
            low, high = np.clip(low, *self.limits), np.clip(high, *self.limits)
        return self._holding_the_point(low, high)

    def _holding_the_point(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """At the border of what is possible the point shown may differ from the unbiased centre; a line drawn around it holds it."""
        return np.fmin(low, self._possible), np.fmax(high, self._possible)

    def with_value(self, value: Any, method: str | None = None) -> Self:
        """The same intervals with another point, found by another method."""
        other = copy.copy(self)
        other.value, other.method = np.asarray(value, dtype=np.float64), method or self.method
        other._uncertainty = self._uncertainty.with_intervals(self.interval)
        return other

    @property
    def _possible(self) -> Floats:
        return nearest_possible(self.value, self.limits, self.whole)

    @property
    def shown(self) -> Floats:
        """The values as people are shown them: the nearest that are possible. Shares lie between 0 and 1 and add up to 1; those of fewer
        than five people, and of a group for which the interval leaves every value open, are not a number. `value` is what the method
        says, and the one to compute with.

        >>> import deniable as dn
        >>> dn.Estimate([1.25, -0.25], ["yes", "no"], n=40, method="joint", covariance=np.eye(2), whole=2).shown.tolist()
        [1.0, 0.0]
        """
        return np.where(self.too_few | self.left_open, np.nan, self._possible)

    @property
    def too_few(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which values are about groups of too few people to be shown."""
        if self.group_sizes is None:
            return np.zeros(len(self.value), dtype=bool)
        few: np.ndarray[Any, np.dtype[np.bool_]] = self.group_sizes < FEWEST
        return few

    @property
    def left_open(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which values are about groups so well hidden that their 95% intervals leave every possible value open: a point would mislead."""
        if self.group_sizes is None or self.limits is None or self.limits[0] == self.limits[1] or not self.has_interval:
            return np.zeros(len(self.value), dtype=bool)
        low, high = self.interval()
        slack = 1e-9 * (self.limits[1] - self.limits[0])
        each = (low <= self.limits[0] + slack) & (high >= self.limits[1] - slack)
        return each.reshape(-1, self.whole).all(axis=1).repeat(self.whole)

    @property
    def said_instead(self) -> list[str | None]:
        """What is said instead of each value that is not shown; None for the others."""
        if self.group_sizes is None:
            return [None] * len(self.value)
        words = words_of(self.language)
        return [
            words.few_answers.format(size=words.number(size, ",.0f")) if few else words.cannot_be_told if left_open else None
            for size, few, left_open in zip(self.group_sizes, self.too_few, self.left_open, strict=True)
        ]

    @property
    def is_share(self) -> bool:
        """Whether the values are shares of a whole, to be read as percentages."""
        return self.limits == (0.0, 1.0)

    @property
    def in_points(self) -> bool:
        """Whether the value is a difference of shares, to be read in percentage points."""
        return self.limits == (-1.0, 1.0) and self.name.startswith("share of ") if self._in_points is None else self._in_points

    @property
    def on_a_scale(self) -> bool:
        """Whether the values are on the scale of an attribute, as means and quantiles are, for which 0 is a number like any other."""
        if self._on_a_scale is not None:
            return self._on_a_scale
        return self.name.startswith(("mean of ", "quantile")) and self.labels != ("difference",) and not self.is_share
