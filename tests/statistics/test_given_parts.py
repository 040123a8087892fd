"""What `Sample` and `dn.read` are given, and what they say where it is something else."""

import sqlite3

import pandas as pd
import pytest

import deniable as dn
from deniable.errors import DeniableError

SCHEMA = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)})
REPORTS = pd.DataFrame({"a": [0, 1] * 20})


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((REPORTS,), "give the schema, Sample"),
        ((REPORTS, {"a": SCHEMA["a"]}), r"got dict; write dn\.Schema"),
        ((SCHEMA, REPORTS), "The data comes first"),
        ((REPORTS, "nowhere.schema.json"), "nowhere.schema.json does not exist"),
        ((sqlite3.connect(":memory:"), SCHEMA), "sqlite:///answers.db#table"),
        ((iter([REPORTS]), SCHEMA), r"sample\.update\(frame\)"),
        (([REPORTS],), "a pair, \\(data, schema\\), got DataFrame"),
        (([], SCHEMA), "at least one"),
        ((REPORTS.to_numpy(), SCHEMA), "must be a data frame .* got ndarray"),
    ],
)
def test_what_is_wrong_is_said_when_it_is_given(given, says):
    with pytest.raises(DeniableError, match=says):
        dn.Sample(*given)


def test_several_frames_and_files_may_share_a_schema(tmp_path):
    SCHEMA.save(tmp_path / "a.schema.json")
    both = dn.Sample([REPORTS, REPORTS], tmp_path / "a.schema.json").count("a == 1")
    assert both.n == 80
    for name in ("one.csv", "two.csv"):
        REPORTS.to_csv(tmp_path / name, index=False)
    read = dn.read([tmp_path / "one.csv", tmp_path / "two.csv"], SCHEMA).count("a == 1")
    assert read.n == 80
    assert read.value == pytest.approx(both.value)


def test_a_database_file_is_told_how_its_tables_are_named():
    with pytest.raises(DeniableError, match=r"sqlite:///answers\.db#table"):
        dn.read("answers.db", SCHEMA)
