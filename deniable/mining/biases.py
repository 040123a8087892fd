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

import numpy as np

from deniable.core.caps import Cap, critical_value
from deniable.core.exact import Floats, Ints

NOT_TOLD = (
    "Some items are hidden by noise that no useful unbiased weights undo, and how far their weights may be off is not known for what a "
    "taxonomy makes of them."
)


class Bias:
    """How far the weights of one item may be off on average: `residual` is E[weight | truth] less whether the truth is the item.

    >>> bias = Bias(Cap(np.arange(4), 0.5), np.array([1.0, 0.0, 0.0, 0.0]), np.array([-0.2, 0.2, 0.1, -0.1]))
    >>> bias.alone, bias.among(np.array([0.1, 1.0])).round(2).tolist(), bias.reach
    (0.15, [0.02, 0.15], 0.8)
    """

    def __init__(self, cap: Cap, member: Floats, residual: Floats) -> None:
        self.alone = float(max(cap.largest(residual)[0], cap.largest(-residual)[0]))
        self.reach = float(np.abs(member + residual).max())
        # The largest mean is linear in the share of people between multiples of what one value may hold.
        self._masses = np.unique(np.minimum(cap.most * np.arange(np.ceil(1 / cap.most) + 1), 1.0))
        both = np.column_stack([residual, -residual, np.abs(residual)])
        self._up, self._down, self._any = np.array([cap.largest(both, mass, fixed=False) for mass in self._masses]).T

    def among(self, mass: Floats) -> Floats:
        """The largest mean over a share `mass` of the people, or fewer, the others counting as 0."""
        up, down = (np.interp(mass, self._masses, ends) for ends in (self._up, self._down))
        return np.asarray(np.maximum(up, down))

    def beside(self, mass: Floats) -> Floats:
        """The same if each may be multiplied by anything between -1 and 1."""
        return np.asarray(np.interp(mass, self._masses, self._any))


def centred(cap: Cap, weights: Floats, residual: Floats) -> tuple[Floats, Floats]:
    """Weights and residual less the middle of what the residual can be on average: no direction is then likelier than the other."""
    middle = float(cap.largest(residual)[0] - cap.largest(-residual)[0]) / 2
    return weights - middle, residual - middle


def largest_bias(biases: Sequence[Bias | None], itemsets: Ints, mass: Floats) -> Floats:
    """How far the support of each itemset (a row of item numbers) may be off; `mass` is how many have all its unbiased items, at most.

    >>> bias = Bias(Cap(np.arange(4), 0.5), np.array([1.0, 0.0, 0.0, 0.0]), np.array([-0.2, 0.2, 0.1, -0.1]))
    >>> largest_bias([None, bias, bias], np.array([[0, 1], [1, 2]]), np.array([0.1, 1.0])).round(3).tolist()
    [0.02, 0.36]
    """
    is_biased = np.array([bias is not None for bias in biases])[itemsets]
    several = is_biased.sum(axis=1) > 1
    found = np.zeros(len(itemsets))
    after = np.ones(len(itemsets))
    for position in range(itemsets.shape[1] - 1, -1, -1):
        for item in np.unique(itemsets[is_biased[:, position], position]):
            bias = biases[item]
            assert bias is not None
            here = itemsets[:, position] == item
            own = np.where(several, bias.beside(mass), bias.among(mass) if itemsets.shape[1] > 1 else bias.alone)
            found[here] += (own * after)[here]
            after[here] *= bias.reach
    return found


def reach(errors: Floats, bias: Floats, level: float) -> Floats:
    """Half the length of an interval of this level around estimates with these standard errors that may be off by `bias`."""
    if not bias.any():
        return NormalDist().inv_cdf(0.5 + level / 2) * errors
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.minimum(np.where(bias > 0, bias / np.maximum(errors, 1e-12), 0.0), 1e6)
    return np.where(np.isnan(errors), np.nan, critical_value(ratio, level) * np.maximum(errors, 1e-12 * (bias > 0)))
