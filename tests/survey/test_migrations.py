"""A database of any released version opens with the same rows and the same estimates."""

import csv
import json
import sqlite3
from pathlib import Path

import pytest
from argon2 import PasswordHasher

import deniable as dn
from deniable.errors import RefusedError, StoreError
from deniable.survey.export import export
from deniable.survey.store import Store, migrations
from deniable.survey.store.audit import COMMAND_LINE
from deniable.survey.store.engine import create, parse
from deniable.survey.store.submissions import REPEATED
from deniable.survey.store.tables import STATIC

pytestmark = pytest.mark.servers

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("store-v*.sql"))
# Counted by hand from the rows in the fixtures: 40 of 60 report "yes" to a question kept with 3/4.
REPORTED_YES, ROWS, KEPT = 40, 60, 0.75


def test_there_is_a_fixture_for_every_version():
    assert [path.stem for path in FIXTURES] == [f"store-v{i + 1}" for i in range(len(migrations.MIGRATIONS))]


@pytest.mark.servers
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
    with Store(str(tmp_path / "town.db")) as store, store.engine.connect() as connection:
        columns = [row[1] for row in connection.exec_driver_sql("PRAGMA table_info(survey)")]
    assert "note" not in columns


def test_the_tables_of_the_code_are_those_of_the_database(store):
    import sqlalchemy as sa

    look = sa.inspect(store.engine)
    for table in STATIC:
        assert {column["name"] for column in look.get_columns(table.name)} == {column.name for column in table.columns}


def test_a_database_of_something_else_is_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE survey (x)")
    connection.close()
    with pytest.raises(StoreError, match="something else"):
        Store(str(tmp_path / "other.db"))


OPEN = Path(__file__).parent / "fixtures" / "open-v1"
"""An open survey by invitation with a register, as written by the release before the second step: 50 answers mixed, 7 waiting."""


@pytest.fixture
def left_open():
    return json.loads(OPEN.with_suffix(".json").read_text())


def goes_on(store, left_open, standin, send, stored, tmp_path):
    """Takes answers, knows those it has acknowledged, mixes, closes and exports all."""
    store.check()
    assert store.waiting() == {1: (7, 50)}
    assert sorted(row[-1] for row in stored(store, "old-town")) == left_open["codes"]
    new = [standin.code() for _ in left_open["unused"]]
    bodies = [
        standin.body(token=token, code=code, contact={"name": "New"})
        for token, code in zip(left_open["unused"], new, strict=True)
    ]
    assert send(store, left_open["sent_again"], *bodies, slug="old-town") == [REPEATED, *[None] * len(bodies)]
    assert store.mix(1, least=20) == 7 + len(new)
    assert store.close_survey("old-town") == 57 + len(new)
    assert store.overview("old-town").used == 57 + len(new)
    assert {row["code"] for row in store.contacts("old-town")} == {*left_open["codes"], *new}
    export(store, "old-town", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        assert sorted(row["code"] for row in csv.DictReader(file)) == sorted([*left_open["codes"], *new])


def test_an_open_survey_of_an_earlier_release_goes_on(tmp_path, left_open, standin, send, stored):
    with sqlite3.connect(tmp_path / "old.db") as connection:
        connection.executescript(OPEN.with_suffix(".sql").read_text())
    connection.close()
    (tmp_path / "old.db.keys").mkdir()
    for name, key in left_open["keys"].items():
        (tmp_path / "old.db.keys" / f"{name}.key").write_bytes(bytes.fromhex(key))
    with Store(str(tmp_path / "old.db"), tmp_path / "elsewhere") as wrong, pytest.raises(StoreError, match="keys="):
        wrong.open_survey(standin.Standin(slug="next"))
    assert not (tmp_path / "elsewhere").exists()
    with Store(str(tmp_path / "old.db")) as store:
        goes_on(store, left_open, standin, send, stored, tmp_path)


def test_a_backup_of_an_earlier_release_is_restored_and_goes_on(store, tmp_path, left_open, standin, send, stored):
    keys = {name: bytes.fromhex(key) for name, key in left_open["keys"].items()}
    with OPEN.with_suffix(".backup").open() as lines:
        store.load(lines, keys)
    goes_on(store, left_open, standin, send, stored, tmp_path)


ORGANISER = Path(__file__).parent / "fixtures" / "organiser-v2"
"""A database of the release before there were accounts, with the one organiser's password, and its backup."""


def is_the_owner_now(store):
    ((owner, hashed),) = [store.account_by_name(one.name) for one in store.accounts()]
    assert (owner.name, owner.role, owner.ready, owner.link_until) == ("organiser", "owner", True, None)
    assert PasswordHasher().verify(hashed, "correct horse battery")
    assert store.audit_lines() == []
    with pytest.raises(RefusedError, match="last owner"):
        store.remove_account(owner.mark, COMMAND_LINE)


def test_the_password_of_the_one_organiser_becomes_the_owners(tmp_path):
    with sqlite3.connect(tmp_path / "old.db") as connection:
        connection.executescript(ORGANISER.with_suffix(".sql").read_text())
    connection.close()
    with Store(str(tmp_path / "old.db")) as store:
        is_the_owner_now(store)


def test_so_it_does_in_a_backup_of_that_release(store):
    with ORGANISER.with_suffix(".backup").open() as lines:
        store.load(lines, {})
    is_the_owner_now(store)
    # The next account has a number of its own.
    assert store.add_account("Anna", "analyst", "link", COMMAND_LINE).name == "Anna"


def test_a_draft_of_an_earlier_release_is_written_on(tmp_path):
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as connection:
        connection.executescript((Path(__file__).parent / "fixtures" / "store-v5.sql").read_text())
    connection.close()
    with Store(str(path)) as store:
        (draft,) = store.drafts()
        assert (draft.content, draft.revision, draft.changed_by) == (
            {"survey": "next", "title": {"en": "Next", "pl": "Ż"}}, 2, "organiser",
        )  # fmt: skip
        assert store.change_draft(draft.key, lambda content: {**content, "title": "T"}, COMMAND_LINE).revision == 3
