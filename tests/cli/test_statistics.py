"""Questions on the command line."""

import hashlib
import io
import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.core.domains.missing import WithMissing
from deniable.core.question_texts import QuestionTexts


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    folder = tmp_path_factory.mktemp("town")
    people = dn.datasets.town(4_000)
    people.to_csv(folder / "truth.csv", index=False)
    schema = dn.datasets.town_schema()
    for name in ("r.csv", "r2.parquet"):
        schema.randomise(folder / "truth.csv", output=folder / name, order="kept")  # so that truths and reports can be compared
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
        ("share", path, "children == 'yes'", "--among", "sex == 'F'"): sample.share("children == 'yes'", "sex == 'F'"),
        ("difference", path, "children == 'yes'", "--between", "sex == 'F'", "sex == 'M'"): sample.difference(
            "children == 'yes'", between=("sex == 'F'", "sex == 'M'")
        ),
        ("difference", path, "--of", "salary", "--between", "sex == 'F'", "sex == 'M'"): sample.difference(
            of="salary", between=("sex == 'F'", "sex == 'M'")
        ),
        ("quantile", path, "salary", "-q", "0.9", "-w", "sex == 'F'"): sample.quantile("salary", 0.9, "sex == 'F'"),
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
    assert "The difference between these two shares of everyone is above 0" in out
    assert "share of everyone for whom (age < 60) minus share of everyone for whom (age >= 80)" in " ".join(out.split())
    assert run("distribution", folder / "r.csv", "credit", "--plot", "credit.svg")[0] == 0
    assert (tmp_path / "credit.svg").exists()


def test_two_groups_are_compared_and_who_compares_shares_of_everyone_is_told_how(run, town):
    _, _, folder = town
    groups = ("sex == 'F'", "sex == 'M'")
    _, out, _ = run("difference", folder / "r.csv", "children == 'yes'", "--between", *groups)
    assert "The difference between the two groups " in out
    assert re.search(r"-?\d+\.\d points \(95% interval", " ".join(out.split()))
    assert "share of (children == 'yes') among (sex == 'F') minus that among (sex == 'M')" in " ".join(out.split())
    code, out, _ = run("difference", folder / "r.csv", *(f"children == 'yes' and {group}" for group in groups))
    command = out[out.index("deniable difference") :].strip()
    assert code == 0
    assert run(*shlex.split(command)[1:]) == run("difference", folder / "r.csv", "children == 'yes'", "--between", *groups)
    assert "To compare" not in run("difference", folder / "r.csv", *groups)[1]


def test_ratings_and_yes_and_no_have_means_quantiles_correlations_and_regressions(run, tmp_path):
    rng = np.random.default_rng(8)
    ill = rng.random(4_000) < 0.4
    people = pd.DataFrame({"mood": (rng.integers(2, 6, 4_000) - ill).astype(str), "ill": np.where(ill, "yes", "no")})
    mood = dn.Ordinal(list("12345"), missing="no answer")
    schema = dn.Schema({"mood": dn.KRR(mood, 0.9), "ill": dn.KRR(dn.Nominal(["no", "yes"]), 0.9)})
    reports = schema.randomise(people, rng)
    reports.to_csv("r.csv", index=False)
    schema.save("r.schema.json")
    sample, sick = dn.Sample(reports, schema), "ill == 'yes'"
    for arguments, expected in {
        ("mean", "mood", "-w", sick): sample.mean("mood", sick),
        ("quantile", "mood", "-q", "0.3", "-w", sick, "--target", "respondents"): sample.quantile(
            "mood", 0.3, sick, "respondents"
        ),
        ("correlation", "mood", "ill", "-w", "mood >= 2"): sample.correlation("mood", "ill", "mood >= 2"),
        ("regression", "mood", "ill", "-w", "mood >= 2"): sample.regression("mood", "ill", "mood >= 2"),
        ("regression", "ill", "mood"): sample.regression("ill", "mood"),
    }.items():
        command, *rest = arguments
        code, out, err = run(command, "r.csv", *rest, "--json")
        assert code == 0, err
        found = json.loads(out)
        assert (found["value"], found["labels"]) == (pytest.approx(expected.value.tolist()), list(expected.labels))
        assert found["notes"] == list(expected.notes)
        assert ("of 'ill', 'yes' counts as 1 and 'no' as 0" in found["notes"]) is ("ill" in rest[:2])
    code, out, _ = run("regression", "r.csv", "mood", "ill")
    assert (code, labels_shown(out), "95% interval" in out) == (0, ["intercept", "ill"], True)
    assert "Note: of 'ill', 'yes' counts as 1 and 'no' as 0." in out
    assert "The correlation is below 0" in run("correlation", "r.csv", "mood", "ill")[1]


