"""Survey weights as people have them: a column of real numbers, a series, an array; and what cannot be weights."""

import contextlib
import sqlite3

import numpy as np
import pandas as pd
import polars as pl
import pytest

import deniable as dn
from deniable.errors import DeniableError

RNG = np.random.default_rng(5)
PLAIN = dn.Schema({"a": dn.KRR(dn.Binary(), 0.8), "b": dn.Retention(dn.Integer(0, 9), 0.5)})
NUMBERS = np.round(RNG.uniform(0.5, 3.0, 400), 2)
PEOPLE = pd.DataFrame({"a": RNG.integers(0, 2, 400), "b": RNG.integers(0, 10, 400), "w": NUMBERS})
FIRST = int(np.argmax(NUMBERS > 2.9))
DECLARED = dn.Schema({**PLAIN, "w": dn.Identity(dn.Continuous(0.5, 3.0, 0.01))})
BARE = PEOPLE[["a", "b"]]


def answers(sample):
    """Every kind of sum: shares with their errors, a mean in a group, and likelihood."""
    counted, mean, likely = sample.count("a == 1"), sample.mean("b", "a == 1"), sample.count("a == 1 and b < 5", method="em")
    return np.concatenate([counted.value, counted.se, *counted.interval(), mean.value, *mean.interval(), likely.value])


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("data", "weights"),
    [
        (PEOPLE, "w"),
        (BARE, PEOPLE["w"]),
        (BARE, NUMBERS),
        (BARE, NUMBERS.tolist()),
        (pl.from_pandas(PEOPLE), "w"),
        (pl.from_pandas(PEOPLE).lazy(), "w"),
        (PEOPLE.astype({"w": str}), "w"),
        (pl.from_pandas(BARE), pl.Series(NUMBERS)),
        (pl.from_pandas(BARE), PEOPLE["w"]),
        (BARE.set_index(pd.RangeIndex(7, 407)), PEOPLE["w"].set_axis(range(7, 407))),
    ],
    ids=[
        "column",
        "series",
        "array",
        "list",
        "polars-column",
        "lazy-column",
        "text-column",
        "polars-series",
        "mixed",
        "own-index",
    ],
)
def test_all_ways_of_giving_weights_give_the_same_answers(data, weights):
    expected = answers(dn.Sample(PEOPLE, DECLARED, weights="w"))
    sample = dn.Sample(data, PLAIN, weights=weights)
    np.testing.assert_allclose(answers(sample), expected, rtol=1e-9)
    assert list(sample.schema) == ["a", "b"]
    assert list(data.collect_schema() if isinstance(data, pl.LazyFrame) else data.columns) in (["a", "b", "w"], ["a", "b"])
    assert sample.count("a == 1").notes == (f"respondents stand for as many people as {sample.weights!r} says",)


def written(folder, name):
    path = folder / name
    if name.endswith(".parquet"):
        PEOPLE.astype({"w": "float32"} if "single" in name else {}).to_parquet(path)
    else:
        # As programs write them: .5 without a zero, decimal commas.
        frame = PEOPLE.assign(w=[f"{w:.2f}" if "semicolons" in name else f"{w:.3f}".removeprefix("0") for w in NUMBERS])
        semicolons = "semicolons" in name
        frame["w"] = frame["w"].str.replace(".", ",") if semicolons else frame["w"]
        frame.to_csv(path, index=False, sep=";" if semicolons else ",")
    return path


@pytest.mark.statistical
@pytest.mark.parametrize("engine", ["duckdb", "arrow"])
@pytest.mark.parametrize("name", ["r.csv", "semicolons.csv", "r.parquet", "single.parquet"])
def test_files_take_their_weights_from_a_column_that_no_schema_knows(tmp_path, name, engine):
    path = written(tmp_path, name)
    sample = dn.read(path, PLAIN, engine, weights="w")
    np.testing.assert_allclose(answers(sample), answers(dn.Sample(PEOPLE, DECLARED, weights="w")), rtol=1e-9)


def test_the_size_of_a_group_is_in_respondents_whatever_they_stand_for():
    for method in ("joint", "em"):
        found = dn.Sample(PEOPLE.assign(w=1_000 * NUMBERS), PLAIN, weights="w").mean("b", by="a", method=method)
        assert found.group_sizes.sum() == pytest.approx(400)


def test_databases_take_their_weights_from_a_column(tmp_path):
    expected = answers(dn.Sample(PEOPLE, DECLARED, weights="w"))
    with contextlib.closing(sqlite3.connect(tmp_path / "d.db")) as database:
        PEOPLE.to_sql("t", database, index=False)
        PEOPLE.assign(w="x").to_sql("bad", database, index=False)
    url = f"sqlite:///{tmp_path / 'd.db'}"
    np.testing.assert_allclose(answers(dn.read(f"{url}#t", PLAIN, weights="w")), expected, rtol=1e-9)
    with pytest.raises(DeniableError, match="Column 'w' holds 'x'"):
        dn.read(f"{url}#bad", PLAIN, weights="w")
    with pytest.raises(DeniableError, match=r"no column 'nope' .* there are .'a', 'b', 'w'"):
        dn.read(f"{url}#t", PLAIN, weights="nope")


