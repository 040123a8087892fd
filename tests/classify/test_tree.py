"""The tree against slow oracles: reconstruction, assignment, tests, growth and pruning one by one and all together."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.classify.pruning import pruned
from deniable.classify.tree_nodes import TreeNodes
from deniable.core.simplex import project
from deniable.kernels import reconstructing
from deniable.kernels.best_test import best_test, split_gini
from deniable.kernels.reconstructing import assigned_labels, assigned_sorted, reconstructed
from deniable.reconstruction.agrawal_srikant import chi_square_point, early_stopped
from deniable.reconstruction.em import em
from deniable.reconstruction.inversion import eq

ABC = dn.Nominal(list("abcd"))


KEEP_OR_REPLACE = [dn.KRR(ABC, 0.5), dn.Retention(ABC, 0.3, [0.4, 0.3, 0.2, 0.1])]
OTHERS = [dn.KRR(ABC, 0.1), dn.Neighbours(dn.Ordinal(list("abcd")), [0.6, 0.2])]
ANY = (reconstructing.EQ, reconstructing.EARLY, reconstructing.CONVERGED)


@pytest.mark.parametrize(
    ("channel", "how"),
    [
        *((channel, how) for channel in [*KEEP_OR_REPLACE, *OTHERS] for how in ANY),
        # Filling up to a level finds the maximum of channels that keep or replace, and of no others.
        *((channel, reconstructing.FILLED) for channel in KEEP_OR_REPLACE),
    ],
)
def test_reconstruction_in_a_node_is_that_of_the_package(channel, how):
    rng = np.random.default_rng(1)
    law = channel.law
    for _ in range(5):
        counts = rng.multinomial(60, rng.dirichlet(np.ones(4))).astype(float)
        keep, replacement = getattr(law, "diagonal", 0) / law.denominator, np.zeros(4)
        if how == reconstructing.FILLED:
            replacement = law.replacement / law.denominator
        found = reconstructed(counts, channel.matrix(), law.inverse, how, 0.01 * chi_square_point(4), keep, replacement)
        expected = {
            reconstructing.EQ: lambda c=counts: project(eq(law, c)[0]),
            reconstructing.EARLY: lambda c=counts: early_stopped(law, c).shares,
        }.get(how, lambda c=counts: em(law, c).shares)()
        np.testing.assert_allclose(found / counts.sum(), expected, atol=5e-3 if how == reconstructing.CONVERGED else 1e-9)


@pytest.mark.parametrize("p", [0.7, 0.3])
@pytest.mark.parametrize("test", [None, ["a", "c"], ["b"]])
def test_rows_get_the_labels_that_arvesna_gives(p, test):
    rng = np.random.default_rng(2)
    channel = dn.Matrix(ABC, [[p, 1 - p, 0, 0], [0, p, 1 - p, 0], [0.1, 0.9 - p, p, 0], [(1 - p) / 2, 0, (1 - p) / 2, p]])
    for _ in range(20):
        codes = rng.integers(0, 4, 50)
        shares = rng.dirichlet(np.ones(4))
        passes = np.array([label in (test or []) for label in "abcd"])
        found = assigned_labels(codes, np.ones(len(codes)), shares, channel.matrix(), passes, test is not None)
        expected = dn.reconstruction.arvesna(np.array(list("abcd"))[codes], shares, channel, test)
        assert found.tolist() == expected.tolist()


def test_sorted_assignment_is_that_of_the_package():
    rng = np.random.default_rng(3)
    for _ in range(20):
        ranks = rng.permutation(40)
        shares = rng.dirichlet(np.ones(5))
        assert (
            assigned_sorted(ranks, np.ones(len(ranks)), shares).tolist()
            == dn.reconstruction.assign_sorted(ranks, shares).tolist()
        )


def _all_subsets(table):
    best = 2.0
    for size in range(1, len(table)):
        for subset in itertools.combinations(range(len(table)), size):
            left = table[list(subset)].sum(axis=0)
            right = table.sum(axis=0) - left
            if left.sum() > 0 and right.sum() > 0:
                best = min(best, split_gini(left, right))
    return best


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_best_subset_is_that_of_trying_all(classes):
    rng = np.random.default_rng(classes)
    for cells in (2, 3, 5, 7):
        for _ in range(10):
            table = rng.poisson(4, (cells, classes)).astype(float)
            mask = np.zeros(cells, dtype=bool)
            value = best_test(table, 0, 1.0, mask, np.arange(float(cells)))
            assert value == pytest.approx(_all_subsets(table))
            left = table[mask].sum(axis=0)
            assert split_gini(left, table.sum(axis=0) - left) == pytest.approx(value)
            assert left.sum() <= table.sum() / 2 + 1e-9


def test_gini_is_the_thesis_formula():
    left, right = np.array([3.0, 1.0]), np.array([0.0, 4.0])
    expected = 4 / 8 * (1 - (9 + 1) / 16) + 4 / 8 * 0
    assert split_gini(left, right) == pytest.approx(expected)


def test_a_threshold_lies_in_the_middle_of_what_is_empty():
    table = np.zeros((7, 2))
    table[0, 0], table[6, 1] = 5, 5
    mask = np.zeros(7, dtype=bool)
    assert best_test(table, 1, 1.0, mask, np.arange(6.0)) == 0
    assert mask.tolist() == [True, True, True, False, False, False, False]
    best_test(table, 1, 1.0, mask, np.array([0.0, 1.0, 2.0, 4.0, 9.0, 10.0]))
    assert mask.tolist() == [True, True, True, True, False, False, False]


def test_silence_goes_to_either_side_of_a_threshold():
    table = np.array([[9.0, 0.0], [8.0, 1.0], [0.0, 7.0], [0.0, 0.0], [6.0, 0.0]])
    mask = np.zeros(5, dtype=bool)
    value = best_test(table, 2, 1.0, mask, np.arange(4.0))
    assert mask.tolist() == [True, True, False, False, True]
    left = table[mask].sum(axis=0)
    assert value == pytest.approx(split_gini(left, table.sum(axis=0) - left))


def _slow_local(rows, y, schema, used, depth, max_depth):
    """Local reconstruction as the thesis tells it, in plain Python with the package's own functions."""
    counts = np.bincount(y, minlength=2)
    if depth == max_depth or (counts > 0).sum() < 2:
        return counts.tolist()
    here = 1 - ((counts / counts.sum()) ** 2).sum()
    best = (here - 1e-12, None)
    for name in schema:
        if name in used:
            continue
        channel = schema[name]
        estimates = []
        for c in (0, 1):
            reported = np.bincount(channel.reported.encode(rows[name][y == c].tolist()), minlength=channel.law.outputs).astype(
                float
            )
            estimates.append(reported.sum() * project(eq(channel.law, reported)[0]))
        table = np.array(estimates).T
        for size in range(1, len(table)):
            for subset in itertools.combinations(range(len(table)), size):
                left = table[list(subset)].sum(axis=0)
                right = table.sum(axis=0) - left
                if 1 <= left.sum() <= table.sum() / 2 and right.sum() >= 1:
                    value = split_gini(left, right)
                    if value < best[0] - 1e-12:
                        best = (value, (name, subset, estimates))
    if best[1] is None:
        return counts.tolist()
    name, subset, estimates = best[1]
    channel = schema[name]
    passing = [channel.inputs[x] for x in subset]
    goes = np.zeros(len(y), dtype=bool)
    for c in (0, 1):
        if (y == c).any():
            assigned = dn.reconstruction.arvesna(rows[name][y == c].tolist(), estimates[c], channel, passing)
            goes[y == c] = np.isin(assigned, subset)
    if goes.all() or not goes.any():
        return counts.tolist()
    sides = [_slow_local(rows[side], y[side], schema, used | {name}, depth + 1, max_depth) for side in (goes, ~goes)]
    return [name, passing, *sides]