def test_a_mean_in_each_group_is_that_of_the_group_alone(run, town):
    _, schema, folder = town
    path = folder / "r.csv"
    sample = dn.Sample(pd.read_csv(path), schema)
    code, out, _ = run("mean", path, "salary", "--by", "credit", "--json")
    found = json.loads(out)
    alone = [sample.mean("salary", f"credit == '{label}'") for label in found["labels"]]
    assert code == 0
    assert found["labels"] == list(schema["credit"].domain.labels)
    assert found["value"] == pytest.approx([float(one.value[0]) for one in alone])
    assert found["low"] == pytest.approx([float(one.interval()[0][0]) for one in alone])
    assert found["high"] == pytest.approx([float(one.interval()[1][0]) for one in alone])
    assert found["group_sizes"] == pytest.approx([float(one.group_sizes[0]) for one in alone])
    code, out, _ = run("mean", path, "salary", "--by", "age", "--by-bins", "18,40,90", "--plot", "by.svg")
    assert (code, labels_shown(out)) == (0, ["[18, 40)", "[40, 90]"])
    assert "people (estimated)" in out
    assert "Picture: by.svg" in out
    code, out, _ = run("mean", path, "salary", "--by", "age")
    assert len(labels_shown(out)) == 10
    assert "73 values were put into 10 bins" in out
    for wrong, says in {
        ("--by", "salary"): "by itself",
        ("--by", "nope"): "no attribute 'nope'",
        ("--by-bins", "3"): "--by-bins gives the bins of --by",
        ("--by", "sex", "--method", "iterative"): "method must be one of",
    }.items():
        code, _, err = run("mean", path, "salary", *wrong)
        assert (code, says in err) == (2, True), err


def test_a_group_of_too_few_answers_says_so_and_the_others_are_shown(run):
    schema = dn.Schema(
        {"age": dn.Retention(dn.Integer(20, 29), 0.9), "town": dn.Identity(dn.Nominal(["north", "south", "west", "east"]))}
    )
    reports = pd.DataFrame({"age": [*range(20, 30)] * 20 + [22, 23, 24], "town": ["north", "south"] * 100 + ["west"] * 3})
    reports.to_csv("r.csv", index=False)
    schema.save("r.schema.json")
    code, out, _ = run("mean", "r.csv", "age", "--by", "town")
    lines = {
        line.split("│")[1].strip(): [cell.strip() for cell in line.split("│")[2:4]] for line in out.splitlines() if "│" in line
    }
    assert code == 0
    assert lines["west"] == ["3", "too few answers (3)"]
    assert lines["north"][0] == lines["south"][0] == "100"
    assert "Note: nobody is in the group (town == 'east')." in out
    found = dn.Sample(reports, schema).mean("age", by="town")
    assert found.to_frame()["people"].tolist() == [100, 100, 3]
    assert "north  100 people:" in repr(found)
    assert re.search(r"<th[^>]*>people</th>.*>100</td>.*>too few answers \(3\)</td>", found._repr_html_())


