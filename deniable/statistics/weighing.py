"""Functions summed over the people of a sample: their weights on every cell of reports, in all parts that were asked.

For the respondents the parts are added up. For the population, if the parts are alike, each counts by its precision (`precision`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from deniable.core.channels.blocks import Block
from deniable.core.channels.groups import JointChannel
from deniable.core.schema import Schema
from deniable.statistics.bounded import Bounded
from deniable.statistics.counted import counted_parts
from deniable.statistics.functions import Function
from deniable.statistics.parts import Parts
from deniable.statistics.precision import by_precision
from deniable.statistics.weighted import Gradient, Weighted

Sums = Callable[[Sequence[Function], Gradient], Weighted]
"""Sums functions over the people; what the gradient is of is to be known precisely."""


def weigh(parts: Parts, functions: Sequence[Function], gradient: Gradient, precisely: bool = False) -> Weighted:
    """The weights of functions on every cell of reports; parts count by their precision for what the `gradient` is of, if they are to be
    weighed `precisely` (for the population)."""
    names = list(dict.fromkeys(name for function in functions for name in function.attributes))
    counted = counted_parts(parts, names)
    undone = [part.undone(functions) for part in counted]
    values = np.concatenate([values for values, _ in undone], axis=1)
    cells = ((part.n, part.stands_for, np.full(len(part.n), i)) for i, part in enumerate(counted))
    n, stands_for, place = (np.concatenate(column) for column in zip(*cells, strict=True))
    weighted = Weighted(values, n, stands_for, place)
    designs = {_design(part.schema, names) for part in counted if part.people}
    if precisely and parts.alike and len(designs) > 1:
        weighted = by_precision(weighted, counted, functions, gradient)
    off = [terms for _, terms in undone]
    if any(terms for of_part in off for terms in of_part):
        weighted.bounded = Bounded(weighted, counted, functions, off, gradient)
    return weighted


def _design(schema: Schema, names: Sequence[str]) -> tuple[Any, ...]:
    """What makes two parts hide these attributes in the same way."""
    return tuple(sorted(_digest(block) for block in schema.blocks if set(block.attributes) & set(names)))


def _digest(block: Block) -> tuple[str, ...]:
    if isinstance(block.channel, JointChannel):
        return (*block.attributes, str(block.channel.recipe()))
    return (*block.attributes, block.channel.law.digest)
