"""`deniable survey`, `serve`, `backup`, `restore` and `verify` as a person meets them."""

import codecs
import csv
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
import types
from pathlib import Path

import httpx
import pytest

import deniable as dn
from deniable.files.sidecar import is_randomised
from deniable.survey.store import Store

ROOT = Path(__file__).parents[2]


@pytest.fixture
def standin(monkeypatch):
    spec = importlib.util.spec_from_file_location("standin", ROOT / "tests" / "survey" / "standin.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def town(run, standin, monkeypatch):
    """The command line, with the questionnaire that `open` reads replaced by a small one."""
    given = {}
    for module in ("deniable.survey.question_texts", "deniable.web.app"):
        importlib.import_module(module)  # with the true questionnaire, whichever test comes first

    class Reader:
        @staticmethod
        def load(path):
            return given.get(Path(path).name) or standin.Standin()

    fake = types.ModuleType("deniable.survey.questionnaire")
    fake.Questionnaire = Reader
    monkeypatch.setitem(sys.modules, "deniable.survey.questionnaire", fake)
    return types.SimpleNamespace(run=run, given=given, standin=standin)


def answer(path, standin, count, slug="town", **more):
    from deniable.survey.submission import read_submission

    with Store(str(path)) as store:
        asked = store.current(slug)[0]
        assert set(store.submit([read_submission(asked, standin.body(**more)) for _ in range(count)])) == {None}


def test_from_a_questionnaire_to_an_estimate(town, tmp_path):
    code, out, _ = town.run("survey", "open", "q.yaml", "--db", "town.db")
    assert (code, "town is open (version 1)" in out) == (0, True)
    answer(tmp_path / "town.db", town.standin, 60)
    code, out, _ = town.run("survey", "list", "--db", "town.db")
    assert code == 0
    assert "town_v1" in out
    code, _, err = town.run("survey", "export", "town", "-o", "out.csv", "--db", "town.db")
    assert code == 2
    assert "batches of at least 50" in err
    code, out, _ = town.run("survey", "close", "town", "--db", "town.db")
    assert "closed with 60 answers" in out
    code, out, _ = town.run("survey", "export", "town", "-o", "out.csv", "--db", "town.db")
    assert (code, "60 answers written" in out) == (0, True)
    assert dn.read(tmp_path / "out.csv").count("smokes == 'yes'").n == 60
    assert is_randomised(tmp_path / "out.csv")  # so that nobody predicts from it as if it were true
    code, out, _ = town.run("survey", "schema", "town", "-o", "s.json", "--db", "town.db")
    where = re.search(r"sqlite:///\S+#town_v1", out).group(0)
    code, out, _ = town.run("count", where, "smokes == 'yes'", "--schema", "s.json")
    assert (code, "60 reports" in out) == (0, True)


def test_answers_to_a_replaced_version_are_seen_to_be_kept(town, tmp_path, monkeypatch):
    town.run("survey", "open", "q.yaml", "--db", "town.db")
    answer(tmp_path / "town.db", town.standin, 60)
    code, out, _ = town.run("survey", "open", "q.yaml", "--db", "town.db")
    assert (code, "as it was: its answers are kept" in out) == (0, True)
    town.given["q.yaml"] = town.standin.Standin(title="Town, asked better")
    code, out, _ = town.run("survey", "open", "q.yaml", "--db", "town.db")
    assert (code, "town is open (version 2)" in out) == (0, True)
    assert "version 1 takes no more answers. Nothing of it is lost." in out
    assert "deniable survey export town --version 1 -o FILE --db town.db" in out
    assert "load it again" in out
    code, _, err = town.run("survey", "export", "town", "-o", "out.csv", "--db", "town.db")
    assert (code, "Answers to earlier versions are kept: --version 1." in err) == (2, True)
    answer(tmp_path / "town.db", town.standin, 3, version=2)
    code, out, _ = town.run("survey", "list", "--db", "town.db")
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines() if line.startswith("│ town")]
    assert [(row[1], row[2], row[6]) for row in cells] == [("1", "replaced", "60"), ("2", "open", "0")]
    assert "deniable survey export SURVEY --version N" in out
    monkeypatch.setenv("COLUMNS", "80")
    assert "replaced" in town.run("survey", "list", "--db", "town.db")[1].split("Answers")[0]
    town.run("survey", "close", "town", "--db", "town.db")
    code, out, _ = town.run("survey", "export", "town", "-o", "out.csv", "--db", "town.db")
    assert (code, "3 answers written" in out, "Those to version 1 (60)" in out) == (0, True, True)
    code, out, _ = town.run("survey", "export", "town", "-o", "old.csv", "--version", 1, "--db", "town.db")
    assert (code, "60 answers written" in out, "Those to version" in out) == (0, True, False)
    town.run("backup", "town.backup", "--db", "town.db")
    out = town.run("restore", "town.backup", "--db", "new.db")[1]
    assert "town: version 2, closed, 3 answers released, 60 to earlier versions" in out


