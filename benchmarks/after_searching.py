"""Of the intervals of what a search has found, how many miss? Itemsets and rules, plain intervals and those after searching.

`python -m benchmarks.after_searching [--runs 500] [--only NAME] [--rows 1000] [--seed 7]`: under 20 minutes on one core. Truths are
mixtures of three kinds of people among whom answers are independent, so that every support, confidence, lift and leverage is known
exactly. "missed" is the mean over runs of V / max(R, 1), V of R reported intervals missing; "near" is the share covered of supports
within 10% of the minimum, "width" the median of all widths. Plain intervals are those of `interval="named beforehand"`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import deniable as dn

KINDS = np.array([0.5, 0.3, 0.2])
MEASURES = ("support", "confidence", "lift", "leverage")
LABELS = list("abcde")


@dataclass
class Design:
    """How answers are drawn and hidden, and P(item | kind of people) by the names that items have."""

    schema: dn.Schema
    draw: Callable[[Any, Any], pd.DataFrame]
    given: dict[Any, Any]
    min_support: float
    bins: dict[str, Any] | None = None

    def support(self, items: Any) -> float:
        """The true support of an itemset."""
        return float(KINDS @ np.prod([self.given[item] for item in items], axis=0))


def _yes_no(channels: dict[str, Any], min_support: float, groups: Any = None) -> Design:
    """Answers of which half are near the minimum support, and half are frequent and depend on each other."""
    rng = np.random.default_rng(5)
    given = {}
    for place, name in enumerate(channels):
        around = rng.uniform(0.5, 1.5, 3) if place % 2 else np.array([1.8, 0.5, 0.1]) * rng.uniform(0.8, 1.2, 3)
        share = min_support * rng.uniform(0.9, 1.1) if place % 2 else rng.uniform(0.25, 0.5)
        given[name] = np.clip(around * share / (KINDS @ around), 0.0, 0.98)

    def draw(rng: Any, kinds: Any) -> pd.DataFrame:
        return pd.DataFrame({name: (rng.random(len(kinds)) < shares[kinds]).astype(int) for name, shares in given.items()})

    return Design(dn.Schema(channels, groups=groups), draw, given, min_support)


def baskets(keep: float) -> Design:
    """Twelve yes/no items, each kept with this probability and else turned."""
    return _yes_no({f"i{k}": dn.Flip(keep, keep) for k in range(12)}, 0.1)


def crowd(keep: float) -> Design:
    """Thirty yes/no items below the minimum and two frequent ones: much of what is found is there by chance."""
    rng = np.random.default_rng(8)
    given = {f"i{k}": np.full(3, 0.2 * rng.uniform(0.6, 0.8)) for k in range(30)}
    given |= {f"often{k}": np.array([0.8, 0.4, 0.1]) for k in range(2)}

    def draw(rng: Any, kinds: Any) -> pd.DataFrame:
        return pd.DataFrame({name: (rng.random(len(kinds)) < shares[kinds]).astype(int) for name, shares in given.items()})

    return Design(dn.Schema({name: dn.Flip(keep, keep) for name in given}), draw, given, 0.2)


def replaced(keep: float) -> Design:
    """Ten yes/no items, each kept with this probability and else drawn."""
    return _yes_no({f"i{k}": dn.Retention(dn.Binary(), keep) for k in range(10)}, 0.12)


def one_draw() -> Design:
    """Ten answers, two groups of three of which share a draw."""
    question = dn.UnrelatedQuestion(dn.Binary(), theta=0.7, innocuous=0.5)
    names = [f"i{k}" for k in range(10)]
    channels = {name: question if k < 6 else dn.Flip(0.85, 0.85) for k, name in enumerate(names)}
    return _yes_no(channels, 0.12, groups={"g": names[:3], "h": names[3:6]})


def labels() -> Design:
    """Five attributes of five labels each, by k-ary randomised response."""
    rng = np.random.default_rng(6)
    shares = {f"x{k}": rng.dirichlet([4.0, 3.0, 1.5, 1.0, 1.0], 3) for k in range(5)}

    def draw(rng: Any, kinds: Any) -> pd.DataFrame:
        picked = {}
        for name, table in shares.items():
            picked[name] = np.array(LABELS)[
                (rng.random(len(kinds))[:, None] > np.cumsum(table, axis=1)[kinds][:, :-1]).sum(axis=1)
            ]
        return pd.DataFrame(picked)

    given = {f"{name}={label}": table[:, place] for name, table in shares.items() for place, label in enumerate(LABELS)}
    schema = dn.Schema({name: dn.KRR(dn.Nominal(LABELS), 0.7) for name in shares})
    return Design(schema, draw, given, 0.1)


def noise() -> Design:
    """A number behind noise, in three bins, and six yes/no answers."""
    design = _yes_no({f"i{k}": dn.Flip(0.85, 0.85) for k in range(6)}, 0.15)
    values = np.arange(101)
    shape = np.exp(-((values - np.array([[30], [50], [65]])) ** 2) / (2 * 18.0**2))
    shape /= shape.sum(axis=1, keepdims=True)
    others, edges = design.draw, [0, 40, 60, 100]

    def draw(rng: Any, kinds: Any) -> pd.DataFrame:
        numbers = np.array([rng.choice(values, p=shape[kind]) for kind in kinds])
        return pd.DataFrame({"x": numbers}).join(others(rng, kinds))

    channels = {"x": dn.Additive(dn.Integer(0, 100), dn.Normal(8)), **design.schema}
    inside = {"x=[0, 40)": values < 40, "x=[40, 60)": (values >= 40) & (values < 60), "x=[60, 100]": values >= 60}
    given = design.given | {name: shape @ of_bin for name, of_bin in inside.items()}
    return Design(dn.Schema(channels), draw, given, 0.15, {"x": edges})


DESIGNS: dict[str, Callable[[], Design]] = {
    "crowd kept .8": lambda: crowd(0.8), "baskets kept .8": lambda: baskets(0.8), "baskets replaced .5": lambda: replaced(0.5),
    "five labels": labels, "one draw": one_draw, "noise in bins": noise,
}  # fmt: skip


def intervals(design: Design, reports: pd.DataFrame, kind: str, min_confidence: float = 0.4) -> dict[str, Any]:
    """Lower ends, upper ends and truths of what a search finds, by measure."""
    found = dn.frequent_itemsets(reports, design.schema, design.min_support, max_len=3, bins=design.bins, interval=kind)
    data = dn.Transactions(reports, design.schema, design.bins) if not found.attrs["weights"] else None
    rules = dn.association_rules(found, min_threshold=min_confidence, data=data, interval=kind)
    sides = rules["antecedents"], rules["consequents"]
    columns = [x | y for x, y in zip(*sides, strict=True)], *sides
    both, a, c = (np.array([design.support(items) for items in column]) for column in columns)
    truths = {"support": np.array([design.support(items) for items in found["itemsets"]])}
    with np.errstate(divide="ignore", invalid="ignore"):
        truths |= {"confidence": both / a, "lift": both / (a * c), "leverage": both - a * c}
    frames = {measure: found if measure == "support" else rules for measure in MEASURES}
    return {
        measure: (frame[f"{measure}_low"].to_numpy(), frame[f"{measure}_high"].to_numpy(), truths[measure])
        for measure, frame in frames.items()
    }


def simulated(
    design: Design, runs: int, rows: int = 1_000, seed: int = 7, kinds: Any = ("named beforehand", "after searching")
) -> Any:
    """For each kind of interval and measure: shares missed by run, whether supports near the minimum are covered, and widths."""
    rng = np.random.default_rng(seed)
    told: Any = {kind: {measure: ([], [], []) for measure in MEASURES} for kind in kinds}
    for _ in range(runs):
        people = design.draw(rng, rng.choice(3, rows, p=KINDS))
        reports = design.schema.randomise(people, rng)
        for kind in kinds:
            for measure, (low, high, truth) in intervals(design, reports, kind).items():
                inside = (low <= truth + 1e-12) & (truth <= high + 1e-12)
                near = np.abs(truth - design.min_support) <= 0.1 * design.min_support
                missed, covered, widths = told[kind][measure]
                missed.append((~inside).sum() / max(len(inside), 1))
                covered.extend(inside[near] if measure == "support" else [])
                widths.extend(high - low)
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--only", default="", help="designs whose names hold this")
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    for name, make in DESIGNS.items():
        if asked.only not in name:
            continue
        began = time.perf_counter()
        told = simulated(make(), asked.runs, asked.rows, asked.seed)
        for measure in MEASURES:
            line = []
            for kind, measures in told.items():
                missed, covered, widths = (np.array(column, float) for column in measures[measure])
                near = f", near {covered.mean():.3f} of {len(covered)}" if len(covered) else ""
                error = missed.std() / len(missed) ** 0.5
                line.append(
                    f"{kind}: missed {missed.mean():.4f} +- {error:.4f}{near}, width {np.median(widths):.4f} of {len(widths)}"
                )
            print(f"{name}, {measure}: " + "; ".join(line), flush=True)
        print(f"{name}: {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
