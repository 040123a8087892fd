"""Smoothed distributions of a sample's attributes behind noise, each found once, and the points that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.core.estimate import Estimate
from deniable.statistics.conditions import Condition
from deniable.statistics.counted import counted_parts
from deniable.statistics.functions import Function, indicator
from deniable.statistics.groups import Group, parted
from deniable.statistics.parts import Parts
from deniable.statistics.smoothed import SMOOTHED, Smoothed, adds_noise, borders_of


class SmoothedMeans(NamedTuple):
    """Smoothed means of functions, what they would be if reports were true, and the shares of an attribute's labels among everyone."""

    means: Floats
    at_face_value: Floats
    everyone: Floats


class Smoothing:
    """What smoothing says of questions about an attribute that noise hides, and at most one other."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._kept: dict[tuple[str, tuple[int, ...]], Smoothed] = {}

    def hidden_by_noise(self, name: str) -> bool:
        """Whether noise hides an attribute that is asked in one part, whose people count alike."""
        asking = self._parts.asking([name])
        return len(asking) == 1 and self._parts.weights is None and adds_noise(asking[0][1][name])

    def distribution(self, name: str, factors: Sequence[Floats] = ()) -> Smoothed | None:
        """The smoothed distribution of an attribute, if noise hides it; `factors` are what is asked of its values."""
        return self._distribution(name, factors) if self.hidden_by_noise(name) else None

    def _distribution(self, name: str, factors: Sequence[Floats]) -> Smoothed:
        [(data, schema)] = self._parts.remembering([name])
        key = (name, borders_of(factors, schema[name]))
        if key not in self._kept:
            self._kept[key] = Smoothed(data, schema, *key)
        return self._kept[key]

    def means(self, functions: Sequence[Function]) -> Floats | None:
        """The smoothed means of functions of an attribute that noise hides, and of at most one other."""
        names = list(dict.fromkeys(name for function in functions for name in function.attributes))
        noisy = [name for name in names if self.hidden_by_noise(name)]
        if not noisy or len(names) > 2:
            return None
        name, others = noisy[0], [each for each in names if each != noisy[0]]
        factors = [factors[name] for function in functions for _, factors in function.terms if name in factors]
        smooth = self._distribution(name, factors)
        if len(self._parts.asking(names)) != 1:
            return None
        shares = smooth.with_other(others[0]) if others else smooth.shares
        if shares is None:
            return None
        sizes = [(each, self._parts.channels[each].domain.size) for each in (name, *others)]
        return np.array([float((shares * function.by_code(*sizes)).sum()) for function in functions])

    def within(self, members: Sequence[Function], groups: Sequence[Group]) -> SmoothedMeans | None:
        """What smoothing says of those who part each of some groups, if noise hides one of the attributes."""
        functions = parted(members, groups)
        means = self.means([*functions, *members])
        if means is None:
            return None
        names = list(dict.fromkeys(name for function in [*functions, *members] for name in function.attributes))
        [part] = counted_parts(self._parts, names)
        return SmoothedMeans(means[: -len(members)], part.means_at_face_value(functions), means[-len(members) :])

    def point(self, estimate: Estimate, functions: Sequence[Function], of: Callable[[Floats], Any]) -> Estimate:
        """The estimate with what follows from smoothed means of functions as its point, if noise hides one of their attributes."""
        means = self.means(functions)
        value = None if means is None else np.asarray(of(means), dtype=np.float64)
        return estimate if value is None or not np.isfinite(value).all() else estimate.with_value(value, SMOOTHED)

    def probabilities(self, condition: Condition, codes: Sequence[dict[str, Any]]) -> Floats | None:
        """How probably rows (their reported codes, in each part) meet a condition on an attribute behind noise, and at most one other."""
        function = indicator(condition, self._parts.channels)
        names = list(codes[0])
        noisy = [name for name in names if len(codes) == 1 and self.hidden_by_noise(name)]
        if not noisy or len(names) > 2:
            return None
        factors = [factors[noisy[0]] for _, factors in function.terms if noisy[0] in factors]
        smooth, order = self._distribution(noisy[0], factors), [noisy[0], *(name for name in names if name != noisy[0])]
        meets = function.by_code(*((name, self._parts.channels[name].domain.size) for name in order))
        return smooth.probabilities(meets, codes[0])
