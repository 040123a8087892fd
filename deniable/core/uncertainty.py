"""How far an estimate may be off: the covariance of its values and the rule of its intervals, or re-estimates of simulated reports."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.core.intervals import Ends, IntervalRule
from deniable.progress import Progress, Silent

DRAWS = 200
"""How many re-estimates make a variability band."""
AT_ONCE = 25
"""How many re-estimates are made in step."""

Resample = Callable[[np.random.Generator, int], Floats]
"""Gives re-estimates of simulated reports, as many as are asked for, one per row."""


class Uncertainty:
    """What is known of the errors of an estimate's values.

    There are errors wherever there is a covariance or a way to estimate again, and intervals wherever there is a covariance and no reason
    against them.
    """

    def __init__(
        self, covariance: Any, interval_rule: IntervalRule | None, resample: Resample | None, why_no_interval: str | None
    ) -> None:
        """`interval_rule` is given wherever there is a covariance."""
        self.covariance: Floats | None = None if covariance is None else np.asarray(covariance, dtype=np.float64)
        self.interval_rule = interval_rule
        self.why_no_interval = why_no_interval
        self._resample = resample
        self._resampled: list[Floats] = []

    @property
    def has_interval(self) -> bool:
        """Whether an interval would be honest."""
        return self.why_no_interval is None and self.covariance is not None

    @property
    def is_simulated(self) -> bool:
        """Whether bands come from simulated reports."""
        return self._resample is not None

    @property
    def has_errors(self) -> bool:
        """Whether there are standard errors and bands: there are both or neither."""
        return self.is_simulated or self.covariance is not None

    @property
    def is_known(self) -> bool:
        """Whether nothing is left to simulate."""
        return self.covariance is not None or bool(self._resampled)

    @property
    def errors(self) -> Floats:
        """The standard errors; where there is no covariance those of the re-estimates, which are simulated when first asked for."""
        if self.covariance is None:
            self.simulate(None)
            spread: Floats = np.nanstd(self._resampled, axis=0, ddof=1)
            return spread
        errors: Floats = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        return errors

    def middle(self, level: float) -> Ends:
        """Between which numbers the middle `level` of the re-estimates lie."""
        # Simulated reports may say nothing of a small group; what the others say of it counts.
        low, high = np.nanquantile(self._resampled, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return low, high

    def simulate(self, draws: int | None, rng: np.random.Generator | None = None, progress: Progress | None = None) -> None:
        """Estimate again from simulated reports, unless that was done already as often as is asked for."""
        assert self._resample is not None
        draws = (len(self._resampled) or DRAWS) if draws is None else draws
        if rng is None and len(self._resampled) == draws:
            return
        # Nobody is protected by these draws, and the same question about the same data should have the same band.
        generator = np.random.default_rng(0) if rng is None else rng
        self._resampled = []
        progress = progress or Silent()
        progress.start("simulating reports", draws)
        try:
            for done in range(0, draws, AT_ONCE):
                # Some in step cost less than one after the other; all at once would take much memory.
                many = min(AT_ONCE, draws - done)
                self._resampled.extend(self._resample(generator, many))
                progress.advance(many)
        finally:
            progress.finish()

    def with_intervals(self, rule: IntervalRule) -> Self:
        """The same errors with intervals by this rule, for values that another method found: re-estimates would be of the first one."""
        other = copy.copy(self)
        other.interval_rule, other._resample = rule, None
        return other