def _as_lists(model, node=0):
    tree = model.tree_
    a = tree.attribute[node]
    if a < 0:
        return tree.values[node].astype(int).tolist()
    feature = model.features_[a]
    passing = [model.schema[feature.name].inputs[x] for x in np.flatnonzero(tree.passes[node, : feature.cells])]
    return [feature.name, passing, _as_lists(model, tree.left[node]), _as_lists(model, tree.right[node])]


def _first_label_left(node, schema):
    """The same tree with every test written so that the first label goes left: which side is named is chance where both are halves."""
    if not isinstance(node[0], str):
        return node
    name, passing, left, right = node
    if schema[name].inputs[0] not in passing:
        passing, left, right = [label for label in schema[name].inputs if label not in passing], right, left
    return [name, passing, _first_label_left(left, schema), _first_label_left(right, schema)]


@pytest.mark.statistical
@pytest.mark.parametrize("seed", range(4))
def test_local_growth_is_that_of_a_plain_recursion(seed):
    rng = np.random.default_rng(seed)
    n = 400
    truth = pd.DataFrame({"a": rng.choice(list("abc"), n), "b": rng.choice(list("xy"), n), "d": rng.choice(list("pqrs"), n)})
    y = ((truth["a"] == "a") & (truth["b"] == "x") | (truth["d"] == "p")).to_numpy().astype(int)
    # Odd parameters, so that no two remainders are equal but for rounding.
    channels = {
        "a": dn.KRR(dn.Nominal(list("abc")), 0.7137),
        "b": dn.KRR(dn.Nominal(list("xy")), 0.8091),
        "d": dn.Retention(dn.Nominal(list("pqrs")), 0.6173),
    }
    schema = dn.Schema(channels)
    rows = schema.randomise(truth, rng)
    model = dn.ReconstructionTree(schema, reconstruction="local", nominal="eq", pruning=None, max_depth=3).fit(rows, y)
    expected = _slow_local(rows, y, schema, frozenset(), 0, 3)
    assert str(_first_label_left(_as_lists(model), schema)) == str(_first_label_left(expected, schema))


