"""Attributes that repeat each other within the classes count less; others, and what cannot be seen, count fully."""

import json

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.classify import repetition, store
from deniable.classify.saving import to_json

BINARY = dn.Binary()


def copies(n, rng, repeats=0.6, classes=2):
    """`b` repeats `a` with that probability, which is their correlation within each class; `d` says something of its own."""
    y = rng.integers(0, classes, n)
    chance = 0.2 + 0.6 * y / (classes - 1)
    a, b, d = ((rng.random(n) < chance).astype(int) for _ in range(3))
    return pd.DataFrame({"a": a, "b": np.where(rng.random(n) < repeats, a, b), "d": d, "c": y})


def schema_of(channel, of_class=None, classes=2, **more):
    own = of_class or dn.Identity(dn.Integer(0, classes - 1))
    return dn.Schema({"a": channel, "b": channel, "d": channel, "c": own}, target="c", **more)


@pytest.mark.statistical
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("channel", [dn.Identity(BINARY), dn.Retention(BINARY, 0.5), dn.KRR(BINARY, 0.2)])
def test_two_that_correlate_count_one_over_one_plus_their_correlation(channel, classes):
    rng = np.random.default_rng(1)
    schema = schema_of(channel, classes=classes)
    model = dn.ReconstructionNaiveBayes(schema).fit(schema.randomise(copies(100_000, rng, 0.6, classes), rng))
    np.testing.assert_allclose(model.weights_, [1 / 1.6, 1 / 1.6, 1], atol=0.02)


