"""An attacker sends a classifier as a file, to run code, to hang anyone who uses it, or to have compiled code read beyond its arrays."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.classify import store
from deniable.classify.forest.trees import Trees
from deniable.classify.saving import to_json
from deniable.classify.tree_nodes import TreeNodes

SCHEMA = dn.Schema({"a": dn.KRR(dn.Binary(), 0.9), "c": dn.Identity(dn.Binary())}, target="c")


@pytest.fixture(scope="module")
def honest():
    rows = pd.DataFrame({"a": [0, 1] * 50, "c": [0, 1] * 50})
    return to_json(dn.ReconstructionTree(SCHEMA, pruning=None).fit(rows))


def in_circles(content):
    content["tree"]["left"][0] = 0


def out_of_bounds(content):
    content["tree"]["right"][0] = 1_000_000_000


def backwards(content):
    content["tree"]["left"][0] = -1_000_000


def no_cells(content):
    content["tree"]["passes"] = [[] for _ in content["tree"]["passes"]]
    content["tree"]["tables"] = [[] for _ in content["tree"]["tables"]]


@pytest.mark.parametrize("lie", [in_circles, out_of_bounds, backwards, no_cells])
def test_nodes_that_compiled_code_would_follow_anywhere_are_refused(lie, honest, monkeypatch):
    content = json.loads(honest)
    lie(content)
    text = json.dumps(content)
    with pytest.raises(dn.DeniableError, match="damaged"):
        store.from_json(text)
    # Without the check the file opens, and the first prediction would not come back or would read what is not its own.
    monkeypatch.setattr(TreeNodes, "refuse_broken", lambda *given: None)
    monkeypatch.setattr(TreeNodes, "chances", property(lambda tree: np.zeros((len(tree.attribute), 2))))
    assert store.from_json(text).tree_ is not None


@pytest.fixture(scope="module")
def forest():
    rows = pd.DataFrame({"a": [0, 1] * 50, "c": [0, 1] * 50})
    return to_json(dn.UnbiasedForest(SCHEMA, n_estimators=3).fit(rows))


@pytest.mark.parametrize(("where", "lie"), [("left", 0), ("right", 1_000_000_000), ("left", -1_000_000), ("attribute", 7)])
def test_trees_of_a_forest_that_compiled_code_would_follow_anywhere_are_refused(where, lie, forest, monkeypatch):
    content = json.loads(forest)
    content["trees"][where][0] = lie
    text = json.dumps(content)
    with pytest.raises(dn.DeniableError, match="damaged"):
        store.from_json(text)
    # Without the check the file opens.
    monkeypatch.setattr(Trees, "refuse_broken", lambda *given: None)
    assert store.from_json(text).trees_ is not None


@pytest.mark.parametrize(
    ("where", "lie"),
    [
        ("expected", {"value": 0.99, "n": 100, "ends": [0.1, 0.2]}),
        ("expected", {"value": 7, "n": 1, "ends": None}),
        ("kinds", [1]),
    ],
)
def test_a_promise_that_cannot_be_is_refused(where, lie):
    rows = pd.DataFrame({"a": [0, 1] * 50, "c": [0, 1] * 50})
    content = json.loads(to_json(dn.AutoClassifier(SCHEMA).fit(rows)))
    assert store.from_json(json.dumps(content)).explain_choice()
    content[where] = lie
    with pytest.raises(dn.DeniableError, match="damaged"):
        store.from_json(json.dumps(content))


def test_counts_of_a_shape_that_fills_the_memory_are_refused_before_there_is_an_array(honest, monkeypatch):
    content = json.loads(honest)
    content["counts"]["a"]["shape"] = [10**7, 10**7]
    made, zeros = [], np.zeros
    monkeypatch.setattr(store.np, "zeros", lambda shape, *more, **rest: (made.append(shape), zeros(shape, *more, **rest))[1])
    with pytest.raises(dn.DeniableError, match="its schema asks for"):
        store.from_json(json.dumps(content))
    assert all(np.prod(shape) < 10**6 for shape in made)


class Evil:
    def __reduce__(self):
        return (open, ("ran", "w"))


def test_a_file_that_would_run_code_does_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for protocol in (0, 5):
        (tmp_path / "model.json").write_bytes(pickle.dumps(Evil(), protocol))
        with pytest.raises(dn.DeniableError, match="no classifier"):
            dn.load_model(tmp_path / "model.json")
    assert not (tmp_path / "ran").exists()
