"""Ctrl-C in the places where it used to be lost: a command that was interrupted says so, writes nothing and returns 130."""

import ctypes
import importlib
import json
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable import interrupts
from deniable.cli.bars import Bar
from deniable.core.randomising.table import TableRandomiser
from deniable.mining.search import Search

pytestmark = pytest.mark.servers

NOTHING = "Interrupted; nothing was written.\n"


@pytest.fixture(autouse=True)
def heeded():
    """A shell's background job ignores Ctrl-C, and so would what it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler, "a command leaves the handlers as they were"
    signal.signal(signal.SIGINT, before)


def swallowed():
    """Ctrl-C inside a ctypes callback, which cannot raise: as while numba compiles."""
    ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))()


def dispatched():
    """Ctrl-C inside a compiled function."""
    raise SystemError("CPUDispatcher(...) returned a result with an exception set") from KeyboardInterrupt()


def raised():
    signal.raise_signal(signal.SIGINT)


WAYS = [raised, swallowed, dispatched]


@pytest.fixture
def rows(tmp_path):
    rng = np.random.default_rng(3)
    basic = rng.random(3_000) < 0.5
    frame = pd.DataFrame({f"i{k}": np.where(rng.random(3_000) < 0.9, basic, rng.random(3_000) < 0.5) for k in range(5)})
    frame.astype(int).to_csv(tmp_path / "true.csv", index=False)
    dn.Schema({name: dn.Flip(0.9, 0.9) for name in frame}).save(tmp_path / "s.json")
    return tmp_path


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("bar", [True, False])
def test_an_interrupted_command_writes_nothing_and_says_so_in_one_line(run, rows, monkeypatch, way, bar):
    piece = TableRandomiser.piece

    def interrupted(self, columns):
        way()
        return piece(self, columns)

    monkeypatch.setattr(TableRandomiser, "piece", interrupted)
    if not bar:  # then it is seen when the file would be moved into place
        monkeypatch.setattr(Bar, "advance", lambda self, units: None)
    before = sorted(rows.iterdir())
    assert run("randomise", "true.csv", "-s", "s.json", "-o", "r.csv") == (130, "", NOTHING)
    assert sorted(rows.iterdir()) == before


@pytest.mark.parametrize("way", WAYS)
def test_an_interrupted_search_keeps_the_lengths_that_are_done(run, rows, monkeypatch, way):
    full = json.loads(run("mine", "true.csv", "-m", "0.1", "-s", "s.json", "--json")[1])["itemsets"]
    assert max(len(row["itemsets"]) for row in full) == 5
    following = Search.next_level

    def interrupted(self, max_len):
        if self.length == 2:
            way()
        return following(self, max_len)

    monkeypatch.setattr(Search, "next_level", interrupted)
    code, out, err = run("mine", "true.csv", "-m", "0.1", "-s", "s.json", "--json", "-o", "done.csv")
    kept = json.loads(out)
    assert code == 130
    assert err == "Interrupted while itemsets of 3 were counted; the shorter ones are kept.\n"
    assert kept["interrupted"] == 3
    # Intervals depend on how much was searched, all else does not.
    ends = {"support_low", "support_high"}
    kept_rows, all_rows = (
        [{k: v for k, v in row.items() if k not in ends} for row in rows_] for rows_ in (kept["itemsets"], full)
    )
    assert kept_rows == [row for row in all_rows if len(row["itemsets"]) <= 2]
    assert len(pd.read_csv(rows / "done.csv")) == len(kept["itemsets"])


@pytest.mark.parametrize("way", WAYS)
def test_a_search_that_is_interrupted_before_any_length_is_done_writes_nothing(run, rows, monkeypatch, way):
    def interrupted(*arguments):
        way()
        raise KeyboardInterrupt

    monkeypatch.setattr(dn.Transactions, "counter", interrupted)
    assert run("mine", "true.csv", "-m", "0.1", "-s", "s.json", "-o", "done.csv") == (130, "", NOTHING)
    assert not (rows / "done.csv").exists()


class Told:
    """A bar that remembers what it was told."""

    made: list["Told"] = []

    def __init__(self):
        self.told = []
        self.made.append(self)

    def start(self, what, total):
        self.told.append((what, total))

    def advance(self, units):
        interrupts.check()
        self.told.append(units)

    def finish(self):
        self.told.append("ended")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("step", ["auto.choose", "auto.train", "auto.score_rows"])
def test_a_classifier_that_is_interrupted_while_it_chooses_or_learns_is_not_written(run, rows, monkeypatch, way, step):
    module = importlib.import_module("deniable.classify.ensembles.auto")
    name = step.removeprefix("auto.")
    done = getattr(module, name)

    def interrupted(*arguments):
        way()
        return done(*arguments)

    monkeypatch.setattr(module, name, interrupted)
    monkeypatch.setattr("deniable.cli.classify.Bar", Told)
    monkeypatch.setattr(Told, "made", [])
    pd.read_csv(rows / "true.csv").head(300).to_csv(rows / "few.csv", index=False)
    before = sorted(rows.iterdir())
    fit = ("classify", "fit", "few.csv", "-s", "s.json", "--target", "i0", "--model", "auto", "--jobs", "1", "-o", "m.json")
    assert run(*fit) == (130, "", NOTHING)
    assert sorted(rows.iterdir()) == before
    told = Told.made[0].told
    assert told[0] == ("choices", 1)
    assert told[-1] == "ended", "a bar that is left running hides the cursor"


def test_other_errors_of_compiled_code_are_not_taken_for_an_interrupt(rows, monkeypatch):
    def broken(self, max_len):
        raise SystemError("another")

    monkeypatch.setattr(Search, "next_level", broken)
    with pytest.raises(SystemError, match="another"):
        dn.frequent_itemsets(rows / "true.csv", dn.Flip(0.9, 0.9), 0.1, keep_interrupted=True)


def test_an_interrupt_after_a_file_was_written_names_the_file(run, rows, monkeypatch):
    import deniable.cli.mine as mine

    def interrupted(*arguments):
        raised()

    monkeypatch.setattr(mine, "save_picture", interrupted)
    code, _, err = run("mine", "true.csv", "-m", "0.1", "-s", "s.json", "-o", "done.csv", "--plot", "p.svg")
    assert (code, err) == (130, "Interrupted; already written: done.csv.\n")
    assert (rows / "done.csv").exists()


def test_pictures_are_not_written_after_a_swallowed_interrupt(run, rows, monkeypatch):
    save = importlib.import_module("deniable.charts.save")
    named = save._told

    def interrupted(svg, chart):
        swallowed()
        return named(svg, chart)

    monkeypatch.setattr(save, "_told", interrupted)
    assert run("mine", "true.csv", "-m", "0.1", "-s", "s.json", "--plot", "p.svg")[::2] == (130, NOTHING)
    assert not (rows / "p.svg").exists()


def test_an_error_that_an_interrupt_was_turned_into_is_one(run, rows, monkeypatch):
    def cancelled(self, columns):
        swallowed()
        raise RuntimeError("the query was cancelled")

    monkeypatch.setattr(TableRandomiser, "piece", cancelled)
    assert run("randomise", "true.csv", "-s", "s.json", "-o", "r.csv") == (130, "", NOTHING)


def test_an_interrupt_of_one_command_does_not_stop_the_next(run, rows, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(TableRandomiser, "piece", lambda self, columns: raised())
        assert run("randomise", "true.csv", "-s", "s.json", "-o", "r.csv")[0] == 130
    assert run("randomise", "true.csv", "-s", "s.json", "-o", "r.csv")[0] == 0


def test_a_library_that_is_not_run_from_the_command_line_leaves_ctrl_c_alone():
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    interrupts.check()


def test_where_ctrl_c_is_ignored_it_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts.watched():
            signal.raise_signal(signal.SIGINT)
            interrupts.check()
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


LOADING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)

class Press:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            {way}

sys.meta_path.insert(0, Press())
sys.argv = ["deniable", "--version"]
from deniable.__main__ import main
main()
"""


@pytest.mark.parametrize(
    "way",
    [
        "signal.raise_signal(signal.SIGINT)",
        "import ctypes; ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))()",
    ],
)
def test_an_interrupt_while_the_command_line_is_loading_prints_no_traceback(way):
    done = subprocess.run([sys.executable, "-c", LOADING.format(way=way)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", NOTHING)


def test_python_m_deniable_is_the_command_line():
    done = subprocess.run([sys.executable, "-m", "deniable", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"deniable {dn.__version__}\n", "")