def test_used_invitations_of_a_replaced_version_are_spoken_of(town, tmp_path):
    town.given["q.yaml"] = town.standin.Standin(invited=True)
    town.run("survey", "open", "q.yaml", "--db", "town.db")
    (tmp_path / "people.csv").write_text("firstname,email\nAda,a@town.example\n")
    town.run("survey", "invite", "town", "people.csv", "-o", "invited.csv", "--db", "town.db")
    with (tmp_path / "invited.csv").open(encoding="utf-8-sig", newline="") as file:
        token = next(csv.DictReader(file))["token"]
    answer(tmp_path / "town.db", town.standin, 1, token=token)
    town.given["q.yaml"] = town.standin.Standin(invited=True, title="Town, asked better")
    code, _, err = town.run("survey", "open", "q.yaml", "--db", "town.db")
    assert (code, "Answers to version 1 of town wait sealed" in err, "--discard" in err) == (2, True, True)
    out = town.run("survey", "open", "q.yaml", "--db", "town.db", "--discard")[1]
    assert "if there were any, were thrown away." in out
    assert "Invitations used for it stay used" in out


def test_closing_twice_keeps_a_few_late_answers_sealed_and_says_so(town, tmp_path):
    town.run("survey", "open", "q.yaml", "--db", "town.db")
    answer(tmp_path / "town.db", town.standin, 5)
    town.run("survey", "close", "town", "--db", "town.db")
    town.run("survey", "open", "q.yaml", "--db", "town.db")
    answer(tmp_path / "town.db", town.standin, 2)
    code, out, _ = town.run("survey", "close", "town", "--db", "town.db")
    assert (code, "closed with 5 answers" in out, "If fewer than 50 have come since, they stay sealed" in out) == (
        0,
        True,
        True,
    )


def test_a_survey_that_is_closed_already_is_said_to_be_the_same_whether_answers_wait_or_not(town, tmp_path):
    town.run("survey", "open", "q.yaml", "--db", "town.db")
    answer(tmp_path / "town.db", town.standin, 5)
    town.run("survey", "close", "town", "--db", "town.db")
    said = town.run("survey", "close", "town", "--db", "town.db")
    assert said[:2] == (0, "town is closed already, with 5 answers to version 1. Nothing has changed.\n")
    town.run("survey", "open", "q.yaml", "--db", "town.db")
    answer(tmp_path / "town.db", town.standin, 2)
    town.run("survey", "close", "town", "--db", "town.db")
    assert town.run("survey", "close", "town", "--db", "town.db") == said


def test_what_is_refused_leaves_no_database_behind(run, tmp_path):
    run("survey", "new", "q.yaml")
    text = (tmp_path / "q.yaml").read_text(encoding="utf-8")
    (tmp_path / "late.yaml").write_text("closes: 2020-01-31\n" + text, encoding="utf-8")
    (tmp_path / "register.yaml").write_text(text.replace("linkage: none ", "linkage: register "), encoding="utf-8")
    before = names_in(tmp_path)
    for command in (["check", "late.yaml"], ["open", "late.yaml", "--db", "new.db"]):
        code, _, err = run("survey", *command)
        assert (code, "late.yaml, line 1: closes: 2020-01-31 is over" in err, "take the line away" in err) == (2, True, True)
    code, _, err = run("survey", "open", "register.yaml", "--db", "new.db")
    assert (code, "--erase-contacts-on" in err) == (2, True)
    assert names_in(tmp_path) == before


