"""`deniable publish`: a file in, a file out, all or nothing."""

import datetime
import decimal
import json
import os
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.publish.guarantees import PUBLIC


@pytest.fixture
def people(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, 500),
            "code": [f"0{i % 7}" for i in range(500)],
            "ill": np.where(rng.random(500) < 0.4, "yes", "no"),
            "town": rng.choice(["A", "B, north", "C"], 500),
        }
    )
    frame.to_csv(tmp_path / "people.csv", index=False)
    return frame


def cells(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def test_one_command_publishes_describes_and_reports(run, people):
    code, out, err = run(
        "publish",
        "people.csv",
        "--sensitive",
        "ill",
        "--min-deniability",
        0.5,
        "--min-rows",
        20,
        "-o",
        "out.csv",
        "--report",
        "r.html",
        "--keep-order",
    )
    assert (code, err) == (0, "")
    before, after = cells("people.csv"), cells("out.csv")
    assert list(after.columns) == list(before.columns)
    for name in ("age", "code", "town"):
        assert after[name].tolist() == before[name].tolist()
    assert after["ill"].tolist() != before["ill"].tolist()
    assert set(after["ill"]) == {"yes", "no"}
    described = json.loads(Path("out.publication.json").read_text())
    assert described["data"] == "out.csv"
    own = described["columns"][0]["guarantees"]
    assert own["checks"][0]["passed"]
    # Anyone who knows all answers but one could work it out of how many were published unchanged.
    assert set(own["overall"]) == set(PUBLIC)
    assert "seed" not in json.dumps(described)
    assert "<title>Publication report: ill" in Path("r.html").read_text()
    assert "Published: ill, 500 rows" in out
    assert "minority of at least 11%" in " ".join(out.split())


def test_two_runs_draw_differently(run, people):
    for name in ("one.csv", "two.csv"):
        assert run("publish", "people.csv", "-s", "ill", "-o", name)[0] == 0
    assert cells("one.csv")["ill"].tolist() != cells("two.csv")["ill"].tolist()


def test_unsafe_sets_are_called_so_and_strict_publishes_nothing_but_the_report(run, people, tmp_path):
    arguments = [
        "publish",
        "people.csv",
        "-s",
        "ill",
        "--min-rows",
        1,
        "--min-deniability",
        0.05,
        "-o",
        "out.csv",
        "--report",
        "r.html",
    ]
    code, out, err = run(*arguments, "--strict")
    assert code == 2
    assert "NOT SAFE" in err
    assert "Nothing was published" in err
    assert not (tmp_path / "out.csv").exists()
    assert not (tmp_path / "out.publication.json").exists()
    assert "NOT SAFE" in (tmp_path / "r.html").read_text()
    code, out, err = run(*arguments, "--force")
    assert code == 0
    assert "NOT SAFE" in out
    assert "rows " in out
    assert json.loads((tmp_path / "out.publication.json").read_text())["passed"] is False


def exposed_people():
    rng = np.random.default_rng(1)
    age = rng.integers(20, 80, 2000)
    ill = rng.random(2000) < np.where(age > 60, 0.85, 0.15)
    return pd.DataFrame(
        {
            "age": age,
            "weight": rng.normal(75, 12, 2000).round(1),
            "on pills": np.where(ill, "yes", "no"),  # tells the answer by itself
            "id": [f"p{i}" for i in range(2000)],
            "ill": np.where(ill, "yes", "no"),
        }
    )


LOOSE = ["publish", "people.csv", "-s", "ill", "-o", "out.csv", "--min-rows", 1, "--min-deniability", 0.05]
LOOSE += ["--max-posterior", 1, "--max-skew", 1, "--max-skew-ratio", 100]


def test_a_file_that_fails_checks_is_written_with_what_would_fix_it_and_that_does(run, tmp_path):
    exposed_people().to_csv("people.csv", index=False)
    code, out, _ = run(*LOOSE, "--report", "r.html")
    assert code == 0
    assert (tmp_path / "out.csv").exists()
    last = out[out.index("NOT SAFE: out.csv was written") :]
    assert "With --strict nothing is written" in last
    options = re.findall(r"(--(?:drop|max-posterior|max-skew)) ('[^']+'|\S+)", last)
    assert {name for name, _ in options} == {"--drop", "--max-posterior", "--max-skew"}
    assert ("--drop", "'on pills'") in options
    assert "To fix it, let no group be smaller: --min-rows 5" in (tmp_path / "r.html").read_text()
    named = [part for name, value in options for part in (name, value.strip("'"))]
    code, out, err = run(*LOOSE, *named, "--min-rows", 5, "--force", "--strict")
    assert (code, "NOT SAFE" in out) == (0, False), err


def test_strict_says_what_would_fix_it_and_json_warns_beside_the_result(run):
    exposed_people().to_csv("people.csv", index=False)
    code, _, err = run(*LOOSE, "--strict")
    assert (code, "--max-skew 0.4" in err, "--drop id" in err) == (2, True, True)
    code, out, err = run(*LOOSE, "--json")
    assert (code, json.loads(out)["passed"], "--drop id" in err) == (0, False, True)


def test_nothing_is_suggested_that_cannot_help(run):
    rng = np.random.default_rng(2)
    pd.DataFrame({"age": rng.integers(20, 80, 500), "ill": ["yes"] * 10 + ["no"] * 490}).to_csv("people.csv", index=False)
    _, out, _ = run(*LOOSE)
    assert "no grouping can: 98% of all rows have the same answer" in out
    assert "--max-posterior" not in out


def test_json_names_the_exposed_rows_for_the_owner(run, people):
    code, out, _ = run(
        "publish", "people.csv", "-s", "ill", "--min-rows", 1, "--min-deniability", 0.05, "-o", "out.csv", "--json"
    )
    assert code == 0
    checks = {check["name"]: check for check in json.loads(out)["columns"][0]["guarantees"]["checks"]}
    small = checks["small groups"]
    assert not small["passed"]
    assert len(small["rows"]) == small["rows_exposed"] > 0


def test_parquet_keeps_its_types_and_carries_the_description(run, people):
    people.to_parquet("people.parquet")
    assert run("publish", "people.parquet", "-s", "ill", "-o", "out.parquet", "--shuffle")[0] == 0
    table = pq.read_table("out.parquet")
    assert json.loads(table.schema.metadata[b"deniable.publication"])["data"] == "out.parquet"
    assert b"pandas" not in table.schema.metadata
    assert table.schema.field("age").type == pq.read_schema("people.parquet").field("age").type
    assert sorted(table["age"].to_pylist()) == sorted(people["age"])


def test_pictures_of_tree_and_comparison(run, people, tmp_path):
    code, out, err = run(
        "publish",
        "people.csv",
        "-s",
        "ill",
        "--min-rows",
        30,
        "-o",
        "out.csv",
        "--tree",
        "t.svg",
        "--compare",
        "c.svg",
        "--compare-level",
        0.3,
        "--report",
        "r.html",
    )
    assert (code, err) == (0, "")
    assert "randomised response" in (tmp_path / "c.svg").read_text()
    assert "everyone" in (tmp_path / "t.svg").read_text()
    assert "Beside plain randomised response" in (tmp_path / "r.html").read_text()
    assert "always the most frequent answer</th>" in (tmp_path / "r.html").read_text()
    assert "true answers" in out
    assert re.search(r"most frequent\s+│.* 6[0-9]\.[0-9]%", out)
    assert "they are not the one that is published" in " ".join(out.split())


def test_identifiers_are_warned_of_and_can_be_dropped(run, people, tmp_path):
    people.assign(id=[f"p{i}" for i in range(500)]).to_csv("ids.csv", index=False)
    code, out, err = run("publish", "ids.csv", "-s", "ill", "-o", "out.csv")
    assert code == 0
    assert "warning: Column 'id' has a different value in (nearly) every row" in err
    assert "FAILED  identifiers" in out
    code, out, err = run("publish", "ids.csv", "-s", "ill", "-o", "out.csv", "--drop", "id", "-f")
    assert (code, err) == (0, "")
    assert "id" not in cells("out.csv").columns


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["people.csv", "-s", "sick", "-o", "out.csv"], "There is no column 'sick'"),
        (["people.csv", "-s", "ill", "-o", "out.csv", "--min-deniability", "0.999"], "Ask for --min-deniability 0.9"),
        (["people.csv", "-s", "ill", "-o", "out.xlsx"], "must end in .csv"),
        (["people.csv", "-s", "ill", "-o", "people.csv", "-f"], "is an input"),
        (["people.csv", "-s", "ill", "-o", "nowhere/out.csv"], "does not exist"),
        (["absent.csv", "-s", "ill", "-o", "out.csv"], "absent.csv does not exist"),
        (["people.csv", "-s", "ill", "-o", "out.csv", "--distance", "odd"], "distance must be one of"),
        (["people.csv", "-s", "ill", "-o", "out.csv", "--report", "out.csv"], "same name"),
        (["holes.csv", "-s", "ill", "-o", "out.csv"], "Column 'town': 2 cells are missing (row 2, 5)"),
        (["constant.csv", "-s", "ill", "-o", "out.csv"], "one answer only ('yes')"),
        (["one.csv", "-s", "ill", "-o", "out.csv"], "one answer only"),
        (["empty.csv", "-s", "ill", "-o", "out.csv"], "is empty"),
        (["large.csv", "-s", "ill", "-o", "out.csv"], "Column 'age' holds whole numbers beyond 9,007,199,254,740,992"),
        (
            ["people.csv", "-s", "ill", "-o", "out.csv", "--limit-posterior", "95"],
            "--limit-posterior must be a number from 0 to 1, got 95.0. Write 0.95 for 95%.",
        ),
        (
            ["people.csv", "-s", "ill", "-o", "out.csv", "--min-deniability", "30"],
            "--min-deniability must be a number from 0 to 1, got 30.0. Wr",
        ),
        (
            ["people.csv", "-s", "ill", "-o", "out.csv", "--answer", "yes"],
            "--answer must list every answer of 'ill'. In the data there are also: no.",
        ),
    ],
)
def test_bad_input_ends_with_a_sentence_and_code_2_and_nothing_written(run, people, tmp_path, arguments, said):
    people.assign(town=people.town.where(~people.index.isin([1, 4]))).to_csv("holes.csv", index=False)
    people.assign(ill="yes").to_csv("constant.csv", index=False)
    people.assign(age=people.age + 2**60).to_csv("large.csv", index=False)
    people.head(1).to_csv("one.csv", index=False)
    (tmp_path / "empty.csv").write_text("")
    before = sorted(path.name for path in tmp_path.iterdir())
    code, _, err = run("publish", *arguments)
    assert code == 2
    assert said in err
    assert err.startswith("error: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_nothing_is_overwritten_unless_forced_and_a_published_set_is_not_published_again(run, people, tmp_path):
    assert run("publish", "people.csv", "-s", "ill", "-o", "out.csv")[0] == 0
    first = (tmp_path / "out.csv").read_text()
    code, _, err = run("publish", "people.csv", "-s", "ill", "-o", "out.csv")
    assert code == 2
    assert "exists already" in err
    assert (tmp_path / "out.csv").read_text() == first
    code, _, err = run("publish", "out.csv", "-s", "ill", "-o", "again.csv")
    assert code == 2
    assert "published set already" in err


def test_a_write_that_fails_leaves_nothing(run, people, tmp_path, monkeypatch):
    from deniable.publish import files

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "write_table", full)
    code, _, err = run("publish", "people.csv", "-s", "ill", "-o", "out.csv", "--report", "r.html")
    assert code == 2
    assert "No space left" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv"]


