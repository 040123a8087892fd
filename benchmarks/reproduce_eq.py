"""Paper 001: trees on nominal attributes, EQ against EM/AS. Figures 4 and 5 (accuracy over p) and Table 1 (time of training).

Every attribute keeps its value with p, else takes one of the others, equally likely; the class is open. Missing cells are imputed with
the mode. 10-fold cross-validation, test rows true. The published curves are pictures without numbers; what they show (EQ at least as
good, led24 an inverted bell with its foot at p = 0.5, where yes/no answers say nothing) can be read off ours. "random" guesses.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pandas as pd

import deniable as dn
from benchmarks.uci import DataSet, load

FIGURES = {"kr-vs-kp": "4", "led24": "5"}
TABLE = {"kr-vs-kp": "Kr-vs-kp", "dna": "Dna", "led24": "Led24", "soybean-large": "Soybean-large"}
ALGORITHMS = {"EQ": "eq", "EM/AS": "em/as"}
TYPES = {"local": "local", "byclass": "by_class", "global": "global"}


def schema_for(data: DataSet, p: float) -> dn.Schema:
    """KRR with p on every attribute; p = 1 leaves it open."""
    return data.schema(lambda domain: dn.Identity(domain) if p == 1 else dn.KRR(domain, p))


def curves(data: DataSet, retentions: list[float], repeats: int, folds: int) -> pd.DataFrame:
    """Accuracy over p: a row a p, a column an algorithm and type."""
    rows = []
    for p in retentions:
        row: dict[str, float] = {"p": p}
        for label, nominal in ALGORITHMS.items():
            for kind in ("local", "by_class"):
                tree = dn.ReconstructionTree(nominal=nominal, reconstruction=kind)
                scores = dn.distort_and_cross_validate(
                    tree, data.X, data.y, schema_for(data, p), cv=folds, repeats=repeats, random_state=1, metrics=["accuracy"]
                )
                row[f"{label} {kind}"] = scores.mean()["accuracy"]
        none = dn.ReconstructionTree(reconstruction=None)
        row["no reconstruction"] = dn.distort_and_cross_validate(
            none, data.X, data.y, schema_for(data, p), cv=folds, repeats=repeats, random_state=1, metrics=["accuracy"]
        ).mean()["accuracy"]
        bayes = dn.ReconstructionNaiveBayes()
        row["naive Bayes"] = dn.distort_and_cross_validate(
            bayes, data.X, data.y, schema_for(data, p), cv=folds, repeats=repeats, random_state=1, metrics=["accuracy"]
        ).mean()["accuracy"]
        rows.append(row)
    return pd.DataFrame(rows).set_index("p")


def seconds(data: DataSet, nominal: str, kind: str, retentions: list[float]) -> float:
    """Mean time of training on all rows over several p."""
    spent = []
    for p in retentions:
        schema = schema_for(data, p)
        distorted = schema.randomise(data.X, np.random.default_rng(1))
        tree = dn.ReconstructionTree(schema, nominal=nominal, reconstruction=kind)
        tree.fit(distorted, data.y)
        began = time.perf_counter()
        tree.fit(distorted, data.y)
        spent.append(time.perf_counter() - began)
    return float(np.mean(spent))


def run(data: Path, published: Path, quick: bool) -> None:
    """Print the curves and the times; `quick`: 5 values of p, one distortion, 3 folds."""
    retentions = [0.2, 0.4, 0.5, 0.6, 0.8] if quick else [0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9, 1.0]
    repeats, folds = (1, 3) if quick else (2, 10)
    began = time.perf_counter()
    for name, figure in FIGURES.items():
        found = load(data, name)
        shares = found.y.value_counts(normalize=True)
        print(f"\nFigure {figure}, {name}: {len(found.y):,} rows, {found.imputed} cells imputed, {repeats} distortion(s) x {folds} folds; "
              f"random {1 / len(shares):.3f}, constant classifier {shares.max():.3f}")  # fmt: skip
        table = curves(found, retentions, repeats, folds)
        print(table.round(4).to_string(), flush=True)
        if name == "led24":
            best = table.drop(columns=["no reconstruction", "naive Bayes"])
            foot = best.loc[0.5].max()
            print(
                f"inverted bell: at most {foot:.3f} at p = 0.5, at least {min(best.iloc[0].max(), best.iloc[-1].max()):.3f} at both ends"
            )
    times = pd.read_csv(published / "eq_time.csv")
    print(f"\nTable 1, seconds of training on all rows, mean over p = {', '.join(map(str, retentions[:: 1 if quick else 2]))}")
    print(f"{'set':<15}{'algorithm':<10}{'type':<9}{'ours':>9}{'published':>11}   (published: C++, dual core 2.2 GHz, 2008)")
    for name, label in TABLE.items():
        found = load(data, name)
        for algorithm, nominal in ALGORITHMS.items():
            for kind, own in TYPES.items():
                match = times[
                    (times["dataset"] == label) & (times["algorithm"] == algorithm) & (times["reconstruction"] == kind)
                ]
                spent = seconds(found, nominal, own, retentions[:: 1 if quick else 2])
                print(f"{name:<15}{algorithm:<10}{kind:<9}{spent:>9.3f}{match['time_s'].iloc[0]:>11.3f}", flush=True)
    print(f"\n{time.perf_counter() - began:,.0f} s")