def test_an_export_for_spreadsheets_has_semicolons_and_a_mark_and_is_read_back(town, tmp_path):
    town.run("survey", "open", "q.yaml", "--db", "town.db")
    answer(tmp_path / "town.db", town.standin, 60)
    town.run("survey", "close", "town", "--db", "town.db")
    assert town.run("survey", "export", "town", "-o", "plain.csv", "--db", "town.db")[0] == 0
    assert town.run("survey", "export", "town", "-o", "excel.csv", "--spreadsheet", "--db", "town.db")[0] == 0
    content = (tmp_path / "excel.csv").read_bytes()
    assert content.startswith(codecs.BOM_UTF8)
    header = content.decode("utf-8-sig").splitlines()[0]
    assert ";" in header
    assert "," not in header
    name = header.split(";")[0].strip('"')
    one, other = (json.loads(town.run("distribution", f"{kind}.csv", name, "--json")[1]) for kind in ("plain", "excel"))
    assert (one.pop("data"), other.pop("data")) == ("plain.csv", "excel.csv")
    assert one == other
    code, _, err = town.run("survey", "export", "town", "-o", "x.parquet", "--spreadsheet", "--db", "town.db")
    assert (code, "A file for spreadsheets is CSV" in err) == (2, True)


def test_invitations_are_written_once_with_links_and_states(town, tmp_path):
    town.given["q.yaml"] = town.standin.Standin(invited=True)
    assert "by invitation" in town.run("survey", "open", "q.yaml", "--db", "town.db")[1]
    (tmp_path / "people.csv").write_text("firstname,email\nAda,a@town.example\nBo,b@town.example\n")
    invite = ("survey", "invite", "town", "people.csv", "-o", "invited.csv", "--db", "town.db")
    code, out, _ = town.run(*invite, "--link", "https://survey.example/")
    assert (code, "2 people" in out) == (0, True)
    with (tmp_path / "invited.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["link"] == f"https://survey.example/s/town#{rows[0]['token']}"
    assert town.run(*invite)[0] == 2  # the list exists, and no tokens are stored that nobody knows
    assert town.run("survey", "invite", "town", "people.csv", "-o", "people.csv", "--db", "town.db", "--force")[0] == 2
    answer(tmp_path / "town.db", town.standin, 1, token=rows[1]["token"])
    code, out, _ = town.run("survey", "invite", "town", "invited.csv", "-o", "state.csv", "--status", "--db", "town.db")
    assert (code, "0 have answered" in out, "since the last batch" in out) == (0, True, True)
    with Store(str(tmp_path / "town.db")) as store:
        store.mix(1, least=1)
    status = ("survey", "invite", "town", "invited.csv", "-o", "state.csv", "--status", "--db", "town.db", "--force")
    assert "1 has answered" in town.run(*status)[1]
    assert "2 of 2" not in town.run("survey", "list", "--db", "town.db")[1]
    second = ("survey", "invite", "town", "people.csv", "-o", "second.csv", "--db", "town.db")
    for link in ("javascript:alert(1)", "survey.example", "https://", "https://[", "https://h/?x"):
        code, _, err = town.run(*second, "--again", "--link", link)
        assert (code, "not the address of a service" in err) == (2, True)
    code, _, err = town.run(*second)
    assert (code, "2 invitations already" in err, (tmp_path / "second.csv").exists()) == (2, True, False)
    assert town.run(*second, "--again")[0] == 0
    code, out, _ = town.run("survey", "revoke", "town", "second.csv", "--db", "town.db")
    assert (code, "2 invitations are no longer valid." in out) == (0, True)
    code, out, _ = town.run("survey", "revoke", "town", "invited.csv", "--db", "town.db")
    assert (code, "1 invitation is no longer valid.\n1 was used before and stays used." in out) == (0, True)


def test_a_register_is_written_and_erased_from(town, tmp_path):
    town.given["q.yaml"] = town.standin.Standin(linkage="register")
    assert town.run("survey", "open", "q.yaml", "--db", "town.db")[0] == 2
    assert town.run("survey", "open", "q.yaml", "--db", "town.db", "--erase-contacts-on", "soon")[0] == 2
    assert town.run("survey", "open", "q.yaml", "--db", "town.db", "--erase-contacts-on", "2099-01-31")[0] == 0
    code = town.standin.code()
    answer(tmp_path / "town.db", town.standin, 1, code=code, contact={"email": "a@town.example"})
    assert "0 contacts" in town.run("survey", "contacts", "town", "-o", "early.csv", "--db", "town.db")[1]
    with Store(str(tmp_path / "town.db")) as store:
        store.mix(1, least=1)
    assert town.run("survey", "contacts", "town", "-o", "register.csv", "--db", "town.db")[0] == 0
    assert (tmp_path / "register.csv").stat().st_mode & 0o077 == 0
    assert "a@town.example" in (tmp_path / "register.csv").read_text()
    assert (tmp_path / "register.csv").read_bytes().startswith(b"\xef\xbb\xbf")  # for Excel
    formula = {"name": "=cmd|' /C calc'!A0", "email": "Ada;=1+1;+48 555 0100;\uff1d2"}
    answer(tmp_path / "town.db", town.standin, 1, code=town.standin.code(), contact=formula)
    with Store(str(tmp_path / "town.db")) as store:
        store.mix(1, least=1)
    town.run("survey", "contacts", "town", "-o", "register.csv", "--db", "town.db", "--force")
    with (tmp_path / "register.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["code"] == code
    assert (rows[1]["name"], rows[1]["email"]) == ("'=cmd|' /C calc'!A0", "Ada;'=1+1;+48 555 0100;'\uff1d2")
    assert "contact details of 1 person, 1 row of answers" in town.run("survey", "erase", "town", code, "--db", "town.db")[1]
    assert town.run("survey", "erase", "town", code, "--db", "town.db")[0] == 1


def test_backup_and_restore(town, tmp_path):
    town.run("survey", "open", "q.yaml", "--db", "town.db")
    answer(tmp_path / "town.db", town.standin, 7)
    code, out, _ = town.run("backup", "town.backup", "--db", "town.db")
    assert (code, "keep them apart" in out, "invitation" in out) == (0, True, False)
    code, out, _ = town.run("restore", "town.backup", "--db", "new.db")
    assert (code, "town: version 1, open, 0 answers released" in out, "if there were any, wait again" in out) == (0, True, True)
    code, _, err = town.run("restore", "town.backup", "--db", "new.db")
    assert (code, "already" in err) == (2, True)


def names_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize("fault", ["no file", "no backup", "cut", "no keys", "bad keys", "an empty database file"])
def test_a_restore_that_fails_leaves_nothing_behind_and_the_next_one_works(town, tmp_path, fault):
    town.run("survey", "open", "q.yaml", "--db", "town.db")
    answer(tmp_path / "town.db", town.standin, 7)
    town.run("backup", "town.backup", "--db", "town.db")
    backup, keys = tmp_path / "town.backup", tmp_path / "town.backup.keys"
    whole, beside = backup.read_bytes(), keys.read_bytes()
    if fault == "no file":
        backup.unlink()
    elif fault == "no backup":
        backup.write_text("something else")
    elif fault == "cut":
        backup.write_bytes(whole[:-20])
    elif fault == "bad keys":
        keys.write_text("{}")
    else:
        keys.unlink()
    if fault == "an empty database file":
        (tmp_path / "new.db").touch()
    before = names_in(tmp_path)
    code, _, err = town.run("restore", "town.backup", "--db", "new.db", "--keys", "deep/new keys")
    assert (code, "Traceback" in err) == (2, False)
    assert names_in(tmp_path) == before
    if fault == "an empty database file":
        assert (tmp_path / "new.db").stat().st_size == 0
    if "keys" in fault:
        assert "Put that file back as town.backup.keys" in err
    backup.write_bytes(whole)
    keys.write_bytes(beside)
    code, out, err = town.run("restore", "town.backup", "--db", "new.db", "--keys", "deep/new keys")
    assert (code, "town: version 1, open, 0 answers released" in out) == (0, True), err


def test_a_restore_over_a_store_with_surveys_touches_neither_it_nor_its_keys(town, tmp_path):
    for db in ("town.db", "other.db"):
        town.run("survey", "open", "q.yaml", "--db", db)
        answer(tmp_path / db, town.standin, 7)
    town.run("backup", "town.backup", "--db", "town.db")
    before = names_in(tmp_path)
    for db in ("town.db", "other.db"):
        code, _, err = town.run("restore", "town.backup", "--db", db)
        assert (code, "holds surveys or accounts already" in err) == (2, True)
        assert names_in(tmp_path) == before
        assert "closed with 7 answers" in town.run("survey", "close", "town", "--db", db)[1]
        before = names_in(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["survey", "close", "nowhere", "--db", "town.db"], "no survey 'nowhere'"),
        (["survey", "export", "nowhere", "-o", "x.csv", "--db", "town.db"], "no survey"),
        (["survey", "export", "nowhere", "-o", "x.xlsx", "--db", "town.db"], ".csv"),
        (["survey", "list", "--db", "note.txt"], "no SQLite database"),
        (["survey", "list", "--db", "mistyped.db"], "mistyped.db does not exist"),
        (["backup", "x.backup", "--db", "mistyped.db"], "mistyped.db does not exist"),
        (["survey", "close", "town", "--db", "mysql://h/d"], "not in mysql"),
        (["restore", "nowhere.backup", "--db", "town.db"], "does not exist"),
        (["verify", "not an address"], "not the address of a survey"),
        (["verify", "http://[::1/s/x"], "not the address of a survey"),
        (["verify", "http://127.0.0.1:1/s/ż"], "not the address of a survey"),
        (["verify", "http://127.0.0.1:1/s/town"], "does not answer"),
        (["serve", "--db", "nowhere/town.db"], "does not exist"),
        (["survey", "invite", "town", "nobody.csv", "-o", "x.csv", "--db", "town.db"], "does not exist"),
    ],
)
def test_bad_input_ends_with_2_and_a_sentence(town, tmp_path, arguments, says):
    Store(str(tmp_path / "town.db")).close()
    (tmp_path / "note.txt").write_text("This is a note, and no database. " * 100)
    code, _, err = town.run(*arguments)
    assert not (tmp_path / "mistyped.db").exists()
    assert code == 2
    assert says in err
    assert "Traceback" not in err