def test_bars_take_what_room_numbers_leave(run, town, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run("mean", town[2] / "r.csv", "salary", "--by", "age")
    table = [line for line in out.splitlines() if "│" in line]
    assert len(table) == 10  # no line is broken
    assert max(map(len, table)) <= 80
    assert "…" not in out


def test_several_quantiles_are_each_answered(run, town):
    _, schema, folder = town
    path = folder / "r.csv"
    sample = dn.Sample(pd.read_csv(path), schema)
    for asked in (("salary",), ("salary", "-w", "sex == 'F'"), ("age", "--method", "em")):
        where = asked[2] if "-w" in asked else None
        method = "em" if "em" in asked else "joint"
        code, out, _ = run("quantile", path, *asked, "-q", "0.25", "-q", "0.75", "--json")
        found, alone = json.loads(out), [sample.quantile(asked[0], q, where, method=method) for q in (0.25, 0.75)]
        assert (code, found["labels"]) == (0, [0.25, 0.75])
        assert found["value"] == [float(one.value[0]) for one in alone]
        if method == "joint":
            assert (found["low"], found["high"]) == tuple([float(one.interval()[end][0]) for one in alone] for end in (0, 1))
            assert found["se"] == [float(one.se[0]) for one in alone]
    code, out, _ = run("quantile", path, "salary", "-q", "0.25", "-q", "0.75", "--plot", "q.svg", "-w", "sex == 'F'")
    assert (code, labels_shown(out)) == (0, ["0.25", "0.75"])
    assert "quantiles 0.25, 0.75 of salary where sex == 'F'" in out
    assert labels_shown(run("quantile", path, "salary")[1]) == ["salary"]
    code, _, err = run("quantile", path, "salary", "-q", "0.25", "-q", "75")
    assert (code, "between 0 and 1, or several, got 75" in err) == (2, True)


def cells_shown(out):
    """The cells of a table on the terminal, line by line."""
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines() if line.startswith("│")]


def percent(cells):
    return [float(cell.removesuffix("%")) for cell in cells]


def test_a_cross_table_has_rows_and_columns_with_intervals_and_totals(run, town, monkeypatch):
    _, schema, folder = town
    path = folder / "r.csv"
    sample = dn.Sample(pd.read_csv(path), schema)
    found, credit = sample.crosstab("sex", "credit"), sample.distribution("credit")
    low, high = (100 * end.reshape(2, 4) for end in found.interval())
    code, out, _ = run("crosstab", path, "sex", "credit")
    lines = cells_shown(out)
    assert code == 0
    assert out.splitlines()[2].replace("┃", "").split() == [
        "sex",
        "\\",
        "credit",
        "none",
        "overdue",
        "present",
        "repaid",
        "total",
    ]
    assert [line[0] for line in lines] == ["F", "", "M", "", "total"]
    assert lines[0][1:5] == [f"{share:.1%}" for share in found.shown[:4]]
    assert lines[3][1:5] == [f"{low[1, j]:.1f} to {high[1, j]:.1f}" for j in range(4)]
    assert percent(lines[4][1:]) == pytest.approx([*100 * credit.shown, 100.0], abs=0.051)
    assert "Below each share of everyone is its 95% interval" in out
    listed = run("crosstab", path, "sex", "credit", "--list")[1]
    assert labels_shown(listed)[:2] == ["F, none", "F, overdue"]
    assert "┃" in listed
    assert "F, none" not in out


