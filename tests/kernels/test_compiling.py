"""Anyone who waits for a first compilation can be told of it."""

import os
import pty
import subprocess
import sys

import numpy as np
import pytest
from numba import njit

import deniable.kernels
from deniable import progress

pytestmark = pytest.mark.servers


def test_a_listener_hears_of_a_loop_that_is_compiled_and_not_of_its_later_calls():
    assert deniable.kernels
    told = []
    progress.tell_compiling(lambda: told.append(1))
    try:

        @njit
        def doubled(values):
            return values * 2

        doubled(np.ones(3))
        first = len(told)
        doubled(np.ones(3))
    finally:
        progress.tell_compiling(None)
    assert first >= 1
    assert len(told) == first


def test_the_command_line_says_once_on_a_terminal_why_the_first_run_takes_long(tmp_path):
    data = tmp_path / "people.csv"
    data.write_text("smokes\n" + "yes\nno\n" * 50)
    schema = tmp_path / "people.schema.json"
    here = [sys.executable, "-m", "deniable"]
    subprocess.run([*here, "schema", "infer", str(data), "-o", str(schema)], check=True, capture_output=True)
    fresh = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    said = []
    for turn in ("first", "second"):
        ours, theirs = pty.openpty()
        command = [*here, "randomise", str(data), "--schema", str(schema), "-o", str(tmp_path / f"{turn}.csv")]
        done = subprocess.Popen(command, env=fresh, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        text = b""
        # Reading a terminal whose other end was closed is an error on Linux, an empty answer elsewhere.
        try:
            while piece := os.read(ours, 4096):
                text += piece
        except OSError:
            pass
        os.close(ours)
        assert done.wait(120) == 0, text
        said.append(text.count(b"Compiling fast loops"))
    assert said == [1, 0]
