"""People of the house who want more than their role allows, and strangers who want to be one of them.

An analyst tries whatever an owner may do. Somebody who was removed goes on with the session they have. Two owners remove each other at the
same moment, so that nobody is left. A stranger finds out which names there are, or has somebody log in to a session that the stranger
knows. And a thief of the database dates what people sent by the audit trail. Each of them wins where one protection is taken away.
"""

import contextlib
import datetime
import threading
import time

import pytest

from deniable.errors import RefusedError
from deniable.survey.store import Store, accounts, audit
from deniable.survey.store.audit import COMMAND_LINE
from deniable.survey.submission import read_submission
from deniable.web import login, permissions
from deniable.web.accounts import COOKIE, Accounts

PASSWORD = "correct horse battery"


def session(town, name, role):
    town.store.add_account(name, role, f"link of {name}", COMMAND_LINE)
    made = town.store.choose_password(f"link of {name}", "no password has this hash")
    return made, town.service.app.state.accounts._new_session(made)


def send(town, verb, path, cookie, **data):
    town.client.cookies.clear()
    headers = {"Origin": town.url, "Cookie": f"{COOKIE}={cookie}"}
    return town.client.request(verb, path, headers=headers, data=data if verb == "POST" else None)


def takes_over(town):
    """What an analyst gets of what is for owners."""
    (anna, cookie), (boss, _) = session(town, "Anna", "analyst"), session(town, "Boss", "owner")
    won = set()
    if send(town, "GET", "/organiser/surveys/town/export.parquet", cookie).content[:4] == b"PAR1":
        won.add("has the answers")
    if "closed the survey" in send(town, "GET", "/organiser/audit", cookie).text:
        won.add("reads what others did")
    send(town, "POST", "/organiser/surveys/town/open", cookie, sure="yes")
    if town.store.overview("town").state == "open":
        won.add("opens")
    send(town, "POST", "/organiser/surveys/town/close", cookie, sure="yes")
    if won and town.store.overview("town").state == "closed":
        won.add("closes")
    send(town, "POST", "/organiser/accounts", cookie, name="Eve", role="owner")
    if town.store.account_by_name("Eve") is not None:
        won.add("makes an owner")
    for verb in ("link", "remove"):
        send(town, "POST", f"/organiser/accounts/{boss.mark}/{verb}", cookie, sure="yes")
    if town.store.account_by_mark(boss.mark) is None:
        won.add("removes the owner")
    send(town, "POST", f"/organiser/accounts/{anna.mark}/role", cookie, role="owner")
    if town.store.account_by_name("Anna")[0].role == "owner":
        won.add("becomes an owner")
    return won


@pytest.fixture
def town(serve, standin):
    town = serve(standin.Standin())
    asked = town.store.current("town")[0]
    town.store.submit([read_submission(asked, standin.body()) for _ in range(5)])
    town.store.close_survey("town", COMMAND_LINE)
    town.store.choose_first_password("no password has this hash")
    return town


def test_an_analyst_gets_nothing_that_is_for_owners(town):
    assert takes_over(town) == set()


def test_without_the_table_of_roles_they_get_it(town, monkeypatch):
    monkeypatch.setattr(permissions, "may", lambda *_: True)
    won = takes_over(town)
    # Of accounts they still change none: the database looks at the role once more.
    assert won == {"has the answers", "reads what others did", "opens", "closes"}
    monkeypatch.setattr(accounts, "_begin", lambda *_: None)
    for one in town.store.accounts():
        if one.name in ("Anna", "Boss"):
            town.store.remove_account(one.mark, COMMAND_LINE)
    assert {"makes an owner", "becomes an owner", "removes the owner"} <= takes_over(town)


@pytest.mark.parametrize("looked_up", [True, False])
def test_who_was_removed_or_demoted_goes_on_only_if_sessions_are_believed(town, monkeypatch, looked_up):
    if not looked_up:
        known = {}
        found = Store.account_by_mark
        monkeypatch.setattr(Store, "account_by_mark", lambda self, mark: known.setdefault(mark, found(self, mark)))
    (gone, cookie), (changed, second) = session(town, "Gone", "owner"), session(town, "Changed", "owner")
    assert [send(town, "GET", "/organiser/audit", one).status_code for one in (cookie, second)] == [200, 200]
    town.store.remove_account(gone.mark, COMMAND_LINE)
    town.store.set_role(changed.mark, "analyst", COMMAND_LINE)
    # Whoever comes after has the number of the one who was removed, and another mark.
    session(town, "Next", "owner")
    codes = [send(town, "GET", "/organiser/audit", one).status_code for one in (cookie, second)]
    assert codes == ([303, 303] if looked_up else [200, 200])