def test_a_cross_table_that_does_not_fit_the_terminal_is_turned_then_bare_then_listed(run, town, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    path = town[2] / "r.csv"
    pd.DataFrame({name: [*range(14)] * 10 for name in "ab"}).to_csv("wide.csv", index=False)
    dn.Schema({name: dn.Retention(dn.Integer(0, 13), 0.9) for name in "ab"}).save("wide.schema.json")
    for arguments, says, first in (
        ((path, "sex", "age"), "Rows and columns are swapped", "[18, 25)"),
        ((path, "age", "salary", "--b-bins", "6"), "no room for their intervals", "[18, 25)"),
        (("wide.csv", "a", "b"), "so its cells are listed", "0, 0"),
    ):
        code, out, err = run("crosstab", *arguments)
        assert code == 0, err
        assert says in out
        assert cells_shown(out)[0][0] == first
        assert max(len(line) for line in out.splitlines() if line.startswith("│")) <= 80


def test_totals_of_a_cross_table_are_those_of_the_distribution_though_cells_are_cut_at_0(run, town):
    _, schema, folder = town
    sample = dn.Sample(pd.read_csv(folder / "r.csv"), schema)
    _, out, _ = run("crosstab", folder / "r.csv", "age", "credit", "--a-bins", "30")
    assert percent(cells_shown(out)[-1][1:-1]) == pytest.approx(100 * sample.distribution("credit").shown, abs=0.051)
    assert "Cells need not add up to the totals" in out


def test_words_explain_a_number_against_a_reference(run, town):
    _, schema, folder = town
    path = folder / "r.csv"
    sample = dn.Sample(pd.read_csv(path), schema)
    found = json.loads(run("regression", path, "salary", "sex", "children", "--json")[1])
    assert found["labels"] == ["intercept", "sex: M (against F)", "children"]
    assert found["value"] == pytest.approx(sample.regression("salary", ["sex", "children"]).value.tolist())
    code, out, _ = run("regression", path, "salary", "sex", "--reference", "sex=M")
    assert (code, labels_shown(out)) == (0, ["intercept", "sex: F (against M)"])
    for wrong, says in {"sex=X": "must be one of F, M, got 'X'", "sex": "such as district=south", "age=3": "for 'age'"}.items():
        code, _, err = run("regression", path, "salary", "sex", "--reference", wrong)
        assert (code, says in err) == (2, True), err


def test_every_question_takes_weights_from_a_column_of_the_file(run):
    rng = np.random.default_rng(12)
    number = dn.Retention(dn.Integer(20, 29), 0.8)
    schema = dn.Schema({"sex": dn.KRR(dn.Nominal(["F", "M"]), 0.9), "age": number, "height": number})
    people = pd.DataFrame(
        {"sex": rng.choice(["F", "M"], 600)} | {name: rng.integers(20, 30, 600) for name in ("age", "height")}
    )
    reports = schema.randomise(people, rng).assign(w=np.round(rng.uniform(0.5, 3, 600), 2), zero=0, bad=["1", "", "x"] * 200)
    reports.to_csv("r.csv", index=False)
    reports.to_parquet("p.parquet")
    for name in ("r", "p"):
        schema.save(f"{name}.schema.json")
    sample, women, men = dn.Sample(reports, schema, weights="w"), "sex == 'F'", "sex == 'M'"
    for arguments, expected in {
        ("count", women): sample.count(women),
        ("mean", "age", "-w", women): sample.mean("age", women),
        ("distribution", "sex"): sample.distribution("sex"),
        ("share", "age < 25", "--among", women): sample.share("age < 25", women),
        ("difference", "age < 25", "--between", women, men): sample.difference("age < 25", between=(women, men)),
        ("quantile", "age"): sample.quantile("age"),
        ("correlation", "age", "height"): sample.correlation("age", "height"),
        ("regression", "age", "height"): sample.regression("age", "height"),
        ("crosstab", "sex", "age"): sample.crosstab("sex", "age"),
    }.items():
        for path in ("r.csv", "p.parquet"):
            code, out, err = run(arguments[0], path, *arguments[1:], "--weights", "w", "--json")
            assert code == 0, err
            assert json.loads(out)["value"] == pytest.approx(expected.value.tolist())
            assert "respondents stand for as many people as 'w' says" in json.loads(out)["notes"]
    for weights, says in {
        "bad": r"r\.csv: Column 'bad': 400 cells do not fit \(row 2: missing, row 3: 'x',.*at least 0",
        "zero": "'zero' are all 0",
        "nope": "no column 'nope' to take weights from; there are sex, age, height, w, zero, bad",
        "sex": "'sex' cannot be the survey weights: the schema hides it",
    }.items():
        code, out, err = run("count", "r.csv", women, "--weights", weights)
        assert (code, out) == (2, "")
        assert re.search(says, " ".join(err.split())), err
    code, _, err = run("count", "r.csv", women, "--weights", "w", "--target", "respondents")
    assert (code, "speak of the population" in err) == (2, True)


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
        (["mean", "r.csv", "sex"], "holds words"),
        (["distribution", "r.csv", "credit", "--level", "95"], "0.95"),
        (["share", "r.csv", "sex == 'F'", "--among", "sex == 'X'"], "cannot be 'X'"),
        (["difference", "r.csv", "sex == 'F'"], "--between"),
        (["difference", "r.csv", "--between", "sex == 'F'", "sex == 'M'"], "--between"),
        (["difference", "r.csv", "age < 30", "age > 40", "--between", "sex == 'F'", "sex == 'M'"], "--between"),
        (["difference", "r.csv", "age < 30", "--of", "salary", "--between", "sex == 'F'", "sex == 'M'"], "--of"),
        (["quantile", "r.csv", "salary", "-q", "90"], "between 0 and 1"),
        (["quantile", "r.csv", "credit"], "holds words"),
        (["correlation", "r.csv", "salary", "height"], "there are salary, age, "),
        (["regression", "r.csv", "salary", "salary"], "other attributes to regress 'salary' on"),
        (["count", "r.csv", "age < 30", "--most", "age=0.001"], "--most age=0.0"),
        (["mean", "r.csv", "age", "--method", "magic"], "one of joint, em, iterative, got 'magic'"),
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


def test_a_list_that_ends_among_equals_is_drawn_recorded_and_can_be_made_again(run, tmp_path):
    dn.Schema({"a": dn.KRR(dn.Binary(), 0.8)}).save(tmp_path / "s.json")
    pd.DataFrame({"a": [1] * 60 + [0] * 40, "code": [f"C{i:03d}" for i in range(100)]}).to_csv(tmp_path / "r.csv", index=False)
    asked = ("candidates", "r.csv", "a == 1", "--schema", "s.json", "--size", 10)
    code, out, err = run(*asked)
    assert code == 0
    listed = pd.read_csv(io.StringIO(out))
    assert list(listed) == ["row", "code", "probability"]
    assert (listed["code"] == [f"C{row - 1:03d}" for row in listed["row"]]).all()
    assert "10 of 60 rows with the same probability are listed, as drawn." in err
    # Told once, with what it is for; a file that is handed on carries it.
    [draw] = re.findall(r"in the order of a draw, (\w+): with --draw anyone", err)
    assert run(*asked, "--draw", draw, "-o", "list.csv")[0] == 0
    assert set(pd.read_csv(tmp_path / "list.csv")["draw"]) == {draw}
    # Anybody can check it, with nothing but the draw.
    lots = sorted(range(1, 61), key=lambda row: hashlib.sha256(f"{draw}:{row}".encode()).digest())
    assert listed["row"].tolist() == lots[:10]
    assert run(*asked, "--draw", draw)[1] == out
    assert run(*asked)[1] != out
    assert run(*asked, "--draw", "lottery 2026-11-16: 3 8 21")[1] == run(*asked, "--draw", "lottery 2026-11-16: 3 8 21")[1]
    code, _, err = run(*asked, "--draw", " ")
    assert (code, "draw is the text" in err) == (2, True)
    code, _, err = run(*asked, "--keep", "name")
    assert (code, "has no columns name" in err) == (2, True)


def test_a_list_of_nobodys_rows_says_what_can_be_done(run, tmp_path):
    schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.8)})
    rows = pd.DataFrame({"a": [1] * 60 + [0] * 40})
    rows.to_csv(tmp_path / "r.csv", index=False)
    rows.assign(code=range(100)).to_csv(tmp_path / "codes.csv", index=False)
    rows.assign(id=range(100)).to_csv(tmp_path / "ids.csv", index=False)
    schema.save(tmp_path / "s.json")
    # The schema of an export carries what its survey asked.
    texts = QuestionTexts(["en"], {"a": {"title": {"en": "Do you smoke?"}, "labels": {}}})
    schema.with_texts(texts).save(tmp_path / "asked.json")

    def said(data, schema, *more):
        code, out, err = run("candidates", data, "a == 1", "--schema", schema, "--size", 5, *more)
        assert code == 0
        assert len(pd.read_csv(io.StringIO(out))) == 5, "the list stays a list"
        return " ".join(err.split())

    told = said("r.csv", "asked.json")
    for words in (
        "linkage: none",
        "promised",
        "deniable count, share",
        "the next survey with linkage: code",
        "linkage: register",
    ):
        assert words in told
    assert "linkage" not in said("codes.csv", "asked.json")
    assert "nothing here tells" not in said("codes.csv", "asked.json")
    assert "linkage" not in said("r.csv", "s.json")
    assert "identifier kept by deniable randomise --keep." in said("r.csv", "s.json")
    assert "This file has id: --keep id." in said("ids.csv", "s.json")
    assert "nothing here tells" not in said("ids.csv", "s.json", "--keep", "id")
    code, _, err = run("candidates", "r.csv", "a == 1", "--schema", "asked.json", "--keep", "code")
    assert (code, "if it was asked with linkage: code" in " ".join(err.split())) == (2, True)


