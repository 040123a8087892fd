"""Questions on the command line."""

import json

import pandas as pd
import pytest

import deniable as dn


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    folder = tmp_path_factory.mktemp("town")
    people = dn.datasets.town(4_000)
    people.to_csv(folder / "truth.csv", index=False)
    schema = dn.datasets.town_schema()
    for name in ("r.csv", "r2.parquet"):
        schema.randomise(folder / "truth.csv", output=folder / name)
    return people, schema, folder


@pytest.mark.parametrize("name", ["r.csv", "r2.parquet"])
def test_the_papers_questions_take_one_line_each_and_equal_the_python_answers(run, town, name):
    _, schema, folder = town
    path = folder / name
    frame = pd.read_csv(path) if name.endswith("csv") else pd.read_parquet(path)
    sample = dn.Sample(frame, schema)
    asked = {
        ("count", path, "sex == 'F' and age <= 30"): sample.count("sex == 'F' and age <= 30"),
        ("mean", path, "salary", "-w", "children == 'yes' and age >= 30"): sample.mean(
            "salary", "children == 'yes' and age >= 30"
        ),
        ("distribution", path, "credit", "-w", "sex == 'F'"): sample.distribution("credit", "sex == 'F'"),
        ("distribution", path, "age", "--bins", "18,40,90", "--by", "sex"): sample.distribution(
            "age", by="sex", bins=[18, 40, 90]
        ),
        ("crosstab", path, "sex", "children"): sample.crosstab("sex", "children"),
        ("difference", path, "sex == 'M'", "sex == 'F'", "--of", "salary"): sample.difference(
            "sex == 'M'", "sex == 'F'", of="salary"
        ),
    }
    for arguments, expected in asked.items():
        code, out, _ = run(*arguments, "--json")
        assert code == 0
        assert json.loads(out)["value"] == pytest.approx(expected.value.tolist())
        code, out, _ = run(*arguments)
        assert code == 0
        assert "95% interval" in out


def test_a_difference_has_a_verdict_and_a_distribution_a_picture(run, town, tmp_path):
    _, _, folder = town
    _, out, _ = run("difference", folder / "r.csv", "age < 60", "age >= 80")
    assert "The difference is above 0" in out
    assert run("distribution", folder / "r.csv", "credit", "--plot", "credit.svg")[0] == 0
    assert (tmp_path / "credit.svg").exists()


def test_candidates_are_listed_with_their_probabilities(run, town, tmp_path):
    people, _, folder = town
    code, out, _ = run("candidates", folder / "r.csv", "sex == 'F' and age < 50", "--size", "200", "-o", "list.csv")
    assert code == 0
    assert "expected to meet" in out
    listed = pd.read_csv(tmp_path / "list.csv")
    assert len(listed) == 200
    assert listed["probability"].is_monotonic_decreasing
    met = ((people.sex == "F") & (people.age < 50)).to_numpy()[listed["row"] - 1]
    assert met.mean() == pytest.approx(listed["probability"].mean(), abs=0.15)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["count", "r.csv", "sex = 'F'"], "character 5"),
        (["count", "r.csv", "height > 3"], "no attribute 'height'"),
        (["count", "truth.csv", "sex == 'F'"], "no schema"),
        (["count", "nowhere.csv", "sex == 'F'"], "nowhere.csv"),
        (["count", "r.csv", "40 <= age < 30"], "Nobody can meet"),
        (["mean", "r.csv", "sex"], "numeric"),
        (["distribution", "r.csv", "credit", "--level", "95"], "0.95"),
        (["candidates", "r.csv", "sex == 'X'"], "cannot be 'X'"),
        (["count", "r.csv", "sex == 'F'", "--engine", "magic"], "magic"),
    ],
)
def test_bad_questions_end_with_2_and_a_sentence(run, town, monkeypatch, arguments, says):
    monkeypatch.chdir(town[2])
    command, data, *rest = arguments
    code, _, err = run(command, town[2] / data, *rest)
    assert code == 2
    assert says in err
    assert "Traceback" not in err


def test_labels_with_brackets_are_shown_as_they_are(run, tmp_path):
    schema = dn.Schema({"a": dn.KRR(dn.Nominal(["[/bold]z", "[red]y"]), 0.8)})
    pd.DataFrame({"a": ["[/bold]z", "[red]y"] * 20}).to_csv(tmp_path / "d.csv", index=False)
    schema.save(tmp_path / "s.json")
    code, out, _ = run("distribution", "d.csv", "a", "--schema", "s.json")
    assert code == 0
    assert "[/bold]z" in out
    assert "[red]y" in out


def test_candidates_come_from_several_files_and_not_from_none(run, tmp_path):
    schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.8)})
    schema.save(tmp_path / "s.json")
    for name in ("p1", "p2"):
        pd.DataFrame({"a": [0, 1, 1]}).to_csv(tmp_path / f"{name}.csv", index=False)
    code, out, _ = run("candidates", "p*.csv", "a == 1", "--schema", "s.json", "--size", 50)
    assert code == 0
    assert len(out.splitlines()) == 7
    (tmp_path / "empty.csv").write_text("a\n")
    code, _, err = run("candidates", "empty.csv", "a == 1", "--schema", "s.json")
    assert code == 2
    assert "no rows" in err
