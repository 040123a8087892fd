"""What a command loads before it does anything: counted in modules, since seconds depend on the machine."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing

import duckdb
import pandas as pd
import pytest

import deniable as dn
from deniable.cli.main import COMMANDS

HEAVY = (
    "numpy",
    "pyarrow",
    "pandas",
    "scipy",
    "numba",
    "sklearn",
    "altair",
    "jinja2",
    "duckdb",
    "sqlalchemy",
    "fastapi",
    "narwhals",
    "rich.table",
)
CODE = "import json, sys\nsys.argv = ['deniable', *json.loads(sys.argv[1])]\nfrom deniable.__main__ import main\ntry:\n    main()\nexcept SystemExit:\n    pass\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"  # noqa: E501


def loaded(*arguments, cwd=None):
    ended = subprocess.run(
        [sys.executable, "-c", CODE, json.dumps(arguments)], capture_output=True, text=True, cwd=cwd, check=True
    )
    return ended.stdout, {name for name in HEAVY if name in set(json.loads(ended.stderr.splitlines()[-1]))}


def test_help_loads_nothing_heavy_and_names_every_command():
    shown, found = loaded("--help")
    assert found == set()
    assert all(f"\n  {name} " in shown for name in COMMANDS)


def test_simple_commands_load_no_more_than_they_need(tmp_path):
    schema = dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75)})
    schema.save(tmp_path / "s.json")
    assert loaded("schema", "check", "s.json", cwd=tmp_path)[1].isdisjoint(
        {"scipy", "numba", "sklearn", "altair", "jinja2", "duckdb", "sqlalchemy"}
    )
    (tmp_path / "r.csv").write_text("smokes\n" + "yes\nno\n" * 50)
    for question in (["count", "r.csv", "smokes == 'yes'"], ["reconstruct", "r.csv", "smokes"]):
        found = loaded(*question, "--schema", "s.json", cwd=tmp_path)[1]
        assert found.isdisjoint({"numba", "sklearn", "altair", "jinja2", "sqlalchemy"}), question


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_help_is_the_commands_own(name):
    told = COMMANDS[name].load(name).help.replace("\n", " ")
    assert told.startswith(COMMANDS[name].help.rstrip("."))


QUESTIONS = (
    ["count", "r.csv", "smokes == 'yes'"],
    ["share", "r.csv", "smokes == 'yes'", "--among", "age < 50"],
    ["mean", "r.csv", "age"],
    ["mean", "r.csv", "age", "--where", "smokes == 'yes'", "--json"],
    ["quantile", "r.csv", "age"],
    ["distribution", "r.csv", "smokes", "--plot", "picture.svg"],
    ["crosstab", "r.csv", "smokes", "mood"],
    ["difference", "r.csv", "smokes == 'yes'", "--between", "age < 50", "age >= 50"],
    ["correlation", "r.csv", "age", "mood"],
    ["regression", "r.csv", "age", "mood"],
    ["reconstruct", "r.csv", "noisy"],
    ["schema", "infer", "r.csv"],
    ["mean", "r.parquet", "age"],
    ["mean", "sqlite:///r.db#r", "age"],
    ["mean", "duckdb:///r.duckdb#r", "age"],
)


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """The same reports wherever commands read them, with their schema."""
    folder = tmp_path_factory.mktemp("reports")
    schema = dn.Schema(
        {
            "smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75),
            "age": dn.Retention(dn.Integer(18, 90), 0.5),
            "mood": dn.KRR(dn.Ordinal(["1", "2", "3"]), 0.75),
            "noisy": dn.Additive(dn.Integer(0, 20), dn.Uniform(3)),
        }
    )
    schema.save(folder / "s.json")
    people = {name: [channel.domain.labels[i % channel.domain.size] for i in range(600)] for name, channel in schema.items()}
    rows = schema.randomise(pd.DataFrame(people))
    rows.to_csv(folder / "r.csv", index=False)
    rows.to_parquet(folder / "r.parquet")
    with closing(sqlite3.connect(folder / "r.db")) as database:
        rows.to_sql("r", database, index=False)
    with duckdb.connect(folder / "r.duckdb") as database:
        database.execute("CREATE TABLE r AS SELECT * FROM rows")
    return folder


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_questions_load_no_pandas(question, reports):
    """Such commands let PyArrow believe that there is none (cli/quick_start.py): nothing of pandas may reach PyArrow."""
    schema = [] if question[0] == "schema" else ["--schema", "s.json"]
    shown, found = loaded(*question, *schema, cwd=reports)
    assert shown
    assert "pandas" not in found
