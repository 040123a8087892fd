"""Repeated distortion and cross-validation."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import deniable as dn

pytestmark = pytest.mark.statistical


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.columns = ["a", "b", "c", "d"]
    return X, y, dn.Schema({name: dn.Retention(dn.Continuous(0, 8, step=0.1), 0.3) for name in X})


def test_it_repeats_with_the_seed_and_differs_without(iris):
    X, y, schema = iris
    model = dn.ReconstructionNaiveBayes()
    first, again, other = (
        dn.distort_and_cross_validate(model, X, y, schema, cv=3, repeats=2, random_state=seed).frame for seed in (1, 1, 2)
    )
    assert first.equals(again)
    assert not first.equals(other)
    assert model.schema is None


def test_test_rows_are_true_and_training_rows_distorted(iris):
    """A channel that says nothing leaves the constant classifier; an open one what scikit-learn would find."""
    X, y, _ = iris
    nothing = dn.Schema({name: dn.Retention(dn.Continuous(0, 8, step=0.1), 0.001) for name in X})
    everything = dn.Schema({name: dn.Identity(dn.Continuous(0, 8, step=0.1)) for name in X})
    scores = [
        dn.distort_and_cross_validate(dn.ReconstructionNaiveBayes(), X, y, s, cv=5, repeats=2, random_state=1).mean()[
            "accuracy"
        ]
        for s in (nothing, everything)
    ]
    assert scores[0] < 0.5
    assert scores[1] > 0.92


def test_accuracy_at_high_privacy_is_above_every_published_figure(iris):
    """Retention with p = 0.3, 10 folds: eager patterns 0.8667 (Table 6.8)."""
    X, y, schema = iris
    scores = dn.distort_and_cross_validate(dn.ReconstructionNaiveBayes(), X, y, schema, repeats=2, random_state=3)
    assert scores.mean()["accuracy"] > 0.8667
    assert "balanced_accuracy" in repr(scores)


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_hidden_class_and_several_jobs_and_progress(iris, jobs):
    X, y, _ = iris
    seen = []

    class Listener:
        def start(self, what, total):
            seen.append((what, total))

        def advance(self, units):
            seen.append(units)

        def finish(self):
            seen.append("done")

    schema = dn.Schema(
        {**{name: dn.Retention(dn.Continuous(0, 8, step=0.1), 0.9) for name in X}, "t": dn.KRR(dn.Integer(0, 2), 0.9)},
        target="t",
    )
    scores = dn.distort_and_cross_validate(
        dn.ReconstructionNaiveBayes(),
        X,
        y,
        schema,
        cv=3,
        repeats=2,
        n_jobs=jobs,
        metrics=["f1", "sensitivity"],
        pos_label=1,
        progress=Listener(),
    )
    assert seen == [("distortions", 2), 1, 1, "done"]
    assert scores.mean()["f1"] > 0.7
    for text in (repr(scores), scores._repr_html_()):
        assert "f1 of 1" in text
        assert "macro" not in text


def test_averages_over_the_classes_are_called_so(iris):
    X, y, schema = iris
    scores = dn.distort_and_cross_validate(
        dn.ReconstructionNaiveBayes(), X, y, schema, cv=2, repeats=1, metrics=["accuracy", "f1"], random_state=1
    )
    for text in (repr(scores), scores._repr_html_()):
        assert "f1 (macro average)" in text
        assert "each of which counts the same" in text
        assert "accuracy (" not in text


def test_bad_input_is_refused(iris):
    X, y, schema = iris
    model = dn.ReconstructionNaiveBayes()
    with pytest.raises(dn.DeniableError, match="10 folds need"):
        dn.distort_and_cross_validate(model, X.iloc[:4], y[:4], schema)
    with pytest.raises(dn.DeniableError, match=r"no columns \['d'\]"):
        dn.distort_and_cross_validate(model, X[["a", "b", "c"]], y, schema)
    with pytest.raises(dn.DeniableError, match="metric must be"):
        dn.distort_and_cross_validate(model, X, y, schema, metrics=["auc"])
    with pytest.raises(dn.DeniableError, match="repeats must be"):
        dn.distort_and_cross_validate(model, X, y, schema, repeats=0)
    with pytest.raises(dn.DeniableError, match="rows"):
        dn.distort_and_cross_validate(model, X, np.asarray(y)[:-1], schema)