def _cost(attribute, left, right, errors, of_test, node):
    """Every pruned version of a subtree, the cheapest first: brute force."""
    versions = [(1 + errors[node], {node})]
    if attribute[node] >= 0:
        for a, b in itertools.product(
            _cost(attribute, left, right, errors, of_test, left[node]),
            _cost(attribute, left, right, errors, of_test, right[node]),
        ):
            versions.append((1 + of_test[attribute[node]] + a[0] + b[0], a[1] | b[1]))
    return versions


def test_pruning_finds_the_cheapest_subtree_of_all():
    rng = np.random.default_rng(5)
    for _ in range(300):
        attribute = np.array([0, 1, 0, -1, -1, 1, -1, -1, -1])
        left, right = np.array([1, 3, 5, -1, -1, 7, -1, -1, -1]), np.array([2, 4, 6, -1, -1, 8, -1, -1, -1])
        values = np.zeros((9, 2))
        for node in (3, 4, 6, 7, 8):
            values[node] = rng.uniform(0, 12, 2)  # of a hidden class estimated counts are no whole numbers
        for node in (5, 2, 1, 0):
            values[node] = values[left[node]] + values[right[node]]
        errors = values.sum(axis=1) - values.max(axis=1)
        of_test = {0: 1.0, 1: np.log(2)}
        kept = pruned(attribute, left, right, values, [True, False])
        best = min(cost for cost, _ in _cost(attribute, left, right, errors, of_test, 0))
        leaves, stack = set(), [0]
        while stack:
            node = stack.pop()
            if kept[node] < 0:
                leaves.add(node)
            else:
                stack += [left[node], right[node]]
        assert any(
            cost == pytest.approx(best) and found == leaves for cost, found in _cost(attribute, left, right, errors, of_test, 0)
        )


def _noisy_and(n, rng):
    truth = pd.DataFrame({"a": rng.integers(0, 2, n), "b": rng.integers(0, 2, n), "age": rng.integers(18, 91, n)})
    return truth, (((truth["a"] == 1) & (truth["b"] == 1)) | (truth["age"] > 70)).astype(int)


@pytest.mark.statistical
@pytest.mark.parametrize("reconstruction", ["local", "by_class", "global", "local_all", None])
@pytest.mark.parametrize("options", [{}, {"nominal": "eq", "continuous": "as"}, {"nominal": "em/as", "reuse_attributes": True}])
def test_every_kind_of_reconstruction_beats_guessing(reconstruction, options):
    rng = np.random.default_rng(6)
    truth, y = _noisy_and(4_000, rng)
    schema = dn.Schema(
        {"a": dn.KRR(dn.Binary(), 0.85), "b": dn.KRR(dn.Binary(), 0.85), "age": dn.Additive(dn.Integer(18, 90), dn.Uniform(12))}
    )
    model = dn.ReconstructionTree(schema, reconstruction=reconstruction, **options).fit(schema.randomise(truth, rng), y)
    fresh, labels = _noisy_and(4_000, rng)
    constant = max(labels.mean(), 1 - labels.mean())
    assert model.score(fresh, labels) > constant + (0.15 if reconstruction in ("local", "by_class") else 0.02)


