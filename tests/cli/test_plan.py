"""`deniable plan`: a table, figures and a picture; bad input is a sentence and exit code 2."""

from __future__ import annotations

import json

import pytest

import deniable as dn

HEAD = """
survey: habits
title: Habits
organiser: Town hall
contact: survey@town.example
other_way: Call us.
pages:
- elements:
"""
BODY = """  - {type: boolean, name: smokes, title: Do you smoke?, privacy: strong}
  - {type: rating, name: buses, title: How are the buses?}
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "q.yaml").write_text(HEAD + BODY, encoding="utf-8")
    dn.Schema({"a": dn.KRR(dn.Nominal(["no", "yes"]), 0.75), "b": dn.KRR(dn.Nominal(["x", "y"]), 0.8)}).save(
        tmp_path / "s.json"
    )
    return tmp_path


def test_a_questionnaire_is_planned_as_the_library_plans_it(run, files):
    code, out, err = run("plan", "q.yaml", "--answers", 3000, "--group", 0.3, "--margin", 5, "--budget", 30)
    assert (code, err) == (0, "")
    for said in (
        "What 3,000 answers will tell",
        "smokes",
        "buses",
        "The group is 30% of the answers, told openly",
        "8 times out of 10",
    ):
        assert said in out
    assert "The strongest protection that gives ± 5 points with 3,000 answers:" in out
    assert "Odds of at most 30 for all questions together (epsilon 3.402)" in out


@pytest.mark.parametrize(
    ("language", "budget", "said"),
    [
        ("en", 15625, "Odds of at most 15,625 for all questions together (epsilon 9.657)"),
        ("pl", 15625, "Szanse zmienione najwyżej 15 625-krotnie przez wszystkie pytania razem"),
        ("en", 2.5, "Odds of at most 2.5 for all questions together"),
        ("pl", 2.5, "Szanse zmienione najwyżej 2,5-krotnie"),
    ],
)
def test_a_budget_is_written_as_people_write_numbers(run, files, language, budget, said):
    code, out, _ = run("plan", "q.yaml", "--budget", budget, "--language", language)
    assert code == 0
    assert said in " ".join(out.split())


def test_a_budget_that_is_too_small_is_told_in_polish_numbers(run, files):
    many = "".join(f"  - {{type: boolean, name: a{i}, title: A?}}\n" for i in range(120))
    (files / "many.yaml").write_text(HEAD + many, encoding="utf-8")
    code, _, err = run("plan", "many.yaml", "--budget", 15625.5, "--language", "pl")
    assert code == 2
    said = "Budżet szans 15 625,50 (epsilon 9,66) jest za mały na tyle pytań (120): każde potrzebuje szans co najmniej 1,1."
    assert said in " ".join(err.split())
    _, _, err = run("plan", "many.yaml", "--budget", 15625.5)
    assert "A budget of odds 15,625.50 (epsilon 9.66) is too small for 120 questions" in " ".join(err.split())


def test_json_has_every_figure(run, files):
    code, out, _ = run("plan", "s.json", "--answers", 2000, "--by", "b", "--margin", 5, "--budget", 20, "--json")
    assert code == 0
    found = json.loads(out)
    plan = dn.plan("s.json", 2_000, by="b")
    assert found["attributes"][0]["share_20"] == plan.margin("a")
    assert found["attributes"][0]["group_share_20"] == plan.margin("a", in_group=True)
    assert "group_share_20" not in found["attributes"][1]
    assert found["answers_for_margin"]["a"] == plan.answers_for(0.05, "a")
    assert found["strongest"]["a"]["odds"] == plan.strongest(0.05)["a"].odds
    assert [row["odds"] for row in found["budget"]] == [row.odds for row in plan.share_budget(total_odds=20).rows]


def test_polish_and_a_picture(run, files):
    code, out, _ = run("plan", "s.json", "--language", "pl", "--margin", 4, "--plot", "p.svg", "--against", "odds")
    assert code == 0
    for said in ("Co powiedzą odpowiedzi", "Aby znać udział 20%", "Najmocniejsza ochrona", "pkt proc.", "Rysunek: p.svg"):
        assert said in out
    assert "Jak dobrze" in (files / "p.svg").read_text(encoding="utf-8")


def test_what_can_never_be_told_is_named_in_the_table_the_json_and_the_sentences(run, files):
    dn.Schema({"hours": dn.OneBit(dn.Integer(0, 99), 5), "smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75)}).save(
        files / "n.json"
    )
    code, out, _ = run("plan", "n.json", "--answers", 300, "--margin", 5)
    assert code == 0
    assert "hours: no protection of its kind tells shares" in out
    assert "1,400 answers (smokes needs most)" in out
    assert "However many answers there are, they never tell a share of hours." in out
    _, out, _ = run("plan", "n.json", "--answers", 300, "--json")
    hours, smokes = json.loads(out)["attributes"]
    assert "share_20" in hours["never"]
    assert "mean" not in hours["never"]
    assert hours["share_20"] is None
    assert (smokes["never"], smokes["share_2"]) == ([], None)


def test_no_word_of_the_table_is_broken_however_narrow_the_screen(run, files, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run("plan", "q.yaml", "--answers", 3000)
    lines = [line for line in out.splitlines() if line[:1] in "┃│"]
    assert max(map(len, out.splitlines())) <= 80
    words = {word for line in lines for word in line.replace("┃", " ").replace("│", " ").split()}
    assert {"difference", "attribute", "answers", "group"} <= words


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["q.yaml", "--by", "age"], "Nie ma atrybutu „age”; są: smokes, buses."),
        (["q.yaml", "--margin", 60], "--margin podaje się w punktach procentowych"),
        (["q.yaml", "--group", 30], "--group to udział osób w grupie"),
        (["q.yaml", "--budget", 1.1], "jest za mały na tyle pytań (2)"),
        (["q.yaml", "--budget", 0.5], "--budget to szanse wszystkich pytań razem"),
        (["q.yaml", "--against", "time"], "--against to answers"),
        (["no.yaml"], "Nie ma pliku no.yaml."),
        (["q.yaml", "--plot", "none/p.svg"], "Nie ma katalogu none"),
        (["bad.yaml"], "bad.yaml: liczba błędów: 3\n  wiersz 2: survey to krótka nazwa"),
        (["bad.yaml"], "rating nie ma „fro”"),
    ],
)
def test_bad_input_is_told_in_polish(run, files, options, says):
    bad = BODY.replace("privacy: strong", "privacy: strong, for: mean").replace("buses?", "buses?, fro: mean")
    (files / "bad.yaml").write_text(HEAD.replace("survey: habits", "survey: Nasze Miasto") + bad, encoding="utf-8")
    code, out, err = run("plan", *options, "--language", "pl")
    assert (code, out) == (2, "")
    assert err.startswith("błąd: ")
    assert says in err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["no.yaml"], "no.yaml does not exist."),
        (["no.json"], "no.json does not exist"),
        (["q.yaml", "--by", "age"], "There is no attribute 'age'; there are"),
        (["q.yaml", "--margin", 60], "--margin is in percentage points"),
        (["q.yaml", "--group", 30], "--group is a share of the people"),
        (["q.yaml", "--budget", 1.1], "too small for 2 questions"),
        (["q.yaml", "--budget", 0.5], "--budget is the odds of all questions together"),
        (["q.yaml", "--answers", 0], "--answers"),
        (["q.yaml", "--language", "de"], "en (English) or pl (Polish)"),
        (["q.yaml", "--against", "time"], "--against must be answers or odds"),
        (["q.yaml", "--plot", "p.txt"], "must end in one of"),
        (["s.json", "--plot", "none/p.svg"], "the folder none does not exist"),
    ],
)
def test_bad_input_is_a_sentence_and_exit_code_2(run, files, options, says):
    code, out, err = run("plan", *options)
    assert code == 2
    assert says in err
    assert "Traceback" not in err
    assert not out
    assert not (files / "p.svg").exists()
