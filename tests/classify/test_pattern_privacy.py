"""Patterns behind channels: supports of truths, hidden classes, attributes made yes/no before or after the distortion, noise, files."""

import itertools
import json
import math
import time

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.classify import store
from deniable.classify.saving import to_json
from deniable.errors import DataError, ParameterError, SchemaError

pytestmark = pytest.mark.statistical

COLOURS = ["blue", "green", "red"]


def people(rng, rows=20_000):
    """Colour and size depend on the class; together they say more than alone."""
    y = (rng.random(rows) < 0.4).astype(int)
    colour = np.where(rng.random(rows) < 0.5, y * 2, rng.integers(0, 3, rows))
    size = np.where(rng.random(rows) < 0.3 + 0.4 * (colour == 2), 1, 0)
    return pd.DataFrame({"colour": np.array(COLOURS)[colour], "size": size, "y": y})


def schema_of(p, of_class=None):
    channels = {"colour": dn.KRR(dn.Nominal(COLOURS), p), "size": dn.Flip(p, p)}
    return dn.Schema({**channels, "y": of_class or dn.Identity(dn.Binary())}, target="y")


def true_growth(frame, itemset, label):
    chosen = np.ones(len(frame), dtype=bool)
    for item in itemset:
        name, value = item.split("=")
        chosen &= (frame[name].astype(str) == value).to_numpy()
    own = (frame["y"] == label).to_numpy()
    return chosen[own].mean(), chosen[~own].mean()


@pytest.mark.parametrize("method", ["shrunk", "unbiased", "mmask"])
@pytest.mark.parametrize("of_class", [None, dn.KRR(dn.Binary(), 0.85)])
def test_supports_and_growth_rates_are_those_of_truths(method, of_class):
    rng = np.random.default_rng(3)
    truth = people(rng)
    schema = schema_of(0.8, of_class)
    reported = schema.randomise(truth, rng)
    model = dn.EmergingPatterns(schema, min_support=0.1, min_growth=1.3, method=method)
    if method == "mmask" and of_class is not None:
        with pytest.raises(ParameterError, match="a class that is not hidden"):
            model.fit(reported)
        return
    frame = model.fit(reported).patterns_
    assert len(frame) >= 5
    for row in frame.to_dict("records"):
        own, other = true_growth(truth, row["itemsets"], row["class"])
        assert row["support"] == pytest.approx(own, abs=0.05)
        assert row["other_support"] == pytest.approx(other, abs=0.05)
        assert row["support_low"] <= row["support"] <= row["support_high"]
        assert row["growth_low"] <= row["growth_rate"] <= row["growth_high"]
    # Reports taken for truths would be off by more: the test can fail.
    naive = (
        dn.EmergingPatterns(min_support=0.1, min_growth=1.3)
        .fit(reported[["colour", "size"]].astype(str), reported["y"])
        .patterns_
    )
    off = [abs(true_growth(truth, r["itemsets"], r["class"])[0] - r["support"]) for r in naive.to_dict("records")]
    assert max(off) > 0.06


def test_a_pattern_jumps_if_the_randomisation_hides_what_others_have_of_it():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 3_000)
    truth = pd.DataFrame({"a": np.where(y == 1, rng.random(6_000) < 0.5, rng.random(6_000) < 0.001).astype(int), "y": y})
    schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.8), "y": dn.Identity(dn.Binary())}, target="y")
    open_ = dn.Schema({"a": dn.KRR(dn.Binary(), 1.0), "y": dn.Identity(dn.Binary())}, target="y")
    hidden, shown = (
        dn.EmergingPatterns(s).fit(frame).patterns_.set_index("itemsets")
        for s, frame in ((schema, schema.randomise(truth, rng)), (open_, truth))
    )
    item = frozenset({"a=1"})
    assert np.isinf(hidden.loc[[item], "growth_rate"].iloc[0])
    assert truth["a"][:3_000].sum() > 0
    assert np.isfinite(shown.loc[[item], "growth_rate"].iloc[0])  # nothing is hidden: one person is not nobody


