import numpy as np
import pytest

import deniable as dn
from deniable.errors import DataError, NoIntervalError, NotInvertibleError, ParameterError, WideDomainError

CHANNELS = [
    dn.KRR(dn.Nominal(["a", "b", "c"]), 0.6),
    dn.Retention(dn.Nominal(["a", "b", "c"]), 0.4, [0.2, 0.3, 0.5]),
    dn.Neighbours(dn.Ordinal(["a", "b", "c"]), [0.6, 0.2]),
    dn.Matrix(
        dn.Nominal(["a", "b", "c"]), [[0.6, 0.2, 0.1, 0.1], [0.1, 0.7, 0.1, 0.1], [0.1, 0.1, 0.3, 0.5]], ["w", "x", "y", "z"]
    ),
]
TRUTH = np.array([0.5, 0.3, 0.2])


@pytest.mark.parametrize("channel", CHANNELS)
def test_expected_counts_give_the_truth_back(channel):
    counts = 1e6 * channel.push(TRUTH)
    for method in ("eq", "em"):
        np.testing.assert_allclose(dn.reconstruct(counts, channel, method).value, TRUTH, atol=1e-6)


@pytest.mark.parametrize("channel", CHANNELS[:3])
def test_eq_equals_em_inside_the_simplex(channel):
    rng = np.random.default_rng(3)
    counts = rng.multinomial(5_000, channel.push(TRUTH))
    eq = dn.reconstruct(counts, channel, "eq").value
    assert eq.min() > 0
    np.testing.assert_allclose(dn.reconstruct(counts, channel, "em").value, eq, atol=1e-6)


def test_warner_estimate_and_error_are_the_published_formulas():
    n, yes, p = 1_000, 430, 0.7
    share = yes / n
    expected = (share - (1 - p)) / (2 * p - 1)
    variance = share * (1 - share) / (n * (2 * p - 1) ** 2)
    estimate = dn.reconstruct([n - yes, yes], dn.KRR(dn.Binary(), p), "eq")
    assert estimate.value[1] == pytest.approx(expected, abs=1e-12)
    assert estimate.se[1] == pytest.approx(variance**0.5, rel=1e-9)


def test_unrelated_question_estimate_is_the_published_formula():
    n, yes, theta, w = 2_000, 700, 0.6, 0.25
    expected = (yes / n - (1 - theta) * w) / theta
    variance = (yes / n) * (1 - yes / n) / (n * theta**2)
    estimate = dn.reconstruct({1: yes, 0: n - yes}, dn.UnrelatedQuestion(dn.Binary(), theta, w), "eq")
    assert estimate.value[1] == pytest.approx(expected, abs=1e-12)
    assert estimate.se[1] == pytest.approx(variance**0.5, rel=1e-9)


@pytest.mark.statistical
@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("channel", CHANNELS)
def test_standard_errors_match_the_spread_over_repeated_surveys(channel, target):
    rng = np.random.default_rng(11)
    n, runs = 2_000, 4_000
    fixed = (n * TRUTH).astype(int)
    P = channel.matrix()
    values = []
    for _ in range(runs):
        truths = fixed if target == "respondents" else rng.multinomial(n, TRUTH)
        counts = sum(rng.multinomial(t, row) for t, row in zip(truths, P, strict=True))
        values.append(counts)
    estimates = [dn.reconstruct(counts, channel, "eq", target=target) for counts in values]
    spread = np.cov(np.array([estimate.value for estimate in estimates]).T)
    said = np.mean([estimate.covariance for estimate in estimates], axis=0)
    # The standard error of a variance over 4,000 runs is about 2.2%.
    np.testing.assert_allclose(np.diag(said), np.diag(spread), rtol=0.1)
    np.testing.assert_allclose(said, spread, atol=0.1 * np.diag(spread).max())
    bias = np.mean([estimate.value for estimate in estimates], axis=0) - TRUTH
    assert (np.abs(bias) < 4 * np.sqrt(np.diag(spread) / runs)).all()


def test_bins_of_a_lumpable_channel_have_an_interval_and_others_have_none():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 100, 5_000)
    retention = dn.Retention(dn.Integer(0, 99), 0.5)
    estimate = dn.reconstruct(dn.counts(retention.randomise(truth, rng), retention, bins=[0, 50, 99]), retention)
    low, high = estimate.interval()
    assert (low < [0.5, 0.5]).all()
    assert (high > [0.5, 0.5]).all()
    noise = dn.Additive(dn.Integer(0, 99), dn.Uniform(20))
    table = dn.counts(noise.randomise(truth, rng), noise, bins=[0, 50, 99])
    for options, says in (
        ({}, "smoothed"),
        ({"regularise": False}, "uniform inside each bin"),
        ({"method": "em/as"}, "stops early"),
    ):
        binned = dn.reconstruct(table, noise, **options)
        assert binned.value[0] == pytest.approx(0.5, abs=0.05)
        with pytest.raises(NoIntervalError, match=says):
            binned.interval()
        assert "low" not in binned.to_frame()


