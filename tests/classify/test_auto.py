"""Which classifier is chosen, what is said about it, and whether the expected accuracy is right."""

import json

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from benchmarks.auto import correlated_numbers
from deniable.classify.ensembles.behind_noise import score_behind_noise
from deniable.classify.ensembles.choice import predicts_more
from deniable.classify.ensembles.expected import KnownEnds, expected_accuracy, mean_of
from deniable.classify.ensembles.votes import multiplied
from deniable.classify.latent_bayes import LatentBayes
from deniable.classify.saving import to_json

pytestmark = pytest.mark.statistical

B = dn.Binary()


def people(n, rng, together):
    """Eight answers of two classes; `together`: two kinds of people in each class answer in opposite ways."""
    y, kind = rng.integers(0, 2, n), rng.choice([-1, 1], n)
    sign = np.where(np.arange(8) % 2, 1, -1)
    chance = 0.35 + 0.3 * y[:, None] + (0.3 * kind[:, None] * sign if together else 0)
    answers = (rng.random((n, 8)) < chance).astype(int)
    return pd.DataFrame(answers, columns=[f"x{i}" for i in range(8)]), y


def schema_of(keep=0.5):
    return dn.Schema({**{f"x{i}": dn.Retention(B, keep) for i in range(8)}, "c": dn.Identity(B)}, target="c")


def fitted(together, seed, n=2_500):
    rng = np.random.default_rng(seed)
    truth, y = people(n, rng, together)
    reported = schema_of().randomise(truth.assign(c=y), rng)
    return dn.AutoClassifier(schema_of()).fit(reported), reported


def test_naive_bayes_decides_alone_until_the_reports_refute_it():
    alone, reported = fitted(False, 1)
    assert alone.chosen_ == "naive Bayes"
    assert alone.kinds_.tolist() == [1, 1]
    naive = dn.ReconstructionNaiveBayes(schema_of()).fit(reported)
    fresh, _ = people(500, np.random.default_rng(9), False)
    np.testing.assert_allclose(alone.predict_proba(fresh), naive.predict_proba(fresh), atol=1e-9)
    together, _ = fitted(True, 1)
    assert len(together.estimators_) == 3
    assert together.kinds_.min() >= 2
    assert "depend on each other" in together.explain_choice()
    chances = multiplied(together._answers(together._codes(fresh, reported=False), False), np.ones(3))
    np.testing.assert_allclose(together.predict_proba(fresh), chances, atol=1e-9)


def pairs(n, rng):
    """Three copies each of two coins; the class is whether they differ, which only several kinds of people in each class explain."""
    coins = rng.integers(0, 2, (n, 2))
    return pd.DataFrame(np.repeat(coins, 3, axis=1), columns=[f"x{i}" for i in range(6)]), coins[:, 0] ^ coins[:, 1]


def test_kinds_of_people_take_the_place_of_naive_bayes_where_they_predict_more_held_out_reports(tmp_path):
    rng = np.random.default_rng(1)
    truth, y = pairs(1_500, rng)
    schema = dn.Schema({**{f"x{i}": dn.KRR(B, 0.8) for i in range(6)}, "c": dn.Identity(B)}, target="c")
    model = dn.AutoClassifier(schema).fit(schema.randomise(truth.assign(c=y), rng))
    assert model.chosen_.startswith("Bayes with several kinds of people in each class, ")
    assert "held-out reports are predicted right" in model.explain_choice()
    assert model.score(truth, y) > 0.99
    model.save(tmp_path / "auto.json")
    again = dn.load_model(tmp_path / "auto.json")
    assert again.explain_choice() == model.explain_choice()
    np.testing.assert_allclose(again.predict_proba(truth), model.predict_proba(truth), atol=1e-9)


def test_more_held_out_reports_must_be_predicted_clearly():
    """Of two that predict the same reports none is preferred, nor the one that predicts fewer."""
    rng = np.random.default_rng(2)
    truth, y = pairs(600, rng)
    schema = dn.Schema({**{f"x{i}": dn.KRR(B, 0.8) for i in range(6)}, "c": dn.KRR(B, 0.9)}, target="c")
    auto = dn.AutoClassifier(schema)
    rows, _ = auto._rows(schema.randomise(truth.assign(c=y), rng), None, None)
    alone, kinds = dn.ReconstructionNaiveBayes(), LatentBayes(kinds=[2, 2])
    assert predicts_more(kinds, alone, rows, schema)
    assert not predicts_more(alone, kinds, rows, schema)
    assert not predicts_more(alone, alone, rows, schema)


