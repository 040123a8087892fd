"""Patterns are the same from every store that mining reads."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import deniable as dn
from deniable.errors import DataError, ParameterError

SCHEMA = dn.Schema(
    {
        "colour": dn.KRR(dn.Nominal(["red", "green", "blue"]), 0.8),
        "size": dn.KRR(dn.Integer(1, 4), 0.8),
        "kind": dn.Identity(dn.Nominal(["a", "b"])),
    },
    target="kind",
)


def reports(rows=600):
    rng = np.random.default_rng(5)
    kind = rng.choice(["a", "b"], rows)
    colour = np.where(rng.random(rows) < 0.7, np.where(kind == "a", "red", "blue"), "green")
    truth = pd.DataFrame({"colour": colour, "size": rng.integers(1, 5, rows), "kind": kind})
    return pa.Table.from_pandas(SCHEMA.randomise(truth, rng), preserve_index=False)


def test_every_store_gives_the_same_patterns(store):
    table = reports()
    expected = dn.EmergingPatterns(SCHEMA, min_support=0.1, min_growth=1.5).fit(table.to_pandas())
    assert len(expected.patterns_) > 3
    found = dn.EmergingPatterns(SCHEMA, min_support=0.1, min_growth=1.5).fit(store(table))
    pd.testing.assert_frame_equal(found.patterns_, expected.patterns_, rtol=1e-9)


@pytest.mark.parametrize("name", ["duckdb", "polars-lazy", pytest.param("spark", marks=pytest.mark.xdist_group("servers"))])
def test_lazy_patterns_too(name, tmp_path, request):
    from tests.engines.conftest import STORES

    table = reports(200)
    rows = pd.DataFrame({"colour": ["red", "blue", "green"], "size": [1, 4, 2]})
    expected = dn.LazyPatterns(SCHEMA).fit(table.to_pandas()).predict_proba(rows)
    found = dn.LazyPatterns(SCHEMA).fit(STORES[name](table, tmp_path, request))
    np.testing.assert_allclose(found.predict_proba(rows), expected, rtol=1e-9)


def test_a_class_beside_the_rows(tmp_path):
    table = reports()
    pa.parquet.write_table(table.drop_columns("kind"), tmp_path / "rows.parquet")
    expected = dn.EmergingPatterns(SCHEMA, min_support=0.1).fit(table)
    found = dn.EmergingPatterns(SCHEMA, min_support=0.1).fit(tmp_path / "rows.parquet", table["kind"].to_pylist())
    pd.testing.assert_frame_equal(found.patterns_, expected.patterns_)


def test_what_cannot_be_read_is_said(tmp_path):
    pa.parquet.write_table(reports(), tmp_path / "rows.parquet")
    with pytest.raises(ParameterError, match="read under a schema"):
        dn.EmergingPatterns().fit(tmp_path / "rows.parquet")
    (tmp_path / "bad.csv").write_text("colour,size,kind\nred,1,a\npink,2,b\nred,7,b\n")
    with pytest.raises(DataError, match=r"(?s)'colour'.*row 2: 'pink'.*'size'.*row 3: '7'"):
        dn.EmergingPatterns(SCHEMA).fit(tmp_path / "bad.csv")
    (tmp_path / "few.csv").write_text("colour,kind\nred,a\n")
    with pytest.raises(DataError, match=r"no columns \['size'\]"):
        dn.EmergingPatterns(SCHEMA).fit(tmp_path / "few.csv")