@pytest.mark.parametrize(
    ("counts", "error", "says"),
    [
        ([1, 2], DataError, "3 labels"),
        ([0, 0, 0], DataError, "All counts are 0"),
        ([1, -1, 3], DataError, "not negative"),
        ([1, float("nan"), 3], DataError, "finite"),
        ({"a": 1, "q": 2}, DataError, "cannot report 'q'"),
    ],
)
def test_bad_counts_are_refused(counts, error, says):
    with pytest.raises(error, match=says):
        dn.reconstruct(counts, CHANNELS[0])


def test_channels_that_cannot_be_undone_are_refused():
    twins = dn.Matrix(dn.Nominal(["a", "b", "c"]), [[0.5, 0.25, 0.25], [0.2, 0.3, 0.5], [0.5, 0.25, 0.25]])
    with pytest.raises(NotInvertibleError, match="number 0 and 2"):
        dn.reconstruct([5, 3, 2], twins, "eq")
    with pytest.raises(NotInvertibleError, match="say nothing"):
        dn.reconstruct([5, 5], dn.KRR(dn.Binary(), 0.5), "eq")
    wide = dn.Retention(dn.Integer(0, 5_000), 0.5)
    with pytest.raises(WideDomainError, match="bins"):
        dn.reconstruct(np.ones(5_001), wide, "eq")
    with pytest.raises(ParameterError, match="method"):
        dn.reconstruct([5, 5], dn.KRR(dn.Binary(), 0.7), "magic")
    with pytest.raises(ParameterError, match="target"):
        dn.reconstruct([5, 5], dn.KRR(dn.Binary(), 0.7), target="people")


def test_a_report_that_never_occurs_under_the_channel_is_refused():
    channel = dn.Matrix(dn.Nominal(["a", "b"]), [[0.5, 0.5, 0], [0.2, 0.8, 0]], outputs=["x", "y", "z"])
    with pytest.raises(DataError, match="3 reports of 'z'"):
        dn.reconstruct({"x": 5, "z": 3}, channel)


def test_estimates_print_and_become_frames():
    estimate = dn.reconstruct({"a": 50, "b": 30, "c": 20}, CHANNELS[0], name="colour")
    assert "colour" in repr(estimate)
    assert "population" in repr(estimate)
    assert estimate._repr_html_().count("<tr") == 4
    frame = estimate.to_frame()
    assert list(frame.columns) == ["label", "value", "se", "low", "high"]
    assert estimate.value.sum() == pytest.approx(1)
    with pytest.raises(ParameterError, match="level"):
        estimate.interval(95)


@pytest.mark.statistical
def test_every_invertible_channel_is_reconstructed_by_both_unbiased_methods(channel_examples):
    done = 0
    for channel in (channel for found in channel_examples.SMALL.values() for channel in found):
        if channel.condition_number > 1e6:
            continue
        k = channel.law.inputs
        truth = np.arange(1, k + 1) / (k * (k + 1) / 2)
        counts = 1e7 * channel.push(truth)
        for options in ({"method": "eq"}, {"method": "em", "regularise": False}):
            estimate = dn.reconstruct(counts, channel, **options)
            np.testing.assert_allclose(estimate.value, truth, atol=2e-3)
            low, high = estimate.interval()
            assert (low <= estimate.value + 1e-9).all()
            assert (estimate.value <= high + 1e-9).all()
        done += 1
    assert done > 40


def test_a_series_is_read_by_its_labels_and_not_by_position():
    import pandas as pd

    channel = dn.KRR(dn.Nominal(["no", "yes"]), 0.7)
    reports = pd.Series(["yes"] * 650 + ["no"] * 350)
    assert reports.value_counts().index.tolist() == ["yes", "no"]
    assert dn.reconstruct(reports.value_counts(), channel).value[1] == pytest.approx(0.875)
    with pytest.raises(DataError, match="cannot report"):
        dn.reconstruct(pd.Series({"ja": 3, "no": 2}), channel)
    with pytest.raises(DataError, match=r"use dn\.counts"):
        dn.reconstruct(["no", "yes"], channel)
    with pytest.raises(ParameterError, match="one attribute"):
        dn.reconstruct([1, 2], dn.Schema({"a": channel}))