def test_missing_cells_may_be_named_and_stay_as_they_are(run, people):
    people.assign(town=people.town.where(people.index != 3)).to_csv("holes.csv", index=False)
    assert run("publish", "holes.csv", "-s", "ill", "-o", "out.csv", "--missing", "unknown", "--keep-order")[0] == 0
    assert cells("out.csv")["town"].tolist() == cells("holes.csv")["town"].tolist()


def test_silence_in_a_column_of_numbers_is_drawn_like_an_answer_and_is_a_missing_cell_again(run, people):
    rng = np.random.default_rng(1)
    scores = pd.array(np.where(rng.random(500) < 0.3, None, rng.integers(1, 4, 500)), dtype="Int64")
    people.assign(score=scores).to_parquet("scores.parquet")
    code, _, err = run("publish", "scores.parquet", "-s", "score", "-o", "out.parquet", "--missing", "no answer")
    assert (code, err) == (0, "")
    table = pq.read_table("out.parquet")
    assert table.schema.field("score").type == pq.read_schema("scores.parquet").field("score").type
    drawn = table["score"].to_pylist()
    assert set(drawn) == {None, 1, 2, 3}
    assert drawn != [None if value is pd.NA else value for value in scores]


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
@pytest.mark.parametrize("strict", [[], ["--strict"]])
def test_what_is_for_the_owner_alone_can_be_read_by_the_owner_alone(run, people, tmp_path, strict):
    old = os.umask(0o022)
    try:
        (tmp_path / "r.html").write_text("readable by all")
        (tmp_path / "t.svg").write_text("readable by all")
        arguments = [
            "-s",
            "ill",
            "-o",
            "out.csv",
            "--min-deniability",
            0.05,
            "--min-rows",
            1,
            "--report",
            "r.html",
            "--tree",
            "t.svg",
            "--compare",
            "c.svg",
            "--compare-level",
            0.3,
        ]
        code, _, _ = run("publish", "people.csv", *arguments, "--force", *strict)
    finally:
        os.umask(old)
    mode = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert "NOT SAFE" in (tmp_path / "r.html").read_text()
    assert mode["r.html"] == 0o600
    if strict:
        assert code == 2
    else:
        assert (code, mode["t.svg"], mode["c.svg"]) == (0, 0o600, 0o600)
        assert (mode["out.csv"], mode["out.publication.json"]) == (0o644, 0o644)