def test_a_sample_questionnaire_is_written_and_not_over_another(town, tmp_path):
    assert town.run("survey", "new", "mine.yaml")[0] == 0
    text = (tmp_path / "mine.yaml").read_text()
    assert "survey: town-health" in text
    assert town.run("survey", "new", "mine.yaml")[0] == 2


def test_the_sample_questionnaire_can_be_opened(run, tmp_path):
    pytest.importorskip("deniable.survey.questionnaire", reason="the questionnaire's format is not there yet")
    run("survey", "new", "mine.yaml")
    assert run("survey", "check", "mine.yaml")[0] == 0
    assert run("survey", "open", "mine.yaml", "--db", "town.db")[0] == 0


QUESTIONS = """
survey: traffic
title: Traffic
organiser: Town hall
contact: survey@town.example
other_way: Call us.
pages:
- elements:
  - {type: radiogroup, name: district, title: Your district, choices: [north, south], privacy: none}
  - {type: boolean, name: fine, title: Fine?, privacy: light}
  - {type: boolean, name: loose, title: Loose?, privacy: {design: krr, p: 0.9}}
  - {type: boolean, name: tight, title: Tight?, privacy: {design: krr, p: 0.4}}
"""


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Private answers together: epsilon 32.189 per respondent; the odds may change by a factor of more than a million: they "
               "prove practically everything."),
        ("pl", "Odpowiedzi prywatne razem: epsilon 32,189 na osobę; szanse mogą się zmienić ponad milion razy: dowodzi to praktycznie "
               "wszystkiego."),
    ],
)  # fmt: skip
def test_a_check_says_in_words_what_a_number_of_fourteen_digits_would_not_tell(run, tmp_path, language, said):
    rows = ", ".join(f"r{i}" for i in range(20))
    matrix = f"  - {{type: matrix, name: m, title: M?, rows: [{rows}], columns: [a, b, c], privacy: standard}}\n"
    (tmp_path / "q.yaml").write_text(QUESTIONS[: QUESTIONS.index("  - {")] + matrix)
    code, out, _ = run("survey", "check", "q.yaml", "--language", language)
    assert code == 0
    assert said in out.splitlines()


