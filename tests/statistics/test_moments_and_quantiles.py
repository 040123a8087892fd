"""Quantiles on every domain, correlations that stay correlations, errors that know their target and their survey weights."""

import math

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.errors import NoIntervalError, NotInvertibleError


def sample_of(columns, **channels):
    schema = dn.Schema(channels)
    return dn.Sample(pd.DataFrame(columns), schema)


WIDE = dn.Integer(0, 10_000)


def test_the_median_of_one_value_is_that_value():
    found = sample_of({"x": [2_001] * 100}, x=dn.Identity(WIDE)).quantile("x")
    assert found.value[0] == 2_001
    assert found.interval()[0][0] == found.interval()[1][0] == 2_001


@pytest.mark.statistical
@pytest.mark.parametrize("values", [2, 10, 500, 10_001])
@pytest.mark.parametrize("q", [0.05, 0.25, 0.5, 0.9])
def test_undistorted_quantiles_are_those_of_numpy(values, q):
    rng = np.random.default_rng(values)
    for n in (1, 7, 100, 333):
        x = rng.integers(0, values, n)
        found = sample_of({"x": x}, x=dn.Identity(dn.Integer(0, values - 1))).quantile("x", q, target="respondents")
        assert found.value[0] == np.quantile(x, q, method="inverted_cdf")
        assert found.interval()[0][0] == found.interval()[1][0] == found.value[0]


def test_undistorted_intervals_are_score_tests_inverted():
    """Independently: v is refuted if the binomial share at or below it (or below it) is too far from q, by the error at q."""
    rng = np.random.default_rng(2)
    x, q, z = rng.integers(0, 1_000, 80), 0.3, 1.959963984540054
    reach = z * math.sqrt(q * (1 - q) / len(x))
    kept = [v for v in range(1_000) if (x <= v).mean() + reach >= q and (x < v).mean() - reach < q]
    low, high = sample_of({"x": x}, x=dn.Identity(dn.Integer(0, 999))).quantile("x", q).interval()
    assert (low[0], high[0]) == (min(kept), max(kept))


@pytest.mark.statistical
def test_wide_domains_are_searched_as_narrow_ones_are(monkeypatch):
    from deniable.statistics import quantile_tests as module

    rng = np.random.default_rng(4)
    x = np.minimum(rng.gamma(3, 400, 900).astype(int), 5_000)
    schema = dn.Schema({"x": dn.Retention(dn.Integer(0, 5_000), 0.4), "g": dn.KRR(dn.Binary(), 0.8)})
    sample = dn.Sample(schema.randomise(pd.DataFrame({"x": x, "g": rng.integers(0, 2, 900)}), rng), schema)
    asked = [(q, where) for q in (0.03, 0.5, 0.98) for where in (None, "g == 1", "g == 1 or x > 300")]
    found = [(e.value[0], *e.interval(0.99)) for e in (sample.quantile("x", q, where) for q, where in asked)]
    monkeypatch.setattr(module, "COARSE", 10_000)
    everywhere = [(e.value[0], *e.interval(0.99)) for e in (sample.quantile("x", q, where) for q, where in asked)]
    assert found == everywhere


@pytest.mark.statistical
def test_a_median_behind_noise_is_not_drawn_to_one_side():
    rng = np.random.default_rng(6)
    schema = dn.Schema({"age": dn.Additive(dn.Integer(20, 64), dn.Laplace(5))})
    errors = []
    for _ in range(60):
        truth = np.clip(np.round(rng.normal(42, 8, 1_500)), 20, 64).astype(int)
        sample = dn.Sample(schema.randomise(pd.DataFrame({"age": truth}), rng), schema)
        errors.append(sample.quantile("age").value[0] - np.median(truth))
    assert abs(np.mean(errors)) < 1.0 + 3 * np.std(errors) / math.sqrt(60)
    assert abs(np.median(errors)) <= 2


def test_quantiles_of_a_joint_draw_and_of_a_group():
    rng = np.random.default_rng(8)
    schema = dn.Schema(
        {"x": dn.Retention(dn.Integer(0, 30), 0.7), "y": dn.Retention(dn.Binary(), 0.7)}, groups={"both": ["x", "y"]}
    )
    truth = pd.DataFrame({"x": rng.integers(0, 31, 20_000), "y": rng.integers(0, 2, 20_000)})
    truth.loc[truth.y == 1, "x"] //= 2
    sample = dn.Sample(schema.randomise(truth, rng), schema)
    for where, rows in ((None, truth), ("y == 1", truth[truth.y == 1])):
        found = sample.quantile("x", 0.5, where)
        assert abs(found.value[0] - np.median(rows.x)) <= 1
        assert found.interval()[0][0] <= np.median(rows.x) <= found.interval()[1][0]


