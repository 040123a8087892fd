"""An attacker with the database, its log, PostgreSQL's xmin, row order, ids and times tries to join tokens and answers.

Everybody's answer is another one, and every submission has a transaction of its own, which is the attacker's best case. The
attacker knows the tokens, and makes every guess he can; the best of them must be no better than chance. The same attacks succeed
where the store does not seal, or does not mix: the attacks are real.
"""

import base64
import random
import re
import struct
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

import deniable as dn
from deniable.survey import sealing
from deniable.survey.invitations import new_token
from deniable.survey.store import Store, mixing, submissions
from deniable.survey.submission import read_submission, token_hash

PEOPLE = 1_000
# The number of right guesses of a random order is Poisson(1): above 11 once in 10^9.
CHANCE = 11


class Consultation:
    """People answer one after the other, each with a token; `order` is the truth that the attacker wants."""

    def __init__(self, store, standin, people):
        schema = dn.Schema({"number": dn.Retention(dn.Integer(1, people), 0.5)})
        store.open_survey(standin.Standin(schema=schema, invited=True))
        self.store = store
        self.tokens = [new_token() for _ in range(people)]
        store.add_invitations("town", [(token_hash("town", token), None, None) for token in self.tokens])
        codes = random.sample(range(people), people)
        self.truth = {token_hash("town", token): code for token, code in zip(self.tokens, codes, strict=True)}
        self.asked = store.current("town")[0]
        self.standin = standin

    def answer(self, tokens):
        for token in tokens:
            code = self.truth[token_hash("town", token)]
            body = self.standin.body({"number": code}, token=token)
            assert self.store.submit([read_submission(self.asked, body)]) == [None]

    def best(self, guesses):
        """How many of the best guess are right."""
        return max(sum(self.truth[hashed] == code for hashed, code in guess) for guess in guesses)


def guesses(tokens, sealed, answers):
    """All ways to join: tokens and sealed rows in the order of their transactions, and answers as they lie."""
    readings = (answers, answers[::-1], sorted(answers))
    for row in readings:
        for order in (tokens, sorted(tokens)):
            for shift in range(-3, 4):
                yield list(zip(order, row[shift:] + row[:shift], strict=False))
    # The sealed rows came with the tokens; perhaps a number can be read somewhere in them.
    raw = [base64.b64decode(text) for text in sealed]
    if raw and len(raw) == len(tokens):
        for place in range(len(raw[0]) - 3):
            yield [(token, struct.unpack_from("<I", row, place)[0]) for token, row in zip(tokens, raw, strict=True)]
    yield []


# Used, or used and shown: 1 is a constant of SQLite's format, 2 is a byte behind the hash.
USED = re.compile(rb"\x07\x81\x0d\x09[\x09\x01]\x00\x00([0-9a-f]{64})")
# The name of the key, in PostgreSQL a byte of length, and 32 sealed bytes as base64.
SEALED = re.compile(rb"[0-9a-f]{32}.?([A-Za-z0-9+/]{43}=)", re.DOTALL)


def sqlite_log(path):
    """Tokens and sealed rows in the order in which the write-ahead log shows them used and stored."""
    log = Path(f"{path}-wal")
    raw = log.read_bytes() if log.exists() else b""
    size = 4096
    tokens, sealed = {}, {}
    for begin in range(32, len(raw) - size - 23, size + 24):
        page = raw[begin + 24 : begin + 24 + size]
        tokens.update(dict.fromkeys(found.decode() for found in USED.findall(page)))
        # A row is newer the nearer it lies to the front of a page, which is filled from its end.
        sealed.update(dict.fromkeys(found.decode() for found in reversed(SEALED.findall(page))))
    return list(tokens), list(sealed)


def postgresql_log(url):
    """The same from xmin, which numbers transactions in their order."""
    engine = sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"), poolclass=sa.NullPool)
    order = "ORDER BY CAST(CAST(xmin AS text) AS bigint), ctid"
    with engine.connect() as connection:
        tokens = list(connection.exec_driver_sql(f"SELECT hash FROM invitation WHERE used > 0 {order}").scalars())
        sealed = list(connection.exec_driver_sql(f"SELECT sealed FROM inbox {order}").scalars())
    return tokens, sealed


