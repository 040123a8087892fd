"""`deniable privacy` as a person meets it."""

import json

import pytest

import deniable as dn


@pytest.fixture
def run(run, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "160")
    dn.Schema(
        {
            "smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.8),
            "flag": dn.Flip(1, 0.5),
            "age": dn.Retention(dn.Integer(18, 90), 0.5),
        }
    ).save(tmp_path / "s.json")
    return run


def test_it_shows_a_row_a_question_warnings_and_a_scale(run):
    code, out, _ = run("privacy", "s.json")
    assert code == 0
    flat = " ".join(out.replace("│", " ").split())
    for words in (
        "smokes",
        "1.387",
        "at most 4.0 times",
        "infinite",
        "warning: flag: epsilon is infinite",
        "RAPPOR",
        "Together",
    ):
        assert words in flat


def test_a_prior_changes_the_sentence(run, tmp_path):
    (tmp_path / "p.json").write_text(json.dumps({"smokes": {"yes": 0.2, "no": 0.8}, "flag": {"1": 0.3, "0": 0.7}}))
    code, out, _ = run("privacy", "s.json", "--prior", "p.json", "--json")
    assert code == 0
    found = {row["name"]: row for row in json.loads(out)["questions"]}
    # 0.2 * 0.8 / (0.2 * 0.8 + 0.8 * 0.2) = 0.5
    assert (
        "reports 'yes', the chance that the true answer is 'yes' rises from 20% to at most 50%" in found["smokes"]["worst_case"]
    )
    assert found["flag"]["supposing"] == "with the given distribution of answers"
    assert found["age"]["supposing"] == "supposing all answers are equally likely"


def test_json_alone_is_printed_and_infinity_is_null(run):
    code, out, err = run("privacy", "s.json", "--json", "--html", "r.html")
    assert code == 0
    found = json.loads(out)
    assert found["epsilon"] is None
    assert [row["epsilon"] is None for row in found["questions"]] == [False, True, False]
    assert "r.html" in err


def test_the_page_is_written_and_not_overwritten_without_force(run, tmp_path):
    assert run("privacy", "s.json", "--html", "r.html")[0] == 0
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")
    (tmp_path / "r.html").write_text("mine")
    code, _, err = run("privacy", "s.json", "--html", "r.html")
    assert code == 2
    assert "exists already" in err
    assert (tmp_path / "r.html").read_text() == "mine"
    assert run("privacy", "s.json", "--html", "r.html", "--force")[0] == 0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "does not exist"),
        ("{", "not JSON"),
        ("[1]", "object from attribute"),
        ('{"drinks": 0.1}', "drinks"),
        ('{"smokes": {"maybe": 1}}', "maybe"),
        ('{"smokes": {"yes": 0.1}}', "leaves out"),
        ('{"age": 0.1}', "73 shares"),
    ],
)
def test_bad_priors_end_with_2_and_a_sentence(run, tmp_path, content, says):
    if content is not None:
        (tmp_path / "p.json").write_text(content)
    code, _, err = run("privacy", "s.json", "--prior", "p.json", "--html", "r.html")
    assert code == 2
    assert says in err
    assert "Traceback" not in err
    assert not (tmp_path / "r.html").exists()


def test_a_missing_schema_ends_with_2(run):
    code, _, err = run("privacy", "nowhere.json")
    assert code == 2
    assert "nowhere.json does not exist" in err
