"""Scores from distorted rows: exactly unbiased where they say so, with intervals that cover."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score, fbeta_score, precision_score, recall_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

import deniable as dn
from deniable.classify.confusion import one_hot
from deniable.classify.measures import measure
from deniable.classify.scoring import score

pytestmark = pytest.mark.statistical

B = dn.Binary()


def people(n, rng):
    y = (rng.random(n) < 0.4).astype(int)
    a = (rng.random(n) < 0.2 + 0.6 * y).astype(int)
    b = np.where(rng.random(n) < 0.7, y, rng.integers(0, 3, n))
    return pd.DataFrame({"a": a, "b": b, "d": (rng.random(n) < 0.3 + 0.3 * y).astype(int), "c": y})


def _schemas():
    three = dn.Integer(0, 2)
    unrelated, related = dn.UnrelatedQuestion(B, 0.6, 0.3), dn.KRR(B, 0.75)
    yield (
        "class only",
        dn.Schema({"a": dn.Identity(B), "b": dn.Identity(three), "d": dn.Identity(B), "c": dn.Flip(0.8, 0.7)}, target="c"),
    )
    yield (
        "one attribute",
        dn.Schema({"a": dn.KRR(B, 0.8), "b": dn.Identity(three), "d": dn.Identity(B), "c": dn.Identity(B)}, target="c"),
    )
    yield (
        "all apart",
        dn.Schema({"a": dn.KRR(B, 0.8), "b": dn.Retention(three, 0.7), "d": dn.KRR(B, 0.7), "c": dn.KRR(B, 0.8)}, target="c"),
    )
    yield (
        "group",
        dn.Schema(
            {"a": unrelated, "b": dn.Identity(three), "d": unrelated, "c": dn.KRR(B, 0.8)}, target="c", groups={"g": ["a", "d"]}
        ),
    )
    yield (
        "flipped group",
        dn.Schema(
            {"a": related, "b": dn.Identity(three), "d": related, "c": dn.Identity(B)}, target="c", groups={"g": ["a", "d"]}
        ),
    )
    table = dn.Group(["a", "d"], innocuous={(0, 0): 0.6, (1, 1): 0.2, (1, 0): 0.1, (0, 1): 0.1})
    yield (
        "group with a table",
        dn.Schema(
            {"a": unrelated, "b": dn.Identity(three), "d": unrelated, "c": dn.Identity(B)}, target="c", groups={"g": table}
        ),
    )
    yield (
        "class in the group",
        dn.Schema(
            {"a": unrelated, "b": dn.Identity(three), "d": unrelated, "c": unrelated}, target="c", groups={"g": ["a", "d", "c"]}
        ),
    )
    yield (
        "class in a flipped group",
        dn.Schema(
            {"a": related, "b": dn.Identity(three), "d": related, "c": related}, target="c", groups={"g": ["a", "d", "c"]}
        ),
    )
    joint = dn.Group(["a", "c"], innocuous={(0, 0): 0.6, (1, 1): 0.2, (1, 0): 0.1, (0, 1): 0.1})
    yield (
        "class in a group with a table",
        dn.Schema(
            {"a": unrelated, "b": dn.Identity(three), "d": dn.Identity(B), "c": unrelated}, target="c", groups={"g": joint}
        ),
    )


SCHEMAS = dict(_schemas())


def _chance(schema, truth, report):
    """P(report | truth) of whole rows, block by block from the matrices."""
    chance = 1.0
    for block in schema.blocks:
        inputs, outputs = list(block.channel.inputs), list(block.channel.outputs)
        grouped = block.name in schema.groups
        own = tuple(truth[name] for name in block.attributes) if grouped else truth[block.attributes[0]]
        seen = tuple(report[name] for name in block.attributes) if grouped else report[block.attributes[0]]
        chance *= block.channel.matrix()[inputs.index(own), outputs.index(seen)]
    return chance


def _all_rows(schema):
    return pd.DataFrame(
        [dict(zip(schema, values, strict=True)) for values in itertools.product(*(schema[name].inputs for name in schema))]
    )


def _models(name):
    yield dn.ReconstructionNaiveBayes
    if not name.startswith("class in"):
        yield lambda schema: dn.ReconstructionTree(schema, pruning=None, min_samples_leaf=50)


@pytest.mark.parametrize("name", SCHEMAS)
def test_weights_have_exactly_the_expectation_of_the_truth(name):
    """For every true row: the mean of the weights over all its possible reports is 1 at its class and prediction, else 0."""
    schema = SCHEMAS[name]
    rng = np.random.default_rng(1)
    training = schema.randomise(people(3_000, rng), rng)
    rows = _all_rows(schema)
    for make in _models(name):
        model = make(schema).fit(training)
        weights = model._unbiased(model._codes(rows, reported=True), rows["c"].to_numpy(), "unbiased")
        predicted = model.predict(rows.drop(columns="c"))
        for i in range(len(rows)):
            truth = rows.iloc[i].to_dict()
            chances = np.array([_chance(schema, truth, rows.iloc[j].to_dict()) for j in range(len(rows))])
            expected = np.zeros((2, 2))
            expected[truth["c"], predicted[i]] = 1
            np.testing.assert_allclose(np.tensordot(chances, weights, axes=1), expected, atol=1e-9)


def _simulated(name, simulations, n, metric="accuracy"):
    """Bias and coverage of a fixed classifier's score: rows of the population drawn, distorted and scored again and again."""
    schema = SCHEMAS[name]
    rng = np.random.default_rng(2)
    model = dn.ReconstructionNaiveBayes(schema).fit(schema.randomise(people(4_000, rng), rng))
    rows = _all_rows(schema)
    population = people(400_000, rng).value_counts(normalize=True)
    shares = np.array([population.get(tuple(rows.loc[i, ["a", "b", "d", "c"]]), 0.0) for i in range(len(rows))])
    chances = np.array(
        [[_chance(schema, rows.iloc[i].to_dict(), rows.iloc[j].to_dict()) for j in range(len(rows))] for i in range(len(rows))]
    )
    weights = model._unbiased(model._codes(rows, reported=True), rows["c"].to_numpy(), "unbiased")
    predicted = model.predict(rows.drop(columns="c"))
    confusion = np.einsum("i,ic,id->cd", shares, one_hot(rows["c"].to_numpy(), 2), one_hot(predicted, 2))
    truth = measure(confusion, metric)
    reported = shares @ chances
    values, covered = [], 0
    for counts in rng.multinomial(n, reported / reported.sum(), size=simulations):
        estimate = score(np.repeat(weights, counts, axis=0), "unbiased", model.classes_, metric)
        low, high = estimate.interval()
        values.append(estimate.value[0])
        covered += low[0] <= truth <= high[0]
    return np.mean(values) - truth, np.std(values) / np.sqrt(simulations), covered / simulations


