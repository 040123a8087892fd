"""Our shrunk supports against MASK and MMASK: `python -m benchmarks.mining_estimators [--data DIR]`.

Two measures for itemsets of 2 to 5 items. *Average precision*: itemsets ranked by estimated support, best first; the mean, over all
truly frequent itemsets, of the precision at their rank, 0 for those that are not found. *Support error* (thesis 4.4): the mean relative
error, in percent, of the supports of those found that are truly frequent. MASK is method "unbiased": the same number.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import deniable as dn
from benchmarks.mining import distorted

METHODS = {"MASK": {"method": "unbiased"}, "MMASK": {"method": "mmask", "r_threshold": 3}, "shrunk": {"method": "shrunk"}}
LENGTHS = (2, 3, 4, 5)


def average_precision(found: pd.DataFrame, true: set[frozenset[Any]]) -> float:
    """Average precision of a ranking by support; truly frequent itemsets that are not in it count 0.

    >>> found = pd.DataFrame({"itemsets": [frozenset("a"), frozenset("b"), frozenset("c")], "support": [0.3, 0.5, 0.1]})
    >>> average_precision(found, {frozenset("a"), frozenset("c"), frozenset("d")})     # hits at ranks 2 and 3 of 3 true ones
    0.38888888888888884
    """
    ranked = found.sort_values("support", ascending=False, kind="stable")["itemsets"]
    hits = np.array([itemset in true for itemset in ranked], dtype=float)
    precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    return float((precision * hits).sum() / len(true)) if true else float("nan")


def compare(name: str, truth: Any, p: float, q: float, min_support: float, seeds: int) -> None:
    """Print both measures for every method and length, the mean over several randomisations of one true set."""
    names = [str(i) for i in range(truth.shape[1])]
    clean = dn.frequent_itemsets(pd.DataFrame(truth, columns=names), None, min_support, max_len=LENGTHS[-1])
    supports = dict(zip(clean["itemsets"], clean["support"], strict=True))
    of_length = {m: {itemset for itemset in supports if len(itemset) == m} for m in LENGTHS}
    counts = ", ".join(f"{len(of_length[m]):,} of {m}" for m in LENGTHS)
    print(f"{name}: {len(truth):,} rows, minimum support {min_support}, p = {p}, q = {q}; truly frequent: {counts}")
    measured: dict[str, list[list[float]]] = {method: [] for method in METHODS}
    for seed in range(seeds):
        reports = dn.Transactions(
            pd.DataFrame(distorted(truth, p, q, np.random.default_rng(seed)), columns=names), dn.Flip(p, q)
        )
        for method, options in METHODS.items():
            found = dn.frequent_itemsets(reports, min_support=min_support, max_len=LENGTHS[-1], **options)
            row = []
            for m in LENGTHS:
                some = found[found["itemsets"].map(len) == m]
                right = some[some["itemsets"].map(of_length[m].__contains__).astype(bool)]
                actual = right["itemsets"].map(supports).to_numpy(dtype=float)
                row += [
                    average_precision(some, of_length[m]),
                    100 * float(np.mean(np.abs(right["support"].to_numpy() - actual) / actual)) if len(right) else float("nan"),
                    len(some),
                    len(right),
                ]
            measured[method].append(row)
    for method, rows in measured.items():
        mean = np.nanmean(np.array(rows), axis=0)
        parts = [
            f"{m}: AP {mean[4 * i]:.3f} error {mean[4 * i + 1]:6.1f}% ({mean[4 * i + 3]:,.0f} right of {mean[4 * i + 2]:,.0f})"
            for i, m in enumerate(LENGTHS)
            if of_length[m]
        ]
        print(f"    {method:7s} " + "   ".join(parts))


def main() -> None:
    """Quest baskets always; dna, led24 and mushroom with --data."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mining_estimators", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the data sets")
    parser.add_argument("--seeds", type=int, default=3, help="randomisations of each set")
    asked = parser.parse_args()
    quest = dn.datasets.quest("T10I8D100kN100", form="matrix", rng=np.random.default_rng(1))
    for q in (0.97, 0.87, 0.77):
        compare("Quest T10I8D100kN100", quest, 0.5, q, 0.005, asked.seeds)
    if asked.data is None:
        return
    dna = pd.read_csv(asked.data / "uci" / "dna.csv.gz").iloc[:, :180].to_numpy().astype(bool)
    led = pd.read_csv(asked.data / "uci" / "led24.csv").iloc[:, :24].to_numpy().astype(bool)
    mushroom = pd.get_dummies(pd.read_csv(asked.data / "uci" / "mushroom.csv.gz", dtype=str)).to_numpy()
    for q in (0.97, 0.87):
        compare("dna", dna, 0.5, q, 0.05, asked.seeds)
    for p, q in ((0.8, 0.8), (0.7, 0.7)):
        compare("led24", led, p, q, 0.2, asked.seeds)
    for p, q in ((0.9, 0.95), (0.8, 0.9), (0.6, 0.8)):
        compare("mushroom", mushroom, p, q, 0.4, asked.seeds)


if __name__ == "__main__":
    main()
