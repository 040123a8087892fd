"""A channel between bins, against brute force on grids and quadrature or simulation off them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import deniable as dn
from deniable.core.domains.bins import Bins, reported_bins, true_bins
from deniable.errors import ParameterError


def bin_of(value, edges):
    """The interval [e_i, e_(i+1)) of a value, the outermost ones taking what lies beyond; the slow way."""
    value = Fraction(str(value))
    for i in range(len(edges) - 2):
        if value < edges[i + 1]:
            return i
    return len(edges) - 2


GRID = [
    (dn.Retention(dn.Integer(0, 9), 0.5), [0, 5, 9]),
    (dn.KRR(dn.Integer(0, 9), 0.5), [0, 2, 7, 9]),
    (dn.Identity(dn.Integer(0, 9)), [0, 2, 7, 9]),
    (dn.Neighbours(dn.Integer(0, 9), [0.4, 0.2, 0.1]), 3),
    (dn.Additive(dn.Integer(0, 20), dn.Uniform(4)), [0, 5, 10, 20]),
    (dn.Additive(dn.Integer(0, 20), dn.Uniform(4)), 20),
    (dn.Additive(dn.Integer(0, 20), dn.Laplace(4)), 4),
    (dn.Additive(dn.Continuous(0, 1, step=0.1), dn.Normal(0.2)), [0, 0.3, 0.7, 1]),
    (dn.Additive(dn.Continuous(0, 1, step=0.1), dn.Normal(0.2), edges="extend"), 5),
    (dn.Additive(dn.Integer(-20, 20, step=5), dn.Staircase([1, 2, 1])), [-20, 0, 20]),
]


@pytest.mark.parametrize(("channel", "bins"), GRID)
def test_grid_channels_between_bins_are_sums_over_their_tables(channel, bins):
    seen = channel.binned(bins)
    true, reported = seen.true.bins.edges, seen.reported.bins.edges
    expected = np.zeros((len(true) - 1, len(reported) - 1))
    members = np.zeros(len(true) - 1)
    for x, row in zip(channel.inputs, channel.matrix(), strict=True):
        i = bin_of(x, true)
        members[i] += 1
        for z, share in zip(channel.outputs, row, strict=True):
            expected[i, bin_of(z, reported)] += share
    np.testing.assert_allclose(channel.matrix(bins=bins), expected / members[:, None], atol=1e-12)
    np.testing.assert_allclose(seen.matrix().sum(axis=1), 1, atol=1e-12)
    assert seen.inputs == seen.true.bins.labels
    assert len(seen.outputs) == expected.shape[1]
    assert seen.assumes_uniform == (not channel.lumpable)


def test_retention_with_unequal_bins_replaces_by_length_and_not_by_number_of_bins():
    # Errata 2: P(Z in I | replaced) is length / (max - min), 1 / k only for bins of equal length.
    off_grid = dn.Retention(dn.Continuous(0, 100), 0.6).matrix(bins=[0, 10, 40, 100])
    np.testing.assert_allclose(off_grid, 0.6 * np.eye(3) + 0.4 * np.array([0.1, 0.3, 0.6]), rtol=1e-12)
    on_grid = dn.Retention(dn.Integer(0, 99), 0.6).matrix(bins=[0, 10, 40, 99])
    np.testing.assert_allclose(on_grid, off_grid, rtol=1e-12)


def test_retention_off_the_grid_replaces_from_the_given_pieces():
    channel = dn.Retention(dn.Continuous(20, 70), 0.4, ([20, 30, 70], [0.5, 0.5]))
    # Inside [30, 70] the replacement is uniform: [25, 50) takes half of .5 from below 30 and half of .5 from above.
    expected = 0.4 * np.eye(3) + 0.6 * np.array([0.25, 0.5, 0.25])
    np.testing.assert_allclose(channel.matrix(bins=[20, 25, 50, 70]), expected, rtol=1e-12)


def mean_share(noise, low, high, a, b):
    """P(low <= x + noise < high) averaged over x in [a, b], by quadrature."""
    law = {
        "Uniform": lambda: stats.uniform(-float(noise.half_width), 2 * float(noise.half_width)),
        "Normal": lambda: stats.norm(0, float(noise.sd)),
        "Laplace": lambda: stats.laplace(0, float(noise.b)),
    }[type(noise).__name__]()
    x = np.linspace(a, b, 20_001)
    return integrate.simpson(law.cdf(high - x) - law.cdf(low - x), x=x) / (b - a)


@pytest.mark.statistical
@pytest.mark.parametrize("noise", [dn.Uniform(25), dn.Normal(20), dn.Laplace(10)])
@pytest.mark.parametrize("bins", [5, [0, 10, 15, 60, 100]])
def test_additive_noise_off_the_grid_agrees_with_quadrature(noise, bins):
    seen = dn.Additive(dn.Continuous(0, 100), noise).binned(bins)
    true, reported = seen.true.bins.floats, seen.reported.bins.floats.copy()
    reported[0], reported[-1] = -np.inf, np.inf  # the outermost bins take the tails
    matrix = seen.matrix()
    for i in range(len(true) - 1):
        for j in range(len(reported) - 1):
            assert matrix[i, j] == pytest.approx(
                mean_share(noise, reported[j], reported[j + 1], true[i], true[i + 1]), abs=2e-7
            )


def simulated(channel, bins, n=400_000):
    """The matrix between bins counted from reports of truths that are uniform inside each true bin."""
    generator = np.random.default_rng(11)
    seen = channel.binned(bins)
    counted = np.zeros_like(seen.matrix())
    for i in range(len(seen.true)):
        if isinstance(channel.domain, dn.Integer):
            members = [x for x in channel.inputs if bin_of(x, seen.true.bins.edges) == i]
            truths = generator.choice(members, n)
        else:
            truths = generator.uniform(seen.true.bins.floats[i], seen.true.bins.floats[i + 1], n)
        reports = channel.randomise(truths, rng=generator)
        counted[i] = np.bincount(seen.reported.bins.index(reports), minlength=counted.shape[1]) / n
    return seen.matrix(), counted


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("channel", "bins"),
    [
        (dn.Multiplicative(dn.Continuous(100, 200), dn.Uniform(0.1)), 4),
        (dn.Multiplicative(dn.Continuous(0, 200), dn.Normal(0.2)), [0, 50, 120, 200]),
        (dn.Multiplicative(dn.Continuous(-50, 200, step=1), dn.Normal(0.2)), 5),
        (dn.Multiplicative(dn.Continuous(-50, 50), dn.Laplace(0.5)), 4),
        (dn.Multiplicative(dn.Integer(0, 20), dn.Normal(0.3)), [0, 5, 12, 20]),
        (dn.Additive(dn.Continuous(0, 100), dn.Laplace(10)), 4),
        (dn.Retention(dn.Continuous(20, 70), 0.4, ([20, 30, 70], [0.5, 0.5])), [20, 25, 50, 70]),
        (dn.Identity(dn.Continuous(0, 1)), 3),
    ],
)
def test_floating_channels_between_bins_agree_with_simulation(channel, bins):
    matrix, counted = simulated(channel, bins)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, atol=1e-9)
    assert np.abs(matrix - counted).max() < 5 * 0.5 / np.sqrt(400_000)


def test_reported_bins_cover_every_report_and_continue_the_true_ones():
    domain = dn.Integer(18, 65)
    channel = dn.Additive(domain, dn.Uniform(18))
    true = true_bins(domain, [18, 30, 50, 65])
    reported = reported_bins(channel.reported, true)
    # The average width of the true bins is 47 / 3; what is left at the ends is narrower.
    assert reported.edges == (0, 18 - Fraction(47, 3), 18, 30, 50, 65, 65 + Fraction(47, 3), 83)
    clamped = dn.Additive(domain, dn.Laplace(10))
    assert reported_bins(clamped.reported, true) == true


@given(
    st.lists(st.integers(-1000, 1000), min_size=2, max_size=12, unique=True), st.lists(st.integers(-1500, 1500), max_size=30)
)
def test_the_bin_of_a_value_is_that_of_the_slow_search(edges, values):
    bins = Bins(tuple(Fraction(edge, 10) for edge in sorted(edges)))
    numbers = np.array(values) / 10
    assert bins.index(numbers).tolist() == [bin_of(number, bins.edges) for number in numbers]


@given(st.integers(3, 300), st.integers(1, 7), st.data())
def test_a_number_of_bins_holds_the_same_number_of_grid_values_give_or_take_one(size, step, data):
    domain = dn.Integer(-3, -3 + step * (size - 1), step=step)
    bins = data.draw(st.integers(2, size - 1))
    held = np.bincount(true_bins(domain, bins).index(domain.numbers()), minlength=bins)
    assert held.sum() == size
    assert held.max() - held.min() <= 1


def test_bins_are_shown_as_intervals_the_last_one_closed():
    assert true_bins(dn.Integer(0, 9), [0, 5, 9]).labels == ("[0, 5)", "[5, 9]")
    assert true_bins(dn.Continuous(0, 1), 2).labels == ("[0, 0.5)", "[0.5, 1]")
    assert true_bins(dn.Integer(0, 2_000_000), [0, 1_234_567, 2_000_000]).labels == ("[0, 1234567)", "[1234567, 2000000]")


@pytest.mark.parametrize(
    ("bins", "sentence"),
    [
        (0, "bins must be at least 2, got 0"),
        (2.5, "a number of bins or a list of edges, got 2.5"),
        ("many", "a number of bins or a list of edges, got 'many'"),
        ([0], r"Bin edges must rise, at least three of them, got \[0\]"),
        ([0, 5, 5, 9], "Bin edges must rise"),
        ([9, 5, 0], "Bin edges must rise"),
        ([0, 3, 5], "must run from 0 to 9, the ends of the domain .*, got 0 to 5"),
        ([1, 5, 9], "must run from 0 to 9, the ends of the domain .*, got 1 to 9"),
        ([0, "x", 9], "edge must be a finite number"),
        (True, "bins must be at least 2, got True"),
        (11, "There are 10 values, so fewer bins than that; got 11"),
        ([0, 0.2, 0.4, 9], r"Bin \[0\.2, 0\.4\) holds no value of the domain \(0 to 9 in steps of 1\); use fewer bins"),
    ],
)
def test_bins_that_cannot_be_are_refused_with_what_is_allowed_and_what_was_given(bins, sentence):
    with pytest.raises(ParameterError, match=sentence):
        dn.Retention(dn.Integer(0, 9), 0.5).matrix(bins=bins)


@pytest.mark.parametrize(
    "channel", [dn.KRR(dn.Nominal(["a", "b"]), 0.5), dn.Optional(dn.KRR(dn.Nominal(["a", "b"]), 0.5), 0.5)]
)
def test_bins_of_what_is_not_numbers_are_refused(channel):
    with pytest.raises(ParameterError, match="Bins need a domain of numbers, got"):
        channel.matrix(bins=2)


def test_bins_of_numbers_that_are_reported_as_words_are_refused():
    words = dn.Matrix(dn.Integer(0, 2), [[0.5, 0.5], [0.2, 0.8], [1, 0]], outputs=["low", "high"])
    with pytest.raises(ParameterError, match="these are reported as Nominal"):
        dn.counts(["low"], words, bins=2)


def test_binned_channels_push_pull_and_weigh_like_any_other():
    law = dn.Additive(dn.Continuous(0, 100), dn.Normal(20)).binned(4).law
    P = law.dense()
    p, v = np.array([0.1, 0.2, 0.3, 0.4]), np.linspace(-1, 1, P.shape[1])
    np.testing.assert_allclose(law.push(p), p @ P)
    np.testing.assert_allclose(law.pull(v), P @ v)
    np.testing.assert_allclose(P @ law.weights(np.array([0.0, 1, 0, 0])), [0, 1, 0, 0], atol=1e-8)
    assert law.condition_number == pytest.approx(np.linalg.cond(P))


def test_a_wide_channel_is_seen_through_bins_without_a_dense_matrix(wide_channel):
    if isinstance(wide_channel, dn.Optional) or wide_channel.tells_means_only:
        return
    matrix = wide_channel.matrix(bins=10)
    assert matrix.shape[0] == 10
    np.testing.assert_allclose(matrix.sum(axis=1), 1, atol=1e-9)
    assert (matrix >= 0).all()


@pytest.mark.parametrize("inner", [dn.Retention(dn.Integer(0, 9), 0.5), dn.Additive(dn.Integer(0, 9), dn.Laplace(2))])
def test_optional_answers_are_binned_with_silence_after_the_bins(inner):
    channel = dn.Optional(inner, 0.8)
    seen = channel.binned([0, 4, 9])
    P = channel.matrix()
    groups = [[0, 1, 2, 3], [4, 5, 6, 7, 8, 9], [10]]
    expected = [[np.mean([P[x, list(z)].sum() for x in true]) for z in groups] for true in groups]
    np.testing.assert_allclose(seen.matrix(), expected, atol=1e-12)
    assert seen.inputs == seen.outputs == ("[0, 4)", "[4, 9]", "no answer")
    table = dn.counts([1, None, 9, 9], channel, bins=[0, 4, 9])
    assert table.dense().tolist() == [1, 2, 1]
    rng = np.random.default_rng(1)
    people = rng.choice([2, 6], 8_000, p=[0.375, 0.625]).tolist() + [None] * 2_000
    estimate = dn.reconstruct(dn.counts(channel.randomise(people, rng), channel, bins=[0, 4, 9]), channel)
    assert estimate.labels[-1] == "no answer"
    assert estimate.value[-1] == pytest.approx(0.2, abs=0.03)
