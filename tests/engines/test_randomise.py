"""Spark frames are randomised by Spark's workers, into a file whose rows are in random order."""

import re

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.core import shuffling
from deniable.errors import DataError, OrderWarning, ParameterError

pytestmark = pytest.mark.xdist_group("servers")
SCHEMA = dn.Schema(
    {"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.6), "age.now": dn.Optional(dn.Retention(dn.Integer(18, 90), 0.5), 0.9)}
)


def people(rows=3_000):
    ids = np.random.default_rng(1).permutation(rows)
    ages = [None if i % 10 == 0 else float(18 + i % 73) for i in range(rows)]
    return pd.DataFrame({"smokes": ["no"] * (rows * 4 // 5) + ["yes"] * (rows // 5), "age.now": ages, "id": ids})


@pytest.fixture
def given(spark, tmp_path_factory):
    """What makes a Spark frame of a pandas frame, of one partition that keeps its order or of several that do not."""

    def make(frame, partitions=3):
        path = tmp_path_factory.mktemp("true") / "true.parquet"
        frame.to_parquet(path, index=False)
        read = spark.read.parquet(str(path))
        return read.coalesce(1) if partitions == 1 else read.repartition(partitions)

    return make


def test_a_spark_frame_is_randomised_to_a_file_like_every_other(given, tmp_path, monkeypatch):
    monkeypatch.setattr(shuffling, "BUCKET_BYTES", 4096)
    true = people()
    assert SCHEMA.randomise(given(true), keep=["id"], output=tmp_path / "out.parquet") == 3_000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.parquet", "out.schema.json"]
    assert dn.Schema.load(tmp_path / "out.parquet") == SCHEMA
    back = pd.read_parquet(tmp_path / "out.parquet")
    assert list(back.columns) == list(true.columns)
    assert sorted(back["id"]) == list(range(3_000)), "no row is lost or doubled"
    assert back["id"].tolist() != true["id"].tolist()
    both = back.merge(true, on="id", suffixes=("", "_true"))
    assert (both["smokes"] == both["smokes_true"]).mean() == pytest.approx(0.6, abs=0.05)
    share = dn.read(tmp_path / "out.parquet").count("smokes == 'yes'")
    # Nothing is seeded here: wrong by chance once in a hundred million runs.
    low, high = share.interval(1 - 1e-8)
    assert low[0] <= 600 <= high[0]


def test_ids_that_restore_the_order_are_named_and_nothing_is_claimed_of_truths(given, tmp_path):
    frame = given(people().assign(id=range(3_000))[["smokes", "id"]], partitions=1)
    schema = dn.Schema({"smokes": SCHEMA["smokes"]})
    with pytest.warns(OrderWarning, match=r"by id \(row by row\)\. Leave"):
        schema.randomise(frame, keep=["id"], output=tmp_path / "out.csv")


def test_bad_cells_of_all_partitions_are_named_and_nothing_is_written(given, tmp_path):
    bad = people()
    bad.loc[[5, 2_500], "smokes"] = "perhaps"
    bad.loc[7, "age.now"] = 200
    with pytest.raises(DataError) as caught:
        SCHEMA.randomise(given(bad), keep=["id"], output=tmp_path / "out.csv")
    assert re.search(r"'smokes': 2 cells do not fit \(row \d+: 'perhaps', row \d+: 'perhaps'\)", str(caught.value))
    assert "'age.now': 1 cell does not fit" in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_what_spark_cannot_do_is_refused(given, tmp_path):
    frame = given(people(50))
    with pytest.raises(DataError, match="lazy frame"):
        SCHEMA.randomise(frame, keep=["id"])
    with pytest.raises(ParameterError, match="rng"):
        SCHEMA.randomise(frame, np.random.default_rng(1), ["id"], output=tmp_path / "out.csv")
    with pytest.raises(ParameterError, match="no order"):
        SCHEMA.randomise(frame, keep=["id"], order="kept", output=tmp_path / "out.csv")
    with pytest.raises(DataError, match=r"\['id'\] are in neither"):
        SCHEMA.randomise(frame, output=tmp_path / "out.csv")
    with pytest.raises(DataError, match="no rows"):
        SCHEMA.randomise(frame.limit(0), keep=["id"], output=tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())
