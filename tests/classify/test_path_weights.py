"""Path weights of a forest on reports: against enumeration, unbiased sums in nodes, and an ordinary tree where nothing is hidden."""

import itertools

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.classify.features import Hidden
from deniable.classify.forest.cells import WILDEST, bounded_inverse, cell_weights, forest_cells
from deniable.classify.shared import shared_draws
from deniable.kernels.forests import ForestRules, cell_table, grow_tree
from deniable.kernels.path_weights import ForestRows, enter, left_of, new_paths, path_weights

pytestmark = pytest.mark.statistical

THREE = dn.Nominal(["p", "q", "r"])


def of_schema(schema):
    names = [name for name in schema if name != schema.target]
    attributes = [Hidden(name, schema[name]) for name in names]
    features = [attribute.cells(np.ones(attribute.reported_size), 10, 255) for attribute in attributes]
    return features, shared_draws(schema, features, schema.target)


def walk(cells, tests):
    """The path after tests (attribute, cells that pass, side)."""
    most = int(cells.cells.max())
    paths, room = new_paths(len(tests) + 1, most, int(cells.reports.max())), np.ones(most, dtype=bool)
    for level, (a, passing, side) in enumerate(tests, start=1):
        mask = np.zeros(most, dtype=bool)
        mask[list(passing)] = True
        enter(cells, paths, level, a, mask, side, room)
    return paths


def weights_of(cells, paths, level, reports):
    rows = ForestRows(np.ascontiguousarray(reports.T.astype(np.int32)), np.zeros(len(reports), np.int64), np.ones(len(reports)))
    told, other = np.empty(len(reports)), np.empty(len(reports))
    path_weights(rows, np.arange(len(reports), dtype=np.int32), len(reports), cells, paths, level, -1, told, other)
    return told


def joint_chances(schema, truth):
    """P(all reports | a true row), by enumeration of blocks: attributes of a group together, others alone."""
    names = list(schema)
    blocks = []
    for block in schema.blocks:
        law = np.asarray(block.channel.matrix())
        places = [names.index(name) for name in block.attributes]
        sizes = [schema[name].domain.size for name in block.attributes]
        here = int(np.ravel_multi_index([truth[i] for i in places], sizes))
        blocks.append((places, sizes, law[here]))
    sizes = [schema[name].law.outputs for name in names]
    for report in itertools.product(*map(range, sizes)):
        chance = 1.0
        for places, block_sizes, row in blocks:
            if len(places) == 1:
                chance *= row[report[places[0]]]
            else:
                chance *= row[int(np.ravel_multi_index([report[i] for i in places], block_sizes))]
        yield report, chance


SCHEMAS = {
    "alone": dn.Schema({"a": dn.KRR(THREE, 0.6), "b": dn.Retention(THREE, 0.4), "c": dn.KRR(dn.Binary(), 0.7)}),
    "other odds": dn.Schema({"a": dn.ForcedResponse(0.2, 0.1), "b": dn.Identity(THREE), "c": dn.Flip(0.9, 0.6)}),
    "replaced together": dn.Schema(
        {"a": dn.Retention(THREE, 0.5), "b": dn.Retention(dn.Binary(), 0.5), "c": dn.KRR(THREE, 0.6)}, groups={"g": ["a", "b"]}
    ),
    "flipped together": dn.Schema(
        {"a": dn.KRR(dn.Binary(), 0.8), "b": dn.KRR(dn.Binary(), 0.8), "c": dn.KRR(THREE, 0.6)}, groups={"g": ["a", "b"]}
    ),
}
TESTS = {
    "one": [(0, [0], True)],
    "two": [(0, [0], False), (1, [1], True)],
    "twice, and neither set holds the other": [
        (2, [0], False),
        (0, [0], False),
        (1, [0], True),
        (2, [1], False),
        (0, [1], False),
    ],
    "three, one of them twice": [(2, [0], False), (0, [0], False), (1, [0], True), (2, [1], True), (0, [1], True)],
}