def test_numbers_are_written_without_quotes_as_randomise_writes_them_and_every_cell_as_it_was(run, people, tmp_path):
    rng = np.random.default_rng(3)
    written = people.assign(
        weight=rng.normal(75, 12, 500).round(1).astype(str),
        height=[f"{h:.2f}" for h in rng.normal(1.7, 0.1, 500)],
        odd=rng.choice(["1", "1.0", "+1", "1e0", " 1"], 500),
        big=[str(2**60 + i % 5) for i in range(500)],
        gone=rng.choice(["", "-4"], 500),
        huge=["123456789012345678901234567890", "0"] * 250,
        ratio=rng.choice(["0.25", "1.5", "-3"], 500),
        pay=rng.choice(["4417.01", "3500.5", "4000.0"], 500),
        ill=rng.choice(["0", "1"], 500),
    )
    written.to_csv("all.csv", index=False)
    asked = ["--missing", "none", "--categorical", "big", "--keep-order"]
    code, _, err = run("publish", "all.csv", "-s", "ill", "-o", "out.csv", *asked)
    assert (code, err) == (0, "")
    before, after = cells("all.csv"), cells("out.csv")
    for name in before:
        assert name == "ill" or after[name].tolist() == before[name].tolist(), name
    quoted = {}
    for line in (tmp_path / "out.csv").read_text().splitlines()[1:]:
        parts = re.findall(r'("[^"]*"|[^,]*)(?:,|$)', line)
        for name, part in zip(before.columns, parts, strict=False):
            quoted.setdefault(name, set()).add(part.startswith('"'))
    assert {name for name, found in quoted.items() if found == {False}} == {
        "age",
        "weight",
        "height",
        "big",
        "gone",
        "ratio",
        "pay",
        "ill",
    }
    # Text that only looks like numbers is left alone, quotes and all.
    assert quoted["code"] == quoted["town"] == quoted["odd"] == quoted["huge"] == {True}


