"""The command line as a person meets it: what is printed, what is written, which code it ends with."""

import json
import subprocess
import sys

import pandas as pd
import pytest

import deniable as dn


@pytest.fixture
def people(tmp_path):
    rows = 400
    frame = pd.DataFrame(
        {
            "name": [f"person {i}" for i in range(rows)],
            "smokes": ["no", "yes", "no", "no"] * (rows // 4),
            "flag": [0, 1] * (rows // 2),
            "age": [18 + i % 60 for i in range(rows)],
            "children": [None if i % 10 == 0 else i % 4 for i in range(rows)],
            "income": [round(1000 + 13.37 * i, 2) for i in range(rows)],
            "country": ["PL"] * rows,
        }
    )
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    return path


def test_infer_check_and_randomise_work_as_the_readme_says(run, people, tmp_path):
    code, out, err = run("schema", "infer", people, "-o", "s.json")
    assert code == 0
    assert "name: left out" in err
    assert "country: has one value only ('PL') and is reported as it is" in err
    assert "each gives away somebody's value" in err
    schema = dn.Schema.load(tmp_path / "s.json")
    assert list(schema) == ["smokes", "flag", "age", "children", "income", "country"]
    assert type(schema["children"]).__name__ == "Optional"
    assert schema["flag"].domain == dn.Binary()
    assert schema["smokes"].epsilon <= 1.6095
    assert "fingerprint" not in json.loads((tmp_path / "s.json").read_text())

    code, out, _ = run("schema", "check", "s.json")
    assert code == 0
    assert "smokes" in out
    assert "at most" in out
    assert schema.fingerprint in out

    code, out, _ = run("randomise", people, "--schema", "s.json", "-o", "r.csv", "--keep", "name")
    assert code == 0
    assert "400 rows" in out
    assert "epsilons add up" in out
    assert len(pd.read_csv(tmp_path / "r.csv")) == 400
    assert dn.Schema.load(tmp_path / "r.schema.json") == schema


def test_infer_prints_json_alone_on_standard_output(run, people):
    code, out, _ = run("schema", "infer", people)
    assert code == 0
    assert dn.Schema.from_json(out)


def test_inferred_schema_of_parquet_equals_that_of_csv(run, people, tmp_path):
    frame = pd.read_csv(people)
    frame["children"] = frame["children"].astype("Int64")
    frame.to_parquet(tmp_path / "people.parquet")
    assert run("schema", "infer", people)[1] == run("schema", "infer", tmp_path / "people.parquet")[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["schema", "infer", "nowhere.csv"], "nowhere.csv does not exist"),
        (["schema", "check", "nowhere.json"], "nowhere.json does not exist"),
        (["schema", "check", "people.csv"], "has no schema"),
        (["randomise", "people.csv", "--schema", "s.json", "-o", "r.csv"], "Leave columns out with --drop NAME, or"),
        (["randomise", "people.csv", "--schema", "s.json", "-o", "r.csv", "--drop", "none"], "--drop names 'none'"),
        (["randomise", "people.csv", "--schema", "s.json", "-o", "r.csv", "--drop", "smokes"], "which the schema randomises"),
        (["randomise", "people.csv", "--schema", "s.json", "-o", "r.xlsx"], "must end in"),
        (["randomise", "people.csv", "-o", "r.csv"], "--schema"),
        (["schema", "check", "s.json", "--budget", "0.5"], "budget is 0.5"),
        (["nonsense"], "nonsense"),
        (["demo", "--rows", "3"], "rows"),
        (["demo", "--rows", "200", "--picture", "demo.gif"], "gif"),
    ],
)
def test_bad_input_ends_with_2_a_sentence_and_no_output(run, people, tmp_path, arguments, says):
    dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75)}).save(tmp_path / "s.json")
    before = sorted(path.name for path in tmp_path.iterdir())
    code, _, err = run(*arguments)
    assert code == 2
    assert says in err
    assert "Traceback" not in err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_columns_of_a_file_can_be_left_out(run, people, tmp_path):
    dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75)}).save(tmp_path / "s.json")
    frame = pd.read_csv(people)
    others = [name for name in frame.columns if name != "smokes"]
    dropped = [word for name in others[1:] for word in ("--drop", name)]
    code, _, err = run("randomise", "people.csv", "-s", "s.json", "-o", "r.csv", "--keep", others[0], *dropped)
    assert code == 0, err
    assert set(pd.read_csv(tmp_path / "r.csv").columns) == {"smokes", others[0]}
    schema = dn.Schema.load(tmp_path / "s.json")
    assert list(schema.randomise(frame, drop=others).columns) == ["smokes"]


