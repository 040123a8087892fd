"""What is kept of a report and of released results, in SQLite and PostgreSQL; backups; databases of the release before."""

import io
import json
import sqlite3
from pathlib import Path

import pytest

from deniable.errors import RefusedError
from deniable.survey.store import Store, audit
from deniable.survey.store.audit import COMMAND_LINE
from deniable.survey.store.published import Moment, draft_mark

PAGES = {"results": "<p>ąę</p>", "en": "<p>a</p>", "style": "p {}"}
CLOSED = Path(__file__).parent / "fixtures" / "closed-v3"
"""A closed survey with 240 answers, an account and an audit trail, as written by the release before results could be released."""


@pytest.fixture
def town(store, standin, send):
    store.open_survey(standin.Standin())
    send(store, *(standin.body() for _ in range(60)))
    store.close_survey("town")
    return store


def moment(store, division="d", **changed):
    read = store.version("town")
    return Moment(**{"version_id": read.id, "closings": 1, "total": 60, "division": division, **changed})


def test_a_draft_is_kept_unless_somebody_else_changed_it(town):
    assert town.report_draft("town") is None
    town.keep_report_draft("town", '{"a": "ż"}', "")
    mark = draft_mark(town.report_draft("town"))
    town.keep_report_draft("town", "{}", mark)
    for late in ("", mark):
        with pytest.raises(RefusedError, match="changed meanwhile"):
            town.keep_report_draft("town", "late", late)
    assert town.report_draft("town") == "{}"
    with pytest.raises(RefusedError, match="no survey"):
        town.keep_report_draft("nowhere", "{}", "")


def test_pages_are_released_replaced_and_taken_back(town):
    assert town.released_on("town") is None
    town.release_results("town", PAGES, moment(town), set(), COMMAND_LINE)
    assert {name: town.released_part("town", name) for name in PAGES} == PAGES
    assert town.released_on("town") == audit._today()
    assert [town.released_part(*where) for where in (("town", "pl"), ("nowhere", "en"), ("\x00", "en"), ("town", "\x00"))] == [
        None
    ] * 4
    known = town.once_released(town.version("town").id)
    assert known == {(60, "d")}
    town.release_results("town", {"pl": "<p>b</p>"}, moment(town), known, COMMAND_LINE)
    assert [town.released_part("town", name) for name in ("pl", "en")] == ["<p>b</p>", None]
    town.take_back_results("town", COMMAND_LINE)
    assert (town.released_part("town", "pl"), town.released_on("town")) == (None, None)
    assert town.once_released(town.version("town").id) == {(60, "d")}
    lines = [(line.action, line.about, line.repeats) for line in town.audit_lines()]
    assert lines[:2] == [("took_back_results", "town", 1), ("released_results", "town", 2)]
    town.take_back_results("town", COMMAND_LINE)
    assert town.audit_lines()[0].repeats == 1


@pytest.mark.parametrize(
    ("changed", "known"), [({"closings": 2}, set()), ({"total": 59}, set()), ({"total": 61}, set()), ({}, {(60, "other")})]
)
def test_nothing_is_released_of_what_is_no_longer_there(town, changed, known):
    with pytest.raises(RefusedError, match="changed meanwhile"):
        town.release_results("town", PAGES, moment(town, **changed), known, COMMAND_LINE)
    assert town.released_part("town", "en") is None
    assert town.once_released(town.version("town").id) == set()
    assert "released_results" not in [line.action for line in town.audit_lines()]


def test_an_open_survey_releases_nothing(town):
    town.reopen_survey("town")
    with pytest.raises(RefusedError, match="when it is closed"):
        town.release_results("town", PAGES, moment(town), set(), COMMAND_LINE)


def test_a_backup_holds_the_draft_the_pages_and_what_was_ever_released(town, open_store, tmp_path):
    town.keep_report_draft("town", "{}", "")
    town.release_results("town", PAGES, moment(town), set(), COMMAND_LINE)
    written = io.StringIO()
    keys = town.dump(written)
    with Store(str(tmp_path / "new.db")) as new:
        written.seek(0)
        new.load(written, keys)
        assert new.report_draft("town") == "{}"
        assert {name: new.released_part("town", name) for name in PAGES} == PAGES
        assert new.once_released(new.version("town").id) == {(60, "d")}


def goes_on(store):
    assert store.report_draft("council") is None
    store.keep_report_draft("council", "{}", "")
    read = store.version("council")
    assert store.once_released(read.id) == set()
    store.release_results("council", PAGES, Moment(read.id, 1, 240, "d"), set(), COMMAND_LINE)
    assert store.released_part("council", "results") == PAGES["results"]
    assert {line.action for line in store.audit_lines()} == {"closed", "added_owner", "released_results", "opened"}


def test_a_database_of_the_release_before_releases_its_results(tmp_path):
    with sqlite3.connect(tmp_path / "old.db") as connection:
        connection.executescript(CLOSED.with_suffix(".sql").read_text())
    connection.close()
    with Store(str(tmp_path / "old.db")) as store:
        goes_on(store)


def test_so_does_its_backup(store):
    with CLOSED.with_suffix(".backup").open() as lines:
        assert json.loads(lines.readline())["version"] == 3
        lines.seek(0)
        store.load(lines, {})
    goes_on(store)


@pytest.mark.parametrize("written_again", [True, False])
def test_the_day_of_a_released_page_dates_nobody_by_the_order_of_transactions(
    store, database, standin, send, monkeypatch, written_again
):
    """PostgreSQL keeps with every row, also with the pieces of a long text, by which transaction it was written."""
    if "postgresql" not in database:
        pytest.skip("SQLite keeps no such number")
    store.open_survey(standin.Standin())
    send(store, *(standin.body() for _ in range(60)))
    store.close_survey("town")
    import secrets

    long = {"en": secrets.token_hex(20_000)}  # what cannot be compressed lies in a table of its own
    store.release_results("town", long, moment(store), set(), COMMAND_LINE)
    store.open_survey(standin.Standin(slug="other"))
    send(store, standin.body(), slug="other")
    if not written_again:
        monkeypatch.setattr(audit, "forget_when", lambda _: None)
    store.record(COMMAND_LINE, "backed_up")
    with store.engine.connect() as connection:
        piece = connection.exec_driver_sql(
            "SELECT reltoastrelid::regclass::text FROM pg_class WHERE oid = 'released_page'::regclass"
        ).scalar()
        page = connection.exec_driver_sql(f"SELECT max(xmin::text::bigint), count(*) FROM {piece}").one()
        came = connection.exec_driver_sql("SELECT max(xmin::text::bigint) FROM receipt").scalar()
    assert page[1] > 1
    assert (page[0] > came) == written_again
    assert store.released_part("town", "en") == long["en"]