def test_attributes_made_yes_or_no_before_the_distortion_never_meet():
    rng = np.random.default_rng(5)
    truth = people(rng)
    columns = {f"is_{c}": (truth["colour"] == c).astype(int) for c in COLOURS}
    apart = pd.DataFrame({**columns, "size": truth["size"], "y": truth["y"]})
    schema = dn.Schema(
        {**{name: dn.Flip(0.8, 0.9) for name in columns}, "size": dn.Flip(0.8, 0.8), "y": dn.Identity(dn.Binary())}, target="y"
    )
    model = dn.EmergingPatterns(
        schema, min_support=0.05, min_growth=1.2, method="unbiased", binarised={"colour": list(columns)}
    ).fit(schema.randomise(apart, rng))
    frame = model.patterns_
    assert all(sum(item.startswith("is_") for item in items) <= 1 for items in frame["itemsets"])
    assert not any("is_red=0" in items for items in frame["itemsets"])
    red = frame.set_index("itemsets").loc[[frozenset({"is_red=1"})]].iloc[0]
    own, other = true_growth(truth, ["colour=red"], 1)
    assert red["class"] == 1
    assert (red["support"], red["other_support"]) == pytest.approx((own, other), abs=0.03)
    with pytest.raises(ParameterError, match="are not"):
        dn.EmergingPatterns(schema, binarised={"colour": ["is_red", "nothing"]}).fit(apart)


def test_patterns_of_numbers_behind_noise_are_found():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 8_000)
    truth = pd.DataFrame({"age": np.clip(rng.normal(35 + 25 * y, 8, 8_000), 0, 99).astype(int), "y": y})
    noise = dn.Additive(dn.Integer(0, 99), dn.Laplace(5))
    schema = dn.Schema({"age": noise, "y": dn.Identity(dn.Binary())}, target="y")
    model = dn.EmergingPatterns(schema).fit(schema.randomise(truth, rng))
    assert set(model.patterns_["class"]) == {0, 1}
    assert model.score(truth[["age"]], truth["y"]) > 0.85
    assert dn.LazyPatterns(schema).fit(schema.randomise(truth, rng)).score(truth[["age"]], truth["y"]) > 0.8


@pytest.mark.parametrize("make", [dn.EmergingPatterns, dn.LazyPatterns])
@pytest.mark.parametrize("of_class", [None, dn.KRR(dn.Binary(), 0.85)])
def test_true_and_distorted_rows_are_classified_and_scored(make, of_class):
    rng = np.random.default_rng(4)
    truth, test = people(rng), people(rng)
    schema = schema_of(0.85, of_class)
    model = make(schema, min_growth=1.2).fit(schema.randomise(truth, rng))
    right = model.score(test[["colour", "size"]], test["y"])
    assert right > 0.68
    reported = schema.randomise(test, rng)
    assert (model.predict_distorted(reported) == test["y"]).mean() > 0.62
    estimate = model.score_distorted(reported)
    assert estimate.method == "unbiased"
    assert abs(float(estimate.value[0]) - right) < 4 * float(estimate.se[0])
    again = store.from_json(to_json(model))
    np.testing.assert_array_equal(again.predict_proba(test[["colour", "size"]]), model.predict_proba(test[["colour", "size"]]))
    assert str(again.explain(["red", 1])) == str(model.explain(["red", 1]))


def test_few_patterns_of_noise_are_kept_with_a_false_discovery_limit():
    kept = found = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({f"x{i}": rng.integers(0, 3, 300).astype(str) for i in range(6)})
        y = rng.integers(0, 2, 300)
        found += len(dn.EmergingPatterns(min_support=0.02, min_growth=1.5).fit(frame, y).patterns_)
        kept += (
            len(dn.EmergingPatterns(min_support=0.02, min_growth=1.5, false_discovery_rate=0.05).fit(frame, y).patterns_) > 0
        )
    assert found > 1_000  # noise looks like patterns
    assert kept <= 4  # of 20 sets about one is expected to keep anything


def test_explanations_list_the_smallest_patterns_of_a_row():
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({f"x{i}": rng.integers(0, 2, 60).astype(str) for i in range(5)})
    y = rng.integers(0, 2, 60)
    for growth in (1.7, math.inf):
        model = dn.LazyPatterns(min_growth=growth, min_support=0.05).fit(frame, y)
        row = frame.iloc[0]
        same = (frame == row).to_numpy()
        smallest = []
        for size in range(1, 6):
            for chosen in itertools.combinations(range(5), size):
                own, other = (same[y == label][:, chosen].all(axis=1).mean() for label in (1, 0))
                emerges = own >= 0.05 and (other == 0 or own / other >= growth)
                if emerges and not any(set(less) <= set(chosen) for less in smallest):
                    smallest.append(chosen)
        said = model.explain(row).frame
        ours = set(said.loc[said["class"] == 1, "itemsets"])
        assert ours == {frozenset(f"x{i}={row.iloc[i]}" for i in chosen) for chosen in smallest}


