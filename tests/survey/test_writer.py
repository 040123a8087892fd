"""Groups, mixing at the right time, and trouble that passes."""

import threading
import time

import pytest

from deniable.errors import StoreError
from deniable.survey import writer as writing
from deniable.survey.store import Store, mixing
from deniable.survey.store.mixing import BATCH
from deniable.survey.submission import read_submission
from deniable.survey.writer import Writer


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Batches end as soon as they are full."""
    monkeypatch.setattr(writing, "WAIT_SECONDS", (0.0, 0.0))


@pytest.fixture
def town(tmp_path, standin):
    with Store(str(tmp_path / "town.db")) as store:
        store.open_survey(standin.Standin())
        yield store


def respond(store, writer, standin, count):
    asked = store.current("town")[0]
    outcomes = []
    threads = [
        threading.Thread(target=lambda: outcomes.append(writer.submit(read_submission(asked, standin.body()))))
        for _ in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def wait_for(condition):
    for _ in range(400):
        if condition():
            return True
        time.sleep(0.02)
    return False


@pytest.mark.servers
def test_submissions_that_arrive_together_share_a_sync(town, standin):
    with Writer(town) as writer:
        assert respond(town, writer, standin, 200) == [None] * 200
        assert writer.groups < 150
    assert standin.acknowledged(town) == 200


@pytest.mark.servers
def test_answers_are_mixed_when_enough_wait(town, standin, monkeypatch):
    with Writer(town) as writer:
        respond(town, writer, standin, BATCH - 1)
        time.sleep(0.1)
        assert town.overview("town").mixed == 0
        respond(town, writer, standin, 1)
        assert wait_for(lambda: town.overview("town").mixed == BATCH)
        respond(town, writer, standin, 300)
        # How many are mixed in at once depends on how the 300 fall into groups; fewer than 50, or than a quarter, may be left waiting.
        assert wait_for(
            lambda: standin.acknowledged(town) - town.overview("town").mixed < max(BATCH, town.overview("town").mixed / 4)
        )
        mixed = town.overview("town").mixed
        assert mixed >= 200
        # Now a quarter of what is mixed must wait, or an hour must pass.
        missing = max(mixed // 4 - (standin.acknowledged(town) - mixed) - 5, 0)
        respond(town, writer, standin, missing)
        assert town.overview("town").mixed == mixed
        monkeypatch.setattr(writing, "MIX_SECONDS", 0.0)
        respond(town, writer, standin, BATCH)
        assert wait_for(lambda: town.overview("town").mixed > mixed)


def test_answers_left_by_an_earlier_process_are_counted(town, standin):
    asked = town.current("town")[0]
    town.submit([read_submission(asked, standin.body()) for _ in range(BATCH - 1)])
    with Writer(town) as writer:
        respond(town, writer, standin, 1)
        assert wait_for(lambda: town.overview("town").mixed == BATCH)


@pytest.mark.servers
def test_a_mixing_that_fails_does_not_hinder_answers_and_is_tried_again(town, standin, monkeypatch, caplog):
    monkeypatch.setattr(writing, "HOUSEKEEPING_SECONDS", 0.2)
    with Writer(town) as writer:
        with monkeypatch.context() as patch:
            patch.setattr(town, "mix", lambda version: 1 / 0)
            assert respond(town, writer, standin, BATCH + 5) == [None] * (BATCH + 5)
            assert respond(town, writer, standin, 3) == [None] * 3
            assert wait_for(lambda: "mixing failed" in caplog.text)
            assert writer.trouble is None
        assert wait_for(lambda: town.overview("town").mixed >= BATCH)


def test_what_is_queued_is_written_before_the_end(town, standin):
    asked = town.current("town")[0]
    delivered = []
    writer = Writer(town, delivered.extend)
    for i in range(30):
        writer.put(read_submission(asked, standin.body()), i)
    writer.start()
    writer.stop()
    assert delivered == [(i, None) for i in range(30)]
    assert standin.acknowledged(town) == 30


def test_too_many_at_once_are_sent_away_unstored(town, standin, monkeypatch):
    monkeypatch.setattr(writing, "MOST_WAITING", 2)
    submission = read_submission(town.current("town")[0], standin.body())
    writer = Writer(town, lambda replies: None)
    writer.put(submission, 1)
    writer.put(submission, 2)
    with pytest.raises(StoreError, match="Too many answers"):
        writer.put(submission, 3)


@pytest.mark.servers
def test_after_a_restart_a_large_survey_is_not_written_again_for_every_batch(town, standin, monkeypatch):
    """With an empty inbox the number of mixed answers was unknown, and taken for 0: 5 to 8 answers a second at a million."""
    with Writer(town) as writer:
        respond(town, writer, standin, 1_200)
    town.mix(1)
    mixed = town.overview("town").mixed
    assert mixed > 16 * BATCH
    with Writer(town) as writer:
        respond(town, writer, standin, BATCH + 5)
        time.sleep(0.2)
        writer._keep_house()
        assert town.overview("town").mixed == mixed


@pytest.mark.servers
def test_answers_are_stored_while_others_are_mixed_in(store, standin, monkeypatch):
    """A mixing of a million answers takes many seconds. SQLite's writers wait for the last of them, PostgreSQL's for none."""
    store.open_survey(standin.Standin())
    where = "_order_in_memory" if store.engine.dialect.name == "sqlite" else "_rewrite"
    work, begun, slow, over = getattr(mixing, where), threading.Event(), threading.Event(), threading.Event()

    def slowly(*given):
        begun.set()
        slow.wait(5.0)
        over.set()
        return work(*given)

    monkeypatch.setattr(mixing, where, slowly)
    with Writer(store) as writer:
        respond(store, writer, standin, BATCH)
        assert begun.wait(5.0)
        assert respond(store, writer, standin, 20) == [None] * 20
        assert not over.is_set(), "they waited for the mixing"
        assert store.overview("town").mixed == 0
        slow.set()
        assert wait_for(lambda: store.overview("town").mixed == BATCH)
        assert respond(store, writer, standin, 5) == [None] * 5
    assert standin.acknowledged(store) == BATCH + 25