def test_pictures_are_not_overwritten_unless_forced(run, people):
    Path("t.svg").write_text("kept")
    for option in ("--tree", "--compare"):
        code, _, err = run("publish", "people.csv", "-s", "ill", "-o", "out.csv", option, "t.svg")
        assert (code, "t.svg exists already" in err) == (2, True)
        assert Path("t.svg").read_text() == "kept"
        assert not Path("out.csv").exists()
    Path("two.csv").write_text("town,ill\nA,yes\nB,no\n")
    code, _, err = run("publish", "two.csv", "-s", "ill", "-o", "out.csv", "--min-rows", 1, "--compare", "c.svg")
    assert (code, "it needs 30 rows, got 2" in err) == (2, True)
    assert not Path("out.csv").exists()
    code, _, err = run("publish", "people.csv", "-s", "ill", "-o", "out.csv", "--compare-level", 0.2)
    assert (code, "--compare FILE" in err) == (2, True)


def test_parquet_files_hand_on_no_notes_and_are_not_published_twice(run, people):
    table = pa.Table.from_pandas(people, preserve_index=False)
    noted = table.schema.field("age").with_metadata({b"truth": b"ill: row 3"})
    schema = table.schema.set(table.schema.get_field_index("age"), noted).with_metadata({b"r": b"ill: row 7"})
    pq.write_table(table.cast(schema), "people.parquet")
    assert run("publish", "people.parquet", "-s", "ill", "-o", "out.parquet")[0] == 0
    assert b"ill: row" not in Path("out.parquet").read_bytes()
    Path("out.parquet").rename("renamed.parquet")
    code, _, err = run("publish", "renamed.parquet", "-s", "ill", "-o", "again.parquet")
    assert (code, "published set already" in err) == (2, True)


