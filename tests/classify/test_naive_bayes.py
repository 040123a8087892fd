"""Naive Bayes from distorted rows: right against brute force, from tables, in pieces, for every channel."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deniable as dn
from deniable.engines.count import cell_table

YES_NO = dn.Nominal(["no", "yes"])


def people(n, rng, classes=2):
    y = rng.integers(0, classes, n)
    return pd.DataFrame(
        {
            "a": np.where(rng.random(n) < 0.2 + 0.6 * (y == 1), "yes", "no"),
            "b": np.array(list("xyz"))[np.where(rng.random(n) < 0.6, y % 3, rng.integers(0, 3, n))],
            "age": np.clip(rng.normal(40 + 12 * y, 9, n).round(), 18, 90).astype(int),
            "c": y,
        }
    )


def schema_of(classes=2, of_class=None, **channels):
    own = {
        "a": dn.KRR(YES_NO, 0.7),
        "b": dn.Retention(dn.Nominal(list("xyz")), 0.5),
        "age": dn.Retention(dn.Integer(18, 90), 0.5),
        **channels,
    }
    return dn.Schema({**own, "c": of_class or dn.Identity(dn.Integer(0, classes - 1))}, target="c")


def test_without_distortion_it_agrees_with_plain_counting():
    rng = np.random.default_rng(1)
    rows = people(20_000, rng)
    model = dn.ReconstructionNaiveBayes(schema_of(a=dn.Identity(YES_NO), b=dn.Identity(dn.Nominal(list("xyz"))))).fit(rows)
    plain = rows.groupby("c")["a"].value_counts(normalize=True).unstack()
    np.testing.assert_allclose(model.shares_[0], plain.to_numpy(), atol=0.01)
    np.testing.assert_allclose(model.class_prior_, rows["c"].value_counts(normalize=True).sort_index(), atol=1e-12)


@pytest.mark.statistical
@pytest.mark.parametrize(
    "channel",
    [
        dn.KRR(YES_NO, 0.7),
        dn.KRR(YES_NO, 0.2),
        dn.Flip(0.9, 0.6, domain=YES_NO),
        dn.Matrix(YES_NO, [[0.8, 0.1, 0.1], [0.1, 0.3, 0.6]], outputs=["n", "y", "?"]),
        dn.UnrelatedQuestion(YES_NO, 0.5, {"no": 0.3, "yes": 0.7}),
    ],
    ids=lambda channel: type(channel).__name__,
)
def test_distributions_come_back_through_every_channel(channel):
    rng = np.random.default_rng(2)
    rows = people(40_000, rng)
    schema = schema_of(a=channel)
    model = dn.ReconstructionNaiveBayes(schema).fit(schema.randomise(rows, rng))
    truth = rows.groupby("c")["a"].value_counts(normalize=True).unstack().to_numpy()
    np.testing.assert_allclose(model.shares_[0], truth, atol=0.03)


@pytest.mark.statistical
@pytest.mark.parametrize(
    "channel",
    [
        dn.Additive(dn.Integer(18, 90), dn.Uniform(10)),
        dn.Additive(dn.Integer(18, 90), dn.Laplace(6)),
        dn.Neighbours(dn.Integer(18, 90), [0.5, 0.25]),
        dn.Optional(dn.Retention(dn.Integer(18, 90), 0.6), 0.9),
        dn.Multiplicative(dn.Continuous(18, 90), dn.Normal(0.1)),
    ],
    ids=lambda channel: type(channel).__name__,
)
def test_numbers_behind_every_channel_tell_the_classes_apart(channel):
    rng = np.random.default_rng(3)
    rows = people(6_000, rng)[["age", "c"]]
    schema = dn.Schema({"age": channel, "c": dn.Identity(dn.Binary())}, target="c")
    model = dn.ReconstructionNaiveBayes(schema).fit(schema.randomise(rows, rng))
    fresh = people(6_000, rng)
    # The best cut of two normals 12 apart with standard deviation 9 has Phi(6 / 9) = 0.75.
    assert model.score(fresh[["age"]], fresh["c"]) > 0.725


def test_a_hidden_class_is_learned_as_well_as_an_open_one():
    rng = np.random.default_rng(4)
    rows, fresh = people(40_000, rng), people(10_000, rng)
    hidden = schema_of(of_class=dn.Flip(0.9, 0.6))
    model = dn.ReconstructionNaiveBayes(hidden).fit(hidden.randomise(rows, rng))
    open_ = schema_of()
    plain = dn.ReconstructionNaiveBayes(open_).fit(open_.randomise(rows, rng))
    assert model.class_prior_[1] == pytest.approx(rows["c"].mean(), abs=0.03)
    X, y = fresh.drop(columns="c"), fresh["c"]
    assert model.score(X, y) > plain.score(X, y) - 0.02


@pytest.mark.parametrize("kind", ["unrelated", "related", "table"])
def test_a_class_that_shares_the_draw_is_undone_jointly(kind):
    """Attributes taken as if independent of the class would see no difference from replaced answers, and be wrong."""
    rng = np.random.default_rng(5)
    n = 60_000
    y = (rng.random(n) < 0.3).astype(int)
    rows = pd.DataFrame(
        {"a": (rng.random(n) < 0.2 + 0.6 * y).astype(int), "b": (rng.random(n) < 0.7 - 0.5 * y).astype(int), "c": y}
    )
    channel = dn.KRR(dn.Binary(), 0.7) if kind == "related" else dn.UnrelatedQuestion(dn.Binary(), 0.5, 0.5)
    group = ["a", "b", "c"]
    if kind == "table":
        group = dn.Group(group, innocuous={(0, 0, 0): 0.5, (1, 1, 1): 0.5})
    schema = dn.Schema(dict.fromkeys("abc", channel), target="c", groups={"all": group})
    model = dn.ReconstructionNaiveBayes(schema).fit(schema.randomise(rows, rng))
    np.testing.assert_allclose(model.shares_[0][:, 1], [0.2, 0.8], atol=0.04)
    np.testing.assert_allclose(model.shares_[1][:, 1], [0.7, 0.2], atol=0.04)
    np.testing.assert_allclose(model.class_prior_, [0.7, 0.3], atol=0.02)


def _brute_posterior(model, schema, row, reported_class=None):
    """P(class | reports) by summing over every combination of true labels, the group's joint matrix written out."""
    names = [name for name in schema if name != schema.target]
    total = np.zeros(len(model.classes_))
    for c, label in enumerate(model.classes_):
        for truth in itertools.product(*(range(len(schema[name].inputs)) for name in names)):
            chance = model.class_prior_[c]
            for i, x in enumerate(truth):
                chance *= model.shares_[i][c, x]
            values = dict(zip(names, (schema[name].inputs[x] for name, x in zip(names, truth, strict=True)), strict=True))
            values[schema.target] = label
            for block in schema.blocks:
                matrix = block.channel.matrix()
                inputs, outputs = list(block.channel.inputs), list(block.channel.outputs)
                single = len(block.attributes) == 1 and block.name not in schema.groups
                own = values[block.attributes[0]] if single else tuple(values[name] for name in block.attributes)
                if single:
                    seen = [row[block.attributes[0]]] if block.attributes[0] in row else None
                    chance *= 1.0 if seen is None else matrix[inputs.index(own), outputs.index(seen[0])]
                    continue
                fits = [
                    j
                    for j, out in enumerate(outputs)
                    if all(row.get(name, out[k]) == out[k] for k, name in enumerate(block.attributes))
                ]
                chance *= matrix[inputs.index(own), fits].sum()
            total[c] += chance
    return total / total.sum()