def test_a_change_that_is_told_changes_the_class():
    rng = np.random.default_rng(4)
    truth = people(rng)
    model = dn.EmergingPatterns(min_growth=1.2).fit(truth[["colour", "size"]], truth["y"])
    told = model.explain({"colour": "blue", "size": 0})
    assert told.changes
    for change in told.changes:
        row = {"colour": "blue", "size": 0} | change.values
        assert model.predict(pd.DataFrame([row]).astype({"size": int})).tolist() == [change.label]
    assert "<table" in told._repr_html_()
    assert told.plot().to_dict()["layer"][0]["mark"]["type"] == "bar"


def test_rows_come_from_wherever_mining_reads_them(tmp_path):
    rng = np.random.default_rng(4)
    schema = schema_of(0.85)
    reported = schema.randomise(people(rng, 2_000), rng)
    reported.to_csv(tmp_path / "rows.csv", index=False)
    for make in (dn.EmergingPatterns, dn.LazyPatterns):
        here, there = make(schema).fit(reported), make(schema).fit(tmp_path / "rows.csv")
        np.testing.assert_array_equal(here.predict_proba(reported), there.predict_proba(reported))
        with pytest.raises(ParameterError, match="under a schema"):
            make().fit(str(tmp_path / "rows.csv"))
        for ask in (here.predict, here.predict_proba_distorted, here.score_distorted, here.explain):
            with pytest.raises(DataError, match=r"got the path '.*rows.csv': read the file first"):
                ask(tmp_path / "rows.csv")


def test_what_cannot_be_learned_is_refused():
    grouped = dn.Schema({name: dn.Retention(dn.Binary(), 0.5) for name in "abc"}, target="c", groups={"g": ["a", "b"]})
    rows = pd.DataFrame({"a": [0, 1] * 50, "b": [0, 0, 1, 1] * 25, "c": [0, 1] * 50})
    floating = dn.Schema({"a": dn.Additive(dn.Continuous(0, 1), dn.Uniform(0.3)), "c": dn.Identity(dn.Binary())}, target="c")
    for make in (dn.EmergingPatterns, dn.LazyPatterns):
        with pytest.raises(SchemaError, match="share a draw"):
            make(grouped).fit(rows)
    with pytest.raises(SchemaError, match="step"):
        dn.EmergingPatterns(floating).fit(pd.DataFrame({"a": [0.2, 0.7] * 50, "c": [0, 1] * 50}))
    wide = pd.DataFrame({f"x{i}": ["a", "b"] * 5 for i in range(65)})
    with pytest.raises(ParameterError, match="Raise min_support"):
        dn.EmergingPatterns(min_support=0, max_len=None).fit(wide, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    with pytest.raises(ParameterError, match="min_match"):
        dn.LazyPatterns(min_match={"a": 0.5}).fit(rows[["a", "b"]], rows["c"])


@pytest.mark.parametrize("make", [dn.EmergingPatterns, dn.LazyPatterns])
def test_files_of_jumping_patterns_are_json_that_anyone_can_read(make):
    rng = np.random.default_rng(1)
    schema = schema_of(0.9)
    truth = people(rng, 500)
    model = make(schema, min_growth=math.inf).fit(schema.randomise(truth, rng))

    def refuse(number):
        raise AssertionError(f"{number} is no JSON")

    text = to_json(model)
    json.loads(text, parse_constant=refuse)
    again = store.from_json(text)
    np.testing.assert_array_equal(
        again.predict_proba(truth[["colour", "size"]]), model.predict_proba(truth[["colour", "size"]])
    )
    assert to_json(again) == text


def test_damaged_patterns_and_rows_are_refused():
    rng = np.random.default_rng(1)
    schema = schema_of(0.85)
    reported = schema.randomise(people(rng, 500), rng)
    eager, lazy = (json.loads(to_json(make(schema).fit(reported))) for make in (dn.EmergingPatterns, dn.LazyPatterns))

    def lies():
        yield eager, lambda c: c["patterns"]["items"][0].__setitem__(0, [99, 0]), "cells that are not there"
        yield eager, lambda c: c["patterns"]["items"][0].__setitem__(0, [0, -1]), "cells that are not there"
        yield eager, lambda c: c["patterns"]["class"].__setitem__(0, 7), "classes that are not there"
        yield eager, lambda c: c["patterns"]["contribution"].__setitem__(0, None), "contributions"
        yield eager, lambda c: c.__setitem__("base_scores", [0.0, 1.0]), "base_scores"
        yield lazy, lambda c: c["rows"][0].__setitem__(0, 1_000_000), "reports that are not there"
        yield lazy, lambda c: c["classes"].__setitem__(0, -5), "classes that are not there"
        yield lazy, lambda c: c["times"].pop(), "how often"

    for honest, lie, words in lies():
        content = json.loads(json.dumps(honest))
        lie(content)
        with pytest.raises(dn.DeniableError, match=words):
            store.from_json(json.dumps(content))


def mushrooms(rng, rows):
    """22 attributes of 8 species in each of two classes, as alike inside a species as mushrooms are."""
    values = [6, 4, 10, 2, 9, 2, 2, 2, 12, 2, 5, 4, 4, 9, 9, 1, 4, 3, 5, 9, 6, 7]
    species = rng.integers(0, 16, rows)
    columns = {}
    for i, k in enumerate(values):
        running = np.cumsum(rng.dirichlet(np.full(k, 0.15), 16), axis=1)[species]
        columns[f"x{i}"] = np.minimum((running < rng.random(rows)[:, None]).sum(axis=1), k - 1).astype(str)
    return pd.DataFrame(columns), species % 2


@pytest.mark.slow
def test_speed():
    """On an idle machine; `pytest -m slow -k test_speed tests/classify/test_pattern_privacy.py`. Processor time, one core."""
    rng = np.random.default_rng(1)
    X, y = mushrooms(rng, 8_000)
    lazy = dn.LazyPatterns(min_growth=math.inf, min_support=0).fit(X[:7_000], y[:7_000])
    lazy.predict(X[:5])
    began = time.process_time()
    lazy.predict(X[7_000:])
    assert 1_000 / (time.process_time() - began) > 500
    y = rng.integers(0, 2, 1_000)
    truth = pd.DataFrame({f"x{i}": (rng.random(1_000) < 0.5 + 0.3 * y * (i < 6)).astype(int) for i in range(20)} | {"y": y})
    schema = dn.Schema({**{f"x{i}": dn.KRR(dn.Binary(), 0.8) for i in range(20)}, "y": dn.Identity(dn.Binary())}, target="y")
    reported = schema.randomise(truth, rng)
    dn.EmergingPatterns(schema, min_support=0.05, min_growth=5).fit(reported[:100])
    began = time.process_time()
    dn.EmergingPatterns(schema, min_support=0.05, min_growth=5).fit(reported)
    assert time.process_time() - began < 2


def test_where_nothing_can_be_told_from_0_the_estimates_decide():
    """30 rows, kept with .6: no support is told from 0. The class is still guessed better than by always naming the same."""
    right = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1], 15)
        truth = pd.DataFrame({"a": y, "b": y, "y": y})
        schema = dn.Schema(
            {"a": dn.KRR(dn.Binary(), 0.6), "b": dn.KRR(dn.Binary(), 0.6), "y": dn.Identity(dn.Binary())}, target="y"
        )
        model = dn.EmergingPatterns(schema, method="unbiased").fit(schema.randomise(truth, rng))
        right += int((model.predict(truth[["a", "b"]].iloc[[0, -1]]) == [0, 1]).sum())
    # Always the same class would be right 40 times; 80 fair coins reach 50 less than twice in a hundred runs.
    assert right >= 50