def test_weights_are_those_of_a_discriminant_written_out_in_full():
    """What `a` of three labels, `b` and `d` say, correlated unequally: the within-class covariance by numpy, solved directly."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 200_000)
    a = np.where(rng.random(200_000) < 0.5, rng.integers(0, 3, 200_000), 2 * y)
    b = np.where(rng.random(200_000) < 0.4, (a > 0).astype(int), (rng.random(200_000) < 0.3 + 0.3 * y).astype(int))
    d = np.where(rng.random(200_000) < 0.2, b, (rng.random(200_000) < 0.6 - 0.3 * y).astype(int))
    rows = pd.DataFrame({"a": a, "b": b, "d": d, "c": y})
    channels = {"a": dn.Identity(dn.Integer(0, 2)), **{name: dn.Identity(BINARY) for name in "bdc"}}
    model = dn.ReconstructionNaiveBayes(dn.Schema(channels, target="c")).fit(rows)
    said = np.array([(logs[1] - logs[0])[rows[name]] for name, logs in zip("abd", model._logs, strict=True)])
    covariance = sum((y == c).mean() * np.cov(said[:, y == c]) for c in (0, 1))
    expected = np.linalg.solve(covariance, np.diag(covariance))
    assert np.ptp(expected) > 0.2
    np.testing.assert_allclose(model.weights_, expected, atol=0.02)


@pytest.mark.statistical
@pytest.mark.parametrize("p", [1, 0.5, 0.2])
def test_where_nothing_is_repeated_nothing_is_lost(p):
    schema = dn.Schema({f"x{i}": dn.Retention(BINARY, p) if p < 1 else dn.Identity(BINARY) for i in range(8)})

    def draw(n):
        y = rng.integers(0, 2, n)
        return pd.DataFrame({f"x{i}": (rng.random(n) < 0.5 + (0.05 + 0.03 * i) * (2 * y - 1)).astype(int) for i in range(8)}), y

    lost = []
    for seed in range(15):
        rng = np.random.default_rng([3, seed])
        X, y = draw(600)
        Z = schema.randomise(X, rng)
        fresh, labels = draw(4_000)
        plain, weighed = (dn.ReconstructionNaiveBayes(schema, discount_repeats=flag).fit(Z, y) for flag in (False, True))
        lost.append(plain.score(fresh, labels) - weighed.score(fresh, labels))
    assert np.mean(lost) < 0.004


def test_an_attribute_in_copies_no_longer_outvotes_a_better_one():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 6_000)
    weak = (rng.random(6_000) < 0.3 + 0.4 * y).astype(int)
    truth = pd.DataFrame({"good": (rng.random(6_000) < 0.15 + 0.7 * y).astype(int), **{f"copy{i}": weak for i in range(4)}})
    schema = dn.Schema({name: dn.Retention(BINARY, 0.5) for name in truth})
    Z, train = schema.randomise(truth, rng), slice(0, 3_000)
    scores = [
        dn.ReconstructionNaiveBayes(schema, discount_repeats=flag).fit(Z[train], y[train]).score(truth[3_000:], y[3_000:])
        for flag in (False, True)
    ]
    best = (truth["good"] == y)[3_000:].mean()
    assert scores[0] < best - 0.08
    assert scores[1] > best - 0.01


def test_reports_are_discounted_by_what_the_channels_leave_of_the_repetition():
    rng = np.random.default_rng(5)
    schema = schema_of(dn.Retention(BINARY, 0.5))
    model = dn.ReconstructionNaiveBayes(schema).fit(schema.randomise(copies(100_000, rng, 1.0), rng))
    # Copies correlate by 1; their reports by p squared times what the channel leaves of the variance, 0.16 of at most 0.25.
    shown = 0.25 * 0.16 / (0.35 * 0.65)
    np.testing.assert_allclose(model.weights_, [0.5, 0.5, 1], atol=0.02)
    np.testing.assert_allclose(model.report_weights_, [1 / (1 + shown), 1 / (1 + shown), 1], atol=0.02)
    open_schema = schema_of(dn.Identity(BINARY))
    rows = copies(2_000, rng)
    model = dn.ReconstructionNaiveBayes(open_schema).fit(rows)
    np.testing.assert_allclose(model.predict_proba(rows), model.predict_proba_distorted(rows), rtol=1e-12)


def test_all_weights_are_one_where_pairs_are_not_seen():
    rng = np.random.default_rng(6)
    schema = schema_of(dn.KRR(BINARY, 0.8))
    rows = schema.randomise(copies(4_000, rng, 1.0), rng)
    model = dn.ReconstructionNaiveBayes(schema)
    assert model.fit(rows).weights_.min() < 0.8
    assert (model.partial_fit(rows).weights_ == 1).all()
    assert (model.fit_tables(model.count_tables(rows)).weights_ == 1).all()
    assert (model.set_params(discount_repeats=False).fit(rows).weights_ == 1).all()
    hidden = schema_of(dn.KRR(BINARY, 0.8), of_class=dn.KRR(BINARY, 0.9))
    grouped = schema_of(dn.UnrelatedQuestion(BINARY, 0.6, 0.3), groups={"g": ["a", "b"]})
    for other in (hidden, grouped):
        fitted = dn.ReconstructionNaiveBayes(other).fit(other.randomise(copies(4_000, rng, 1.0), rng))
        assert (fitted.weights_ == 1).all()
        assert (fitted.report_weights_ == 1).all()


def test_an_attribute_that_cannot_be_undone_counts_fully():
    rng = np.random.default_rng(7)
    rows = copies(4_000, rng, 1.0)
    rows["age"] = 30 + 20 * rows["a"] + rng.integers(0, 10, 4_000)
    schema = dn.Schema(
        {**dict(schema_of(dn.Identity(BINARY))), "age": dn.Additive(dn.Integer(0, 99), dn.Uniform(20))}, target="c"
    )
    model = dn.ReconstructionNaiveBayes(schema).fit(schema.randomise(rows, rng))
    assert model.weights_[[a.name for a in model.attributes_].index("age")] == 1
    assert model.weights_[0] < 0.7


def test_many_rows_are_thinned_out_evenly(monkeypatch):
    rng = np.random.default_rng(8)
    rows = copies(3_000, rng)
    said = [repetition.contrasts(np.log([[0.8, 0.2], [0.2, 0.8]]))] * 3
    few = repetition.weights(said, [0.3] * 3, rows[list("abd")].to_numpy()[::3], rows["c"].to_numpy()[::3])
    monkeypatch.setattr(repetition, "MOST_ROWS", 1_000)
    many = repetition.weights(said, [0.3] * 3, rows[list("abd")].to_numpy(), rows["c"].to_numpy())
    np.testing.assert_array_equal(few, many)


def test_weights_are_stored_and_damaged_ones_refused():
    rng = np.random.default_rng(9)
    schema = schema_of(dn.KRR(BINARY, 0.8))
    rows = copies(4_000, rng, 1.0)
    model = dn.ReconstructionNaiveBayes(schema).fit(schema.randomise(rows, rng))
    text = to_json(model)
    np.testing.assert_array_equal(store.from_json(text).predict_proba(rows), model.predict_proba(rows))
    content = json.loads(text)
    for wrong in ([1.0], [1.0, 1.0, -1.0], [1.0, 1.0, None]):
        content["weights"]["truths"] = wrong
        with pytest.raises(dn.DeniableError, match="damaged"):
            store.from_json(json.dumps(content))
    del content["weights"]
    assert (store.from_json(json.dumps(content)).weights_ == 1).all()


def test_anything_but_true_or_false_is_refused():
    with pytest.raises(dn.DeniableError, match="discount_repeats must be True or False, got 'yes'"):
        dn.ReconstructionNaiveBayes(discount_repeats="yes").fit([[0.0], [1.0]], [0, 1])
