"""Questions to answers behind noise: values that are possible, intervals that count their bias, and a class that is named."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.errors import ParameterError


def asked(channel, truth, rng, **options):
    schema = dn.Schema({"x": channel})
    return dn.Sample(schema.randomise(pd.DataFrame({"x": truth}), rng), schema, **options)


@pytest.mark.parametrize(
    ("low", "high", "sd", "below"), [(20, 64, 5, 30), (0, 10, 2, 4), (18, 90, 10, 30)], ids=["ages", "rating", "wide"]
)
def test_counts_are_possible_and_covered(low, high, sd, below):
    """Unbiased weights gave -82,023,241 of 1,500 people here, and -164,014."""
    rng = np.random.default_rng(low + high)
    middle, spread = (low + high) / 2, (high - low) / 5
    for _ in range(5):
        truth = np.clip(np.round(rng.normal(middle, spread, 1_500)), low, high).astype(int)
        found = asked(dn.Additive(dn.Integer(low, high), dn.Normal(sd)), truth, rng).count(f"x < {below}")
        true = int((truth < below).sum())
        assert 0 <= found.value[0] <= 1_500
        assert abs(found.value[0] - true) < 150
        first, last = found.interval()
        assert first[0] <= true <= last[0]
        assert found.bias[0] > 0
        assert "no single value of 'x' holds more than" in found.assumes[-1]


def test_means_behind_clamped_normal_noise_are_as_good_as_the_reports():
    """A dense inverse was off by 50 years where the reports alone are off by .27."""
    rng = np.random.default_rng(9)
    channel = dn.Additive(dn.Integer(18, 90), dn.Normal(10))
    errors, held = [], 0
    for _ in range(60):
        truth = np.clip(np.round(rng.normal(45, 16, 2_000)), 18, 90).astype(int)
        found = asked(channel, truth, rng).mean("x", target="respondents")
        errors.append(found.value[0] - truth.mean())
        low, high = found.interval()
        held += bool(low[0] <= truth.mean() <= high[0])
        assert high[0] - low[0] < 1.5
    assert np.sqrt(np.mean(np.square(errors))) < 0.4
    assert held >= 52  # 57 on average; fewer once in 100,000 times


@pytest.mark.parametrize("noise", [dn.Normal(8_000), dn.Laplace(6_000), dn.Uniform(9_000)])
@pytest.mark.parametrize("edges", ["clamp", "extend"])
def test_a_hundred_thousand_values_are_no_harder_than_a_hundred(noise, edges):
    rng = np.random.default_rng(5)
    truth = np.clip(np.round(rng.normal(40_000, 15_000, 4_000)), 0, 100_000).astype(int)
    sample = asked(dn.Additive(dn.Integer(0, 100_000), noise, edges=edges), truth, rng)
    mean = sample.mean("x")
    assert abs(mean.value[0] - truth.mean()) < 4 * mean.se[0] + mean.bias[0] if mean.bias is not None else 4 * mean.se[0]
    assert mean.se[0] < 600
    count = sample.count("x < 30000")
    low, high = count.interval()
    assert low[0] <= (truth < 30_000).sum() <= high[0]
    assert abs(count.value[0] - (truth < 30_000).sum()) < 300


def test_the_class_can_be_set_and_stands_beside_the_interval():
    rng = np.random.default_rng(6)
    channel = dn.Additive(dn.Integer(18, 90), dn.Normal(10))
    truth = np.clip(np.round(rng.normal(45, 16, 2_000)), 18, 90).astype(int)
    schema = dn.Schema({"x": channel, "g": dn.KRR(dn.Binary(), 0.8)})
    reports = schema.randomise(pd.DataFrame({"x": truth, "g": rng.integers(0, 2, 2_000)}), rng)
    usual = dn.Sample(reports, schema).count("x < 30")
    narrow = dn.Sample(reports, schema, most=0.03).count("x < 30")
    nothing = dn.Sample(reports, schema, most={"x": 1}).count("x < 30")
    assert narrow.bias[0] < usual.bias[0] < nothing.bias[0]
    assert "3% of the people" in narrow.assumes[-1]
    assert "any distribution of 'x' is possible" in nothing.assumes[-1]
    assert dn.Sample(reports, schema, most=0.03).update(reports).most == 0.03
    with pytest.raises(ParameterError, match="most"):
        dn.Sample(reports, schema, most=0.001)
    with pytest.raises(ParameterError, match="'age'"):
        dn.Sample(reports, schema, most={"age": 0.1})


def worst_truth(k, below, most, sign):
    """The truth of the class that pretends most (or least): crowded at one side of a threshold, as often as is allowed."""
    shares = np.zeros(k)
    full = int(1 / most)
    first = below if sign > 0 else below - full - 1
    shares[first : first + full] = most
    shares[first + full] = 1 - shares.sum()
    return shares


@pytest.mark.parametrize("sign", [1, -1])
def test_truths_at_the_edge_of_the_class_are_covered(sign):
    rng = np.random.default_rng(31 + sign)
    channel = dn.Additive(dn.Integer(0, 72), dn.Normal(10))
    shares = worst_truth(73, 30, 5 / 73, sign)
    held = 0
    for _ in range(100):
        truth = rng.choice(73, 1_000, p=shares)
        low, high = asked(channel, truth, rng).count("x < 30", target="population").interval()
        held += bool(low[0] <= 1_000 * shares[:30].sum() <= high[0] + 1e-6)
    assert held >= 86  # 95 on average


def test_shares_under_a_condition_add_up_and_are_covered():
    rng = np.random.default_rng(12)
    schema = dn.Schema({"x": dn.Additive(dn.Integer(0, 100), dn.Uniform(25)), "g": dn.KRR(dn.Binary(), 0.85)})
    x = np.clip(np.round(rng.normal(45, 18, 20_000)), 0, 100).astype(int)
    g = (rng.random(20_000) < 0.2 + 0.6 * x / 100).astype(int)
    sample = dn.Sample(schema.randomise(pd.DataFrame({"x": x, "g": g}), rng), schema)
    within = sample.distribution("x", "g == 1", bins=4)
    true = np.histogram(x[g == 1], [0, 25, 50, 75, 101])[0] / (g == 1).sum()
    assert within.value.sum() == pytest.approx(1)
    assert np.abs(within.value - true).max() < 0.05
    low, high = within.interval()
    assert ((low <= true) & (true <= high)).all()
    count = sample.count("x < 50 and g == 1")
    assert count.value[0] == pytest.approx(((x < 50) & (g == 1)).sum(), rel=0.06)  # likelihood over bins: 6% to 14% too high


def test_candidates_behind_noise_are_as_many_as_is_said():
    rng = np.random.default_rng(14)
    channel = dn.Additive(dn.Integer(18, 90), dn.Normal(10))
    said, true = 0.0, 0
    for _ in range(6):
        truth = np.clip(np.round(rng.normal(47, 13, 2_000)), 18, 90).astype(int)
        found = asked(channel, truth, rng).candidates("x < 30", size=200)
        said += found.expected
        true += int((truth[found.rows] < 30).sum())
    assert said == pytest.approx(true, rel=0.25)  # likelihood over 12 bins: half of them
