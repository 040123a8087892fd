"""A database of any released version opens with the same rows and the same estimates."""

import sqlite3
from pathlib import Path

import pytest

import deniable as dn
from deniable.errors import StoreError
from deniable.survey.store import Store, migrations
from deniable.survey.store.engine import create, parse
from deniable.survey.store.tables import STATIC

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("store-v*.sql"))
# Counted by hand from the rows in the fixtures: 40 of 60 report "yes" to a question kept with 3/4.
REPORTED_YES, ROWS, KEPT = 40, 60, 0.75


def test_there_is_a_fixture_for_every_version():
    assert [path.stem for path in FIXTURES] == [f"store-v{i + 1}" for i in range(len(migrations.MIGRATIONS))]


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_a_database_of_an_earlier_release_has_the_same_rows_and_estimates(fixture, tmp_path, standin, send):
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(fixture.read_text())
    connection.close()
    with Store(str(path)) as store:
        store.check()
        seen = store.overview("old-town")
        assert (seen.mixed, seen.state, seen.number) == (ROWS, "open", 1)
        schema = store.version("old-town").schema
        # Warner's estimator, from the counts.
        expected = (REPORTED_YES / ROWS - (1 - KEPT)) / (2 * KEPT - 1)
        estimate = dn.read(f"sqlite:///{path}#old_town_v1", schema).distribution("smokes")
        assert estimate.value[1] == pytest.approx(expected, abs=1e-9)
        assert send(store, standin.body({"smokes": 1}), slug="old-town") == [None]
        assert store.close_survey("old-town") == ROWS + 1


def test_a_later_step_is_applied_to_what_is_there_once(tmp_path, standin, send):
    with Store(str(tmp_path / "town.db")) as store:
        store.open_survey(standin.Standin())
        send(store, *(standin.body() for _ in range(5)))
    engine = create(parse(str(tmp_path / "town.db")))
    steps = (*migrations.MIGRATIONS, lambda c: c.exec_driver_sql("ALTER TABLE survey ADD COLUMN note TEXT DEFAULT 'x'"))
    migrations.migrate(engine, steps)
    migrations.migrate(engine, steps)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT note FROM survey").scalars().all() == ["x"]
        assert connection.exec_driver_sql("SELECT count(*) FROM inbox").scalar() == 5
        assert connection.exec_driver_sql("SELECT version FROM deniable_store").scalar() == len(steps)
    engine.dispose()
    with pytest.raises(StoreError, match="later release"):
        Store(str(tmp_path / "town.db"))


def test_a_step_that_fails_leaves_the_database_as_it_was(tmp_path):
    Store(str(tmp_path / "town.db")).close()
    engine = create(parse(str(tmp_path / "town.db")))

    def fails(connection):
        connection.exec_driver_sql("ALTER TABLE survey ADD COLUMN note TEXT")
        raise StoreError("planted", "no")

    with pytest.raises(StoreError, match="no"):
        migrations.migrate(engine, (*migrations.MIGRATIONS, fails))
    engine.dispose()
    with Store(str(tmp_path / "town.db")) as store, store._engine.connect() as connection:
        columns = [row[1] for row in connection.exec_driver_sql("PRAGMA table_info(survey)")]
    assert "note" not in columns


def test_the_tables_of_the_code_are_those_of_the_database(store):
    import sqlalchemy as sa

    look = sa.inspect(store._engine)
    for table in STATIC:
        assert {column["name"] for column in look.get_columns(table.name)} == {column.name for column in table.columns}


def test_a_database_of_something_else_is_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE survey (x)")
    connection.close()
    with pytest.raises(StoreError, match="something else"):
        Store(str(tmp_path / "other.db"))