def test_answers_may_be_dates_and_decimals_but_not_bytes_or_lists(run, people):
    rng = np.random.default_rng(4)
    days = [datetime.date(2026, 1, 1 + int(day)) for day in rng.integers(0, 3, 500)]
    plain = pa.Table.from_pandas(people.drop(columns="ill"), preserve_index=False)
    sums = [decimal.Decimal(int(own)) / 2 for own in rng.integers(0, 3, 500)]
    for name, column in (("day", pa.array(days)), ("sum", pa.array(sums, pa.decimal128(5, 1)))):
        pq.write_table(plain.append_column(name, column), "in.parquet")
        assert run("publish", "in.parquet", "-s", name, "-o", "out.parquet", "-f")[0] == 0
        assert pq.read_table("out.parquet").schema.field(name).type == column.type
        assert set(map(str, pq.read_table("out.parquet")[name].to_pylist())) == set(map(str, column.to_pylist()))
    for column in (pa.array([b"\xff"] * 500), pa.array([[1]] * 500)):
        pq.write_table(pa.Table.from_pandas(people, preserve_index=False).append_column("odd", column), "in.parquet")
        code, _, err = run("publish", "in.parquet", "-s", "ill", "-o", "odd.parquet")
        assert (code, "Column 'odd' holds" in err) == (2, True)


def test_spellings_of_one_answer_and_a_name_for_silence_that_is_an_answer_are_refused(run, people):
    people.assign(ill=people.ill.where(np.arange(500) % 2 == 0, people.ill.str.upper())).to_csv("spelt.csv", index=False)
    code, _, err = run("publish", "spelt.csv", "-s", "ill", "-o", "out.csv")
    assert (code, "spellings of one answer" in err) == (2, True)
    people.assign(ill=people.ill.where(np.arange(500) % 9 != 0)).to_csv("silent.csv", index=False)
    code, _, err = run("publish", "silent.csv", "-s", "ill", "-o", "out.csv", "--missing", "yes")
    assert (code, "Choose another name" in err) == (2, True)


def register(rows=2500):
    rng = np.random.default_rng(9)
    frame = pd.DataFrame({"id": range(rows), "name": [f"n{i}" for i in rng.integers(0, rows, rows)]})
    frame["age"], frame["job"] = rng.integers(18, 90, rows), rng.choice(["a", "b", "c"], rows, p=[0.6, 0.3, 0.1])
    frame["salary"] = rng.lognormal(10, 0.5, rows).round(2)
    return frame.assign(ill=rng.choice(["no", "yes"], rows))


def test_names_that_some_people_share_identify_them_and_are_not_counted_as_singled_out(run):
    frame = register()
    assert 1000 < frame["name"].nunique() < 0.95 * len(frame)
    frame.to_csv("people.csv", index=False)
    code, out, err = run("publish", "people.csv", "-s", "ill", "-o", "out.csv", "--report", "r.html")
    plain = " ".join(out.split())
    assert (code, "FAILED identifiers: so many different values that they identify people: id, name, salary;" in plain) == (
        0,
        True,
    ), err
    assert "values in 2,500 rows: it identifies people" in err
    left = "Not counted here: id, name, salary, which tell rows apart by themselves; see identifiers"
    assert left in plain
    assert left in Path("r.html").read_text()
    told = json.loads(Path("out.publication.json").read_text())["columns"][0]["guarantees"]
    assert told["uniqueness"]["not_counted_for_they_identify"] == ["id", "name", "salary"]
    assert left in next(check for check in told["checks"] if check["name"] == "singled out")["tested"]
    # Coarser names are no remedy, coarser salaries are.
    assert "identifiers: leave the columns out: --drop id --drop name; put rare or telling values together" in plain
    fixed = ["--drop", "id", "--drop", "name", "--recode"]
    code, out, err = run("publish", "people.csv", "-s", "ill", "-o", "out.csv", "-f", "--strict", *fixed)
    assert (code, err, "Not counted" in out) == (0, "", False)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--drop", "id,name"], "Name the columns one by one: --drop id --drop name."),
        (["--merge-rare", "job=6000"], "--merge-rare job=6000: there are only 2,500 rows"),
        (
            ["--merge-rare", "age=20"],
            "--merge-rare: column 'age' holds numbers. Put them into bands: --bands age=10; or, if they are names of "
            "categories, say so: --categorical age.",
        ),
        (["--drop", "id"], "Column 'name' has 1,100 categories; at most 1,000 are allowed. Leave it out (--drop name)"),
    ],
)
def test_what_cannot_be_is_refused_in_the_words_of_the_command(run, asked, said):
    register().assign(name=[f"n{i % 1100}" for i in range(2500)]).to_csv("people.csv", index=False)
    code, _, err = run("publish", "people.csv", "-s", "ill", "-o", "out.csv", *asked)
    assert (code, said in err) == (2, True), err
    assert not Path("out.csv").exists()


