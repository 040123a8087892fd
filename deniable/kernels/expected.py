"""What the supports of an itemset's subsets let one expect of its own, how much of their noise it shares, and which of both is believed.

The expectation of an itemset S of m items is a mean over all pairs of items j, k of what S - j, S - k and S - j - k say. Every subset of
m - 2 items lies in two of m - 1, so a sum over the pairs is half the sum, over the subsets of m - 1 items, of sums over *their* subsets.
Those are worked out once, when the level below is complete (`known_subsets`): a candidate costs m rows to read instead of m^2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled
from deniable.kernels.exponential import exponential

LOG, NOISE, PAIR_LOGS, PAIR_NOISE, SUPPORT, DOUBT = range(6)
"""What `known_subsets` tells of an itemset: of itself for the second level above, then, for the next, what it adds to the logarithm of an
expectation and to the noise shared with one, its support, and its relative squared error."""
TINY = 1e-14


@compiled(error_model="numpy")
def known_subsets(support: Any, noise: Any, error: Any, parents: Any, below: Any) -> Any:
    """A row of six numbers of each itemset of a complete level; `below` is the same of the level below, `parents` are rows of it."""
    size, length = parents.shape
    known = np.empty((size, 6))
    # Of candidates of one item more: their pairs of items, and the shares with which subsets enter the noise.
    pairs = length * (length + 1) / 2
    for c in range(size):
        logs = noises = 0.0
        for j in range(length):
            logs += below[parents[c, j], LOG]
            noises += below[parents[c, j], NOISE]
        log = np.log(support[c])
        relative = noise[c] / support[c] ** 2
        known[c, LOG] = log
        known[c, NOISE] = relative
        known[c, PAIR_LOGS] = (length * log - 0.5 * logs) / pairs
        known[c, PAIR_NOISE] = (relative - 0.5 / length * noises) / (0.5 * (length + 1))
        known[c, SUPPORT] = support[c]
        known[c, DOUBT] = (error[c] / support[c]) ** 2
    return known


@compiled(error_model="numpy")
def expectations(parents: Any, below: Any) -> Any:
    """Four rows, one column per candidate: its support if any two of its items were independent given the others, that of its rarest
    subset, the noise that an expectation shares with its own estimate, relative to the squared expectation, and the mean doubt
    about its subsets.

    The first is the geometric mean, over all pairs of items j, k, of s(S - j) s(S - k) / s(S - j - k), at most the second. A subset T
    shares with S the noise of those rows that have the items of S without T, a share s(S) / s(T) of them; the expectation takes it
    over with its derivative with respect to s(T).
    """
    candidates, length = parents.shape
    found = np.empty((4, candidates))
    for c in range(candidates):
        row = parents[c, 0]
        logs, shared, least, doubt = below[row, PAIR_LOGS], below[row, PAIR_NOISE], below[row, SUPPORT], below[row, DOUBT]
        for j in range(1, length):
            row = parents[c, j]
            logs += below[row, PAIR_LOGS]
            shared += below[row, PAIR_NOISE]
            least = min(least, below[row, SUPPORT])
            doubt += below[row, DOUBT]
        found[0, c] = min(np.exp(logs), least)
        found[1, c] = least
        found[2, c] = shared
        found[3, c] = doubt / length
    return found


@compiled(error_model="numpy")
def own_estimates(total: Any, second: Any, less: Any, rows: float) -> Any:
    """Two rows: the supports by their own reports, and the variances that the randomisation gives them."""
    found = np.empty((2, total.size))
    for c in range(total.size):
        found[0, c] = total[c] / rows
        found[1, c] = max(second[c] - less[c], 0.0) / rows**2
    return found


@compiled(error_model="numpy")
def without_noise(own: Any, expected: Any, limit: float) -> Any:
    """As `chosen_supports`, where nothing is drawn toward an expectation: own supports, but none below 0 or above that of a subset."""
    found = np.empty((4, own.shape[1]))
    for c in range(own.shape[1]):
        found[1, c] = min(max(own[0, c], 0.0), expected[1, c])
        found[0, c] = found[1, c] >= limit
        found[2, c] = np.sqrt(own[1, c])
        found[3, c] = own[1, c]
    return found


@compiled(error_model="numpy", fastmath={"contract"})
def believed(off: Any, spread: Any, variance: Any, noise: Any, share: float, multiples: Any, shares: Any) -> Any:
    """(weights of own estimates, errors of the results) under a mixture of normal spreads, ascending multiples of those given.

    `off` are the distances from expectations. For each multiple the weight is 1 - noise / (whole spread); multiples are averaged by
    how well they explain the distance. The widest explains best what is far off: likelihoods are relative to its exponential.
    """
    size = off.size
    widest = np.empty(size)
    total, weights, squares, left = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size)
    for c in range(size):
        widest[c] = 1 / (max(multiples[-1] * spread[c] + share * variance[c], noise[c]) + TINY)
    for k in range(multiples.size):
        multiple, prior = multiples[k], shares[k]
        for c in range(size):
            whole = 1 / (max(multiple * spread[c] + share * variance[c], noise[c]) + TINY)
            likely = prior * np.sqrt(whole) * exponential(0.5 * off[c] * off[c] * (widest[c] - whole))
            trust = 1 - noise[c] * whole
            total[c] += likely
            weights[c] += likely * trust
            squares[c] += likely * trust * trust
            left[c] += likely * whole
    for c in range(size):
        each = 1 / total[c]
        weight = weights[c] * each
        square = (squares[c] * each - weight * weight) * off[c] * off[c] + variance[c] - noise[c] * noise[c] * left[c] * each
        weights[c] = weight
        left[c] = np.sqrt(max(square, 0.0))
    return weights, left


@compiled(error_model="numpy")
def chosen_supports(own: Any, expected: Any, fit: Any, limit: float, multiples: Any, shares: Any) -> Any:
    """Four rows, one column per candidate: whether its support reaches the limit (1 or 0), that support, its error and its noise.

    `own` is from `own_estimates`, `expected` from `expectations`; `fit` is (coefficient of the independent support, of the rarest
    subset's, spread relative to the squared expectation, share of the variance, smallest spread that could be told). A support lies
    between the own one and the expected one: where both are below the limit nothing else is worked out.
    """
    independent, rarest, spread, share, untold = fit
    candidates = own.shape[1]
    found = np.zeros((4, candidates))
    open_ones = np.empty(candidates, np.int64)
    known = np.empty((5, candidates))
    size = 0
    for c in range(candidates):
        unbiased, variance, least = own[0, c], own[1, c], expected[1, c]
        value = min(max(independent * expected[0, c] + rarest * least, TINY), least)
        found[1, c] = max(unbiased, value)
        square = value * value
        open_ones[size] = c
        known[0, size] = value
        known[1, size] = unbiased - value
        known[2, size] = square * spread
        known[3, size] = variance
        known[4, size] = min(max(variance - square * expected[2, c], 0.0), variance)
        size += found[1, c] >= limit
    value, off, variance, noise = known[0, :size], known[1, :size], known[3, :size], known[4, :size]
    weight, error = believed(off, known[2, :size], variance, noise, share, multiples, shares)
    for k in range(size):
        c = open_ones[k]
        # No share is below 0 or above that of a subset, whatever its noise.
        support = min(max(value[k] + weight[k] * off[k], 0.0), expected[1, c])
        # An expectation is no better known than the subsets it is made of.
        doubt = np.sqrt(min(value[k] * value[k] * (expected[3, c] + untold), variance[k]))
        found[0, c] = support >= limit
        found[1, c] = support
        found[2, c] = max(error[k], doubt)
        found[3, c] = weight[k] * variance[k]
    return found
