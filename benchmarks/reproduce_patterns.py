"""Chapter 6 of the thesis again: classifiers by emerging patterns (Tables 6.1-6.8 and A.20), published beside ours, and its claim.

    python -m benchmarks.reproduce patterns --data DIR [--quick]

10-fold cross-validation; training rows distorted anew in every run, test rows true. All cells of the same rows see the same distortions
and folds. A cell is reached if ours is not below the published one by more than two standard errors of the difference. The thesis gives
no spread: its means of 100 runs (one run in Table 6.1) are given ours. What was measured is kept in build/reproduce_patterns.json, and
a run that was stopped (Ctrl-C prints what there is) goes on from there; delete that file to begin anew. How rows are prepared:
`benchmarks/pattern_cells.py`.
"""

from __future__ import annotations

import json
import time
import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

import deniable as dn
from benchmarks.pattern_cells import FILES, HIGH_PRIVACY, TABLES, Cell, Remembering, Rows, classifier, prepared, published_cells
from benchmarks.pattern_reasons import reason
from benchmarks.uci import DataSet, load

KEPT = Path("build") / "reproduce_patterns.json"
DISTORTIONS, QUICK_DISTORTIONS = 10, 2
ERRORS = 2.0
SHARE = 0.9
"""So many of the pattern cells are to be reached."""

Runs = dict[str, dict[str, list[float]]]
"""The accuracy of each run, by rows and contender."""


