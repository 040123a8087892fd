"""Mining distorted transactions against the best miners of undistorted ones: `python -m benchmarks.mining --data DIR`.

Peers mine the **undistorted** set: pyfim's eclat and apriori (C) and mlxtend's apriori. Ours mine the **distorted** set, which is far
denser, from what a user has (a boolean frame, or a file of transactions) to the finished frame. Rounds are interleaved; medians of
seconds on the clock and of seconds of all processors, which say more on a machine that has other work.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import deniable as dn
from deniable.kernels.bits import count_itemsets, pattern_counts
from deniable.kernels.candidates import weighted_sums
from deniable.kernels.row_products import packed_row_sums

GIB = 1 << 30
DEFAULT = "shrunk"


def distorted(truth: Any, p: float, q: float, rng: np.random.Generator) -> Any:
    """A boolean matrix distorted column by column: a 1 is kept with p, a 0 with q."""
    reports = np.empty(truth.shape, dtype=bool, order="F")
    for i in range(truth.shape[1]):
        draw = rng.random(len(truth))
        reports[:, i] = np.where(truth[:, i], draw < p, draw >= q)
    return reports


def distorted_lists(rows: list[list[int]], items: int, p: float, q: float, rng: np.random.Generator) -> list[Any]:
    """The same for lists of item numbers, without the matrix: false items are met by skipping over those not drawn."""
    lengths = np.array([len(row) for row in rows])
    cells = np.repeat(np.arange(len(rows)) * items, lengths) + np.fromiter(itertools.chain.from_iterable(rows), np.int64)
    kept = cells[rng.random(len(cells)) < p]
    total = len(rows) * items
    steps = rng.geometric(1 - q, int(total * (1 - q) * 1.02) + 1_000)
    false = np.cumsum(steps) - 1
    assert false[-1] >= total
    false = np.setdiff1d(false[false < total], cells, assume_unique=True)
    reported = np.sort(np.concatenate([kept, false]))
    return np.split(reported % items, np.searchsorted(reported, np.arange(1, len(rows)) * items))


def found_of(frame: pd.DataFrame, true: set[frozenset[Any]]) -> str:
    """How many itemsets, and how many of them are truly frequent."""
    found = set(frame["itemsets"])
    return f"{len(found):,} found, {len(found & true):,} of the {len(true):,} true"


Times = dict[str, tuple[float, float]]


def interleaved(contestants: dict[str, Callable[[], object]], rounds: int) -> Times:
    """Median seconds of each contestant, on the clock and of all processors; all run once to warm up, then take turns."""
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
    for turn in range(rounds + 1):
        for name, run in contestants.items():
            began, busy = time.perf_counter(), time.process_time()
            run()
            if turn:
                seconds[name].append((time.perf_counter() - began, time.process_time() - busy))
    return {
        name: (statistics.median(c for c, _ in runs), statistics.median(p for _, p in runs)) for name, runs in seconds.items()
    }


def report(times: Times, against: str, most: float) -> None:
    """Seconds and ratios to one contestant, and whether the default method costs at most so many times as much."""
    print(f"    {'':52s} {'clock':>9s} {'processors':>11s}   ratios to {against}")
    for name, (clock, busy) in times.items():
        print(f"    {name:52s} {clock:7.3f} s {busy:9.3f} s   {clock / times[against][0]:7.2f} {busy / times[against][1]:7.2f}")
    worst = max(times[name][0] / times[against][0] for name in times if name.startswith(f"deniable {DEFAULT}"))
    print(
        f"    the default method at worst {worst:.2f} times on the clock, wanted {most:g}: {'reached' if worst <= most else 'MISSED'}"
    )


def write_fimi(path: Path, rows: list[Any]) -> None:
    """One line of item numbers per transaction."""
    path.write_text("".join(" ".join(map(str, row.tolist())) + "\n" for row in rows))


def quest_sets(rounds: int, with_mlxtend: bool, folder: Path) -> None:
    """T10I8D100kN100 at minimum support 0.005 under three levels of privacy."""
    import fim

    rng = np.random.default_rng(1)
    truth = dn.datasets.quest("T10I8D100kN100", form="matrix", rng=rng)
    rows = [np.flatnonzero(row).tolist() for row in truth]
    names = [str(i) for i in range(truth.shape[1])]
    clean = pd.DataFrame(truth, columns=names)
    true = {frozenset(names[i] for i in items) for items, _ in fim.eclat(rows, target="s", supp=0.5, report="a")}
    peers: dict[str, Callable[[], object]] = {
        "pyfim eclat, undistorted": lambda: fim.eclat(rows, target="s", supp=0.5, report="a"),
        "pyfim apriori, undistorted": lambda: fim.apriori(rows, target="s", supp=0.5, report="a"),
    }
    print("Quest T10I8D100kN100, minimum support 0.005; p = 0.5")
    contestants = dict(peers)
    contestants["deniable, undistorted"] = lambda: dn.frequent_itemsets(clean, None, 0.005)
    finds = []
    for q in (0.97, 0.87, 0.77):
        reports = pd.DataFrame(distorted(truth, 0.5, q, rng), columns=names)
        channel = dn.Flip(0.5, q)
        file = folder / f"quest-{q}.dat"
        write_fimi(file, [np.flatnonzero(row) for row in reports.to_numpy()])
        for method in ("unbiased", "shrunk"):
            contestants[f"deniable {method}, q = {q}, a frame"] = _run(reports, channel, 0.005, method)
            contestants[f"deniable {method}, q = {q}, read from file"] = _run(file, channel, 0.005, method)
            finds.append(f"    q = {q}, {method:8s} {found_of(dn.frequent_itemsets(reports, channel, 0.005, method), true)}")
    times = interleaved(contestants, rounds)
    if with_mlxtend:
        times["mlxtend apriori, undistorted (once)"] = _mlxtend(clean, 0.005)
    report(times, "pyfim eclat, undistorted", 0.5)
    if with_mlxtend:
        slow = times["mlxtend apriori, undistorted (once)"][0]
        print(
            f"    mlxtend took {slow / times['deniable unbiased, q = 0.87, a frame'][0]:.0f} times as long as unbiased at q = 0.87"
        )
    print("\n".join(finds), "\n")


def _run(data: Any, channel: Any, min_support: float, method: str) -> Callable[[], object]:
    return lambda: dn.frequent_itemsets(data, channel, min_support, method)


def _mlxtend(frame: pd.DataFrame, min_support: float) -> tuple[float, float]:
    from mlxtend.frequent_patterns import apriori

    began, busy = time.perf_counter(), time.process_time()
    # Its default would hold rows x candidates x length booleans at a time, 13 GB for the triples alone.
    apriori(frame, min_support, use_colnames=True, low_memory=True)
    return time.perf_counter() - began, time.process_time() - busy


def fimi_sets(data: Path, rounds: int, with_mlxtend: bool, folder: Path) -> None:
    """Sets of the FIMI repository under p = 0.9, q = 0.99, and undistorted against mlxtend."""
    import fim

    for name, min_support in (("T10I4D100K", 0.005), ("retail", 0.005), ("connect", 0.95), ("mushroom", 0.2)):
        path = data / "fimi" / f"{name}.dat.gz"
        with gzip.open(path, "rt") as lines:
            rows = [[int(item) for item in line.split()] for line in lines]
        place = {item: i for i, item in enumerate(sorted(set(itertools.chain.from_iterable(rows))))}
        coded = [[place[item] for item in row] for row in rows]
        reports = distorted_lists(coded, len(place), 0.9, 0.99, np.random.default_rng(2))
        channel = dn.Flip(0.9, 0.99)
        prepared = dn.Transactions([row.tolist() for row in reports], channel)
        share = 100 * min_support
        true = {frozenset(items) for items, _ in fim.eclat(coded, target="s", supp=share, report="a")}
        file = folder / f"{name}.dat"
        write_fimi(file, reports)
        contestants: dict[str, Callable[[], object]] = {
            "pyfim eclat, undistorted": _fim(fim.eclat, coded, share),
            "pyfim apriori, undistorted": _fim(fim.apriori, coded, share),
            "deniable, undistorted, read from lists": _run(coded, None, min_support, "unbiased"),
        }
        for method in ("unbiased", "shrunk"):
            contestants[f"deniable {method}, distorted, prepared"] = _run(prepared, channel, min_support, method)
            contestants[f"deniable {method}, distorted, read from file"] = _run(file, channel, min_support, method)
        times = interleaved(contestants, rounds)
        items = sum(len(row) for row in rows)
        print(
            f"FIMI {name}, minimum support {min_support}; p = 0.9, q = 0.99: {len(rows):,} rows, {len(place):,} items, "
            f"{items:,} cells true, {sum(map(len, reports)):,} reported"
        )
        report(times, "pyfim eclat, undistorted", 1.5)
        for method in ("unbiased", "shrunk"):
            print(f"    {method:8s} {found_of(dn.frequent_itemsets(prepared, channel, min_support, method), true)}")
        if with_mlxtend and name in ("T10I4D100K", "mushroom"):
            same_as_mlxtend(rows, min_support)
        print()


def _fim(miner: Any, rows: list[list[int]], share: float) -> Callable[[], object]:
    return lambda: miner(rows, target="s", supp=share, report="a")


def same_as_mlxtend(rows: list[list[int]], min_support: float) -> None:
    """On undistorted data the frame is mlxtend's, row by row."""
    from mlxtend.frequent_patterns import apriori
    from mlxtend.preprocessing import TransactionEncoder

    encoder = TransactionEncoder()
    frame = pd.DataFrame.sparse.from_spmatrix(encoder.fit(rows).transform(rows, sparse=True), columns=encoder.columns_)
    began = time.perf_counter()
    theirs = apriori(frame.sparse.to_dense(), min_support, use_colnames=True, low_memory=True)
    took = time.perf_counter() - began
    ours = dn.frequent_itemsets(rows, None, min_support)
    same = len(ours) == len(theirs) and (ours["itemsets"].to_numpy() == theirs["itemsets"].to_numpy()).all()
    same = same and bool((ours["support"].to_numpy() == theirs["support"].to_numpy()).all())
    print(f"    mlxtend, undistorted: {took:.1f} s; frames equal row by row: {same} ({len(theirs):,} itemsets)")


