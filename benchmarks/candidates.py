"""How many of a list of candidates meet the condition, as said and in truth.

`python -m benchmarks.candidates [--runs 500] [--only NAME] [--seed 1]`: about 10 minutes on one core. Surveys are simulated as counts of
joint truths and joint reports, which is all that ranking and counting look at; of equal rows those listed are drawn.
"""

from __future__ import annotations

import argparse
import time
from types import SimpleNamespace
from typing import Any

import numpy as np

import deniable as dn
from deniable.reconstruction.em import em
from deniable.statistics.condition_parser import parse
from deniable.statistics.hits import ListedHits, inclusion
from deniable.statistics.joint import NOISE_BINS, JointTruth

LABELS = dn.Nominal(list("abcde"))


def town(rows: int, size: int) -> tuple[Any, ...]:
    """Sex and age of a town's people, of whom young women are looked for."""
    people = dn.datasets.town(200_000, np.random.default_rng(99))
    return people, dn.datasets.town_schema(), "sex == 'F' and age <= 35", rows, size


def _frame(make: Any) -> Any:
    import pandas as pd

    return pd.DataFrame(make(np.random.default_rng(99), 200_000))


def answers(keep: float, rows: int, size: int) -> tuple[Any, ...]:
    """Three yes/no questions that one trait moves; all three yes is looked for."""

    def make(rng: Any, n: int) -> dict[str, Any]:
        trait = rng.random(n) < 0.4
        return {name: (rng.random(n) < np.where(trait, 0.7, 0.15)).astype(int) for name in "abc"}

    schema = dn.Schema({name: dn.KRR(dn.Binary(), keep) for name in "abc"})
    return _frame(make), schema, "a == 1 and b == 1 and c == 1", rows, size


def labels(keep: float, rows: int, size: int) -> tuple[Any, ...]:
    """Two questions of five labels each."""

    def make(rng: Any, n: int) -> dict[str, Any]:
        x = rng.choice(5, n, p=[0.3, 0.25, 0.2, 0.15, 0.1])
        y = np.where(rng.random(n) < 0.5, x, rng.choice(5, n))
        return {"x": np.array(list("abcde"))[x], "y": np.array(list("abcde"))[y]}

    schema = dn.Schema({name: dn.KRR(LABELS, keep) for name in "xy"})
    return _frame(make), schema, "x == 'a' and y != 'e'", rows, size


def ages(keep: float, rows: int, size: int) -> tuple[Any, ...]:
    """Ages that are kept or replaced; the young are looked for."""

    def make(rng: Any, n: int) -> dict[str, Any]:
        return {"x": np.clip(np.round(rng.normal(47, 13, n)), 18, 90).astype(int)}

    return _frame(make), dn.Schema({"x": dn.Retention(dn.Integer(18, 90), keep)}), "x < 30", rows, size


DESIGNS: dict[str, tuple[Any, ...]] = {
    "town, 500 of 6,000": (town, 6_000, 500),
    "town, 60 of 1,500": (town, 1_500, 60),
    "town, 20 of 2,000": (town, 2_000, 20),
    "three answers, 50 of 1,000": (answers, 0.8, 1_000, 50),
    "five labels, 100 of 2,000": (labels, 0.6, 2_000, 100),
    "ages, 200 of 2,000": (ages, 0.5, 2_000, 200),
}


def world(people: Any, schema: Any, text: str) -> tuple[JointTruth, Any, Any]:
    """The joint truth, the condition, and the true shares of its atoms."""
    condition = parse(text)
    truth = JointTruth(schema, [condition], dict.fromkeys(condition.attributes(), NOISE_BINS))
    codes = np.zeros(len(people), np.int64)
    for name, cells in truth.true.items():
        codes = codes * len(cells) + cells.of_code[schema[name].domain.encode(people[name].to_numpy(), name)]
    return truth, condition, np.bincount(codes, minlength=truth.law.inputs) / len(people)


def simulated(design: tuple[Any, ...], runs: int, seed: int = 1) -> Any:
    """Rows of (sum of probabilities, expected, lower and upper end, truth), one for each simulated survey."""
    make, *settings = design
    people, schema, text, rows, size = make(*settings)
    truth, condition, shares = world(people, schema, text)
    inside = truth.cells_that_meet(condition).astype(np.int64)
    rng, found = np.random.default_rng(seed), []
    for _ in range(runs):
        drawn = rng.multinomial(rows, shares)
        met = truth.law.draw(drawn * inside, rng)
        counts = met + truth.law.draw(drawn * (1 - inside), rng)
        fitted: Any = SimpleNamespace(
            truth=truth, truths=[truth], counts=[counts], shares=em(truth.law, counts.astype(float), 1e-7, 20_000).shares,
            fit=lambda some, start: em(truth.law, some, 1e-6, 20_000, start).shares,
        )  # fmt: skip
        probability = np.nan_to_num(truth.posterior(fitted.shares, condition))
        share = inclusion(probability, counts, size)
        whole, some = share == 1, (share > 0) & (share < 1)
        true = int(met[whole].sum())
        if some.any():
            left = size - int(counts[whole].sum())
            true += int(rng.hypergeometric(met[some].sum(), (counts - met)[some].sum(), left))
        hits = ListedHits(fitted, condition).of(size)
        reach = 1.96 * hits.se
        ends = max(hits.expected - reach, 0), min(hits.expected + reach, size)
        found.append((float(counts @ (share * probability)), hits.expected, *ends, true))
    return np.array(found)


def summary(found: Any) -> dict[str, float]:
    """Ratios of what is said to the truth, with their simulation error, how often the band holds the truth, and its mean length."""
    said, expected, low, high, true = found.T
    error = (expected - true).std() / len(true) ** 0.5 / true.mean()
    return {
        "true": true.mean(), "sum of probabilities / true": said.mean() / true.mean(), "expected / true": expected.mean() / true.mean(),
        "simulation error": error, "covered": ((low <= true) & (true <= high)).mean(), "length": (high - low).mean(),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for name, design in DESIGNS.items():
        if given.only in name:
            began = time.perf_counter()
            told = summary(simulated(design, given.runs, given.seed))
            print(
                f"{name}: " + ", ".join(f"{key} {value:.4g}" for key, value in told.items()),
                f"({time.perf_counter() - began:.0f} s)",
                flush=True,
            )


if __name__ == "__main__":
    main()
