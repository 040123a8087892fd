"""How far supports may be off where noise is undone by weights that are a little off for every truth (`core.undoing`).

E[weight of item i | truth] = f_i + r_i, f_i being 1 for those who have the item. For one such item among others that are unbiased the
support is off by the mean of r_i over those who have the others; how large that can be follows from the class of truths (`core.caps`)
and from how many have the others. For several of them

    prod (f_i + r_i) - prod f_i  =  sum over i of (product of f_j before i) * r_i * (product of f_j + r_j after i),

every term of which is at most the largest mean of |r_i| times the largest |f_j + r_j| after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from deniable.core.caps import Cap, half_length
from deniable.core.domains.exact import Floats, Ints

NOT_TOLD = (
    "Some items are hidden by noise that no useful unbiased weights undo, and how far their weights may be off is not known for what a "
    "taxonomy makes of them."
)


class Range(NamedTuple):
    """How far estimates may be off on average: by as much below the truth, and as much above it."""

    below: Any
    above: Any


class Bias:
    """How far the weights of one item may be off on average: `residual` is E[weight | truth] less whether the truth is the item.

    >>> bias = Bias(Cap(np.arange(4), 0.5), np.array([1.0, 0.0, 0.0, 0.0]), np.array([-0.2, 0.2, 0.1, 0.0]))
    >>> [round(end, 2) for end in bias.alone], bias.reach
    ([0.1, 0.15], 0.8)
    >>> [end.round(2).tolist() for end in bias.among(np.array([0.1, 1.0]))]
    [[0.02, 0.1], [0.02, 0.15]]
    """

    def __init__(self, cap: Cap, member: Floats, residual: Floats) -> None:
        self.alone = Range(float(cap.largest(-residual)[0]), float(cap.largest(residual)[0]))
        self.reach = float(np.abs(member + residual).max())
        # The largest mean is linear in the share of people between multiples of what one value may hold.
        self._masses = np.unique(np.minimum(cap.most * np.arange(np.ceil(1 / cap.most) + 1), 1.0))
        each = np.column_stack([-residual, residual, np.abs(residual)])
        self._ends = np.array([cap.largest(each, mass, fixed=False) for mass in self._masses]).T

    def among(self, mass: Floats) -> Range:
        """The same over a share `mass` of the people, or fewer, the others counting as 0."""
        return Range(*(np.interp(mass, self._masses, ends) for ends in self._ends[:2]))

    def beside(self, mass: Floats) -> Floats:
        """The same either way, if each may be multiplied by anything between -1 and 1."""
        return np.asarray(np.interp(mass, self._masses, self._ends[2]))


def shifted(cap: Cap, weights: Floats, residual: Floats) -> tuple[Floats, Floats]:
    """Weights and residual without what they are off by for sure, whatever the truth: an estimate lies in its own interval."""
    above, below = float(cap.largest(residual)[0]), float(cap.largest(-residual)[0])
    surely = min(above, 0.0) - min(below, 0.0)
    return weights - surely, residual - surely


def largest_bias(biases: Sequence[Bias | None], itemsets: Ints, mass: Floats) -> Range:
    """How far the support of each itemset (a row of item numbers) may be off; `mass` is how many have all its unbiased items, at most.

    >>> bias = Bias(Cap(np.arange(4), 0.5), np.array([1.0, 0.0, 0.0, 0.0]), np.array([-0.2, 0.2, 0.1, 0.0]))
    >>> [end.round(3).tolist() for end in largest_bias([None, bias, bias], np.array([[0, 1], [1, 2]]), np.array([0.1, 1.0]))]
    [[0.02, 0.36], [0.02, 0.36]]
    """
    is_biased = np.array([bias is not None for bias in biases])[itemsets]
    several = is_biased.sum(axis=1) > 1
    below, above, after = np.zeros(len(itemsets)), np.zeros(len(itemsets)), np.ones(len(itemsets))
    for position in range(itemsets.shape[1] - 1, -1, -1):
        for item in np.unique(itemsets[is_biased[:, position], position]):
            bias = biases[item]
            assert bias is not None
            here = itemsets[:, position] == item
            ends_of_item = bias.among(mass) if itemsets.shape[1] > 1 else bias.alone
            for total, end in zip((below, above), ends_of_item, strict=True):
                total[here] += np.where(several, bias.beside(mass) * after, end)[here]
            after[here] *= bias.reach
    return Range(below, above)


def ends(value: Floats, errors: Floats, bias: Range, level: float) -> tuple[Floats, Floats]:
    """Intervals of this level around estimates with these standard errors that may be off by `bias`.

    >>> [end.round(3).tolist() for end in ends(np.array([0.5]), np.array([0.01]), Range(np.array([0.1]), np.array([0.0])), 0.95)]
    [[0.484], [0.616]]
    """
    half_range = (bias.below + bias.above) / 2
    reach = errors * NormalDist().inv_cdf(0.5 + level / 2)
    off = np.flatnonzero(half_range > 0)
    if len(off):
        reach[off] = half_length(half_range[off], errors[off], level)
    middle = value - (bias.above - bias.below) / 2
    return middle - reach, middle + reach
