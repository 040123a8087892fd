"""Classifiers beside scikit-learn's: accuracy without distortion, time of training, and scores on distorted rows.

python -m benchmarks.classify --data DIR [--quick] [--seed S]
python -m benchmarks.classify --tuning [--quick] [--seed S]

Missing cells are imputed before (mean of numbers, mode of labels), as in the thesis. scikit-learn's tree gets the codes of the labels,
in their order; it is not pruned, so ours is shown without pruning and with MDL.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

import deniable as dn
from benchmarks.timing import interleaved
from benchmarks.uci import DataSet, load

SETS = ("kr-vs-kp", "mushroom", "iris", "wine", "breast-w")
RETENTION = 0.7


def codes(data: DataSet, frame: pd.DataFrame) -> pd.DataFrame:
    """Labels as numbers, for scikit-learn."""
    return pd.DataFrame(
        {
            name: frame[name] if hasattr(domain, "low") else domain.encode(frame[name].tolist())
            for name, domain in data.domains.items()
        }
    )


def accuracy(data: DataSet, repeats: int) -> None:
    """10-fold accuracy on undistorted rows, every repeat with folds of its own and another seed for scikit-learn's ties."""
    X, schema = codes(data, data.X), data.schema(dn.Identity)
    found: dict[str, list[float]] = {}
    for repeat in range(repeats):
        folds = StratifiedKFold(10, shuffle=True, random_state=repeat)
        for name, model, rows in (
            ("scikit-learn", DecisionTreeClassifier(random_state=repeat), X),
            ("unpruned", dn.ReconstructionTree(schema, pruning=None), data.X),
            ("MDL", dn.ReconstructionTree(schema), data.X),
            ("naive Bayes", dn.ReconstructionNaiveBayes(schema), data.X),
        ):
            found.setdefault(name, []).append(cross_val_score(model, rows, data.y, cv=folds).mean())
    mean = {name: np.mean(values) for name, values in found.items()}
    gaps = []
    for name in ("unpruned", "MDL"):
        off = 100 * (np.array(found[name]) - np.array(found["scikit-learn"]))
        gaps.append(f"{off.mean():>+9.2f} ± {off.std() / np.sqrt(repeats):.2f}")
    print(
        f"{data.name:<10}" + "".join(f"{value:>14.4f}" for value in mean.values()) + "".join(gaps) + f"{data.imputed:>10}",
        flush=True,
    )


def speed(data: DataSet, rounds: int) -> None:
    """Median seconds of training on the same distorted rows, and the ratio to scikit-learn's."""
    schema = data.schema(lambda domain: dn.Retention(domain, RETENTION))
    distorted = schema.randomise(data.X, np.random.default_rng(1))
    X = codes(data, distorted)
    contestants: dict[str, Any] = {"scikit-learn": lambda: DecisionTreeClassifier(random_state=0).fit(X, data.y)}
    for kind in ("by_class", "local"):
        contestants[kind] = lambda kind=kind: dn.ReconstructionTree(schema, reconstruction=kind).fit(distorted, data.y)
    contestants["naive Bayes"] = lambda: dn.ReconstructionNaiveBayes(schema).fit(distorted, data.y)
    spent = interleaved(contestants, rounds)
    own = spent["scikit-learn"]
    print(
        f"{data.name:<10}{len(data.X):>7,} x {data.X.shape[1]:<4}"
        + "".join(f"{1000 * seconds:>11.1f} ({seconds / own:>5.1f}x)" for seconds in spent.values()),
        flush=True,
    )


def model_based(repeats: int) -> None:
    """How far scores of the latent class model are off, where unbiased ones would vary too much: 12 hidden attributes."""
    print(
        f"\nScores by a latent class model, 12 yes/no attributes kept with 0.65, 3,000 rows, {repeats} repeats: score minus true accuracy"
    )
    for dependent in (False, True):
        for make in (dn.ReconstructionNaiveBayes, dn.ReconstructionTree):
            off = []
            for seed in range(repeats):
                rng = np.random.default_rng(seed)
                truth, y = _twelve(3_000, dependent, rng)
                schema = dn.Schema({name: dn.KRR(dn.Binary(), 0.65) for name in truth})
                model = make(schema).fit(schema.randomise(truth, rng), y)
                fresh, labels = _twelve(20_000, dependent, rng)
                test, known = _twelve(3_000, dependent, rng)
                off.append(
                    model.score_distorted(schema.randomise(test, rng), known, method="model").value[0]
                    - model.score(fresh, labels)
                )
            kind = "attributes in three copies" if dependent else "attributes independent given the class"
            print(
                f"  {make.__name__:<26}{kind:<40} bias {np.mean(off):+.4f} ± {np.std(off) / np.sqrt(repeats):.4f}", flush=True
            )