def postgresql_log_bytes(url):
    """What lies in PostgreSQL's write-ahead log, for weeks perhaps, whatever becomes of the tables."""
    engine = sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"), poolclass=sa.NullPool)
    with engine.connect() as connection:
        folder = Path(connection.exec_driver_sql("SHOW data_directory").scalar_one()) / "pg_wal"
    return b"".join(path.read_bytes() for path in sorted(folder.glob("0*")))


def answers_as_they_lie(store):
    with store.engine.connect() as connection:
        order = "rowid" if store.engine.dialect.name == "sqlite" else "CAST(CAST(xmin AS text) AS bigint), ctid"
        return list(connection.exec_driver_sql(f"SELECT c0 FROM answers_1 ORDER BY {order}").scalars())


def keep_the_log(store):
    """The attacker's luck: the log of SQLite is never emptied but by the mixing."""
    if store.engine.dialect.name == "sqlite":

        @sa.event.listens_for(store.engine, "begin")
        def no_checkpoint(connection):
            connection.exec_driver_sql("PRAGMA wal_autocheckpoint = 0")


def log_of(store, database):
    return postgresql_log(database) if database.startswith("postgresql") else sqlite_log(database)


@pytest.mark.servers
def test_tokens_and_answers_cannot_be_joined(store, database, standin):
    keep_the_log(store)
    town = Consultation(store, standin, PEOPLE)
    town.answer(town.tokens[: PEOPLE // 2])
    # While answers wait, the log shows who came when, and sealed rows.
    tokens, sealed = log_of(store, database)
    assert set(tokens) == {token_hash("town", token) for token in town.tokens[: PEOPLE // 2]}
    assert town.best(guesses(tokens, sealed, [])) <= CHANCE
    # Mixed in the middle and at the end: the log of before is kept by the attacker.
    assert store.mix(1) == PEOPLE // 2
    assert town.best(guesses(tokens, sealed, answers_as_they_lie(store))) <= CHANCE
    town.answer(town.tokens[PEOPLE // 2 :])
    later_tokens, later_sealed = log_of(store, database)
    store.close_survey("town")
    answers = answers_as_they_lie(store)
    assert sorted(answers) == list(range(PEOPLE))
    all_tokens = [*tokens, *(token for token in later_tokens if token not in set(tokens))]
    all_sealed = [*sealed, *(row for row in later_sealed if row not in set(sealed))]
    assert len(all_tokens) == PEOPLE
    assert town.best(guesses(all_tokens, all_sealed, answers)) <= CHANCE
    # No trace of the order either: the correlation of two random orders has a standard error of 1/sqrt(n). Nothing is seeded: six of
    # them are passed once in five hundred million times.
    when = {token: i for i, token in enumerate(all_tokens)}
    where = {code: i for i, code in enumerate(answers)}
    pairs = np.array([(when[token], where[code]) for token, code in town.truth.items()])
    assert abs(np.corrcoef(pairs.T)[0, 1]) < 6 / np.sqrt(PEOPLE)
    # Halves: nor does the batch in which an answer came say where it lies.
    first = {town.truth[token] for token in tokens}
    assert abs(sum(code in first for code in answers[: PEOPLE // 2]) - PEOPLE / 4) < 6 * np.sqrt(PEOPLE / 16)


@pytest.mark.xdist_group("servers")
def test_all_answers_have_one_transaction_after_a_mixing(postgresql, tmp_path, standin):
    url = sa.make_url(postgresql)
    engine = sa.create_engine(url.set(drivername="postgresql+psycopg"), poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE SCHEMA one_transaction")
    database = url.update_query_dict({"options": "-csearch_path=one_transaction"}).render_as_string(hide_password=False)
    with Store(database, tmp_path / "keys") as store:
        town = Consultation(store, standin, 150)
        for begin in (0, 50, 100):
            town.answer(town.tokens[begin : begin + 50])
            assert store.mix(1) == 50
            with store.engine.connect() as connection:
                xmins = set(connection.exec_driver_sql("SELECT CAST(xmin AS text) FROM answers_1").scalars())
            assert len(xmins) == 1


@pytest.mark.servers
def test_the_attack_succeeds_where_nothing_is_sealed(store, database, standin, monkeypatch):
    def open_letters(_, contents):
        return [base64.b64encode(b"\0" * sealing.NONCE + content + b"\0" * 16).decode() for content in contents]

    monkeypatch.setattr(submissions, "seal", open_letters)
    keep_the_log(store)
    town = Consultation(store, standin, 120)
    town.answer(town.tokens)
    tokens, sealed = log_of(store, database)
    assert town.best(guesses(tokens, sealed, [])) > 100
    if database.startswith("postgresql"):
        raw = postgresql_log_bytes(database)
        assert sum(row.encode() in raw for row in sealed) > 100


@pytest.mark.servers
def test_the_attack_succeeds_where_nothing_is_mixed(tmp_path, standin, monkeypatch):
    with Store(str(tmp_path / "town.db")) as store:
        monkeypatch.setattr(mixing, "random_order", np.arange)
        monkeypatch.setattr(mixing, "shuffled", list)
        keep_the_log(store)
        town = Consultation(store, standin, 120)
        town.answer(town.tokens)
        tokens, sealed = log_of(store, str(tmp_path / "town.db"))
        store.mix(1)
        assert town.best(guesses(tokens, sealed, answers_as_they_lie(store))) > 100


@pytest.mark.servers
def test_what_is_not_promised_database_and_keys_together_join_answers_that_wait(store, database, standin):
    """docs/security.md says so; were it otherwise, the page would promise too little."""
    keep_the_log(store)
    town = Consultation(store, standin, 60)
    town.answer(town.tokens)
    tokens, sealed = log_of(store, database)
    [key] = {path.read_bytes() for path in store.keys.folder.glob("*.key")}
    opened = [(token, struct.unpack("<I", sealing.unseal(key, row))[0]) for token, row in zip(tokens, sealed, strict=True)]
    assert town.best([opened]) == 60
    store.mix(1)
    # The key is gone, and with it what the log could tell.
    [fresh] = {path.read_bytes() for path in store.keys.folder.glob("*.key")}
    assert fresh != key


@pytest.mark.servers
def test_nothing_of_the_inbox_is_left_in_the_file_after_a_mixing(tmp_path, standin):
    path = tmp_path / "town.db"
    with Store(str(path)) as store:
        town = Consultation(store, standin, 100)
        town.answer(town.tokens)
        waiting = set(SEALED.findall(path.read_bytes() + Path(f"{path}-wal").read_bytes()))
        assert len(waiting) == 100
        store.mix(1)
        left = path.read_bytes() + Path(f"{path}-wal").read_bytes()
        assert not [sealed for sealed in waiting if sealed in left]
        assert Path(f"{path}-wal").stat().st_size == 0


def test_ids_are_no_key_to_join_with(store, standin, send):
    """What is kept of an id is its hash and a MAC under it: neither is found again anywhere else."""
    store.open_survey(standin.Standin())
    body = standin.body({"smokes": 1, "age": 5})
    send(store, body)
    store.close_survey("town")
    with store.engine.connect() as connection:
        [(id_hash, mac, _)] = connection.exec_driver_sql("SELECT * FROM receipt").all()
    assert body["id"] not in id_hash + mac
    same_report = standin.body({"smokes": 1, "age": 5})
    store.reopen_survey("town")
    send(store, same_report)
    with store.engine.connect() as connection:
        macs = connection.exec_driver_sql("SELECT body_mac FROM receipt").scalars().all()
    # Equal answers have different MACs, so that the few possible answers cannot be tried out.
    assert len(set(macs)) == 2
