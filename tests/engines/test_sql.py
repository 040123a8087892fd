"""What is particular to databases: collations, types, views, connections."""

import sqlite3

import pytest
import sqlalchemy as sa

import deniable as dn
from deniable.engines.count import cell_table
from deniable.engines.sources import open_source
from deniable.engines.sql import SqlTable
from deniable.errors import DataError, ParameterError

SERVERS = pytest.mark.xdist_group("servers")
LETTERS = dn.Schema({"letter": dn.KRR(dn.Nominal(["a", "A", "b"]), 0.6)})
TENTHS = dn.Schema({"x": dn.KRR(dn.Nominal([0.1, 0.3, 0.7]), 0.6)})


def test_a_collation_that_takes_labels_for_equal_is_overruled(tmp_path):
    path = tmp_path / "a b.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (letter TEXT COLLATE NOCASE)")
        connection.executemany("INSERT INTO t VALUES (?)", [("a",), ("A",), ("A",), ("b",)])
    connection.close()
    assert SqlTable(f"sqlite:///{path}", "t").cell_table(LETTERS, ["letter"]).n.tolist() == [1, 2, 1]


def test_a_database_that_is_being_written_to_is_read_as_last_committed(tmp_path):
    writer = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("CREATE TABLE t (letter TEXT)")
    writer.execute("INSERT INTO t VALUES ('a')")
    writer.execute("BEGIN")
    writer.execute("INSERT INTO t VALUES ('b')")
    source = open_source(f"sqlite:///{tmp_path}/a.db#t")
    assert cell_table(source, LETTERS, ["letter"]).dense().tolist() == [1, 0, 0]
    writer.execute("COMMIT")
    assert cell_table(source, LETTERS, ["letter"]).dense().tolist() == [1, 0, 1]
    writer.close()


def test_views_and_open_connections_are_counted_and_left_open():
    engine = sa.create_engine("sqlite://")
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE TABLE t (letter TEXT)")
        connection.exec_driver_sql("INSERT INTO t VALUES ('a'), ('b'), (NULL)")
        connection.exec_driver_sql("CREATE VIEW answered AS SELECT letter FROM t WHERE letter IS NOT NULL")
        assert SqlTable(connection, "answered").cell_table(LETTERS, ["letter"]).n.tolist() == [1, 1]
        assert not connection.closed
        with pytest.raises(DataError, match=r"only \['answered', 't'\]"):
            SqlTable(connection, "u").cell_table(LETTERS, ["letter"])
    engine.dispose()


def test_a_cell_of_another_type_is_an_error_that_names_the_types():
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (letter)")
        connection.exec_driver_sql("INSERT INTO t VALUES ('a'), (1)")
    with pytest.raises(DataError, match="letter"):
        SqlTable(engine, "t").cell_table(LETTERS, ["letter"])
    engine.dispose()


def test_only_one_statement_runs_and_all_its_names_are_quoted():
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (letter TEXT)")
    table = SqlTable(engine, "t")
    assert list(table.columns) == ["letter"]
    ran = []
    sa.event.listen(engine, "before_cursor_execute", lambda *given: ran.append(given[2]))
    table.cell_table(LETTERS, ["letter"])
    assert len(ran) == 1
    assert 'FROM "t" GROUP BY "letter"' in " ".join(ran[0].split())
    engine.dispose()


def test_what_is_no_database_is_refused():
    with pytest.raises(ParameterError, match="connection, got int"):
        SqlTable(3, "t")


@SERVERS
@pytest.mark.parametrize("kind", ["numeric", "real", "double precision", "numeric(4, 2)"])
def test_a_tenth_is_a_tenth_in_every_type(postgresql, kind):
    url = sa.make_url(postgresql).set(drivername="postgresql+psycopg")
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS tenths; CREATE TABLE tenths (x {kind})")
        connection.exec_driver_sql("INSERT INTO tenths VALUES (0.1), (0.3), (0.3), (0.7)")
    assert cell_table(SqlTable(engine, "tenths"), TENTHS, ["x"]).dense().tolist() == [1, 2, 1]


@SERVERS
@pytest.mark.parametrize("kind", ["char(5)", "varchar(5)", "text", "letters", 'text COLLATE "POSIX"'])
def test_text_of_every_type_is_told_apart_by_its_bytes(postgresql, kind):
    url = sa.make_url(postgresql).set(drivername="postgresql+psycopg")
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA IF EXISTS survey CASCADE; CREATE SCHEMA survey; SET search_path TO survey")
        connection.exec_driver_sql("CREATE TYPE letters AS ENUM ('a', 'A', 'b')")
        connection.exec_driver_sql(f'CREATE TABLE "T 1" (letter {kind})')
        connection.exec_driver_sql("INSERT INTO \"T 1\" VALUES ('a'), ('A'), ('A'), ('b')")
    source = open_source(f"{postgresql}#survey.T 1")
    assert cell_table(source, LETTERS, ["letter"]).dense().tolist() == [1, 2, 1]
    with pytest.raises(DataError, match="no table"):
        open_source(f"{postgresql}#survey.T 2")