@pytest.mark.parametrize("name", ["class only", "all apart", "class in the group", "flipped group"])
def test_scores_are_unbiased_and_their_intervals_cover(name):
    bias, error, coverage = _simulated(name, 1_500, 2_000)
    assert abs(bias) < 4 * error
    # Four Monte Carlo errors of 1,500 simulations about 95%.
    assert 0.9275 < coverage < 0.9725


@pytest.mark.slow
@pytest.mark.parametrize("name", SCHEMAS)
def test_coverage_of_ten_thousand_simulations(name):
    bias, error, coverage = _simulated(name, 10_000, 2_000)
    assert abs(bias) < 4 * error
    assert 0.939 <= coverage <= 0.960


@pytest.mark.slow
def test_coverage_of_a_ratio():
    _, _, coverage = _simulated("all apart", 10_000, 2_000, "balanced_accuracy")
    assert 0.939 <= coverage <= 0.960


@pytest.mark.parametrize(("metric", "theirs"), [
    ("balanced_accuracy", balanced_accuracy_score), ("recall", lambda y, p: recall_score(y, p, average="macro")),
    ("precision", lambda y, p: precision_score(y, p, average="macro")), ("f1", lambda y, p: f1_score(y, p, average="macro")),
    ("f2", lambda y, p: fbeta_score(y, p, beta=2, average="macro")),
])  # fmt: skip
def test_measures_are_those_of_scikit_learn(metric, theirs):
    rng = np.random.default_rng(3)
    y, predicted = rng.integers(0, 3, 500), rng.integers(0, 3, 500)
    shares = np.zeros((3, 3))
    np.add.at(shares, (y, predicted), 1 / 500)
    assert measure(shares, metric) == pytest.approx(theirs(y, predicted))
    assert measure(shares, "specificity", 1) == pytest.approx(((y != 1) & (predicted != 1)).sum() / (y != 1).sum())