def test_reports_that_hardly_come_from_the_channel_are_warned_of():
    """Seldom as that is wrong, it may be: so there is an interval all the same."""
    estimate = dn.reconstruct([1_000, 0], dn.KRR(dn.Binary(), 0.7))
    assert estimate.has_interval
    assert "Are they true answers" in estimate.warnings[0]
    assert "Warning: the reports do not fit" in repr(estimate)


@pytest.mark.statistical
@pytest.mark.parametrize("noise", [dn.Normal(10), dn.Laplace(8), dn.Uniform(20)])
def test_wide_bins_under_noise_are_not_taken_as_uniform_inside(noise):
    rng = np.random.default_rng(0)
    truth = np.clip(np.rint(rng.normal(40, 12, 20_000)), 0, 100).astype(int)
    channel = dn.Additive(dn.Integer(0, 100), noise)
    estimate = dn.reconstruct(dn.counts(channel.randomise(truth, rng), channel, bins=[0, 20, 40, 60, 80, 100]), channel)
    np.testing.assert_allclose(estimate.value, np.histogram(truth, [0, 20, 40, 60, 80, 101])[0] / 20_000, atol=0.02)


@pytest.mark.statistical
def test_unequal_bins_of_a_uniform_truth_come_back_uniform():
    rng = np.random.default_rng(1)
    channel = dn.Additive(dn.Integer(0, 99), dn.Uniform(30))
    edges = [0, 5, 10, 20, 60, 99]
    table = dn.counts(channel.randomise(rng.integers(0, 100, 20_000), rng), channel, bins=edges)
    for method in ("em", "em/as"):
        np.testing.assert_allclose(dn.reconstruct(table, channel, method).value, [0.05, 0.05, 0.1, 0.4, 0.4], atol=0.02)


def test_an_optional_number_is_smoothed_and_its_silence_is_not():
    rng = np.random.default_rng(2)
    channel = dn.Optional(dn.Additive(dn.Integer(0, 39), dn.Laplace(8)), 0.95)
    truth = np.clip(rng.normal(20, 6, 8_000), 0, 39).astype(int).tolist() + [None] * 2_000
    estimate = dn.reconstruct(dn.counts(channel.randomise(truth, rng), channel), channel)
    assert estimate.method == "em, regularised"
    assert estimate.value[-1] == pytest.approx(0.2, abs=0.02)
    assert 0.5 * np.abs(estimate.value[:-1] - np.bincount(truth[:8_000], minlength=40) / 10_000).sum() < 0.1


def test_bands_are_narrower_for_the_respondents_than_for_the_population():
    rng = np.random.default_rng(3)
    channel = dn.Additive(dn.Integer(0, 9), dn.Staircase([1, 6, 1]))
    counts = 1_000 * channel.push(np.array([1, 2, 3, 4, 4, 3, 2, 1, 1, 1]) / 22)
    widths = []
    for target in ("respondents", "population"):
        low, high = dn.reconstruct(counts, channel, "em/as", target).band(draws=200, rng=rng)
        widths.append((high - low).mean())
    assert widths[0] < 0.85 * widths[1]


def test_a_wide_noisy_domain_without_bins_asks_for_them():
    channel = dn.Additive(dn.Integer(0, 100_000), dn.Laplace(5_000))
    with pytest.raises(WideDomainError, match="give bins"):
        dn.reconstruct(np.ones(100_001), channel)


@pytest.mark.parametrize("few", [0, 1, 2])
def test_a_label_that_hardly_anyone_reports_is_no_misfit(few):
    """Nobody has it, 200 answer, 9.5 reports are expected: none at all is 3.2 standard errors away, so it happens."""
    channel = dn.KRR.from_epsilon(dn.Nominal(["a", "b"]), 3.0)
    low, high = dn.reconstruct([few, 200 - few], channel, "eq").interval()
    assert low[0] == 0 <= high[0]


def test_an_estimate_without_an_interval_says_why_wherever_it_is_shown():
    channel = dn.Additive(dn.Integer(0, 9), dn.Uniform(2))
    estimate = dn.reconstruct(1_000 * channel.push(np.full(10, 0.1)), channel)
    assert not estimate.has_interval
    for shown in (repr(estimate), estimate._repr_html_()):
        assert f"No confidence interval: {estimate.why_no_interval}" in shown
