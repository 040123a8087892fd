"""Those who want answers of a trial, or made-up ones, among the results of a survey; or real ones hidden in a trial.

Somebody sends what the page of a trial sent to the survey itself. Somebody who may write to the database gives made-up answers the
name of the survey, or makes them a version of it, or does so in a backup that is restored. An organiser exports or releases them, as if
people had answered; or opens a real survey under the name of a trial, so that the page tells people that it does not count. Each of them
wins where one protection is taken away.
"""

import gzip
import hashlib
import json

import pytest
import sqlalchemy as sa

from deniable.errors import DeniableError, RefusedError
from deniable.results.questions import OneQuestion
from deniable.results.report.making import report_of_survey
from deniable.results.workbench import Workbench
from deniable.survey import backup, export, trials
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store, deleting, opening, published, surveys
from deniable.survey.store.audit import COMMAND_LINE
from deniable.survey.store.published import Moment
from deniable.survey.store.tables import survey, version
from deniable.survey.submission import read_submission
from deniable.survey.trials import make_up, open_trial, trial_of

ASKED = Questionnaire.parse(
    """
survey: town
title: Town
organiser: Town hall
contact: t@town.example
other_way: Call us.
pages:
- elements:
  - {type: boolean, name: smokes, title: Do you smoke?, privacy: strong}
  - {type: radiogroup, name: district, title: District, choices: [north, south], privacy: none}
"""
)


def replayed(store, slug):
    """Whether what was sent to a trial is taken by the survey itself, which is open to everyone."""
    body = {"version": store.overview(slug).number, "id": "a" * 22, "report": {"smokes": 1, "district": 0}}
    try:
        return store.submit([read_submission(store.current("town")[0], body)]) == [None]
    except RefusedError as error:
        return error.code


@pytest.mark.parametrize("protected", [True, False])
@pytest.mark.parametrize("begin", [open_trial, lambda store, asked: make_up(store, asked, 60)])
def test_what_was_sent_to_a_trial_is_not_taken_by_the_survey(store, monkeypatch, protected, begin):
    if not protected:
        monkeypatch.setattr(deleting.apart, "first_number", lambda _: 1)
    store.open_survey(ASKED)
    made = begin(store, ASKED)
    assert replayed(store, made.slug) == ("wrong_version" if protected else True)


def test_nor_over_http(serve):
    town = serve(ASKED)
    tried = open_trial(town.store, ASKED).slug
    sent = {"version": 1_000_001, "id": "a" * 22, "report": {"smokes": 1, "district": 0}}
    assert town.post(sent, tried).status_code == 201
    assert town.post(sent, "town").json()["code"] == "wrong_version"
    # Nor the other way round: nobody's real answer is lost in a trial, or among made-up people.
    make_up(town.store, ASKED, 60)
    real = {**sent, "version": 1}
    assert town.post(real, "town").status_code == 201
    assert town.post(real, tried).status_code == 404
    assert town.post(real, "made-up--town").status_code == 404
    assert sum(town.store.waiting()[town.store.version(tried).id]) == 1


def renamed(store, tmp_path):
    """The made-up answers are given the survey's name, before there is such a survey."""
    with store.engine.begin() as connection:
        connection.execute(sa.update(survey).where(survey.c.slug == "made-up--town").values(slug="town"))
    return store


def adopted(store, tmp_path):
    """They are made a version of the survey, the one that is shown."""
    store.open_survey(ASKED)
    store.close_survey("town")
    with store.engine.begin() as connection:
        real = connection.execute(sa.select(survey.c.id).where(survey.c.slug == "town")).scalar_one()
        other = connection.execute(sa.select(survey).where(survey.c.slug == "made-up--town")).one()
        connection.execute(sa.update(version).where(version.c.survey_id == other.id).values(survey_id=real))
        connection.execute(sa.update(survey).where(survey.c.id == real).values(version_id=other.version_id))
    return store


def restored(store, tmp_path):
    """They come back under the survey's name, from a backup that was changed and given a checksum that fits."""
    file = tmp_path / "town.backup"
    backup.backup(store, file)
    head = len(backup.MAGIC) + 65
    text = gzip.decompress(file.read_bytes()[head:]).decode().replace('"made-up--town"', '"town"')
    packed = gzip.compress(text.encode(), mtime=0)
    file.write_bytes(backup.MAGIC + hashlib.sha256(packed).hexdigest().encode() + b"\n" + packed)
    other = Store(str(tmp_path / "restored.db"))
    backup.restore(other, file)
    return other


def results_of(store, tmp_path):
    """By which ways made-up answers are had as results of the survey; and why not by the others."""
    ways = {
        "export": lambda: export.export(store, "town", tmp_path / "town.csv", force=True) == 60,
        "report": lambda: "60 answers are in this report" in report_of_survey(store, "town"),
        "results": lambda: bool(Workbench(store).ask("town", OneQuestion("smokes"), "en", True).blocks),
        "page": lambda: bool(store.current("town")),
    }
    found = {}
    for name, work in ways.items():
        try:
            found[name] = work()
        except DeniableError as error:
            found[name] = error.code
    return found


@pytest.mark.parametrize("way", [renamed, adopted, restored])
@pytest.mark.parametrize("protected", [True, False])
def test_made_up_answers_under_the_name_of_the_survey_are_no_results_of_it(tmp_path, monkeypatch, way, protected):
    if not protected:
        monkeypatch.setattr(surveys, "check_kept_apart", lambda *_: None)
    with Store(str(tmp_path / "town.db")) as store:
        make_up(store, ASKED, 60)
        there = way(store, tmp_path)
        expected = "not_apart" if protected else True
        assert results_of(there, tmp_path) == dict.fromkeys(("export", "report", "results", "page"), expected)
        there.close()


