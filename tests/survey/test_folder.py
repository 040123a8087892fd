"""A database and the folder of its keys know each other: no command makes keys where the running server does not look."""

import os
import time

import pytest

from deniable.errors import StoreError
from deniable.survey.store import Store
from deniable.survey.store.mixing import BATCH


@pytest.fixture
def town(store, standin, send):
    store.open_survey(standin.Standin())
    send(store, *(standin.body() for _ in range(5)))
    return store


@pytest.fixture
def open_with(database, tmp_path):
    """Opens the database with some folder of keys."""
    opened = []

    def open_(name):
        opened.append(Store(database, tmp_path / name))
        return opened[-1]

    yield open_
    for store in opened:
        store.close()


@pytest.mark.servers
@pytest.mark.parametrize(
    "work",
    [
        lambda store, standin: store.open_survey(standin.Standin(slug="next")),
        lambda store, standin: store.open_survey(standin.Standin(title="two"), discard=True),
        lambda store, standin: store.close_survey("town"),
        lambda store, standin: store.erase("town", "R000001-000000000000"),
        lambda store, standin: store.check(),
    ],
    ids=["open", "replace", "close", "erase", "serve"],
)
@pytest.mark.parametrize("waiting", [True, False], ids=["waiting", "mixed"])
def test_another_folder_is_refused_and_both_are_named(town, open_with, tmp_path, standin, send, work, waiting):
    if not waiting:
        town.mix(1, least=1)
    other = open_with("elsewhere")
    with pytest.raises(StoreError) as refused:
        work(other, standin)
    assert refused.value.code == "other_keys"
    assert f"keys='{tmp_path / 'keys'}'." in str(refused.value)
    assert str(tmp_path / "elsewhere") in str(refused.value)
    assert not (tmp_path / "elsewhere").exists()
    # The server noticed nothing, and what needs no keys can be had without them.
    assert send(town, standin.body()) == [None]
    assert other.overview("town").state == "open"


def test_a_folder_that_was_moved_or_copied_is_taken(town, open_with, tmp_path, standin):
    (tmp_path / "keys").rename(tmp_path / "moved")
    moved = open_with("moved")
    assert moved.open_survey(standin.Standin(slug="next")) == 1
    with pytest.raises(StoreError, match=f"keys='{tmp_path / 'moved'}'"):
        open_with("keys").close_survey("town")
    # Only keys were copied.
    (tmp_path / "copied").mkdir()
    for path in (tmp_path / "moved").glob("*.key"):
        (tmp_path / "copied" / path.name).write_bytes(path.read_bytes())
    assert open_with("copied").close_survey("town") == 5


def test_a_folder_that_is_lost_for_good_can_be_given_up(town, open_with, tmp_path, standin, send):
    (tmp_path / "keys").rename(tmp_path / "lost")
    again = open_with("keys")
    with pytest.raises(StoreError, match=r"no longer holds the keys.*discard_unreadable=True"):
        again.check()
    assert again.check(discard_unreadable=True) == 5
    assert send(again, standin.body()) == [None]
    with pytest.raises(StoreError, match="another folder"):
        open_with("lost").check()


def test_a_database_without_surveys_takes_any_folder(store, open_with, standin):
    store.check()
    assert open_with("elsewhere").open_survey(standin.Standin()) == 1
    with pytest.raises(StoreError, match="another folder"):
        open_with("third").open_survey(standin.Standin(slug="next"))


@pytest.mark.servers
def test_databases_that_share_a_folder_leave_each_other_their_keys(town, tmp_path, standin, send):
    """Anyone who names no folder has `deniable.keys`, for every PostgreSQL database that is served from the same place."""
    with Store(str(tmp_path / "other.db"), tmp_path / "keys") as other:
        other.open_survey(standin.Standin())
        send(other, *(standin.body() for _ in range(BATCH)))
        for path in (tmp_path / "keys").glob("*.key"):
            os.utime(path, (time.time() - 7_200,) * 2)
        town.sweep()
        other.sweep()
        other.check()
        assert other.mix(1) == BATCH
    town.check()
    assert town.close_survey("town") == 5