def test_among_equals_every_row_is_drawn_as_often():
    found = np.zeros(20)
    for i in range(2_000):
        found[dn.statistics.candidates.Candidates(np.full(20, 0.5), 5, draw=f"draw {i}").rows] += 1
    # 500 each; 4.5 standard deviations of 19.4.
    assert abs(found - 500).max() < 87


def test_it_is_said_why_all_probabilities_are_zero(run, tmp_path):
    dn.Schema({"a": dn.KRR(dn.Binary(), 0.8)}).save(tmp_path / "s.json")
    pd.DataFrame({"a": [1] * 10 + [0] * 90}).to_csv(tmp_path / "r.csv", index=False)
    code, out, err = run("candidates", "r.csv", "a == 1", "--schema", "s.json", "-o", "list.csv")
    assert code == 0
    assert pd.read_csv(tmp_path / "list.csv")["probability"].max() == 0
    assert "note: Every probability is 0, or shown as 0: " in err
    assert "nobody meets the condition" in err
    assert "20 rows written" in out


def labels_shown(out):
    return [line.split("│")[1].strip() for line in out.splitlines() if line.startswith("│")]


def test_a_distribution_of_many_numbers_is_shown_in_bins_and_says_how_to_see_every_value(run, town):
    _, _, folder = town
    code, out, _ = run("distribution", folder / "r.csv", "age")
    assert (code, len(labels_shown(out))) == (0, 10)
    assert "73 values were put into 10 bins; each by itself: --bins all" in out
    code, out, _ = run("distribution", folder / "r.csv", "age", "--bins", "all")
    assert (code, labels_shown(out), "were put into" in out) == (0, [str(age) for age in range(18, 91)], False)
    assert len(json.loads(run("distribution", folder / "r.csv", "age", "--json")[1])["labels"]) == 73
    code, out, _ = run("crosstab", folder / "r.csv", "age", "sex", "--list")
    assert (code, len(labels_shown(out)), "--a-bins all" in out) == (0, 20, True)
    code, out, _ = run("reconstruct", folder / "r.csv", "age")
    assert (code, len(labels_shown(out)), "--bins all" in out) == (0, 10, True)
    assert len(labels_shown(run("reconstruct", folder / "r.csv", "age", "--bins", "all")[1])) == 73


