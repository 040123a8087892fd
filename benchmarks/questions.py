"""The questions of the consultations paper on a made-up town: estimate, interval, truth, and how often intervals hold it.

    python -m benchmarks.questions [--runs 200] [--rows 20000]

Every run randomises the same people anew with the operating system's randomness; no seed is picked. Then the same for conditions on
noise (declared bins, labelled biased) and for the published iterative method, whose bias shows.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import deniable as dn

Question = tuple[str, Callable[[dn.Sample], dn.Estimate], Callable[[pd.DataFrame], Any]]
QUESTIONS: list[Question] = [
    (
        "females aged at most 30",
        lambda s: s.count("sex == 'F' and age <= 30"),
        lambda d: [((d.sex == "F") & (d.age <= 30)).sum()],
    ),
    (
        "mean salary of those with children aged at least 30",
        lambda s: s.mean("salary", "children == 'yes' and age >= 30", target="respondents"),
        lambda d: [d.salary[(d.children == "yes") & (d.age >= 30)].mean()],
    ),
    (
        "credit status of women",
        lambda s: s.distribution("credit", "sex == 'F'", target="respondents"),
        lambda d: d.credit[d.sex == "F"].value_counts(normalize=True)[["none", "overdue", "present", "repaid"]],
    ),
]


def bias(
    label: str, people: pd.DataFrame, schema: dn.Schema, truth: float, repeats: int, ask: Callable[[dn.Sample], dn.Estimate]
) -> None:
    """Print how far an answer is off on average, how much it varies, and how often its interval, if it has one, holds the truth."""
    found = [ask(dn.Sample(schema.randomise(people), schema)) for _ in range(repeats)]
    values = np.array([estimate.value[0] for estimate in found])
    held = [bool(low[0] <= truth <= high[0]) for low, high in (e.interval() for e in found if e.has_interval)]
    print(
        f"  {label:<46} mean {values.mean():>8.1f} +- {values.std() / np.sqrt(repeats):<6.1f} truth {truth:.0f}   "
        f"bias {values.mean() - truth:+.1f}   varies by {values.std():.1f}"
        + (f"   intervals that hold it {np.mean(held):.0%}" if held else "   no interval: biased")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--rows", type=int, default=20_000)
    options = parser.parse_args()
    people = dn.datasets.town(options.rows)
    schema = dn.datasets.town_schema()
    for name, ask, truth in QUESTIONS:
        true = np.asarray(truth(people), dtype=float)
        held = np.zeros(len(true))
        for _ in range(options.runs):
            estimate = ask(dn.Sample(schema.randomise(people), schema))
            low, high = estimate.interval()
            held += (low <= true) & (true <= high)
        print(f"\n{name} (last of {options.runs} randomisations)")
        for i, label in enumerate(estimate.labels):
            print(
                f"  {label!s:<10} estimate {estimate.value[i]:>10.4g}   95% interval {low[i]:>9.4g} to {high[i]:<9.4g} "
                f"truth {true[i]:>9.4g}   intervals that hold it: {held[i] / options.runs:.1%}"
            )
    noisy = dn.Schema({**schema, "age": dn.Additive(dn.Integer(18, 90), dn.Uniform(10))})
    repeats = max(10, options.runs // 4)
    true_count = float(QUESTIONS[0][2](people)[0])
    print(f"\nBias over {repeats} randomisations, females aged at most 30:")
    for label, used, method in (
        ("joint (unbiased)", schema, "joint"),
        ("em, likelihood on the joint table", schema, "em"),
        ("iterative, as published (biased)", schema, "iterative"),
        ("age under noise +-10, likelihood over bins", noisy, "joint"),
        ("age under noise +-10, iterative as published", noisy, "iterative"),
    ):
        bias(label, people, used, true_count, repeats, lambda s, m=method: s.count("sex == 'F' and age <= 30", method=m))
    true_mean = float(QUESTIONS[1][2](people)[0])
    group = "children == 'yes' and age >= 30"
    print(f"\nBias over {repeats} randomisations, mean salary of those with children aged at least 30:")
    for label, used, method in (
        ("joint (unbiased)", schema, "joint"),
        ("iterative, as published (biased)", schema, "iterative"),
        ("age under noise +-10, joint (unbiased)", noisy, "joint"),
        ("age under noise +-10, em over bins (biased)", noisy, "em"),
        ("age under noise +-10, iterative as published", noisy, "iterative"),
    ):
        bias(label, people, used, true_mean, repeats, lambda s, m=method: s.mean("salary", group, "respondents", m))
    held = 0
    bands = max(10, options.runs // 10)
    for _ in range(bands):
        low, high = dn.Sample(noisy.randomise(people), noisy).count("sex == 'F' and age <= 30").band(draws=40)
        held += int(low[0] <= true_count <= high[0])
    print(f"  under noise there is no interval; the 95% variability band held the truth in {held} of {bands} randomisations")
    met = ((people.sex == "F") & (people.age <= 30)).to_numpy()
    ours, theirs = [], []
    for _ in range(max(10, options.runs // 10)):
        sample = dn.Sample(schema.randomise(people), schema)
        ours.append(met[sample.candidates("sex == 'F' and age <= 30", 500).rows].mean())
        theirs.append(met[sample.candidates("sex == 'F' and age <= 30", 500, method="iterative").rows].mean())
    print(
        f"\n500 candidates: {np.mean(ours):.1%} meet the condition, of the paper's list {np.mean(theirs):.1%} (of all {met.mean():.1%})"
    )


if __name__ == "__main__":
    main()
