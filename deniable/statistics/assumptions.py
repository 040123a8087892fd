"""What an answer takes for granted besides the channels themselves, and whether the reports fit these: repeated by every estimate that
rests on it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from deniable.core.estimate import Estimate
from deniable.statistics.condition_parser import as_condition
from deniable.statistics.conditions import Condition
from deniable.statistics.remarks import remark

CONDITIONS = ("where", "first", "second", "condition", "among", "between")
ATTRIBUTES = ("name", "by", "a", "b", "of", "y", "on")
P = ParamSpec("P")


def repeats_assumptions(method: Callable[Concatenate[Any, P], Estimate]) -> Callable[Concatenate[Any, P], Estimate]:
    """A question of a `Sample` whose answer names the assumptions of all attributes that the question is about, and those whose
    reports do not fit."""
    signature = inspect.signature(method)

    @wraps(method)
    def asked(sample: Any, /, *args: P.args, **kwargs: P.kwargs) -> Estimate:
        estimate = method(sample, *args, **kwargs)
        given = signature.bind(sample, *args, **kwargs).arguments
        names = dict.fromkeys(_named(given))
        found = {
            f"{name!r}: {schema[name].assumption}": None
            for name in names
            for _, schema in sample.parts
            if name in schema and schema[name].assumption is not None
        }
        asking = sum(all(name in schema for name in names) for _, schema in sample.parts)
        said = (
            []
            if asking == len(sample.parts)
            else [f"asked in {asking} of {len(sample.parts)} parts, whose people stand for all"]
        )
        estimate.assumes = (*said, *estimate.assumes, *found)
        estimate.warnings = (*estimate.warnings, *sample._parts.misfits(names))
        if sample.weights is not None:
            estimate.notes = (*estimate.notes, f"respondents stand for as many people as {sample.weights!r} says")
        elif estimate.has_interval and estimate.target == "respondents" and not sample._hidden(list(names)):
            estimate.exact = True
        remark(estimate, sample._channels, list(_conditions(given)), given.get("by"))
        return estimate

    return asked


def _conditions(arguments: dict[str, Any]) -> Iterator[Condition]:
    for parameter, given in arguments.items():
        if parameter in CONDITIONS and given is not None:
            for condition in map(as_condition, given if isinstance(given, (tuple, list)) else (given,)):
                if condition is not None:
                    yield condition


def _named(arguments: dict[str, Any]) -> Iterator[str]:
    for condition in _conditions(arguments):
        yield from condition.attributes()
    for parameter, given in arguments.items():
        if parameter in ATTRIBUTES and given is not None:
            yield from [given] if isinstance(given, str) else given
