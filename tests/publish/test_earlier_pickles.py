"""Trees and publications that an earlier release pickled are read."""

import pickle

import numpy as np
import pandas as pd
import pytest

import deniable as dn


@pytest.fixture
def publication():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 300), "ill": rng.choice(["no", "yes"], 300)})
    return dn.publish_frame(frame, "ill", 0.3, rng=rng, min_shared=5)


def test_a_tree_keeps_its_learned_attributes_under_the_names_that_it_always_had(publication):
    (tree,) = publication.trees
    learned = {"tree_", "sensitive_", "counts_", "classes_", "feature_names_in_", "n_features_in_", "search_finished_"}
    assert {name for name in vars(tree) if name.endswith("_")} == learned
    again = pickle.loads(pickle.dumps(tree))
    assert again.export_text() == tree.export_text()


def test_guarantees_that_held_the_estimator_and_a_remedy_of_options_are_read(publication):
    now = repr(publication), publication.to_html(), publication.to_dict(rows=True)
    (tree,), (guaranteed,) = publication.trees, publication.guarantees
    # As it was: the estimator in the guarantees, checks without a remedy, options as the remedy.
    guaranteed.tree = tree
    del publication.trees
    publication.remedy = ("--drop", "age")
    for check in guaranteed.checks:
        del check.__dict__["remedy"]
    again = pickle.loads(pickle.dumps(publication))
    assert (repr(again), again.to_html(), again.to_dict(rows=True)) == now
    assert (again.trees[0].get_params(), again.remedy) == (tree.get_params(), {})
    twice = pickle.loads(pickle.dumps(again))
    assert (repr(twice), vars(twice).keys()) == (now[0], vars(again).keys())
