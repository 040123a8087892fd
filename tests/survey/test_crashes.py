"""SIGKILL under load: no acknowledged answer is lost, none is doubled, and the store opens again, every time."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from deniable.errors import StoreError
from deniable.survey.store import Store

pytestmark = pytest.mark.servers

WORKER = Path(__file__).with_name("crash_worker.py")
CRASHES, MANY = 15, 300


def crash_again_and_again(database, keys, standin, stored, crashes, backend_every=0):
    """Kills the server so many times, and every so often a backend of PostgreSQL before it."""
    if backend_every:
        recover_quickly(database)
    with Store(database, keys) as store:
        store.open_survey(standin.Standin(linkage="code"))
    acknowledged, mixings = set(), 0
    rng = random.Random()
    worker = subprocess.Popen(
        [sys.executable, str(WORKER), database, str(keys)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        for crash in range(crashes):
            worker.stdin.write("go\n")
            worker.stdin.flush()
            child = int(worker.stdout.readline().removeprefix("pid "))
            line = worker.stdout.readline()
            while line == "mixing\n" or line == "mixed\n":
                line = worker.stdout.readline()
            assert line.startswith("ack "), "the store did not open again"
            acknowledged.add(line.split()[1])
            timer = threading.Timer(
                rng.uniform(0.01, 0.25), kill, (child, database if backend_every and crash % backend_every == 1 else None)
            )
            timer.start()
            mixing = False
            for line in worker.stdout:
                if line == "gone\n":
                    break
                if line.startswith("ack "):
                    acknowledged.add(line.split()[1])
                else:
                    mixing = line == "mixing\n"
            mixings += mixing
            timer.join()
            if crash % 10 == 9 or crash == crashes - 1:
                with patiently(database, keys) as store:
                    store.check()
                    codes = [row[-1] for row in stored(store)]
                    assert not acknowledged - set(codes), "an acknowledged answer is lost"
                    assert len(codes) == len(set(codes)), "an answer is doubled"
                    assert len(codes) == standin.acknowledged(store)
    finally:
        worker.stdin.close()
        worker.wait(60)
        worker.stdout.close()
    return acknowledged, mixings


def recover_quickly(database):
    """Recovery would sync every file of the server one by one."""
    url = sa.make_url(database).set(drivername="postgresql+psycopg")
    engine = sa.create_engine(url, poolclass=sa.NullPool, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("ALTER SYSTEM SET recovery_init_sync_method = 'syncfs'")
        connection.exec_driver_sql("SELECT pg_reload_conf()")


def kill(child, database):
    try:
        if database is not None:
            kill_backend(database)
            time.sleep(0.3)
    finally:
        # Whatever became of the backend: as long as the child lives, its answers are waited for.
        os.kill(child, signal.SIGKILL)


def kill_backend(database):
    """A backend that dies makes PostgreSQL end all others and recover from its log, as after a crash of the machine."""
    url = sa.make_url(database).set(drivername="postgresql+psycopg")
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        query = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        backends = connection.exec_driver_sql(query).scalars().all()
    for backend in backends:
        try:
            os.kill(backend, signal.SIGKILL)
        except ProcessLookupError:
            continue  # it ended by itself between the two lines
        return


def patiently(database, keys):
    """PostgreSQL takes a moment to recover."""
    for _ in range(600):
        try:
            return Store(database, keys)
        except StoreError as error:
            if error.code != "database":
                raise
            time.sleep(0.1)
    return Store(database, keys)


def test_no_acknowledged_answer_is_lost_when_the_server_is_killed(database, tmp_path, standin, stored):
    acknowledged, _ = crash_again_and_again(database, tmp_path / "keys", standin, stored, CRASHES)
    assert len(acknowledged) > 10 * CRASHES


@pytest.mark.xdist_group("servers")
def test_no_acknowledged_answer_is_lost_when_postgresql_crashes(postgresql, tmp_path, standin, stored):
    url = sa.make_url(postgresql)
    engine = sa.create_engine(url.set(drivername="postgresql+psycopg"), poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE SCHEMA crashing")
    database = url.update_query_dict({"options": "-csearch_path=crashing"}).render_as_string(hide_password=False)
    assert crash_again_and_again(database, tmp_path / "keys", standin, stored, 3, backend_every=3)[0]


@pytest.mark.slow
def test_no_acknowledged_answer_is_lost_in_300_crashes(database, tmp_path, standin, stored):
    every = 10 if database.startswith("postgresql") else 0
    acknowledged, mixings = crash_again_and_again(database, tmp_path / "keys", standin, stored, MANY, every)
    # Which crashes fall into a mixing is a matter of chance; among 300 it is more than a few.
    assert mixings > MANY / 20
    name = "PostgreSQL" if every else "SQLite"
    print(f"\n{name}: {MANY} crashes, {mixings} of them in a mixing, {len(acknowledged):,} acknowledged answers, none lost")


def test_an_acknowledgement_before_the_commit_would_be_caught(tmp_path, standin, stored, monkeypatch):
    """The fault planted: a worker that acknowledges first and stores later loses answers in this very test."""
    hasty = WORKER.read_text().replace(
        "if working.submit(read_submission(asked, given)) is None:\n",
        "working.put(read_submission(asked, given), __import__('concurrent.futures').futures.Future())\n            if True:\n",
    )
    path = tmp_path / "hasty.py"
    path.write_text(hasty)
    monkeypatch.setitem(crash_again_and_again.__globals__, "WORKER", path)
    with pytest.raises(AssertionError, match="acknowledged answer is lost"):
        crash_again_and_again(str(tmp_path / "town.db"), tmp_path / "keys", standin, stored, 5)