@pytest.mark.parametrize("tests", TESTS)
@pytest.mark.parametrize("name", SCHEMAS)
def test_path_weights_are_unbiased_for_every_true_row_by_enumeration(name, tests):
    schema, way = SCHEMAS[name], TESTS[tests]
    features, groups = of_schema(schema)
    cells = forest_cells(features, groups)
    paths = walk(cells, way)
    for truth in itertools.product(*(range(feature.cells) for feature in features)):
        # The sets that are left, written out.
        there = all((truth[a] in passing) == side for a, passing, side in way)
        possible = list(joint_chances(schema, truth))
        weights = weights_of(cells, paths, len(way), np.array([report for report, _ in possible]))
        mean = weights @ np.array([chance for _, chance in possible])
        assert mean == pytest.approx(float(there), abs=1e-9)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_second_test_of_an_attribute_is_one_weight_of_what_is_left(name):
    features, groups = of_schema(SCHEMAS[name])
    cells = forest_cells(features, groups)
    last = len(features) - 1
    reports = np.array(list(itertools.product(*(range(feature.matrix.shape[1]) for feature in features))))
    # Not {0} of attribute c, and then not {1}: what is left, which one test could have asked for.
    twice = weights_of(cells, walk(cells, [(last, [0], False), (last, [1], False)]), 2, reports)
    once = weights_of(cells, walk(cells, [(last, [0, 1], False)]), 1, reports)
    np.testing.assert_allclose(twice, once)


@pytest.mark.parametrize("name", ["alone", "replaced together", "flipped together"])
def test_cell_tables_are_the_sums_of_the_path_weights_with_each_cell(name):
    features, groups = of_schema(SCHEMAS[name])
    cells = forest_cells(features, groups)
    rng = np.random.default_rng(3)
    reports = np.column_stack([rng.integers(0, f.matrix.shape[1], 200) for f in features])
    labels = rng.integers(0, 2, 200)
    rows = ForestRows(np.ascontiguousarray(reports.T.astype(np.int32)), labels, np.ones(200))
    way = [(1, [0], True), (2, [0], False)]
    members, most = np.arange(200, dtype=np.int32), int(cells.cells.max())
    paths = walk(cells, way)
    for a, feature in enumerate(features):
        left, told, other = np.ones(most, dtype=bool), np.empty(200), np.empty(200)
        left_of(paths, 2, a, feature.cells, left)
        path_weights(rows, members, 200, cells, paths, 2, a, told, other)
        table = cell_table(rows, members, 200, cells, a, left, told, other, np.eye(2))
        for x in range(feature.cells):
            weights = weights_of(cells, walk(cells, [*way, (a, [x], True)]), 3, reports)
            inside = all(x in passing if side else x not in passing for b, passing, side in way if b == a)
            for c in range(2):
                assert table[x, c] == pytest.approx(weights[labels == c].sum() if inside else 0.0, abs=1e-9)


def people(rng, n):
    y = rng.integers(0, 2, n)
    a = np.where(rng.random(n) < 0.6, y, rng.integers(0, 3, n))
    b = np.where(rng.random(n) < 0.7, (a + y) % 2, rng.integers(0, 2, n))
    return pd.DataFrame({"a": np.array(["p", "q", "r"])[a], "b": b, "y": y})


@pytest.mark.parametrize("of_class", [dn.Identity(dn.Binary()), dn.KRR(dn.Binary(), 0.8)])
def test_node_sums_are_unbiased_counts_of_true_rows(of_class):
    """400 distortions of the same 300 people, seed 5, one fixed tree (grown on other rows): mean sums within 4 of their errors."""
    rng = np.random.default_rng(5)
    schema = dn.Schema({"a": dn.KRR(THREE, 0.7), "b": dn.KRR(dn.Binary(), 0.75), "y": of_class}, target="y")
    truth = people(rng, 300)
    features, groups = of_schema(schema)
    cells = forest_cells(features, groups)
    of_report = np.linalg.inv(of_class.matrix())
    rules = ForestRules(np.ascontiguousarray(of_report), 3, 3.0, 2)

    def rows_of(frame):
        codes = np.stack([features[0].of_reported[THREE.encode(frame["a"].tolist())], frame["b"].to_numpy()]).astype(np.int32)
        return ForestRows(np.ascontiguousarray(codes), frame["y"].to_numpy().astype(np.int64), np.ones(len(frame)))

    growing = rows_of(schema.randomise(people(rng, 2_000), rng))
    found = []
    for _ in range(400):
        nodes, passes, sums = grow_tree(growing, rows_of(schema.randomise(truth, rng)), cells, rules, np.uint64(1))
        found.append(sums[:, :2])
    found = np.array(found)
    codes = np.column_stack([THREE.encode(truth["a"].tolist()), truth["b"]])
    counts = np.zeros((len(nodes), 2))
    for row, label in zip(codes, truth["y"], strict=True):
        node = 0
        counts[node, label] += 1
        while nodes[node, 0] >= 0:
            node = nodes[node, 1] if passes[node, row[nodes[node, 0]]] else nodes[node, 2]
            counts[node, label] += 1
    assert len(nodes) >= 5
    errors = found.std(axis=0) / np.sqrt(len(found))
    assert (abs(found.mean(axis=0) - counts) <= 4 * errors + 1e-9).all()
    # Single sums are far off, and some lie below 0.
    assert abs(found - counts).max() > 20
    assert (found < 0).any()


