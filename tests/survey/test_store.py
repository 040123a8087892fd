"""What is stored, what is refused, and that nothing is stored of what is refused."""

import datetime
import io
import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

import deniable as dn
from deniable.errors import RefusedError, StoreError
from deniable.survey.invitations import new_token
from deniable.survey.store import Store, closing, mixing
from deniable.survey.store.mixing import BATCH
from deniable.survey.store.submissions import REPEATED
from deniable.survey.submission import read_submission, token_hash
from deniable.survey.writer import Writer


def invited(store, slug, count):
    tokens = [new_token() for _ in range(count)]
    store.add_invitations(slug, [(token_hash(slug, token), None, None) for token in tokens])
    return tokens


def codes_of(outcomes):
    return [None if outcome is None else "again" if outcome is REPEATED else outcome.code for outcome in outcomes]


def test_every_commit_is_synced(store):
    with store.engine.connect() as connection:
        if store.engine.dialect.name == "sqlite":
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
            assert connection.exec_driver_sql("PRAGMA secure_delete").scalar() == 1
        else:
            assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
            assert connection.exec_driver_sql("SHOW fsync").scalar() == "on"


def test_answers_wait_sealed_and_are_mixed_in_batches(store, standin, send, stored):
    store.open_survey(standin.Standin())
    sent = [standin.body() for _ in range(BATCH + 30)]
    assert send(store, *sent[: BATCH - 1]) == [None] * (BATCH - 1)
    assert store.mix(1) == 0
    assert store.overview("town").mixed == 0
    send(store, *sent[BATCH - 1 :])
    assert store.mix(1) == BATCH + 30
    seen = store.overview("town")
    assert (seen.mixed, seen.state) == (BATCH + 30, "open")
    assert sorted(stored(store)) == sorted(list(body["report"].values()) for body in sent)


@pytest.mark.parametrize("database", [pytest.param("postgresql", marks=pytest.mark.xdist_group("servers"))], indirect=True)
def test_connections_that_a_restart_of_the_server_ended_are_made_anew(store, standin, send, stored, monkeypatch):
    store.open_survey(standin.Standin())
    other = sa.create_engine(store.engine.url, poolclass=sa.NullPool)
    ended = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
    )
    monkeypatch.setattr("deniable.survey.store.engine.RESTED_SECONDS", 0)
    with other.connect() as connection:
        connection.exec_driver_sql(ended)
    body = standin.body({"smokes": 0, "age": 3})
    assert send(store, body) == [None]
    # In the midst of a rush nobody asks first: that group is not stored, its senders are told so, and the next one is.
    monkeypatch.setattr("deniable.survey.store.engine.RESTED_SECONDS", 60)
    asked, _ = store.current("town")
    with other.connect() as connection:
        connection.exec_driver_sql(ended)
    later = standin.body({"smokes": 1, "age": 3})
    with pytest.raises(StoreError, match="terminat"):
        store.submit([read_submission(asked, later)])
    assert send(store, later) == [None]
    assert sorted(stored(store)) == [[0, 3], [1, 3]]


def test_same_id_and_body_has_the_same_reply_and_another_body_is_a_conflict(store, standin, send, stored):
    store.open_survey(standin.Standin())
    first = standin.body({"smokes": 0, "age": 3})
    other = {**first, "report": {"smokes": 1, "age": 3}}
    assert codes_of(send(store, first, first, other)) == [None, "again", "id_reused"]
    assert codes_of(send(store, first)) == ["again"]
    assert codes_of(send(store, other)) == ["id_reused"]
    assert stored(store) == [[0, 3]]
    # Also after the answers were mixed and after the survey was closed: the person gets the same reply, and no second row.
    store.close_survey("town")
    assert codes_of(send(store, first, other)) == ["again", "id_reused"]
    assert stored(store) == [[0, 3]]


