"""What the supports of an itemset's subsets let one expect of its own, and how much of their noise it shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled


@compiled()
def expected_supports(parents: Any, log_below: Any, below_parents: Any, log_two_below: Any) -> Any:
    """(expected, least): the support if any two of the items were independent given the others, and that of the rarest subset.

    Supports of the two levels below come as logarithms. The first is the geometric mean, over all pairs of items j, k, of
    s(S - j) s(S - k) / s(S - j - k), at most the second.
    """
    candidates, length = parents.shape
    expected = np.empty(candidates)
    least = np.empty(candidates)
    pairs = length * (length - 1) / 2
    for c in range(candidates):
        total = 0.0
        smallest = log_below[parents[c, 0]]
        for j in range(length):
            log_parent = log_below[parents[c, j]]
            smallest = min(smallest, log_parent)
            # Item j is absent from one subset of every pair that holds it.
            total += (length - 1) * log_parent
            for k in range(j + 1, length):
                total -= log_two_below[below_parents[parents[c, j], k - 1]]
        least[c] = np.exp(smallest)
        expected[c] = np.exp(min(total / pairs, smallest))
    return expected, least


@compiled()
def shared_noise(
    parents: Any, expected: Any, below: Any, below_noise: Any, below_parents: Any, two_below: Any, two_noise: Any
) -> Any:
    """The covariance of an itemset's own estimate and of its expectation, both from the same reports.

    A subset T shares with S the noise of those rows that have the items of S without T, a share s(S) / s(T) of them at most; the
    expectation takes it over with its derivative with respect to s(T).
    """
    candidates, length = parents.shape
    shared = np.zeros(candidates)
    for c in range(candidates):
        value = expected[c]
        total = 0.0
        for j in range(length):
            ratio = value / below[parents[c, j]]
            total += 2 / length * ratio * min(1.0, ratio) * below_noise[parents[c, j]]
            if length > 2:
                for k in range(j + 1, length):
                    row = below_parents[parents[c, j], k - 1]
                    ratio = value / two_below[row]
                    total -= 2 / (length * (length - 1)) * ratio * min(1.0, ratio) * two_noise[row]
        shared[c] = total
    return shared


@compiled()
def believed(off: Any, spread: Any, variance: Any, noise: Any, share: float, multiples: Any, shares: Any) -> Any:
    """(weight of an own estimate, error of the result) under a mixture of normal spreads, multiples of the given one.

    `off` is the distance from the expectation. For each multiple the weight is 1 - noise / (whole spread); multiples are averaged by
    how well they explain the distance.
    """
    weights = np.empty(off.size)
    errors = np.empty(off.size)
    for c in range(off.size):
        best = -np.inf
        for k in range(multiples.size):
            whole = max(multiples[k] * spread[c] + share * variance[c], noise[c]) + 1e-14
            best = max(best, np.log(shares[k]) - 0.5 * off[c] ** 2 / whole - 0.5 * np.log(whole))
        total = 0.0
        weight = 0.0
        mean = 0.0
        square = 0.0
        for k in range(multiples.size):
            whole = max(multiples[k] * spread[c] + share * variance[c], noise[c]) + 1e-14
            likely = np.exp(np.log(shares[k]) - 0.5 * off[c] ** 2 / whole - 0.5 * np.log(whole) - best)
            trust = 1 - noise[c] / whole
            total += likely
            weight += likely * trust
            mean += likely * trust * off[c]
            square += likely * ((trust * off[c]) ** 2 + variance[c] - noise[c] ** 2 / whole)
        weights[c] = weight / total
        errors[c] = np.sqrt(max(square / total - (mean / total) ** 2, 0.0))
    return weights, errors
