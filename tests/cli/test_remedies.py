"""Errors on the command line name what was asked for, what there is, and the option that fixes it."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn


@pytest.fixture
def files(run, tmp_path):
    rng = np.random.default_rng(4)
    pd.DataFrame({"smokes": rng.choice(["no", "yes"], 300), "drinks": rng.choice(["no", "yes"], 300)}).to_csv(
        tmp_path / "true.csv", index=False
    )
    yes_no = dn.Nominal(["no", "yes"])
    dn.Schema({"smokes": dn.KRR(yes_no, 0.8), "drinks": dn.KRR(yes_no, 0.8)}).save(tmp_path / "s.json")
    assert run("survey", "new", "q.yaml")[0] == 0
    return tmp_path


def test_a_file_in_the_way_is_named_with_the_file_that_was_asked_for_and_force(run, files):
    asked = ("randomise", "true.csv", "-s", "s.json", "-o", "r.csv")
    assert run(*asked)[0] == 0
    assert run(*asked) == (2, "", "error: r.csv exists already; choose another name, or add --force to overwrite it.\n")
    (files / "r.csv").unlink()
    assert run(*asked)[2] == (
        "error: r.schema.json, which goes with r.csv, exists already; choose another name, or add --force to overwrite it.\n"
    )
    assert run(*asked, "--force")[0] == 0
    assert "add --force" in run("survey", "new", "q.yaml")[2]


def test_a_backup_in_the_way_is_named_before_the_keys_beside_it(run, files):
    assert run("survey", "open", "q.yaml")[0] == 0
    (files / "b.bak.keys").write_text("{}")
    assert run("backup", "b.bak")[2].startswith("error: b.bak.keys, which goes with b.bak, exists already;")
    (files / "b.bak").write_text("")
    assert run("backup", "b.bak")[2].startswith("error: b.bak exists already;")


def test_data_without_a_schema_names_the_option_and_the_command_that_writes_one(run, files):
    code, _, err = run("count", "true.csv", "smokes == 'yes'")
    assert (code, "--schema" in err, "deniable survey schema SURVEY" in err) == (2, True, True)
    assert run("survey", "open", "q.yaml")[0] == 0
    code, _, err = run("count", "sqlite:///deniable.db#survey", "slug == 'x'")
    assert code == 2
    assert "carries no schema. Name the schema with --schema; " in err
    assert "deniable survey schema SURVEY -o FILE" in err
    # `privacy` is given a schema and has no such option.
    code, _, err = run("privacy", "true.csv")
    assert (code, "--schema" in err, "deniable schema infer" in err) == (2, False, True)


def test_a_survey_or_version_that_is_not_there_is_told_with_those_that_are(run, files):
    assert run("survey", "open", "q.yaml")[0] == 0
    code, _, err = run("survey", "export", "nope", "-o", "x.csv")
    assert (code, err) == (2, "error: There is no survey 'nope' in sqlite:///deniable.db. It has town-health.\n")
    code, _, err = run("survey", "export", "town-health", "--version", "3", "-o", "x.csv")
    assert (code, err) == (2, "error: town-health has no version 3 in sqlite:///deniable.db, only 1.\n")


def test_one_equals_sign_is_told_of_two(run, files):
    code, _, err = run("count", "true.csv", "smokes = 'yes'", "--schema", "s.json")
    assert code == 2
    assert "'=' is not understood here. Equality is written ==. (character 8)" in err


@pytest.mark.parametrize("name", ["q.yaml", "s.json", "q.yaml.gz", "baskets"])
def test_what_holds_no_baskets_is_not_mined(run, files, name):
    code, out, err = run("mine", name, "-m", "0.1")
    assert (code, out) == (2, "")
    assert f"{name} is not mined" in err


@pytest.mark.parametrize("name", ["b.dat", "b.txt", "B.DAT"])
def test_baskets_are_mined_whatever_their_ending(run, files, name):
    (files / name).write_text("1 2\n1 2\n2\n")
    assert run("mine", name, "-m", "0.5")[0] == 0


def test_no_rules_are_said_to_be_none(run, files):
    code, _, err = run("mine", "true.csv", "-s", "s.json", "-m", "0.01", "--rules", "--min-confidence", "0.999")
    assert code == 0
    assert "No rule has a confidence of 0.999 or more; lower --min-confidence" in err
