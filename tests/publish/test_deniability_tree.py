"""The tree: every leaf keeps the minimum, expected accuracy is what it says, publishing touches nothing else."""

import math
import re
import warnings

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import deniable as dn
from deniable.errors import DataError, ParameterError
from deniable.publish.drawing import draw_codes
from deniable.publish.encoding import PublishingWarning
from deniable.publish.epsilon import epsilon_of, mix_for
from deniable.publish.growing import DISTANCES
from deniable.publish.guided_search import SEARCHES, most_agreement


def people(rows, seed=0, answers=3):
    """Mixed columns with ties, and answers that depend on them."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 60, rows),
            "town": rng.choice(["A", "B", "C", "D"], rows),
            "weight": rng.normal(70, 10, rows).round(1),
            "sex": rng.choice(["f", "m"], rows),
        }
    )
    lean = frame.age / 60 + (frame.town == "A") * 0.5 + rng.random(rows)
    y = np.minimum((lean * answers / 2.5).astype(int), answers - 1)
    return frame, pd.Series(np.array(["no", "yes", "maybe", "never"])[y], name="answer")


def slow_route(tree, frame):
    """Follow the exported questions row by row, in Python."""
    inner = tree.tree_
    out = []
    for _, row in frame.iterrows():
        node = 0
        while inner.flat.feature[node] >= 0:
            attribute = inner.attributes[inner.flat.feature[node]]
            at = slice(inner.flat.at[node], inner.flat.at[node] + inner.flat.span[node])
            if attribute.ordered:
                child = next(c for c, end in enumerate(inner.ends[at]) if row[attribute.name] <= end)
            else:
                codes = {
                    attribute.values[code]: part for code, part in zip(inner.flat.cuts[at], inner.flat.parts[at], strict=True)
                }
                if row[attribute.name] not in codes:
                    break
                child = codes[row[attribute.name]]
            node = inner.flat.first[node] + child
        out.append(node)
    return np.array(out)


def slow_deniability(answers, possible):
    p = answers.value_counts(normalize=True).to_numpy()
    return -(p * np.log2(p)).sum() / math.log2(possible)


@pytest.mark.statistical
@settings(max_examples=40)
@given(
    st.integers(30, 250),
    st.integers(0, 1000),
    st.sampled_from([0.0, 0.05, 0.2, 0.5]),
    st.sampled_from(DISTANCES),
    st.sampled_from(SEARCHES),
    st.booleans(),
    st.booleans(),
    st.sampled_from([1, 7]),
)
def test_every_leaf_of_every_tree_meets_the_minimum(rows, seed, minimum, distance, search, group, reuse, least):
    X, y = people(rows, seed)
    if y.nunique() < 3 or slow_deniability(y, 3) < minimum:
        return
    tree = dn.DeniabilityTree(
        minimum, distance=distance, search=search, group=group, reuse=reuse, min_rows=least, time_budget=0.3
    ).fit(X, y)
    node = tree.apply(X)
    assert set(node) <= set(tree.leaves_)
    assert (node == slow_route(tree, X)).all()
    for leaf in set(node):
        own = y[node == leaf]
        assert len(own) >= least
        assert slow_deniability(own, 3) >= minimum - 1e-9
        assert own.value_counts().to_dict() == {tree.classes_[c]: n for c, n in enumerate(tree.tree_.flat.counts[leaf]) if n}
    assert tree.deniability_ >= minimum - 1e-9


@pytest.mark.statistical
def test_further_rules_hold_in_every_leaf():
    X, y = people(800, 3)
    tree = dn.DeniabilityTree(0.1, max_posterior=0.8, max_skew=0.25, max_depth=2).fit(X, y)
    assert len(tree.leaves_) > 1
    whole = y.value_counts(normalize=True)
    node = tree.apply(X)
    for leaf in set(node):
        own = y[node == leaf].value_counts(normalize=True).reindex(whole.index, fill_value=0)
        assert own.max() <= 0.8 + 1e-9
        assert (own - whole).abs().sum() / 2 <= 0.25 + 1e-9
    assert tree.tree_.depths().max() <= 2


def test_the_order_of_rows_does_not_matter():
    X, y = people(300, 5)
    order = np.random.default_rng(0).permutation(300)
    one = dn.DeniabilityTree(0.2).fit(X, y)
    two = dn.DeniabilityTree(0.2).fit(X.iloc[order], y.iloc[order])
    assert one.export_text() == two.export_text()


def test_the_greedy_choice_is_the_attribute_that_changes_the_answers_most():
    """Root split against the formula, for categories (003, equation 5)."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame({name: rng.choice(list("abc"), 400) for name in "pqr"})
    y = pd.Series(np.where((X.q == "a") ^ (rng.random(400) < 0.3), "yes", "no"), name="y")
    shares = y.value_counts(normalize=True).sort_index()
    change = {}
    for name in X:
        parts = [y[X[name] == value].value_counts(normalize=True).reindex(shares.index, fill_value=0) for value in "abc"]
        sizes = [(X[name] == value).mean() for value in "abc"]
        change[name] = sum(size * ((part - shares) ** 2).sum() / 2 for size, part in zip(sizes, parts, strict=True))
    best = max(change, key=change.get)
    at = change[best]
    assert (
        dn.DeniabilityTree(0.1, min_change=at * 0.999, max_depth=1)
        .fit(X, y)
        .export_text()
        .splitlines()[1]
        .startswith(f"|   {best} = a")
    )
    assert len(dn.DeniabilityTree(0.1, min_change=at * 1.001).fit(X, y).leaves_) == 1


