"""Maximum likelihood on the joint table: every question it answers, versions taken together, weights; and the published methods."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.errors import NoIntervalError, ParameterError
from deniable.statistics.likeliest_joint import Stacked


def direct_em(matrix, counts, steps=200_000):
    """Plain EM on a dense matrix, as slow as it is simple."""
    shares = np.full(len(matrix), 1 / len(matrix))
    observed = counts / counts.sum()
    for _ in range(steps):
        expected = shares @ matrix
        factor = matrix @ np.where(observed > 0, observed / expected, 0.0)
        shares = shares * factor
        if factor.max() < 1 + 1e-10:
            break
    return shares


LETTERS = ["x", "y", "z"]


@pytest.fixture
def small():
    """A sample with a rare answer, whose likeliest shares lie on the border, and a slow likelihood over merged values."""
    rng = np.random.default_rng(12)
    schema = dn.Schema({"a": dn.KRR(dn.Nominal(LETTERS), 0.6), "v": dn.Retention(dn.Integer(0, 4), 0.5)})
    people = pd.DataFrame({"a": rng.choice(LETTERS, 3_000, p=[0.02, 0.5, 0.48])})
    people["v"] = np.where(people.a == "y", rng.integers(2, 5, 3_000), rng.integers(0, 3, 3_000))
    reported = schema.randomise(people, rng)
    letters, numbers = pd.Categorical(reported.a, LETTERS).codes, reported.v.to_numpy()

    def slow(a_classes, v_classes):
        merged = [_merged(schema[name].matrix(), classes) for name, classes in (("a", a_classes), ("v", v_classes))]
        width = max(v_classes) + 1
        codes = np.array(a_classes)[letters] * width + np.array(v_classes)[numbers]
        counts = np.bincount(codes, minlength=(max(a_classes) + 1) * width).astype(float)
        return direct_em(np.kron(*merged), counts).reshape(-1, width)

    return dn.Sample(reported, schema), slow


def _merged(matrix, classes):
    """Rows of one class are alike after the columns are added up, for channels that can be lumped."""
    together = np.array([[row[np.array(classes) == c].sum() for c in range(max(classes) + 1)] for row in matrix])
    return np.array([together[classes.index(c)] for c in range(max(classes) + 1)])


@pytest.mark.statistical
def test_every_question_equals_a_slow_likelihood_on_the_joint_table(small):
    sample, slow = small
    values = np.arange(5)
    apart = [0, 1, 2, 3, 4]
    found = sample.count("a == 'x' and v > 1", method="em").value[0] / 3_000
    assert found == pytest.approx(slow([1, 0, 0], [0, 0, 1, 1, 1])[1, 1], abs=1e-5)
    found = sample.count("a == 'x' and v == 3", method="em").value[0] / 3_000
    assert found == pytest.approx(slow([1, 0, 0], [0, 0, 0, 1, 0])[1, 1], abs=1e-5)
    y = slow([0, 1, 0], apart)[1]
    assert sample.mean("v", "a == 'y'", method="em").value[0] == pytest.approx(y @ values / y.sum(), abs=1e-3)
    assert sample.mean("v", method="em").value[0] == pytest.approx(slow([0, 0, 0], apart)[0] @ values, abs=1e-3)
    high = slow([0, 1, 2], [0, 0, 1, 1, 1])[:, 1]
    np.testing.assert_allclose(sample.distribution("a", "v > 1", method="em").value, high / high.sum(), atol=5e-4)
    joint = slow([0, 1, 2], apart)
    np.testing.assert_allclose(sample.crosstab("a", "v", method="em").value, joint.reshape(-1), atol=5e-4)
    by = sample.distribution("v", by="a", method="em")
    np.testing.assert_allclose(by.value[5:], (joint / joint.sum(axis=1, keepdims=True))[1:].reshape(-1), atol=2e-3)
    assert by.labels[6] == ("y", 1)
    sizes = slow([0, 1, 2], [0] * 5)[:, 0]
    assert sample.difference("a == 'y'", "a == 'z'", method="em").value[0] == pytest.approx(sizes[1] - sizes[2], abs=2e-4)
    gap = joint[1] @ values / joint[1].sum() - joint[2] @ values / joint[2].sum()
    assert sample.difference("a == 'y'", "a == 'z'", of="v", method="em").value[0] == pytest.approx(gap, abs=4e-3)
    rising = np.cumsum(y)
    for q in (0.2, 0.5, 0.9):
        expected = values[np.searchsorted(rising, q * rising[-1])]
        assert sample.quantile("v", q, "a == 'y'", method="em").value[0] == expected


@pytest.mark.statistical
def test_likelihood_gives_a_band_and_no_interval(small):
    sample, _ = small
    estimate = sample.mean("v", "a == 'y'", method="em")
    with pytest.raises(NoIntervalError, match="near 0"):
        estimate.interval()
    low, high = estimate.band(draws=30, rng=np.random.default_rng(1))
    assert low[0] < estimate.value[0] < high[0]


def test_several_versions_are_fitted_together():
    rng = np.random.default_rng(13)
    people = pd.DataFrame({"a": rng.choice(["x", "y", "z"], 4_000, p=[0.1, 0.3, 0.6])})
    first = dn.Schema({"a": dn.KRR(dn.Nominal(["x", "y", "z"]), 0.9)})
    second = dn.Schema({"a": dn.KRR(dn.Nominal(["x", "y", "z"]), 0.5)})
    one, two = first.randomise(people[:1_000], rng), second.randomise(people[1_000:], rng)
    found = dn.Sample([(one, first), (two, second)]).distribution("a", method="em")
    counts = [pd.Categorical(part.a, ["x", "y", "z"]).codes for part in (one, two)]
    matrix = np.hstack([0.25 * first["a"].matrix(), 0.75 * second["a"].matrix()])
    expected = direct_em(matrix, np.concatenate([np.bincount(codes, minlength=3) for codes in counts]).astype(float))
    np.testing.assert_allclose(found.value, expected, atol=1e-4)
    assert found.n == 4_000
    other = dn.Schema({"a": dn.Matrix(dn.Nominal(["x", "y", "z"]), [[0.8, 0.2, 0], [0.1, 0.8, 0.1], [0, 0.3, 0.7]])})
    with pytest.raises(ParameterError, match="cannot be fitted together"):
        dn.Sample([(one, first), (other.randomise(people, rng), other)]).count("a == 'x'", method="em")


def test_stacked_versions_are_one_matrix():
    rng = np.random.default_rng(1)
    laws = [dn.KRR(dn.Nominal(["x", "y", "z"]), p).law for p in (0.9, 0.5)]
    law = Stacked(laws, [0.3, 0.7])
    p, v = rng.dirichlet(np.ones(3)), rng.random(6)
    np.testing.assert_allclose(law.push(p), p @ law.dense())
    np.testing.assert_allclose(law.pull(v), law.dense() @ v)


def test_survey_weights_count_in_the_likelihood():
    rng = np.random.default_rng(14)
    schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75), "w": dn.Identity(dn.Integer(1, 3))})
    people = pd.DataFrame({"a": [1] * 2_000 + [0] * 2_000, "w": [3] * 2_000 + [1] * 2_000})
    reported = schema.randomise(people, rng)
    weighted = dn.Sample(reported, schema, weights="w")
    assert weighted.count("a == 1", method="em").value[0] == pytest.approx(weighted.count("a == 1").value[0], rel=1e-6)
    assert weighted.count("a == 1", method="em").value[0] == pytest.approx(6_000, rel=0.1)
    with pytest.raises(ParameterError, match="survey weights"):
        weighted.count("a == 1", method="iterative")


@pytest.mark.statistical
def test_means_behind_noise_are_off_by_less_than_they_vary():
    rng = np.random.default_rng(15)
    schema = dn.Schema({"age": dn.Additive(dn.Integer(18, 90), dn.Uniform(10)), "v": dn.KRR(dn.Integer(0, 3), 0.7)})
    people = pd.DataFrame({"age": rng.integers(18, 91, 3_000)})
    people["v"] = np.where(people.age < 50, rng.integers(0, 2, 3_000), rng.integers(1, 4, 3_000))
    true = people.v[people.age < 50].mean()
    joint, likely = [], []
    for _ in range(40):
        sample = dn.Sample(schema.randomise(people, rng), schema)
        joint.append(sample.mean("v", "age < 50", target="respondents"))
        likely.append(sample.mean("v", "age < 50", method="em").value[0])
    values = np.array([estimate.value[0] for estimate in joint])
    assert abs(values.mean() - true) < values.std()
    assert np.mean([e.interval()[0][0] <= true <= e.interval()[1][0] for e in joint]) > 0.8
    assert np.std(likely) < values.std()
    assert sample.quantile("age", 0.5).method == "em, regularised"
    assert sample.quantile("age", 0.5, method="em").method == "em"
    assert sample.quantile("age", 0.5).value[0] == pytest.approx(people.age.median(), abs=4)
    assert sample.crosstab("age", "v", bins={"age": 3}).method == "em, regularised"


def test_the_published_mean_is_that_of_the_reports_of_the_chosen_rows():
    """Errata 23: chosen by a distorted attribute, the group is mixed, and so is its mean."""
    rng = np.random.default_rng(16)
    sex = rng.choice(["F", "M"], 6_000)
    salary = np.where(sex == "F", 2_000, 4_000)
    schema = dn.Schema(
        {"sex": dn.KRR(dn.Nominal(["F", "M"]), 0.6), "salary": dn.Additive(dn.Integer(0, 6_000, step=100), dn.Uniform(500))}
    )
    sample = dn.Sample(schema.randomise(pd.DataFrame({"sex": sex, "salary": salary}), rng), schema)
    published = sample.mean("salary", "sex == 'F'", method="iterative")
    assert 2_600 < published.value[0] < 3_000
    with pytest.raises(NoIntervalError, match="biased"):
        published.interval()
    assert sample.mean("salary", "sex == 'F'").value[0] == pytest.approx(2_000, abs=250)
    assert sample.mean("salary", method="iterative").value[0] == pytest.approx(3_000, abs=60)
    shares = sample.distribution("salary", "sex == 'F'", bins=3, method="iterative")
    assert shares.method == "as"
    assert shares.name == "salary where sex == 'F'"


@pytest.mark.statistical
def test_rows_of_files_can_be_listed_and_those_of_databases_cannot(tmp_path):
    rng = np.random.default_rng(17)
    schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)})
    for part in "bc":
        pd.DataFrame({"a": [0, 1, 1, 1]}).to_csv(tmp_path / f"true-{part}.csv", index=False)
        schema.randomise(tmp_path / f"true-{part}.csv", output=tmp_path / f"part-{part}.csv", rng=rng)
    sample = dn.read(tmp_path / "part-*.csv")
    assert len(sample.candidates("a == 1")) == 8
    assert sample.count("a == 1", method="iterative").n == 8
    import sqlite3

    connection = sqlite3.connect(tmp_path / "answers.db")
    pd.DataFrame({"a": [0, 1, 1, 1]}).to_sql("answers", connection, index=False)
    connection.close()
    stored = dn.read(f"sqlite:///{tmp_path / 'answers.db'}#answers", schema)
    assert stored.count("a == 1").n == 4
    with pytest.raises(ParameterError, match="export them"):
        stored.candidates("a == 1")
    with pytest.raises(ParameterError, match="eager"):
        dn.Sample(dn.read(tmp_path / "part-b.csv", engine="duckdb").parts[0][0].frame, schema).candidates("a == 1")


def test_methods_that_a_question_does_not_know_are_refused(small):
    sample, _ = small
    for ask in (
        lambda: sample.crosstab("a", "v", method="iterative"),
        lambda: sample.difference("a == 'x'", "a == 'y'", method="iterative"),
        lambda: sample.distribution("a", by="v", method="iterative"),
        lambda: sample.mean("v", method="magic"),
    ):
        with pytest.raises(ParameterError, match="method must be one of"):
            ask()
    with pytest.raises(ParameterError, match="two different"):
        sample.crosstab("a", "a")


@pytest.mark.statistical
def test_quantile_intervals_cover_on_a_coarse_grid_too():
    rng = np.random.default_rng(30)
    schema = dn.Schema({"v": dn.Retention(dn.Integer(0, 4), 0.6)})
    held = 0
    for _ in range(200):
        truth = pd.DataFrame({"v": rng.choice(5, 1_000, p=[0.1, 0.405, 0.215, 0.18, 0.1])})
        low, high = dn.Sample(schema.randomise(truth, rng), schema).quantile("v", 0.5).interval()
        held += low[0] <= 1 <= high[0]
    assert held / 200 > 0.92


def test_quantiles_follow_the_values_not_the_order_of_the_labels():
    schema = dn.Schema({"v": dn.Identity(dn.Nominal([3, 1, 2]))})
    sample = dn.Sample(pd.DataFrame({"v": [3] * 40 + [1] * 30 + [2] * 30}), schema)
    assert sample.quantile("v").value[0] == 2
    assert sample.quantile("v", method="em").value[0] == 2


@pytest.mark.statistical
def test_what_is_not_hidden_keeps_its_values_apart_in_likelihood_means():
    rng = np.random.default_rng(31)
    schema = dn.Schema({"v": dn.Identity(dn.Integer(0, 119)), "a": dn.KRR(dn.Binary(), 0.8)})
    people = pd.DataFrame({"v": rng.choice([0, 1, 2, 10, 11], 2_000), "a": rng.integers(0, 2, 2_000)})
    sample = dn.Sample(schema.randomise(people, rng), schema)
    assert sample.mean("v", method="em").value[0] == pytest.approx(people.v.mean())


@pytest.mark.statistical
def test_a_condition_may_single_out_the_last_value_behind_noise():
    rng = np.random.default_rng(32)
    schema = dn.Schema({"x": dn.Additive(dn.Integer(0, 99), dn.Uniform(10))})
    people = pd.DataFrame({"x": rng.choice(100, 5_000, p=[0.5 / 99] * 99 + [0.5])})
    sample = dn.Sample(schema.randomise(people, rng), schema)
    assert sample.count("x == 99").value[0] == pytest.approx(2_500, abs=250)
    assert sample.count("x < 99").value[0] == pytest.approx(2_500, abs=250)
    assert 500 < sample.count("x >= 99", method="iterative").value[0] < 2_500


def test_reports_that_are_all_alike_are_not_certain():
    """Errata 25: with 7 rows no estimate means anything."""
    schema = dn.Schema({"a": dn.KRR(dn.Nominal(["x", "y"]), 0.6)})
    sample = dn.Sample(pd.DataFrame({"a": ["x"] * 7}), schema)
    low, high = sample.difference("a == 'x'", "a == 'y'").interval()
    assert (low[0], high[0]) == (-1.0, 1.0)
    assert sample.distribution("a").se[0] > 0.5


@pytest.mark.statistical
def test_means_are_of_those_who_answered():
    rng = np.random.default_rng(33)
    from deniable.core.domains.missing import WithMissing

    schema = dn.Schema({"n": dn.KRR(WithMissing(dn.Integer(0, 9), "no answer"), 0.6), "a": dn.KRR(dn.Binary(), 0.8)})
    people = pd.DataFrame({"n": rng.integers(0, 10, 20_000).astype(float), "a": rng.integers(0, 2, 20_000)})
    people.loc[people.index % 4 == 0, "n"] = np.nan
    people.loc[people.a == 1, "n"] = np.minimum(people.n + 3, 9)
    sample = dn.Sample(schema.randomise(people, rng), schema)
    assert sample.mean("n").value[0] == pytest.approx(people.n.mean(), abs=0.25)
    found = sample.difference("a == 1", "a == 0", of="n")
    assert found.value[0] == pytest.approx(people.n[people.a == 1].mean() - people.n[people.a == 0].mean(), abs=0.6)
    assert sample.mean("n", method="em").value[0] == pytest.approx(people.n.mean(), abs=0.25)
    for method in ("joint", "em"):
        assert abs(sample.quantile("n", 0.4, method=method).value[0] - people.n.quantile(0.4)) <= 1
    slope = people.n[people.a == 1].mean() - people.n[people.a == 0].mean()
    found = sample.regression("n", ["a"])
    assert found.value[1] == pytest.approx(slope, abs=0.6)
    assert "among those who answered n" in found.name
    assert sample.correlation("n", "a").value[0] == pytest.approx(people.n.corr(people.a), abs=0.1)


def test_weighted_counts_are_not_cut_at_what_they_estimate():
    schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.9), "w": dn.Identity(dn.Integer(1, 3))})
    sample = dn.Sample(pd.DataFrame({"a": [1, 0] * 50, "w": [1, 3] * 50}), schema, weights="w")
    low, high = sample.count().interval()
    assert low[0] < 200 < high[0]