def test_one_kind_in_each_class_is_naive_bayes():
    """The same model by another estimator: chances differ by what smoothing does to 2,000 rows."""
    rng = np.random.default_rng(3)
    truth, y = people(2_000, rng, False)
    reported = schema_of(0.7).randomise(truth.assign(c=y), rng)
    one = LatentBayes(schema_of(0.7), kinds=[1, 1]).fit(reported)
    naive = dn.ReconstructionNaiveBayes(schema_of(0.7), discount_repeats=False).fit(reported)
    rows = reported.drop(columns="c")
    np.testing.assert_allclose(one.predict_proba(truth), naive.predict_proba(truth), atol=0.03)
    np.testing.assert_allclose(one.predict_proba_distorted(rows), naive.predict_proba_distorted(rows), atol=0.03)


def test_kinds_of_people_are_as_many_as_asked_for_unless_one_would_be_a_handful():
    rng = np.random.default_rng(4)
    truth, y = pairs(400, rng)
    schema = dn.Schema({**{f"x{i}": dn.KRR(B, 0.8) for i in range(6)}, "c": dn.Identity(B)}, target="c")
    reported = schema.randomise(truth.assign(c=y), rng)
    assert LatentBayes(schema, kinds=[2, 1]).fit(reported).kinds_.tolist() == [2, 1]
    assert (400 * LatentBayes(schema, kinds=[2, 6]).fit(reported).latent_.parts >= 5).all()
    with pytest.raises(dn.errors.ParameterError, match="one for each class"):
        LatentBayes(schema, kinds=[0, 2]).fit(reported)
    with pytest.raises(dn.errors.ParameterError, match="2 in all"):
        LatentBayes(schema, kinds=[2]).fit(reported)
    together = dn.Schema(dict(schema), target="c", groups={"twins": ["x0", "x1"]})
    with pytest.raises(dn.errors.SchemaError, match="twins"):
        LatentBayes(together).fit(reported)


def test_the_choice_is_said_in_words_with_what_to_expect():
    model, _ = fitted(False, 2)
    said = model.explain_choice()
    low, high = model.expected_accuracy_.interval()
    assert f"({low[0]:.0%} to {high[0]:.0%})" in said
    assert "a guess" in said
    assert "look independent" in said


@pytest.mark.parametrize("together", [False, True])
def test_the_expected_accuracy_holds_the_true_one(together):
    """12 surveys of 2,500 people: 92% of many would be 11."""
    held = 0
    for seed in range(12):
        model, _ = fitted(together, seed)
        low, high = model.expected_accuracy_.interval()
        fresh, y = people(20_000, np.random.default_rng([seed, 1]), together)
        held += low[0] <= model.score(fresh, y) <= high[0]
        assert high[0] - low[0] < 0.4
    assert held >= 10


def test_a_saved_one_says_the_same_and_holds_no_rows(tmp_path):
    model, reported = fitted(True, 3, n=1_200)
    model.save(tmp_path / "auto.json")
    text = (tmp_path / "auto.json").read_text()
    again = dn.load_model(tmp_path / "auto.json")
    fresh, _ = people(300, np.random.default_rng(4), True)
    np.testing.assert_allclose(again.predict_proba(fresh), model.predict_proba(fresh), atol=1e-9)
    assert again.explain_choice() == model.explain_choice()
    with pytest.raises(dn.errors.ParameterError, match="alone"):
        again.expected_accuracy_.interval(0.99)
    assert "rows" not in json.loads(text)
    model.fit(reported).save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == text


def test_numbers_a_hidden_class_and_noise_are_taken():
    rng = np.random.default_rng(5)
    X, y, domains = correlated_numbers(rng)
    X, y = X.iloc[:800, :5], (y[:800] > 3).astype(int)
    ways = {
        "x0": dn.Additive(domains["x0"], dn.Laplace(20), edges="clamp"),
        **{name: dn.Retention(domains[name], 0.5) for name in ("x1", "x2", "x3", "x4")},
        "c": dn.KRR(B, 0.9),
    }
    schema = dn.Schema(ways, target="c")
    model = dn.AutoClassifier(schema).fit(schema.randomise(X.assign(c=y), rng))
    assert model.score(X, y) > max(y.mean(), 1 - y.mean()) - 0.1
    assert 0 <= model.expected_accuracy_.value[0] <= 1