@pytest.mark.servers
def test_a_thousand_racing_copies_make_one_row(store, open_store, standin, stored):
    from deniable.survey.submission import read_submission

    store.open_survey(standin.Standin())
    submission = read_submission(store.current("town")[0], standin.body())
    # Two writers: two servers on one database.
    with Writer(store) as one, Writer(open_store()) as two, ThreadPoolExecutor(50) as pool:
        outcomes = list(pool.map(lambda i: (one, two)[i % 2].submit(submission), range(1_000)))
    assert sorted(codes_of(outcomes), key=str) == [None, *["again"] * 999]
    assert len(stored(store)) == 1


@pytest.mark.servers
def test_a_thousand_parallel_uses_of_a_token_let_exactly_one_in(store, open_store, standin, stored):
    from deniable.survey.submission import read_submission

    store.open_survey(standin.Standin(invited=True))
    [token] = invited(store, "town", 1)
    asked = store.current("town")[0]
    submissions = [read_submission(asked, standin.body(token=token)) for _ in range(1_000)]
    with Writer(store) as one, Writer(open_store()) as two, ThreadPoolExecutor(50) as pool:
        outcomes = list(pool.map(lambda i: (one, two)[i % 2].submit(submissions[i]), range(1_000)))
    assert codes_of(outcomes).count(None) == 1
    assert codes_of(outcomes).count("token_used") == 999
    assert len(stored(store)) == 1


def test_tokens_are_stored_as_hashes_and_checked(store, standin, send, stored):
    store.open_survey(standin.Standin(invited=True))
    store.open_survey(standin.Standin(slug="village", invited=True))
    [token] = invited(store, "town", 1)
    [foreign] = invited(store, "village", 1)
    today = datetime.date.today()
    early, late = new_token(), new_token()
    tomorrow, yesterday = (today + datetime.timedelta(days=days) for days in (1, -1))
    store.add_invitations("town", [(token_hash("town", early), tomorrow.isoformat(), None)])
    store.add_invitations("town", [(token_hash("town", late), None, yesterday.isoformat())])
    with store.engine.connect() as connection:
        kept = str(connection.exec_driver_sql("SELECT * FROM invitation").all())
    assert token not in kept
    assert token_hash("town", token) in kept
    bodies = [standin.body(token=given) for given in (token, token, foreign, "unknown", early, late)]
    assert codes_of(send(store, *bodies)) == [
        None,
        "token_used",
        "token_unknown",
        "token_unknown",
        "token_not_now",
        "token_not_now",
    ]
    assert len(stored(store)) == 1
    assert store.overview("town").used == 0  # not before its batch
    store.close_survey("town")
    assert store.overview("town").used == 1


def test_tokens_have_128_bits_or_more():
    tokens = {new_token() for _ in range(1_000)}
    assert len(tokens) == 1_000
    assert all(len(token) * 6 >= 128 for token in tokens)


@pytest.mark.servers
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"version": 2}, "wrong_version"),
        ({"version": True}, "no_version"),
        ({"version": None}, "no_version"),
        ({"id": "short"}, "bad_id"),
        ({"id": 7}, "bad_id"),
        ({"report": {"smokes": 3, "age": 0}}, "unknown_label"),
        ({"report": {"smokes": -1, "age": 0}}, "unknown_label"),
        ({"report": {"smokes": True, "age": 0}}, "unknown_label"),
        ({"report": {"smokes": 0.0, "age": 0}}, "unknown_label"),
        ({"report": {"smokes": "no", "age": 0}}, "unknown_label"),
        ({"report": {"smokes": 0}}, "questions_differ"),
        ({"report": {"smokes": 0, "age": 0, "name": 1}}, "questions_differ"),
        ({"report": [0, 0]}, "no_report"),
        ({"token": "x"}, "token_not_wanted"),
        ({"code": "x" * 20}, "code_not_wanted"),
        ({"contact": {"email": "a@b.example"}}, "contact_not_wanted"),
        ({"truth": {"smokes": 1}}, "unknown_field"),
    ],
)
def test_what_does_not_fit_is_refused_before_it_reaches_the_store(tmp_path, standin, send, change, code):
    with Store(str(tmp_path / "town.db")) as store:
        store.open_survey(standin.Standin())
        with pytest.raises(RefusedError) as refused:
            send(store, {**standin.body(), **change})
        assert refused.value.code == code
        assert standin.acknowledged(store) == 0