def _twelve(n: int, dependent: bool, rng: np.random.Generator) -> tuple[pd.DataFrame, Any]:
    y = rng.integers(0, 2, n)
    own = [(rng.random(n) < 0.35 + 0.3 * y).astype(int) for _ in range(4 if dependent else 12)]
    return pd.DataFrame({f"x{i}": own[i % len(own)] for i in range(12)}), y


def tuning(repeats: int, first: int) -> None:
    """Does a search on distorted rows alone pick what is best on true rows? With the scorer, and with plain score."""
    schema = dn.Schema({"strong": dn.KRR(dn.Binary(), 0.3), "weak": dn.Identity(dn.Binary())})
    grid = {"reconstruction": ["local", "by_class", None], "max_depth": [1, 2]}
    agreed = {"distorted_scorer": 0, "plain score": 0}
    for seed in range(first, first + repeats):
        rng = np.random.default_rng([seed, 3])
        truth, y = _two(3_000, rng)
        Z = schema.randomise(truth, rng)
        fresh, labels = _two(20_000, rng)
        candidates = [{"reconstruction": r, "max_depth": d} for r in grid["reconstruction"] for d in grid["max_depth"]]
        scores = [dn.ReconstructionTree(schema, **c).fit(Z, y).score(fresh, labels) for c in candidates]
        for name, scoring in (("distorted_scorer", dn.distorted_scorer("accuracy")), ("plain score", None)):
            search = GridSearchCV(dn.ReconstructionTree(schema), grid, scoring=scoring, cv=3).fit(Z, y)
            agreed[name] += scores[candidates.index(search.best_params_)] >= max(scores) - 0.005
    print(
        f"\nTuning a tree on distorted rows alone (3 folds, 6 settings), {repeats} repeats: picks a setting within 0.005 of the best on "
        f"true rows {agreed['distorted_scorer']} times with distorted_scorer, {agreed['plain score']} times with plain score"
    )


def _two(n: int, rng: np.random.Generator) -> tuple[pd.DataFrame, Any]:
    y = rng.integers(0, 2, n)
    strong, weak = (np.where(rng.random(n) < share, y, 1 - y) for share in (0.9, 0.65))
    return pd.DataFrame({"strong": strong, "weak": weak}), y


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.classify", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the data sets")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument(
        "--tuning", action="store_true", help="only whether a search picks the best setting, which needs no data sets"
    )
    parser.add_argument("--seed", type=int, default=0, help="the first seed of the searches; each has its own")
    asked = parser.parse_args()
    if asked.tuning:
        tuning(4 if asked.quick else 20, asked.seed)
        return
    if asked.data is None:
        parser.error("give --data, the folder of the data sets, or --tuning, which needs none")
    found = [load(asked.data, name) for name in SETS]
    repeats = 2 if asked.quick else 20
    print(
        f"Undistorted rows, {repeats} x 10 folds: accuracy; points by which the tree, unpruned and with MDL, is above scikit-learn's; "
        "imputed cells"
    )
    print(
        f"{'set':<10}{'scikit-learn':>14}{'unpruned':>14}{'MDL':>14}{'naive Bayes':>14}{'unpruned':>16}{'MDL':>16}{'imputed':>10}"
    )
    for data in found:
        accuracy(data, repeats)
    print(
        f"\nTraining on rows distorted by retention {RETENTION}: median milliseconds (and times scikit-learn's tree on the same rows)"
    )
    print(f"{'set':<10}{'rows':>14}{'scikit-learn':>19}{'tree by class':>19}{'tree local':>19}{'naive Bayes':>19}")
    for data in found:
        speed(data, 3 if asked.quick else 7)
    model_based(3 if asked.quick else 20)
    tuning(4 if asked.quick else 20, asked.seed)


if __name__ == "__main__":
    main()