@dataclass(frozen=True)
class Judged:
    """One cell, with what we measured for it."""

    cell: Cell
    runs: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Ours."""
        return float(np.mean(self.runs))

    @property
    def error(self) -> float:
        """The standard error of the difference, our spread taken for theirs."""
        spread = float(np.std(self.runs, ddof=1)) if len(self.runs) > 1 else float("nan")
        return spread * (1 / len(self.runs) + 1 / self.cell.runs) ** 0.5

    @property
    def reached(self) -> bool:
        """Whether ours is as good, as far as anybody can tell."""
        off = self.mean - self.cell.published
        return off >= 0 or off >= -ERRORS * self.error


def judged_by(cell: Cell, contender: str, runs: Runs) -> Judged | None:
    """A cell by the runs of a contender, if there are any."""
    own = runs.get(str(cell.rows), {}).get(contender)
    return Judged(cell, tuple(own)) if own else None


def contenders(cells: list[Cell]) -> dict[Rows, list[str]]:
    """Who is run on which rows; where privacy is high also the tree and naive Bayes."""
    found: dict[Rows, list[str]] = {}
    for cell in cells:
        own = found.setdefault(cell.rows, [])
        beside = ["tree", "bayes"] if cell.rows.privacy == HIGH_PRIVACY[cell.rows.way] else []
        own.extend(name for name in (*asked_for(cell), *beside) if name not in own)
    return found


def asked_for(cell: Cell) -> list[str]:
    """Who is run for a cell: what it asks for, and the same with our default supports and cells where those are others."""
    return [cell.contender] if cell.is_tree else list(dict.fromkeys([cell.contender, cell.by_default]))


class Measuring:
    """Runs, kept in a file as they are made."""

    def __init__(self, data: Path, kept: Path) -> None:
        self._kept = kept
        self.runs: Runs = json.loads(kept.read_text()) if kept.exists() else {}
        self.data = lru_cache(None)(lambda name: load(data, FILES[name]))

    def run(self, rows: Rows, names: list[str], distortions: int) -> bool:
        """One more distortion for every contender that lacks it; whether any did."""
        own = self.runs.setdefault(str(rows), {})
        lacking = [name for name in names if len(own.get(name, [])) < distortions]
        if not lacking:
            return False
        data: DataSet = self.data(rows.dataset)
        ready = prepared(rows, data)
        Remembering.forget()
        for name in lacking:
            done = own.setdefault(name, [])
            seed = zlib.crc32(str(rows).encode()) + len(done)
            scores = dn.distort_and_cross_validate(
                classifier(name, rows, ready), ready.X, ready.y, ready.schema, repeats=1, metrics="accuracy", random_state=seed
            )
            done.append(float(scores.mean()["accuracy"]))
        return True

    def keep(self) -> None:
        """Write what was measured, in one piece."""
        self._kept.parent.mkdir(parents=True, exist_ok=True)
        beside = self._kept.with_suffix(".new")
        beside.write_text(json.dumps(self.runs, indent=0))
        beside.replace(self._kept)


def counted_patterns(cells: list[Cell]) -> dict[Rows, list[str]]:
    """Who the verdict is about: the patterns, where labels are distorted as well."""
    found: dict[Rows, list[str]] = {}
    for cell in cells:
        if not cell.is_tree and cell.rows.labels == "distorted":
            own = found.setdefault(cell.rows, [])
            own.extend(name for name in asked_for(cell) if name not in own)
    return found


def measure(data: Path, cells: list[Cell], distortions: int, kept: Path) -> Runs:
    """All runs, one distortion of all rows after the other: who stops early has about as many of each cell.

    After the first distortions come those of the cells that are counted, then the others (trees, naive Bayes, the other reading).
    """
    everyone, counted = contenders(cells), counted_patterns(cells)
    measuring = Measuring(data, kept)
    if measuring.runs:
        print(f"Going on with what is in {kept}; delete it to begin anew.")
    first = min(QUICK_DISTORTIONS, distortions)
    stages = [(1, first, everyone), (first + 1, distortions, counted), (first + 1, distortions, everyone)]
    try:
        for low, high, asked in stages:
            for number in range(low, high + 1):
                began = time.perf_counter()
                for rows, names in asked.items():
                    if measuring.run(rows, names, number):
                        measuring.keep()
                words = "all" if asked is everyone else "counted cells"
                print(f"  distortion {number} of {distortions}, {words}: {time.perf_counter() - began:.0f} s", flush=True)
    except KeyboardInterrupt:
        print("Stopped: these are the runs so far.")
    return measuring.runs


def show(judged: list[Judged]) -> None:
    """Each table: published beside ours."""
    for table in TABLES:
        own = [one for one in judged if one.cell.table == table]
        if not own:
            continue
        first = own[0].cell.rows
        print(f"\nTable {table}: {first.way}")
        print(
            f"{'set':<12}{'privacy':>8}  {'labels':<10}{'classifier':<12}{'published':>10}{'ours':>9}{'± error':>9}{'off':>8}{'runs':>6}"
        )
        for one in own:
            cell = one.cell
            print(
                f"{cell.rows.dataset:<12}{cell.rows.privacy:>8}  {cell.rows.labels:<10}{cell.method:<12}{cell.published:>10.4f}"
                f"{one.mean:>9.4f}{one.error:>9.4f}{one.mean - cell.published:>+8.4f}{len(one.runs):>6}  "
                f"{'' if one.reached else 'BELOW'}"
            )


def verdict(judged: list[Judged]) -> bool:
    """How many cells are reached, and why the others are not."""
    counted = [one for one in judged if one.cell.rows.labels == "distorted"]
    patterns = [one for one in counted if not one.cell.is_tree]
    print("\nCells reached (not below by more than two standard errors of the difference)")
    for words, own in (
        *((f"  Table {table}", [one for one in patterns if one.cell.table == table]) for table in TABLES),
        ("  labels beside noise not hidden, not counted", [one for one in judged if one.cell.rows.labels == "open"]),
        ("  trees, counted apart", [one for one in counted if one.cell.is_tree]),
    ):
        if own:
            better = sum(one.mean >= one.cell.published for one in own)
            print(
                f"{words:<48}{sum(one.reached for one in own):>4} of {len(own):>3}, {better:>3} of them at least as published"
            )
    missed = [one for one in patterns if not one.reached]
    for one in missed:
        cell = one.cell
        print(
            f"  below: Table {cell.table}, {cell.rows.dataset}, {cell.rows.privacy}, {cell.method}: {one.mean:.4f} for "
            f"{cell.published:.4f}. "
            f"{reason(cell)}"
        )
    share = 1 - len(missed) / len(patterns)
    fewest = min(len(one.runs) for one in patterns)
    passed = share >= SHARE
    print(
        f"{'PASS' if passed else 'FAIL'}  {len(patterns) - len(missed)} of {len(patterns)} pattern cells reached ({share:.1%}, at least "
        f"{SHARE:.0%}), at least {fewest} distortions each"
    )
    return passed


def claim(cells: list[Cell], runs: Runs) -> None:
    """The thesis' claim: where privacy is high, patterns beat the single tree. Ours against our own tree, run by run."""
    print(
        "\nThe claim: at high privacy patterns classify better than a single tree (ours against our tree, the same rows and folds)"
    )
    print(f"{'rows':<44}{'classifier':<20}{'accuracy':>9}{'tree':>8}{'difference':>18}{'naive Bayes':>13}")
    gains: dict[str, list[float]] = {"eager": [], "lazy": []}
    told: dict[str, list[str]] = {"eager": [], "lazy": []}
    for rows, names in contenders([cell for cell in cells if cell.rows.labels == "distorted"]).items():
        own = runs.get(str(rows), {})
        for name in names:
            if "bayes" not in names or name in ("tree", "bayes") or len(own.get(name, [])) < 2:
                continue
            n = min(len(own[name]), len(own["tree"]))
            gap = np.array(own[name][:n]) - np.array(own["tree"][:n])
            error = float(gap.std(ddof=1)) / n**0.5
            words = "better" if gap.mean() > ERRORS * error else "worse" if gap.mean() < -ERRORS * error else "no difference"
            kind = name.split(" ")[0]
            told[kind].append(words)
            gains[kind].append(float(gap.mean()))
            where = f"{rows.dataset}, {rows.way} {rows.privacy}, {rows.bins} bins"
            print(
                f"{where:<44}{name:<20}{np.mean(own[name]):>9.4f}{np.mean(own['tree']):>8.4f}{gap.mean():>+9.4f} ± {error:.4f}"
                f"{np.mean(own['bayes']):>11.4f}  {words}"
            )
    for kind, gain in gains.items():
        if gain:
            better, worse = told[kind].count("better"), told[kind].count("worse")
            holds = "does NOT hold" if np.mean(gain) <= 0 or worse >= better else "holds" if not worse else "holds on average"
            print(
                f"  The claim {holds} for {kind} patterns: {100 * np.mean(gain):+.1f} points on average of {len(gain)}, worst "
                f"{100 * min(gain):+.1f}; better {better} times, worse {worse}, else no difference."
            )
    print("  Our tree is better than the published one (trees, counted apart), so the claim is harder to meet here.")


def run(data: Path, published: Path, quick: bool) -> None:
    """Measure and print everything; `quick`: two distortions of the small sets."""
    cells = published_cells(published)
    if quick:
        cells = [cell for cell in cells if cell.rows.dataset in ("Iris", "Wine", "Breast")]
    counted = [cell for cell in cells if not cell.is_tree and cell.rows.labels == "distorted"]
    began = time.perf_counter()
    distortions = QUICK_DISTORTIONS if quick else DISTORTIONS
    runs = measure(data, cells, distortions, KEPT.with_stem(KEPT.stem + "_quick") if quick else KEPT)
    judged = [one for cell in cells if (one := judged_by(cell, cell.contender, runs))]
    show(judged)
    claim(cells, runs)
    verdict(judged)
    ours = [one for cell in counted if (one := judged_by(cell, asked_for(cell)[-1], runs))]
    print(
        f"With our default supports instead of MMASK, and our default cells behind noise: {sum(one.reached for one in ours)} of "
        f"{len(ours)} pattern cells reached"
    )
    print(f"{time.perf_counter() - began:,.0f} s in this run")