@pytest.mark.statistical
@pytest.mark.parametrize("groups", [{}, {"g": ["a", "b"]}, {"g": ["a", "b", "c"]}, {"g": ["a", "c"]}])
@pytest.mark.parametrize("related", [False, True])
def test_posteriors_of_distorted_rows_are_those_of_brute_force(groups, related):
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 3_000)
    rows = pd.DataFrame(
        {"a": (rng.random(3_000) < 0.3 + 0.4 * y).astype(int), "b": (rng.random(3_000) < 0.5).astype(int), "c": y}
    )
    channel = dn.KRR(dn.Binary(), 0.8) if related else dn.UnrelatedQuestion(dn.Binary(), 0.6, 0.3)
    schema = dn.Schema(dict.fromkeys("abc", channel), target="c", groups=groups)
    distorted = schema.randomise(rows, rng)
    model = dn.ReconstructionNaiveBayes(schema).fit(distorted)
    found = model.predict_proba_distorted(distorted[["a", "b"]].head(20))
    codes = model._codes(distorted.head(20), reported=True)
    with_class = model._proba_distorted(codes, distorted["c"].head(20).to_numpy())
    for i in range(20):
        row = distorted.iloc[i].to_dict()
        np.testing.assert_allclose(with_class[i], _brute_posterior(model, schema, row), atol=1e-9)
        row.pop("c")
        np.testing.assert_allclose(found[i], _brute_posterior(model, schema, row), atol=1e-9)


