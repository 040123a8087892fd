"""Yes as TRUE, "5" as 5: read where only one meaning is possible, in every way into the library, and refused elsewhere."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

import deniable as dn
from deniable.engines.count import cell_table
from deniable.engines.sources import open_source
from deniable.engines.sql import SqlTable
from deniable.errors import DataError

YES_NO = dn.Nominal(["no", "yes"], missing="no answer")
RATING = dn.Ordinal(["1", "2", "3", "4", "5"])
SCHEMA = dn.Schema({"smokes": dn.KRR(YES_NO, 0.75), "rating": dn.KRR(RATING, 0.75), "owns": dn.KRR(dn.Binary(), 0.75)})
SMOKES, RATED, OWNS = [True, None, False, True], [1, 5, 5, 2], [True, False, True, True]
CELLS = [[0, 4, 1], [1, 0, 1], [1, 1, 1], [2, 4, 0]]


@pytest.mark.parametrize(
    ("labels", "values", "codes"),
    [
        (["no", "yes"], [True, False], [1, 0]),
        (["yes", "no"], [True, False], [0, 1]),
        (["nie", "tak"], [False, True], [0, 1]),
        (["N", "Y"], [0, 1], [0, 1]),
        (["no", "yes"], ["TRUE", "False", "t"], [1, 0, 1]),
        (["1", "2", "3"], [3, 1], [2, 0]),
        (["1", "2", "3"], [3.0, 1.0], [2, 0]),
        (["01", "02"], [2], [1]),
        ([1, 2], ["2", "1"], [1, 0]),
        ([False, True], ["yes", "no"], [1, 0]),
        ([False, True], [0, 1], [0, 1]),
        ([True], [True], [0]),
    ],
)
def test_what_has_one_meaning_is_read(labels, values, codes):
    assert dn.Nominal(labels).encode(values).tolist() == codes


@pytest.mark.parametrize(
    ("labels", "values", "said"),
    [
        (["never", "often"], [True, False], "which of them is true"),
        (["no", "yes", "perhaps"], [True], "which of them is true"),
        ([1, 2], [True, True], "which of them is true"),
        (["yes", "no"], [0, 1], "does not say which"),
        (["red", "green"], [0, 1], "does not say which"),
        (["1", "01"], [1], "does not say which"),
        (["yes", "no"], ["tak"], "'tak'"),
        (["1", "2"], [1.5], "does not say which"),
        (["1_0", "nan"], [10.0], "does not say which"),
    ],
)
def test_what_has_two_meanings_is_refused(labels, values, said):
    with pytest.raises(DataError, match=said):
        dn.Nominal(labels).encode(values)


def test_a_number_of_0_and_1_reads_booleans_and_others_do_not():
    assert dn.Integer(0, 1).encode([True, False]).tolist() == [1, 0]
    with pytest.raises(DataError):
        dn.Integer(0, 5).encode([True, False])


@pytest.fixture(params=["pandas", "polars", "arrow", "duckdb", "parquet", "csv", "duckdb table", "sqlite", "categories"])
def stored(request, tmp_path):
    columns = {"smokes": SMOKES, "rating": RATED, "owns": OWNS}
    table = pa.table(columns)
    if request.param == "pandas":
        return pd.DataFrame(columns)
    if request.param == "categories":
        return pd.DataFrame(columns).astype({"rating": "category"})
    if request.param == "polars":
        return pl.DataFrame(columns)
    if request.param == "arrow":
        return table
    if request.param == "duckdb":
        return duckdb.from_arrow(table)
    if request.param == "parquet":
        pq.write_table(table, tmp_path / "a.parquet")
        return open_source(str(tmp_path / "a.parquet"))
    if request.param == "csv":
        pd.DataFrame(columns).to_csv(tmp_path / "a.csv", index=False)
        return open_source(str(tmp_path / "a.csv"))
    if request.param == "duckdb table":
        with duckdb.connect(str(tmp_path / "a.db")) as database:
            database.execute("CREATE TABLE a (smokes BOOLEAN, rating TINYINT, owns BOOLEAN)")
            database.executemany("INSERT INTO a VALUES (?, ?, ?)", list(zip(SMOKES, RATED, OWNS, strict=True)))
        return open_source(f"duckdb:///{tmp_path}/a.db#a")
    engine = sa.create_engine(f"sqlite:///{tmp_path}/a.sqlite")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE a (smokes BOOLEAN, rating INTEGER, owns BOOLEAN)")
        connection.exec_driver_sql("INSERT INTO a VALUES (1, 1, 1), (NULL, 5, 0), (0, 5, 1), (1, 2, 1)")
    return SqlTable(engine, "a")


@pytest.mark.statistical
def test_every_store_is_counted_and_mined_alike(stored):
    table = cell_table(stored, SCHEMA, ["smokes", "rating", "owns"])
    assert (table.cells.tolist(), table.n.tolist()) == (CELLS, [1, 1, 1, 1])
    baskets = dn.Transactions(stored, SCHEMA)
    counted = dict(zip(map(str, baskets.items.names), baskets.item_counts().tolist(), strict=True))
    assert (counted["smokes=yes"], counted["rating=5"]) == (2, 2)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files_are_randomised_reconstructed_and_learned_from(tmp_path, kind):
    frame = pd.DataFrame({"smokes": [True, False] * 200, "rating": [1, 5] * 200, "owns": [False, True] * 200})
    path = tmp_path / f"true.{kind}"
    frame.to_parquet(path) if kind == "parquet" else frame.to_csv(path, index=False)
    out = tmp_path / f"out.{kind}"
    assert SCHEMA.randomise(path, output=out) == 400
    assert set(pq.read_table(out)["smokes"].unique().to_pylist() if kind == "parquet" else pd.read_csv(out)["smokes"]) <= set(
        YES_NO.labels
    )
    assert cell_table(open_source(str(path)), SCHEMA, ["rating"]).dense().tolist() == [200, 0, 0, 0, 200]
    told = dn.Schema(dict(SCHEMA), target="smokes")
    assert set(dn.ReconstructionNaiveBayes(told).fit(frame).classes_) <= set(YES_NO.labels)
    assert dn.Sample(frame, SCHEMA).count("smokes == 'yes'").n == 400


def test_a_group_by_says_why_numbers_are_refused():
    schema = dn.Schema({"colour": dn.KRR(dn.Nominal(["red", "green"]), 0.75)})
    with pytest.raises(DataError, match="does not say which of them"):
        cell_table(pd.DataFrame({"colour": [0, 1]}), schema, ["colour"])
