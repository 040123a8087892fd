"""What an answer takes for granted besides the channels themselves: repeated by every estimate that rests on it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from deniable.core.estimate import Estimate
from deniable.statistics.conditions import as_condition

CONDITIONS = ("where", "first", "second", "condition", "among", "between")
ATTRIBUTES = ("name", "by", "a", "b", "of", "y", "on")
P = ParamSpec("P")


def repeats_assumptions(method: Callable[Concatenate[Any, P], Estimate]) -> Callable[Concatenate[Any, P], Estimate]:
    """A question of a `Sample` whose answer names the assumptions of all attributes that the question is about."""
    signature = inspect.signature(method)

    @wraps(method)
    def asked(sample: Any, /, *args: P.args, **kwargs: P.kwargs) -> Estimate:
        estimate = method(sample, *args, **kwargs)
        names = dict.fromkeys(_named(signature.bind(sample, *args, **kwargs).arguments))
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
        if sample.weights is not None:
            estimate.notes = (*estimate.notes, f"respondents stand for as many people as {sample.weights!r} says")
        return estimate

    return asked


def _named(arguments: dict[str, Any]) -> Iterator[str]:
    for parameter, given in arguments.items():
        if parameter in CONDITIONS and given is not None:
            for condition in map(as_condition, given if isinstance(given, (tuple, list)) else (given,)):
                yield from condition.attributes() if condition is not None else ()
        elif parameter in ATTRIBUTES and given is not None:
            yield from [given] if isinstance(given, str) else given
