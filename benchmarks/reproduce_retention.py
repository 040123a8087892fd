"""Retention replacement of all attributes: tables 6.8, 7.5, A.20 and A.21 of the thesis, cell by cell, beside ours.

10-fold cross-validation, training rows distorted anew in every repeat, test rows true; accuracy and balanced accuracy. The class is
open. Beside them: accuracy without privacy, and of the constant classifier. Missing cells are imputed before (mean, mode).
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import deniable as dn
from benchmarks.uci import DataSet, load

SETS = {
    "iris": "Iris",
    "wine": "Wine",
    "breast-w": "Breast",
    "diabetes": "Diabetes",
    "credit-g": "Credit-g",
    "australian": "Australian",
}
RETENTIONS = (0.5, 0.3, 0.15)
BINS = (5, 10)
MODELS = {
    "naive Bayes": lambda bins: dn.ReconstructionNaiveBayes(bins=bins),
    "tree by class": lambda bins: dn.ReconstructionTree(bins=bins, reconstruction="by_class"),
    "tree local": lambda bins: dn.ReconstructionTree(bins=bins, reconstruction="local"),
}


def published_best(published: Path) -> dict[tuple[str, float, int], tuple[float, str]]:
    """The best published accuracy of each (set, p, bins), and by which method in which table."""
    table = pd.read_csv(published / "classification.csv", dtype=str)
    best: dict[tuple[str, float, int], tuple[float, str]] = {}
    for row in table[table["table"].isin(["6.8", "7.5", "A.20", "A.21"])].itertuples():
        key = (row.dataset, float(row.privacy), int(row.bins))
        found = (float(row.accuracy), f"{row.method}, {row.table}")
        best[key] = max(best.get(key, (0.0, "")), found)
    return best


def without_privacy(data: DataSet, model: Any) -> tuple[float, float]:
    """Accuracy and balanced accuracy of a classifier on true rows."""
    schema = data.schema(dn.Identity)
    folds = StratifiedKFold(10, shuffle=True, random_state=1)
    found = cross_val_predict(model.set_params(schema=schema), data.X, data.y, cv=folds)
    return float((found == data.y).mean()), float(balanced_accuracy_score(data.y, found))


def run(data: Path, published: Path, quick: bool) -> None:
    """Print the table; `quick`: 3 distortions instead of 10, 10 bins only."""
    repeats = 3 if quick else 10
    best = published_best(published)
    rows = []
    began = time.perf_counter()
    print(
        f"{repeats} distortions x 10 folds; ± is the standard error over the distortions; * more than 2 of them below the best published\n"
    )
    print(
        f"{'set':<11}{'p':>5}{'bins':>5}  {'published best':<52}{'classifier':<15}{'accuracy':>16}{'balanced':>17}{'open':>7}{'const.':>8}"
    )
    for name, label in SETS.items():
        found = load(data, name)
        constant = float(found.y.value_counts(normalize=True).max())
        for bins in BINS[1:] if quick else BINS:
            open_scores = {kind: without_privacy(found, make(bins)) for kind, make in MODELS.items()}
            for p in RETENTIONS:
                value, source = best[label, p, bins]
                for kind, make in MODELS.items():
                    schema = found.schema(lambda domain, p=p: dn.Retention(domain, p))
                    scores = dn.distort_and_cross_validate(
                        make(bins), found.X, found.y, schema, repeats=repeats, random_state=1
                    )
                    mean, se = scores.mean(), scores.se()
                    below = mean["accuracy"] < value - 2 * se["accuracy"]
                    rows.append(
                        {
                            "set": name,
                            "p": p,
                            "bins": bins,
                            "kind": kind,
                            "published": value,
                            "accuracy": mean["accuracy"],
                            "se": se["accuracy"],
                            "below": below,
                            "above": mean["accuracy"] > value,
                        }
                    )
                    print(
                        f"{name:<11}{p:>5}{bins:>5}  {value:.4f} {source:<45}{kind:<15}{mean['accuracy']:>8.4f}±{se['accuracy']:.4f}"
                        f"{'*' if below else ' '}{mean['balanced_accuracy']:>9.4f}±{se['balanced_accuracy']:.4f}"
                        f"{open_scores[kind][0]:>8.3f}{constant:>8.3f}",
                        flush=True,
                    )
    table = pd.DataFrame(rows)
    for kind in MODELS:
        own = table[table["kind"] == kind]
        print(
            f"\n{kind}: {int(own['above'].sum())} of {len(own)} cells above the best published, "
            f"{int(own['below'].sum())} below it by more than 2 standard errors"
        )
    both = table.sort_values("accuracy").groupby(["set", "p", "bins"]).tail(1)
    print(
        f"best of ours: {int(both['above'].sum())} of {len(both)} above, {int(both['below'].sum())} below by more than 2 standard errors"
    )
    print(f"{time.perf_counter() - began:,.0f} s, mean {np.mean(table['accuracy']):.4f}")
