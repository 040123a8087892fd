"""Answers randomised per second: our protecting sampler against plain numpy simulation, multi-freq-ldpy and OpenDP.

    python -m benchmarks.channels            # about a minute
    python -m benchmarks.channels --quick

All contestants run in one process, in turns; the ratio is the result, seconds are this machine's.
"""

from __future__ import annotations

import argparse
import math
import resource
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import deniable as dn
from benchmarks.timing import interleaved
from deniable.core.channels.sampling import byte_source

EPSILON = math.log(5)


def numpy_krr(codes: np.ndarray, k: int, p: float) -> Callable[[], object]:
    """The simulation one writes by hand: a coin and one of the others. Vectorised, but PCG64: it protects nobody."""
    rng = np.random.default_rng()

    def run() -> object:
        others = rng.integers(0, k - 1, codes.size)
        others += others >= codes
        return np.where(rng.random(codes.size) < p, codes, others)

    return run


def numpy_additive(codes: np.ndarray, half: int) -> Callable[[], object]:
    """Uniform whole-number noise by hand."""
    rng = np.random.default_rng()
    return lambda: codes + rng.integers(-half, half + 1, codes.size)


def ours(channel: Any, codes: np.ndarray) -> Callable[[], object]:
    """The protecting sampler on codes: bytes of the operating system, exact integers."""
    source = byte_source(None)
    return lambda: channel.draw(codes, source)


def against_numpy(n: int, rounds: int) -> None:
    """Design by design, answers per second and the ratio to numpy."""
    print(f"\nProtecting sampler against vectorised numpy simulation, {n:,} answers, median of {rounds} interleaved rounds")
    print(f"{'design':<42}{'ours, M/s':>11}{'numpy, M/s':>12}{'slower by':>11}")
    rng = np.random.default_rng(0)
    cases: list[tuple[str, Any, int, Callable[[np.ndarray], Callable[[], object]]]] = []
    for k in (2, 5, 50):
        labels = dn.Nominal([f"v{i}" for i in range(k)])
        for name, channel in (
            (f"KRR, {k} labels, p = 0.7", dn.KRR(labels, 0.7)),
            (f"KRR.from_epsilon(log 5), {k} labels", dn.KRR.from_epsilon(labels, EPSILON)),
        ):
            p = float(channel.p)
            cases.append((name, channel, k, lambda codes, k=k, p=p: numpy_krr(codes, k, p)))
    age = dn.Additive(dn.Integer(18, 90), dn.Uniform(10))
    salary = dn.Additive(dn.Integer(0, 100_000), dn.Uniform(5_000))
    cases.append(("Additive Uniform(10), ages 18-90", age, 73, lambda codes: numpy_additive(codes, 10)))
    cases.append(("Additive Uniform(5000), 0-100,000", salary, 100_001, lambda codes: numpy_additive(codes, 5_000)))
    worst = 0.0
    for name, channel, k, peer in cases:
        codes = rng.integers(0, k, n)
        seconds = interleaved({"ours": ours(channel, codes), "numpy": peer(codes)}, rounds)
        ratio = seconds["ours"] / seconds["numpy"]
        worst = max(worst, ratio)
        print(f"{name:<42}{n / seconds['ours'] / 1e6:>11.1f}{n / seconds['numpy'] / 1e6:>12.1f}{ratio:>11.2f}")
    print(f"{'worst ratio (aim: at most 1.5)':<65}{worst:>11.2f}")


def against_peers(n: int, rounds: int) -> None:
    """The same design in other libraries, as their documentation has people call them: an answer a call."""
    try:
        import opendp.prelude as odp
        from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
    except ImportError:
        print('\nPeers are not installed: pip install -e ".[benchmark]" (make benchmark does).')
        return
    k = 5
    channel = dn.KRR.from_epsilon(dn.Nominal(list("abcde")), EPSILON)
    codes = np.random.default_rng(1).integers(0, k, n)
    few = codes[: max(200, n // 1000)]
    letters = [channel.inputs[code] for code in few]
    odp.enable_features("contrib")
    measurement = odp.m.make_randomized_response(list("abcde"), float(channel.p))
    middle = codes[: n // 10].tolist()
    seconds = interleaved(
        {
            "ours": ours(channel, codes),
            "multi-freq-ldpy": lambda: [GRR_Client(code, k, EPSILON) for code in middle],
            "OpenDP": lambda: [measurement(letter) for letter in letters],
        },
        rounds,
    )
    rate = {
        "ours": n / seconds["ours"],
        "multi-freq-ldpy": len(middle) / seconds["multi-freq-ldpy"],
        "OpenDP": len(few) / seconds["OpenDP"],
    }
    print(f"\nKRR, {k} labels, epsilon log 5, answers per second")
    for name, aim in (("ours", ""), ("multi-freq-ldpy", "aim: 10"), ("OpenDP", "aim: 1,000")):
        faster = "" if name == "ours" else f"we are {rate['ours'] / rate[name]:,.0f} times faster ({aim})"
        print(f"{name:<18}{rate[name]:>14,.0f}   {faster}")


def file_to_file(rows: int) -> None:
    """A Parquet file of the town's size and beyond, path to path, and the memory it takes."""
    from deniable.datasets import town, town_schema

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "town.parquet", Path(folder) / "reported.parquet"
        piece = 500_000
        rng = np.random.default_rng(2)
        writer = None
        for begin in range(0, rows, piece):
            table = pa.Table.from_pandas(town(min(piece, rows - begin), rng), preserve_index=False)
            writer = writer or pq.ParquetWriter(source, table.schema)
            writer.write_table(table)
        assert writer is not None
        writer.close()
        schema = town_schema()
        peak = Peak()
        began = time.perf_counter()
        with peak:
            schema.randomise(source, output=target)
        seconds = time.perf_counter() - began
        print(
            f"\nParquet to Parquet: {rows:,} rows x {len(schema)} questions in {seconds:.1f} s "
            f"({rows * len(schema) / seconds / 1e6:.1f} M answers/s), memory grew by at most {peak.grown:.0f} MB"
        )


class Peak:
    """The largest growth of this process' resident memory while it is open, sampled every 5 ms."""

    def __enter__(self) -> Peak:
        pa.default_memory_pool().release_unused()
        self._start = self._most = _resident()
        self._open = True
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        return self

    def _watch(self) -> None:
        while self._open:
            self._most = max(self._most, _resident())
            time.sleep(0.005)

    def __exit__(self, *_: object) -> None:
        self._open = False
        self._watcher.join()

    @property
    def grown(self) -> float:
        return (self._most - self._start) / 2**20


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="fewer answers and rounds")
    quick = parser.parse_args().quick
    against_numpy(n=200_000 if quick else 2_000_000, rounds=3 if quick else 9)
    against_peers(n=200_000 if quick else 2_000_000, rounds=3 if quick else 5)
    for rows in (500_000,) if quick else (1_000_000, 5_000_000):
        file_to_file(rows)


if __name__ == "__main__":
    main()
