"""All classifiers as scikit-learn estimators: its own checks, pipelines, searches, clones, pickles, and bad input."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import deniable as dn
from deniable.classify import store
from deniable.classify.saving import to_json
from deniable.errors import DataError, ParameterError, SchemaError

pytestmark = pytest.mark.statistical


def as_reported(schema=None, **options):
    """Named by its schema, as the others are; a small forest."""
    return dn.AsReported(RandomForestClassifier(20), schema, **options)


ESTIMATORS = [
    dn.ReconstructionNaiveBayes,
    dn.ReconstructionTree,
    dn.EmergingPatterns,
    dn.LazyPatterns,
    dn.UnbiasedForest,
    as_reported,
    dn.ReconstructionEnsemble,
    dn.AutoClassifier,
]
YES_NO = dn.Nominal(["no", "yes"])
SCHEMA = dn.Schema(
    {"a": dn.KRR(YES_NO, 0.8), "n": dn.Retention(dn.Integer(0, 99), 0.6), "c": dn.Identity(dn.Nominal(["p", "q"]))}, target="c"
)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 1_500)
    truth = pd.DataFrame(
        {
            "a": np.where(rng.random(1_500) < 0.2 + 0.6 * y, "yes", "no"),
            "n": np.clip(rng.normal(40 + 20 * y, 12, 1_500), 0, 99).astype(int),
            "c": np.array(["p", "q"])[y],
        }
    )
    return truth, SCHEMA.randomise(truth, rng)


# Not run: check_array_api_input, which scikit-learn itself skips unless SCIPY_ARRAY_API is set.
@parametrize_with_checks([make() for make in ESTIMATORS])
def test_scikit_learns_own_checks_pass(estimator, check):
    check(estimator)


@pytest.mark.parametrize("make", ESTIMATORS)
def test_it_works_in_pipelines_and_searches(make):
    X, y = load_iris(return_X_y=True)
    least = 0.8 if make is dn.LazyPatterns else 0.9
    assert cross_val_score(make_pipeline(StandardScaler(), make()), X, y).mean() > least
    search = GridSearchCV(make(), {"bins": [3, 10]}, cv=3).fit(X, y)
    assert search.best_score_ > least - 0.05


@pytest.mark.parametrize("make", ESTIMATORS)
def test_clones_and_pickles_predict_the_same(make, rows):
    truth, distorted = rows
    model = make(SCHEMA).fit(distorted)
    X = truth[["a", "n"]]
    again = clone(model).fit(distorted)
    for other in (again, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("make", ESTIMATORS)
def test_stored_as_json_it_predicts_and_scores_the_same(make, rows):
    truth, distorted = rows
    model = make(SCHEMA).fit(distorted)
    other = store.from_json(to_json(model))
    np.testing.assert_array_equal(other.predict_proba(truth[["a", "n"]]), model.predict_proba(truth[["a", "n"]]))
    np.testing.assert_array_equal(other.predict_proba_distorted(distorted), model.predict_proba_distorted(distorted))
    assert other.score_distorted(distorted).value == pytest.approx(model.score_distorted(distorted).value)


@pytest.mark.parametrize("make", ESTIMATORS)
def test_frames_of_labels_and_numbers_need_no_schema(make, rows):
    truth, _ = rows
    X, y = truth[["a", "n"]], truth["c"]
    model = make().fit(X, y)
    assert list(model.classes_) == ["p", "q"]
    np.testing.assert_array_equal(model.predict(X), make().fit(pl.from_pandas(X), y.to_numpy()).predict(pl.from_pandas(X)))
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("make", ESTIMATORS)
def test_the_class_may_be_a_column_of_the_frame(make, rows):
    truth, distorted = rows
    together = make(SCHEMA).fit(distorted)
    apart = make(SCHEMA).fit(distorted[["a", "n"]], distorted["c"])
    np.testing.assert_array_equal(together.predict_proba(truth[["a", "n"]]), apart.predict_proba(truth[["a", "n"]]))


# Scores of patterns are no probabilities.
@pytest.mark.parametrize("make", [dn.ReconstructionNaiveBayes, dn.ReconstructionTree, dn.UnbiasedForest])
def test_posteriors_of_distorted_rows_are_distributions_and_calibrated(make, rows):
    truth, distorted = rows
    model = make(SCHEMA).fit(distorted)
    chances = model.predict_proba_distorted(distorted)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    right = (model.predict_distorted(distorted) == truth["c"]).mean()
    assert abs(chances.max(axis=1).mean() - right) < 0.06


BAD = {
    "one class": (lambda d: (d[["a", "n"]], ["p"] * len(d)), "one value only"),
    "no class": (lambda d: (d[["a", "n"]], None), "y"),
    "unknown class": (lambda d: (d[["a", "n"]], ["z"] * len(d)), "'z' in [0-9,]+ cells, first in row 1"),
    "unknown label": (lambda d: (d[["a", "n"]].assign(a="maybe"), d["c"]), "'a'.*maybe.*Allowed"),
    "number outside": (lambda d: (d[["a", "n"]].assign(n=500), d["c"]), "'n'.*500"),
    "missing cells": (lambda d: (d[["a", "n"]].assign(a=None), d["c"]), "missing"),
    "lacking column": (lambda d: (d[["a"]], d["c"]), r"lacks the columns \['n'\]"),
    "strange column": (lambda d: (d[["a", "n"]].assign(z=1), d["c"]), "drop them"),
    "rows differ": (lambda d: (d[["a", "n"]], d["c"][:-1]), "rows"),
    "array of other width": (lambda d: (d[["a"]].to_numpy(), d["c"]), "one column for each"),
}


@pytest.mark.parametrize("make", ESTIMATORS)
@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_with_what_where_and_the_mend(make, name, rows):
    build, words = BAD[name]
    X, y = build(rows[1])
    with pytest.raises(ValueError, match=words):
        make(SCHEMA).fit(X, y)


@pytest.mark.parametrize("make", ESTIMATORS)
def test_a_class_alone_is_nothing_to_learn_from(make):
    schema = dn.Schema({"c": dn.Identity(dn.Binary())}, target="c")
    with pytest.raises(DataError, match="a class and no other column"):
        make().set_params(schema=schema).fit(pd.DataFrame({"c": [0, 1, 0, 1]}))


@pytest.mark.parametrize("make", ESTIMATORS)
def test_bad_input_without_a_schema_is_refused(make):
    X = pd.DataFrame({"a": ["x", "y", "x", "y"], "b": [None] * 4})
    with pytest.raises(ValueError, match="'b' has no values at all"):
        make().fit(X, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="the first in row 2"):
        make().fit(X.assign(b=["u", None, "v", "u"]), [0, 1, 0, 1])
    model = make().fit(X[["a"]], [0, 1, 0, 1])
    with pytest.raises(ValueError, match="row 1: 'w'"):
        model.predict(pd.DataFrame({"a": ["w"]}))
    with pytest.raises(ValueError, match="not seen in training"):
        model.score_distorted(X[["a"]], [0, 1, 2, 1])


@pytest.mark.parametrize(
    ("make", "options", "words"),
    [
        (dn.ReconstructionTree, {"reconstruction": "best"}, "reconstruction must be one of"),
        (dn.ReconstructionTree, {"nominal": "mle"}, "nominal must be one of"),
        (dn.ReconstructionTree, {"max_depth": 0}, "max_depth must be a whole number"),
        (dn.ReconstructionTree, {"bins": 1}, "bins must be"),
        (dn.ReconstructionNaiveBayes, {"bins": 2.5}, "bins must be"),
        (dn.ReconstructionNaiveBayes, {"schema": {"a": 1}}, "schema must be"),
    ],
)
def test_parameters_are_checked_when_fitting(make, options, words, rows):
    with pytest.raises(ValueError, match=words):
        make(**{"schema": SCHEMA, **options}).fit(rows[1])


def test_a_tree_refuses_a_class_that_shares_a_draw(rows):
    channel = dn.UnrelatedQuestion(dn.Binary(), 0.5, 0.5)
    schema = dn.Schema({"a": channel, "c": channel}, target="c", groups={"g": ["a", "c"]})
    with pytest.raises(dn.DeniableError, match="ReconstructionNaiveBayes"):
        dn.ReconstructionTree(schema).fit(pd.DataFrame({"a": [0, 1, 0, 1], "c": [0, 1, 1, 0]}))


def test_damaged_files_are_refused():
    for text, words in (
        ("{", "not JSON"),
        ("{}", "no classifier"),
        ('{"format": "deniable-classifier", "version": 9, "kind": "tree"}', "of version 9"),
        ('{"format": "deniable-classifier", "version": 1, "kind": "tree"}', "damaged"),
    ):
        with pytest.raises(dn.DeniableError, match=words):
            store.from_json(text)


HIDDEN_CLASS = dn.Schema({name: dn.KRR(dn.Binary(), 0.8) for name in "abc"}, target="c")
ROWS = pd.DataFrame({"a": [0, 1] * 50, "b": [0, 0, 1, 1] * 25, "c": [0, 1] * 50})
CLASSLESS = {
    # What was given, and what must be said of it: what is missing, where it was looked for, and what to do.
    "no column": (
        lambda: (HIDDEN_CLASS, ROWS[["a", "b"]]),
        r"class is 'c', and X has no such column, only \['a', 'b'\]\. Give a frame with",
    ),
    "an array": (
        lambda: (HIDDEN_CLASS, ROWS[["a", "b"]].to_numpy()),
        "class is 'c', and X is an array.*Give a frame with the column 'c'",
    ),
    "no target": (
        lambda: (dn.Schema(HIDDEN_CLASS), ROWS),
        r"names no target.*dn\.Schema\(schema, target=NAME\), one of \['a', 'b', 'c'\]",
    ),
    "not in the schema": (
        lambda: (dn.Schema({name: HIDDEN_CLASS[name] for name in "ab"}), ROWS),
        r"If the class is among \['c'\], which the schema does not describe, declare it there.*dn\.Schema\(\{\*\*schema, NAME",
    ),
    "no schema": (lambda: (None, ROWS), r"no schema that names a column.*fit\(X, y\)"),
}


@pytest.mark.parametrize("make", [dn.ReconstructionNaiveBayes, dn.ReconstructionTree])
@pytest.mark.parametrize("case", CLASSLESS)
def test_a_class_that_is_missing_is_named_with_where_it_belongs(make, case):
    given, words = CLASSLESS[case]
    schema, X = given()
    with pytest.raises(DataError, match=words) as caught:
        make(schema).fit(X)
    assert caught.value.code == "no_class"
    # The words that scikit-learn's own checks of estimators look for.
    assert "requires y to be passed, but the target y is None" in str(caught.value)


def test_a_class_that_is_an_attribute_of_the_schema_must_be_named_as_the_class():
    with pytest.raises(SchemaError, match=r"lacks the columns \['c'\].*If 'c' is the class.*dn\.Schema\(schema, target='c'\)"):
        dn.ReconstructionNaiveBayes(dn.Schema(HIDDEN_CLASS)).fit(ROWS[["a", "b"]], ROWS["c"])
    grouped = dn.Schema({name: dn.Retention(dn.Binary(), 0.5) for name in "abc"}, groups={"g": ["a", "b"]})
    with pytest.raises(DataError, match=r"target=NAME, groups=schema\.groups\)"):
        dn.ReconstructionNaiveBayes(grouped).fit(ROWS)


def test_tables_scores_and_validation_say_where_the_class_belongs():
    model = dn.ReconstructionNaiveBayes(dn.Schema(HIDDEN_CLASS))
    for ask in (lambda: model.count_tables(ROWS), lambda: model.fit_tables({})):
        with pytest.raises(ParameterError, match=r"dn\.Schema\(schema, target=\.\.\.\)"):
            ask()
    with pytest.raises(DataError, match="give y, or a frame with the column 'c'"):
        dn.ReconstructionNaiveBayes(HIDDEN_CLASS).fit(ROWS).score_distorted(ROWS[["a", "b"]])
    with pytest.raises(DataError, match="y is None: give the true classes"):
        dn.distort_and_cross_validate(model, ROWS[["a", "b"]], None, HIDDEN_CLASS)