def test_all_columns_with_gaps_are_named_with_the_option_that_names_them(run, people):
    gaps = people.assign(town=people.town.where(people.index != 3), age=people.age.where(~people.index.isin([1, 4])))
    gaps.to_csv("gaps.csv", index=False)
    code, _, err = run("publish", "gaps.csv", "-s", "ill", "-o", "out.csv")
    assert code == 2
    assert "Column 'age': 2 cells are missing (row 2, 5); column 'town': 1 cell is missing (row 4)." in err
    assert "--missing 'no answer'" in err
    assert run("publish", "gaps.csv", "-s", "ill", "-o", "out.csv", "--drop", "age", "--drop", "town")[0] == 0


def test_a_recoding_that_leaves_one_value_says_so_and_what_was_done_is_not_advised_again(run):
    register().to_csv("people.csv", index=False)
    asked = ["--drop", "id", "--drop", "name", "--drop", "salary"]
    plain = " ".join(run("publish", "people.csv", "-s", "ill", "-o", "out.csv", *asked, "--merge-rare", "job=1600")[1].split())
    left = "That would leave one value for all rows (other), so the column is left out"
    assert left in plain
    assert left in Path("out.publication.json").read_text()
    assert "job" not in cells("out.csv")
    rng = np.random.default_rng(2)
    several = pd.DataFrame({name: rng.choice(list("abcdefghijkl"), 600) for name in ("one", "two", "three")})
    several.assign(ill=rng.choice(["no", "yes"], 600)).to_csv("few.csv", index=False)
    for options, advised in (([], "--recode, --min-shared 5"), (["--recode"], "--min-shared 5")):
        out = run("publish", "few.csv", "-s", "ill", "-o", "out.csv", "-f", *options)[1]
        assert re.findall(r"It helps to [^(]*\(([^)]*)\)", " ".join(out.split()))[0] == advised


def _telling(rows, rng):
    """Three tables that fail: by names and numbers of people, by columns that tell the answer, by dates and amounts."""
    ill = rng.choice(["no", "yes"], rows, p=[0.8, 0.2])
    return {
        "people": (
            "smokes",
            {"id": range(rows), "name": [f"P{i}" for i in range(rows)], "age": rng.integers(18, 91, rows),
             "smokes": rng.choice(["no", "yes"], rows, p=[0.7, 0.3])},
            ["--drop", "id", "--drop", "name"],
        ),
        "ill": (
            "ill",
            {"age": rng.integers(18, 80, rows), "insurance fee": np.where(ill == "yes", 200, 90) + rng.integers(0, 60, rows),
             "pills": np.where(ill == "yes", "many", "few"), "ill": ill},
            ["--drop", "insurance fee", "--drop", "pills"],
        ),
        "votes": (
            "vote",
            {"born": [f"{1950 + i // 12}-{1 + i % 12:02d}-03" for i in range(rows)], "salary": np.round(rng.normal(5000, 900, rows), 2),
             "village": rng.choice(["Alfa", "Beta"], rows), "vote": rng.choice(["l", "c", "r"], rows)},
            ["--recode", "--drop", "born"],
        ),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["people", "ill", "votes"])