@pytest.mark.statistical
def test_silence_is_left_out_of_wide_quantiles_and_said():
    rng = np.random.default_rng(9)
    schema = dn.Schema({"x": dn.Optional(dn.Retention(WIDE, 0.6), 0.9)})
    truth = rng.integers(0, 8_000, 6_000).astype(float)
    truth[:1_500] = np.nan
    found = dn.Sample(schema.randomise(pd.DataFrame({"x": truth}), rng), schema).quantile("x")
    low, high = found.interval(0.999)
    assert low[0] <= np.nanmedian(truth) <= high[0]
    assert high[0] - low[0] < 1_500
    assert "among those who answered x" in found.name


@pytest.mark.parametrize("inner", [dn.Retention(dn.Integer(0, 9), 0.4), dn.Neighbours(dn.Ordinal([1, 2, 3]), [0.8, 0.1])])
def test_unbiased_weights_of_optional_answers_undo_the_matrix(inner):
    channel = dn.Optional(inner, 0.8)
    functions = np.random.default_rng(1).normal(size=(channel.law.inputs, 4))
    np.testing.assert_allclose(channel.matrix() @ channel.law.weights(functions), functions, atol=1e-9)
    np.testing.assert_allclose(
        channel.law.weights(functions[:, 0]), np.linalg.solve(channel.matrix(), functions[:, 0]), atol=1e-9
    )


# Correlations


def noisy_pair(rng, rho, n, channel):
    z = rng.standard_normal((n, 2))
    z[:, 1] = rho * z[:, 0] + math.sqrt(1 - rho**2) * z[:, 1]
    schema = dn.Schema({"x": channel, "y": channel})
    truth = pd.DataFrame(np.clip(np.round(10 + 3 * z), 0, 20).astype(int), columns=["x", "y"])
    return truth, dn.Sample(schema.randomise(truth, rng), schema)


@pytest.mark.statistical
def test_correlations_are_correlations_or_refused():
    rng = np.random.default_rng(10)
    given = refused = 0
    for _ in range(150):
        _, sample = noisy_pair(rng, -0.9, 150, dn.Retention(dn.Integer(0, 20), 0.5))
        try:
            found = sample.correlation("x", "y")
        except NoIntervalError:
            refused += 1
            continue
        given += 1
        low, high = found.interval()
        assert -1 <= low[0] <= found.value[0] <= high[0] <= 1
    assert given > 0
    assert refused > 0


def test_an_undistorted_correlation_is_that_of_numpy_with_the_error_of_large_samples():
    rng = np.random.default_rng(12)
    truth, sample = noisy_pair(rng, 0.6, 20_000, dn.Identity(dn.Integer(0, 20)))
    found = sample.correlation("x", "y")
    r = np.corrcoef(truth.x, truth.y)[0, 1]
    assert found.value[0] == pytest.approx(r, abs=1e-12)
    assert found.se[0] == pytest.approx((1 - r**2) / math.sqrt(20_000), rel=0.03)
    low, high = found.interval()
    near, reach = math.atanh(r), 1.96 / math.sqrt(20_000)
    assert low[0] == pytest.approx(math.tanh(near - reach), abs=5e-4)
    assert high[0] == pytest.approx(math.tanh(near + reach), abs=5e-4)


def test_silence_is_left_out_of_moments_and_said():
    rng = np.random.default_rng(13)
    truth, _ = noisy_pair(rng, 0.7, 30_000, dn.Identity(dn.Integer(0, 20)))
    silent = truth.astype(float)
    silent.loc[rng.random(30_000) < 0.3, "x"] = np.nan
    channel = dn.Optional(dn.Retention(dn.Integer(0, 20), 0.7), 0.9)
    schema = dn.Schema({"x": channel, "y": dn.Retention(dn.Integer(0, 20), 0.7)})
    sample = dn.Sample(schema.randomise(silent, rng), schema)
    told = silent.dropna()
    slope = np.cov(told.x, told.y)[0, 1] / told.y.var()
    for found, expected in (
        (sample.correlation("x", "y"), told.corr().iloc[0, 1]),
        (sample.covariance("x", "y"), told.cov().iloc[0, 1]),
        (sample.covariance("x", "y", target="respondents"), np.cov(told.x, told.y, bias=True)[0, 1]),
    ):
        low, high = found.interval(0.999)
        assert low[0] <= expected <= high[0]
        assert "among those who answered x" in found.name
    found = sample.regression("x", ["y"])
    assert found.value[1] == pytest.approx(slope, abs=0.05)
    assert "among those who answered x" in found.name


def test_numbers_as_labels_may_be_silent_too():
    sample = sample_of({"x": [1, 2, 3, None] * 25}, x=dn.Identity(dn.Ordinal([1, 2, 3], missing="none")))
    assert sample.mean("x").value[0] == pytest.approx(2)
    assert sample.quantile("x").value[0] == 2


# Survey weights and targets


