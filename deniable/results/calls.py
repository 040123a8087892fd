"""Calls of `dn.Sample`: made once, then run for the page and written for its twin, so that both are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deniable.core.estimate import Estimate
from deniable.statistics.sample import Sample


@dataclass(frozen=True)
class Call:
    """A question to a sample: the name of a method, and what it is given (texts, numbers, and lists of these)."""

    method: str
    args: tuple[Any, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)

    def run(self, sample: Sample) -> Estimate:
        """Its estimate."""
        estimate: Estimate = getattr(sample, self.method)(*self.args, **self.given)
        return estimate

    def code(self, sample: str = "sample") -> str:
        """As Python, from `repr` alone.

        >>> Call("distribution", ("q3",), {"where": "age >= 30"}).code()
        "sample.distribution('q3', where='age >= 30')"
        """
        said = [*map(repr, self.args), *(f"{name}={value!r}" for name, value in self.given.items())]
        return f"{sample}.{self.method}({', '.join(said)})"


def call(method: str, *args: Any, **given: Any) -> Call:
    """A call without what is not given.

    >>> call("mean", "age", where=None, by="sex").given
    {'by': 'sex'}
    """
    return Call(method, args, {name: value for name, value in given.items() if value is not None})
