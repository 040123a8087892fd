"""Do the tests see faults? Small faults are planted in copies of the package, one at a time, and the tests that should see each are run.

    python -m benchmarks.planted_faults                      # all of planted_faults.toml, at most an hour, two at a time
    python -m benchmarks.planted_faults --only krr-divisor,kish
    python -m benchmarks.planted_faults --check              # only whether every fault still has its place

What was seen before is not run again while neither code nor tests have changed (`--again` runs it all the same). A fault is caught if a
test fails that passes without it; those that no test sees are the holes, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_suffix(".toml")
COPIED = ("deniable", "tests", "vectors", "benchmarks", "docs", "pyproject.toml", "README.md", "CHANGELOG.md", "CITATION.cff")
CODE = (".py", ".js", ".html")
SECONDS = 600
"""A fault whose tests take longer is not said to be caught: a test that only hangs says nothing of what is wrong."""
CAUGHT, MISSED, LATE, UNFAIR, ANYWAY = "caught", "MISSED", "TOO LATE", "DOES NOT RUN", "FAILS ANYWAY"


@dataclass(frozen=True)
class Fault:
    """A text of the package, what replaces it, why that matters, and which tests should see it."""

    name: str
    old: str
    new: str
    why: str
    tests: tuple[str, ...]


def faults(path: Path = LIST) -> list[Fault]:
    """All faults of a list."""
    found = [Fault(**{**given, "tests": tuple(given["tests"])}) for given in tomllib.loads(path.read_text())["fault"]]
    names = [fault.name for fault in found]
    if len(set(names)) < len(names):
        raise SystemExit("Two faults have one name.")
    return found


def place_of(fault: Fault, tree: Path) -> Path:
    """The file of the package in which the text stands, wherever it has moved to; it must stand in one place only."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((tree / "deniable").rglob("*")) if path.suffix in CODE}
    places = [(path, text.count(fault.old)) for path, text in texts.items() if fault.old in text]
    if sum(count for _, count in places) != 1:
        where = ", ".join(f"{path.relative_to(tree)} ({count})" for path, count in places) or "nowhere"
        raise SystemExit(f"{fault.name}: its text must stand in the package exactly once; it stands {where}:\n    {fault.old}")
    return places[0][0]


def check(chosen: list[Fault], tree: Path) -> None:
    """Refuse faults without a place, and tests that are not there; all of them at once."""
    wrong = []
    for fault in chosen:
        if fault.old == fault.new:
            wrong.append(f"{fault.name}: nothing is changed")
        try:
            place_of(fault, tree)
        except SystemExit as error:
            wrong.append(str(error))
        wrong += [
            f"{fault.name}: there is no tests/{shlex.split(tests)[0]}"
            for tests in fault.tests
            if not (tree / "tests" / shlex.split(tests)[0]).exists()
        ]
    if wrong:
        raise SystemExit("\n".join([*wrong, f"Bring {LIST.name} up to date: {len(wrong)} of its entries do not fit the code."]))


