"""What may be released, beside all that was ever released."""

import numpy as np
import pytest

from deniable.errors import RefusedError
from deniable.results import cells
from deniable.results.draft import Draft
from deniable.results.questions import CrossTable, OneQuestion
from deniable.results.releasing import EVERYONE, releasable
from deniable.results.showing import shown
from deniable.results.workbench import Workbench
from deniable.survey.store.audit import COMMAND_LINE
from deniable.survey.store.engine import writing
from tests.results.council import insert, reports_of


def release(store, bench):
    now = releasable(bench, "council")
    store.release_results("council", {"en": "<p>"}, now.moment, now.known, COMMAND_LINE)
    return now


def erase(store, bench, count):
    """So many people's answers are erased; no receipt code is needed here."""
    from deniable.survey.store import releases

    read = store.version("council")
    with writing(store.engine) as connection:
        connection.exec_driver_sql(
            f"DELETE FROM {read.table.name} WHERE rowid IN (SELECT rowid FROM {read.table.name} LIMIT {count})"
        )
    releases.tell_of_erasing(store.engine, read.id)


def shows_groups(now):
    figures = shown([now.ready], OneQuestion("smokes", by="sex"), "en").blocks[0].figures
    return any(figure.value is not None for figure in figures)


def test_the_same_answers_may_be_released_again_and_again(new_store):
    store = new_store(1_000)
    bench = Workbench(store)
    divisions = {release(store, bench).moment.division for _ in range(3)}
    store.take_back_results("council", COMMAND_LINE)
    now = release(store, Workbench(store))
    assert {now.moment.division} == divisions
    assert shows_groups(now)
    assert len(now.known) == 1


def test_after_a_reopening_only_questions_of_everyone_are_released(new_store):
    store = new_store(1_000)
    bench = Workbench(store)
    assert shows_groups(release(store, bench))
    store.take_back_results("council", COMMAND_LINE)
    store.reopen_survey("council")
    with pytest.raises(RefusedError, match="when it is closed"):
        releasable(bench, "council")
    insert(store, "council", reports_of(store.version("council").schema, 70, np.random.default_rng(3)))
    store.close_survey("council")
    now = release(store, bench)
    assert (now.moment.division, now.moment.total, shows_groups(now)) == (EVERYONE, 1_070, False)
    assert shown([now.ready], OneQuestion("smokes"), "en").blocks[0].figures[0].value is not None
    assert shown([now.ready], CrossTable("smokes", "owes"), "en").blocks[0].figures == ()


@pytest.mark.parametrize("count", [1, 49, 50, 200])
def test_after_an_erasure_nothing_is_released(new_store, count):
    store = new_store(1_000)
    bench = Workbench(store)
    release(store, bench)
    erase(store, bench, count)
    with pytest.raises(RefusedError, match="were erased"):
        releasable(bench, "council")
    # Until there are 50 more than then.
    batch = reports_of(store.version("council").schema, count + 49, np.random.default_rng(3))
    store.reopen_survey("council")
    insert(store, "council", batch)
    store.close_survey("council")
    with pytest.raises(RefusedError, match="were erased"):
        releasable(bench, "council")
    insert(store, "council", batch[:1])
    assert releasable(bench, "council").moment.division == EVERYONE


def test_an_erasure_before_the_first_release_changes_nothing(new_store):
    store = new_store(1_000)
    bench = Workbench(store)
    erase(store, bench, 3)
    assert shows_groups(release(store, bench))


def test_a_program_that_divides_people_otherwise_releases_no_groups_beside_those_of_before(new_store, monkeypatch):
    store = new_store(1_000)
    before = release(store, Workbench(store))
    monkeypatch.setattr(cells, "BANDS", 3)
    fresh = new_store(1_000)
    assert shows_groups(releasable(Workbench(fresh), "council"))  # by itself
    now = releasable(Workbench(store), "council")
    assert before.moment.division != EVERYONE
    assert (now.moment.division, shows_groups(now)) == (EVERYONE, False)


def test_before_any_closing_nothing_is_released(new_store):
    store = new_store(1_000, closed=False)
    with pytest.raises(RefusedError, match="when it is closed"):
        releasable(Workbench(store), "council")


def test_a_draft_comes_back_as_it_was_kept(new_store):
    draft = Draft.of_all(["smokes", "owes"])
    assert Draft.from_json(draft.to_json()) == draft
    assert [one.question.of for one in draft.contents().questions] == ["smokes", "owes"]
    assert not Draft().contents().complete
