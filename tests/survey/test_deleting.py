"""A survey that is deleted goes with all that belongs to it, and with nothing of any other."""

import datetime

import pytest
import sqlalchemy as sa

from deniable.errors import RefusedError
from deniable.survey.store import deleting
from deniable.survey.store.audit import COMMAND_LINE
from deniable.survey.store.published import Moment
from deniable.survey.store.tables import STATIC
from deniable.survey.submission import read_submission, token_hash


def rows(store):
    """How many rows each table has, without what stays known of a deleted survey; and the tables and views themselves."""
    look = sa.inspect(store.engine)
    with store.engine.connect() as connection:
        counts = {table.name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar() for table in STATIC}
    for kept in ("audit", "deleted"):  # that it was there, and the numbers that it had, stay known
        counts.pop(kept)
    return counts, sorted(look.get_table_names()), sorted(look.get_view_names())


def fill(store, standin, send, slug):
    """A register by invitation with two versions; one answer is released, one waits when it is closed again."""
    for title in ("First", "Second"):
        store.open_survey(standin.Standin(slug=slug, linkage="register", invited=True, title=title), datetime.date(2099, 1, 1))
        tokens = [f"{slug}-{title}-{i}" for i in range(3)]
        store.add_invitations(slug, [(token_hash(slug, token), None, None) for token in tokens])
        number = store.overview(slug).number
        bodies = [standin.body(version=number, token=token, code=standin.code(), contact={"name": "x"}) for token in tokens[:2]]
        assert send(store, *bodies, slug=slug) == [None, None]
        store.close_survey(slug)
    store.reopen_survey(slug)
    body = standin.body(version=2, token=f"{slug}-Second-2", code=standin.code(), contact={"name": "late"})
    assert send(store, body, slug=slug) == [None]
    store.close_survey(slug)
    store.keep_report_draft(slug, "{}", "")
    read = store.version(slug)
    made_of = Moment(read.id, store.closings_of(slug)[1], store.count_released(read), "everyone")
    store.release_results(slug, {"en": "<p>"}, made_of, set(), None)


def test_nothing_of_it_is_left_and_nothing_else_is_touched(store, standin, send):
    fill(store, standin, send, "stays")
    before, keys = rows(store), {path.name for path in store.keys.folder.glob("*.key")}
    fill(store, standin, send, "goes")
    assert rows(store) != before
    store.delete_survey("goes", COMMAND_LINE)
    assert rows(store) == before
    assert {path.name for path in store.keys.folder.glob("*.key")} == keys
    assert store.slugs() == ["stays"]
    assert [(line.action, line.about) for line in store.audit_lines()] == [("deleted", "goes")]
    with pytest.raises(RefusedError, match="no survey"):
        store.delete_survey("goes", COMMAND_LINE)
    store.check()


def test_an_open_survey_stays(store, standin, send):
    store.open_survey(standin.Standin())
    send(store, standin.body())
    before = rows(store)
    with pytest.raises(RefusedError, match="close it before"):
        store.delete_survey("town", COMMAND_LINE)
    assert (rows(store), store.audit_lines()) == (before, [])


def test_a_crash_in_the_middle_leaves_it_whole(store, standin, send, monkeypatch):
    fill(store, standin, send, "town")
    before, keys = rows(store), sorted(path.name for path in store.keys.folder.glob("*.key"))
    monkeypatch.setattr(deleting, "write_line", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        store.delete_survey("town", COMMAND_LINE)
    assert (rows(store), sorted(path.name for path in store.keys.folder.glob("*.key"))) == (before, keys)


def test_no_number_is_given_out_twice(store, standin):
    """Whoever holds what was said of a deleted version must not find another in its place."""
    store.open_survey(standin.Standin(slug="one"))
    store.open_survey(standin.Standin(slug="two"))
    gone = store.current("two")[0]
    store.close_survey("two")
    store.delete_survey("two")
    store.open_survey(standin.Standin(slug="three"))
    asked = store.current("three")[0]
    assert asked.version > gone.version
    assert asked.survey > gone.survey


def test_a_new_survey_of_that_name_has_other_numbers_and_takes_nothing_that_was_drawn_for_the_old_one(store, standin, send):
    """Somebody may still have the old page open, and whatever keeps what it read knows a version by its short name and number."""
    fill(store, standin, send, "town")
    old = store.current("town")[0]
    store.delete_survey("town")
    store.open_survey(standin.Standin(title="Something else"))
    now = store.current("town")[0]
    assert (old.number, now.number) == (2, 3)
    with pytest.raises(RefusedError, match="changed since the page was opened"):
        send(store, standin.body(version=2))
    with pytest.raises(RefusedError, match="no version 2"):
        store.version("town", 2)


def test_an_answer_to_a_survey_that_was_deleted_holds_up_nobody_elses(store, standin, send):
    store.open_survey(standin.Standin(slug="goes"))
    gone = read_submission(store.current("goes")[0], standin.body())
    store.close_survey("goes")
    store.delete_survey("goes")
    store.open_survey(standin.Standin(slug="stays"))
    refused, kept = store.submit([gone, read_submission(store.current("stays")[0], standin.body())])
    assert (refused.code, kept) == ("closed", None)


def test_the_file_holds_nothing_of_it(tmp_path, standin, send):
    from deniable.survey.store import Store

    with Store(str(tmp_path / "town.db")) as store:
        store.open_survey(standin.Standin(slug="goes", linkage="register", title="Zanzibar"), datetime.date(2099, 1, 1))
        send(store, standin.body(code=standin.code(), contact={"name": "Kilimanjaro"}), slug="goes")
        store.close_survey("goes")
        written = b"".join(path.read_bytes() for path in tmp_path.glob("town.db*") if path.is_file())
        assert b"Zanzibar" in written
        assert b"Kilimanjaro" in written
        store.delete_survey("goes")
        written = b"".join(path.read_bytes() for path in tmp_path.glob("town.db*") if path.is_file())
        assert b"Zanzibar" not in written
        assert b"Kilimanjaro" not in written
