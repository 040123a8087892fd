"""What the reports say of rules, as arrays with one number per rule: means of weights, of their products, and how far they may be off.

S stands for all items of a rule, A for its antecedents and C for its consequents; w is what a row counts for "all of these are true".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from deniable.core.domains.exact import Floats


class Arrays:
    """A record of arrays with one number per rule each, or of such records; a part that there is not is None."""

    def take(self, chosen: Any) -> Self:
        """Those of some rules."""
        parts = [getattr(self, field.name) for field in fields(self)]  # type: ignore[arg-type]
        return type(self)(*(None if part is None else part.take(chosen) for part in parts))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """One after the other.

        >>> two = [Score(*(np.full(n, float(n)) for _ in range(5))) for n in (1, 2)]
        >>> Score.joined(two).antecedent.tolist()
        [1.0, 2.0, 2.0]
        """
        whole = []
        for field in fields(cls):  # type: ignore[arg-type]
            several = [getattr(part, field.name) for part in parts]
            first = several[0]
            whole.append(
                None if first is None else type(first).joined(several) if isinstance(first, Arrays) else np.concatenate(several)
            )
        return cls(*whole)


@dataclass(frozen=True)
class Score(Arrays):
    """Second moments of weights where all items of a side are held, and where they are not (`rest`): they say how errors would change
    if rows were moved from one to the other. `rest_given` is `rest` of the consequents among rows that hold the antecedents.
    """

    antecedent: Floats
    consequent: Floats
    antecedent_rest: Floats
    consequent_rest: Floats
    rest_given: Floats


@dataclass(frozen=True)
class Off(Arrays):
    """By how much the means of w_S, w_A and w_C may lie below and above the supports, on average: 0 where weights are unbiased."""

    both_below: Floats
    both_above: Floats
    antecedent_below: Floats
    antecedent_above: Floats
    consequent_below: Floats
    consequent_above: Floats

    @property
    def any(self) -> Any:
        """Which rules may be off at all."""
        return np.any([getattr(self, field.name) > 0 for field in fields(self)], axis=0)


@dataclass(frozen=True)
class RuleMoments(Arrays):
    """Means over rows: of w_S, w_A, w_C, of their squares, and of w_S w_A, w_S w_C and w_A w_C."""

    both: Floats
    antecedent: Floats
    consequent: Floats
    both_squared: Floats
    antecedent_squared: Floats
    consequent_squared: Floats
    both_antecedent: Floats
    both_consequent: Floats
    sides: Floats
    score: Score | None = None
    off: Off | None = None

    def __len__(self) -> int:
        return len(self.both)