@pytest.mark.parametrize("one_by_one", [True, False])
def test_two_owners_who_remove_each_other_leave_nobody_only_if_they_are_not_one_by_one(
    open_store, database, monkeypatch, one_by_one
):
    if not one_by_one and "postgresql" not in database:
        pytest.skip("SQLite has one writer, whatever we do")
    stores = open_store(), open_store()
    both = []
    for name in ("One", "Two"):
        stores[0].add_account(name, "owner", name, COMMAND_LINE)
        both.append(stores[0].choose_password(name, "hash"))
    if not one_by_one:
        for module in (accounts, audit):
            monkeypatch.setattr(module, "lock_accounts", lambda _: None)
        monkeypatch.setattr(audit, "forget_when", lambda _: None)
    meet, looked = threading.Barrier(2), accounts._keep_an_owner

    def both_have_changed_and_neither_is_done(connection, before):
        with contextlib.suppress(threading.BrokenBarrierError):  # where the other waits for us to end
            meet.wait(1 if one_by_one else 30)
        looked(connection, before)

    monkeypatch.setattr(accounts, "_keep_an_owner", both_have_changed_and_neither_is_done)

    def remove(i):
        with contextlib.suppress(RefusedError):
            stores[i].remove_account(both[1 - i].mark, both[i].actor)

    threads = [threading.Thread(target=remove, args=(i,)) for i in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(stores[0].accounts()) == (1 if one_by_one else 0)


NAMES = {"organiser": True, "Anna": True, "waiting for a password": True, "nobody": False, "a\x00b": False, "x" * 500: False}


def tells(checks):
    """Which names a stranger takes for accounts, by how long a refusal takes at least: a busy machine only makes some of them longer."""
    took = dict.fromkeys(NAMES, float("inf"))
    for name in [*NAMES] * 5:
        begin = time.perf_counter()
        with pytest.raises(RefusedError, match="name or the password"):
            checks.log_in(name, "wrong")
        took[name] = min(took[name], time.perf_counter() - begin)
    middle = (max(took.values()) * min(took.values())) ** 0.5
    return {name for name in took if took[name] > middle} if max(took.values()) > 4 * min(took.values()) else None


@pytest.fixture
def known(tmp_path):
    with Store(str(tmp_path / "town.db")) as store:
        checks = Accounts(store)
        checks.choose_password(checks.first_key, PASSWORD, PASSWORD)
        checks.choose_password(checks.add("Anna", "analyst", COMMAND_LINE)[1], PASSWORD, PASSWORD)
        checks.add("waiting for a password", "analyst", COMMAND_LINE)
        yield checks


def test_a_refusal_takes_as_long_whether_there_is_such_a_name_or_not(known):
    assert tells(known) is None


def test_without_a_password_to_compare_with_it_tells_the_names(known, monkeypatch):
    compared = Accounts._verified
    monkeypatch.setattr(
        Accounts, "_verified", lambda self, found, password: found and found[1] and compared(self, found, password)
    )
    assert tells(known) == {"organiser", "Anna"}


def test_a_refusal_says_the_same_whether_there_is_such_a_name_or_not(town, monkeypatch):
    monkeypatch.setattr(Accounts, "_verified", lambda *_: None)
    town.store.add_account("Anna", "analyst", "link", COMMAND_LINE)
    said = set()
    for name in ("organiser", "Anna", "nobody", "", "\u202e"):
        reply = send(town, "POST", "/organiser/login", "", username=name, password="wrong")
        said.add((reply.status_code, reply.text.replace(f'value="{name}"', 'value=""'), reply.headers.get("set-cookie")))
    assert len(said) == 1
    links = {send(town, "GET", f"/organiser/first/{key}", "").text for key in ("none", "link", "x" * 43)}
    assert len(links) == 1


@pytest.mark.parametrize("renewed", [True, False])
def test_nobody_logs_in_to_a_session_that_a_stranger_knows(town, monkeypatch, renewed):
    """The stranger plants a cookie in the owner's browser (a shared machine, a page of a neighbouring site) and waits."""
    if not renewed:
        monkeypatch.setattr(login, "with_session", lambda request, token, path: kept(town, request, token, path))
    planted = session(town, "Stranger", "analyst")[1]
    checks = town.service.app.state.accounts
    monkeypatch.setattr(checks, "_verified", lambda found, _: found[0])
    assert send(town, "POST", "/organiser/login", planted, username="organiser", password="right").status_code == 303
    assert send(town, "GET", "/organiser/audit", planted).status_code == (303 if renewed else 200)


def kept(town, request, token, path):
    """As frameworks did it once: the session that the browser names becomes the one of whoever logs in."""
    sessions = town.service.app.state.accounts._sessions
    from deniable.web.accounts import _hashed

    sessions[_hashed(request.cookies[COOKIE])] = sessions.pop(_hashed(token))
    return login.led_to(request, path)


@pytest.mark.parametrize("written_again", [True, False])
def test_the_audit_trail_dates_nobody_by_the_order_of_transactions(open_store, database, standin, monkeypatch, written_again):
    """PostgreSQL keeps with every row by which transaction it was written. A thief puts contact details between two lines with days."""
    if "postgresql" not in database:
        pytest.skip("SQLite keeps no such number")
    if not written_again:
        monkeypatch.setattr(audit, "forget_when", lambda _: None)
    store = open_store()
    store.open_survey(standin.Standin(linkage="register"), datetime.date(2099, 1, 1))
    monkeypatch.setattr(audit, "_today", lambda: "2026-11-01")
    store.choose_first_password("hash")
    asked, truth = store.current("town")[0], {}
    for i in range(1, 8):
        monkeypatch.setattr(audit, "_today", lambda i=i: f"2026-11-0{i}")
        store.record(store.accounts()[0].actor, "logged_in")
        code = standin.code()
        store.submit([read_submission(asked, standin.body(code=code, contact={"name": "Ada"}))])
        truth[code] = f"2026-11-0{i}"
    with store.engine.connect() as connection:
        days = connection.exec_driver_sql("SELECT xmin::text::bigint, day FROM audit ORDER BY 1").all()
        came = connection.exec_driver_sql("SELECT xmin::text::bigint, code FROM contact").all()
    guessed = {code: max(((number, day) for number, day in days if number < when), default=(0, ""))[1] for when, code in came}
    right = sum(guessed[code] == day for code, day in truth.items())
    # All lines have the number of the newest: it tells who came after it, and nothing of the others.
    assert right == (1 if written_again else 7)
