"""`deniable survey try` as a person meets it."""

import pytest

from deniable.survey.store import Store

YAML = """survey: town
title: Town
organiser: Town hall
contact: t@town.example
other_way: Call us.
pages:
- elements:
  - {type: boolean, name: smokes, title: Do you smoke?, privacy: strong}
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "town.yaml").write_text(YAML)
    return tmp_path / "town.yaml"


def test_a_trial_is_opened_kept_replaced_and_deleted(run, file):
    code, out, _ = run("survey", "try", "town.yaml", "--db", "town.db")
    assert (code, "The trial is open: trial--town--" in out, "count in no survey" in out) == (0, True, True)
    assert "was deleted" not in run("survey", "try", "town.yaml", "--db", "town.db")[1]
    file.write_text(YAML.replace("title: Town", "title: Village"))
    assert "The one before it was deleted" in run("survey", "try", "town.yaml", "--db", "town.db")[1]
    # The survey is opened beside it, and both are listed: the trial last, and as one.
    assert run("survey", "open", "town.yaml", "--db", "town.db")[0] == 0
    _, out, _ = run("survey", "list", "--db", "town.db")
    assert out.index("town_v1") < out.index("trial--town")
    assert "count in no survey" in out
    with Store("town.db") as store:
        [slug] = [one for one in store.slugs() if one.startswith("trial--town--")]
    code, out, _ = run("survey", "delete", slug, "--db", "town.db")
    assert (code, " ".join(out.split())) == (0, f"{slug} is deleted.")
    with Store("town.db") as store:
        assert store.slugs() == ["town"]


def test_made_up_residents_answer_and_are_reported(run, file):
    code, out, _ = run("survey", "try", "town.yaml", "--made-up", "80", "--db", "town.db")
    assert (code, "80 made-up residents answered made-up--town, which is closed." in out) == (0, True)
    assert run("survey", "report", "made-up--town", "-o", "report.html", "--db", "town.db")[0] == 0
    assert "nobody gave them" in (file.parent / "report.html").read_text()
    code, _, err = run("survey", "export", "made-up--town", "-o", "answers.csv", "--db", "town.db")
    assert (code, "would look like one of real answers" in " ".join(err.split())) == (2, True)
    assert not (file.parent / "answers.csv").exists()
    code, out, _ = run("survey", "delete", "made-up--town", "--db", "town.db")
    assert (code, "is deleted" in out) == (0, True)


def test_what_is_refused_leaves_no_database_behind(run, file):
    for arguments, said in (
        (["--made-up", "0"], "1 to 10,000 people"),
        (["--made-up", "10001"], "1 to 10,000 people"),
    ):
        code, _, err = run("survey", "try", "town.yaml", *arguments, "--db", "new.db")
        assert (code, said in " ".join(err.split())) == (2, True)
    file.write_text(YAML.replace("survey: town", "survey: trial--town"))
    for command in ("check", "open", "try"):
        given = [] if command == "check" else ["--db", "new.db"]
        code, _, err = run("survey", command, "town.yaml", *given)
        assert (code, "line 1: names that begin with trial-- or made-up-- are kept for trials" in " ".join(err.split())) == (
            2,
            True,
        )
    assert [path.name for path in file.parent.iterdir()] == ["town.yaml"]
