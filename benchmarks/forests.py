"""Forests on reports beside naive Bayes, a tree, and scikit-learn's forest on reports as they are: accuracy on true rows, and speed.

python -m benchmarks.forests --data DIR [--quick] [--seed S] [--sets NAME,...] [--no-speed]
python -m benchmarks.forests --speed [--quick]

Every attribute behind retention, the class open; 5 distortions x 5 folds (--quick: 1 x 5) of at most 3,000 rows. The same distorted rows
and folds train all, so gains over naive Bayes have paired errors, over all folds. "with naive Bayes": the mean of the forest's and naive
Bayes' log-probabilities. Nothing in the classifiers was chosen on the seed that is the default here.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

import deniable as dn
from benchmarks.timing import interleaved, outside
from benchmarks.uci import DataSet, load

LABELS = ("mushroom", "vote", "kr-vs-kp", "zoo", "soybean-large", "nursery", "led24")
NUMBERS = ("iris", "wine", "breast-w", "diabetes", "credit-g", "australian", "crx", "adult")
MOST_ROWS = 3_000
RETENTIONS = (0.5, 0.3)
MIXED = "with naive Bayes"
BARS = {
    ("mushroom", 0.5, "forest"): 0.980,
    ("mushroom", 0.3, "forest"): 0.960,
    ("vote", 0.5, "forest"): 0.940,
    ("vote", 0.3, "forest"): 0.915,
    ("kr-vs-kp", 0.5, MIXED): 0.915,
}
MOST_TIMES, LEAST_TIMES = 30, 1.6


def contestants(schema: dn.Schema, trees: int = 80) -> dict[str, Any]:
    """What is compared; naive Bayes first."""
    return {
        "naive Bayes": dn.ReconstructionNaiveBayes(schema),
        "tree": dn.ReconstructionTree(schema),
        "forest": dn.UnbiasedForest(schema, n_estimators=trees),
        "as reported": dn.AsReported(RandomForestClassifier(trees), schema),
    }


def accuracies(data: DataSet, p: float, distortions: int, seed: int) -> dict[str, list[float]]:
    """Accuracy on true rows of every fold of every distortion."""
    schema = data.schema(lambda domain: dn.Retention(domain, p))
    found: dict[str, list[float]] = {}
    for repeat in range(distortions):
        rng = np.random.default_rng([seed, repeat])
        rows = np.sort(rng.permutation(len(data.X))[:MOST_ROWS])
        X, y = data.X.iloc[rows].reset_index(drop=True), data.y.iloc[rows].to_numpy()
        Z = schema.randomise(X, rng)
        for train, test in StratifiedKFold(5, shuffle=True, random_state=int(rng.integers(1 << 31))).split(X, y):
            logs = {}
            for name, model in contestants(schema).items():
                model.fit(Z.iloc[train], y[train])
                chances = model.predict_proba(X.iloc[test])
                logs[name] = np.log(np.maximum(chances, 1e-12))
                found.setdefault(name, []).append(float((model.classes_[chances.argmax(axis=1)] == y[test]).mean()))
            both = (logs["forest"] + logs["naive Bayes"]).argmax(axis=1)
            found.setdefault(MIXED, []).append(float((model.classes_[both] == y[test]).mean()))
    return found


def compare(sets: list[DataSet], distortions: int, seed: int) -> dict[tuple[str, float, str], float]:
    """Print all accuracies, and give them."""
    names = [*contestants(sets[0].schema(dn.Identity)), MIXED]
    print(f"{'set':<15}{'rows':>6} {'p':>4} " + "".join(f"{name:>24}" for name in names))
    means: dict[tuple[str, float, str], float] = {}
    gains: list[tuple[str, float, str, float]] = []
    for data in sets:
        for p in RETENTIONS:
            found = accuracies(data, p, distortions, seed)
            base = np.array(found["naive Bayes"])
            shown = [f"{base.mean():>24.4f}"]
            for name in names[1:]:
                off = 100 * (np.array(found[name]) - base)
                error = off.std(ddof=1) / np.sqrt(len(off))
                shown.append(f"{np.mean(found[name]):>9.4f} ({off.mean():+6.2f} ± {error:.2f})")
                gains.append((data.name, p, name, float(off.mean())))
            means |= {(data.name, p, name): float(np.mean(values)) for name, values in found.items()}
            print(
                f"{data.name:<15}{min(len(data.X), MOST_ROWS):>6,} {p:>4} " + "".join(f"{one:>24}" for one in shown), flush=True
            )
    print("\nPoints above naive Bayes: mean over sets and retentions, best and worst")
    for name in names[1:]:
        own = sorted((gain, where, p) for where, p, who, gain in gains if who == name)
        low, high = own[0], own[-1]
        mean = float(np.mean([gain for gain, _, _ in own]))
        print(
            f"  {name:<18}{mean:>+7.2f}   best {high[0]:+.2f} ({high[1]}, {high[2]})   worst {low[0]:+.2f} ({low[1]}, {low[2]})"
        )
    return means


def judge(means: dict[tuple[str, float, str], float]) -> None:
    """Print the bars, and whether they were reached."""
    print("\nBars")
    for (name, p, who), bar in BARS.items():
        got = means.get((name, p, who))
        if got is not None:
            print(f"  {'PASS' if got >= bar else 'FAIL'}  {name} at {p}, {who}: {got:.4f}, at least {bar:.3f}")


def made(rows: int, seed: int) -> tuple[pd.DataFrame, Any]:
    """Numbers like those of Segment: 19 attributes, correlated, seven classes."""
    X, y = make_classification(rows, 19, n_informative=8, n_redundant=8, n_classes=7, n_clusters_per_class=1, random_state=seed)
    low, high = X.min(axis=0), X.max(axis=0)
    return pd.DataFrame(np.rint(99 * (X - low) / (high - low)).astype(int), columns=[f"x{i}" for i in range(19)]), y


def speed(seed: int, rounds: int, sizes: tuple[int, ...]) -> None:
    """Seconds of 80 trees on 2,310 x 19 beside scikit-learn's 80, of two workers, and the cost against rows."""
    X, y = made(2_310, seed)
    schema = dn.Schema({str(name): dn.Retention(dn.Integer(0, 99), 0.5) for name in X})
    Z = schema.randomise(X, np.random.default_rng(seed))
    dn.UnbiasedForest(schema, n_estimators=2).fit(Z, y)  # compiled before
    spent = interleaved(
        {
            "scikit-learn": lambda: RandomForestClassifier(80, random_state=0).fit(Z, y),
            "forest": lambda: dn.UnbiasedForest(schema).fit(Z, y),
        },
        rounds,
    )
    times = spent["forest"] / spent["scikit-learn"]
    print(
        f"\n80 trees on 2,310 x 19, seven classes, retention 0.5, median of {rounds}: "
        + ", ".join(f"{k} {v:.2f} s" for k, v in spent.items())
    )
    print(f"  {'PASS' if times <= MOST_TIMES else 'FAIL'}  {times:.1f} times scikit-learn's, at most {MOST_TIMES}")
    few = Z.iloc[:1_000], y[:1_000]
    ensemble = "32 trees on 1,000 x 19 decide together"
    two_workers(
        ensemble,
        lambda jobs: dn.ReconstructionEnsemble(schema, bagging=2, boosting=2, n_jobs=jobs).fit(*few),
        ("train",),
        rounds,
    )
    X, y = made(10_000, seed)
    Z = schema.randomise(X, np.random.default_rng(seed))
    two_workers(
        "forest of 80 on 10,000 x 19", lambda jobs: dn.UnbiasedForest(schema, n_jobs=jobs).fit(Z, y), ("_one_tree",), rounds
    )
    print("\nCost against rows, 80 trees, 19 attributes: seconds, of the processor, microseconds of it per row")
    for rows in sizes:
        X, y = made(rows, seed)
        Z = schema.randomise(X, np.random.default_rng(seed))
        start, busy = time.perf_counter(), time.process_time()
        dn.UnbiasedForest(schema).fit(Z, y)
        busy = time.process_time() - busy
        print(f"  {rows:>8,}{time.perf_counter() - start:>9.2f}{busy:>9.2f}{1e6 * busy / rows:>9.0f}", flush=True)


