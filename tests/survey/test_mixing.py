"""Mixing while others submit, mix, close, erase, back up and crash: no answer is lost, doubled or called back, and nobody waits long."""

import io
import os
import threading
import time

import pytest

from deniable.errors import StoreError
from deniable.survey.store import dump, mixing
from deniable.survey.store.mixing import BATCH


def fill(store, standin, send, count=BATCH, slug="town"):
    codes = [standin.code() for _ in range(count)]
    assert set(send(store, *(standin.body(code=code) for code in codes), slug=slug)) == {None}
    return codes


def key_files(store):
    return {path.stem for path in store.keys.folder.glob("*.key")}


@pytest.fixture
def town(store, standin):
    store.open_survey(standin.Standin(linkage="code"))
    return store


@pytest.fixture
def held(town, monkeypatch):
    """A mixing that stands still before it writes, until it is let go; on SQLite before it locks the database."""
    where = "_order_in_memory" if town.engine.dialect.name == "sqlite" else "_rewrite"
    work, begun, go = getattr(mixing, where), threading.Event(), threading.Event()

    def slowly(*given):
        if threading.current_thread().name == "held":
            begun.set()
            assert go.wait(20.0)
        return work(*given)

    monkeypatch.setattr(mixing, where, slowly)
    threads = []

    def start(work=lambda: town.mix(1)):
        threads.append(threading.Thread(target=work, name="held"))
        threads[0].start()
        assert begun.wait(10.0)
        return threads[0]

    def finish():
        go.set()
        threads[0].join(30.0)

    yield start, finish
    go.set()


def beside(work):
    """A thread that does something which may have to wait."""
    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.3)
    return thread


