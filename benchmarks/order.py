"""What shuffling a file costs: seconds and memory beside the same file randomised in its own order.

    python -m benchmarks.order --rows 5000000

Every run is a process of its own, so that its peak memory is its own; kept and shuffled take turns, and medians are compared. On a
busy machine compare processor seconds.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

PIECE = 250_000


def write_true(path: Path, rows: int) -> None:
    """A town's answers and an id in no order."""
    from deniable.datasets import town

    rng = np.random.default_rng(2)
    writer = None
    for begin in range(0, rows, PIECE):
        people = town(min(PIECE, rows - begin), rng)
        table = pa.Table.from_pandas(people.assign(id=rng.integers(0, 1 << 40, len(people))), preserve_index=False)
        if writer is None:
            make = pa.parquet.ParquetWriter if path.suffix == ".parquet" else pa.csv.CSVWriter
            writer = make(str(path), table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def one_run(source: str, target: str, order: str) -> None:
    """Randomise once in this process, after a few rows that load and compile; print seconds, processor seconds and megabytes."""
    from deniable.datasets import town, town_schema

    schema = town_schema()
    schema.randomise(town(1_000), order=order)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began, worked = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        schema.randomise(source, keep=["id"], order=order, output=target, force=True)
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(seconds, worked, peak / 1024, (peak - before) / 1024)


def compare(folder: Path, kind: str, rows: int, rounds: int) -> None:
    source, target = folder / f"true.{kind}", folder / f"reported.{kind}"
    write_true(source, rows)
    found: dict[str, list[tuple[float, ...]]] = {"kept": [], "shuffled": []}
    for _ in range(rounds):
        for order, runs in found.items():
            command = [sys.executable, "-m", "benchmarks.order", "--run", str(source), str(target), order]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            runs.append(tuple(map(float, done.stdout.split())))
    middle = {order: [statistics.median(column) for column in zip(*runs, strict=True)] for order, runs in found.items()}
    size = source.stat().st_size / 2**20
    for order, (seconds, worked, peak, grown) in middle.items():
        times = f"{seconds:.1f} s ({seconds / middle['kept'][0]:.2f} x), processor {worked:.1f} s ({worked / middle['kept'][1]:.2f} x)"
        print(f"{kind:<8}{size:>5.0f} MB  {order:<9}{times}; peak {peak:.0f} MB, grown by {grown:.0f} MB", flush=True)
    source.unlink()
    target.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where the files go; a temporary folder if left out")
    parser.add_argument("--run", nargs=3, metavar=("SOURCE", "TARGET", "ORDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        one_run(*given.run)
        return
    print(f"{given.rows:,} rows, {given.rounds} rounds")
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        for kind in ("csv", "parquet"):
            compare(Path(folder), kind, given.rows, given.rounds)


if __name__ == "__main__":
    main()