@pytest.mark.parametrize("strict", [(), ("--strict", "--report", "r.html")])
def test_a_failed_check_names_the_whole_command_that_passes(run, tmp_path, name, strict):
    sensitive, columns, needed = _telling(400, np.random.default_rng(7))[name]
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    code, out, err = run("publish", "t.csv", "-s", sensitive, "-o", "out.csv", *strict)
    assert code == (2 if strict else 0)
    [line] = [line for line in (out + err).splitlines() if line.startswith("  deniable publish ")]
    command = shlex.split(line)
    asked = ["deniable", "publish", "t.csv", "-s", sensitive, "-o", "out.csv", *strict]
    assert command == [*asked, *needed, "--force"]
    code, out, err = run(*command[1:])
    assert code == 0
    assert "No check failed" in out
    assert "NOT SAFE" not in out + err


def test_a_recipient_who_asks_a_published_set_like_a_randomised_one_is_told_to_count_it(run, people):
    people.to_parquet("people.parquet")
    for suffix in ("csv", "parquet"):
        assert run("publish", f"people.{suffix}", "-s", "ill", "-o", f"out.{suffix}", "-f")[0] == 0
        code, _, err = run("count", f"out.{suffix}", "ill == 'yes'")
        assert (code, "is a published set" in err, "What recipients can do" in err) == (2, True, True), err
    code, _, err = run("count", "people.csv", "ill == 'yes'")
    assert (code, "published set" in err) == (2, False)


def test_a_randomised_file_is_not_published(run, people, tmp_path):
    import deniable as dn

    dn.Schema({"ill": dn.KRR(dn.Nominal(["no", "yes"]), 0.75)}).save(tmp_path / "s.json")
    assert run("randomise", "people.csv", "-s", "s.json", "-o", "r.csv", *["-k", "age", "-k", "code", "-k", "town"])[0] == 0
    code, _, err = run("publish", "r.csv", "-s", "ill", "-o", "out.csv")
    assert (code, "r.csv is randomised already; publish the true data instead" in err) == (2, True)


def test_every_column_has_its_picture_and_the_report_says_how_it_was_made(run, people, tmp_path):
    people.assign(poor=people["ill"].sample(frac=1, random_state=1).tolist(), id=range(500)).to_csv("two.csv", index=False)
    asked = ["-s", "ill", "-s", "poor", "-o", "out.csv", "--tree", "t.svg", "--report", "r.html", "--keep-order"]
    code, out, err = run("publish", "two.csv", *asked)
    assert code == 0, err
    assert not (tmp_path / "t.svg").exists()
    assert all(name in (tmp_path / f"t-{name}.svg").read_text() for name in ("ill", "poor"))
    assert "Tree for the owner, not for publication: t-poor.svg" in out
    footer = (tmp_path / "r.html").read_text().partition("<footer>")[2]
    assert "two.csv" in footer
    assert "deniable publish two.csv -s ill -s poor -o out.csv" in footer
    [line] = [line for line in out.splitlines() if line.startswith("  deniable publish ")]
    assert line.strip() in footer
    # Sorted by a column that is left out: the rows must be in random order, which is one option less.
    code, out, _ = run("publish", "two.csv", *asked, "--drop", "id", "-f")
    [line] = [line for line in out.splitlines() if line.startswith("  deniable publish ")]
    assert "--keep-order" not in line
    assert "--shuffle" not in line
    code, out, _ = run(*shlex.split(line)[1:])
    assert (code, "NOT SAFE" in out) == (0, False)


def test_what_the_command_that_passes_costs_is_said_or_why_there_is_none(run, monkeypatch):
    exposed_people().to_csv("people.csv", index=False)
    plain = " ".join(run(*LOOSE)[1].split())
    assert "Columns that are left out then: " in plain
    from deniable.publish import passing_settings

    monkeypatch.setattr(passing_settings, "TRIES", 0)
    assert "the search was stopped after 0 attempts" in " ".join(run(*LOOSE, "-f")[1].split())
    monkeypatch.setattr(passing_settings, "LONGEST", 0.0)
    assert "took more than 0 seconds" in " ".join(run(*LOOSE, "-f")[1].split())
    assert "took more than 0 seconds" in run(*LOOSE, "-f", "--strict")[2]


def test_no_command_is_named_where_no_option_helps(run, tmp_path):
    pd.DataFrame({"town": ["A", "B"] * 100, "ill": ["no"] * 194 + ["yes"] * 6}).to_csv(tmp_path / "t.csv", index=False)
    code, out, _ = run("publish", "t.csv", "-s", "ill", "-o", "out.csv")
    assert (code, "NOT SAFE" in out, "deniable publish t.csv" in out) == (0, True, False)
    assert "no grouping can" in out