@pytest.mark.servers
def test_two_servers_mix_at_once_and_nothing_is_lost_or_doubled(town, open_store, standin, send, stored):
    servers = [town, open_store()]
    codes, moved, trouble = [], [], []

    def serve(server):
        try:
            for _ in range(8):
                codes.extend(fill(server, standin, send, BATCH))
                moved.append(server.mix(1))
        except Exception as error:
            trouble.append(error)

    threads = [threading.Thread(target=serve, args=(server,)) for server in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    assert not trouble
    assert sorted(row[-1] for row in stored(town)) == sorted(codes)
    assert sum(moved) == town.overview("town").mixed
    town.close_survey("town")
    assert sorted(row[-1] for row in stored(town)) == sorted(codes)


def test_a_crash_after_the_change_of_keys_leaves_both_and_the_next_mixing_takes_all(
    town, open_store, standin, send, stored, monkeypatch
):
    codes = fill(town, standin, send)
    with monkeypatch.context() as broken:
        broken.setattr(mixing, "_mix_beside", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            town.mix(1)
    codes += fill(town, standin, send, 5)
    for path in town.keys.folder.glob("*.key"):
        os.utime(path, (0, 0))  # old enough to be swept
    again = open_store()
    again.check()
    again.sweep()
    assert sorted(row[-1] for row in stored(again)) == sorted(codes)
    assert again.mix(1) == BATCH + 5
    assert sorted(row[-1] for row in stored(again)) == sorted(codes)
    assert len(key_files(again)) == 1


def test_discarding_after_such_a_crash_destroys_every_key_of_what_is_discarded(town, standin, send, monkeypatch):
    fill(town, standin, send, 5)
    with monkeypatch.context() as broken:
        broken.setattr(mixing, "_mix_beside", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            town.mix(1, least=1)
    fill(town, standin, send, 5)
    before = key_files(town)
    assert len(before) == 2
    town.open_survey(standin.Standin(linkage="code", title="two"), discard=True)
    assert not before & key_files(town)


@pytest.mark.servers
def test_whoever_waits_for_a_mixing_keeps_nobody_else_waiting(town, open_store, standin, send, stored, held):
    """A closing, an erasure and another server's mixing queue up behind a long mixing; submissions pass them all."""
    start, finish = held
    codes = fill(town, standin, send)
    mixing_on = start()
    other = open_store()
    other.open_survey(standin.Standin(slug="other", linkage="code"))
    waiting = [beside(lambda: other.mix(1)), beside(lambda: other.erase("town", codes[0]))]
    codes += fill(town, standin, send, 5)
    waiting.append(beside(lambda: other.close_survey("town")))
    assert fill(town, standin, send, 5, slug="other")
    [refused] = send(town, standin.body(code=standin.code()))
    assert refused.code == "closed"
    assert mixing_on.is_alive(), "they waited for the mixing"
    finish()
    for thread in waiting:
        thread.join(30.0)
    assert sorted(row[-1] for row in stored(town)) == sorted(codes[1:])
    assert town.waiting()[1] == (0, BATCH + 4)


@pytest.mark.parametrize("database", [pytest.param("postgresql", marks=pytest.mark.xdist_group("servers"))], indirect=True)
def test_a_closing_that_takes_long_keeps_nobody_waiting_on_postgresql(town, standin, send, held):
    """Those who answer other surveys, and those who come too late, share groups and the writer with one another."""
    start, finish = held
    town.open_survey(standin.Standin(slug="other", linkage="code"))
    fill(town, standin, send, 5)
    closing = start(lambda: town.close_survey("town"))
    fill(town, standin, send, 5, slug="other")
    [refused] = send(town, standin.body(code=standin.code()))
    assert refused.code == "closed"
    assert closing.is_alive(), "they waited for the closing"
    finish()
    assert town.overview("town").mixed == 5


@pytest.mark.servers
def test_what_is_erased_during_a_mixing_stays_erased(town, open_store, standin, send, stored, held):
    start, finish = held
    codes = fill(town, standin, send)
    town.mix(1)
    codes += fill(town, standin, send)
    start()
    other, erased = open_store(), []
    # On PostgreSQL this waits for the mixing; on SQLite the mixing sees that it has to begin anew.
    thread = beside(lambda: erased.extend(other.erase("town", code) for code in (codes[0], codes[-1])))
    finish()
    thread.join(30.0)
    assert erased == [(0, 1), (0, 1)]
    assert sorted(row[-1] for row in stored(town)) == sorted(codes[1:-1])


def test_a_mixing_between_the_moment_of_a_backup_and_its_keys_makes_it_take_a_later_moment(
    town, open_store, standin, send, stored, tmp_path, monkeypatch
):
    codes = fill(town, standin, send)
    other, look = open_store(), dump.sealed_keys
    mixed = []

    def sealed(connection):
        names = look(connection)
        if not mixed:
            mixed.append(None)
            mixed.append(other.mix(1))
        return names

    monkeypatch.setattr(dump, "sealed_keys", sealed)
    town.keys._loaded.clear()  # as in another process
    text = io.StringIO()
    assert town.dump(text) == {}
    assert mixed[1] == BATCH
    assert all(code in text.getvalue() for code in codes)


def test_a_key_that_is_being_destroyed_is_not_taken_for_one(town):
    name = town.keys.create()
    town.keys._loaded.clear()
    (town.keys.folder / f"{name}.key").write_bytes(b"\0" * 32)
    with pytest.raises(StoreError, match="keys="):
        town.keys.get(name)


def test_keys_that_another_server_destroyed_are_forgotten(town, open_store, standin, send):
    other = open_store()
    fill(other, standin, send)
    [name] = key_files(town)
    assert name in other.keys._loaded
    town.mix(1)
    other.sweep()
    assert name not in other.keys._loaded


def test_whoever_reads_for_long_keeps_nobody_from_writing(town, standin, send):
    """A backup reads one moment for as long as it takes. SQLite's log is emptied once that is over."""
    fill(town, standin, send)
    with town.engine.connect() as reader:
        reader.exec_driver_sql("SELECT count(*) FROM inbox")
        began = time.monotonic()
        assert town.mix(1) == BATCH
        fill(town, standin, send, 5)
        # PostgreSQL's VACUUM tries for five seconds to shorten the table, which hinders nobody; SQLite would wait for a minute.
        assert time.monotonic() - began < 20.0
    if town.engine.dialect.name == "sqlite":
        log = town.engine.url.database + "-wal"
        assert os.path.getsize(log)
        town.sweep()
        assert not os.path.getsize(log)


def test_a_mixing_that_does_not_come_out_even_changes_nothing(town, standin, send, stored, monkeypatch):
    codes = fill(town, standin, send)
    insert = mixing.bulk.insert

    def loses_one(connection, table, columns, rows):
        insert(connection, table, columns, rows[1:])

    with monkeypatch.context() as broken:
        broken.setattr(mixing.bulk, "insert", loses_one)
        with pytest.raises(StoreError, match="come out even"):
            town.mix(1)
    assert sorted(row[-1] for row in stored(town)) == sorted(codes)
    assert town.mix(1) == BATCH
