"""Trials and made-up answers in a store: filled as real surveys are, replaced, deleted, and in nobody's way."""

import datetime
import json
import re

import pytest
import sqlalchemy as sa

from deniable.errors import QuestionnaireError, RefusedError
from deniable.results.report.making import report_of_survey
from deniable.survey import apart, trials
from deniable.survey.apart import MADE_UP, TRIAL
from deniable.survey.export import export
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import deleting, opening
from deniable.survey.store.audit import COMMAND_LINE
from deniable.survey.store.published import Moment
from deniable.survey.store.tables import STATIC
from deniable.survey.submission import read_submission
from deniable.survey.trials import delete_trial, find_trial, is_of_now, make_up, open_trial, trial_of

TEXT = """
survey: town
title: {{en: Town, pl: Miasto}}
languages: [en, pl]
organiser: Town hall
contact: t@town.example
other_way: Call us.
linkage: {linkage}
invited: {invited}
pages:
- elements:
  - {{type: radiogroup, name: district, title: District, choices: [north, south], privacy: none}}
  - {{type: boolean, name: smokes, title: Do you smoke?, privacy: strong}}
"""


def town(linkage="none", invited="false", title="Town"):
    return Questionnaire.parse(TEXT.format(linkage=linkage, invited=invited).replace("en: Town,", f"en: {title},"))


def answer(store, slug, *reports):
    asked, _ = store.current(slug)
    bodies = [{"version": asked.number, "id": f"{i:022d}", "report": report} for i, report in enumerate(reports)]
    return store.submit([read_submission(asked, body) for body in bodies])


def rows(store):
    """How many rows each table has, without what stays known of what was deleted; and the tables and views themselves."""
    look = sa.inspect(store.engine)
    with store.engine.connect() as connection:
        counts = {table.name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar() for table in STATIC}
    return (
        {name: count for name, count in counts.items() if name not in ("audit", "deleted")},
        sorted(look.get_table_names()),
        sorted(look.get_view_names()),
    )


def test_a_trial_is_a_survey_of_its_own(store):
    tried = open_trial(store, town(invited="true"), COMMAND_LINE)
    assert (tried.number, tried.replaced) == (1_000_001, False)
    assert re.fullmatch("trial--town--[0-9a-f]{12}", tried.slug)
    assert store.slugs() == [tried.slug]
    told = json.loads(store.current(tried.slug, public=True)[1])
    # The page is told what it is told of any survey: no field says that this is a trial.
    assert set(told) == {*town().client(), "version", "open", "contacts_until"}
    assert told["invited"] is False
    assert answer(store, tried.slug, {"district": 0, "smokes": 1}) == [None]
    # The real survey is opened beside it, as if it were not there.
    assert store.open_survey(town()) == 1
    assert (store.overview("town").kind, store.overview(tried.slug).kind) == (None, "trial")
    store.close_survey("town")
    assert store.close_survey(tried.slug) == 1
    assert store.overview("town").mixed == 0


def test_an_open_trial_of_the_same_questions_stays_and_any_other_gives_way(store):
    first = open_trial(store, town(), COMMAND_LINE)
    answer(store, first.slug, {"district": 0, "smokes": 1})
    again = open_trial(store, town(), COMMAND_LINE)
    assert (again.slug, again.replaced) == (first.slug, False)
    assert sum(store.waiting()[store.version(first.slug).id]) == 1
    found = find_trial(store, TRIAL, "town")
    assert (found.slug, is_of_now(store, found, town()), is_of_now(store, found, town(title="Village"))) == (
        first.slug,
        True,
        False,
    )
    changed = open_trial(store, town(title="Village"), COMMAND_LINE)
    assert (changed.slug != first.slug, changed.replaced, store.slugs()) == (True, True, [changed.slug])
    assert sum(store.waiting()[store.version(changed.slug).id]) == 0
    store.close_survey(changed.slug)
    last = open_trial(store, town(title="Village"), COMMAND_LINE)
    assert (last.slug != changed.slug, store.slugs()) == (True, [last.slug])


def test_trials_that_were_begun_at_the_same_moment_all_give_way(store, monkeypatch):
    with monkeypatch.context() as beside:
        beside.setattr(trials, "_all", lambda *_: [])
        for _ in range(2):
            open_trial(store, town(), COMMAND_LINE)
    assert len(store.slugs()) == 2
    store.close_survey(store.slugs()[0])
    # The one that is open is found first.
    assert find_trial(store, TRIAL, "town").slug == store.slugs()[1]
    changed = open_trial(store, town(title="Village"), COMMAND_LINE)
    assert store.slugs() == [changed.slug]


