"""Itemsets are the same from every store, in memory or not."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import deniable as dn
from deniable.errors import DataError, ParameterError
from deniable.mining import transactions as module

SCHEMA = dn.Schema(
    {
        "a.b": dn.Flip(0.8, 0.9),
        'the "second"': dn.Flip(0.9, 0.7),
        "c": dn.KRR(dn.Nominal(["u", "v", "w"]), 0.7),
    }
)


def reports(schema=SCHEMA, rows=300):
    rng = np.random.default_rng(1)
    truth = pd.DataFrame({name: rng.choice(np.array(schema[name].inputs), rows) for name in schema})
    return pa.Table.from_pandas(schema.randomise(truth, rng), preserve_index=False)


def same(found, expected):
    pd.testing.assert_frame_equal(found, expected, rtol=1e-12, check_dtype=False)


def test_every_store_gives_the_same_itemsets(store):
    table = reports()
    expected = dn.frequent_itemsets(table.to_pandas(), SCHEMA, 0.05, max_len=2)
    assert expected["itemsets"].map(len).max() == 2
    same(dn.frequent_itemsets(store(table), SCHEMA, 0.05, max_len=2), expected)


@pytest.mark.parametrize("channel", [dn.Flip(0.8, 0.9), dn.Neighbours(dn.Ordinal(["x", "y", "z"]), [0.8, 0.1])])
def test_a_set_larger_than_memory_is_read_again_for_every_level(tmp_path, monkeypatch, channel):
    schema = dn.Schema(dict.fromkeys("abcd", channel))
    table = reports(schema, 150_000)
    pa.parquet.write_table(table, tmp_path / "big.parquet", row_group_size=50_001)
    expected = dn.frequent_itemsets(table, schema, 0.02)
    assert expected["itemsets"].map(len).max() >= 3
    same(dn.frequent_itemsets(tmp_path / "big.parquet", schema, 0.02), expected)
    monkeypatch.setattr(module, "IN_MEMORY", 1_000)
    streamed = dn.Transactions(tmp_path / "big.parquet", schema)
    assert streamed.remote is not None
    same(dn.frequent_itemsets(streamed, min_support=0.02), expected)
    with pytest.raises(ParameterError, match="not in memory"):
        _ = streamed.packed


def test_a_file_is_mined_under_the_schema_it_carries(tmp_path):
    truth = pd.DataFrame({"a": [0, 1] * 500, "b": [0, 1, 1, 1] * 250})
    schema = dn.Schema({"a": dn.Flip(0.9, 0.6), "b": dn.Flip(0.7, 0.7)})
    truth.to_csv(tmp_path / "truth.csv", index=False)
    schema.randomise(tmp_path / "truth.csv", output=tmp_path / "reported.csv")
    found = dn.Transactions(tmp_path / "reported.csv")
    assert found.schema == schema
    assert dn.Transactions(tmp_path / "truth.csv").schema is None


def test_cells_that_do_not_fit_are_named_with_their_rows(tmp_path):
    (tmp_path / "bad.csv").write_text("a,b\n0,1\n2,1\n1,x\n")
    with pytest.raises(DataError, match=r"(?s)'a'.*row 2: '2'.*'b'.*row 3: 'x'"):
        dn.Transactions(tmp_path / "bad.csv")
    (tmp_path / "empty.csv").write_text("a,b\n")
    with pytest.raises(DataError, match="no rows"):
        dn.Transactions(tmp_path / "empty.csv")


@pytest.mark.xdist_group("servers")
def test_cells_that_do_not_fit_are_named_from_inside_spark(spark, tmp_path):
    pa.parquet.write_table(pa.table({"a": [0, 1, 2]}), tmp_path / "bad.parquet")
    with pytest.raises(DataError, match="row 3: 2"):
        dn.Transactions(spark.read.parquet(str(tmp_path / "bad.parquet")))
