"""Learners of scikit-learn on reports as they are: the same as without us, how attributes are written, weights, files and refusals."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import deniable as dn
from deniable.classify import store
from deniable.classify.saving import to_json
from deniable.errors import ParameterError

pytestmark = pytest.mark.statistical

COLOURS = ["blue", "green", "red"]
SCHEMA = dn.Schema(
    {
        "colour": dn.KRR(dn.Nominal(COLOURS), 0.7),
        "size": dn.Retention(dn.Ordinal(["s", "m", "l"]), 0.6),
        "age": dn.Retention(dn.Integer(20, 60), 0.6),
        "y": dn.Identity(dn.Nominal(["no", "yes"])),
    },
    target="y",
)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 800)
    truth = pd.DataFrame(
        {
            "colour": np.array(COLOURS)[np.where(rng.random(800) < 0.6, 2 * y, rng.integers(0, 3, 800))],
            "size": np.array(["s", "m", "l"])[np.clip(y + rng.integers(0, 2, 800), 0, 2)],
            "age": np.clip(rng.normal(35 + 8 * y, 6), 20, 60).astype(int),
            "y": np.array(["no", "yes"])[y],
        }
    )
    return truth, SCHEMA.randomise(truth, rng)


def by_hand(frame):
    """The columns that a learner sees, written out; 41 ages have a cell each."""
    one_hot = [(frame["colour"] == colour).astype(float) for colour in COLOURS]
    return np.column_stack([*one_hot, frame["size"].map({"s": 0.0, "m": 1.0, "l": 2.0}), frame["age"].astype(float)])


@pytest.mark.parametrize("learner", [LogisticRegression(max_iter=1_000), GaussianNB()])
def test_it_is_the_learner_itself_on_reports_as_they_are(learner, rows):
    truth, Z = rows
    model = dn.AsReported(learner, SCHEMA).fit(Z)
    # Rows are sorted inside, which shows in the last digits.
    alone = clone(learner).fit(by_hand(Z), Z["y"])
    for ours, theirs in (
        (model.predict_proba(truth.drop(columns="y")), alone.predict_proba(by_hand(truth))),
        (model.predict_proba_distorted(Z), alone.predict_proba(by_hand(Z))),
    ):
        np.testing.assert_allclose(ours, theirs, atol=2e-3)


def test_labels_may_be_codes(rows):
    _, Z = rows
    model = dn.AsReported(GaussianNB(), SCHEMA, labels="codes").fit(Z)
    coded = np.column_stack([Z["colour"].map(COLOURS.index), Z["size"].map(["s", "m", "l"].index), Z["age"]]).astype(float)
    np.testing.assert_allclose(
        model.predict_proba_distorted(Z), GaussianNB().fit(coded, Z["y"]).predict_proba(coded), atol=1e-6
    )


def test_numbers_behind_noise_keep_their_size_and_missing_answers_have_a_column():
    schema = dn.Schema(
        {"n": dn.Additive(dn.Integer(0, 9), dn.Uniform(3)), "m": dn.Optional(dn.KRR(dn.Integer(0, 2), 0.8), 0.9)}
    )
    rng = np.random.default_rng(2)
    m = pd.array(rng.integers(0, 3, 300), dtype="Int64")
    m[rng.random(300) < 0.2] = pd.NA
    truth = pd.DataFrame({"n": rng.integers(0, 10, 300), "m": m})
    Z = schema.randomise(truth, rng)
    model = dn.AsReported(GaussianNB(), schema).fit(Z, truth["n"] > 4)
    seen = model._columns_of.reported(model._codes(Z, reported=True))
    np.testing.assert_allclose(seen[:, 0], Z["n"])
    assert Z["n"].min() < 0
    silent = pd.to_numeric(Z["m"], errors="coerce").isna().to_numpy()
    assert silent.any()
    np.testing.assert_allclose(seen[:, 2], silent.astype(float))
    np.testing.assert_allclose(seen[~silent, 1], pd.to_numeric(Z["m"][~silent]).astype(float))


def test_pipelines_clones_and_searches_reach_the_learner(rows):
    truth, Z = rows
    model = dn.AsReported(make_pipeline(StandardScaler(), LogisticRegression()), SCHEMA)
    assert clone(model).get_params()["learner__logisticregression__C"] == 1.0
    search = GridSearchCV(model, {"learner__logisticregression__C": [1e-6, 1.0]}, cv=3, scoring=dn.distorted_scorer())
    found = search.fit(Z[["colour", "size", "age"]], Z["y"])
    assert found.best_params_["learner__logisticregression__C"] == 1.0
    assert found.best_estimator_.score(truth[["colour", "size", "age"]], truth["y"]) > 0.75


def test_a_learner_without_chances_is_sure(rows):
    truth, Z = rows
    model = dn.AsReported(make_pipeline(StandardScaler(), LinearSVC()), SCHEMA).fit(Z)
    assert set(np.unique(model.predict_proba(truth[["colour", "size", "age"]]))) == {0.0, 1.0}


def test_a_hidden_class_is_undone():
    """Kept with 0.7: of rows whose reported class is "yes" in 0.7, all are "yes" in truth. Where "no" is always told as "no" and "yes"
    in 0.4, those whose reported class is "yes" in 0.4 are all "yes", though most of them said "no"."""
    schema = dn.Schema({"a": dn.Identity(dn.Binary()), "c": dn.KRR(dn.Binary(), 0.7)}, target="c")
    Z = pd.DataFrame({"a": [0] * 10 + [1] * 10, "c": [0] * 7 + [1] * 3 + [1] * 7 + [0] * 3})
    model = dn.AsReported(GaussianNB(), schema)
    tree = dn.AsReported(DecisionTreeClassifier(), schema).fit(Z)
    np.testing.assert_allclose(tree.predict_proba(pd.DataFrame({"a": [0, 1]})), [[1, 0], [0, 1]], atol=1e-9)
    np.testing.assert_allclose(tree.predict_proba_distorted(pd.DataFrame({"a": [0, 1]})), [[1, 0], [0, 1]], atol=1e-9)
    assert model.fit(Z).predict(pd.DataFrame({"a": [0, 1]})).tolist() == [0, 1]
    shy = dn.Schema({"a": dn.Identity(dn.Binary()), "c": dn.Matrix(dn.Binary(), [[1, 0], [0.6, 0.4]])}, target="c")
    Z = pd.DataFrame({"a": [0] * 10 + [1] * 10, "c": [0] * 10 + [1] * 4 + [0] * 6})
    assert dn.AsReported(DecisionTreeClassifier(), shy).fit(Z).predict(pd.DataFrame({"a": [0, 1]})).tolist() == [0, 1]


@pytest.mark.parametrize(
    "learner", [None, DecisionTreeClassifier(), ExtraTreesClassifier(10), RandomForestClassifier(10, max_depth=4)]
)
def test_trees_and_forests_are_saved_as_data_and_predict_the_same(learner, rows, tmp_path):
    truth, Z = rows
    model = dn.AsReported(learner, SCHEMA).fit(Z)
    model.save(tmp_path / "model.json")
    again = dn.load_model(tmp_path / "model.json")
    X = truth[["colour", "size", "age"]]
    np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(again.predict_proba_distorted(Z), model.predict_proba_distorted(Z), atol=1e-12)
    assert type(again.learner).__name__ == type(model.learner_).__name__
    assert to_json(again) == (tmp_path / "model.json").read_text()
    # What was read learns again.
    np.testing.assert_allclose(again.fit(Z).predict_proba(X), model.predict_proba(X), atol=1e-12)


def test_the_same_reports_in_any_order_give_the_same_bytes(rows):
    _, Z = rows
    shuffled = Z.sample(frac=1, random_state=1).reset_index(drop=True)
    assert to_json(dn.AsReported(schema=SCHEMA).fit(Z)) == to_json(dn.AsReported(schema=SCHEMA).fit(shuffled))


def test_other_learners_are_not_written_and_the_way_out_is_told(rows, tmp_path):
    class Mine(RandomForestClassifier):
        pass

    for learner in (LogisticRegression(max_iter=1_000), make_pipeline(DecisionTreeClassifier()), Mine(3)):
        model = dn.AsReported(learner, SCHEMA).fit(rows[1])
        with pytest.raises(ParameterError, match="keep the reports and fit again"):
            model.save(tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


def in_circles(content):
    content["trees"]["left"][0] = 0


def out_of_bounds(content):
    content["trees"]["right"][0] = 10**6


def strange_column(content):
    content["trees"]["feature"][0] = 99


def strange_class(content):
    content["trees"]["classes"] = [0, 5]


def strange_learner(content):
    content["learner"]["kind"] = "Pipeline"


def strange_parameter(content):
    content["learner"]["parameters"]["evil"] = 1


@pytest.mark.parametrize("lie", [in_circles, out_of_bounds, strange_column, strange_class, strange_learner, strange_parameter])
def test_files_that_do_not_fit_together_are_refused(lie, rows):
    content = json.loads(to_json(dn.AsReported(DecisionTreeClassifier(max_depth=3), SCHEMA).fit(rows[1])))
    lie(content)
    with pytest.raises(dn.DeniableError, match="damaged"):
        store.from_json(json.dumps(content))


def test_weights_repeat_rows_or_go_to_the_learner(rows):
    truth, Z = rows
    weights = np.random.default_rng(3).integers(0, 3, len(Z))
    X, y, where = Z[["colour", "size", "age"]], Z["y"], np.repeat(np.arange(len(Z)), weights)
    weighted = dn.AsReported(schema=SCHEMA).fit(X, y, sample_weight=weights)
    repeated = dn.AsReported(schema=SCHEMA).fit(X.iloc[where], y.iloc[where])
    np.testing.assert_array_equal(weighted.predict_proba(truth[list(X)]), repeated.predict_proba(truth[list(X)]))
    with pytest.raises(ParameterError, match="takes no weights"):
        dn.AsReported(KNeighborsClassifier(), SCHEMA).fit(X, y, sample_weight=weights / 2)
    piped = dn.AsReported(make_pipeline(StandardScaler(), GaussianNB()), SCHEMA).fit(X, y, sample_weight=weights + 0.5)
    assert piped.score(truth[list(X)], truth["y"]) > 0.7


@pytest.mark.parametrize("wrong", [StandardScaler(), RandomForestClassifier, "forest"])
def test_what_is_no_classifier_is_refused(wrong, rows):
    with pytest.raises(ParameterError, match="learner must be a classifier of scikit-learn"):
        dn.AsReported(wrong, SCHEMA).fit(rows[1])