def test_existing_output_needs_force(run, people, tmp_path):
    run("schema", "infer", people, "-o", "s.json")
    code, _, err = run("schema", "infer", people, "-o", "s.json")
    assert code == 2
    assert "exists already" in err
    assert run("schema", "infer", people, "-o", "s.json", "--force")[0] == 0


def test_check_warns_of_what_leaks(run, tmp_path):
    dn.Schema(
        {
            "age": dn.Additive(dn.Integer(18, 65), dn.Uniform(18)),
            "sex": dn.Identity(dn.Nominal(["F", "M"])),
            "weight": dn.Additive(dn.Continuous(40, 150), dn.Normal(5)),
        }
    ).save(tmp_path / "s.json")
    code, out, _ = run("schema", "check", "s.json")
    assert code == 0
    assert "21.4% of the reports" in out
    assert "infinite" in out
    assert "sex: it is reported as it is" in out
    assert "protects nobody" in out


def test_demo_shows_tables_and_saves_a_picture(run, tmp_path):
    code, out, _ = run("demo", "--rows", "2000", "--residents", "60", "--picture", "town.svg")
    assert "60 residents sent randomised answers over HTTP" in out
    assert code == 0
    for word in ("truth", "reported", "estimated", "95% interval", "epsilon", "salary", "children", "intervals hold the truth"):
        assert word in out
    assert (tmp_path / "town.svg").read_text().startswith("<svg")


def test_version_and_help():
    said = subprocess.run(
        [sys.executable, "-c", "from deniable.cli.main import main; main()", "--version"], capture_output=True, text=True
    )
    assert said.stdout.strip() == f"deniable {dn.__version__}"
    assert said.returncode == 0


def test_reconstruct_finds_the_schema_beside_the_data_and_draws_a_picture(run, tmp_path):
    schema = dn.Schema(
        {
            "credit": dn.KRR(dn.Nominal(["none", "overdue", "present", "repaid"]), 0.6),
            "age": dn.Retention(dn.Integer(18, 90), 0.5),
            "salary": dn.Additive(dn.Integer(0, 12_000, step=100), dn.Uniform(1_000)),
        }
    )
    dn.datasets.town(3_000)[["credit", "age", "salary"]].to_csv(tmp_path / "town.csv", index=False)
    schema.randomise(tmp_path / "town.csv", output=tmp_path / "r.csv")
    code, out, _ = run("reconstruct", "r.csv", "credit", "--plot", "credit.svg")
    assert code == 0
    assert "95% interval" in out
    assert (tmp_path / "credit.svg").read_text().startswith("<svg")
    code, out, _ = run("reconstruct", "r.csv", "age", "--bins", "18,30,60,90", "--target", "respondents", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["labels"] == ["[18, 30)", "[30, 60)", "[60, 90]"]
    assert found["target"] == "respondents"
    assert all(low <= value <= high for low, value, high in zip(found["low"], found["value"], found["high"], strict=True))
    code, out, _ = run("reconstruct", "r.csv", "salary", "--bins", "6", "--method", "as")
    assert code == 0
    assert "variability band" in out
    assert "stops early" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["r.csv", "income"], "no attribute 'income'"),
        (["town.csv", "credit"], "has no schema"),
        (["r.csv", "credit", "--method", "magic"], "magic"),
        (["r.csv", "credit", "--bins", "3"], "numbers"),
        (["r.csv", "credit", "--target", "people"], "people"),
        (["r.csv", "credit", "--plot", "x.gif"], "gif"),
        (["bad.csv", "credit", "--schema", "r.schema.json"], "row 2: 'none of it'"),
    ],
)
def test_bad_reconstruct_calls_end_with_2_and_a_sentence(run, tmp_path, arguments, says):
    schema = dn.Schema({"credit": dn.KRR(dn.Nominal(["none", "overdue", "present", "repaid"]), 0.6)})
    dn.datasets.town(200)[["credit"]].to_csv(tmp_path / "town.csv", index=False)
    schema.randomise(tmp_path / "town.csv", output=tmp_path / "r.csv")
    (tmp_path / "bad.csv").write_text("credit\nnone\nnone of it\n")
    code, _, err = run("reconstruct", *arguments)
    assert code == 2
    assert says in err
    assert "Traceback" not in err