def test_a_trial_of_an_earlier_release_is_found_kept_and_replaced(store, monkeypatch):
    with monkeypatch.context() as before:
        before.setattr(trials, "new_slug", lambda kind, slug: f"{kind}--{slug}")
        open_trial(store, town(), COMMAND_LINE)
    assert json.loads(store.current("trial--town", public=True)[1])["open"]
    assert open_trial(store, town(), COMMAND_LINE).slug == "trial--town"
    assert open_trial(store, town(title="Village"), COMMAND_LINE).replaced
    assert "trial--town" not in store.slugs()


def test_trials_of_other_surveys_are_left_alone(store):
    """Also where one survey's name ends as another's trial does."""
    first = open_trial(store, town(), COMMAND_LINE)
    alike = first.slug.removeprefix("trial--")
    other = Questionnaire.from_json({**town(title="Other").to_json(), "survey": alike})
    assert find_trial(store, TRIAL, alike) is None
    open_trial(store, other, COMMAND_LINE)
    delete_trial(store, find_trial(store, TRIAL, alike).slug, COMMAND_LINE)
    assert (store.slugs(), find_trial(store, TRIAL, "town").slug) == ([first.slug], first.slug)


@pytest.mark.parametrize("linkage", ["none", "code", "register"])
def test_made_up_people_answer_and_are_mixed_in(store, linkage):
    made = make_up(store, town(linkage, "true"), 230, COMMAND_LINE)
    seen = store.overview(made.slug)
    assert (made.slug, seen.state, seen.mixed, seen.kind) == ("made-up--town", "closed", 230, MADE_UP)
    assert sum(store.waiting()[store.version(made.slug).id]) == 230
    contacts = list(store.contacts(made.slug)) if linkage == "register" else []
    assert len(contacts) == (230 if linkage == "register" else 0)
    assert [(line.action, line.about) for line in store.audit_lines()] == [
        ("closed", "made-up--town"),
        ("opened", "made-up--town"),
    ]
    again = make_up(store, town(linkage, "true"), 60, COMMAND_LINE)
    assert (again.replaced, again.number, store.overview(made.slug).mixed) == (True, 2_000_002, 60)
    store.check()


def test_both_leave_nothing_behind(store):
    store.open_survey(town(title="Real"))
    answer(store, "town", {"district": 1, "smokes": 0})
    before, keys = rows(store), {path.name for path in store.keys.folder.glob("*.key")}
    tried = open_trial(store, town("register"), COMMAND_LINE)
    make_up(store, town("register"), 60, COMMAND_LINE)
    for slug in (tried.slug, "made-up--town"):  # one is open, the other closed
        delete_trial(store, slug, COMMAND_LINE)
    assert rows(store) == before
    assert {path.name for path in store.keys.folder.glob("*.key")} == keys
    assert (find_trial(store, TRIAL, "town"), find_trial(store, MADE_UP, "town")) == (None, None)
    with pytest.raises(RefusedError, match="is no trial"):
        delete_trial(store, "town", COMMAND_LINE)
    assert sum(store.waiting()[store.version("town").id]) == 1


def test_what_fails_on_the_way_leaves_no_open_survey(store, monkeypatch):
    monkeypatch.setattr(trials, "GROUP", 20)
    calls = []

    def refuse(database, group):
        calls.append(len(group))
        if len(calls) == 3:
            return [RefusedError("closed", "This survey is closed; nothing was stored.")] * len(group)
        return original(store, group)

    original = type(store).submit
    monkeypatch.setattr(type(store), "submit", refuse)
    with pytest.raises(RefusedError, match="nothing was stored"):
        make_up(store, town(), 100, COMMAND_LINE)
    assert (store.slugs(), calls) == ([], [20, 20, 20])


@pytest.mark.parametrize("people", [0, -1, trials.MOST_PEOPLE + 1])
def test_so_many_are_not_made_up(store, people):
    with pytest.raises(RefusedError, match="1 to 10,000 people"):
        make_up(store, town(), people)
    assert store.slugs() == []