@pytest.mark.servers
def test_closed_and_replaced_versions_take_nothing(store, standin, send, stored):
    store.open_survey(standin.Standin())
    asked = store.current("town")[0]
    from deniable.survey.submission import read_submission

    early = read_submission(asked, standin.body())
    store.close_survey("town")
    assert codes_of(send(store, standin.body())) == ["closed"]
    store.reopen_survey("town")
    assert codes_of(send(store, *(standin.body() for _ in range(BATCH)))) == [None] * BATCH
    assert store.open_survey(standin.Standin(title="Town, again")) == 2
    # A page that was loaded before the change sends the old version.
    assert codes_of(store.submit([early])) == ["wrong_version"]
    assert codes_of(send(store, standin.body(version=2))) == [None]
    assert standin.acknowledged(store) == 1
    assert store.version("town", 1).number == 1


def test_a_survey_is_over_after_its_last_day(store, standin, send):
    today = datetime.date.today()
    with pytest.raises(RefusedError, match="is over"):
        store.open_survey(standin.Standin(closes=today - datetime.timedelta(days=1)))
    store.open_survey(standin.Standin(closes=today))
    assert codes_of(send(store, standin.body())) == [None]
    with store.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE survey_version SET closes = '2020-01-01'")
    assert codes_of(send(store, standin.body())) == ["closed"]
    assert store.overview("town").state == "closed"
    assert store.close_due() == ["town"]
    assert store.close_due() == []
    assert store.overview("town").mixed == 1


@pytest.mark.servers
def test_opening_and_closing_around_one_answer_does_not_show_it(store, standin, send):
    store.open_survey(standin.Standin())
    send(store, *(standin.body() for _ in range(3)))
    store.close_survey("town")
    assert store.overview("town").mixed == 3
    store.reopen_survey("town")
    send(store, standin.body())
    store.close_survey("town")
    assert (standin.acknowledged(store), store.overview("town").mixed) == (4, 3)
    store.close_survey("town")
    assert store.overview("town").mixed == 3
    store.reopen_survey("town")
    send(store, *(standin.body() for _ in range(BATCH)))
    store.close_survey("town")
    assert store.overview("town").mixed == 4 + BATCH


@pytest.mark.servers
def test_replacing_a_version_around_one_answer_does_not_show_it(store, standin, send):
    store.open_survey(standin.Standin())
    body = standin.body()
    send(store, body)
    with pytest.raises(RefusedError, match=r"Answers to version 1 of town wait sealed.*discard=True") as refused:
        store.open_survey(standin.Standin(title="two"))
    assert refused.value.code == "few_answers"
    # What is refused anyway is refused alike whether somebody waits or not: that would tell, and leave no trace.
    with pytest.raises(RefusedError) as refused:
        store.open_survey(standin.Standin(title="two", linkage="register"))
    assert refused.value.code == "no_retention"
    assert len(store.overviews("town")) == 1
    assert standin.acknowledged(store) == 1
    key = next(store.keys.folder.glob("*.key")).stem
    assert store.open_survey(standin.Standin(title="two"), discard=True) == 2
    assert list(store.waiting().values()) == [(0, 0), (0, 0)]
    with store.engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM inbox").scalar() == 0
        assert connection.exec_driver_sql("SELECT count(*) FROM receipt").scalar() == 1
    assert not store.keys.has(key)
    store.check()
    # Nothing was shown, so a small closing is still to be had: once, whatever the version.
    send(store, *(standin.body(version=2) for _ in range(3)))
    store.close_survey("town")
    assert store.overview("town").mixed == 3
    assert store.open_survey(standin.Standin(title="three")) == 3
    send(store, standin.body(version=3))
    store.close_survey("town")
    assert list(store.waiting().values()) == [(0, 0), (0, 3), (1, 0)]
    with pytest.raises(RefusedError, match=r"few|sealed"):
        store.open_survey(standin.Standin(title="four"))
    store.reopen_survey("town")
    send(store, *(standin.body(version=3) for _ in range(BATCH - 1)))
    assert store.open_survey(standin.Standin(title="four"), discard=True) == 4
    assert store.overviews("town")[2].mixed == BATCH


