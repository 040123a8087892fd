"""Functions of true answers as sums of products, one factor per attribute, and their unbiased weights on reports.

The mean over respondents of the product of the blocks' weights is unbiased for the mean of the product of the factors. A
condition is such a sum: `not` is 1 - f, `or` is 1 - (1 - f)(1 - g), and factors of one attribute multiply into one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.groups import Factors, JointChannel, joined
from deniable.core.channels.windows import only_means
from deniable.core.domains.exact import Floats, Ints
from deniable.core.schema import Schema
from deniable.core.undoing import Undone
from deniable.errors import NotInvertibleError, ParameterError
from deniable.statistics.conditions import AnyOf, Compare, Condition, Joined, Not

MOST_TERMS = 4_096


class Residual(NamedTuple):
    """A term of a function whose weights are off: by `residuals` of the true value of some of its attributes."""

    coefficient: float
    factors: Factors
    residuals: Factors


Undo = Callable[[str, Floats, float, float], Undone]
"""The weights of a function of one attribute, when this many people's worth of answers is asked about, who are this share of all."""


class Function:
    """sum over terms of coefficient * product over attributes of factor(true label)."""

    def __init__(self, terms: Sequence[tuple[float, Factors]]) -> None:
        merged: dict[tuple[Any, ...], tuple[float, Factors]] = {}
        for coefficient, factors in terms:
            if any(not factor.any() for factor in factors.values()):
                continue
            key = tuple(sorted((name, factor.tobytes()) for name, factor in factors.items())) if len(terms) > 1 else ()
            merged[key] = (merged.get(key, (0.0, factors))[0] + coefficient, factors)
        self.terms = [(coefficient, factors) for coefficient, factors in merged.values() if coefficient]
        if len(self.terms) > MOST_TERMS:
            raise ParameterError(
                "condition_too_large", "The condition expands to {got:,} terms, more than {most:,}; use fewer 'or's.",
                got=len(self.terms), most=MOST_TERMS,
            )  # fmt: skip

    @property
    def attributes(self) -> list[str]:
        """The attributes that matter."""
        return list(dict.fromkeys(name for _, factors in self.terms for name in factors))

    def __mul__(self, other: Function) -> Function:
        return Function([(a * b, joined(f, g)) for a, f in self.terms for b, g in other.terms])

    def __sub__(self, other: Function) -> Function:
        return Function([*self.terms, *((-b, g) for b, g in other.terms)])

    def __add__(self, other: Function) -> Function:
        return Function([*self.terms, *other.terms])

    def times(self, number: float) -> Function:
        """The same function, this many times as large."""
        return Function([(number * coefficient, factors) for coefficient, factors in self.terms])

    def even_mean(self) -> float:
        """Its mean if all combinations of true answers were equally frequent: what can be said before any answer is in."""
        return math.fsum(c * math.prod(float(f.mean()) for f in factors.values()) for c, factors in self.terms)

    def by_code(self, *sizes: tuple[str, int]) -> Floats:
        """The values of the function by the true codes of these attributes (names and numbers of codes), one axis each."""
        total = np.zeros([size for _, size in sizes])
        for coefficient, factors in self.terms:
            product = np.full(total.shape, coefficient)
            for axis, (name, _) in enumerate(sizes):
                if name in factors:
                    product = product * factors[name].reshape([-1 if i == axis else 1 for i in range(len(sizes))])
            total += product
        return total

    def weights(self, schema: Schema, codes: Mapping[str, Ints]) -> Floats:
        """The unbiased weight of each row of reported codes, however much such weights vary."""
        size = len(next(iter(codes.values()))) if codes else 1
        return self.undone(schema, codes, np.ones(size), lambda name, f, n, mass: Undone(schema[name].law.weights(f), None))[0]

    def undone(self, schema: Schema, codes: Mapping[str, Ints], n: Floats, undo: Undo) -> tuple[Floats, list[Residual]]:
        """The weight of each row of reported codes (which occur `n` times), and by how much weights are off where they are not unbiased."""
        size = len(n)
        total, off = np.zeros(size), []
        for coefficient, factors in self.terms:
            product, sizes, noisy = np.ones(size), np.ones(size), []
            for block in schema.blocks:
                inside = {name: factors[name] for name in block.attributes if name in factors}
                if inside and isinstance(block.channel, Channel) and not block.channel.law.lumpable:
                    noisy += [*inside]
                elif inside:
                    weights_of_block = _block_weights(block.channel, inside, codes)
                    product *= weights_of_block
                    signed = any((f < 0).any() for f in inside.values())
                    absolute = {name: np.abs(f) for name, f in inside.items()}
                    sizes *= _block_weights(block.channel, absolute, codes) if signed else weights_of_block
            residuals: Factors = {}
            for name in noisy:
                weights, residual = _undone(undo, name, factors[name], _worth(product, sizes, n), _share(sizes, n))
                sizes = sizes * np.abs(factors[name]).mean()
                product = product * weights[codes[name]]
                if residual is not None:
                    residuals[name] = residual
            total += coefficient * product
            if residuals:
                off.append(Residual(coefficient, factors, residuals))
        return total, off