def test_rows_in_pieces_give_the_same_as_all_at_once():
    rng = np.random.default_rng(7)
    schema = schema_of()
    rows = schema.randomise(people(3_000, rng), rng)
    whole = dn.ReconstructionNaiveBayes(schema).fit(rows)
    pieces = dn.ReconstructionNaiveBayes(schema)
    for start in range(0, 3_000, 1_000):
        pieces.partial_fit(rows.iloc[start : start + 1_000])
    for one, other in zip(whole.shares_, pieces.shares_, strict=True):
        np.testing.assert_array_equal(one, other)


def test_pieces_without_a_schema_take_all_classes_from_the_first_call():
    X, y = np.array([[0.0], [1.0], [2.0], [9.0]]), np.array([0, 0, 1, 2])
    model = dn.ReconstructionNaiveBayes().partial_fit(X[:2], y[:2], classes=[0, 1, 2]).partial_fit(X[2:], y[2:])
    assert model.predict_proba(X).shape == (4, 3)
    with pytest.raises(dn.DeniableError, match="not seen in training"):
        model.partial_fit(X, [0, 1, 2, 7])


@pytest.mark.statistical
@pytest.mark.parametrize("as_data", ["pandas", "polars", "arrow", "duckdb"])
def test_tables_counted_anywhere_train_the_same_classifier(as_data):
    rng = np.random.default_rng(8)
    schema = schema_of(of_class=dn.KRR(dn.Integer(0, 1), 0.8))
    rows = schema.randomise(people(2_000, rng), rng)
    data = {"pandas": lambda: rows, "polars": lambda: pl.from_pandas(rows), "arrow": lambda: pa.Table.from_pandas(rows)}
    if as_data == "duckdb":
        import duckdb

        counted = duckdb.from_df(rows)
    else:
        counted = data[as_data]()
    model = dn.ReconstructionNaiveBayes(schema)
    from_rows = dn.ReconstructionNaiveBayes(schema).fit(rows)
    from_tables = model.fit_tables(model.count_tables(counted))
    joint = dn.ReconstructionNaiveBayes(schema).fit_tables(cell_table(rows, schema, list(schema)))
    for one, other, third in zip(from_rows.shares_, from_tables.shares_, joint.shares_, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(one, third)


def test_tables_of_two_places_add_up():
    rng = np.random.default_rng(9)
    schema = schema_of()
    rows = schema.randomise(people(2_000, rng), rng)
    model = dn.ReconstructionNaiveBayes(schema)
    parts = [model.count_tables(rows.iloc[:800]), model.count_tables(rows.iloc[800:])]
    model.fit_tables([a + b for a, b in zip(*parts, strict=True)])
    np.testing.assert_array_equal(model.shares_[2], dn.ReconstructionNaiveBayes(schema).fit(rows).shares_[2])


@pytest.mark.statistical
@pytest.mark.parametrize("frame", [lambda f: f, pl.from_pandas, pa.Table.from_pandas, lambda f: f.to_numpy()])
def test_frames_of_every_kind_give_the_same_predictions(frame):
    rng = np.random.default_rng(10)
    schema = dn.Schema({"a": dn.KRR(YES_NO, 0.7), "b": dn.Retention(dn.Nominal(list("xyz")), 0.5)})
    rows = people(1_000, rng)
    Z = schema.randomise(rows[["a", "b"]], rng)
    expected = dn.ReconstructionNaiveBayes(schema).fit(Z, rows["c"]).predict_proba(rows[["a", "b"]])
    model = dn.ReconstructionNaiveBayes(schema).fit(frame(Z), rows["c"].to_numpy())
    np.testing.assert_array_equal(model.predict_proba(frame(rows[["a", "b"]])), expected)


def test_a_table_that_is_lacking_or_counts_other_rows_is_refused():
    schema = schema_of()
    rng = np.random.default_rng(11)
    rows = schema.randomise(people(500, rng), rng)
    model = dn.ReconstructionNaiveBayes(schema)
    tables = model.count_tables(rows)
    with pytest.raises(dn.DeniableError, match="No table has both 'age'"):
        model.fit_tables(tables[:2])
    with pytest.raises(dn.DeniableError, match="different numbers of rows"):
        model.fit_tables([*tables[:2], model.count_tables(rows.iloc[:100])[2]])
    with pytest.raises(dn.DeniableError, match="needs a schema"):
        dn.ReconstructionNaiveBayes().fit_tables(tables)
