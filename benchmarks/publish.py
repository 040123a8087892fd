"""Publishing: how fast, how much memory, and whether our searches lose less accuracy than the paper's greedy tree.

    python -m benchmarks.publish speed [--data DIR]      # Nursery, the dynamic programme, the ratio to a scikit-learn tree
    python -m benchmarks.publish memory [--rows 1000000]
    python -m benchmarks.publish better --data DIR [--folds 5] [--quick]

Answers are drawn from the operating system's randomness; no seed is picked.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

import deniable as dn
from benchmarks.timing import interleaved
from deniable.publish.comparison import _accuracy, learners, plain_frame

CONTESTANTS: dict[str, dict[str, Any]] = {
    "greedy, squared (the paper)": {},
    "greedy, euclidean": {"distance": "euclidean"},
    "greedy, total variation": {"distance": "total_variation"},
    "greedy, chi2": {"distance": "chi2"},
    "greedy, cosine": {"distance": "cosine", "resolution": 200},
    "beam": {"search": "beam"},
    "backtracking": {"search": "backtracking"},
    "greedy, grouped": {"group": True, "reuse": True},
    "beam, grouped": {"search": "beam", "group": True, "reuse": True},
    "backtracking, grouped": {"search": "backtracking", "group": True, "reuse": True},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["speed", "memory", "better", "fit"])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=20.0, help="seconds a search may take")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.what in ("speed", "better") and options.data is None and options.what == "better":
        parser.error("better needs --data DIR")
    {"speed": speed, "memory": memory, "better": better, "fit": fit_once}[options.what](options)


def nursery(folder: Path | None) -> tuple[pd.DataFrame, pd.Series]:
    """The Nursery set, or, without a folder, a made-up one of the same shape."""
    if folder is not None:
        frame = pd.read_csv(folder / "uci" / "nursery.csv.gz", dtype=str, keep_default_na=False)
        return frame.drop(columns="class"), frame["class"]
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"a{i}": rng.choice([f"v{j}" for j in range(k)], 12960) for i, k in enumerate((3, 5, 4, 4, 3, 2, 3, 3))})
    lean = sum(X[name].str[1].astype(int) for name in X) + rng.normal(0, 1, len(X))
    return X, pd.Series(np.digitize(lean, [4, 6, 8, 11]), name="class").map(str)


def speed(options: argparse.Namespace) -> None:
    """Nursery against a scikit-learn tree; the dynamic programme by its number of distinct values."""
    X, y = nursery(options.data)
    codes = OrdinalEncoder().fit_transform(X)
    found = interleaved(
        {
            "deniability tree, minimum 0.1": lambda: dn.DeniabilityTree(0.1).fit(X, y),
            "deniability tree, no minimum": lambda: dn.DeniabilityTree(0.0).fit(X, y),
            "scikit-learn tree (codes ready)": lambda: DecisionTreeClassifier().fit(codes, y),
            "scikit-learn tree (from the frame)": lambda: DecisionTreeClassifier().fit(OrdinalEncoder().fit_transform(X), y),
        }
    )
    theirs = found["scikit-learn tree (from the frame)"]
    print(f"Fitting {len(X):,} rows x {X.shape[1]} categories (median of 7)")
    for name, seconds in found.items():
        print(f"  {name:<36}{1000 * seconds:>8.1f} ms   {seconds / theirs:>6.2f} x scikit-learn from the frame")

    print(
        "\nOne column of numbers, every value different, yes/no answers, minimum 0.2 (seconds; growth when the values double)"
    )
    for name, parameters in (("squared, exact shortcuts", {}), ("cosine, no shortcut (quadratic)", {"distance": "cosine"})):
        before = None
        for values in (
            (6_250, 12_500, 25_000, 50_000)
            if options.quick or "cosine" in name
            else (6_250, 12_500, 25_000, 50_000, 100_000, 200_000)
        ):
            rng = np.random.default_rng(values)
            x = rng.permutation(values) / values
            answers = pd.Series(np.where(rng.random(values) < 0.5 + 0.3 * np.sin(6 * x), "yes", "no"), name="y")
            frame = pd.DataFrame({"x": x})
            began = time.perf_counter()
            tree = dn.DeniabilityTree(0.2, **parameters).fit(frame, answers)
            took = time.perf_counter() - began
            growth = "" if before is None else f"   x {took / before:.1f}"
            print(f"  {name:<34}{values:>9,} values{took:>9.2f} s{growth}   ({len(tree.leaves_):,} leaves)", flush=True)
            before = took


def memory(options: argparse.Namespace) -> None:
    """Fit a large table in a process of its own and compare its peak with the table."""
    for minimum in ("0.05", "0"):
        subprocess.run(
            [sys.executable, "-m", "benchmarks.publish", "fit", "--rows", str(options.rows), "--budget", minimum], check=True
        )


def fit_once(options: argparse.Namespace) -> None:
    """One fit with min_change 0; prints time and peak memory (called by `memory`)."""
    X, y = made_up(options.rows)
    size = int(X.memory_usage(deep=True).sum() + y.memory_usage(deep=True))
    small = X.head(2000)
    dn.DeniabilityTree(options.budget).fit(small, y.head(2000)).publish(small)  # compile before measuring
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    began = time.perf_counter()
    tree = dn.DeniabilityTree(options.budget, min_change=0.0).fit(X, y)
    fitted = time.perf_counter() - began
    middle = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    tree.publish(X)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    took = time.perf_counter() - began - fitted
    codes = OrdinalEncoder().fit_transform(X.astype({name: str for name in X if X[name].dtype == "category"}))
    began = time.perf_counter()
    DecisionTreeClassifier(min_samples_leaf=2).fit(codes, y)
    theirs = time.perf_counter() - began
    print(
        f"{len(X):,} rows x {X.shape[1]} attributes ({size / 2**20:,.0f} MiB), minimum {options.budget:g}, min_change 0: "
        f"{len(tree.leaves_):,} leaves, fit {fitted:.1f} s ({fitted / theirs:.2f} x a scikit-learn tree on ready codes, {theirs:.1f} s), "
        f"publish {took:.1f} s; memory beyond the table: fit {(middle - before) / 2**20:,.0f} MiB "
        f"({(middle - before) / size:.1f} x the table), "
        f"with publishing {(after - before) / 2**20:,.0f} MiB ({(after - before) / size:.1f} x)"
    )


def made_up(rows: int) -> tuple[pd.DataFrame, pd.Series]:
    """Ten attributes: categories, whole numbers, and numbers of which nearly every one is different."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            f"c{i}": pd.Categorical.from_codes(rng.integers(0, k, rows), [f"v{j}" for j in range(k)])
            for i, k in enumerate((2, 3, 5, 8, 12))
        }
    )
    for i, k in enumerate((20, 100, 1000)):
        X[f"n{i}"] = rng.integers(0, k, rows)
    X["income"] = rng.lognormal(10, 1, rows)
    X["weight"] = rng.normal(70, 12, rows).round(1)
    lean = X.n1 / 100 + X.c2.cat.codes / 8 + np.log(X.income) / 20 + rng.normal(0, 0.5, rows)
    return X, pd.Series(np.where(lean > 1.3, "yes", "no"), name="answer")