ONE = Function([(1.0, {})])


def _undone(undo: Undo, name: str, f: Floats, n: float, mass: float) -> Undone:
    """The weights of a function; where reports tell means alone, and something else is asked, the error says of which attribute."""
    try:
        return undo(name, f, n, mass)
    except NotInvertibleError as error:
        if error.code != "means_only":
            raise
        raise only_means(name) from None


def _worth(weights: Floats, sizes: Floats, n: Floats) -> float:
    """How many people's worth of answers rows with these weights are; `sizes` are the weights of the function's absolute value."""
    squares = float(weights**2 @ n)
    return min(float(n.sum()), float(sizes @ n) ** 2 / squares) if squares > 0 else 1.0


def _share(sizes: Floats, n: Floats) -> float:
    """Which share of all these people are; of factors that are not those of a group, no more than everyone."""
    people = float(n.sum())
    return min(max(float(sizes @ n) / people, 0.0), 1.0) if people > 0 else 1.0


def weight_product(first: Function, second: Function, schema: Schema, undo: Undo | None = None) -> Function:
    """E[w_f w_g | truth]: what the product of the weights of two functions is on average, given the true answers.

    >>> import deniable as dn
    >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)})
    >>> yes = factor("a", np.array([0.0, 1.0]))
    >>> [(_, factors)] = weight_product(yes, yes, schema).terms      # weights are 1.5 for a yes, -0.5 for a no
    >>> factors["a"].tolist()
    [0.75, 1.75]
    """
    terms: list[tuple[float, Factors]] = []
    for a, f in first.terms:
        for b, g in second.terms:
            product: list[tuple[float, Factors]] = [(a * b, {})]
            for block in schema.blocks:
                x, y = ({name: factors[name] for name in block.attributes if name in factors} for factors in (f, g))
                product = [(c * d, joined(p, q)) for c, p in product for d, q in _block_product(block.channel, x, y, undo)]
            terms += product
    return Function(terms)


def indicator(condition: Condition | None, schema: Mapping[str, Channel]) -> Function:
    """1 for those who meet the condition, 0 for the others."""
    if condition is None:
        return ONE
    if isinstance(condition, Compare):
        return Function([(1.0, {condition.name: condition.members(schema).astype(np.float64)})])
    if isinstance(condition, Not):
        return ONE - indicator(condition.part, schema)
    assert isinstance(condition, Joined)
    either = isinstance(condition, AnyOf)
    product = ONE
    for part in condition.parts:
        met = indicator(part, schema)
        product = product * (ONE - met if either else met)
    return ONE - product if either else product


def open_codes(condition: Condition | None, name: str, schema: Mapping[str, Channel]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which true codes of an attribute somebody who meets the condition may have; perhaps too many, never too few."""
    everything = np.ones(schema[name].domain.size, dtype=bool)
    if condition is None or name not in condition.attributes():
        return everything
    if isinstance(condition, Compare):
        return condition.members(schema)
    if isinstance(condition, Not):
        # What does not hold may be anything else, unless other attributes have a say.
        alone = condition.attributes() == [name]
        return ~open_codes(condition.part, name, schema) if alone else everything
    assert isinstance(condition, Joined)
    parts = np.array([open_codes(part, name, schema) for part in condition.parts])
    return np.asarray(parts.any(axis=0) if isinstance(condition, AnyOf) else parts.all(axis=0))


def factor(name: str, values: Floats) -> Function:
    """A function of one attribute alone."""
    return Function([(1.0, {name: np.asarray(values, dtype=np.float64)})])


def _block_weights(channel: Channel | JointChannel, factors: Factors, codes: Mapping[str, Ints]) -> Floats:
    if isinstance(channel, Channel):
        [(name, values)] = factors.items()
        return channel.law.weights(values)[codes[name]]
    return channel.product_weights(factors, codes)


def _block_product(
    channel: Channel | JointChannel, first: Factors, second: Factors, undo: Undo | None
) -> list[tuple[float, Factors]]:
    if not first or not second:
        # Only one of them speaks of this block, and its weights are unbiased (or nearly so).
        return [(1.0, first or second)]
    if isinstance(channel, JointChannel):
        return channel.weight_products(first, second)
    [(name, f)], [(_, g)] = first.items(), second.items()
    law = channel.law
    if law.lumpable or undo is None:
        return [(1.0, {name: law.pull(law.weights(f) * law.weights(g))})]
    return [(1.0, {name: law.pull(undo(name, f, math.inf, 1.0).weights * undo(name, g, math.inf, 1.0).weights)})]
