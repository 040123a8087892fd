"""The gate runs as on a machine where nobody installed anything by hand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.servers

GATE = Path(__file__).parents[1] / ".ci" / "run"

# Stands for make: says which python3 it would build with, what that one has, whether it can make an environment with pip.
MAKE = """#!/bin/sh
echo "asked: $*"
echo "python3: $(command -v python3)"
echo "hidden settings: $PYTHONPATH$PYTHONHOME$VIRTUAL_ENV$PYSPARK_PYTHON$PYSPARK_DRIVER_PYTHON"
python3 -c 'import numpy' 2>/dev/null && echo "numpy is there"
python3 -m venv "$ROOM/made" && "$ROOM/made/bin/python" -m pip --version >/dev/null && echo "pip can be had"
exit ${FAIL:-0}
"""


def run_gate(tmp_path, **settings):
    tools = tmp_path / "tools"
    tools.mkdir()
    # A python3 for which much was installed by hand: the one that runs the tests.
    for name, script in (("make", MAKE), ("python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')):
        (tools / name).write_text(script)
        (tools / name).chmod(0o755)
    room = tmp_path / "room"
    room.mkdir()
    environment = os.environ | {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "TMPDIR": str(room),
        "ROOM": str(tmp_path),
        "PYTHONPATH": str(GATE.parents[1]),
        "PYSPARK_PYTHON": sys.executable,
        **settings,
    }
    done = subprocess.run([GATE], env=environment, capture_output=True, text=True, timeout=120, check=False)
    return done, list(room.iterdir())


@pytest.mark.skipif(not GATE.exists(), reason="the gate is no part of what is released")
def test_the_gate_puts_a_bare_python3_first_and_takes_it_away_again(tmp_path):
    done, left = run_gate(tmp_path)
    assert done.returncode == 0, done.stderr
    asked, python, settings, *rest = done.stdout.splitlines()
    assert asked == "asked: test"
    assert python.startswith(f"python3: {tmp_path / 'room'}")
    assert settings == "hidden settings: "
    assert rest == ["pip can be had"]
    assert left == []


@pytest.mark.skipif(not GATE.exists(), reason="the gate is no part of what is released")
def test_the_gate_fails_where_a_check_fails_and_cleans_up(tmp_path):
    done, left = run_gate(tmp_path, FAIL="3")
    assert done.returncode == 3
    assert left == []