def test_a_backup_brings_trials_back_as_trials(tmp_path):
    with Store(str(tmp_path / "town.db")) as store, Store(str(tmp_path / "restored.db")) as other:
        store.open_survey(ASKED)
        make_up(store, ASKED, 60)
        tried = open_trial(store, ASKED).slug
        backup.backup(store, tmp_path / "town.backup")
        backup.restore(other, tmp_path / "town.backup")
        kinds = {slug: other.overview(slug).kind for slug in other.slugs()}
        assert kinds == {"town": None, tried: "trial", "made-up--town": "made-up"}
        assert (other.overview("town").mixed, other.overview("made-up--town").mixed) == (0, 60)


def test_numbers_of_a_survey_are_the_same_with_and_without_trials_beside_it(store, tmp_path):
    store.open_survey(ASKED)
    asked, _ = store.current("town")
    bodies = [{"version": 1, "id": f"{i:022d}", "report": {"smokes": i % 2, "district": 0}} for i in range(80)]
    store.submit([read_submission(asked, body) for body in bodies])
    store.close_survey("town")

    def figures():
        page = Workbench(store).ask("town", OneQuestion("smokes"), "en", True)
        return store.count_released(store.version("town")), [one.to_json() for block in page.blocks for one in block.figures]

    before = figures()
    make_up(store, ASKED, 300)
    open_trial(store, ASKED)
    assert figures() == before
    assert export.export(store, "town", tmp_path / "town.csv") == 80
    assert [one.number for one in store.overviews("town")] == [1]


@pytest.mark.parametrize("protected", [True, False])
def test_nobody_exports_them(store, tmp_path, monkeypatch, protected):
    """A file of made-up answers has the schema of the survey, and could be counted with it."""
    make_up(store, ASKED, 60)
    store.open_survey(ASKED)
    if not protected:
        monkeypatch.setattr(export, "kind_of", lambda *_: None)
        assert export.export(store, "made-up--town", tmp_path / "a.csv") == 60
        beside = json.loads((tmp_path / "a.schema.json").read_text())
        assert beside["fingerprint"] == store.version("town").schema.fingerprint
        return
    with pytest.raises(RefusedError, match="look like one of real answers"):
        export.export(store, "made-up--town", tmp_path / "a.csv")
    assert list(tmp_path.glob("a.*")) == []


@pytest.mark.parametrize("protected", [True, False])
def test_nobody_releases_them_to_everyone(store, monkeypatch, protected):
    make_up(store, ASKED, 60)
    read = store.version("made-up--town")
    moment = Moment(read.id, store.closings_of("made-up--town")[1], 60, "everyone")
    if not protected:
        monkeypatch.setattr(published, "kind_of", lambda *_: None)
        store.release_results("made-up--town", {"results": "<p>60% smoke"}, moment, set(), COMMAND_LINE)
    else:
        with pytest.raises(RefusedError, match="never released"):
            store.release_results("made-up--town", {"results": "<p>60% smoke"}, moment, set(), COMMAND_LINE)
    assert store.released_part("made-up--town", "results") == (None if protected else "<p>60% smoke")


@pytest.mark.parametrize("protected", [True, False])
def test_no_real_survey_is_opened_under_the_name_of_a_trial(store, monkeypatch, protected):
    """Its page would say that nothing counts, and everything would."""
    hidden = trial_of(ASKED, "trial--town")
    if not protected:
        monkeypatch.setattr(opening, "_check_name", lambda *_: None)
        assert store.open_survey(hidden)
        return
    with pytest.raises(RefusedError, match="kept for trials"):
        store.open_survey(hidden)
    assert store.slugs() == []


@pytest.mark.parametrize("protected", [True, False])
def test_the_button_that_deletes_a_trial_deletes_no_survey(store, monkeypatch, protected):
    store.open_survey(ASKED)
    if not protected:
        monkeypatch.setattr(deleting.apart, "kind_of", lambda *_: "trial")
        trials.delete_trial(store, "town", COMMAND_LINE)
        assert store.slugs() == []
        return
    with pytest.raises(RefusedError, match="is no trial"):
        trials.delete_trial(store, "town", COMMAND_LINE)
    assert store.overview("town").state == "open"


@pytest.mark.parametrize("protected", [True, False])
def test_who_has_the_file_reads_nothing_of_a_trial_that_was_deleted(tmp_path, monkeypatch, protected):
    """Colleagues gave their names; the trial is deleted while it is open, and somebody copies the file."""
    asked = Questionnaire.from_json({**ASKED.to_json(), "linkage": "register"})
    with Store(str(tmp_path / "town.db")) as store:
        if not protected:
            monkeypatch.setattr(deleting, "vacuum", lambda _: None)
            sa.event.listen(store.engine, "checkout", lambda kept, *_: kept.execute("PRAGMA secure_delete=OFF").close())
        tried = open_trial(store, asked).slug
        answering, _ = store.current(tried)
        for i in range(40):
            body = {"version": answering.number, "id": f"{i:022d}", "report": {"smokes": 1, "district": 0}}
            body |= {"code": f"ABCDE-FGHJK-{i:05d}", "contact": {"name": f"Colleague number {i}"}}
            assert store.submit([read_submission(answering, body)]) == [None]
        trials.delete_trial(store, tried, COMMAND_LINE)
        left = b"".join(path.read_bytes() for path in tmp_path.glob("town.db*") if path.is_file())
    assert (b"Colleague number" in left) is not protected