def test_a_check_warns_of_weak_and_of_useless_protection_and_explains_the_designs(run, tmp_path):
    (tmp_path / "q.yaml").write_text(QUESTIONS)
    code, out, _ = run("survey", "check", "q.yaml")
    assert code == 0
    warned = [line for line in out.splitlines() if line.startswith(("warning", "note"))]
    # 0.9 kept, 0.05 for each of two others: 18 times; 10% becomes 18 / (18 + 9).
    assert warned[1].startswith("warning: loose: weak protection: a report can change someone's odds by a factor of up to 18.0")
    assert "a chance of 10% may become 67%" in warned[1]
    assert warned[0].startswith("note: district: asked openly")
    assert warned[2].startswith("warning: tight: hidden so well that 1,000 answers")
    assert len(warned) == 3
    # Of what is asked openly the same is said as by `schema check`.
    [district] = [line for line in out.splitlines() if "│ district" in line]
    assert " open " in district
    assert not re.search("infinite|without limit", out)
    assert "KRR (loose): the true answer is kept with probability 0.9, else one of the others is drawn" in out
    enough = int(re.search(r"About ([\d,]+) would", warned[2]).group(1).replace(",", ""))
    assert "hidden so well" not in run("survey", "check", "q.yaml", "--answers", enough)[1]
    assert "hidden so well" in run("survey", "check", "q.yaml", "--answers", int(enough * 0.9))[1]


