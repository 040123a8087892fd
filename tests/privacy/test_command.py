"""`deniable privacy` as a person meets it."""

import html
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
        "at most 4.0",
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
    assert found["age"]["supposing"] == "assuming that all answers are equally likely"


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


QUESTIONS = """survey: town
title: {pl: Miasto, en: Town}
organiser: Town hall
contact: survey@town.example
other_way: Call 555 0100.
languages: [pl, en]
pages:
- elements:
  - {type: boolean, name: owns, title: {pl: Dom?, en: 'Own [a house]?'}, privacy: none}
  - {type: boolean, name: speeds, title: {pl: Szybko?, en: Do you speed?}, privacy: {design: krr, p: 0.88}}
  - type: boolean
    name: debt
    title: Debts?
    privacy: {design: unrelated, theta: 0.4, innocuous: {no: 0.4, yes: 0.4, no answer: 0.2}, asked: true, question: Born in May?}
  - {type: checkbox, name: took, title: {pl: Co?, en: Took?}, choices: [{value: tea, text: {pl: Herbata, en: Tea}}], privacy: strong}
"""


def test_a_questionnaire_is_told_in_its_own_words_with_all_that_checking_it_says(run, tmp_path):
    (tmp_path / "q.yaml").write_text(QUESTIONS, encoding="utf-8")
    code, out, _ = run("privacy", "q.yaml", "--html", "r.html", "--answers", "40")
    assert code == 0
    flat = " ".join(out.replace("│", " ").split())
    for words in ("Own [a house]?", "Do you speed?", "Took? – Tea", "not protected by randomisation (“Own [a house]?”)."):
        assert words in flat
    assert "no guarantee" not in out
    assert "infinite" not in out
    checked = run("survey", "check", "q.yaml", "--answers", "40")[1].splitlines()
    told = [line for line in checked if line.startswith(("warning: ", "note: "))]
    assert {line.split(":")[0] for line in told} == {"warning", "note"}
    assert len(told) >= 6
    page = html.unescape((tmp_path / "r.html").read_text(encoding="utf-8"))
    found = json.loads(run("privacy", "q.yaml", "--json", "--answers", "40")[1])
    listed = [f"warning: {one['about']}: {one['warning']}" for one in found["warnings"]]
    listed += [f"note: {one['about']}: {one['note']}" for one in found["notes"]]
    for line in told:
        kind, about, text = line.split(": ", 2)
        assert [shown for shown in out.splitlines() if shown.startswith(f"{kind}: “") and shown.endswith(f"({about}): {text}")]
        assert text in page
        assert line in listed
    assert "Took? – Tea" in page
    assert found["asked_openly"] == ["owns"]
    # The second question is put to people: the odds are those of somebody who knows its answer, as in the check.
    odds = {row["name"]: row["odds"] for row in found["questions"]}
    assert f" {odds['debt'].removeprefix('by a factor of ')} │" in next(line for line in checked if "│ debt" in line)


def test_a_questionnaire_in_json_in_another_language_is_told_from_a_schema(run, tmp_path):
    asked = {
        "survey": "town", "title": "Miasto", "organiser": "Urząd", "contact": "a@b.example", "other_way": "Tel.", "languages": ["pl"],
        "pages": [{"elements": [{"type": "boolean", "name": "a", "title": "Czy <palisz>?"}]}],
    }  # fmt: skip
    (tmp_path / "q.json").write_text(json.dumps(asked), encoding="utf-8")
    assert run("privacy", "q.json", "--html", "r.html")[0] == 0
    assert '<span lang="pl">Czy &lt;palisz&gt;?</span>' in (tmp_path / "r.html").read_text(encoding="utf-8")
    code, _, err = run("privacy", "s.json", "--answers", "50")
    assert code == 2
    assert "s.json is a schema" in err


def test_every_mistake_of_a_questionnaire_is_told(run, tmp_path):
    (tmp_path / "q.yml").write_text(QUESTIONS.replace("title: Debts?", "titel: Debts?"), encoding="utf-8")
    code, _, err = run("privacy", "q.yml", "--html", "r.html")
    assert code == 2
    assert "q.yml, line 13: a boolean has no 'titel'; did you mean 'title'?" in err
    assert not (tmp_path / "r.html").exists()
    assert "does not exist" in run("privacy", "none.yaml")[2]