def test_few_values_and_words_are_shown_one_by_one(run, town, tmp_path):
    _, _, folder = town
    out = run("distribution", folder / "r.csv", "credit")[1]
    assert ("bins" in out, len(labels_shown(out))) == (False, 4)
    dn.Schema({"n": dn.Retention(dn.Integer(1, 25), 0.5)}).randomise(pd.DataFrame({"n": range(1, 26)})).to_csv(
        "n.csv", index=False
    )
    dn.Schema({"n": dn.Retention(dn.Integer(1, 25), 0.5)}).save("n.schema.json")
    assert len(labels_shown(run("distribution", "n.csv", "n", "-s", "n.schema.json")[1])) == 25


def test_numbers_that_may_be_left_unanswered_are_binned_with_silence_by_itself(run, tmp_path):
    schema = dn.Schema({"age": dn.Optional(dn.Retention(dn.Integer(18, 90), 0.5), 0.9)})
    people = pd.DataFrame({"age": [18 + i % 73 if i % 4 else None for i in range(2_000)]})
    people.to_csv("truth.csv", index=False)
    schema.randomise(tmp_path / "truth.csv", output=tmp_path / "r.csv")
    code, out, err = run("distribution", "r.csv", "age")
    assert (code, labels_shown(out)[-1], len(labels_shown(out))) == (0, "no answer", 11), err


@pytest.mark.parametrize("arguments", [("mean", "credit"), ("difference", "age < 30", "age >= 30", "--of", "credit")])
def test_words_have_no_mean_and_the_error_says_what_to_ask_instead(run, town, arguments):
    _, _, folder = town
    code, _, err = run(arguments[0], folder / "r.csv", *arguments[1:])
    assert code == 2
    assert err.strip() == (
        "error: 'credit' holds words ('none', 'overdue', 'present', 'repaid'), not numbers, and this needs numbers. Ask for its "
        "distribution, or count those with a label: \"credit == 'none'\"."
    )
    assert run("count", folder / "r.csv", "credit == 'none'")[0] == 0


