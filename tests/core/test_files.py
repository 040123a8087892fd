import gzip
import resource

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable as dn
from deniable.errors import DataError, FileError
from deniable.files import tables


@pytest.fixture
def schema():
    return dn.Schema(
        {
            "sex": dn.KRR(dn.Nominal(["F", "M"]), 0.75),
            "age": dn.Optional(dn.Retention(dn.Integer(18, 90), 0.5), 0.9),
            "grade": dn.KRR(dn.Nominal([1, 2, 3], missing="no answer"), 0.6),
        }
    )


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


GOOD = "sex,age,grade,note\n" + 'F,30,1,"a, ""b"""\nM,,2,\nF,90,,x\n' * 40


@pytest.mark.parametrize("out", ["out.csv", "out.csv.gz", "out.parquet"])
def test_csv_goes_to_every_format_and_back(schema, tmp_path, out):
    source = write(tmp_path / "in.csv", GOOD)
    assert schema.randomise(source, keep=["note"], output=tmp_path / out) == 120
    path = tmp_path / out
    frame = pd.read_parquet(path) if out.endswith("parquet") else pd.read_csv(path)
    assert list(frame.columns) == ["sex", "age", "grade", "note"]
    assert sorted(frame["note"].dropna()) == ['a, "b"'] * 40 + ["x"] * 40
    assert set(frame["sex"]) == {"F", "M"}
    assert frame["age"].isna().any()
    assert dn.Schema.load(tmp_path / "out.schema.json") == schema
    assert "epsilons add up" in (tmp_path / "out.schema.json").read_text()
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["in.csv", out, "out.schema.json"])
    if out.endswith("parquet"):
        assert dn.Schema.load(path) == schema


def test_parquet_and_gzip_are_read(schema, tmp_path):
    frame = pd.DataFrame({"sex": pd.Categorical(["F", "M"] * 50), "age": [20, None] * 50, "grade": [1, 3] * 50})
    frame.to_parquet(tmp_path / "in.parquet")
    assert schema.randomise(tmp_path / "in.parquet", output=tmp_path / "a.csv") == 100
    with gzip.open(tmp_path / "in.csv.gz", "wt") as f:
        frame.to_csv(f, index=False)
    assert schema.randomise(tmp_path / "in.csv.gz", output=tmp_path / "b.csv") == 100


def test_pieces_smaller_than_the_file_give_the_same_rows_and_name_the_right_row(schema, tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "CSV_BLOCK", 256)
    source = write(tmp_path / "in.csv", GOOD)
    assert schema.randomise(source, keep=["note"], output=tmp_path / "out.csv") == 120
    bad = write(tmp_path / "bad.csv", GOOD + "X,30,1,\n" + "F,200,1,\n")
    with pytest.raises(DataError, match=r"(?s)'sex': 1 cell.*row 121: 'X'.*'age': 1 cell.*row 122: '200'"):
        schema.randomise(bad, keep=["note"], output=tmp_path / "bad_out.csv")
    assert not list(tmp_path.glob("*bad_out*")) + list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("sex,age,grade\n", "no rows"),
        ("sex,age\nF,30\n", r"\['grade'\] are missing"),
        ("sex,age,grade,x\nF,30,1,1\n", r"\['x'\] are in neither"),
        ("sex,age,grade\nF,30\n", "cannot be read"),
        ("sex,age,grade\nQ,30,1\n", "row 1: 'Q'"),
        ("sex,age,grade\n,30,1\n", "row 1: missing"),
        ("sex,age,grade\nF,abc,1\n", "row 1: 'abc'"),
        ("sex,age,grade\nF,17,1\n", "18 to 90"),
        ("sex,age,grade\nF,20.5,1\n", "row 1: '20.5'"),
        ("sex,sex,age,grade\nF,F,20,1\n", "two columns"),
    ],
)
def test_bad_csv_is_refused_and_leaves_nothing(schema, tmp_path, text, says):
    source = write(tmp_path / "in.csv", text)
    with pytest.raises((DataError, FileError), match=says):
        schema.randomise(source, output=tmp_path / "out.csv")
    assert [p.name for p in tmp_path.iterdir()] == ["in.csv"]


def test_numbers_that_became_decimals_in_a_spreadsheet_still_fit(schema, tmp_path):
    source = write(tmp_path / "in.csv", "sex,age,grade\nF,30.0,1.0\nM,31.0,no answer\n")
    assert schema.randomise(source, output=tmp_path / "out.csv") == 2


