"""Accounts and the audit trail in the database: roles, stamps, the last owner, and lines by the day."""

import datetime
import threading

import pytest
import sqlalchemy as sa

from deniable.errors import ParameterError, RefusedError
from deniable.survey.account_names import checked_name
from deniable.survey.store import accounts, audit
from deniable.survey.store.audit import ACTIONS, COMMAND_LINE, UNKNOWN, Actor


def ready(store, name, role):
    """An account with a password."""
    store.add_account(name, role, f"link of {name}", COMMAND_LINE)
    return store.choose_password(f"link of {name}", f"hash of {name}")


def lines(store):
    return [(line.actor.kind, line.actor.name, line.action, line.about, line.times) for line in store.audit_lines()]


def test_an_account_from_its_link_to_its_end(store):
    first = store.choose_first_password("hash")
    assert (first.name, first.role, first.ready) == ("organiser", "owner", True)
    anna = store.add_account(" Anna  Nowak ", "analyst", "a link", first.actor)
    assert (anna.name, anna.role, anna.ready) == ("Anna Nowak", "analyst", False)
    assert store.account_by_name("ANNA NOWAK") == (anna, None)
    assert store.account_by_link("a link") == anna
    chosen = store.choose_password("a link", "another hash")
    assert (store.account_by_name("Anna Nowak"), store.account_by_link("a link")) == ((chosen, "another hash"), None)
    with pytest.raises(RefusedError, match="already been used"):
        store.choose_password("a link", "a third")
    stamps = [chosen.stamp]
    stamps.append(store.set_role(stamps[-1], "owner", first.actor).stamp)
    assert store.set_role(stamps[-1], "owner", first.actor).stamp == stamps[-1]  # nothing has changed
    stamps.append(store.change_password(stamps[-1], "new hash").stamp)
    stamps.append(store.new_link(stamps[-1], "second link", first.actor).stamp)
    # Whatever changed the account has ended what carried an earlier stamp.
    assert [store.account_by_stamp(one) is None for one in stamps] == [True, True, True, False]
    store.remove_account(stamps[-1], first.actor)
    assert [one.name for one in store.accounts()] == ["organiser"]
    with pytest.raises(RefusedError, match="changed or removed meanwhile"):
        store.remove_account(stamps[-1], first.actor)
    me, her = ("account", "organiser"), ("account", "Anna Nowak")
    assert lines(store) == [
        (*me, "removed", "Anna Nowak", 1),
        (*me, "new_link", "Anna Nowak", 1),
        (*her, "changed_password", "", 1),
        (*me, "made_owner", "Anna Nowak", 1),
        (*her, "chose_password", "", 1),
        (*me, "added_analyst", "Anna Nowak", 1),
        (*me, "chose_password", "", 1),
    ]


def test_a_link_is_good_for_a_week(store, monkeypatch):
    made = store.add_account("Anna", "analyst", "a link", COMMAND_LINE)
    assert made.link_until == (datetime.date.today() + datetime.timedelta(days=7)).isoformat()
    later = type("Later", (datetime.date,), {"today": classmethod(lambda cls: datetime.date(2999, 1, 1))})
    monkeypatch.setattr(accounts.datetime, "date", later)
    assert store.account_by_link("a link") is None
    with pytest.raises(RefusedError, match="already been used"):
        store.choose_password("a link", "hash")


@pytest.mark.parametrize("change", ["remove", "demote", "link"])
def test_the_last_owner_who_can_log_in_stays(store, change):
    one, _ = ready(store, "One", "owner"), ready(store, "Analyst", "analyst")
    waiting = store.add_account("Waiting", "owner", "not used yet", COMMAND_LINE)
    act = {
        "remove": lambda account, by: store.remove_account(account.stamp, by),
        "demote": lambda account, by: store.set_role(account.stamp, "analyst", by),
        "link": lambda account, by: store.new_link(account.stamp, f"new link of {account.name}", by),
    }[change]
    before = store.accounts(), lines(store)
    for by in (COMMAND_LINE, one.actor):
        with pytest.raises(RefusedError, match="last owner with a password"):
            act(one, by)
    assert (store.accounts(), lines(store)) == before
    act(waiting, COMMAND_LINE)  # who cannot log in yet is not counted
    two = ready(store, "Two", "owner")
    act(one, two.actor)
    assert [name for name in ("One", "Two") if (store.account_by_name(name) or [None] * 2)[1] is not None][-1] == "Two"