def open_tree(codes, y, held, held_y, depth, smallest):
    """An ordinary tree: counts, Gini, every cut of ordered cells; sums of the rows held back in each node, in the order of a walk."""

    def gini(*parts):
        return sum(p.sum() * (1 - ((p / p.sum()) ** 2).sum()) for p in parts) / sum(p.sum() for p in parts)

    found = []

    def visit(rows, kept, level):
        found.append(np.bincount(held_y[kept], minlength=2))
        own = np.bincount(y[rows], minlength=2).astype(float)
        if level == depth or (own > 0).sum() < 2:
            return
        best = (gini(own) - 1e-9, None, None)
        for a in range(codes.shape[1]):
            for cut in range(codes[:, a].max()):
                left = codes[rows, a] <= cut
                parts = [np.bincount(y[rows[side]], minlength=2).astype(float) for side in (left, ~left)]
                if min(part.sum() for part in parts) >= smallest and gini(*parts) < best[0] - 1e-12:
                    best = (gini(*parts), a, cut)
        if best[1] is None:
            return
        _, a, cut = best
        for side in (True, False):
            visit(rows[(codes[rows, a] <= cut) == side], kept[(held[kept, a] <= cut) == side], level + 1)

    visit(np.arange(len(y)), np.arange(len(held_y)), 0)
    return np.array(found)


def test_where_nothing_is_hidden_a_tree_is_an_ordinary_one():
    rng = np.random.default_rng(7)
    codes, held = rng.integers(0, 6, (400, 3)), rng.integers(0, 6, (200, 3))
    y, held_y = (((c[:, 0] + 2 * c[:, 1]) % 7 > 2).astype(np.int64) for c in (codes, held))
    schema = dn.Schema({name: dn.Identity(dn.Integer(0, 5)) for name in "abc"})
    features, groups = of_schema(schema)
    rows, kept = (
        ForestRows(np.ascontiguousarray(c.T.astype(np.int32)), labels, np.ones(len(labels)))
        for c, labels in ((codes, y), (held, held_y))
    )
    nodes, _, sums = grow_tree(rows, kept, forest_cells(features, groups), ForestRules(np.eye(2), 4, 5.0, 3), np.uint64(1))
    walked, stack = [], [0]
    while stack:
        node = stack.pop()
        walked.append(sums[node, :2])
        if nodes[node, 0] >= 0:
            stack += [nodes[node, 2], nodes[node, 1]]
    np.testing.assert_allclose(np.array(walked), open_tree(codes, y, held, held_y, 4, 5))
    # All weights are 1: squares are counts.
    np.testing.assert_allclose(sums[:, 2], sums[:, :2].sum(axis=1))


def test_bounded_weights_stay_within_their_bound_and_sum_to_one():
    channel = dn.Additive(dn.Continuous(0, 100, step=1), dn.Normal(25))
    attribute = Hidden("n", channel)
    feature = attribute.cells(np.ones(attribute.reported_size), 10, 255)
    weights = cell_weights(feature)
    assert abs(weights).max() <= WILDEST * 1.001
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-6)
    plain = np.linalg.pinv(feature.matrix)
    assert abs(plain).max() > 10 * WILDEST
    # Nothing wild: nothing is bounded, and weights are the inverse.
    mild = dn.KRR(THREE, 0.6).matrix()
    np.testing.assert_allclose(bounded_inverse(mild), np.linalg.inv(mild), atol=1e-4)