def test_reconstruction_helps_where_reports_mislead():
    rng = np.random.default_rng(7)
    truth, y = _noisy_and(8_000, rng)
    schema = dn.Schema(
        {"a": dn.KRR(dn.Binary(), 0.3), "b": dn.KRR(dn.Binary(), 0.3), "age": dn.Retention(dn.Integer(18, 90), 0.5)}
    )
    Z = schema.randomise(truth, rng)
    fresh, labels = _noisy_and(4_000, rng)
    scores = {
        kind: dn.ReconstructionTree(schema, reconstruction=kind).fit(Z, y).score(fresh, labels)
        for kind in ("local", "by_class", None)
    }
    assert min(scores["local"], scores["by_class"]) > scores[None] + 0.1


def test_a_hidden_class_is_learned():
    rng = np.random.default_rng(8)
    truth, y = _noisy_and(20_000, rng)
    schema = dn.Schema(
        {
            "a": dn.KRR(dn.Binary(), 0.85),
            "b": dn.KRR(dn.Binary(), 0.85),
            "age": dn.Retention(dn.Integer(18, 90), 0.7),
            "c": dn.Flip(0.9, 0.6),
        },
        target="c",
    )
    model = dn.ReconstructionTree(schema, min_samples_leaf=200).fit(schema.randomise(truth.assign(c=y), rng))
    fresh, labels = _noisy_and(4_000, rng)
    assert model.score(fresh, labels) > 0.85


def test_an_attribute_is_tested_once_a_path_unless_allowed():
    rng = np.random.default_rng(9)
    X = rng.uniform(0, 1, (2_000, 1))
    y = (X[:, 0] * 6).astype(int) % 2
    once = dn.ReconstructionTree(pruning=None).fit(X, y)
    often = dn.ReconstructionTree(pruning=None, reuse_attributes=True).fit(X, y)
    assert once.get_depth() == 1
    assert often.get_depth() > 1
    assert often.score(X, y) > 0.95


def test_limits_are_kept():
    rng = np.random.default_rng(10)
    X, y = rng.normal(size=(600, 5)), rng.integers(0, 3, 600)
    model = dn.ReconstructionTree(pruning=None, max_depth=3, min_samples_leaf=40).fit(X, y)
    leaves = model.tree_.values[model.tree_.attribute < 0].sum(axis=1)
    assert model.get_depth() == 3
    assert leaves.min() >= 40
    assert leaves.sum() == 600


def test_attributes_that_say_nothing_do_not_stop_the_others():
    rng = np.random.default_rng(11)
    truth, y = _noisy_and(3_000, rng)
    schema = dn.Schema(
        {"a": dn.KRR(dn.Binary(), 0.5), "b": dn.KRR(dn.Binary(), 0.5), "age": dn.Retention(dn.Integer(18, 90), 0.9)}
    )
    model = dn.ReconstructionTree(schema, nominal="eq").fit(schema.randomise(truth, rng), y)
    tested = {model.features_[a].name for a in model.tree_.attribute if a >= 0}
    assert tested <= {"age"}


@pytest.mark.statistical
def test_the_picture_and_the_text_show_the_tests():
    rng = np.random.default_rng(12)
    truth, y = _noisy_and(2_000, rng)
    model = dn.ReconstructionTree().fit(truth, y)
    text = model.export_text()
    assert "age < 70.5" in text
    shown = str(model.plot().to_dict())
    assert "age < 70.5" in shown
    assert model.export_text(max_depth=1).count("...") >= 1


def test_a_tree_that_an_earlier_release_pickled_is_read():
    rng = np.random.default_rng(5)
    truth = pd.DataFrame({"a": rng.integers(0, 2, 60)})
    model = dn.ReconstructionTree(pruning=None).fit(truth, truth["a"])
    now = b"cdeniable.classify.tree_nodes\nTreeNodes\n"
    text = pickle.dumps(model, protocol=0)
    assert now in text
    again = pickle.loads(text.replace(now, b"cdeniable.classify.tree\nTree\n"))
    assert isinstance(again.tree_, TreeNodes)
    assert again.predict(truth).tolist() == truth["a"].tolist()


def test_a_subtree_that_costs_as_much_as_a_leaf_stays():
    """Thesis 2.2, by hand: a leaf costs 1 + 3 errors; a threshold 1 + 1, and its two leaves without errors 1 each."""
    children = [0, -1, -1], [1, -1, -1], [2, -1, -1]
    assert pruned(*children, np.array([[7.0, 3.0], [7.0, 0.0], [0.0, 3.0]]), [True]).tolist() == [0, -1, -1]
    assert pruned(*children, np.array([[7.0, 2.0], [7.0, 0.0], [0.0, 2.0]]), [True]).tolist() == [-1, -1, -1]
