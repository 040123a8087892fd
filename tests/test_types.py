"""What a type checker sees of `dn.*`: the real types of exactly the names that are exported."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import deniable as dn

ROOT = Path(__file__).parents[1]

# Each wrong line names the kind of mistake that mypy must find there; nothing else may be found.
SNIPPET = """
import numpy as np
import deniable as dn

smokes = dn.KRR(dn.Nominal(["no", "yes"]), 0.75)
schema: dn.Schema = dn.Schema({"smokes": smokes, "age": dn.Additive(dn.Integer(18, 90), dn.Laplace(5))})
given: float = smokes.epsilon + schema.epsilon
estimate: dn.Estimate = dn.reconstruct([30, 70], smokes, "eq")
share: dn.Estimate = dn.Sample("reports.csv", schema).share("smokes == 'yes'")
privacy = dn.privacy.report(schema)
error: type[ValueError | dn.DeniableError] = dn.DeniableError

dn.KRR("smokes", 0.75)  # arg-type
dn.KRR(dn.Binary(), p=[0.75])  # arg-type
dn.Schema(attributes_of=3)  # call-arg
word: str = smokes.epsilon  # assignment
dn.Channel.from_nothing()  # attr-defined
dn.nothing_here  # attr-defined
"""


def exported():
    """(name, module) of every import in the block that only type checkers read."""
    tree = ast.parse((ROOT / "deniable" / "__init__.py").read_text())
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    assert len(blocks) == 1
    found = []
    for node in blocks[0].body:
        assert isinstance(node, ast.ImportFrom)
        for name in node.names:
            # `X as X` is how a name is handed on to strict type checkers.
            assert name.asname == name.name
            found.append((name.name, node.module))
    return found


def test_type_checkers_are_shown_exactly_what_is_exported():
    shown = exported()
    assert len(shown) == len(set(shown))
    expected = {(name, f"deniable.{home}") for name, home in dn._HOME.items()} | {(name, "deniable") for name in dn._ROOMS}
    assert set(shown) == expected


@pytest.mark.servers
def test_a_wrong_argument_is_an_error_of_a_type_checker_and_a_right_one_is_not(tmp_path):
    path = tmp_path / "snippet.py"
    path.write_text(SNIPPET)
    # From the project's folder and with its settings, so that what `make test` has checked before is not checked again.
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", str(path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    found = sorted((int(line), kind) for line, kind in re.findall(r"snippet\.py:(\d+): error: .*\[([\w-]+)\]", done.stdout))
    wrong = [(at, line.split("# ")[1]) for at, line in enumerate(SNIPPET.splitlines(), 1) if "  # " in line]
    assert found == wrong, done.stdout + done.stderr