def moved_numbers(n, rng):
    """Three numbers that the class moves."""
    y = rng.integers(0, 2, n)
    return pd.DataFrame(np.clip(rng.normal(35 + 30 * y[:, None], 14, (n, 3)), 0, 100).astype(int), columns=list("abc")), y


def behind_noise(seed):
    """One who learned from 600 rows behind noise as wide as their range, and fresh true rows."""
    rng = np.random.default_rng(seed)
    truth, y = moved_numbers(600, rng)
    ways = {name: dn.Additive(dn.Integer(0, 100), dn.Uniform(50)) for name in truth}
    schema = dn.Schema({**ways, "c": dn.Identity(B)}, target="c")
    model = dn.AutoClassifier(schema).fit(schema.randomise(truth.assign(c=y), rng))
    return model, *moved_numbers(20_000, np.random.default_rng([seed, 1]))


def test_behind_noise_the_band_reaches_from_reports_that_are_predicted_to_what_a_model_says(tmp_path):
    held = 0
    for seed in range(5):
        model, fresh, y = behind_noise(seed)
        low, high = model.expected_accuracy_.interval()
        held += low[0] <= model.score(fresh, y) <= high[0]
        assert high[0] - low[0] < 0.5
    assert held == 5
    assert "Noise cannot be undone" in model.explain_choice()
    model.save(tmp_path / "auto.json")
    assert dn.load_model(tmp_path / "auto.json").explain_choice() == model.explain_choice()
    reported = model.schema.randomise(fresh[:2_000].assign(c=y[:2_000]), np.random.default_rng(9))
    codes, classes = model._reported_rows(reported, None)
    found = score_behind_noise(model, codes, classes, model.without_privacy_)
    low, high = found.interval()
    on_reports = (model.predict_distorted(reported.drop(columns="c")) == reported["c"]).mean()
    assert low[0] <= on_reports < found.value[0] <= high[0]
    wider = found.interval(0.999)
    assert wider[0][0] < low[0]
    assert wider[1][0] > high[0]


def test_what_is_expected_lies_inside_its_band_and_is_possible():
    """Where next to nothing is hidden unbiased accuracies of good classifiers lie above 1 half of the time."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 2_000)
        schema = dn.Schema({"a": dn.KRR(B, 0.8), "c": dn.Identity(B)}, target="c")
        model = dn.AutoClassifier(schema).fit(schema.randomise(pd.DataFrame({"a": y, "c": y}), rng))
        low, high = model.expected_accuracy_.interval()
        assert 0 <= low[0] <= model.expected_accuracy_.value[0] <= high[0] <= 1


def test_two_workers_learn_the_same_to_the_last_byte():
    rng = np.random.default_rng(7)
    truth, y = people(1_200, rng, True)
    schema = dn.Schema({**{name: dn.Retention(B, 0.7) for name in truth}, "c": dn.KRR(B, 0.9)}, target="c")
    reported = schema.randomise(truth.assign(c=y), rng)
    one, two = (to_json(dn.AutoClassifier(schema, n_jobs=jobs).fit(reported)) for jobs in (1, 2))
    assert len(json.loads(one)["copies"]) > 1
    assert one == two


def test_the_last_digits_of_a_sum_say_nothing():
    def part(low, high):
        return expected_accuracy(0.8, 100, KnownEnds(low, high))

    first, again = (mean_of([part(0.7 + off, 0.9 - off), part(0.6, 0.8)], 100) for off in (2e-16, 3e-15))
    assert first.interval() == again.interval()
    low, high = (float(end[0]) for end in first.interval())
    assert 0.65 - 2e-9 < low <= 0.65
    assert 0.85 <= high < 0.85 + 2e-9


def test_interrupted_it_stays_what_it_was(monkeypatch):
    model, reported = fitted(False, 6, n=600)
    before = model.explain_choice()

    def stopped(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("deniable.classify.ensembles.auto.mean_of", stopped)
    with pytest.raises(KeyboardInterrupt):
        model.fit(reported)
    assert model.explain_choice() == before