def test_a_large_table_asks_before_it_takes_long(run, tmp_path, monkeypatch):
    schema = dn.Schema({"a": dn.Retention(dn.Integer(1, 60), 0.5), "b": dn.Retention(dn.Integer(1, 60), 0.5)})
    (tmp_path / "t.csv").write_text("a,b\n" + "1,60\n60,1\n" * 50)
    schema.randomise(tmp_path / "t.csv", output=tmp_path / "r.csv")
    code, out, err = run("crosstab", "r.csv", "a", "b", "--json")
    assert (code, out) == (2, "")
    assert "60 x 60 = 3,600 cells" in err
    assert "--a-bins 10 --b-bins 10" in err
    assert "--a-bins all" in err
    asked = []
    monkeypatch.setattr(dn.Sample, "crosstab", lambda self, *args, **more: asked.append(more) or self.count("a == 1"))
    assert run("crosstab", "r.csv", "a", "b", "--json", "--a-bins", "all")[0] == 0
    assert run("crosstab", "r.csv", "a", "b", "--json", "--a-bins", "5")[0] == 0
    assert asked == [{"most_cells": None}, {}]


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """Answers to a survey, with its texts in their schema."""
    folder = tmp_path_factory.mktemp("survey")
    labels = {"no": {"pl": "Nie, nigdy", "en": "No"}, "yes": {"pl": "Tak", "en": "Yes"}}
    texts = QuestionTexts(
        ["pl", "en"], {"smokes": {"title": {"pl": "Czy pali Pan/Pani?", "en": "Do you smoke?"}, "labels": labels}}
    )
    schema = dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75), "age": dn.Identity(dn.Integer(18, 90))}, texts=texts)
    pd.DataFrame({"smokes": ["no", "yes"] * 200, "age": [18 + i % 73 for i in range(400)]}).to_csv(
        folder / "t.csv", index=False
    )
    schema.randomise(folder / "t.csv", output=folder / "r.csv")
    return folder


def test_tables_and_pictures_speak_in_the_words_of_the_survey(run, survey):
    code, out, _ = run("distribution", survey / "r.csv", "smokes", "--plot", survey / "a.json", "--json")
    assert json.loads(out)["labels"] == ["no", "yes"]
    assert json.loads((survey / "a.json").read_text())["title"]["text"] == "Czy pali Pan/Pani?"
    code, out, _ = run("distribution", survey / "r.csv", "smokes", "--language", "pl")
    assert "Czy pali Pan/Pani?" in out
    assert "Nie, nigdy" in out
    code, out, _ = run("distribution", survey / "r.csv", "smokes", "--language", "none", "--plot", survey / "b.json")
    assert json.loads((survey / "b.json").read_text())["title"]["text"] == "smokes"
    code, _, err = run("distribution", survey / "r.csv", "smokes", "--language", "de")
    assert (code, "the survey's languages are pl, en" in err) == (2, True)


def test_a_language_needs_texts(run, town):
    code, _, err = run("distribution", town[2] / "r.csv", "sex", "--language", "pl")
    assert (code, "carries none" in err) == (2, True)


def test_numbers_to_group_by_get_bins(run, survey):
    code, out, _ = run("distribution", survey / "r.csv", "smokes", "--by", "age")
    assert code == 0
    assert "73 values were put into 10 bins; each by itself: --by-bins all" in out
    assert run("distribution", survey / "r.csv", "smokes", "--by-bins", "3")[0] == 2
    code, _, err = run("distribution", survey / "r.csv", "smokes", "--by", "age", "--by-bins", "18,x,90")
    assert (code, "got 'x' in '18,x,90'" in err) == (2, True)


def test_numbers_that_may_be_unanswered_are_reconstructed_value_by_value(run, tmp_path):
    schema = dn.Schema({"pay": dn.KRR(WithMissing(dn.Integer(0, 40), "no answer"), 0.5)})
    schema.save(tmp_path / "r.schema.json")
    pd.DataFrame({"pay": ["7"] * 300 + ["40"] * 20}).to_csv(tmp_path / "r.csv", index=False)
    code, out, _ = run("reconstruct", "r.csv", "pay")
    assert (code, " 40 " in out, "no answer" in out, "bins" in out) == (0, True, True, False)
    code, _, err = run("reconstruct", "r.csv", "pay", "--bins", "4")
    assert code == 2
    suggested = err.strip().rpartition("deniable ")[2]
    assert suggested == "distribution r.csv pay --bins 4"
    assert run(*suggested.split())[0] == 0
