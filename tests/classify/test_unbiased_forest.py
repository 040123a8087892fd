"""The forest on reports: what it sees, what it refuses, its scores and files; the same in any order and with any number of jobs."""

import json

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.classify import store
from deniable.classify.forest.trees import Trees
from deniable.classify.saving import to_json
from deniable.errors import SchemaError

pytestmark = pytest.mark.statistical

THREE = dn.Nominal(["p", "q", "r"])


def people(rng, n):
    y = rng.integers(0, 2, n)
    a = np.where(rng.random(n) < 0.6, y, rng.integers(0, 3, n))
    b = np.where(rng.random(n) < 0.7, (a + y) % 2, rng.integers(0, 2, n))
    return pd.DataFrame({"a": np.array(["p", "q", "r"])[a], "b": b, "y": y})


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(2)
    schema = dn.Schema({"a": dn.KRR(THREE, 0.7), "b": dn.KRR(dn.Binary(), 0.75), "y": dn.Identity(dn.Binary())}, target="y")
    truth = people(rng, 1_000)
    return schema, truth, schema.randomise(truth, rng)


def test_any_order_of_rows_and_any_number_of_jobs_give_the_same_bytes(rows):
    schema, _, Z = rows
    once = to_json(dn.UnbiasedForest(schema).fit(Z))
    shuffled = Z.sample(frac=1, random_state=3).reset_index(drop=True)
    assert to_json(dn.UnbiasedForest(schema, n_jobs=2).fit(shuffled)) == once
    assert to_json(dn.UnbiasedForest(schema, random_state=1).fit(Z)) != once


def test_a_file_holds_counts_and_nodes_alone_and_predicts_the_same(rows):
    schema, truth, Z = rows
    model = dn.UnbiasedForest(schema, n_estimators=5).fit(Z)
    content = json.loads(to_json(model))
    assert set(content) == {"format", "version", "kind", "parameters", "schema", "counts", "trees", "power"}
    again = store.from_json(json.dumps(content))
    np.testing.assert_array_equal(again.predict_proba(truth[["a", "b"]]), model.predict_proba(truth[["a", "b"]]))
    assert to_json(again) == json.dumps(content, ensure_ascii=False)


def in_circles(trees):
    trees["left"][0] = 0


def out_of_bounds(trees):
    trees["right"][0] = 1_000_000


def begins_outside(trees):
    trees["roots"][0] = -5


def strange_attribute(trees):
    trees["attribute"][0] = 7


def no_cells(trees):
    trees["cells"] = 1


@pytest.mark.parametrize("lie", [in_circles, out_of_bounds, begins_outside, strange_attribute, no_cells])
def test_trees_that_compiled_code_would_follow_anywhere_are_refused(lie, rows):
    schema, _, Z = rows
    content = json.loads(to_json(dn.UnbiasedForest(schema, n_estimators=3).fit(Z)))
    lie(content["trees"])
    with pytest.raises(dn.DeniableError, match="damaged"):
        store.from_json(json.dumps(content))


def test_it_sees_what_attributes_say_together_and_naive_bayes_does_not():
    """Parity of two hidden attributes among four, 4,000 rows, seed 4."""
    rng = np.random.default_rng(4)
    truth = pd.DataFrame({name: rng.integers(0, 2, 4_000) for name in "abcd"})
    y = truth["a"] ^ truth["b"]
    schema = dn.Schema({name: dn.KRR(dn.Binary(), 0.8) for name in "abcd"})
    Z = schema.randomise(truth, rng)
    assert dn.UnbiasedForest(schema, max_features=1.0).fit(Z, y).score(truth, y) > 0.95
    assert dn.ReconstructionNaiveBayes(schema).fit(Z, y).score(truth, y) < 0.7


@pytest.mark.parametrize("name", ["replaced together", "flipped together"])
def test_attributes_that_share_a_draw_are_learned_jointly(name):
    """Whether two attributes of one draw are equal decides; 6,000 rows, seed 8."""
    rng = np.random.default_rng(8)
    channel = dn.Retention(dn.Binary(), 0.5) if name == "replaced together" else dn.KRR(dn.Binary(), 0.8)
    schema = dn.Schema({"a": channel, "b": channel, "c": dn.KRR(dn.Binary(), 0.8)}, groups={"g": ["a", "b"]})
    truth = pd.DataFrame({name: rng.integers(0, 2, 6_000) for name in "abc"})
    y = (truth["a"] == truth["b"]).astype(int)
    model = dn.UnbiasedForest(schema, max_features=1.0).fit(schema.randomise(truth, rng), y)
    assert model.score(truth, y) > 0.95
    chances = model.predict_proba_distorted(schema.randomise(truth, rng))
    np.testing.assert_allclose(chances.sum(axis=1), 1)


def test_what_cannot_be_undone_is_refused_with_the_way_out():
    channel = dn.UnrelatedQuestion(dn.Binary(), 0.5, 0.5)
    both = pd.DataFrame({"a": [0, 1, 0, 1], "c": [0, 1, 1, 0]})
    with pytest.raises(SchemaError, match="ReconstructionNaiveBayes"):
        dn.UnbiasedForest(dn.Schema({"a": channel, "c": channel}, target="c", groups={"g": ["a", "c"]})).fit(both)
    group = dn.Group(["a", "b"], innocuous={(0, 0): 0.5, (1, 1): 0.5})
    schema = dn.Schema({"a": channel, "b": channel}, groups={"g": group})
    with pytest.raises(SchemaError, match="depend on each other"):
        dn.UnbiasedForest(schema).fit(both.rename(columns={"c": "b"}), [0, 1, 1, 0])