def one_support() -> None:
    """The cost of one support against the length of the itemset."""
    rng = np.random.default_rng(3)
    rows, most = 100_000, 20
    packed = dn.Transactions(pd.DataFrame(rng.random((rows, most)) < 0.4)).packed
    absent, present = np.full(most, -0.13 / 0.37), np.full(most, 0.87 / 0.37)
    kinds = np.stack([absent] * 3, axis=1), np.stack([present - absent] * 3, axis=1)
    print(
        "One support of 100,000 rows, microseconds of a processor: in a search (count and recursion), by rows, by 2^m patterns"
    )
    for length in range(1, most + 1):
        itemset = np.arange(length, dtype=np.int32)[None, :]
        parents, below = np.zeros((1, length), np.int32), np.ones((1, length, 3))
        many = np.repeat(itemset, 50, axis=0)

        def in_search(many: Any = many, itemset: Any = itemset, parents: Any = parents, below: Any = below) -> None:
            counts = np.zeros(len(many), np.int64)
            count_itemsets(packed, many, 0, len(many), counts)
            for _ in range(50):
                weighted_sums(counts[:1], itemset, parents, below, *kinds)

        numbers = np.arange(length)
        contestants: dict[str, Callable[[], object]] = {
            "search": in_search,
            "rows": lambda numbers=numbers: packed_row_sums(packed, rows, numbers, absent, present),
        }
        if length <= 14:
            contestants["patterns"] = lambda numbers=numbers: pattern_counts(packed, numbers, rows)
        times = interleaved(contestants, 5)
        micro = {name: 1e6 * busy for name, (_, busy) in times.items()}
        patterns = f"{micro['patterns']:12.0f}" if "patterns" in micro else "           -"
        print(f"    {length:2d} items {micro['search'] / 50:10.1f} {micro['rows']:10.0f} {patterns}")
    print()


