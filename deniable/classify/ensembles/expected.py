"""The accuracy that a classifier which chose says to expect: a mean over parts of the rows, with a band, that files can hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.core.estimate import Estimate
from deniable.core.intervals import Ends
from deniable.errors import ParameterError

STORED_LEVEL = 0.95
"""The level of the band that files hold."""
DIGITS = 9
"""Beyond these a sum may depend on how many threads add it up; what is told, and written to files, does not."""


@dataclass(frozen=True)
class MeanOfEnds:
    """The rule of the interval of a mean of estimates: the mean of their ends, as their errors may go together, rounded outward."""

    rules: tuple[Estimate, ...]

    def __call__(self, level: float) -> Ends:
        ends = [estimate.interval(level) for estimate in self.rules]
        low, high = (np.mean([pair[end] for pair in ends], axis=0) for end in (0, 1))
        return np.floor(low * 10**DIGITS) / 10**DIGITS, np.ceil(high * 10**DIGITS) / 10**DIGITS


@dataclass(frozen=True)
class KnownEnds:
    """The rule of an interval that was read from a file: it is known at one level."""

    low: float
    high: float

    def __call__(self, level: float) -> Ends:
        if level != STORED_LEVEL:
            raise ParameterError(
                "stored_level", "A saved classifier knows its expected accuracy at the level {known} alone, got {got}.",
                known=STORED_LEVEL, got=level,
            )  # fmt: skip
        return np.array([self.low]), np.array([self.high])


def mean_of(found: list[Estimate], rows: int) -> Estimate:
    """Unbiased accuracies may lie above 1; what is shown may not, nor outside its interval."""
    value = round(float(np.clip(np.mean([estimate.value[0] for estimate in found]), 0, 1)), DIGITS)
    if not all(estimate.has_interval for estimate in found):
        return expected_accuracy(value, rows, None)
    rule = MeanOfEnds(tuple(found))
    low, high = rule(STORED_LEVEL)
    return expected_accuracy(float(np.clip(value, low[0], high[0])), rows, rule)


def expected_accuracy(value: float, rows: int, rule: Any) -> Estimate:
    """Accuracy as an estimate; without a rule it is a guess."""
    known: dict[str, Any] = {"no_interval": "reports that matter cannot be undone."} if rule is None else {"ends": rule}
    variance = 0.0 if rule is None else float((rule(STORED_LEVEL)[1][0] - rule(STORED_LEVEL)[0][0]) / 3.92) ** 2
    return Estimate(
        [value],
        ["accuracy"],
        n=rows,
        method="held-out reports",
        covariance=[[variance]],
        name="accuracy",
        limits=(0.0, 1.0),
        **known,
    )