def digest(tree: Path) -> str:
    """What code and tests are, in one number."""
    summary = hashlib.sha256()
    for folder in ("deniable", "tests", "vectors"):
        for path in sorted((tree / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                summary.update(f"{path.relative_to(tree)}\n".encode() + path.read_bytes())
    return summary.hexdigest()[:16]


def copied(tree: Path, into: Path) -> Path:
    """A copy to plant faults in, with what numba has compiled, as long as the dates of files are kept."""
    for name in COPIED:
        source = tree / name
        if source.is_dir():
            shutil.copytree(source, into / name)
        elif source.exists():
            shutil.copy2(source, into / name)
    return into


def pytest_in(tree: Path, arguments: Sequence[str], seconds: float, fresh: bool = False) -> tuple[int | None, str]:
    """Run tests of a copy: (exit code, or None if they took too long; which test failed, or the last line)."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=no", "-rf"]
    environment = os.environ | {"PYTHONPATH": str(tree), "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryDirectory() as compiled:
        # What numba has compiled of one file may hold the loops of another, and would not be compiled again.
        environment |= {"NUMBA_CACHE_DIR": compiled} if fresh else {}
        running = subprocess.Popen(
            [*command, *arguments], cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        try:
            said, _ = running.communicate(timeout=max(seconds, 1))
        except subprocess.TimeoutExpired:
            # Interrupted, tests end what they have started; killed, they would leave it behind.
            running.send_signal(signal.SIGINT)
            try:
                running.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                running.kill()
                running.communicate()
            return None, ""
    failed = [line.removeprefix("FAILED ").split(" - ")[0] for line in said.splitlines() if line.startswith("FAILED ")]
    return running.returncode, failed[0] if failed else said.strip().splitlines()[-1] if said.strip() else ""


def tried(fault: Fault, tree: Path, until: float) -> tuple[str, str]:
    """Plant a fault in a copy, run its tests, take it out again; what became of it, and which test saw it."""
    path = place_of(fault, tree)
    kept, dates = path.read_bytes(), path.stat()
    path.write_text(path.read_text(encoding="utf-8").replace(fault.old, fault.new), encoding="utf-8")
    seen, last = MISSED, ""
    try:
        for tests in fault.tests:
            first, *rest = shlex.split(tests)
            seconds = min(SECONDS, until - time.monotonic())
            code, last = pytest_in(tree, [f"tests/{first}", *rest], seconds, fresh="kernels" in path.parts)
            seen = {None: LATE, 0: MISSED, 1: CAUGHT}.get(code, UNFAIR)
            if seen != MISSED:
                break
    finally:
        path.write_bytes(kept)
        os.utime(path, ns=(dates.st_atime_ns, dates.st_mtime_ns))
    # A test that fails anyway catches nothing.
    if seen == CAUGHT and pytest_in(tree, [last], SECONDS)[0] != 0:
        return ANYWAY, last
    return seen, "" if seen == MISSED else last


def run(chosen: list[Fault], tree: Path, results: Path, jobs: int, minutes: float, again: bool) -> dict[str, tuple[str, str]]:
    """Try all faults that were not tried yet on this code; stops when the time is over."""
    state = digest(tree)
    known = json.loads(results.read_text()) if results.exists() else {}
    found = {} if again or known.get("state") != state else {name: tuple(one) for name, one in known["found"].items()}
    until = time.monotonic() + 60 * minutes
    waiting = [fault for fault in chosen if fault.name not in found]
    with tempfile.TemporaryDirectory(prefix="faults") as folder, ThreadPoolExecutor(jobs) as pool:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(min(jobs, len(waiting))):
            copies.put(copied(tree, Path(folder) / str(number)))

        def one(fault: Fault) -> None:
            if time.monotonic() > until:
                return
            began, copy = time.monotonic(), copies.get()
            try:
                outcome = tried(fault, copy, until)
            finally:
                copies.put(copy)
            if outcome[0] == LATE and time.monotonic() > until:
                return  # not its own fault
            found[fault.name] = outcome
            results.parent.mkdir(parents=True, exist_ok=True)
            results.write_text(json.dumps({"state": state, "found": dict(found)}, indent=1))
            print(f"{outcome[0]:12s} {fault.name:32s} {time.monotonic() - began:5.0f} s  {outcome[1]}", flush=True)

        list(pool.map(one, waiting))
    return {fault.name: found[fault.name] for fault in chosen if fault.name in found}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Plant small faults, one at a time, and see whether the tests catch them.")
    parser.add_argument("--only", help="names of faults, with commas between them")
    parser.add_argument("--check", action="store_true", help="only check that every fault has its place")
    parser.add_argument("--again", action="store_true", help="also what was tried before on the same code")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default 2)")
    parser.add_argument(
        "--minutes", type=float, default=60, help="stop after so many (default 60); the next call goes on from there"
    )
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "planted_faults.json", help="where results are kept")
    given = parser.parse_args()
    chosen = faults()
    if given.only:
        names = given.only.split(",")
        unknown = sorted(set(names) - {fault.name for fault in chosen})
        if unknown:
            raise SystemExit(f"There are no faults {', '.join(unknown)}; there are {', '.join(f.name for f in chosen)}.")
        chosen = [fault for fault in chosen if fault.name in names]
    check(chosen, ROOT)
    if given.check:
        print(f"All {len(chosen)} faults have their place.")
        return
    found = run(chosen, ROOT, given.results, given.jobs, given.minutes, given.again)
    caught = sum(outcome == CAUGHT for outcome, _ in found.values())
    print(f"\n{caught} of {len(found)} faults were caught; {len(chosen) - len(found)} were not tried for want of time.")
    holes = [fault for fault in chosen if found.get(fault.name, (CAUGHT,))[0] != CAUGHT]
    for fault in holes:
        print(f"{found[fault.name][0]}: {fault.name}: {fault.why}. Tests: {', '.join(fault.tests)}")
    sys.exit(1 if holes else 0)


if __name__ == "__main__":
    main()