@pytest.mark.servers
def test_versions_are_replaced_and_surveys_reopened_in_the_midst_of_a_rush(store, open_store, standin, stored):
    until = datetime.date.today() + datetime.timedelta(days=300)
    store.open_survey(standin.Standin(linkage="register"), contacts_until=until)
    other, ended = open_store(), threading.Event()
    outcomes = []

    def answer():
        while not ended.is_set():
            asked = other.current("town")[0]
            bodies = [standin.body(version=asked.number, code=standin.code(), contact={"name": "x"}) for _ in range(5)]
            outcomes.extend(other.submit([read_submission(asked, body) for body in bodies]))

    threads = [threading.Thread(target=answer) for _ in range(3)]
    for thread in threads:
        thread.start()
    for i in range(12):
        until -= datetime.timedelta(days=1)
        store.open_survey(standin.Standin(linkage="register", title=f"town {i}"), contacts_until=until, discard=True)
        until -= datetime.timedelta(days=1)
        store.open_survey(standin.Standin(linkage="register", title=f"town {i}"), contacts_until=until)
        store.close_survey("town")
        store.reopen_survey("town")
    ended.set()
    for thread in threads:
        thread.join()
    assert set(codes_of(outcomes)) <= {None, "closed", "wrong_version"}
    store.check()


@pytest.mark.servers
def test_the_rest_of_a_replaced_version_comes_out_when_the_survey_is_closed(store, standin, send):
    store.open_survey(standin.Standin())
    send(store, *(standin.body() for _ in range(BATCH)))
    store.mix(1)
    send(store, standin.body())
    store.open_survey(standin.Standin(title="two"), discard=True)  # nothing needs to be thrown away
    assert list(store.waiting().values()) == [(1, BATCH), (0, 0)]
    send(store, *(standin.body(version=2) for _ in range(2)))
    store.close_survey("town")
    assert list(store.waiting().values()) == [(0, BATCH + 1), (0, 2)]


def test_discarded_answers_take_their_contact_details_with_them(store, standin, send):
    until = datetime.date.today() + datetime.timedelta(days=30)
    store.open_survey(standin.Standin(linkage="register"), contacts_until=until)
    send(store, standin.body(code=standin.code(), contact={"name": "Ada"}))
    store.open_survey(standin.Standin(linkage="register", title="two"), contacts_until=until, discard=True)
    with store.engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM contact").scalar() == 0


def test_a_closing_without_answers_leaves_the_one_small_closing_to_be_had(store, standin, send):
    store.open_survey(standin.Standin())
    store.close_survey("town")
    store.reopen_survey("town")
    send(store, *(standin.body() for _ in range(BATCH - 1)))
    store.close_survey("town")
    assert store.overview("town").mixed == BATCH - 1


