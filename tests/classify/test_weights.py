"""Rows that count more or less than once: like rows that are repeated, and in ensembles."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score

import deniable as dn
from deniable.errors import DataError, RandomisedRowsWarning
from deniable.kernels.reconstructing import assigned_labels, assigned_sorted

YES_NO = dn.Nominal(["no", "yes"])
CHANNELS = {
    "a": dn.KRR(YES_NO, 0.8),
    "again": dn.KRR(YES_NO, 0.8),
    "n": dn.Retention(dn.Integer(0, 99), 0.6),
    "noisy": dn.Additive(dn.Integer(0, 49), dn.Normal(5)),
}
OPEN = dn.Schema({**CHANNELS, "c": dn.Identity(YES_NO)}, target="c")
HIDDEN = dn.Schema({**CHANNELS, "c": dn.KRR(YES_NO, 0.9)}, target="c")
MODELS = {
    "naive bayes": dn.ReconstructionNaiveBayes,
    "tree": dn.ReconstructionTree,
    "by class": lambda schema: dn.ReconstructionTree(schema, reconstruction="by_class"),
    "local, all": lambda schema: dn.ReconstructionTree(schema, reconstruction="local_all"),
}


def people(rows, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    a = np.where(rng.random(rows) < 0.15 + 0.7 * y, "yes", "no")
    return pd.DataFrame(
        {
            "a": a,
            "again": np.where(rng.random(rows) < 0.9, a, "no"),
            "n": np.clip(rng.normal(40 + 20 * y, 15, rows), 0, 99).astype(int),
            "noisy": np.clip(rng.normal(20 + 8 * y, 8, rows), 0, 49).astype(int),
            "c": np.where(y == 1, "yes", "no"),
        }
    )


TRUE = people(900)
X = TRUE.drop(columns="c")
WHOLE = np.random.default_rng(2).integers(0, 4, len(TRUE))


def reports(schema, rows=TRUE, seed=3):
    return schema.randomise(rows, np.random.default_rng(seed))


@pytest.mark.statistical
@pytest.mark.parametrize("schema", [OPEN, HIDDEN], ids=["open class", "hidden class"])
@pytest.mark.parametrize("name", MODELS)
def test_whole_weights_equal_repeated_rows(name, schema):
    Z = reports(schema)
    weighted = MODELS[name](schema).fit(Z, sample_weight=WHOLE)
    repeated = MODELS[name](schema).fit(Z.loc[np.repeat(Z.index, WHOLE)])
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)
    np.testing.assert_allclose(weighted.predict_proba_distorted(Z), repeated.predict_proba_distorted(Z), rtol=1e-9)
    once = MODELS[name](schema).fit(Z)
    assert abs(weighted.predict_proba(X) - once.predict_proba(X)).max() > 0.01
    np.testing.assert_array_equal(MODELS[name](schema).fit(Z, sample_weight=1).predict_proba(X), once.predict_proba(X))


@pytest.mark.statistical
@pytest.mark.parametrize("name", MODELS)
def test_weights_that_are_no_whole_numbers_are_close_to_the_rows_they_stand_for(name):
    """Half of the rows twice as likely to be asked, and weighed down by a half: the town as it is."""
    town = people(6_000, seed=4)
    rng = np.random.default_rng(5)
    twice = (town["c"] == "yes") & (rng.random(len(town)) < 0.5)
    asked = pd.concat([town, town[twice], town[twice]])
    weights = np.concatenate([np.where(twice, 1 / 3, 1.0), np.full(2 * twice.sum(), 1 / 3)])
    model = MODELS[name](OPEN).fit(reports(OPEN, asked), sample_weight=weights)
    plain = MODELS[name](OPEN).fit(reports(OPEN, asked))
    share = getattr(model, "class_prior_", model._chances[0] if hasattr(model, "_chances") else None)
    assert share == pytest.approx([0.5, 0.5], abs=0.03)
    assert model.score(X, TRUE["c"]) > 0.78
    assert (model.predict(X) == "yes").mean() < (plain.predict(X) == "yes").mean() - 0.02


def test_naive_bayes_adds_weighted_rows_up():
    Z = reports(OPEN)
    parts = dn.ReconstructionNaiveBayes(OPEN).partial_fit(Z[:400], sample_weight=WHOLE[:400] / 2)
    parts.partial_fit(Z[400:], sample_weight=WHOLE[400:] / 2)
    whole = dn.ReconstructionNaiveBayes(OPEN, discount_repeats=False).fit(Z, sample_weight=WHOLE / 2)
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), rtol=1e-9)


def test_assigned_cells_follow_the_weights():
    rng = np.random.default_rng(6)
    codes, weights = rng.integers(0, 3, 5_000), rng.random(5_000)
    shares = np.array([0.5, 0.3, 0.2])
    labels = assigned_labels(
        codes, weights, shares, dn.KRR(dn.Nominal(["a", "b", "c"]), 0.6).matrix(), np.zeros(3, dtype=bool), False
    )
    in_order = assigned_sorted(rng.permutation(5_000), weights, shares)
    wider = assigned_labels(
        codes, weights, shares[:2] / 0.8, np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]), np.zeros(2, dtype=bool), False
    )
    for found, wanted in ((labels, shares), (in_order, shares), (wider, shares[:2] / 0.8)):
        held = np.bincount(found, weights) / weights.sum()
        assert held == pytest.approx(wanted, abs=0.001)


@pytest.mark.parametrize("make", [dn.ReconstructionNaiveBayes, dn.ReconstructionTree])
@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.ones(3), "one number for each of the 900 rows"),
        (np.ones((900, 1)), "one number for each"),
        (np.where(np.arange(900) == 4, -1, 1), "at least 0; row 5 has -1"),
        (np.where(np.arange(900) == 4, np.nan, 1), "row 5 has nan"),
        (np.zeros(900), "zero in every row"),
    ],
)
def test_bad_weights_are_refused(make, weights, words):
    with pytest.raises(ValueError, match=words):
        make(OPEN).fit(reports(OPEN), sample_weight=weights)


def test_weights_that_were_not_shuffled_with_the_rows_are_refused():
    people = TRUE.assign(weight=WHOLE)
    Z = OPEN.randomise(people, keep=["weight"])
    own = Z.drop(columns="weight")
    for weights in (people["weight"], WHOLE, WHOLE.tolist()):
        with pytest.raises(DataError, match=r"X was shuffled and sample_weight was not shuffled with it.*keep") as caught:
            dn.ReconstructionNaiveBayes(OPEN).fit(own, sample_weight=weights)
        assert caught.value.code == "shuffled_rows"
    dn.ReconstructionNaiveBayes(OPEN).fit(own, sample_weight=Z["weight"])
    # Weights of classes are the same for everyone in them, so nobody's can be taken for somebody else's.
    dn.ReconstructionNaiveBayes(OPEN).fit(own, sample_weight=np.where(own["c"] == "yes", 2.0, 1.0))


@pytest.mark.statistical
@pytest.mark.parametrize("make", [dn.ReconstructionNaiveBayes, dn.ReconstructionTree])
@pytest.mark.parametrize("schema", [OPEN, HIDDEN], ids=["open class", "hidden class"])
def test_bagging_learns_from_distorted_rows(make, schema):
    # Shuffled and marked, as people will have them; seeded, for by chance a bag is so much worse than one alone once in 4,000 times.
    Z = schema.randomise(people(2_000, seed=7), np.random.default_rng(8), order="shuffled")
    bag = BaggingClassifier(make(schema), n_estimators=5, random_state=1).fit(Z.drop(columns="c"), Z["c"])
    alone = make(schema).fit(Z).score(X, TRUE["c"])
    assert list(bag.classes_) == ["no", "yes"]
    assert bag.score(X, TRUE["c"]) > max(0.78, alone - 0.03)
    assert len({tuple(model.predict_proba(X.to_numpy())[:20, 0]) for model in bag.estimators_}) > 1
    assert cross_val_score(clone(bag), Z.drop(columns="c"), Z["c"], cv=2).min() > 0.6
    search = GridSearchCV(clone(bag).set_params(n_estimators=2), {"estimator__bins": [3, 10]}, cv=2)
    assert search.fit(Z.drop(columns="c"), Z["c"]).best_score_ > 0.6


@pytest.mark.statistical
def test_weights_pass_through_searches_and_cross_validation():
    Z = OPEN.randomise(TRUE.assign(weight=WHOLE), keep=["weight"])
    rows, y, weights = Z.drop(columns=["c", "weight"]), Z["c"], Z["weight"]
    with pytest.warns(RandomisedRowsWarning, match="score takes rows as true"):
        search = GridSearchCV(dn.ReconstructionTree(OPEN), {"max_depth": [1, 2]}, cv=2).fit(rows, y, sample_weight=weights)
    assert search.best_estimator_.score(X, TRUE["c"]) > 0.7
    with pytest.warns(RandomisedRowsWarning, match="score takes rows as true"):
        scores = cross_val_score(dn.ReconstructionNaiveBayes(OPEN), rows, y, cv=2, params={"sample_weight": weights})
    assert scores.min() > 0.6


def test_an_ensemble_that_numbers_classes_ambiguously_is_refused():
    Z = reports(OPEN)
    rows = Z.drop(columns="c")
    three = dn.Schema({**CHANNELS, "c": dn.KRR(dn.Nominal(["maybe", "no", "yes"]), 0.9)}, target="c")
    turned = dn.Schema({**CHANNELS, "c": dn.KRR(dn.Nominal(["yes", "no"]), 0.9)}, target="c")
    for schema in (three, turned):
        with pytest.raises(DataError, match="numbers the classes") as caught:
            BaggingClassifier(dn.ReconstructionNaiveBayes(schema), n_estimators=1).fit(rows, Z["c"])
        assert caught.value.code == "numbered_classes"