def test_owners_who_demote_one_another_at_once_leave_one(open_store):
    stores = open_store(), open_store()
    for _ in range(5):
        pair = [ready(stores[0], name, "owner") for name in ("One", "Two")]
        begin, refused = threading.Barrier(2), []

        def demote(store, me, other, begin=begin, refused=refused):
            begin.wait()
            try:
                store.set_role(other.stamp, "analyst", me.actor)
            except RefusedError as error:
                refused.append(error.code)

        threads = [threading.Thread(target=demote, args=(stores[i], pair[i], pair[1 - i])) for i in range(2)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert refused in (["only_owners"], ["last_owner"])
        assert [one.role for one in stores[0].accounts()] == ["owner", "analyst"]
        with stores[0].engine.begin() as connection:
            connection.exec_driver_sql("DELETE FROM account")


def test_who_is_no_owner_any_more_changes_nothing(store):
    one, two = ready(store, "One", "owner"), ready(store, "Two", "owner")
    store.set_role(two.stamp, "analyst", one.actor)
    for change in (
        lambda: store.add_account("Three", "owner", "link", two.actor),
        lambda: store.set_role(one.stamp, "analyst", two.actor),
        lambda: store.remove_account(one.stamp, two.actor),
        lambda: store.new_link(one.stamp, "link", two.actor),
    ):
        with pytest.raises(RefusedError, match="Only an owner"):
            change()
    assert [(one.name, one.role) for one in store.accounts()] == [("One", "owner"), ("Two", "analyst")]


@pytest.mark.parametrize(
    "name",
    ["", "   ", "x" * 61, "a\u202eb", "a\x00b", "a\u200bb", "Command  LINE", "ＳＥＲＷＥＲ", "wiersz poleceń", "x" * 100_000],
)
def test_names_that_are_not_seen_as_they_are_or_are_no_persons_are_refused(name):
    with pytest.raises(RefusedError):
        checked_name(name)


def test_names_and_roles_are_checked_and_names_are_unique_however_they_are_written(store):
    store.add_account("Ania Żółć", "analyst", "1", COMMAND_LINE)
    for name in ("ania żółć", "Ania Z\u0307o\u0301łc\u0301", "ＡＮＩＡ żółć"):
        with pytest.raises(RefusedError, match="already"):
            store.add_account(name, "analyst", "2", COMMAND_LINE)
    with pytest.raises(ParameterError, match="owner or analyst"):
        store.add_account("Jan", "boss", "2", COMMAND_LINE)
    assert store.account_by_name("nobody\x00") is None


def test_there_are_not_more_accounts_than_a_page_can_show(store, monkeypatch):
    monkeypatch.setattr(accounts, "MOST_ACCOUNTS", 2)
    for name in ("One", "Two"):
        store.add_account(name, "analyst", name, COMMAND_LINE)
    with pytest.raises(RefusedError, match="remove some first"):
        store.add_account("Three", "analyst", "Three", COMMAND_LINE)


def test_what_surveys_go_through_is_listed_with_who_did_it(store, standin):
    by = Actor("account", "Anna")
    store.open_survey(standin.Standin(), by=COMMAND_LINE)
    store.open_survey(standin.Standin(), by=COMMAND_LINE)
    for _ in range(3):
        store.close_survey("town", by)
        store.reopen_survey("town", by)
    store.close_survey("town")  # by the program itself: a last day is over
    assert lines(store) == [
        ("account", "Anna", "opened", "town", 3),
        ("account", "Anna", "closed", "town", 3),
        ("command line", "", "opened", "town", 2),
    ]


def test_what_is_refused_is_not_listed_as_done(store, standin):
    store.open_survey(standin.Standin(), by=COMMAND_LINE)
    with pytest.raises(RefusedError):
        store.close_survey("nowhere", COMMAND_LINE)
    with pytest.raises(ParameterError, match="not among what is listed"):
        store.record(COMMAND_LINE, "answered", "town")
    assert len(lines(store)) == 1


def test_the_newest_lines_are_kept_and_read_page_by_page(store, monkeypatch):
    monkeypatch.setattr(audit, "MOST_LINES", 10)
    for i in range(25):
        store.record(UNKNOWN, "failed_login", f"name {i}")
    kept = store.audit_lines()
    assert [line.about for line in kept] == [f"name {i}" for i in range(24, 14, -1)]
    first = store.audit_lines(None, 4)
    assert first + store.audit_lines(first[-1].id, 100) == kept


def test_lines_have_a_day_and_nothing_finer(store):
    for action in ACTIONS:
        store.record(COMMAND_LINE, action, "town")
    with store.engine.connect() as connection:
        columns = {column["name"]: str(column["type"]) for column in sa.inspect(store.engine).get_columns("audit")}
        assert connection.execute(sa.select(audit.audit.c.day).distinct()).scalars().all() == [
            datetime.date.today().isoformat()
        ]
    assert set(columns) == {"id", "day", "kind", "name", "action", "about", "times"}


def test_a_backup_brings_accounts_and_lines_back(open_store, tmp_path):
    import io

    from deniable.survey.store import Store

    store = open_store()
    ready(store, "Anna", "owner")
    text = io.StringIO()
    store.dump(text)
    with Store(str(tmp_path / "again.db")) as again:
        again.load(io.StringIO(text.getvalue()), {})
        assert (again.accounts(), lines(again)) == (store.accounts(), lines(store))
        again.add_account("Jan", "analyst", "link", COMMAND_LINE)
        with pytest.raises(Exception, match="surveys or accounts already"):
            again.load(io.StringIO(text.getvalue()), {})