@pytest.mark.servers
def test_a_closing_that_a_crash_cut_short_is_finished_by_the_next_one(store, standin, send, monkeypatch):
    store.open_survey(standin.Standin())
    send(store, *(standin.body() for _ in range(3)))
    with monkeypatch.context() as patch:
        patch.setattr("deniable.survey.store.closing._release_rest", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store.close_survey("town")
    assert (store.overview("town").state, store.overview("town").mixed) == ("closed", 0)
    store.close_survey("town")
    assert store.overview("town").mixed == 3


def test_over_budget_floating_and_registers_without_an_end_cannot_be_opened(store, standin):
    with pytest.raises(RefusedError, match="budget"):
        store.open_survey(standin.Standin(budget=0.5))
    floating = dn.Schema({"x": dn.Additive(dn.Continuous(0, 1), dn.Normal(1))})
    with pytest.raises(dn.DeniableError, match="floating point"):
        store.open_survey(standin.Standin(schema=floating))
    with pytest.raises(RefusedError, match=r"the day on which they are erased.*contacts_until="):
        store.open_survey(standin.Standin(linkage="register"))
    assert store.slugs() == []
    store.check()
    assert list(store.keys.folder.glob("*.key")) == []


def test_contact_details_are_apart_from_answers_and_can_be_erased(store, standin, send, stored):
    until = datetime.date.today() + datetime.timedelta(days=30)
    store.open_survey(standin.Standin(linkage="register"), contacts_until=until)
    people = [standin.body(code=standin.code(), contact={"email": f"p{i}@town.example"}) for i in range(BATCH + 1)]
    assert set(send(store, *people[:BATCH])) == {None}
    assert store.mix(1) == BATCH
    send(store, people[BATCH])
    assert {row["code"] for row in store.contacts("town")} == {body["code"] for body in people[:BATCH]}
    assert {row["erased_after"] for row in store.contacts("town")} == {until.isoformat()}
    # One whose answers are mixed, one whose answers wait.
    for body in (people[3], people[BATCH]):
        assert store.erase("town", body["code"]) == (1, 1)
        assert store.erase("town", body["code"]) == (0, 0)
        assert body["code"] not in str(stored(store)) + str(store.contacts("town"))
        with store.engine.connect() as connection:
            assert body["code"] not in str(connection.exec_driver_sql("SELECT code FROM contact").all())
    assert len(stored(store)) == BATCH - 1
    assert store.expire_contacts(until) == 0
    assert store.expire_contacts(until + datetime.timedelta(days=1)) == BATCH - 1
    assert store.contacts("town") == []


@pytest.mark.servers
def test_the_day_on_which_contacts_are_erased_is_kept_to(store, standin, send):
    today = datetime.date.today()
    later, sooner, past = (today + datetime.timedelta(days=days) for days in (30, 10, -1))
    register = standin.Standin(linkage="register")
    with pytest.raises(RefusedError, match="that day is over"):
        store.open_survey(register, contacts_until=past)
    with pytest.raises(RefusedError, match="keeps no contact details"):
        store.open_survey(standin.Standin(), contacts_until=later)
    assert store.slugs() == []
    store.open_survey(register, contacts_until=later)
    assert json.loads(store.current("town")[1])["contacts_until"] == later.isoformat()
    send(store, standin.body(code=standin.code(), contact={"name": "Ada"}))
    with pytest.raises(RefusedError, match="were told"):
        store.open_survey(register, contacts_until=later + datetime.timedelta(days=1))
    assert store.open_survey(register) == 1  # as it was
    assert store.open_survey(register, contacts_until=sooner) == 1
    store.mix(1, least=1)
    assert [row["erased_after"] for row in store.contacts("town")] == [sooner.isoformat()]
    assert json.loads(store.current("town")[1])["contacts_until"] == sooner.isoformat()
    with store.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE survey_version SET contacts_until = '2020-01-01'")
    for reopen in (lambda: store.reopen_survey("town"), lambda: store.open_survey(register)):
        with pytest.raises(RefusedError, match="which is over"):
            reopen()
    store.open_survey(standin.Standin(slug="village"))
    assert json.loads(store.current("village")[1])["contacts_until"] is None


def test_a_receipt_code_that_is_taken_is_refused_and_hinders_nobody_else(store, standin, send):
    until = datetime.date.today() + datetime.timedelta(days=30)
    store.open_survey(standin.Standin(linkage="register"), contacts_until=until)
    store.open_survey(standin.Standin(slug="village"))

    def register(code, name):
        return read_submission(store.current("town")[0], standin.body(code=code, contact={"name": name}))

    def plain():
        return read_submission(store.current("village")[0], standin.body())

    code = standin.code()
    first = register(code, "Ada")
    # Twice in one group, then in a later one; beside people of another survey.
    assert codes_of(store.submit([plain(), first, register(code, "Eve"), plain()])) == [None, None, "code_used", None]
    assert codes_of(store.submit([plain(), register(code, "Eve"), first])) == [None, "code_used", "again"]
    store.mix(1, least=1)
    assert [row["name"] for row in store.contacts("town")] == ["Ada"]
    assert (standin.acknowledged(store), standin.acknowledged(store, "village")) == (1, 3)


def test_a_submission_that_breaks_its_group_for_an_unforeseen_reason_is_refused_alone(store, standin, monkeypatch):
    from deniable.survey.store import submissions

    until = datetime.date.today() + datetime.timedelta(days=30)
    store.open_survey(standin.Standin(linkage="register"), contacts_until=until)
    asked, code = store.current("town")[0], standin.code()
    monkeypatch.setattr(submissions, "_codes", lambda connection, group: set())  # nobody looks before
    given = [read_submission(asked, standin.body(code=one, contact={"name": "x"})) for one in (code, standin.code())]
    assert codes_of(store.submit(given)) == [None, None]
    given = [read_submission(asked, standin.body(code=one, contact={"name": "x"})) for one in (standin.code(), code)]
    assert codes_of(store.submit(given)) == [None, "not_stored"]
    assert standin.acknowledged(store) == 3


@pytest.mark.servers
def test_the_live_database_is_asked_through_a_view_with_labels(store, database, standin, send):
    labels = ["it's", 'a "b"', "100%", ":name", "back\\slash \\:", "żółć", "{brace}"]
    schema = dn.Schema(
        {
            "odd": dn.KRR(dn.Nominal(labels, missing="no answer"), 0.6),
            "flag": dn.KRR(dn.Nominal([True, False]), 0.7),
            "pick": dn.KRR(dn.Binary(), 0.8),
            "amount": dn.Optional(dn.Additive(dn.Integer(0, 5000, 5), dn.Laplace(50)), 0.9),
            "share": dn.Retention(dn.Continuous(0, 1, step=0.0005), 0.5),
            "colour: x%": dn.KRR(dn.Ordinal(["low", "high"]), 0.7),
        }
    )
    store.open_survey(standin.Standin(schema=schema))
    sizes = store.current("town")[0].sizes
    bodies = [standin.body({name: (7 * i + j) % size for j, (name, size) in enumerate(sizes.items())}) for i in range(2_100)]
    for name, size in sizes.items():
        bodies[0]["report"][name] = size - 1
    send(store, *bodies)
    store.mix(1)
    url = database if "://" in database else f"sqlite:///{database}"
    sample = dn.read(f"{url}#town_v1", schema)
    from deniable.engines.count import cell_table
    from deniable.engines.sources import open_source

    for name, size in sizes.items():
        table = cell_table(open_source(f"{url}#town_v1"), schema, [name]).dense()
        expected = [0] * size
        for body in bodies:
            expected[body["report"][name]] += 1
        assert table.tolist() == expected
    assert sample.count("odd == '100%'").n == 2_100


def test_names_that_postgresql_would_cut_are_refused(store, standin):
    schema = dn.Schema({"ż" * 40: dn.KRR(dn.Binary(), 0.7)})
    with pytest.raises(RefusedError, match="63 bytes"):
        store.open_survey(standin.Standin(schema=schema))
    assert store.slugs() == []


def test_waiting_answers_without_their_key_are_not_forgotten_silently(store, open_store, standin, send):
    store.open_survey(standin.Standin())
    send(store, *(standin.body() for _ in range(5)))
    for path in store.keys.folder.glob("*.key"):
        path.unlink()
    again = open_store()
    with pytest.raises(StoreError, match="keys="):
        again.check()
    assert again.check(discard_unreadable=True) == 5
    assert codes_of(send(again, standin.body())) == [None]
    assert standin.acknowledged(again) == 1


def test_keys_left_by_a_crash_are_swept(store, standin, send):
    store.open_survey(standin.Standin())
    orphan = store.keys.create()
    send(store, standin.body())
    hour_ago = time.time() - 3_601
    for path in store.keys.folder.glob("*.key"):
        os.utime(path, (hour_ago, hour_ago))
    store.check()
    assert not (store.keys.folder / f"{orphan}.key").exists()
    assert len(list(store.keys.folder.glob("*.key"))) == 1


def test_a_check_in_the_midst_of_a_mixing_leaves_the_new_key_alone(store, open_store, standin, send, stored, monkeypatch):
    from deniable.survey.store import mixing

    store.open_survey(standin.Standin())
    send(store, *(standin.body() for _ in range(BATCH)))
    other, rewrite = open_store(), mixing._rewrite

    def interrupted(*given):
        other.check()  # a second server starts, or somebody looks after the database
        rewrite(*given)

    monkeypatch.setattr(mixing, "_rewrite", interrupted)
    assert store.mix(1) == BATCH
    assert send(store, standin.body()) == [None]
    # Anyone who has the key only from the disk reads what was acknowledged.
    again = open_store()
    again.check()
    assert len(stored(again)) == BATCH + 1


def test_what_is_erased_or_expired_is_gone_from_the_file_and_its_log(tmp_path, standin, send):
    until = datetime.date.today() + datetime.timedelta(days=30)

    def kept(canary):
        files = [path for path in tmp_path.glob("town.db*") if path.is_file()]
        return any(canary.encode() in path.read_bytes() for path in files)

    with Store(str(tmp_path / "town.db")) as store:
        store.open_survey(standin.Standin(linkage="register"), contacts_until=until)
        bodies = [standin.body(code=standin.code(), contact={"name": f"Canary{i} " + "x" * 250}) for i in range(40)]
        send(store, *bodies)
        assert kept("Canary3 ")
        store.erase("town", bodies[3]["code"])
        assert not kept("Canary3 ")
        assert not kept(bodies[3]["code"])
        assert kept("Canary4 ")
        store.expire_contacts(until + datetime.timedelta(days=1))
        assert not kept("Canary4 ")


def test_a_changed_byte_in_the_inbox_is_noticed(store, standin, send):
    store.open_survey(standin.Standin())
    send(store, *(standin.body() for _ in range(BATCH)))
    with store.engine.begin() as connection:
        sealed = connection.exec_driver_sql("SELECT sealed FROM inbox WHERE id = 3").scalar_one()
        wrong = ("A" if sealed[20] != "A" else "B").join([sealed[:20], sealed[21:]])
        connection.execute(sa.text("UPDATE inbox SET sealed = :wrong WHERE id = 3"), {"wrong": wrong})
    with pytest.raises(StoreError, match="was changed on the disk"):
        store.mix(1)
    assert standin.acknowledged(store) == BATCH


def test_a_damaged_file_is_reported(tmp_path, standin, send):
    path = tmp_path / "town.db"
    with Store(str(path)) as store:
        store.open_survey(standin.Standin())
        send(store, *(standin.body() for _ in range(200)))
        store.close_survey("town")
    content = bytearray(path.read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 : page * 4096 + 8] = b"\xff" * 8
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"damaged|malformed|not a database"), Store(str(path)) as store:
        store.check()