def test_a_last_day_that_is_over_is_refused_before_anything_is_deleted(store):
    tried = open_trial(store, town(), COMMAND_LINE)
    over = Questionnaire.parse(TEXT.format(linkage="none", invited="false") + "closes: 2020-01-01\n")
    for work in (open_trial, make_up):
        with pytest.raises(QuestionnaireError, match="is over"):
            work(store, over)
    assert store.overview(tried.slug).state == "open"


def test_no_name_of_a_trial_is_opened_as_a_survey_and_no_survey_as_a_trial(store):
    with pytest.raises(RefusedError, match="kept for trials"):
        store.open_survey(trial_of(town(), "trial--town"))
    with pytest.raises(RefusedError, match="kept for trials"):
        store.open_survey(town(), trial=True)
    assert store.slugs() == []
    assert list(store.keys.folder.glob("*.key")) == []


def test_made_up_answers_are_not_opened_for_others(store):
    make_up(store, town(), 60)
    with pytest.raises(RefusedError, match="nobody can add"):
        store.reopen_survey("made-up--town")
    tried = open_trial(store, town())
    store.close_survey(tried.slug)
    store.reopen_survey(tried.slug)
    assert store.overview(tried.slug).state == "open"


def test_nothing_of_them_is_exported_or_released_and_their_report_says_what_they_are(store, tmp_path):
    make_up(store, town(), 120)
    tried = open_trial(store, town())
    answer(store, tried.slug, {"district": 1, "smokes": 0})
    store.close_survey(tried.slug)
    for slug, said, polish in (
        ("made-up--town", "nobody gave them", "nikt ich nie udzielił"),
        (tried.slug, "report of a trial", "raport z próby"),
    ):
        with pytest.raises(RefusedError, match="would look like one of real answers"):
            export(store, slug, tmp_path / "answers.csv")
        read = store.version(slug)
        moment = Moment(read.id, store.closings_of(slug)[1], store.count_released(read), "everyone")
        with pytest.raises(RefusedError, match="never released"):
            store.release_results(slug, {"results": "<p>"}, moment, set(), COMMAND_LINE)
        assert said in report_of_survey(store, slug, language="en")
        assert polish in report_of_survey(store, slug, language="pl")
    assert list(tmp_path.glob("answers*")) == []


@pytest.fixture
def old(store, monkeypatch):
    """Real surveys that took such names before they were reserved."""
    with monkeypatch.context() as before:
        before.setattr(opening, "_check_name", lambda *_: None)
        before.setattr(deleting.apart, "first_number", lambda _: 1)
        for slug in ("trial--town", "made-up--town"):
            store.open_survey(Questionnaire.from_json({**town().to_json(), "survey": slug}))
    answer(store, "trial--town", *[{"district": i % 2, "smokes": 1} for i in range(60)])
    return store


def test_a_real_survey_of_such_a_name_stays_what_it_was(old, tmp_path):
    assert (old.overview("trial--town").kind, old.overview("trial--town").number) == (None, 1)
    assert old.close_survey("trial--town", COMMAND_LINE) == 60
    assert export(old, "trial--town", tmp_path / "answers.csv") == 60
    assert "report of a trial" not in report_of_survey(old, "trial--town", language="en")
    old.reopen_survey("trial--town", COMMAND_LINE)
    # No button of a trial deletes it, and no trial takes its place; it has its page, also under the name of made-up answers.
    with pytest.raises(RefusedError, match="is no trial"):
        delete_trial(old, "trial--town", COMMAND_LINE)
    assert (find_trial(old, TRIAL, "town"), find_trial(old, MADE_UP, "town")) == (None, None)
    assert not open_trial(old, town(title="Other"), COMMAND_LINE).replaced
    with pytest.raises(RefusedError, match="a real survey"):
        make_up(old, town(title="Other"), 60, COMMAND_LINE)
    for slug in ("trial--town", "made-up--town"):
        assert json.loads(old.current(slug, public=True)[1])["open"]
    assert old.overview("trial--town").mixed == 60
    old.close_survey("made-up--town")
    old.delete_survey("made-up--town")
    # Numbers go on beyond both: nothing of the old survey is taken for the made-up one's.
    assert make_up(old, town(), 60, COMMAND_LINE).number == 2_000_001


def test_contact_details_of_a_trial_are_erased_after_a_month(store):
    tried = open_trial(store, town("register"))
    told = json.loads(store.current(tried.slug)[1])
    assert told["contacts_until"] == str(datetime.date.today() + datetime.timedelta(30))
    assert apart.kind_of(tried.slug, told["version"]) == TRIAL
