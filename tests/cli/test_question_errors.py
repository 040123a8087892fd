"""What a question says when it is asked wrongly, in English and Polish, and where its answer comes from."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.cli import polish_errors
from deniable.cli.hints import ARGUMENTS, OPTIONS
from deniable.cli.main import COMMANDS
from deniable.core.question_texts import QuestionTexts
from deniable.errors import ParameterError
from deniable.statistics.condition_parser import parse

LABELS = {"no": {"pl": "Nie"}, "yes": {"pl": "Tak"}}
TEXTS = QuestionTexts(["pl"], {"smokes": {"title": {"pl": "Czy Pan/Pani pali?"}, "labels": LABELS}})
SCHEMA = dn.Schema(
    {
        "smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.8),
        "age": dn.Identity(dn.Integer(18, 90)),
        "town": dn.Identity(dn.Nominal(["Ulm", "Bonn"])),
    }
)


@pytest.fixture
def data(tmp_path):
    people = {"smokes": ["no", "yes"] * 30, "age": np.arange(60) + 20, "town": ["Ulm", "Bonn"] * 30}
    pd.DataFrame(people).to_csv(tmp_path / "r.csv", index=False)
    SCHEMA.with_texts(TEXTS).save(tmp_path / "s.json")
    return ("r.csv", "--schema", "s.json")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (
            ["share", "smokes == 'yes'", "--between", "town == 'Ulm'", "town == 'Bonn'"],
            "deniable difference DATA CONDITION --between",
        ),
        (["difference", "smokes == 'yes'", "--among", "town == 'Ulm'"], "deniable share DATA CONDITION --among"),
        (["mean", "age", "smokes"], "one attribute at a time"),
        (["count", "town", "==", "'Ulm'"], "quotation marks"),
        (["mean", "age", "--among", "town == 'Ulm'"], "--where"),
    ],
)
def test_what_belongs_to_a_sister_command_is_pointed_there(run, data, command, says):
    code, _, err = run(command[0], data[0], *command[1:])
    assert (code, says in " ".join(err.split())) == (2, True), err


def test_hints_name_options_that_exist_and_only_refuse_those_that_do_not():
    for (command, option), hint in OPTIONS.items():
        taken = {name for parameter in COMMANDS[command].load(command).params for name in parameter.opts}
        assert option not in taken, f"{command} takes {option}"
        if hint.startswith("This command takes --where"):
            assert "--where" in taken
    assert set(ARGUMENTS) <= set(COMMANDS)


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["count", "r.csv", "smokes = 'yes'"], "Równość zapisuje się jako ==. (znak 8)\n    smokes = 'yes'\n"),
        (["count", "r.csv", "height > 3"], "Nie ma atrybutu „height”; są: smokes, age, town."),
        (["count", "r.csv", "smokes == 'x'"], "„smokes” nie może mieć wartości 'x'; dozwolone: 'no', 'yes'."),
        (["count", "r.csv", "age == 5"], "dozwolone: od 18 do 90 co 1."),
        (["count", "r.csv", " "], "Warunek jest pusty."),
        (["count", "r.csv", "smokes == 'yes' age"], "Oczekiwano: „and”, „or” albo koniec; jest: age."),
        (["count", "r.csv", "age < 20 and age > 30"], "Nikt nie może spełniać warunku"),
        (["count", "nowhere.csv", "age < 30"], "Nie ma pliku nowhere.csv."),
        (["mean", "r.csv", "town"], "„town” to słowa"),
        (["distribution", "r.csv", "height"], "Nie ma atrybutu „height”"),
        (["count", "r.csv", "age < 30", "--weights", "w"], "Nie ma kolumny „w”"),
        (["count", "r.csv", "age < 30", "--level", "95"], "Poziom ufności (--level)"),
    ],
)  # fmt: skip
def test_frequent_errors_are_polish_where_that_is_asked_for(run, data, command, says):
    code, _, err = run(*command, *data[1:], "--language", "pl")
    assert code == 2
    assert err.startswith("błąd: "), err
    assert says in err
    code, _, err = run(*command, *data[1:])
    assert (code, err.startswith("error: ")) == (2, True)


def test_data_without_a_schema_is_told_in_polish(run, data):
    code, _, err = run("count", "r.csv", "age < 30", "--language", "pl")
    assert (code, "r.csv nie ma schematu" in err, "--schema" in err) == (2, True, True)


def test_an_error_without_polish_words_stays_english():
    assert polish_errors.in_polish(ParameterError("something_else", "No.")) is None
    assert polish_errors.in_polish(ParameterError("unknown_attribute", "Other {x}.", x=1)) is None


WRONG = [
    *("a", "(a == 1", "a not 1", "a == ", "a in 1", "a in (b)", "a in (1 2)", "a b", "1 == 2", "1 in (2)", "a.b == 1"),
    *("a == 'x", "a ! 1", "a & b", "a # b"),
]


@pytest.mark.parametrize("text", WRONG)
def test_no_error_of_a_condition_is_half_english(text):
    with pytest.raises(ParameterError) as caught:
        parse(text)
    told = polish_errors.in_polish(caught.value)
    assert told is not None
    said = told.splitlines()[0]
    for word in ("expected", "the end", "value", "attribute", "written", "write", "quote", " or ", "name "):
        assert word not in said.lower().replace("„or”", ""), said


def test_json_says_where_an_answer_comes_from(run, data):
    pd.read_csv("r.csv").assign(w=1.5).to_csv("r.csv", index=False)
    for command in (
        ["count", *data, "age < 30", "--weights", "w"],
        ["distribution", *data, "smokes"],
        ["reconstruct", *data, "smokes"],
    ):
        code, out, _ = run(*command, "--json")
        found = json.loads(out)
        assert code == 0
        assert (found["deniable"], found["schema_fingerprint"]) == (dn.__version__, SCHEMA.fingerprint)
        assert found["data"].endswith("r.csv")
        assert found["weights"] == ("w" if command[0] == "count" else None)


def test_a_title_is_written_above_the_picture(run, data):
    assert run("distribution", *data, "smokes", "--plot", "p.json", "--title", "Palący")[0] == 0
    with open("p.json", encoding="utf-8") as file:
        assert json.load(file)["title"]["text"] == "Palący"
    code, _, err = run("distribution", *data, "smokes", "--title", "Palący")
    assert (code, "--plot" in err) == (2, True)


def test_candidates_speak_polish(run, data):
    code, out, err = run("candidates", *data, "smokes == 'yes'", "--size", 3, "--language", "pl")
    assert code == 0
    assert out.splitlines()[0] == "wiersz,prawdopodobieństwo"
    assert "uwaga: nic tu nie mówi, czyje są te wiersze" in err
    assert "3 z 30" in err
    assert "w kolejności losowania" in err
    assert not set(err.split()) & {"rows", "draw", "note:", "probability"}
    code, out, _ = run("candidates", *data, "smokes == 'yes'", "--size", 3, "--language", "pl", "-o", "l.csv")
    assert (code, "Zapisano w l.csv, liczba wierszy: 3" in out) == (0, True)


def test_a_word_for_silence_is_declared_in_the_schema_file(run, tmp_path):
    pd.DataFrame({"smokes": ["no", "yes"] + ["prefer not to say"] * 30}).to_csv(tmp_path / "true.csv", index=False)
    dn.Schema({"smokes": dn.Optional(dn.KRR(dn.Nominal(["no", "yes"]), 0.8), 0.9)}).save(tmp_path / "o.json")
    code, _, err = run("randomise", "true.csv", "--schema", "o.json", "-o", "out.csv")
    assert code == 2
    assert "('prefer not to say' in 30 cells, first in row 3)" in err
    assert 'write "missing": "prefer not to say" for it in the schema file.' in err
    named = dn.Optional(dn.KRR(dn.Nominal(["no", "yes"]), 0.8), 0.9, missing="prefer not to say")
    dn.Schema({"smokes": named}).save(tmp_path / "named.json")
    assert run("randomise", "true.csv", "--schema", "named.json", "-o", "out.csv")[0] == 0
    assert "prefer not to say" in (tmp_path / "out.csv").read_text()