def test_attributes_whose_reports_say_nothing_are_never_tested():
    """Five labels told by a coin that ignores them, beside a yes/no that matters."""
    rng = np.random.default_rng(3)
    truth = pd.DataFrame({"a": rng.integers(0, 5, 500), "b": rng.integers(0, 2, 500)})
    schema = dn.Schema(
        {"a": dn.KRR(dn.Integer(0, 4), 0.2), "b": dn.KRR(dn.Binary(), 0.9), "y": dn.Identity(dn.Binary())}, target="y"
    )
    Z = schema.randomise(truth.assign(y=truth["b"]), rng)
    model = dn.UnbiasedForest(schema, n_estimators=5).fit(Z)
    assert set(model.trees_.nodes.attribute.tolist()) == {-1, 1}
    again = store.from_json(to_json(model))
    np.testing.assert_array_equal(again.predict_proba(truth), model.predict_proba(truth))
    nothing = dn.Schema({"b": dn.KRR(dn.Binary(), 0.5), "y": dn.Identity(dn.Binary())}, target="y")
    silent = dn.UnbiasedForest(nothing, n_estimators=5).fit(Z[["b", "y"]])
    assert len(np.unique(silent.predict(truth[["b"]]))) == 1


def test_a_hidden_class_is_undone():
    """6,000 rows, class kept with 0.8 and otherwise either, seed 6: the forest names the true classes."""
    rng = np.random.default_rng(6)
    truth = people(rng, 6_000)
    schema = dn.Schema({"a": dn.KRR(THREE, 0.7), "b": dn.KRR(dn.Binary(), 0.8), "y": dn.KRR(dn.Binary(), 0.8)}, target="y")
    model = dn.UnbiasedForest(schema).fit(schema.randomise(truth, rng))
    best = (
        truth.groupby(["a", "b"])["y"].agg(lambda y: max(y.mean(), 1 - y.mean()))
        @ truth.groupby(["a", "b"]).size()
        / len(truth)
    )
    assert model.score(truth[["a", "b"]], truth["y"]) > best - 0.02


def test_numbers_behind_noise_are_learned_from_bounded_weights():
    """Normal noise of 25 on two numbers, one of which matters, 4,000 rows, seed 9."""
    rng = np.random.default_rng(9)
    y = rng.integers(0, 2, 4_000)
    truth = pd.DataFrame({"n": np.clip(rng.normal(35 + 30 * y, 12), 0, 100).round(), "m": rng.integers(0, 101, 4_000)})
    domain = dn.Continuous(0, 100, step=1)
    schema = dn.Schema({name: dn.Additive(domain, dn.Normal(25)) for name in truth})
    model = dn.UnbiasedForest(schema).fit(schema.randomise(truth, rng), y)
    assert model.score(truth, y) > 0.84


def test_scores_are_unbiased_where_few_cells_matter_and_by_a_model_of_the_rows_elsewhere(rows):
    schema, truth, Z = rows
    model = dn.UnbiasedForest(schema).fit(Z)
    score = model.score_distorted(Z)
    assert score.method == "unbiased"
    low, high = (float(end[0]) for end in score.interval())
    assert low - 0.05 < model.score(truth[["a", "b"]], truth["y"]) < high + 0.05
    rng = np.random.default_rng(1)
    many = pd.DataFrame({f"x{i}": rng.integers(0, 3, 600) for i in range(10)})
    hidden = dn.Schema({name: dn.KRR(dn.Integer(0, 2), 0.5) for name in many})
    wide = dn.UnbiasedForest(hidden, n_estimators=10).fit(hidden.randomise(many, rng), many["x0"])
    score = wide.score_distorted(hidden.randomise(many, rng), many["x0"])
    low, high = (float(end[0]) for end in score.interval())
    assert score.method == "latent class model"
    assert low <= wide.score(many, many["x0"]) <= high


def test_trees_are_told_one_by_one(rows):
    schema, _, Z = rows
    told = []

    class Listener:
        def start(self, what, total):
            told.append((what, total))

        def advance(self, units):
            told.append(units)

        def finish(self):
            told.append("end")

    dn.UnbiasedForest(schema, n_estimators=4).fit(Z, progress=Listener())
    assert told == [("trees", 4), 1, 1, 1, 1, "end"]


def test_passing_cells_survive_being_written():
    rng = np.random.default_rng(1)
    passes = rng.random((3, 13)) < 0.5
    nodes = np.array([[0, 1, 2, 0], [-1, -1, -1, 1], [-1, -1, -1, 1]])
    trees = Trees.of([(nodes, passes, np.full((3, 2), 0.5)), (nodes, passes, np.full((3, 2), 0.5))])
    again = Trees.from_dict(trees.to_dict(), [13, 2], 2)
    np.testing.assert_array_equal(again.nodes.passes[0], passes[0])
    np.testing.assert_array_equal(again.nodes.left, [1, -1, -1, 4, -1, -1])
