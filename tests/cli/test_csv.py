"""Every command that reads CSV reads those of a Polish spreadsheet, and asks with an option and exit code 2 where it cannot know."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import deniable as dn
from deniable.cli.main import app

ROWS = "".join(
    f"{town};{height};{smokes}\n" for town in ("Łódź", "Kraków") for height in ("1,75", "1,6") for smokes in ("tak", "nie")
)
POLISH = "miasto;wzrost;pali\n" + ROWS * 30
SCHEMA = dn.Schema(
    {
        "miasto": dn.KRR(dn.Nominal(["Kraków", "Łódź"]), 0.75),
        "wzrost": dn.KRR(dn.Continuous(1, 2, step=0.05), 0.75),
        "pali": dn.KRR(dn.Nominal(["nie", "tak"]), 0.75),
    },
    target="pali",
)
SAY = ["--encoding", "windows-1250"]
COMMANDS = {
    "randomise": ["randomise", "d.csv", "--schema", "s.json", "-o", "out.csv"],
    "count": ["count", "d.csv", "pali == 'tak'", "--schema", "s.json"],
    "mean": ["mean", "d.csv", "wzrost", "--schema", "s.json"],
    "distribution": ["distribution", "d.csv", "miasto", "--schema", "s.json"],
    "crosstab": ["crosstab", "d.csv", "miasto", "pali", "--schema", "s.json"],
    "difference": ["difference", "d.csv", "pali == 'tak'", "pali == 'nie'", "--schema", "s.json"],
    "candidates": ["candidates", "d.csv", "pali == 'tak'", "--schema", "s.json"],
    "reconstruct": ["reconstruct", "d.csv", "miasto", "--schema", "s.json"],
    "mine": ["mine", "d.csv", "--min-support", "0.1", "--schema", "s.json"],
    "infer": ["schema", "infer", "d.csv"],
    "publish": ["publish", "d.csv", "--sensitive", "pali", "-o", "public.csv"],
    "fit": ["classify", "fit", "d.csv", "--schema", "s.json", "-o", "model.json"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    SCHEMA.save(tmp_path / "s.json")
    (tmp_path / "d.csv").write_text(POLISH, encoding="windows-1250")
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reads_what_a_spreadsheet_writes_once_it_is_told_the_encoding(folder, command):
    asked = CliRunner().invoke(app, COMMANDS[command])
    assert (asked.exit_code, getattr(asked.exception, "code", None)) == (1, "csv_encoding")
    told = CliRunner().invoke(app, [*COMMANDS[command], *SAY])
    assert told.exit_code == 0, told.output
    assert all(wrong not in told.output for wrong in ("\ufeff", "£ódŸ", "Ĺ"))


def test_predictions_and_scores_read_them_too(folder):
    assert CliRunner().invoke(app, [*COMMANDS["fit"], *SAY]).exit_code == 0
    for command in (["predict", "model.json", "d.csv", "-o", "p.csv"], ["score", "model.json", "d.csv", "--true"]):
        told = CliRunner().invoke(app, ["classify", *command, *SAY])
        assert told.exit_code == 0, told.output


def test_what_is_asked_names_the_option_and_ends_with_2(folder):
    ended = subprocess.run([sys.executable, "-m", "deniable", *COMMANDS["infer"]], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "--encoding windows-1250" in ended.stderr
    assert "letters are" in ended.stderr
    assert "Łódź" not in ended.stderr


def test_a_tab_can_be_typed(folder):
    (folder / "d.csv").write_text("a;x\tb;y\n1;2\t3;4\n1;3\t2;4\n")
    told = CliRunner().invoke(app, ["schema", "infer", "d.csv", "--delimiter", "tab"])
    assert list(json.loads(told.stdout)["attributes"]) == ["a;x", "b;y"]