def test_expected_accuracy_equals_its_definition_also_for_unseen_rows():
    X, y = people(500, 1)
    tree = dn.DeniabilityTree(0.2, min_rows=10).fit(X.iloc[:350], y.iloc[:350])
    held, truth = X.iloc[350:].copy(), y.iloc[350:]
    held.iloc[0, 1] = "a town never seen"
    node = slow_route(tree, held)
    shares = []
    for at, answer in zip(node, truth, strict=True):
        counts = tree.tree_.flat.counts[at]
        shares.append(counts[tree.classes_.index(answer)] / counts.sum())
    assert tree.expected_accuracy(held, truth) == pytest.approx(np.mean(shares), abs=1e-12)
    assert tree.predict_proba(held).sum(axis=1) == pytest.approx(1)


@pytest.mark.statistical
def test_expected_accuracy_is_the_share_that_is_published_unchanged():
    X, y = people(4000, 4)
    for mix in (0.0, 0.3):
        tree = dn.DeniabilityTree(0.2, min_rows=10, mix=mix).fit(X, y)
        kept = [(tree.publish(X, np.random.default_rng(s), shuffle=False).answer == y).mean() for s in range(20)]
        error = np.std(kept) / math.sqrt(len(kept))
        assert np.mean(kept) == pytest.approx(tree.expected_accuracy(X, y), abs=4 * error + 1e-9)


@pytest.mark.statistical
def test_published_answers_have_the_shares_of_their_leaf():
    X, y = people(300, 4)
    tree = dn.DeniabilityTree(0.3, min_rows=30).fit(X, y)
    drawn = np.stack([tree.draw(X, np.random.default_rng(s)) for s in range(400)])
    node = tree.apply(X)
    for leaf in tree.leaves_:
        counts = tree.tree_.flat.counts[leaf]
        own = drawn[:, node == leaf]
        for code, count in enumerate(counts):
            share = count / counts.sum()
            error = math.sqrt(share * (1 - share) / own.size)
            assert (own == code).mean() == pytest.approx(share, abs=5 * error + 1e-12)