def memory() -> None:
    """A million transactions over a hundred items, mined in a process of its own whose peak memory is read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "reports.npy")
        rng = np.random.default_rng(4)
        np.save(
            path, np.asfortranarray(distorted(dn.datasets.quest("T10I8D1000kN100", form="matrix", rng=rng), 0.5, 0.87, rng))
        )
        print("A million transactions of 100 items, minimum support 0.005, p = 0.5, q = 0.87, a process of its own")
        for method in ("unbiased", "shrunk"):
            command = [sys.executable, "-m", "benchmarks.mining", "--mine-file", str(path), "--method", method]
            print("    " + subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())


def mine_file(path: Path, method: str) -> None:
    """Mine a stored boolean matrix and print time and peak memory of this process."""
    frame = pd.DataFrame(np.load(path))
    began = time.perf_counter()
    found = dn.frequent_itemsets(frame, dn.Flip(0.5, 0.87), 0.005, method)
    took = time.perf_counter() - began
    # Not ru_maxrss: a process inherits that of the one that started it.
    peak = 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1])
    print(f"{method:8s} {len(found):,} itemsets in {took:.1f} s, peak memory {peak / GIB:.2f} GiB with data and compilers")


def main() -> None:
    """Run all of it, or one part."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mining", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the data sets, for the FIMI ones")
    parser.add_argument("--only", choices=["quest", "fimi", "support", "memory"], help="one part")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-mlxtend", action="store_true", help="leave out what takes minutes")
    parser.add_argument("--mine-file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--method", default="unbiased", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.mine_file is not None:
        mine_file(asked.mine_file, asked.method)
        return
    parts = [asked.only] if asked.only else ["quest", "fimi", "support", "memory"]
    with tempfile.TemporaryDirectory() as folder:
        if "quest" in parts:
            quest_sets(asked.rounds, not asked.no_mlxtend, Path(folder))
        if "fimi" in parts and asked.data is not None:
            fimi_sets(asked.data, asked.rounds, not asked.no_mlxtend, Path(folder))
    if "fimi" in parts and asked.data is None:
        print("FIMI sets: give --data DIR to run them\n")
    if "support" in parts:
        one_support()
    if "memory" in parts:
        memory()


if __name__ == "__main__":
    main()