def test_a_check_says_what_one_lie_counts_as_and_check_and_open_refuse_what_pages_refuse(run, tmp_path):
    (tmp_path / "q.yaml").write_text(QUESTIONS)
    out = run("survey", "check", "q.yaml")[1]
    # By hand, light over three labels: (9 + 3 - 2) / (9 - 1) = 1.25, rounded up.
    [fine] = [line for line in out.splitlines() if "│ fine" in line]
    assert "1.3 people" in fine
    (tmp_path / "q.yaml").write_text(QUESTIONS.replace("p: 0.9", "p: 0.95"))
    for command in (("survey", "check", "q.yaml"), ("survey", "open", "q.yaml", "--db", "town.db")):
        code, _, err = run(*command)
        assert code == 2
        assert (
            "q.yaml, line 11: pages refuse this survey: 'loose': a report changes anyone's odds by a factor of at most 38.0"
            in err
        )
        assert "privacy: light (at most 9)" in err


def test_serving_names_a_survey_that_pages_refuse(tmp_path, capsys):
    import sqlalchemy as sa

    from deniable.cli.serve import _tell_refused
    from deniable.survey.questionnaire import Questionnaire
    from deniable.survey.store import Store
    from deniable.survey.store.tables import version

    with Store(str(tmp_path / "town.db")) as store:
        store.open_survey(Questionnaire.parse(QUESTIONS))
        _tell_refused(store, "traffic", "open")
        assert capsys.readouterr().err == ""
        with store.engine.begin() as connection:
            client = connection.execute(sa.select(version.c.client)).scalar_one()
            connection.execute(sa.update(version).values(client=client.replace('"linkage": "none"', '"linkage": "some"')))
        _tell_refused(store, "traffic", "closed")
        assert capsys.readouterr().err == ""
        _tell_refused(store, "traffic", "open")
        assert "warning: traffic: pages refuse this survey: 'linkage'" in capsys.readouterr().err


def test_the_hashes_of_the_released_files_are_printed(run):
    import hashlib

    code, out, _ = run("verify")
    assert code == 0
    script = ROOT / "deniable" / "web" / "static" / "randomise.js"
    assert f"{hashlib.sha256(script.read_bytes()).hexdigest()}  randomise.js" in out


def test_help_works_without_the_packages_of_the_service(tmp_path):
    hidden = "fastapi uvicorn sqlalchemy argon2 cryptography yaml psycopg starlette"
    code = (
        "import sys\n"
        f"class Hide:\n    def find_spec(self, name, *_):\n        if name.split('.')[0] in {hidden.split()!r}:\n"
        "            raise ModuleNotFoundError(name=name)\n"
        "sys.meta_path.insert(0, Hide())\n"
        "sys.argv = ['deniable', *sys.argv[1:]]\n"
        "from deniable.cli.main import main\nmain()\n"
    )
    helped = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, cwd=tmp_path)
    assert helped.returncode == 0, helped.stderr
    assert "serve" in helped.stdout
    for arguments in (["serve"], ["survey", "list"]):
        lacking = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=tmp_path)
        assert (lacking.returncode, "deniable[serve]" in lacking.stderr) == (2, True), lacking.stderr