def test_outputs_never_replace_inputs(run, people, tmp_path):
    before = people.read_text()
    run("schema", "infer", people, "-o", "s.json")
    for arguments in (
        ("schema", "infer", people, "-o", people, "-f"),
        ("privacy", "s.json", "--html", "s.json", "-f"),
        ("randomise", people, "-s", "s.json", "-o", people, "-f", "-k", "name", "-k", "country"),
    ):
        code, _, err = run(*arguments)
        assert code == 2
        assert "input" in err or "own randomised copy" in err
    assert people.read_text() == before
    assert dn.Schema.load(tmp_path / "s.json")


def test_true_data_is_not_taken_for_reports(run, people, tmp_path):
    run("schema", "infer", people, "-o", "people.schema.json")
    code, _, err = run("reconstruct", people, "smokes")
    assert code == 2
    assert "draft" in err


def test_a_schema_that_contradicts_the_datas_own_is_refused(run, tmp_path):
    truth = tmp_path / "truth.csv"
    truth.write_text("a\n" + "0\n1\n" * 50)
    dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)}).randomise(truth, output=tmp_path / "r.parquet")
    dn.Schema({"a": dn.KRR(dn.Binary(), 0.9)}).save(tmp_path / "other.json")
    code, _, err = run("reconstruct", "r.parquet", "a", "-s", "other.json")
    assert code == 2
    assert "another schema" in err


@pytest.mark.parametrize("budget", ["nan", "-2", "0"])
def test_a_budget_that_is_none_is_refused(run, tmp_path, budget):
    dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)}).save(tmp_path / "s.json")
    code, _, err = run("schema", "check", "s.json", "--budget", budget)
    assert code == 2
    assert "budget" in err


def test_messy_columns_get_a_note(run, tmp_path):
    (tmp_path / "m.csv").write_text(
        "age,zip,say\n" + "".join(f"{20 + i % 60},{i:05d},{'no ' if i % 2 else 'no'}\n" for i in range(900)) + "thirty,1,no\n"
    )
    code, _, err = run("schema", "infer", "m.csv")
    assert code == 0
    assert "but for 'thirty'" in err
    assert "zip: every value is different, or padded" in err
    assert "blanks around them" in err


def test_a_check_of_a_schema_warns_of_weak_protection_and_explains_the_designs(run, tmp_path):
    yes_no = dn.Nominal(["no", "yes"])
    channels = {"strict": dn.KRR(yes_no, 0.9), "loose": dn.KRR(yes_no, 0.95), "open": dn.Identity(yes_no)}
    dn.Schema(channels).save(tmp_path / "s.json")
    code, out, _ = run("schema", "check", "s.json")
    assert code == 0
    assert "warning: loose: weak protection: a report can change someone's odds by a factor of up to 19.0" in out
    assert "a chance of 10% may become 68%" in out
    assert "warning: strict" not in out  # 9 times, no more
    assert "KRR (loose): the true answer is kept with probability 0.95, else the other one is reported" in out
    assert "Identity (open): nothing is hidden" in out


def test_reconstruct_says_how_the_answer_was_hidden(run, tmp_path):
    schema = dn.Schema({"smokes": dn.ForcedResponse(0.2, 0.1, dn.Nominal(["no", "yes"]))})
    schema.save(tmp_path / "s.json")
    schema.randomise(pd.DataFrame({"smokes": ["no", "yes"] * 200})).to_csv("r.csv", index=False)
    code, out, _ = run("reconstruct", "r.csv", "smokes", "-s", "s.json")
    assert code == 0
    assert "'yes' is reported with probability 0.2 and 'no' with 0.1, whatever is true, else the true answer" in out
