"""The published iterations against literal loops, and the thesis' own table."""

import itertools

import numpy as np
import pytest

import deniable as dn
from deniable.core.channels.views import View
from deniable.errors import ParameterError
from deniable.reconstruction.agrawal_srikant import chi_square_point, early_stopped, midpoint_law


def literal_em_as(P, reports, k, start=None):
    """Algorithm 9, sample by sample; between bins it starts from the uniform density."""
    n = len(reports)
    shares = [1 / k] * k if start is None else start
    steps = 0
    while True:
        following = [0.0] * k
        for z in reports:
            below = sum(P[t][z] * shares[t] for t in range(k))
            for p in range(k):
                following[p] += P[p][z] * shares[p] / below / n
        steps += 1
        moved = sum((n * a - n * b) ** 2 / (n * a + n * b) for a, b in zip(shares, following, strict=True) if a + b > 0)
        shares = following
        if moved < 0.01 * chi_square_point(k):
            return np.array(shares), steps


def literal_as(density, true_edges, reported_edges, counts):
    """Equation 3.20 with explicit sums over intervals."""
    middle = [(a + b) / 2 for a, b in itertools.pairwise(true_edges)]
    seen = [(a + b) / 2 for a, b in itertools.pairwise(reported_edges)]
    k, n = len(middle), sum(counts)
    # f^0 is the uniform density, so the probability of an interval is its share of the length.
    shares = [(b - a) / (true_edges[-1] - true_edges[0]) for a, b in itertools.pairwise(true_edges)]
    while True:
        following = []
        for p in range(k):
            total = 0.0
            for s, mid in enumerate(seen):
                below = sum(density(mid - middle[t]) * shares[t] for t in range(k))
                if counts[s] and below:
                    total += counts[s] * density(mid - middle[p]) * shares[p] / below
            following.append(total / n)
        scale = sum(following)
        following = [share / scale for share in following]
        moved = sum((n * a - n * b) ** 2 / (n * a + n * b) for a, b in zip(shares, following, strict=True) if a + b > 0)
        shares = following
        if moved < 0.01 * chi_square_point(k):
            return np.array(shares)


EMPLOYMENT = dn.Ordinal(["unemployed", "<1", "1-4", "4-7", "7-10", "10-15", "15-20", ">=20"])


def test_table_5_1_with_the_loop_effect_comes_out_exactly_in_11_iterations():
    channel = dn.Neighbours(EMPLOYMENT, [0.6, 0.2], wrap=True)
    counts = np.array([80, 195, 261, 218, 189, 49, 0, 8], dtype=float)
    fit = early_stopped(channel.law, counts)
    assert fit.steps == 11
    # The printed column sums to 996: the thesis cut the decimals off.
    assert np.floor(1000 * fit.shares).astype(int).tolist() == [49, 225, 277, 209, 232, 4, 0, 0]
    estimate = dn.reconstruct(counts, channel, "em/as")
    np.testing.assert_array_equal(estimate.value, fit.shares)


@pytest.mark.parametrize("seed", range(8))
def test_em_as_equals_the_literal_loop(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 7))
    domain = dn.Nominal([f"v{i}" for i in range(k)])
    channel = [
        dn.KRR(domain, round(float(rng.uniform(0.3, 0.9)), 3)),
        dn.Retention(domain, round(float(rng.uniform(0.2, 0.9)), 3)),
    ][seed % 2]
    reports = rng.choice(k, size=60, p=channel.push(rng.dirichlet(np.ones(k))))
    counts = np.bincount(reports, minlength=k).astype(float)
    expected, steps = literal_em_as(channel.matrix(), reports.tolist(), k)
    fit = early_stopped(channel.law, counts)
    assert fit.steps == steps
    np.testing.assert_allclose(fit.shares, expected, atol=1e-12)
    # Without bins AS is the same algorithm.
    np.testing.assert_allclose(dn.reconstruct(counts, channel, "as").value, expected, atol=1e-12)


@pytest.mark.parametrize("noise", [dn.Uniform(3), dn.Normal(2), dn.Laplace(2)])
@pytest.mark.parametrize("edges", [[0, 2, 4, 6, 8, 10], [0, 1, 3, 6, 10]])
def test_as_equals_the_literal_loop_with_equal_and_unequal_bins(noise, edges):
    channel = dn.Additive(dn.Continuous(0, 10), noise)
    rng = np.random.default_rng(3)
    table = dn.counts(channel.randomise(10 * rng.beta(2, 4, 500), rng), channel, bins=edges)
    binned = channel.binned(edges)
    scalar = {
        "Uniform": lambda t: float(abs(t) <= 3),
        "Normal": lambda t: np.exp(-((t / 2) ** 2) / 2),
        "Laplace": lambda t: np.exp(-abs(t) / 2),
    }
    expected = literal_as(
        scalar[type(noise).__name__],
        binned.true.bins.floats.tolist(),
        binned.reported.bins.floats.tolist(),
        table.dense().tolist(),
    )
    np.testing.assert_allclose(dn.reconstruct(table, channel, "as").value, expected, atol=1e-10)


def test_stopped_em_between_bins_equals_the_literal_loop():
    channel = dn.Retention(dn.Integer(0, 99), 0.4)
    edges = [0, 10, 40, 99]
    rng = np.random.default_rng(4)
    reports = channel.randomise(rng.integers(0, 50, 300), rng)
    table = dn.counts(reports, channel, bins=edges)
    codes = channel.binned(edges).reported.bins.index(np.asarray(reports, dtype=float))
    expected, _ = literal_em_as(channel.matrix(edges), codes.tolist(), 3, [0.1, 0.3, 0.6])
    np.testing.assert_allclose(dn.reconstruct(table, channel, "em/as").value, expected, atol=1e-12)


def test_the_three_stopping_rules_stop_in_different_places():
    channel = dn.KRR(dn.Nominal(list("abcde")), 0.4)
    truth = np.array([0.5, 0.3, 0.1, 0.05, 0.05])
    counts = 2_000 * channel.push(truth)
    steps = {stop: early_stopped(channel.law, counts, stop, truth).steps for stop in ("estimates", "reports", "truth")}
    assert len(set(steps.values())) == 3
    with pytest.raises(ParameterError, match="truth="):
        early_stopped(channel.law, counts, "truth")
    with pytest.raises(ParameterError, match="estimates"):
        early_stopped(channel.law, counts, "never")


def test_chi_square_point_is_that_of_the_tables():
    assert chi_square_point(8) == pytest.approx(18.475, abs=1e-3)


def test_midpoint_law_of_a_staircase_or_of_no_noise_is_the_channel_itself():
    channel = dn.Additive(dn.Integer(0, 9), dn.Staircase([1, 2, 1]))
    binned = channel.binned([0, 5, 9])
    assert midpoint_law(binned) is binned.law
    assert midpoint_law(View.values(channel)) is channel.law