@pytest.fixture
def process(tmp_path, standin):
    """`deniable serve` as a process of its own, started as often as wished."""
    started = []

    def start(*arguments):
        command = [
            sys.executable,
            "-c",
            # A shell's background job ignores Ctrl-C, and so would what it starts.
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from deniable.cli.main import main; main()",
            "serve",
            "--db",
            "town.db",
            "--port",
            "0",
        ]
        one = subprocess.Popen([*command, *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(one)
        lines = []
        while True:
            line = one.stdout.readline()
            assert line, one.stderr.read()
            lines.append(line)
            if "/organiser " in line or "/organiser   " in line:
                break
        url = re.match(r"(http://\S+)/organiser", lines[-1]).group(1)
        for _ in range(200):
            try:
                httpx.get(f"{url}/api/health")
                break
            except httpx.HTTPError:
                time.sleep(0.05)
        return one, url, lines

    with Store(str(tmp_path / "town.db")) as store:
        store.open_survey(standin.Standin(linkage="code"))
    yield start
    for one in started:
        if one.poll() is None:
            one.kill()
        one.wait()
        one.stdout.close()
        one.stderr.close()


def test_a_server_that_is_killed_has_lost_nothing_and_one_that_is_asked_ends_in_peace(process, tmp_path, standin):
    acknowledged = []
    for end in (signal.SIGKILL, signal.SIGTERM):
        server, url, _ = process()
        with httpx.Client(base_url=url) as client:
            for _ in range(30):
                body = standin.body(code=standin.code())
                if client.post("/api/surveys/town/answers", json=body).status_code == 201:
                    acknowledged.append(body["code"])
        server.send_signal(end)
        server.wait(30)
        if end == signal.SIGTERM:
            assert "Traceback" not in server.stderr.read()
    with Store(str(tmp_path / "town.db")) as store:
        store.check()
        assert store.close_survey("town") == 60
        codes = [row[-1] for piece in store.mixed_rows(store.version("town")) for row in piece]
    assert sorted(codes) == sorted(acknowledged)


def test_a_server_is_verified_from_outside_and_a_changed_file_is_found(process, run, tmp_path):
    from deniable.web.released import SHELL, released

    _, url, lines = process()
    assert any("/s/town" in line for line in lines)
    code, out, err = run("verify", f"{url}/s/town" if SHELL in released() else url)
    assert (code, "All" in out) == (0, True), out + err
    # Anyone who sees other bytes than the released ones is told: here the files at hand are another release.
    changed = released()
    import deniable.web.verify as verifying

    name = "randomise.js"
    other = {**changed, name: type(changed[name])(name, changed[name].content + b"\n", changed[name].media_type)}
    before = verifying.released
    verifying.released = lambda: other
    try:
        code, out, err = run("verify", url)
    finally:
        verifying.released = before
    assert (code, "DIFFERENT" in out, "Do not answer truthfully" in err) == (1, True, True)


def test_a_survey_that_does_not_exist_is_no_changed_server(process, run, monkeypatch):
    _, url, _ = process()
    code, out, err = run("verify", f"{url}/s/nope")
    assert (code, out) == (2, "")
    assert f"There is no survey at {url}/s/nope: the server answers 404." in err
    assert "truthfully" not in err
    # Missing for some browsers only: that is a server to be wary of.
    from deniable.web.fetching import Answer, Line

    get = Line.get

    def for_some(line, address, target, headers, asked_by):
        answer = get(line, address, target, headers, asked_by)
        gone = target.startswith("/s/") and "Firefox" in asked_by
        return Answer(address, asked_by, 404, answer.headers, b"gone", conditional=answer.conditional) if gone else answer

    monkeypatch.setattr(Line, "get", for_some)
    code, out, err = run("verify", f"{url}/s/town")
    assert (code, "different for different visitors" in out) == (1, True)


def test_what_could_not_be_compared_ends_with_2_and_without_an_accusation(process, run, monkeypatch):
    from deniable.web.fetching import Answer, Line

    _, url, _ = process()
    get = Line.get

    def silent(line, address, target, headers, asked_by):
        if target == "/static/words.js":
            return Answer(address, asked_by, trouble="it does not answer: timed out")
        return get(line, address, target, headers, asked_by)

    monkeypatch.setattr(Line, "get", silent)
    code, out, err = run("verify", f"{url}/s/town")
    assert (code, "UNCHECKED" in out, "DIFFERENT" in out) == (2, True, False)
    assert re.fullmatch(r"1 of \d+ could not be checked. That is not the same as good: do not rely on it.\n", err)


def test_serving_a_database_that_does_not_exist_is_refused_and_none_is_made(run, tmp_path):
    code, out, err = run("serve", "--db", "typo.db", "--port", "0")
    assert (code, out) == (2, "")
    assert err == (
        "error: typo.db does not exist. To begin it, and write surveys in the browser, add --new. "
        "Or open a survey in it first: deniable survey open QUESTIONNAIRE --db typo.db\n"
    )
    assert not list(tmp_path.iterdir())


def test_a_new_database_is_served_with_a_word(process, tmp_path):
    server, url, lines = process("--db", "blank.db", "--new")
    assert (tmp_path / "blank.db").exists()
    assert not any("/s/" in line for line in lines)
    server.send_signal(signal.SIGTERM)
    server.wait(30)
    err = server.stderr.read()
    assert f"No survey is in sqlite:///blank.db yet: write one at {url}/organiser" in err


def test_a_server_that_is_interrupted_says_that_answers_are_kept(process):
    server, _, _ = process()
    server.send_signal(signal.SIGINT)
    assert server.wait(30) == 130
    assert server.stderr.read() == "Stopped. Every answer that was acknowledged is kept.\n"


def test_a_server_that_is_terminated_closes_its_database(process, tmp_path, standin):
    server, url, _ = process()
    body = standin.body(code=standin.code())
    assert httpx.post(f"{url}/api/surveys/town/answers", json=body).status_code == 201
    assert (tmp_path / "town.db-wal").exists()
    server.send_signal(signal.SIGTERM)
    assert server.wait(30) == 0
    assert server.stderr.read() == "Stopped. Every answer that was acknowledged is kept.\n"
    assert not (tmp_path / "town.db-wal").exists()


def test_a_server_that_cannot_have_its_port_leaves_the_database_alone(process, run, tmp_path, monkeypatch):
    _, url, _ = process()
    monkeypatch.setattr(Store, "check", lambda *_: 1 / 0)
    code, _, err = run("serve", "--db", "town.db", "--port", url.rpartition(":")[2])
    assert (code, "Choose another --port" in err) == (2, True)


def test_a_new_database_is_for_its_owner_alone_and_an_old_one_keeps_its_mode(tmp_path, standin):
    before = os.umask(0o022)
    try:
        with Store(str(tmp_path / "new.db")) as store:
            store.open_survey(standin.Standin(linkage="code"))
            modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("new.db*") if path.is_file()}
        assert modes["new.db-wal"] == 0o600
        assert set(modes.values()) == {0o600}
        (tmp_path / "new.db").chmod(0o640)
        with Store(str(tmp_path / "new.db")) as store:
            assert store.slugs() == ["town"]
        assert (tmp_path / "new.db").stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(before)


def test_a_closed_survey_is_deleted_by_its_name_typed_again(town, tmp_path):
    town.run("survey", "open", "q.yaml", "--db", "town.db")
    answer(tmp_path / "town.db", town.standin, 3)
    code, _, err = town.run("survey", "delete", "town", "--really", "town", "--db", "town.db")
    assert (code != 0, "close it before it is deleted" in err) == (True, True)
    town.run("survey", "close", "town", "--db", "town.db")
    code, _, err = town.run("survey", "delete", "town", "--really", "twon", "--db", "town.db")
    assert (code != 0, "nothing was deleted" in err) == (True, True)
    code, out, _ = town.run("survey", "delete", "town", "--really", "town", "--db", "town.db")
    assert (code, "town is deleted, with 3 answers" in out) == (0, True)
    with Store(str(tmp_path / "town.db")) as store:
        assert store.slugs() == []
        assert next(iter(store.audit_lines())).action == "deleted"
    code, _, err = town.run("survey", "delete", "town", "--really", "town", "--db", "town.db")
    assert "There is no survey 'town'" in err