def test_draws_are_exact_by_enumeration_of_all_byte_streams():
    """With 8 bits a candidate, all 256 candidates give every answer exactly its weight; the rest is rejected and drawn again."""
    from deniable.kernels.deniability import draw

    weights = np.array([[3, 1, 0, 2], [0, 5, 5, 1]])
    cumulative = np.cumsum(weights, axis=1)
    for leaf in (0, 1):
        out = np.full(256, -1)
        left = draw(np.full(256, leaf), cumulative, np.arange(256, dtype=np.uint64), 8, out, np.arange(256))
        total = weights[leaf].sum()
        assert left == 256 % total
        assert (np.bincount(out[out >= 0], minlength=4) == 256 // total * weights[leaf]).all()


def test_rejected_draws_are_made_again():
    cumulative = np.array([[1, 3]])
    found = draw_codes(np.zeros(3000, np.int64), cumulative, np.random.default_rng(0), bits=2)
    assert set(found) == {0, 1}
    assert found.mean() == pytest.approx(2 / 3, abs=0.05)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_publishing_keeps_every_other_column_and_if_asked_the_order_of_rows(kind):
    X, y = people(200, 6)
    X["date"] = pd.date_range("2020-01-01", periods=200).astype(str).str[:7]
    make = {
        "pandas": lambda f: f,
        "polars": pl.from_pandas,
        "pyarrow": lambda f: pa.Table.from_pandas(f, preserve_index=False),
    }[kind]
    whole = make(X.assign(answer=y)[["age", "answer", "town", "weight", "sex", "date"]])
    truth = y if kind == "pandas" else pl.Series("answer", y.tolist()) if kind == "polars" else pa.table({"answer": y.tolist()})
    tree = dn.DeniabilityTree(0.2).fit(make(X), truth)
    published = nw.from_native(tree.publish(whole, shuffle=False), eager_only=True)
    before = nw.from_native(whole, eager_only=True)
    assert published.columns == before.columns
    assert published.schema == before.schema
    for name in before.columns:
        same = published[name].to_list() == before[name].to_list()
        assert same == (name != "answer")
    assert set(published["answer"].to_list()) <= set(y)


def test_shuffling_keeps_rows_whole_and_hides_their_order():
    X, y = people(300, 7)
    X["tag"] = np.arange(300) // 2
    tree = dn.DeniabilityTree(0.2, categorical=[]).fit(X, y)
    shuffled = tree.publish(X.set_axis(np.arange(300) + 5))
    assert shuffled.index.tolist() == list(range(300))
    assert shuffled["tag"].tolist() != X["tag"].tolist()
    assert sorted(map(tuple, shuffled[X.columns].to_numpy().tolist())) == sorted(map(tuple, X.to_numpy().tolist()))


def test_arrays_are_taken_and_give_the_drawn_answers():
    X, y = people(200, 8)
    tree = dn.DeniabilityTree(0.2).fit(X.to_numpy(), y.to_numpy())
    drawn = tree.publish(X.to_numpy())
    assert drawn.shape == (200,)
    assert set(drawn) <= set(y)
    assert [a.ordered for a in tree.tree_.attributes] == [True, False, True, False]


@pytest.mark.statistical
def test_searches_are_never_worse_by_their_guide_and_the_full_search_is_the_best_of_all():
    for seed in range(6):
        X, y = people(150, seed, answers=2)
        X = X[["age", "town", "sex"]].assign(age=X.age // 10)
        found = {
            search: dn.DeniabilityTree(0.3, search=search, time_budget=None, beam_width=2, categorical=["age"]).fit(X, y)
            for search in SEARCHES
        }
        kept = {search: tree.expected_accuracy(X, y) for search, tree in found.items()}
        assert kept["greedy"] <= kept["beam"] + 1e-12 <= kept["backtracking"] + 2e-12
        assert kept["backtracking"] == pytest.approx(best_of_all(X, y, 0.3), abs=1e-12)


def best_of_all(X, y, minimum):
    """The largest expected accuracy of any tree that asks each category once a path, by trying all of them."""

    def best(rows, left):
        answers = y[rows]
        top = (answers.value_counts() ** 2).sum() / len(answers)
        for name in left:
            parts = [rows[(X[name][rows] == value).to_numpy()] for value in X[name][rows].unique()]
            if all(slow_deniability(y[part], 2) >= minimum - 1e-12 for part in parts):
                top = max(top, sum(best(part, [other for other in left if other != name]) for part in parts))
        return top

    return best(X.index.to_numpy(), list(X.columns)) / len(X)


def test_a_validation_set_guides_the_search_by_its_own_expected_accuracy():
    X, y = people(900, 11, answers=2)
    fit, guide = slice(0, 500), slice(500, 900)
    alone, guided = (
        dn.DeniabilityTree(0.1, search="beam", time_budget=None).fit(
            X[fit], y[fit], validation=None if own is None else (X[guide], y[guide])
        )
        for own in (None, "guided")
    )
    greedy = dn.DeniabilityTree(0.1).fit(X[fit], y[fit])
    assert guided.expected_accuracy(X[guide], y[guide]) > alone.expected_accuracy(X[guide], y[guide])
    assert guided.expected_accuracy(X[guide], y[guide]) >= greedy.expected_accuracy(X[guide], y[guide])
    assert guided.deniability_ >= 0.1 - 1e-9


def test_a_search_that_runs_out_of_time_says_so_and_gives_a_good_tree():
    X, y = people(1500, 12)
    short = dn.DeniabilityTree(0.1, search="backtracking", group=True, reuse=True, time_budget=0.05).fit(X, y)
    assert not short.search_finished_
    assert short.deniability_ >= 0.1 - 1e-9
    assert (
        short.expected_accuracy(X, y)
        >= dn.DeniabilityTree(0.1, group=True, reuse=True).fit(X, y).expected_accuracy(X, y) - 1e-12
    )


@given(st.lists(st.integers(1, 50), min_size=2, max_size=5))
def test_no_distribution_agrees_more_than_its_entropy_allows(counts):
    p = np.array(counts) / sum(counts)
    entropy = -(p * np.log2(p)).sum()
    assert (p**2).sum() <= most_agreement(float(entropy), len(p)) + 1e-9


@pytest.mark.statistical
def test_several_sensitive_columns_are_hidden_jointly_and_each_can_be_denied():
    X, y = people(1000, 13, answers=2)
    # Joint entropy alone would allow leaves in which one of the two is certain.
    other = pd.Series(
        np.where(np.random.default_rng(1).random(1000) < 0.5, "rich", np.where(X.town == "A", "poor", "rich")), name="money"
    )
    both = pd.DataFrame({"answer": y, "money": other})
    tree = dn.DeniabilityTree(0.25).fit(X, both)
    node = tree.apply(X)
    for leaf in set(node):
        assert slow_deniability(both.answer[node == leaf], 2) >= 0.25 - 1e-9
        assert slow_deniability(both.money[node == leaf], 2) >= 0.25 - 1e-9
        pairs = both.answer[node == leaf] + both.money[node == leaf]
        assert slow_deniability(pairs, 4) >= 0.25 - 1e-9
    published = tree.publish(X)
    assert {"answer", "money"} <= set(published.columns)
    assert set(zip(published.answer, published.money, strict=True)) <= set(zip(both.answer, both.money, strict=True))


@pytest.mark.statistical
def test_answers_that_occur_nowhere_count_as_possible():
    X, y = people(400, 14, answers=2)
    two, three = dn.DeniabilityTree(0.3).fit(X, y), dn.DeniabilityTree(0.3, outcomes=["no", "yes", "perhaps"]).fit(X, y)
    assert three.classes_ == ["no", "yes", "perhaps"]
    node = three.apply(X)
    assert min(slow_deniability(y[node == leaf], 3) for leaf in set(node)) >= 0.3 - 1e-9
    assert len(three.leaves_) < len(two.leaves_)


def test_mixing_gives_the_epsilon_that_neighbouring_tables_reach():
    """The worst ratio over all outputs and all pairs of neighbouring answers in a leaf, by trying them."""
    for n, mix, whole in ((3, 0.2, (6, 4)), (4, 0.5, (2, 3, 5))):
        k = len(whole)
        q = np.array(whole) / sum(whole)
        worst = 0.0
        for counts in np.ndindex(*(n + 1,) * k):
            if sum(counts) != n:
                continue
            for a in range(k):
                for b in range(k):
                    if a == b or not counts[a]:
                        continue
                    other = np.array(counts)
                    other[a] -= 1
                    other[b] += 1
                    one = (1 - mix) * np.array(counts) / n + mix * q
                    two = (1 - mix) * other / n + mix * q
                    # All n draws alike is the extreme of a product.
                    worst = max(worst, n * np.abs(np.log(one / two)).max())
        assert epsilon_of(mix, [n], whole) == pytest.approx(worst, rel=1e-9)
    assert epsilon_of(mix_for(1.5, [7, 50], [30, 70]), [7, 50], [30, 70]) <= 1.5


def test_mixed_draws_have_the_mixed_shares_exactly():
    X, y = people(60, 15, answers=2)
    tree = dn.DeniabilityTree(0.3, mix=0.25, min_rows=10).fit(X, y)
    weights = tree.fitted_.weights(tree.leaves_)
    counts = tree.tree_.flat.counts[tree.leaves_]
    mixed = 0.75 * counts / counts.sum(axis=1, keepdims=True) + 0.25 * tree.counts_ / tree.counts_.sum()
    assert weights / weights.sum(axis=1, keepdims=True) == pytest.approx(mixed, abs=1e-15)
    assert weights.dtype == np.int64
    assert math.isfinite(tree.epsilon_)


def test_bad_input_is_refused_with_what_is_wrong_and_how_to_fix_it():
    X, y = people(100, 16)
    with pytest.raises(DataError, match="one answer only"):
        dn.DeniabilityTree(0.1).fit(X, pd.Series(["yes"] * 100, name="answer"))
    with pytest.raises(ParameterError, match=r"The maximum possible is 0\.\d+") as error:
        dn.DeniabilityTree(0.1).fit(X, pd.Series(["yes"] * 99 + ["no"], name="answer"))
    assert error.value.code == "min_deniability_above"
    holes = X.assign(town=X.town.where(X.index != 7))
    with pytest.raises(DataError, match=r"'town': 1 cell is missing \(row 8\)"):
        dn.DeniabilityTree(0.1).fit(holes, y)
    assert "no answer" in dn.DeniabilityTree(0.1, missing="no answer").fit(holes, y).tree_.attributes[1].values
    with pytest.raises(DataError, match="60 categories; at most 50"):
        dn.DeniabilityTree(0.1, max_categories=50).fit(X.assign(street=[f"s{i % 60}" for i in range(100)]), y)
    with pytest.raises(DataError, match="100 different answers in 100 rows"):
        dn.DeniabilityTree(0.1).fit(X, pd.Series([f"a{i}" for i in range(100)], name="answer"))
    with pytest.raises(DataError, match="is in X and in y"):
        dn.DeniabilityTree(0.1).fit(X.assign(answer=y), y)
    with pytest.raises(DataError, match="X has 100 rows and y has 99"):
        dn.DeniabilityTree(0.1).fit(X, y[:-1])
    with pytest.raises(NotFittedError):
        dn.DeniabilityTree(0.1).publish(X)
    with pytest.raises(DataError, match=r"columns \['age'\] are missing"):
        dn.DeniabilityTree(0.1).fit(X, y).publish(X.drop(columns="age"))


@pytest.mark.parametrize(
    "wrong",
    [
        {"min_deniability": 1.2},
        {"min_change": -1},
        {"distance": "manhattan"},
        {"search": "random"},
        {"min_rows": 0},
        {"mix": 2},
        {"max_depth": -1},
        {"time_budget": 0},
        {"resolution": 1},
    ],
)
def test_parameters_outside_what_is_allowed_are_refused(wrong):
    X, y = people(50, 17)
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        dn.DeniabilityTree(**wrong).fit(X, y)


def test_columns_that_identify_people_are_not_used_and_warned_of():
    X, y = people(100, 18)
    for column in (np.arange(100), [f"person {i}" for i in range(100)], [f"person {i}" for i in [0, *range(99)]]):
        with pytest.warns(PublishingWarning, match="different value in .nearly. every row"):
            tree = dn.DeniabilityTree(0.05).fit(X.assign(id=column), y)
        assert "id" not in tree.export_text()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dn.DeniabilityTree(0.05).fit(X.assign(measured=np.random.default_rng(0).random(100)), y)


def test_missing_numbers_come_last_and_are_routed_like_the_rest():
    X, y = people(300, 19, answers=2)
    X["weight"] = X.weight.where(np.arange(300) % 3 != 0)
    tree = dn.DeniabilityTree(0.2, missing="not said", min_rows=20).fit(X[["weight"]], y)
    assert (tree.apply(X[["weight"]]) == slow_route(tree, X[["weight"]].fillna(np.inf))).all()
    assert "not said" in tree.export_text()


def test_neighbouring_floats_are_told_apart():
    low = 0.1
    high = np.nextafter(low, 1)
    X = pd.DataFrame({"x": [low] * 40 + [high] * 40})
    y = pd.Series(["yes"] * 30 + ["no"] * 10 + ["no"] * 30 + ["yes"] * 10, name="y")
    tree = dn.DeniabilityTree(0.5).fit(X, y)
    assert len(tree.leaves_) == 2
    assert len(set(tree.apply(X)[:40])) == 1
    assert tree.apply(X)[0] != tree.apply(X)[40]


def test_fewer_places_to_cut_keep_equal_values_together():
    X, y = people(2000, 20, answers=2)
    tree = dn.DeniabilityTree(0.3, resolution=8).fit(X[["weight"]], y)
    assert len(tree.leaves_) <= 8
    node = tree.apply(X[["weight"]])
    assert X.assign(node=node).groupby("weight").node.nunique().max() == 1
    counts = np.zeros((tree.tree_.nodes, 2))
    np.add.at(counts, (node, tree.sensitive_.codes(y)), 1)
    assert (counts[tree.leaves_] == tree.tree_.flat.counts[tree.leaves_]).all()


def test_it_behaves_like_a_scikit_learn_estimator():
    tree = dn.DeniabilityTree(0.2, distance="chi2", min_rows=3)
    copy = clone(tree)
    assert copy.get_params() == tree.get_params()
    assert copy.set_params(min_deniability=0.4).min_deniability == 0.4
    X, y = people(80, 21)
    assert tree.fit(X, y) is tree
    assert tree.n_features_in_ == 4


@pytest.mark.statistical
def test_large_nodes_are_split_outside_the_kernel_with_the_same_result(monkeypatch):
    from deniable.publish import growing

    X, y = people(1200, 22)
    whole = dn.DeniabilityTree(0.2, min_rows=4).fit(X, y)
    monkeypatch.setattr(growing, "LARGE", 50)
    pieces = dn.DeniabilityTree(0.2, min_rows=4).fit(X, y)
    assert pieces.export_text() == whole.export_text()
    assert (np.sort(pieces.tree_.flat.counts, axis=0) == np.sort(whole.tree_.flat.counts, axis=0)).all()


@pytest.mark.statistical
def test_progress_is_told_and_adds_up():
    class Listener:
        total, done, ended = None, 0, False

        def start(self, what, total):
            self.total = total

        def advance(self, units):
            self.done += units

        def finish(self):
            self.ended = True

    X, y = people(500, 23)
    for search in SEARCHES:
        heard = Listener()
        dn.DeniabilityTree(0.2, search=search, time_budget=0.5).fit(X, y, progress=heard)
        assert heard.total == heard.done == 500
        assert heard.ended


@pytest.mark.statistical
def test_the_picture_shows_the_first_levels_and_says_what_is_left_out():
    X, y = people(600, 24)
    chart = dn.DeniabilityTree(0.2, min_rows=10).fit(X, y).plot(max_depth=1)
    assert re.search(r"\([0-9]+ groups? below, not drawn\)", chart.description)
    assert "everyone" in chart.description
    # Of a first question with too many answers the largest groups are drawn.
    grouped = pd.DataFrame({"ward": np.repeat(list("ABCDEFGHIJ"), 60)})
    tilted = pd.Series(["yes" if i % 60 < 6 * (1 + i // 60) - 3 else "no" for i in range(600)], name="ill")
    wide = dn.DeniabilityTree(0.2).fit(grouped, tilted).plot(max_leaves=4)
    assert "everyone (6 groups below, not drawn)" in wide.description
    assert sum(f"ward = {ward}" in wide.description for ward in "ABCDEFGHIJ") == 4
    assert chart.to_dict()["layer"]