def test_f_weighs_recall_by_the_square_of_alpha():
    shares = np.array([[0.5, 0.1], [0.1, 0.3]])
    precision, recall, alpha = 0.3 / 0.4, 0.3 / 0.4, 2
    assert measure(shares, "f2", 1) == pytest.approx((1 + alpha**2) * precision * recall / (alpha**2 * precision + recall))


def test_undistorted_rows_are_scored_as_they_are():
    rng = np.random.default_rng(4)
    rows = people(500, rng)
    model = dn.ReconstructionNaiveBayes().fit(rows.drop(columns="c"), rows["c"])
    found = model.score_distorted(rows.drop(columns="c"), rows["c"])
    assert found.value[0] == pytest.approx(model.score(rows.drop(columns="c"), rows["c"]))
    low, high = found.interval()
    # Wilson's interval.
    v, z2 = found.value[0], 1.959964**2
    centre, half = (v + z2 / 1000) / (1 + z2 / 500), np.sqrt(z2 * (v * (1 - v) / 500 + z2 / 4 / 500**2)) / (1 + z2 / 500)
    assert (low[0], high[0]) == (pytest.approx(centre - half, abs=1e-6), pytest.approx(centre + half, abs=1e-6))


@pytest.mark.parametrize("make", [dn.ReconstructionNaiveBayes, dn.ReconstructionTree])
def test_many_hidden_attributes_are_scored_with_a_band_that_names_its_model(make):
    rng = np.random.default_rng(5)
    n = 3_000
    y = rng.integers(0, 2, n)
    truth = pd.DataFrame({f"x{i}": (rng.random(n) < 0.3 + 0.4 * y).astype(int) for i in range(12)})
    schema = dn.Schema({name: dn.KRR(B, 0.65) for name in truth})
    model = make(schema).fit(schema.randomise(truth[:1_500], rng), y[:1_500])
    found = model.score_distorted(schema.randomise(truth[1_500:], rng), y[1_500:])
    assert found.method == "latent class model"
    low, high = found.interval()
    assert low[0] <= model.score(truth[1_500:], y[1_500:]) <= high[0]
    assert 0.02 < high[0] - low[0] < 0.5
    wider = found.interval(0.99)
    assert wider[0][0] <= low[0] < high[0] <= wider[1][0]
    assert "kinds of people" in repr(found)
    # The same question about the same rows has the same answer.
    assert model.score_distorted(schema.randomise(truth[1_500:], np.random.default_rng(1)), y[1_500:]).interval() == (
        model.score_distorted(schema.randomise(truth[1_500:], np.random.default_rng(1)), y[1_500:]).interval()
    )


def test_what_cannot_be_unbiased_is_refused_when_asked_for_by_name():
    rng = np.random.default_rng(6)
    rows = pd.DataFrame({"age": rng.integers(0, 100, 400)})
    schema = dn.Schema({"age": dn.Additive(dn.Integer(0, 99), dn.Uniform(20))})
    y = (rows["age"] > 50).astype(int)
    for make in (dn.ReconstructionNaiveBayes, dn.ReconstructionTree):
        model = make(schema).fit(schema.randomise(rows, rng), y)
        with pytest.raises(dn.DeniableError, match="no unbiased score"):
            model.score_distorted(schema.randomise(rows, rng), y, method="unbiased")
        assert model.score_distorted(schema.randomise(rows, rng), y).method == "model-based"
    with pytest.raises(dn.DeniableError, match="method must be one of"):
        model.score_distorted(rows, y, method="best")


def _misleading(n, rng):
    """A strong attribute that is well hidden beside a weak open one: reports make the weak one look better."""
    y = rng.integers(0, 2, n)
    return pd.DataFrame(
        {"strong": np.where(rng.random(n) < 0.9, y, 1 - y), "weak": np.where(rng.random(n) < 0.65, y, 1 - y)}
    ), y