def two_workers(name: str, fit: Callable[[int], Any], shared: tuple[str, ...], rounds: int) -> None:
    """How much faster two workers are than one, and what they cannot share."""
    share = outside(lambda: fit(1), shared)
    spent = interleaved({str(jobs): lambda jobs=jobs: fit(jobs) for jobs in (1, 2)}, rounds)
    times = spent["1"] / spent["2"]
    print(
        f"  {'PASS' if times >= LEAST_TIMES else 'FAIL'}  {name}: two workers are {times:.2f} times as fast as one "
        f"({spent['1']:.2f} and {spent['2']:.2f} s), at least {LEAST_TIMES}; {share:.1%} of the processor's time is not shared"
    )


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.forests", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the data sets; needed unless --speed")
    parser.add_argument("--quick", action="store_true", help="one distortion, small sizes")
    parser.add_argument("--seed", type=int, default=2_024, help="another seed, other distortions")
    parser.add_argument("--no-speed", action="store_true", help="accuracies alone")
    parser.add_argument("--speed", action="store_true", help="seconds alone")
    parser.add_argument("--sets", default=",".join((*LABELS, *NUMBERS)), help="names with commas between them")
    asked = parser.parse_args()
    # Of small classes some folds have nobody.
    warnings.filterwarnings("ignore", message="The least populated class")
    if asked.data is None and not asked.speed:
        parser.error("--data is needed for accuracies; --speed does without")
    sets = [] if asked.speed else [load(asked.data, name) for name in asked.sets.split(",") if name]
    if sets:
        judge(compare(sets, 1 if asked.quick else 5, asked.seed))
    if not asked.no_speed:
        speed(asked.seed, 3 if asked.quick else 5, (1_000, 10_000) if asked.quick else (1_000, 10_000, 100_000))


if __name__ == "__main__":
    main()