def test_a_full_disk_acknowledges_nothing(tmp_path, standin, monkeypatch):
    from deniable.survey.submission import read_submission

    monkeypatch.setattr("deniable.survey.writer.PAUSE_SECONDS", 0.0)
    with Store(str(tmp_path / "town.db")) as store:
        store.open_survey(standin.Standin())
        asked = store.current("town")[0]

        @sa.event.listens_for(store.engine, "begin")
        def full(connection):
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 3}")

        with Writer(store) as writer:
            outcomes = [writer.submit(read_submission(asked, standin.body())) for _ in range(3)]
            assert outcomes == [None] * 3
            with store.engine.connect() as connection:
                limit = connection.exec_driver_sql("PRAGMA page_count").scalar()
            sa.event.remove(store.engine, "begin", full)

            @sa.event.listens_for(store.engine, "begin")
            def fuller(connection):
                connection.exec_driver_sql(f"PRAGMA max_page_count = {limit}")

            outcomes = [writer.submit(read_submission(asked, standin.body())) for _ in range(60)]
            refused = [outcome for outcome in outcomes if outcome is not None]
            assert refused
            assert {outcome.code for outcome in refused} == {"not_stored"}
            assert writer.trouble is not None
            assert "full" in writer.trouble
            sa.event.remove(store.engine, "begin", fuller)

            @sa.event.listens_for(store.engine, "begin")
            def room(connection):
                connection.exec_driver_sql("PRAGMA max_page_count = 100000")

            assert writer.submit(read_submission(asked, standin.body())) is None
            assert writer.trouble is None
        assert standin.acknowledged(store) == 3 + (60 - len(refused)) + 1