def test_weighted_counts_have_the_textbook_error():
    """Undistorted: n / (n - 1) sum (w y - mean)^2, the variance of a total drawn with replacement."""
    rng = np.random.default_rng(14)
    y, w = rng.integers(0, 2, 800), rng.choice([5, 20, 90], 800)
    found = sample_of({"y": y, "w": w}, y=dn.Identity(dn.Binary()), w=dn.Identity(dn.Integer(0, 100)))
    estimate = dn.Sample(found.parts, weights="w").count("y == 1")
    assert estimate.value[0] == y @ w
    assert estimate.se[0] == pytest.approx(math.sqrt(800 * np.var(y * w)), rel=1e-9)
    low, high = estimate.interval()
    assert (low[0], high[0]) == pytest.approx((y @ w - 1.96 * estimate.se[0], y @ w + 1.96 * estimate.se[0]), rel=0.02)


def test_a_band_for_the_respondents_knows_what_is_known():
    x = [1] * 300 + [0] * 700
    open_ = sample_of({"x": x}, x=dn.Identity(dn.Binary()))
    known = open_.count("x == 1", target="respondents", method="em")
    low, high = known.band(rng=np.random.default_rng(1))
    assert low[0] == pytest.approx(300, abs=1e-3)
    assert high[0] == pytest.approx(300, abs=1e-3)
    hidden = sample_of({"x": x}, x=dn.KRR(dn.Binary(), 0.9))
    widths = {}
    for target in ("respondents", "population"):
        low, high = hidden.count("x == 1", target=target, method="em").band(draws=400, rng=np.random.default_rng(2))
        widths[target] = high[0] - low[0]
    # Only the randomisation: sqrt(n .9 .1) / .8 = 11.9; with who is asked: sqrt(n .3 .7) / .8 = 18.1.
    assert widths["respondents"] == pytest.approx(2 * 1.96 * math.sqrt(1_000 * 0.09) / 0.8, rel=0.2)
    assert widths["population"] == pytest.approx(2 * 1.96 * math.sqrt(1_000 * 0.21) / 0.8, rel=0.2)


@pytest.mark.statistical
def test_bands_for_the_respondents_know_parts_and_several_blocks():
    rng = np.random.default_rng(15)
    schemas = [dn.Schema({"x": dn.Identity(dn.Binary()), "y": dn.KRR(dn.Nominal(["a", "b", "c"]), p)}) for p in (0.95, 0.7)]
    parts = []
    for schema in schemas:
        truth = pd.DataFrame({"x": rng.integers(0, 2, 2_000), "y": rng.choice(["a", "b", "c"], 2_000)})
        parts.append((schema.randomise(truth, rng), schema))
    sample = dn.Sample(parts)
    exactly = sample.count("x == 1", target="respondents", method="em")
    assert np.ptp(exactly.band(draws=20, rng=rng)) < 1e-2
    widths = [
        np.ptp(sample.count("x == 1 and y == 'a'", target=target, method="em").band(draws=100, rng=rng))
        for target in ("respondents", "population")
    ]
    assert widths[0] < 0.8 * widths[1]


def test_weighted_shares_of_reports_that_are_all_alike_are_not_certain():
    schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75), "b": dn.Identity(dn.Binary()), "w": dn.Identity(dn.Integer(0, 9))})
    alike = pd.DataFrame({"a": [1] * 50, "b": [1] * 50, "w": [1, 2] * 25})
    weighted, plain = dn.Sample(alike, schema, weights="w"), dn.Sample(alike, schema)
    for ask in (lambda s: s.crosstab("a", "b"), lambda s: s.difference("a == 1", "b == 0"), lambda s: s.distribution("a")):
        wide = [np.subtract(*reversed(ask(sample).interval())).max() for sample in (weighted, plain)]
        assert wide[0] >= wide[1] > 0


@pytest.mark.statistical
def test_what_does_not_vary_has_no_correlation_and_what_follows_no_slope():
    rng = np.random.default_rng(16)
    schema = dn.Schema({name: dn.Identity(dn.Continuous(0, 100, "0.1")) for name in "xyz"})
    for constant in np.arange(0, 10, 0.7).round(1):
        sample = dn.Sample(pd.DataFrame({"x": constant, "y": rng.integers(0, 90, 50) / 10, "z": 1.0}), schema)
        with pytest.raises(NoIntervalError, match="'x' cannot be told from 0"):
            sample.correlation("x", "y")
    for _ in range(10):
        x = rng.integers(0, 300, 100) / 10
        data = pd.DataFrame({"x": x, "z": (3 * x + 1).round(1), "y": (x + rng.integers(0, 50, 100) / 10).round(1)})
        with pytest.raises(NoIntervalError, match="follows from the others"):
            dn.Sample(data, schema).regression("y", ["x", "z"])


def test_silence_that_is_always_hidden_leaves_nothing_to_undo():
    with pytest.raises(NotInvertibleError):
        dn.Optional(dn.KRR(dn.Integer(0, 3), 0.7), 0).law.weights(np.eye(5))
