"""`dn.AutoClassifier` beside naive Bayes and the classifiers it chooses from: what is gained and lost, and is the expected accuracy right?

python -m benchmarks.auto [--data DIR] [--quick] [--seed S] [--minutes M] [--distortions N] [--resume FILE]

One run: at most 3,000 rows of a set, a fifth of them held out; the rest is distorted and learned from, by all; accuracy is that on the
true held-out rows. Gains are paired with naive Bayes of the same run. Runs go round all cells, so that time which runs out leaves every
cell with about as many. Sets of UCI by their names; `correlated numbers` are 2,310 rows of 19 numbers that move together, seven classes.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import deniable as dn
from benchmarks.uci import load

UCI = ("iris", "wine", "breast-w", "diabetes", "credit-g", "australian", "mushroom", "kr-vs-kp", "led24", "nursery", "vote")
SMALL = UCI[:6]
WAYS: dict[str, Callable[[Any], Any]] = {
    "retention .5": lambda domain: dn.Retention(domain, 0.5),
    "retention .3": lambda domain: dn.Retention(domain, 0.3),
    "retention .15": lambda domain: dn.Retention(domain, 0.15),
    "krr .6": lambda domain: dn.KRR(domain, 0.6),
}
MOST, HELD_OUT = 3_000, 5
NUMBERS = "correlated numbers"
LEAST_COVERED, LOST, MOST_LOST = 0.92, 0.005, 3.0


def correlated_numbers(rng: np.random.Generator) -> tuple[pd.DataFrame, Any, dict[str, Any]]:
    """Seven classes of three clusters each in four hidden directions, seen through 19 numbers that all of them move."""
    y = rng.integers(0, 7, 2_310)
    centres, seen = rng.normal(0, 1.3, (7, 3, 4)), rng.normal(0, 1, (4, 19))
    hidden = centres[y, rng.integers(0, 3, len(y))] + rng.normal(0, 0.5, (len(y), 4))
    numbers = hidden @ seen + rng.normal(0, 0.7, (len(y), 19))
    scaled = np.clip(np.rint(15 * (numbers - numbers.mean(axis=0)) / numbers.std(axis=0) + 50), 0, 100).astype(int)
    names = [f"x{i}" for i in range(19)]
    return pd.DataFrame(scaled, columns=names), y, {name: dn.Integer(0, 100) for name in names}


def classifiers(schema: dn.Schema) -> dict[str, Any]:
    """What is compared; naive Bayes is the first."""
    return {
        "naive Bayes": dn.ReconstructionNaiveBayes(schema),
        "auto": dn.AutoClassifier(schema),
        "forest": dn.UnbiasedForest(schema),
        "as reported": dn.AsReported(schema=schema),
    }


def run(X: pd.DataFrame, y: Any, schema: dn.Schema, rng: np.random.Generator) -> dict[str, Any]:
    """One distortion: accuracies of all, and what auto says of itself."""
    order = rng.permutation(len(X))[:MOST]
    held, rest = order[: len(order) // HELD_OUT], order[len(order) // HELD_OUT :]
    held = held[np.isin(y[held], np.unique(y[rest]))]
    Z = schema.randomise(X.iloc[rest].reset_index(drop=True), rng)
    test = X.iloc[held].reset_index(drop=True)
    found: dict[str, Any] = {}
    for name, model in classifiers(schema).items():
        found[name] = float(model.fit(Z, y[rest]).score(test, y[held]))
        if name == "auto":
            expected = model.expected_accuracy_
            ends = [float(end[0]) for end in expected.interval()] if expected.has_interval else [0.0, 1.0]
            found |= {"low": ends[0], "high": ends[1], "alone": model.chosen_ == "naive Bayes", "tested": len(held)}
    return found


def measured(asked: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    """All cells, run after run, until there are enough or time is over."""
    held: dict[str, list[dict[str, Any]]] = {}
    if asked.resume and asked.resume.exists():
        held = json.loads(asked.resume.read_text())
    end = time.monotonic() + 60 * asked.minutes
    names = [NUMBERS] if asked.data is None else [NUMBERS, *(UCI[2:5] if asked.quick else UCI)]
    for repeat in range(asked.distortions):
        for place, name in enumerate(names):
            for number, way in enumerate(WAYS):
                cell = f"{name}|{way}"
                if time.monotonic() > end or len(held.get(cell, [])) > repeat:
                    continue
                rng = np.random.default_rng([asked.seed, repeat, place, number])
                if name == NUMBERS:
                    X, y, attributes = correlated_numbers(rng)
                else:
                    loaded = load(asked.data, name)
                    X, y, attributes = loaded.X, loaded.y.to_numpy(), loaded.domains
                schema = dn.Schema({column: WAYS[way](domain) for column, domain in attributes.items()})
                held.setdefault(cell, []).append(run(X, y, schema, rng))
        if asked.resume:
            asked.resume.write_text(json.dumps(held))
    return held


def gain(runs: list[dict[str, Any]], name: str) -> tuple[float, float]:
    """The mean gain over naive Bayes, and its paired error."""
    gains = np.array([one[name] - one["naive Bayes"] for one in runs])
    return float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(len(gains))) if len(gains) > 1 else float("inf")


def report(held: dict[str, list[dict[str, Any]]]) -> bool:
    """Print the table and the verdicts; whether all bars are met."""
    print(
        f"{'set':<20}{'hidden by':<15}{'runs':>5}{'naive Bayes':>13}{'auto':>18}{'forest':>18}{'as reported':>18}{'alone':>7}{'held':>7}"
    )
    for cell, runs in held.items():
        name, way = cell.split("|")
        gains = "".join(
            f"{f'{value:+.3f} ± {error:.3f}':>18}"
            for value, error in (gain(runs, m) for m in ("auto", "forest", "as reported"))
        )
        alone, covered = np.mean([one["alone"] for one in runs]), np.mean([_covers(one) for one in runs])
        base = np.mean([one["naive Bayes"] for one in runs])
        print(f"{name:<20}{way:<15}{len(runs):>5}{base:>13.3f}{gains}{alone:>7.2f}{covered:>7.2f}")
    verdicts = []
    lost = {cell: gain(runs, "auto") for cell, runs in held.items()}
    small = {
        cell: value / max(error, 1e-9) for cell, (value, error) in lost.items() if cell.split("|")[0] in SMALL and value < 0
    }
    worst = min(small.values(), default=0.0)
    verdicts.append((f"small sets: worst loss {worst:.1f} paired errors, at least -{MOST_LOST:.0f}", worst >= -MOST_LOST))
    mean = float(np.mean([value for cell, (value, _) in lost.items() if not cell.startswith(NUMBERS)] or [0.0]))
    verdicts.append((f"mean gain over the sets {100 * mean:+.2f} points, above 0", mean > 0))
    below = [cell for cell, (value, error) in lost.items() if value + 2 * error < -LOST]
    verdicts.append((f"below -0.5 points by more than two errors: {below or 'none'}", not below))
    for cell in (cell for cell in held if cell.startswith(NUMBERS)):
        best = max(
            ("naive Bayes", "forest", "as reported"), key=lambda m: gain(held[cell], m)[0] if m != "naive Bayes" else 0.0
        )
        gaps = np.array([one["auto"] - one[best] for one in held[cell]])
        error = gaps.std(ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else float("inf")
        verdicts.append(
            (f"{cell.replace('|', ', ')}: auto {gaps.mean():+.3f} ± {error:.3f} beside {best}", gaps.mean() >= -2 * error)
        )
    covered = float(np.mean([_covers(one) for runs in held.values() for one in runs]))
    verdicts.append(
        (
            f"the expected accuracy held the true one in {covered:.3f} of {sum(map(len, held.values()))} runs",
            covered >= LEAST_COVERED,
        )
    )
    for words, passed in verdicts:
        print(f"{'PASS' if passed else 'FAIL'}  {words}")
    return all(passed for _, passed in verdicts)


def _covers(one: dict[str, Any]) -> bool:
    """Whether the band holds the accuracy on the held-out rows, which are themselves only some of all."""
    return bool(one["low"] <= one["auto"] <= one["high"])


def main(given: list[str] | None = None) -> bool:
    """Measure and print everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.auto", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the data sets; without it only made rows")
    parser.add_argument("--quick", action="store_true", help="fewer sets, few distortions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=80.0, help="stop after so long")
    parser.add_argument("--distortions", type=int, help="of every cell; 25, or 3 with --quick")
    parser.add_argument("--resume", type=Path, help="a file to keep what was measured in")
    asked = parser.parse_args(given)
    asked.distortions = asked.distortions or (3 if asked.quick else 25)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return report(measured(asked))


if __name__ == "__main__":
    main()
