"""One way in: whatever data is and wherever it lies, it is opened with its schema, and counted and read alike."""

import json
import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import deniable as dn
from deniable.engines.opening import Source, open_data
from deniable.errors import DataError, FileError

SCHEMA = dn.Schema(
    {
        "smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75),
        "age": dn.Retention(dn.Integer(18, 90), 0.5),
        "height": dn.Additive(dn.Continuous(1, 2), dn.Uniform(0.1)),
        "a.b": dn.KRR(dn.Binary(), 0.8),
    }
)


def reports(rows=400):
    rng = np.random.default_rng(7)
    truth = pd.DataFrame(
        {
            "smokes": rng.choice(["no", "yes"], rows),
            "age": rng.integers(18, 91, rows),
            "height": rng.uniform(1, 2, rows),
            "a.b": rng.integers(0, 2, rows),
        }
    )
    return pa.Table.from_pandas(SCHEMA.randomise(truth, rng), preserve_index=False)


@pytest.fixture
def named(tmp_path):
    """The same reports by every name that needs no server, and the file that its schema travels with."""
    table = reports()
    frame = table.to_pandas()
    pa.csv.write_csv(table, tmp_path / "all.csv")
    SCHEMA.save(tmp_path / "schema.json")
    for part, rows in enumerate((slice(0, 150), slice(150, None))):
        frame[rows].to_parquet(tmp_path / f"part-{part}.parquet", index=False)
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        frame.to_sql("answers", connection, index=False)
    with duckdb.connect(str(tmp_path / "b.db")) as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE answers AS SELECT * FROM given")
    return ["all.csv", "part-*.parquet", "sqlite:///a.db#answers", "duckdb:///b.db#answers"]


@pytest.mark.parametrize(
    "question",
    [("smokes",), ("age", "--bins", "5"), ("age", "--bins", "all"), ("height", "--bins", "4", "--method", "eq")],
)
def test_reconstruct_takes_every_source_by_name_as_count_does(named, run, question):
    answers = [run("reconstruct", data, *question, "--schema", "schema.json", "--json") for data in named]
    assert [(code, err) for code, _, err in answers] == [(0, "")] * len(named)
    assert json.loads(answers[0][1])["n"] == 400
    contents = [json.loads(out) for _, out, _ in answers]
    assert len({content.pop("data") for content in contents}) == len(named)  # the one thing that differs
    assert contents == [contents[0]] * len(named)


@pytest.mark.parametrize("engine", ["arrow", "duckdb"])
def test_reconstruct_takes_an_engine(named, run, engine):
    code, out, _ = run("reconstruct", "all.csv", "smokes", "-s", "schema.json", "--engine", engine, "--json")
    assert (code, json.loads(out)["n"]) == (0, 400)


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        ("sqlite:///a.db#answers", "weight", "no attribute 'weight'"),
        ("sqlite:///a.db#other", "smokes", "no table 'other'"),
        ("nothing-*.csv", "smokes", "No file matches"),
        ("duckdb:///none.db#answers", "smokes", "does not exist"),
    ],
)
def test_reconstruct_refuses_what_is_not_there(named, run, data, name, words):
    code, _, err = run("reconstruct", data, name, "--schema", "schema.json")
    assert code == 2
    assert words in err


def test_data_without_a_schema_is_not_reconstructed(named, run):
    for data in named:
        code, _, err = run("reconstruct", data, "smokes")
        assert code == 2
        assert "schema" in err


def test_every_store_is_opened_with_its_columns_and_read_in_pieces(store):
    table = reports()
    source = open_data(store(table), SCHEMA)
    assert source.columns == list(SCHEMA)
    assert source.declared == SCHEMA
    for wanted in (None, ["a.b", "age"]):
        read = pa.concat_tables(list(source.batches(wanted)))
        assert read.column_names == (wanted or list(SCHEMA))
        expected = sorted(zip(table["age"].to_pylist(), table["a.b"].to_pylist(), strict=True))
        got = sorted((int(age), int(b)) for age, b in zip(read["age"].to_pylist(), read["a.b"].to_pylist(), strict=True))
        assert got == expected


@pytest.mark.parametrize(("name", "bins"), [("smokes", None), ("age", 5), ("height", 4)])
def test_every_store_counts_a_column_in_bins_alike(store, name, bins):
    table = reports()
    expected = dn.counts(table[name], SCHEMA[name], bins, name)
    assert open_data(store(table), SCHEMA).column_table(name, bins) == expected


def test_what_is_opened_stays_as_it_is_and_is_checked_again_under_another_schema(tmp_path):
    reports().to_pandas()[["smokes"]].to_csv(tmp_path / "truth.csv", index=False)
    hidden = dn.Schema({"smokes": SCHEMA["smokes"]})
    hidden.randomise(tmp_path / "truth.csv", output=tmp_path / "r.csv")
    source = open_data(tmp_path / "r.csv")
    assert isinstance(source, Source)
    assert source.schema == hidden
    assert open_data(source).data is source.data
    with pytest.raises(DataError, match="another schema"):
        open_data(source, dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.9)}))
    assert dn.Transactions(source).schema == hidden


def test_a_schema_that_is_needed_and_not_there_is_asked_for(tmp_path):
    (tmp_path / "x.csv").write_text("a\n1\n")
    assert open_data(tmp_path / "x.csv").schema is None
    with pytest.raises(FileError, match=r"x\.schema\.json does not exist"):
        _ = open_data(tmp_path / "x.csv").declared
    with pytest.raises(DataError, match="carries no schema"):
        _ = open_data(pd.DataFrame({"a": [1]})).declared