def test_a_write_that_fails_leaves_the_others_of_its_group_unacknowledged_too(store, standin, monkeypatch):
    from deniable.survey.submission import read_submission

    store.open_survey(standin.Standin())
    submission = read_submission(store.current("town")[0], standin.body())
    with Writer(store) as writer:
        with monkeypatch.context() as patch:
            patch.setattr(store, "submit", lambda group: 1 / 0)
            assert writer.submit(submission).code == "not_stored"
        assert writer.submit(submission) is None


@pytest.mark.servers
def test_foreign_urls_are_refused(tmp_path):
    for url, says in (("mysql://host/db", "not in mysql"), ("sqlite://", "needs a file"), ("://", "no database URL")):
        with pytest.raises(dn.DeniableError, match=says):
            Store(url)
    with pytest.raises(StoreError, match="does not exist"):
        Store(str(tmp_path / "nowhere" / "town.db"))
    with pytest.raises(StoreError) as refused:
        Store("postgresql://someone:secret@127.0.0.1:1/town")
    assert "secret" not in str(refused.value)


def test_dump_and_load_need_an_empty_store_and_a_whole_dump(store, tmp_path, standin, send):
    store.open_survey(standin.Standin())
    send(store, *(standin.body() for _ in range(BATCH)))
    text = io.StringIO()
    keys = store.dump(text)
    with Store(str(tmp_path / "new.db")) as new:
        cut = text.getvalue()[: len(text.getvalue()) // 2]
        with pytest.raises(StoreError, match="ends in the middle"):
            new.load(io.StringIO(cut), keys)
        assert new.slugs() == []
        with Store(str(tmp_path / "keyless.db")) as keyless:
            with pytest.raises(StoreError, match="keys="):
                keyless.load(io.StringIO(text.getvalue()), {})
            assert keyless.slugs() == []
        new.load(io.StringIO(text.getvalue()), keys)
        assert standin.acknowledged(new) == BATCH
        with pytest.raises(StoreError, match="already"):
            new.load(io.StringIO(text.getvalue()), keys)
        with pytest.raises(StoreError, match="no backup"):
            new.load(io.StringIO('{"format": "other"}\n'), keys)


def test_a_crash_right_after_a_small_closing_allows_no_second_one(store, standin, send, monkeypatch):
    """What was shown and that it was shown are written together."""
    store.open_survey(standin.Standin())
    send(store, *(standin.body() for _ in range(3)))

    def crash(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(closing, "vacuum", crash)
        with pytest.raises(KeyboardInterrupt):
            store.close_survey("town")
    assert store.overview("town").mixed == 3
    store.reopen_survey("town")
    send(store, standin.body())
    store.close_survey("town")
    assert store.overview("town").mixed == 3


def test_a_crash_in_the_middle_of_a_closing_shows_nothing_and_loses_nothing(store, standin, send, stored, monkeypatch):
    store.open_survey(standin.Standin())
    send(store, *(standin.body() for _ in range(3)))

    def crash(*given):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(mixing, "_rewrite", crash)
        with pytest.raises(KeyboardInterrupt):
            store.close_survey("town")
    assert (store.overview("town").mixed, len(stored(store))) == (0, 3)
    store.close_survey("town")
    assert store.overview("town").mixed == 3


@pytest.mark.servers
@pytest.mark.parametrize(
    "contact", [{"phone": "1"}, {"name": "Ada", "x1": ""}, {}, {"name": 1}, {"name": "x" * 301}, {"Name": "Ada"}]
)
def test_contact_details_are_those_that_the_page_asks_for(store, standin, send, contact):
    """2,000 posts of made-up fields once made a register of 20,000 columns."""
    store.open_survey(standin.Standin(linkage="register"), datetime.date(2099, 1, 1))
    with pytest.raises(RefusedError) as refused:
        send(store, standin.body(code=standin.code(), contact=contact))
    assert refused.value.code == "bad_contact"
    assert "name and email" in str(refused.value)