def _tuned(repeats, n=3_000):
    """How often tuning on distorted rows picks what tuning on true rows picks: with the scorer, and with plain score."""
    schema = dn.Schema({"strong": dn.KRR(B, 0.3), "weak": dn.Identity(B)})
    grid = {"reconstruction": ["local", "by_class", None], "max_depth": [1, 2]}
    agreed = {"distorted_scorer": 0, "plain score": 0}
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        truth, y = _misleading(n, rng)
        Z = schema.randomise(truth, rng)
        fresh, labels = _misleading(20_000, rng)
        # What is best on the truth: fitted on the same distorted rows, judged on true ones.
        candidates = [{"reconstruction": r, "max_depth": d} for r in grid["reconstruction"] for d in grid["max_depth"]]
        scores = [dn.ReconstructionTree(schema, **c).fit(Z, y).score(fresh, labels) for c in candidates]
        best = max(scores)
        for name, scoring in (("distorted_scorer", dn.distorted_scorer("accuracy")), ("plain score", None)):
            search = GridSearchCV(dn.ReconstructionTree(schema), grid, scoring=scoring, cv=3).fit(Z, y)
            chosen = scores[candidates.index(search.best_params_)]
            agreed[name] += chosen >= best - 0.005
    return agreed


def test_tuning_on_distorted_rows_finds_the_model_that_is_best_on_true_ones():
    agreed = _tuned(4)
    assert agreed["distorted_scorer"] == 4
    assert agreed["plain score"] <= 1


@pytest.mark.slow
def test_tuning_in_twenty_repeats():
    agreed = _tuned(20)
    assert agreed["distorted_scorer"] >= 15
    assert agreed["plain score"] <= 5


def test_the_scorer_looks_through_pipelines():
    rng = np.random.default_rng(7)
    truth, y = _misleading(1_500, rng)
    schema = dn.Schema({"strong": dn.KRR(B, 0.8), "weak": dn.Identity(B)})
    Z = schema.randomise(truth, rng)
    pipeline = Pipeline([("same", FunctionTransformer()), ("nb", dn.ReconstructionNaiveBayes(schema))])
    scores = cross_val_score(pipeline, Z, y, scoring=dn.distorted_scorer(), cv=3)
    assert abs(scores.mean() - 0.9) < 0.08
    with pytest.raises(dn.DeniableError, match="score_distorted"):
        dn.distorted_scorer()(BernoulliNB().fit(Z, y), Z, y)
    with pytest.raises(dn.DeniableError, match="metric must be one of"):
        dn.distorted_scorer("precison")


@pytest.mark.parametrize("kind", [dn.ReconstructionNaiveBayes, dn.ReconstructionTree])
def test_wild_inverses_behind_noise_are_not_used(kind):
    # Nine values behind Normal(2): the inverse holds numbers of 30,000, so nothing that is fitted or scored may rest on it.
    rng = np.random.default_rng(31)
    y = (rng.random(3_000) < 0.5).astype(int)
    first = rng.binomial(8, np.where(y, 0.65, 0.4))
    X = pd.DataFrame({"a": first, "b": np.where(rng.random(3_000) < 0.5, first, rng.binomial(8, np.where(y, 0.55, 0.4)))})
    schema = dn.Schema({name: dn.Additive(dn.Integer(0, 8), dn.Normal(2)) for name in X})
    Z = schema.randomise(X, rng)
    model = kind(schema).fit(Z, y)
    assert max(np.abs(feature.inverse()).max() for feature in model.features_) > 10_000
    truth = (model.predict(X) == y).mean()
    assert truth > 0.74
    found = model.score_distorted(Z, y)
    assert found.method == "model-based"
    assert not found.has_interval
    assert found.value[0] == pytest.approx(truth, abs=0.08)
    if kind is dn.ReconstructionNaiveBayes:
        assert ((model.weights_ > 0.3) & (model.weights_ < 1.2)).all()


def test_a_score_says_of_which_class_it_is_or_that_it_is_averaged():
    rng = np.random.default_rng(4)
    rows = people(500, rng)
    model = dn.ReconstructionNaiveBayes().fit(rows.drop(columns="c"), rows["c"])
    label = model.classes_[0]

    def said(metric, pos_label=None):
        found = model.score_distorted(rows.drop(columns="c"), rows["c"], metric, pos_label)
        return repr(found), found._repr_html_()

    for metric in ("f1", "f2", "precision", "recall", "sensitivity", "specificity"):
        for text in said(metric):
            assert f"{metric} (macro average)" in text
            assert "each of which counts the same" in text
        for text in said(metric, label):
            assert f"{metric} of {label}" in text
            assert "macro" not in text
    # These are of all classes, whichever is positive.
    for text in (*said("accuracy"), *said("accuracy", label), *said("balanced_accuracy", label)):
        assert "macro" not in text
        assert f" of {label}" not in text