def test_a_file_that_changes_under_its_weights_is_noticed(tmp_path):
    path = written(tmp_path, "r.csv")
    sample = dn.read(path, PLAIN, "arrow", weights="w")
    PEOPLE.assign(w=7.25).to_csv(path, index=False)
    with pytest.raises(DeniableError, match=r"Column 'w' holds '7\.25'"):
        sample.count("a == 1")


def test_parts_take_their_weights_from_a_column_and_more_can_be_added():
    halves = [(PEOPLE[:150], PLAIN), (PEOPLE[150:], PLAIN)]
    expected = answers(dn.Sample([(data, DECLARED) for data, _ in halves], weights="w"))
    np.testing.assert_allclose(answers(dn.Sample(halves, weights="w")), expected, rtol=1e-9)
    updated = dn.Sample(*halves[0], weights="w").update(PEOPLE[150:])
    np.testing.assert_allclose(answers(updated), expected, rtol=1e-9)
    with pytest.raises(DeniableError, match="name of a column"):
        dn.Sample(BARE, PLAIN, weights=NUMBERS).update(BARE)


def test_groups_that_share_a_draw_keep_it():
    asked = dn.UnrelatedQuestion(dn.Binary(), theta=0.5, innocuous=0.5)
    schema = dn.Schema({"a": asked, "c": asked}, groups={"both": ["a", "c"]})
    data = pd.DataFrame({"a": [0, 1] * 50, "c": [1, 1, 0, 0] * 25})
    plain = dn.Sample(data, schema).count("a == 1 and c == 1", target="population")
    ones = dn.Sample(data, schema, weights=np.ones(100)).count("a == 1 and c == 1")
    np.testing.assert_allclose(ones.value, plain.value)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("data", "weights", "says"),
    [
        (BARE, NUMBERS[:-1], "one weight for each of 400 rows, got 399"),
        (BARE, np.where(NUMBERS > 2.9, -1, NUMBERS), "at least 0"),
        (BARE, np.where(NUMBERS > 2.9, np.nan, NUMBERS), "nan"),
        (BARE, np.where(NUMBERS > 2.9, np.inf, NUMBERS), "inf"),
        (BARE, PEOPLE["w"].sort_values(), "another index"),
        (BARE, PEOPLE["w"].astype(str) + " kg", "series of real numbers"),
        (BARE, "w", "no column 'w'"),
        (BARE, 1.5, "one weight for each"),
        (BARE, np.ones((400, 2)), "shape"),
        (pl.from_pandas(PEOPLE).lazy(), NUMBERS, "eager data frame"),
        (BARE.assign(w=np.where(NUMBERS > 2.9, -1, NUMBERS)), "w", rf"row {FIRST + 1}: -1\.0.*at least 0"),
        (BARE.assign(w=np.where(NUMBERS > 2.9, np.nan, NUMBERS)), "w", f"row {FIRST + 1}: missing"),
        (BARE.assign(w="x"), "w", "400 cells do not fit .row 1: 'x'"),
        (pl.from_pandas(BARE.assign(w="x")).lazy(), "w", "Column 'w' holds 'x'. Weights are numbers of at least 0"),
        (BARE.assign(w=0.0)[:0], "w", "no rows"),
        (PEOPLE, "a", "the schema hides it"),
    ],
)
def test_what_cannot_be_weights_is_refused(data, weights, says):
    with pytest.raises(DeniableError, match=says):
        dn.Sample(data, PLAIN, weights=weights)


@pytest.mark.statistical
def test_declared_weights_below_zero_are_refused():
    schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.8), "w": dn.Identity(dn.Integer(-3, 3))})
    with pytest.raises(DeniableError, match="below 0"):
        dn.Sample(pd.DataFrame({"a": [0, 1], "w": [-1, 2]}), schema, weights="w").count("a == 1")


@pytest.mark.statistical
@pytest.mark.parametrize("given", [lambda people: people["w"], lambda people: people["w"].to_numpy()])
def test_weights_in_the_order_before_the_shuffle_are_refused(given):
    people = PEOPLE.reset_index(drop=True)
    reported = PLAIN.randomise(people, keep=["w"])
    with pytest.raises(DeniableError, match="the same row is not the same person"):
        dn.Sample(reported, PLAIN, weights=given(people))
    later = PLAIN.randomise(people.drop(columns="w"))
    later["w"] = people["w"]
    with pytest.raises(DeniableError, match="were not there when the rows were shuffled"):
        dn.Sample(later, PLAIN, weights="w")
    # From the same frame, and where all are alike, they are whose they seem to be.
    for weights in ("w", reported["w"], np.ones(len(people))):
        assert dn.Sample(reported, PLAIN, weights=weights).count("a == 1").n == len(people)


def test_uneven_weights_are_worth_fewer_people_than_answered():
    """All say the same: Wilson's interval for the (sum of weights)^2 / (sum of squares) people that they are worth (Kish)."""
    everybody = pd.DataFrame({"a": ["yes"] * 100, "w": [1, 9] * 50})
    sample = dn.Sample(everybody, dn.Schema({"a": dn.Identity(dn.Nominal(["no", "yes"]))}), weights="w")
    worth, z2 = 500**2 / 4_100, 1.959964**2
    assert float(sample.share("a == 'yes'").interval()[0][0]) == pytest.approx(worth / (worth + z2), rel=1e-6)
