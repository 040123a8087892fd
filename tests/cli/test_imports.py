"""What a command loads before it does anything: counted in modules, since seconds depend on the machine."""

import json
import subprocess
import sys

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
    "duckdb",
    "sqlalchemy",
    "fastapi",
    "narwhals",
    "rich.table",
)
CODE = "import json, sys\nsys.argv = ['deniable', *json.loads(sys.argv[1])]\nfrom deniable.cli.main import main\ntry:\n    main()\nexcept SystemExit:\n    pass\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"  # noqa: E501


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
        {"scipy", "numba", "sklearn", "altair", "duckdb", "sqlalchemy"}
    )
    (tmp_path / "r.csv").write_text("smokes\n" + "yes\nno\n" * 50)
    for question in (["count", "r.csv", "smokes == 'yes'"], ["reconstruct", "r.csv", "smokes"]):
        found = loaded(*question, "--schema", "s.json", cwd=tmp_path)[1]
        assert found.isdisjoint({"numba", "sklearn", "altair", "sqlalchemy"}), question


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_help_is_the_commands_own(name):
    told = COMMANDS[name].load(name).help.replace("\n", " ")
    assert told.startswith(COMMANDS[name].help.rstrip("."))