def test_files_in_the_way_are_not_overwritten_without_force(schema, tmp_path):
    source = write(tmp_path / "in.csv", GOOD)
    for name in ("out.csv", "out.schema.json"):
        (tmp_path / name).write_text("precious")
        with pytest.raises(FileError, match="exists already"):
            schema.randomise(source, keep=["note"], output=tmp_path / "out.csv")
        assert (tmp_path / name).read_text() == "precious"
        (tmp_path / name).unlink()
    (tmp_path / "out.csv").write_text("precious")
    schema.randomise(source, keep=["note"], output=tmp_path / "out.csv", force=True)
    with pytest.raises(FileError, match="own randomised copy"):
        schema.randomise(tmp_path / "out.csv", keep=["note"], output=tmp_path / "out.csv", force=True)


def test_failed_run_with_force_keeps_the_old_output(schema, tmp_path):
    (tmp_path / "out.csv").write_text("old")
    bad = write(tmp_path / "in.csv", "sex,age,grade\nX,30,1\n")
    with pytest.raises(DataError):
        schema.randomise(bad, output=tmp_path / "out.csv", force=True)
    assert (tmp_path / "out.csv").read_text() == "old"


@pytest.mark.parametrize(
    ("source", "target", "says"),
    [
        ("nowhere.csv", "out.csv", "does not exist"),
        ("in.xlsx", "out.csv", "must end in"),
        ("in.csv", "out.json", "must end in"),
        ("in.csv", "no/such/folder/out.csv", "folder"),
    ],
)
def test_bad_paths_are_refused(schema, tmp_path, source, target, says):
    write(tmp_path / "in.csv", GOOD)
    with pytest.raises(FileError, match=says):
        schema.randomise(tmp_path / source, keep=["note"], output=tmp_path / target)


@pytest.mark.statistical
def test_randomising_a_file_uses_bounded_memory(tmp_path):
    n = 3_000_000
    schema = dn.Schema({"a": dn.KRR(dn.Integer(0, 9), 0.5), "b": dn.KRR(dn.Integer(0, 9), 0.5)})
    column = np.arange(n, dtype=np.int64) % 10
    pq.write_table(pa.table({"a": column, "b": column}), tmp_path / "in.parquet", row_group_size=200_000)
    small = dn.Schema({"a": schema["a"], "b": schema["b"]})
    pq.write_table(pa.table({"a": column[:200_000], "b": column[:200_000]}), tmp_path / "warm.parquet")
    small.randomise(tmp_path / "warm.parquet", output=tmp_path / "warm_out.parquet")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert schema.randomise(tmp_path / "in.parquet", output=tmp_path / "out.parquet") == n
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    # The table alone is 48 MB in memory, and its reports as much again.
    assert grown < 60


def test_randomised_data_is_not_randomised_again(schema, tmp_path):
    source = write(tmp_path / "in.csv", GOOD)
    for name in ("out.csv", "two.parquet"):
        schema.randomise(source, keep=["note"], output=tmp_path / name)
        with pytest.raises(FileError, match="randomised already"):
            schema.randomise(tmp_path / name, keep=["note"], output=tmp_path / "again.csv")


def test_a_draft_or_another_files_schema_is_not_taken_for_the_schema_of_the_data(schema, tmp_path):
    source = write(tmp_path / "in.csv", GOOD)
    write(tmp_path / "in.schema.json", schema.to_json(fingerprint=False))
    with pytest.raises(FileError, match="draft"):
        dn.Schema.load(source)
    schema.randomise(source, keep=["note"], output=tmp_path / "out.csv")
    write(tmp_path / "out.csv.gz", "x")
    with pytest.raises(FileError, match=r"belongs to out\.csv"):
        dn.Schema.load(tmp_path / "out.csv.gz")


def test_an_error_never_quotes_a_persons_row(schema, tmp_path):
    source = write(tmp_path / "in.csv", "sex,age,grade\nF,30,1\nsecret,answer,of,somebody\n")
    with pytest.raises(FileError, match="columns") as caught:
        schema.randomise(source, output=tmp_path / "out.csv")
    assert "secret" not in str(caught.value)
    assert "line 3" in str(caught.value)