def better(options: argparse.Namespace) -> None:
    """Accuracy lost by learning from what was published, against the greedy squared-distance tree."""
    folder = options.data / "uci"
    adult = pd.read_csv(folder / "adult.csv.gz")
    sets = {
        "nursery": (pd.read_csv(folder / "nursery.csv.gz", dtype=str, keep_default_na=False), "class"),
        "adult": (adult.sample(3000 if options.quick else 10_000, random_state=0).reset_index(drop=True), "income"),
        "credit-g": (pd.read_csv(folder / "credit-g.csv"), "class"),
    }
    folds = 2 if options.quick else options.folds
    lost: dict[tuple[float, str], dict[str, float]] = {}
    for name, (frame, sensitive) in sets.items():
        rare = frame[sensitive].value_counts()
        frame = frame[~frame[sensitive].isin(rare[rare < folds].index)].reset_index(drop=True)  # too few to be in every fold
        X, y = plain_frame(frame.drop(columns=sensitive)), frame[sensitive].astype(str)
        answers = sorted(y.unique())
        codes = pd.Categorical(y, categories=answers).codes.astype(np.int64)
        models = learners(X)
        split = list(StratifiedKFold(folds, shuffle=True, random_state=0).split(X, codes))
        original = np.mean([_accuracy(m, X.iloc[s], codes[s], X.iloc[t], codes[t]) for s, t in split for m in models.values()])
        print(
            f"\n{name}: {len(X):,} rows, {folds} folds; learned from true answers: {original:.2%} (mean of {', '.join(models)})",
            flush=True,
        )
        print(
            f"  {'minimum':<9}{'tree':<30}{'accuracy':>9}{'lost':>8}{'unchanged':>11}{'estimate':>10}{'leaves':>8}{'seconds':>9}"
        )
        for minimum in (0.1, 0.2):
            for contestant, parameters in CONTESTANTS.items():
                rows = []
                for seen, held in split:
                    began = time.perf_counter()
                    tree = dn.DeniabilityTree(minimum, outcomes=answers, time_budget=options.budget, **parameters)
                    tree.fit(X.iloc[seen], y.iloc[seen])
                    took = time.perf_counter() - began
                    drawn = tree.draw(X.iloc[seen])
                    accuracy = np.mean([_accuracy(m, X.iloc[seen], drawn, X.iloc[held], codes[held]) for m in models.values()])
                    kept = float((drawn == codes[seen]).mean())
                    rows.append((accuracy, kept, tree.expected_accuracy(X.iloc[held], y.iloc[held]), len(tree.leaves_), took))
                accuracy, kept, estimate, leaves, took = np.mean(rows, axis=0)
                lost.setdefault((minimum, contestant), {})[name] = original - accuracy
                print(
                    f"  {minimum:<9.0%}{contestant:<30}{accuracy:>9.2%}{100 * (original - accuracy):>8.2f}{kept:>11.2%}{estimate:>10.2%}"
                    f"{leaves:>8.0f}{took:>9.2f}",
                    flush=True,
                )
    print("\nPoints of accuracy lost, averaged over the sets")
    for minimum in (0.1, 0.2):
        theirs = np.mean(list(lost[minimum, "greedy, squared (the paper)"].values()))
        print(f"  minimum {minimum:.0%}")
        for contestant in CONTESTANTS:
            own = np.mean(list(lost[minimum, contestant].values()))
            print(f"    {contestant:<30}{100 * own:>7.2f}   {own / theirs:>5.2f} x the paper's")
        best = min(CONTESTANTS, key=lambda c: np.mean(list(lost[minimum, c].values())))
        own = np.mean(list(lost[minimum, best].values()))
        print(f"    best: {best} loses {100 * own:.2f} points, greedy with squared distance {100 * theirs:.2f}")


if __name__ == "__main__":
    main()
