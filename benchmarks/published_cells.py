"""Cells of published tables of classifiers: measured distortion by distortion, kept in a file, and judged.

A published mean is of 50 (chapter 7) or 100 runs (chapter 5); its error is our own spread between distortions divided by the root of that.
A cell is reached if ours is not below the published figure by more than two standard errors of the difference. Where a cell has fewer than
five distortions its spread is that of all cells of the same set and method together.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import deniable as dn
from benchmarks.uci import DataSet

SETS = {"Australian": "australian", "Credit-g": "credit-g", "Diabetes": "diabetes", "Breast": "breast-w"}
POSITIVE = {"Australian": "1", "Credit-g": "bad", "Diabetes": "tested_negative", "Breast": "malignant"}
"""The class that published sensitivities are about."""
MEASURES = {
    "accuracy": "accuracy",
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "precision": "precision",
    "f1": "f_measure",
}
ERRORS = 2.0
ENOUGH = 5
"""So many distortions say themselves how far they spread."""
NORMAL = math.sqrt(2 * math.pi * math.e)
"""What 2 to the entropy of a normal law is, per standard deviation."""


def noise(domain: Any, privacy: float, law: str) -> dn.Channel:
    """Additive noise of which 2^entropy is `privacy` times the range (thesis 3.5.5), to whole steps."""
    reach = domain.high - domain.low
    if law == "normal":
        return dn.Additive(domain, dn.Normal(privacy * float(reach) / NORMAL))
    return dn.Additive(domain, dn.Uniform(max(1, round(privacy * float(reach / domain.step) / 2)) * domain.step))


@dataclass(frozen=True)
class Job:
    """One classifier on one set under one distortion; `most`: more distortions than that are not needed."""

    key: str
    dataset: str
    schema: Callable[[DataSet], dn.Schema]
    make: Callable[[], Any]
    most: int = 1_000


@dataclass
class Measured:
    """What was found so far: for each job one row of measures per distortion."""

    folds: int
    found: dict[str, list[dict[str, float]]] = field(default_factory=dict)

    @classmethod
    def kept_in(cls, path: Path | None, folds: int) -> Measured:
        """What a file holds, if it is of as many folds."""
        if path is not None and path.exists():
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["folds"] != folds:
                raise SystemExit(f"{path} holds figures of {content['folds']} folds, not {folds}; name another file.")
            return cls(folds, content["found"])
        return cls(folds)

    def values(self, key: str, measure: str) -> Any:
        """One number per distortion."""
        return np.array([row[measure] for row in self.found.get(key, [])])

    def mean(self, key: str, measure: str) -> float:
        """Their mean."""
        values = self.values(key, measure)
        return float(values.mean()) if len(values) else float("nan")

    def error_of_difference(self, key: str, measure: str, theirs: int) -> float:
        """The standard error of ours minus theirs, a mean of so many runs; unknown before anything was measured twice."""
        values = self.values(key, measure)
        if not len(values):
            return float("nan")
        spread = values.std(ddof=1) if len(values) >= ENOUGH else self._spread_of_its_kind(key, measure)
        return float(spread * math.sqrt(1 / len(values) + 1 / theirs))

    def _spread_of_its_kind(self, key: str, measure: str) -> float:
        """The spread between distortions in all cells of the same set and method together."""
        kind = (key.split()[0], key.split()[-1])
        alike = [self.values(other, measure) for other in self.found if (other.split()[0], other.split()[-1]) == kind]
        several = [values for values in alike if len(values) > 1]
        squares = sum(float(((values - values.mean()) ** 2).sum()) for values in several)
        freedom = sum(len(values) - 1 for values in several)
        return math.sqrt(squares / freedom) if freedom else float("nan")

    def verdict(self, key: str, measure: str, published: float, theirs: int) -> str:
        """above, level, below; "?" if that cannot be told yet."""
        error = self.error_of_difference(key, measure, theirs)
        if not math.isfinite(error):
            return "?"
        gap = self.mean(key, measure) - published
        return "above" if gap > ERRORS * error else "below" if gap < -ERRORS * error else "level"


def measure(
    jobs: list[Job], data: dict[str, DataSet], held: Measured, distortions: int, resume: Path | None, minutes: float
) -> None:
    """Go round all jobs, one distortion at a time, until all have enough or time runs out."""
    end = time.monotonic() + 60 * minutes
    for number in range(distortions):
        for job in jobs:
            rows = held.found.setdefault(job.key, [])
            if len(rows) > number or number >= job.most:
                continue
            if time.monotonic() > end:
                return
            began = time.process_time()
            found = data[job.dataset]
            scores = dn.distort_and_cross_validate(
                job.make(), found.X, found.y, job.schema(found), cv=held.folds, repeats=1, metrics=list(MEASURES),
                pos_label=POSITIVE[job.dataset], random_state=1_000 + number,
            )  # fmt: skip
            rows.append({**scores.mean().to_dict(), "seconds": time.process_time() - began})
            if resume is not None:
                resume.write_text(json.dumps({"folds": held.folds, "found": held.found}), encoding="utf-8")
