"""What is particular to frames: types, and lazy frames that stay where they are."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deniable as dn
from deniable.engines.count import cell_table
from deniable.errors import DataError

TENTHS = dn.Schema({"x": dn.KRR(dn.Nominal([0.1, 0.3, 0.7]), 0.6), "y": dn.KRR(dn.Continuous(0.1, 0.7, step=0.1), 0.6)})
LETTERS = dn.Schema({"letter": dn.KRR(dn.Nominal(["a", "b"], missing="no answer"), 0.6)})


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64(), pa.decimal128(4, 2), pa.decimal256(40, 3)])
def test_a_tenth_is_a_tenth_in_every_type(kind):
    read = Decimal if pa.types.is_decimal(kind) else float
    column = pa.array([read(text) for text in ("0.1", "0.3", "0.3", "0.7")], kind)
    table = pa.table({"x": column, "y": column})
    for data in (table, pl.from_arrow(table) if kind != pa.decimal256(40, 3) else table, table.to_pandas()):
        assert cell_table(data, TENTHS, ["x"]).dense().tolist() == [1, 2, 1]
        assert cell_table(data, TENTHS, ["y"]).dense().tolist() == [1, 0, 2, 0, 0, 0, 1]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["a", None, "b", "a"]).dictionary_encode(),
        pa.array(["a", None, "b", "a"], pa.large_string()),
        pa.chunked_array([["a", None], ["b", "a"]]),
        pd.Series(["a", None, "b", "a"], dtype="category"),
        pd.Series(["a", np.nan, "b", "a"], dtype=object),
        pd.Series(["a", pd.NA, "b", "a"], dtype="string"),
        pl.Series(["a", None, "b", "a"], dtype=pl.Enum(["a", "b", "unused"])),
        pl.Series(["a", None, "b", "a"], dtype=pl.Categorical),
    ],
    ids=str,
)
def test_text_of_every_type(column):
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[type(column).__module__.split(".")[0]]
    assert cell_table(make({"letter": column}), LETTERS, ["letter"]).dense().tolist() == [2, 1, 1]


def test_nan_and_null_are_the_same_silence():
    schema = dn.Schema({"x": dn.Optional(dn.KRR(dn.Integer(0, 2), 0.6), 0.8)})
    data = pl.DataFrame({"x": [0.0, -0.0, float("nan"), None, 2.0]})
    for given in (data, data.lazy()):
        assert cell_table(given, schema, ["x"]).dense().tolist() == [2, 0, 1, 2]


def test_columns_of_nothing_but_silence():
    assert cell_table(pd.DataFrame({"letter": [None, None]}), LETTERS, ["letter"]).dense().tolist() == [0, 0, 2]
    assert cell_table(pl.DataFrame({"letter": [None, None]}), LETTERS, ["letter"]).dense().tolist() == [0, 0, 2]


def test_rows_of_a_lazy_frame_never_travel(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"letter": ["a", "b"] * 5_000}).write_parquet(path)
    heights, collect = [], pl.LazyFrame.collect

    def watched(self, *args, **kwargs):
        found = collect(self, *args, **kwargs)
        heights.append(found.height)
        return found

    monkeypatch.setattr(pl.LazyFrame, "collect", watched)
    assert cell_table(pl.scan_parquet(path), LETTERS, ["letter"]).n.tolist() == [5_000, 5_000]
    assert cell_table(pl.scan_parquet(path), LETTERS, []).total == 10_000
    assert heights == [2, 1]


def test_rows_of_a_dask_frame_never_travel(monkeypatch):
    import dask.dataframe as dd

    frame = dd.from_pandas(pd.DataFrame({"letter": ["a", "b"] * 5_000}), npartitions=4)
    heights, compute = [], dd.DataFrame.compute

    def watched(self, *args, **kwargs):
        found = compute(self, *args, **kwargs)
        heights.append(len(found))
        return found

    monkeypatch.setattr(dd.DataFrame, "compute", watched)
    assert cell_table(frame, LETTERS, ["letter"]).n.tolist() == [5_000, 5_000]
    assert heights == [2]


@pytest.mark.xdist_group("servers")
def test_rows_of_a_spark_frame_never_travel(spark, tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"letter": ["a", "b"] * 5_000}).write_parquet(path)
    frame = spark.read.parquet(str(path))
    heights = []
    for name in ("collect", "toArrow", "toPandas", "_collect_as_arrow"):
        if hasattr(type(frame), name):
            monkeypatch.setattr(type(frame), name, _watched(getattr(type(frame), name), heights))
    assert cell_table(frame, LETTERS, ["letter"]).n.tolist() == [5_000, 5_000]
    assert heights
    assert max(heights) <= 2


def _watched(method, heights):
    def call(self, *args, **kwargs):
        found = method(self, *args, **kwargs)
        heights.append(len(found))
        return found

    return call


def test_what_is_no_frame_is_refused():
    with pytest.raises(DataError, match="data frame"):
        cell_table([1, 2], LETTERS, ["letter"])
