"""Assigned values against literal algorithms, one row at a time."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deniable as dn
from deniable.errors import ParameterError
from deniable.reconstruction.assign import arvesna, assign_sorted, target_counts


def largest_remainder(shares, n):
    """One row at a time to the value that lacks most, in exact fractions; ties to the lowest value."""
    exact = [Fraction(share) for share in shares]
    wanted = [n * share / sum(exact) for share in exact]
    counts = [int(share) for share in wanted]
    while sum(counts) < n:
        counts[max(range(len(counts)), key=lambda i: (wanted[i] - counts[i], -i))] += 1
    return counts


def literal_arvesna(codes, shares, P, passes=None):
    """One sample at a time, as the thesis tells it."""
    k = len(P)
    delta = np.bincount(codes, minlength=k) - largest_remainder(shares, len(codes))
    assigned = list(codes)
    retained = np.mean(np.diag(P))
    for i in range(k):
        for row, code in enumerate(codes):
            if delta[i] <= 0:
                break
            if code != i:
                continue
            missing = [j for j in range(k) if delta[j] < 0]
            if passes is not None:
                wanted = passes[i] if retained > 0.5 else not passes[i]
                first = [j for j in missing if passes[j] == wanted]
                missing = first or missing
            j = max(missing, key=lambda j: (P[j][i], -j))
            assigned[row] = j
            delta[i] -= 1
            delta[j] += 1
    return assigned


@pytest.mark.statistical
@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_arvesna_equals_the_literal_algorithm(seed, tested):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 6))
    labels = [f"v{i}" for i in range(k)]
    channel = dn.KRR(dn.Nominal(labels), round(float(rng.uniform(0.1, 0.95)), 2))
    codes = rng.integers(0, k, 40)
    shares = rng.dirichlet(np.ones(k))
    passes = rng.random(k) < 0.5 if tested else None
    test = [label for label, ok in zip(labels, passes, strict=True) if ok] if tested else None
    got = arvesna([labels[c] for c in codes], shares, channel, test)
    assert got.tolist() == literal_arvesna(codes, shares, channel.matrix(), passes)
    assert np.bincount(got, minlength=k).tolist() == largest_remainder(shares, 40)


def test_a_missing_value_that_is_likelier_to_be_reported_so_comes_first():
    channel = dn.Neighbours(dn.Ordinal(["a", "b", "c"]), [0.6, 0.2])
    assert arvesna(["c"] * 4, [0.25, 0.25, 0.5], channel).tolist() == [1, 0, 2, 2]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=8).filter(any), st.integers(1, 500))
def test_target_counts_are_those_of_the_largest_remainder(parts, n):
    # Whole parts, so that ties are ties.
    assert target_counts(parts, n).tolist() == largest_remainder(parts, n)


def test_sorted_assignment_fills_the_bins_in_order():
    reports = [3.0, 1.0, 2.0, 2.0, 9.0]
    assert assign_sorted(reports, [0.4, 0.4, 0.2]).tolist() == [1, 0, 0, 1, 2]


def test_shares_that_left_the_simplex_are_refused():
    with pytest.raises(ParameterError, match="project"):
        target_counts([1.2, -0.2], 10)
    with pytest.raises(ParameterError, match="own domain"):
        arvesna([0, 1], [0.5] * 10, dn.Additive(dn.Integer(0, 9), dn.Uniform(2)))
