"""What the questions of a sample are asked of: reports in one or several parts, their channels and survey weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deniable.core.channels.designs import Identity
from deniable.core.channels.windows import only_means
from deniable.core.schema import Schema
from deniable.errors import ParameterError
from deniable.statistics.condition_parser import as_condition
from deniable.statistics.conditions import Condition
from deniable.statistics.fits import Fits
from deniable.statistics.functions import Function, indicator
from deniable.statistics.given_parts import Part
from deniable.statistics.parts import Most, Parts
from deniable.statistics.rows import columns_of
from deniable.statistics.smoothing import Smoothing
from deniable.statistics.weighing import Sums, weigh


class Reports:
    """The reports of a sample, with what questions have in common: conditions, targets, sums, and what is kept from earlier ones."""

    def __init__(self, parts: Sequence[Part], weights: str | None, alike: bool, most: Most) -> None:
        self.parts = Parts(parts, weights, alike, most)
        self.weights = weights
        self.channels = self.parts.channels
        self.smoothing = Smoothing(self.parts)
        self.fits = Fits(self.parts)

    def sums(self, target: str) -> Sums:
        """How functions are summed over the people: for the population parts count by their precision, for the respondents all alike."""
        return lambda functions, gradient: weigh(self.parts, functions, gradient, precisely=target == "population")

    def target(self, given: str | None, default: str = "population") -> str:
        """What error bars are about."""
        if self.weights is None:
            return given or default
        if given == "respondents":
            raise ParameterError(
                "weighted_target", "Survey weights speak of the population; target='respondents' makes no sense with them."
            )
        return "population"

    def condition(self, given: Any) -> Condition | None:
        """A condition that somebody can meet, if one is given."""
        condition = as_condition(given)
        if condition is not None:
            condition.check(self.channels)
            if not self.members(condition).terms:
                raise ParameterError(
                    "empty_condition", "Nobody can meet the condition {got}: no value does.", got=str(condition)
                )
        return condition

    def needed(self, given: Any, what: str) -> Condition:
        """A condition that must be given."""
        condition = self.condition(given)
        if condition is None:
            raise ParameterError("no_condition", "{what} needs a condition.", what=what)
        return condition

    def members(self, condition: Condition | None) -> Function:
        """1 for those who meet a condition."""
        return indicator(condition, self.channels)

    def hides(self, names: Sequence[str]) -> bool:
        """Whether any of these attributes is hidden."""
        return any(not isinstance(schema[name], Identity) for _, schema in self.parts.asking(names) for name in names)

    def tells_squares(self, name: str) -> bool:
        """Whether the reports of a number tell its squares, and not its mean alone."""
        return not any(name in schema and schema[name].tells_means_only for _, schema in self.parts.all)

    def only_part(self, what: str, names: Sequence[str]) -> Part:
        """The part that asks these attributes; several are refused."""
        asking = self.parts.asking(names)
        if len(asking) > 1:
            raise ParameterError(
                "several_parts", "{what} is for one part at a time; {got} parts ask this.", what=what, got=len(asking)
            )
        return asking[0]

    def columns(self, part: Part, names: Sequence[str], what: str) -> dict[str, Any]:
        """Rows one by one, as the published methods take them."""
        if self.weights is not None:
            raise ParameterError("weighted_rows", "{what} knows no survey weights.", what=what)
        return columns_of(*part, list(dict.fromkeys(names)))

    def iterative_rows(self, names: Sequence[str]) -> tuple[dict[str, Any], Schema]:
        """The columns of the only part that asks these attributes, and its schema, for method="iterative"."""
        part = self.only_part("method='iterative'", names)
        for name in names:
            if part[1][name].tells_means_only:
                raise only_means(name)
        return self.columns(part, names, "method='iterative'"), part[1]