def test_a_pattern_that_others_surely_have_and_the_class_perhaps_not_is_none():
    from deniable.classify.patterns.growth import growth_rates

    support, error = np.array([0.2, 0.2, 0.2, -0.1]), np.array([0.2, 0.2, 0.01, 0.2])
    other, other_error = np.array([0.05, 0.05, 0.05, 0.05]), np.array([0.001, 0.1, 0.1, 0.1])
    assert growth_rates(support, error, other, other_error, 1.96).tolist() == [0.0, 4.0, math.inf, 0.0]


def test_a_crowded_value_behind_noise_is_found():
    """Four in five of a class have the value 0 of 0 to 60: weights for truths without crowded values took that for nothing."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 300)
    truth = pd.DataFrame({"x": np.where((y == 0) & (rng.random(600) < 0.8), 0, rng.integers(20, 61, 600)), "y": y})
    schema = dn.Schema({"x": dn.Additive(dn.Integer(0, 60), dn.Uniform(45)), "y": dn.Identity(dn.Binary())}, target="y")
    model = dn.EmergingPatterns(schema, min_support=0.1, min_growth=2.0).fit(schema.randomise(truth, rng))
    frame = model.patterns_
    is_low = [any(item.startswith(("x=[0,", "x=0")) for item in items) for items in frame["itemsets"]]
    low = frame[is_low]
    assert set(low["class"]) == {0}
    assert low["support"].sum() > 0.3
    assert low["growth_low"].isna().all()  # biased on purpose, so without an interval
    assert (model.predict(truth[["x"]]) == y).mean() > 0.75
