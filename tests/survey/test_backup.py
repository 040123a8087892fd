"""Backup under load, and what a damaged backup says."""

import threading

import pytest

from deniable.errors import FileError, StoreError
from deniable.survey.backup import backup, keys_beside, restore
from deniable.survey.store import Store
from deniable.survey.submission import read_submission
from deniable.survey.writer import Writer


@pytest.fixture
def filled(tmp_path, standin, send):
    with Store(str(tmp_path / "town.db")) as store:
        store.open_survey(standin.Standin(linkage="code"))
        send(store, *(standin.body(code=standin.code()) for _ in range(70)))
        store.mix(1)
        send(store, *(standin.body(code=standin.code()) for _ in range(7)))
        yield store


@pytest.mark.servers
def test_every_answer_acknowledged_before_the_backup_is_in_it(store, tmp_path, standin, stored):
    store.open_survey(standin.Standin(linkage="code"))
    asked = store.current("town")[0]
    acknowledged, stop = [], threading.Event()

    def respond():
        while not stop.is_set():
            body = standin.body(code=standin.code())
            if writer.submit(read_submission(asked, body)) is None:
                acknowledged.append(body["code"])

    with Writer(store) as writer:
        threads = [threading.Thread(target=respond) for _ in range(8)]
        for thread in threads:
            thread.start()
        kept = []
        for i in range(6):
            while len(acknowledged) < 60 * (i + 1):
                stop.wait(0.01)
            before = list(acknowledged)
            backup(store, tmp_path / f"{i}.backup")
            kept.append((before, tmp_path / f"{i}.backup"))
        stop.set()
        for thread in threads:
            thread.join()
    for i, (before, path) in enumerate(kept):
        with Store(str(tmp_path / f"restored{i}.db")) as restored:
            restore(restored, path)
            codes = [row[-1] for row in stored(restored)]
            assert set(before) <= set(codes)
            assert len(codes) == len(set(codes))
            restored.check()


@pytest.mark.servers
def test_a_restored_store_goes_on(filled, database, tmp_path, standin, send, stored):
    assert backup(filled, tmp_path / "town.backup")
    with Store(database, tmp_path / "other keys") as new:
        restore(new, tmp_path / "town.backup")
        assert sorted(stored(new)) == sorted(stored(filled))
        assert send(new, standin.body(code=standin.code())) == [None]
        assert new.close_survey("town") == 78
        assert new.open_survey(standin.Standin(slug="next")) == 1


@pytest.mark.servers
def test_a_backup_of_mixed_answers_needs_no_keys(filled, tmp_path):
    filled.close_survey("town")
    assert backup(filled, tmp_path / "town.backup") is False
    assert not keys_beside(tmp_path / "town.backup").exists()
    with Store(str(tmp_path / "new.db")) as new:
        restore(new, tmp_path / "town.backup")
        assert new.overview("town").mixed == 77


@pytest.mark.servers
@pytest.mark.parametrize("place", [30, 200, -5])
def test_a_flipped_byte_is_noticed_and_nothing_is_restored(filled, tmp_path, place):
    path = tmp_path / "town.backup"
    backup(filled, path)
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    with Store(str(tmp_path / "new.db")) as new:
        with pytest.raises(StoreError, match="changed or cut"):
            restore(new, path)
        assert new.slugs() == []


@pytest.mark.servers
def test_bad_backups_are_refused(filled, tmp_path):
    path = tmp_path / "town.backup"
    backup(filled, path)
    with pytest.raises(FileError, match="exists already"):
        backup(filled, path)
    with Store(str(tmp_path / "new.db")) as new:
        with pytest.raises(FileError, match="does not exist"):
            restore(new, tmp_path / "nowhere")
        (tmp_path / "text").write_text("hello")
        with pytest.raises(StoreError, match="no backup"):
            restore(new, tmp_path / "text")
        keys_beside(path).write_text("not keys")
        with pytest.raises(StoreError, match="no keys"):
            restore(new, path)
        keys_beside(path).unlink()
        with pytest.raises(StoreError, match="cannot be read"):
            restore(new, path)
        assert new.slugs() == []


@pytest.mark.servers
def test_backups_are_for_their_owner_alone(filled, tmp_path):
    backup(filled, tmp_path / "town.backup")
    for path in (tmp_path / "town.backup", keys_beside(tmp_path / "town.backup")):
        assert path.stat().st_mode & 0o077 == 0
