"""`deniable survey report` from a database and from an export; what is refused leaves nothing behind."""

import numpy as np
import pytest
from typer.testing import CliRunner

from deniable.cli.survey_page import app
from deniable.errors import DeniableError
from deniable.survey.export import export
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store, bulk
from deniable.survey.store.engine import writing

YAML = """
survey: council
title: Our council
organiser: Council
contact: council@town.example
other_way: Call 555 0100.
pages:
- elements:
  - {type: boolean, name: owes, title: 'Are you in debt?', privacy: strong}
  - {type: boolean, name: votes, title: 'Did you vote?', privacy: light}
"""


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "survey.db"
    with Store(str(path)) as store:
        store.open_survey(Questionnaire.parse(YAML))
        read = store.version("council")
        codes = np.random.default_rng(2).integers(0, 2, (400, 2))
        with writing(store.engine) as connection:
            bulk.insert(connection, read.table, ["c0", "c1"], codes.tolist())
        store.close_survey("council")
        export(store, "council", tmp_path / "answers.csv")
    return path


def run(*given):
    return CliRunner().invoke(app, ["report", *map(str, given)])


def test_from_a_database_and_from_an_export(database, tmp_path):
    (tmp_path / "words.txt").write_text("Dear <council>,\n\nread this.", encoding="utf-8")
    chosen = ["--question", "votes", "--compare", "votes: owes == 'yes' | owes == 'no'", "--words", tmp_path / "words.txt"]
    chosen += ["--cross", "votes by owes", "--together", "votes, owes"]
    first = run("council", "-o", tmp_path / "one.html", "--db", database, *chosen)
    assert first.exit_code == 0, first.output
    page = (tmp_path / "one.html").read_text(encoding="utf-8")
    assert "Dear &lt;council&gt;," in page
    assert "400 answers" in page
    assert "<h2>Two questions at once</h2>" in page
    assert "<h2>What goes together</h2>" in page
    second = run(tmp_path / "answers.csv", "-o", tmp_path / "two.html", *chosen)
    assert second.exit_code == 0, second.output
    assert "400 answers" in (tmp_path / "two.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--question", "nothing"], "There is no attribute 'nothing'"),
        (["--compare", "votes"], "NAME: CONDITION | CONDITION"),
        (["--cross", "votes"], "NAME by NAME"),
        (["--together", "votes"], "2 to"),
        (["--language", "de"], "en .English. or pl"),
        (["--words", "missing.txt"], "missing.txt cannot be read"),
        (["--contents", "missing.yaml", "--question", "votes"], "not both"),
        (["--version", "7"], "has no version 7"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(database, tmp_path, given, message):
    found = run("council", "-o", tmp_path / "bad.html", "--db", database, *given)
    assert isinstance(found.exception, DeniableError)  # `main` makes exit code 2 of it
    with pytest.raises(DeniableError, match=message):
        raise found.exception
    assert not list(tmp_path.glob("*bad.html*"))


def test_a_file_in_the_way_is_kept(database, tmp_path):
    (tmp_path / "kept.html").write_text("mine", encoding="utf-8")
    found = run("council", "-o", tmp_path / "kept.html", "--db", database)
    assert "exists already" in str(found.exception)
    assert (tmp_path / "kept.html").read_text(encoding="utf-8") == "mine"
