"""What trying a survey may cost those who answer another one in the same database: memory, and waiting."""

import contextlib
import time

import numpy as np
import pytest
import sqlalchemy as sa

from deniable.errors import RefusedError
from deniable.survey import trials
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store, bulk
from deniable.survey.submission import read_submission
from deniable.survey.trials import delete_trial, make_up, open_trial

HEAD = {"survey": "town", "title": "Town", "organiser": "Town hall", "contact": "t@town.example", "other_way": "Call us."}


def town(columns, title="Town"):
    choices = [f"a{i}" for i in range(columns)]
    boxes = {"type": "checkbox", "name": "boxes", "title": "Which?", "choices": choices, "privacy": "strong"}
    return Questionnaire.from_json({**HEAD, "title": title, "pages": [{"elements": [boxes]}]})


def answer(store, slug):
    asked, _ = store.current(slug)
    body = {"version": asked.number, "id": "i" * 22, "report": dict.fromkeys(asked.sizes, 1)}
    assert store.submit([read_submission(asked, body)]) == [None]


def test_so_many_people_with_so_many_columns_are_refused_before_anything_is_done(store, monkeypatch):
    made = make_up(store, town(3), 60)
    asked = town(300)

    def computed(*_):
        raise AssertionError("computed")

    with monkeypatch.context() as quick:
        quick.setattr(trials, "made_up_reports", computed)
        with pytest.raises(RefusedError, match=r"6,667 people .* 300 columns: 6,666 can be made up") as refused:
            make_up(store, asked, 6_667)
    assert (refused.value.code, refused.value.parameters["most"]) == ("made_up_cells", 6_666)
    # Those that were there before stay.
    assert (store.overview(made.slug).number, store.overview(made.slug).mixed) == (made.number, 60)


def test_people_are_made_a_group_at_a_time_for_a_survey_that_is_there(store, monkeypatch):
    made, original = [], trials.made_up_reports

    def counted(asked, people):
        assert store.slugs() == ["made-up--town"]
        # All that were made before are stored.
        assert store.waiting()[store.version("made-up--town").id] == (sum(made), 0)
        made.append(people)
        return original(asked, people)

    monkeypatch.setattr(trials, "made_up_reports", counted)
    make_up(store, town(3), 250)
    assert (made, store.overview("made-up--town").mixed) == ([100, 100, 50], 250)


def test_what_took_its_place_is_not_deleted_with_it(store, monkeypatch):
    """Somebody makes up others while people are being made up: the first are refused from then on, and clean up behind themselves alone."""
    original, calls = type(store).submit, []

    def replaced(database, group):
        calls.append(len(group))
        if len(calls) == 2:
            make_up(store, town(3, title="Other"), 60)
        return original(database, group)

    monkeypatch.setattr(type(store), "submit", replaced)
    with pytest.raises(RefusedError):
        make_up(store, town(3), 300)
    seen = store.overview("made-up--town")
    assert (seen.title["en"], seen.number, seen.mixed, seen.state) == ("Other", 2_000_002, 60, "closed")


@contextlib.contextmanager
def rewritten(engine):
    """How often the whole file is rewritten meanwhile; whoever answers waits for that."""
    found = []

    def note(_connection, _cursor, statement, *_):
        found.extend([statement] if statement == "VACUUM" else [])

    sa.event.listen(engine, "before_cursor_execute", note)
    yield found
    sa.event.remove(engine, "before_cursor_execute", note)


def test_how_often_the_file_is_rewritten(tmp_path):
    with Store(str(tmp_path / "town.db")) as store:

        def times(work):
            with rewritten(store.engine) as found:
                work()
            return len(found)

        # Made-up people are nobody.
        assert times(lambda: make_up(store, town(3), 60)) == 0
        assert times(lambda: make_up(store, town(3), 60)) == 0
        assert times(lambda: delete_trial(store, "made-up--town")) == 0
        # What colleagues answered is theirs: closing and deleting leave as little of it as of any survey.
        first = open_trial(store, town(3)).slug
        answer(store, first)
        assert times(lambda: open_trial(store, town(3, title="Other"))) == 1
        [second] = store.slugs()
        answer(store, second)
        assert times(lambda: store.close_survey(second)) == 1
        assert times(lambda: delete_trial(store, second)) == 1
        assert times(lambda: open_trial(store, town(3))) == 0


def test_many_columns_are_stored_in_time_that_grows_with_them_alone(tmp_path):
    """Every closing mixes all answers while nobody else can write: 1,000 people with 2,000 columns took two minutes."""
    codes = np.random.default_rng(1).integers(0, 3, (300, 1_900)).tolist()
    columns = [f"c{i}" for i in range(1_900)]
    wide = sa.Table("wide", sa.MetaData(), *(sa.Column(name, sa.SmallInteger) for name in columns))
    with Store(str(tmp_path / "town.db")) as store, store.engine.begin() as connection:
        wide.create(connection)
        began = time.thread_time()
        bulk.insert(connection, wide, columns, codes)
        assert time.thread_time() - began < 10
        assert [list(row) for row in connection.execute(sa.text("SELECT * FROM wide ORDER BY rowid"))] == codes
