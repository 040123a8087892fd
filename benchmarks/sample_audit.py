"""Every question that `dn.Sample` answers, under twelve channels, at three sizes and for seven shapes of the truth.

Do intervals hold the truth, are they as narrow as they can be, is another method better, and is any answer impossible?

    python -m benchmarks.sample_audit [--quick] [--channels "KRR 5,Normal 73"] [--runs 100] [--seed N] [--save FILE]

252 cells of 100 runs. Exit code 1 if a check fails. `--save` keeps the records of every finished cell (an .npz that numpy reads), and a
later start with the same seed and runs goes on from there. Meant to take at most 90 minutes on two cores; groups whose coverage is
doubtful are run again 2,000 times within that time, and those whose error is too large as often as at first.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import audit_judging as judging
from benchmarks.audit_cases import CHANNELS, SHAPES, SIZES, Cell, all_cells
from benchmarks.audit_references import MOST_CELLS
from benchmarks.audit_running import RECORD, Job, best_half_width, run_cell
from benchmarks.audit_tables import print_tables

SEED = 20_261_201
QUICK_RATIO = 1.6  # a few runs tell errors apart no finer


@dataclass
class Plan:
    """What is run: `fresh` runs of every doubtful group, none to judge it where it is."""

    channels: list[str]
    sizes: tuple[int, ...] = SIZES
    shapes: tuple[str, ...] = tuple(SHAPES)
    runs: int = 100
    em_runs: int = 0
    fresh: int = 2_000
    seed: int = SEED
    workers: int = 2
    minutes: float = 90.0
    error_ratio: float = judging.WORST_RATIO
    save: Path | None = None


def quick_plan(seed: int = SEED, workers: int = 1, channels: list[str] | None = None, runs: int = 7) -> Plan:
    """Well under a minute: three channels, two sizes, two shapes."""
    few = channels or ["KRR 5", "Retention 101", "Uniform 11"]
    shapes = ("skewed", "heaped at tens")
    return Plan(few, (200, 2_000), shapes, runs=runs, em_runs=1, fresh=0, seed=seed, workers=workers, error_ratio=QUICK_RATIO)


@dataclass
class Outcome:
    """All records, those of doubtful groups run again, and the verdicts."""

    frame: pd.DataFrame
    again: pd.DataFrame | None
    verdicts: list[judging.Verdict]

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(verdict.passed for verdict in self.verdicts)


class Workers:
    """Jobs one after the other here, or in processes of their own."""

    def __init__(self, number: int) -> None:
        if number > 1:
            # New processes read them before they load numpy.
            os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        self._pool = multiprocessing.get_context("spawn").Pool(number) if number > 1 else None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.terminate()
            self._pool.join()

    def each(self, function: Callable[[Any], Any], jobs: Iterable[Any]) -> Iterator[Any]:
        """Results as they come."""
        return map(function, jobs) if self._pool is None else self._pool.imap_unordered(function, jobs)

    def in_order(self, function: Callable[[Any], Any], jobs: list[Any]) -> list[Any]:
        """Results in the order of the jobs."""
        return list(map(function, jobs)) if self._pool is None else self._pool.map(function, jobs, chunksize=1)


def run_jobs(jobs: list[Job], workers: Workers, save: Path | None, what: str) -> list[tuple[Job, Any]]:
    """All jobs, with progress; those already saved are read."""
    done = [(job, records) for job in jobs if (records := _saved(job, save)) is not None]
    kept = {job.key for job, _ in done}
    began, told = time.perf_counter(), time.perf_counter()
    for job, records in workers.each(run_cell, [job for job in jobs if job.key not in kept]):
        done.append((job, records))
        if save is not None:
            _keep(job, records, save)
        now = time.perf_counter()
        if now - told > 20 or len(done) == len(jobs):
            told, ran = now, len(done) - len(kept)
            left = (now - began) / ran * (len(jobs) - len(done)) / 60
            print(
                f"  {what}: {len(done)} of {len(jobs)} cells, {(now - began) / 60:.1f} min, about {left:.0f} min left",
                flush=True,
            )
    return done


def _saved(job: Job, save: Path | None) -> Any:
    if save is None or job.again or not save.exists():
        return None
    with zipfile.ZipFile(save) as archive:
        if f"{job.key}.npy" not in archive.namelist():
            return None
        with archive.open(f"{job.key}.npy") as file:
            records = np.lib.format.read_array(file, allow_pickle=False)
    return records if records.dtype == RECORD else None


def _keep(job: Job, records: Any, save: Path) -> None:
    key = f"again-{job.again}-{job.key}" if job.again else job.key
    with zipfile.ZipFile(save, "a", zipfile.ZIP_DEFLATED) as archive:
        if f"{key}.npy" in archive.namelist():
            return
        with archive.open(f"{key}.npy", "w") as file:
            np.lib.format.write_array(file, records, allow_pickle=False)


def run_again(
    plan: Plan, suspects: pd.DataFrame, workers: Workers, deadline: float, again: int, runs: int
) -> pd.DataFrame | None:
    """Fresh runs of the doubtful groups: their channel and size, all shapes, only their questions; while there is time."""
    if not plan.fresh or suspects.empty:
        return None
    results: list[tuple[Job, Any]] = []
    groups = list(suspects.groupby(["channel", "n"], observed=True))
    for number, ((channel, n), group) in enumerate(groups):
        if time.perf_counter() > deadline:
            print(f"  Time is up: {len(groups) - number} channels and sizes are judged without fresh runs.", flush=True)
            break
        names = tuple(dict.fromkeys(group["statistic"].astype(str)))
        jobs = [Job(Cell(str(channel), int(n), shape), runs, plan.seed, again=again, statistics=names) for shape in plan.shapes]
        results += run_jobs(jobs, workers, plan.save, f"again {number + 1} of {len(groups)}, {channel}, n = {n:,}")
    return judging.as_frame(results) if results else None


def best_widths(frame: pd.DataFrame, workers: Workers) -> dict[tuple[str, int, str, str], float]:
    """The best affine half width of every bias-aware count and mean, of channels with few enough values for a matrix."""
    cells = judging.bias_aware_cells(frame)
    small = {name for name in frame["channel"].unique() if CHANNELS[name]().domain.size <= MOST_CELLS}
    keys = [(c, int(n), str(statistic), shape) for c, n, statistic, shape in cells.index if c in small]
    widths = workers.in_order(best_half_width, [(Cell(c, n, shape), statistic) for c, n, statistic, shape in keys])
    return dict(zip(keys, widths, strict=True))


def audit(plan: Plan) -> Outcome:
    """Run a plan and judge it."""
    began = time.perf_counter()
    cells = all_cells(plan.channels, plan.sizes, list(plan.shapes))
    with Workers(plan.workers) as workers:
        jobs = [Job(cell, plan.runs, plan.seed, plan.em_runs) for cell in cells]
        frame = judging.as_frame(run_jobs(jobs, workers, plan.save, "cells"))
        widths = best_widths(frame, workers)
        deadline = began + 60 * plan.minutes
        doubtful = judging.outside_band(judging.coverage(frame))
        again = run_again(plan, doubtful, workers, deadline, 1, -(-plan.fresh // len(plan.shapes)))
        beside = run_again(plan, judging.larger_errors(frame, plan.error_ratio), workers, deadline, 2, plan.runs)
    verdicts = [
        judging.judge_coverage(frame, again),
        judging.judge_widths(frame, widths),
        judging.judge_errors(frame, plan.error_ratio, beside),
        judging.judge_possible(frame),
    ]
    return Outcome(frame, again, verdicts)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="three channels, two sizes, two shapes: under a minute")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--channels", help=f"some of {'; '.join(CHANNELS)}, with commas between (10,001 is one name)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep records, and go on from those that are there")
    given = parser.parse_args()
    chosen = chosen_channels(given.channels) if given.channels else None
    if given.quick:
        plan = quick_plan(given.seed, 1, chosen, given.runs or 7)
    else:
        plan = Plan(chosen or list(CHANNELS), runs=given.runs or 100, seed=given.seed, workers=given.workers)
    plan.save = given.save
    began = time.perf_counter()
    cells = len(plan.channels) * len(plan.sizes) * len(plan.shapes)
    print(f"{cells} cells, {plan.runs} runs each, seed {plan.seed}", flush=True)
    outcome = audit(plan)
    print_tables(outcome.frame)
    print("\n" + "\n".join(map(str, outcome.verdicts)))
    print(f"\n{(time.perf_counter() - began) / 60:.1f} minutes, seed {plan.seed}: {'PASS' if outcome.passed else 'FAIL'}")
    sys.exit(0 if outcome.passed else 1)


def chosen_channels(text: str) -> list[str]:
    """Names with commas between; a name may hold a comma itself."""
    asked = ",".join(part.strip() for part in text.split(","))
    chosen = [name for name in CHANNELS if f",{name}," in f",{asked},"]
    if len(",".join(chosen)) != len(asked):
        raise SystemExit(f"{text!r} is not a list of channels; there are {'; '.join(CHANNELS)}.")
    return chosen


if __name__ == "__main__":
    main()
