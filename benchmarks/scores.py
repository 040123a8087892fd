"""Do bands of scores from distorted rows hold the accuracy of the fitted classifier on true rows, and how wide are they?

python -m benchmarks.scores [--data DIR] [--quick] [--seed S] [--minutes M] [--distortions N] [--resume FILE] [--only SET] [--random N]
                             [--rules] [--hide-class P] [--classifier NAME]

A cell is a data set, a way of hiding and a classifier. In each distortion training and test rows are distorted, the classifier is fitted to
the first, scored on the second, and its true accuracy is that on fresh true rows (made sets: 20,000; UCI sets: the test rows).
Distortions go round all cells, so that time which runs out leaves every cell with about as many. `--resume FILE` keeps what was measured.
`--only SET`, once or more, draws of these sets alone what a run of all sets would. `--random N` takes in place of all these sets N random
populations of each of four kinds, others for every seed, and seven other sets. (What the model of the rows may have wrong was measured on
populations of the same kinds: `benchmarks/score_model.py`.) `--rules` takes nine populations whose classes a rule makes, almost all
without exceptions. `--hide-class P` distorts the class, too, by retention with P.
`--classifier NAME` scores one of the two, on the same draws.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

import deniable as dn
from benchmarks.scores_data import MADE, domains, made
from benchmarks.scores_random import populations
from benchmarks.scores_rules import RULES, endgames
from benchmarks.scores_rules import domains as rule_domains
from benchmarks.scores_rules import made as made_by_rule
from benchmarks.uci import load

WAYS: dict[str, Callable[[Any], Any]] = {
    "retention .5": lambda domain: dn.Retention(domain, 0.5),
    "retention .3": lambda domain: dn.Retention(domain, 0.3),
    "retention .15": lambda domain: dn.Retention(domain, 0.15),
    "krr .6": lambda domain: dn.KRR(domain, 0.6),
}
CLASSIFIERS = {"naive Bayes": dn.ReconstructionNaiveBayes, "tree": dn.ReconstructionTree}
UCI = ("breast-w", "credit-g", "diabetes", "australian", "iris", "wine", "mushroom", "kr-vs-kp", "led24", "nursery", "vote")
OTHERS = ("adult", "crx", "income-esl", "beps", "wvs-poverty", "chile-plebiscite", "dna")
ROWS, FRESH = 1_000, 20_000
"""Training rows, and as many test rows; of a UCI set at most half of it each."""
CLASS = "the class"
LARGE = 500
"""Widths are judged for test sets of so many rows."""
BARS = {"retention .5": 0.08, "retention .3": 0.15}
EACH, MEAN, FAMILY = 0.90, 0.93, 0.01


@dataclass
class Found:
    """One distortion of a cell."""

    value: float
    low: float
    high: float
    truth: float
    rows: int
    refused: bool


Source = Callable[[np.random.Generator], tuple[pd.DataFrame, Any, pd.DataFrame, Any, pd.DataFrame, Any]]


def made_source(population: Callable[[int, np.random.Generator], tuple[pd.DataFrame, Any]]) -> Source:
    """Training, test and fresh rows of a made population."""

    def rows(rng: np.random.Generator) -> Any:
        return (*population(ROWS, rng), *population(ROWS, rng), *population(FRESH, rng))

    return rows


def uci_source(X: pd.DataFrame, y: Any) -> Source:
    """Training and test rows of a UCI set, and the test rows once more as those whose truth is known."""

    def rows(rng: np.random.Generator) -> Any:
        order, half = rng.permutation(len(X)), min(ROWS, len(X) // 2)
        first, second = order[:half], order[half : 2 * half]
        # A class that no training row has cannot be read by a classifier that learned without a declared class.
        second = second[np.isin(y[second], np.unique(y[first]))]
        train, test = (X.iloc[part].reset_index(drop=True) for part in (first, second))
        return train, y[first], test, y[second], test, y[second]

    return rows


def sources(data: Path | None, quick: bool) -> dict[str, tuple[Source, dict[str, Any]]]:
    """Where rows come from, and what their attributes may be."""
    names = list(MADE)[:4] if quick else MADE
    found = {name: (made_source(partial(made, name)), domains(name)) for name in names}
    return found | loaded(data, UCI[:2] if quick else UCI)


def random_sources(data: Path | None, many: int, seed: int) -> dict[str, tuple[Source, dict[str, Any]]]:
    """The same for random populations, and sets that are not judged otherwise."""
    drawn = populations(many, seed)
    return {name: (made_source(rows), attributes) for name, (rows, attributes) in drawn.items()} | loaded(data, OTHERS)


def rule_sources() -> dict[str, tuple[Source, dict[str, Any]]]:
    """The same for populations whose classes a rule makes."""
    boards, won, squares = endgames()
    found = {name: (made_source(partial(made_by_rule, name)), rule_domains(name)) for name in RULES}
    return found | {"endgames": (uci_source(boards, won), squares)}


def loaded(data: Path | None, names: tuple[str, ...]) -> dict[str, tuple[Source, dict[str, Any]]]:
    """The same for sets of UCI; none without a folder."""
    held = {name: load(data, name) for name in names} if data is not None else {}
    return {name: (uci_source(one.X, one.y.to_numpy()), one.domains) for name, one in held.items()}


def distorted(
    source: Source,
    attributes: dict[str, Any],
    way: str,
    rng: np.random.Generator,
    hide_class: float = 1.0,
    classifiers: tuple[str, ...] = tuple(CLASSIFIERS),
) -> Iterator[tuple[str, Found]]:
    """One distortion, scored for each of the classifiers; `hide_class`: the class is kept with this chance."""
    schema = dn.Schema({name: WAYS[way](domain) for name, domain in attributes.items()})
    train, y, test, labels, fresh, known = source(rng)
    Z, distorted_test = schema.randomise(train, rng), schema.randomise(test, rng)
    if hide_class < 1:
        hidden = dn.Retention(dn.Nominal(sorted({*y, *labels, *known})), hide_class)
        schema = dn.Schema({**dict(schema), CLASS: hidden}, target=CLASS)
        of_class = dn.Schema({CLASS: hidden})
        y, labels = (of_class.randomise(pd.DataFrame({CLASS: one}), rng)[CLASS].to_numpy() for one in (y, labels))
    for name in classifiers:
        model = CLASSIFIERS[name](schema).fit(Z, y)
        estimate = model.score_distorted(distorted_test, labels)
        refused = not estimate.has_interval
        low, high = (0.0, 1.0) if refused else (float(end[0]) for end in estimate.interval())
        yield name, Found(float(estimate.value[0]), low, high, float(model.score(fresh, known)), len(labels), refused)


def measured(asked: argparse.Namespace) -> dict[str, list[Found]]:
    """All cells, distortion after distortion, until there are enough of them or time is over."""
    held: dict[str, list[Found]] = {}
    if asked.resume and asked.resume.exists():
        held = {cell: [Found(**one) for one in many] for cell, many in json.loads(asked.resume.read_text()).items()}
    end = time.monotonic() + 60 * asked.minutes
    classifiers = (asked.classifier,) if asked.classifier else tuple(CLASSIFIERS)
    for repeat in range(asked.distortions):
        for place, (name, (source, attributes)) in enumerate(asked.places.items()):
            if asked.only and name not in asked.only:
                continue
            for number, way in enumerate(WAYS):
                if time.monotonic() > end:
                    return held
                missing = tuple(one for one in classifiers if len(held.get(f"{name}|{way}|{one}", [])) <= repeat)
                if not missing:
                    continue
                rng = np.random.default_rng([asked.seed, repeat, place, number])
                for classifier, found in distorted(source, attributes, way, rng, asked.hide_class, missing):
                    held.setdefault(f"{name}|{way}|{classifier}", []).append(found)
        if asked.resume:
            asked.resume.write_text(json.dumps({cell: [vars(one) for one in many] for cell, many in held.items()}))
    return held


def report(held: dict[str, list[Found]], bars: dict[str, float] = BARS) -> bool:
    """Print the table and the verdicts; whether all bars are met. Widths without a bar are printed only."""
    print(
        f"{'set':<18}{'hidden by':<15}{'classifier':<13}{'rows':>6}{'runs':>6}{'covered':>9}{'off':>9}{'half-width':>12}{'refused':>9}"
    )
    covered: dict[str, float] = {}
    halves: dict[str, list[float]] = {}
    for cell, many in held.items():
        name, way, classifier = cell.split("|")
        covered[cell] = float(np.mean([one.low <= one.truth <= one.high for one in many]))
        half = float(np.median([0.5 if one.refused else (one.high - one.low) / 2 for one in many]))
        if many[0].rows >= LARGE:
            halves.setdefault(way, []).append(half)
        off = float(np.mean([one.value - one.truth for one in many]))
        refused = sum(one.refused for one in many)
        print(
            f"{name:<18}{way:<15}{classifier:<13}{many[0].rows:>6}{len(many):>6}{covered[cell]:>9.3f}{off:>+9.3f}{half:>12.3f}{refused:>9}"
        )
    worst = min(covered, key=lambda cell: covered[cell])
    mean = float(np.mean(list(covered.values())))
    # Bars over many cells are judged jointly: a cell that holds it in just 90% would be below in every other run.
    chances = [binom.cdf(round(covered[cell] * len(many)), len(many), EACH) for cell, many in held.items()]
    below, refuted = sum(share < EACH for share in covered.values()), sum(chance < FAMILY / len(chances) for chance in chances)
    verdicts = [
        (
            f"worst cell {worst.replace('|', ', ')}: covered {covered[worst]:.3f} of {len(held[worst])}; {below} cells below {EACH}, "
            f"{refuted} of them by more than chance (all together {FAMILY:.0%})",
            not refuted,
        ),
        (f"mean of {len(covered)} cells: covered {mean:.3f}, at least {MEAN}", mean >= MEAN),
    ]
    for way, each in halves.items():
        median = float(np.median(each))
        words = f"{way}: median half-width {median:.3f} (most {max(each):.3f})"
        if way in bars:
            verdicts.append((f"{words}, at most {bars[way]}", median <= bars[way]))
        else:
            print(f"      {words}")
    for words, passed in verdicts:
        print(f"{'PASS' if passed else 'FAIL'}  {words}")
    return all(passed for _, passed in verdicts)


def main(given: list[str] | None = None) -> bool:
    """Measure and print everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scores", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the data sets; without it only made populations")
    parser.add_argument("--quick", action="store_true", help="fewer sets, few distortions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=80.0, help="stop after so long")
    parser.add_argument("--distortions", type=int, help="of every cell; 200, or 5 with --quick")
    parser.add_argument("--resume", type=Path, help="a file to keep what was measured in")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="random populations instead, N of each kind")
    parser.add_argument("--rules", action="store_true", help="populations whose classes a rule makes instead")
    parser.add_argument("--hide-class", type=float, default=1.0, metavar="P", help="keep the class with this chance only")
    parser.add_argument("--only", action="append", metavar="SET", help="of all sets only this one; may be given more than once")
    parser.add_argument("--classifier", choices=tuple(CLASSIFIERS), help="score this one alone")
    asked = parser.parse_args(given)
    if asked.rules:
        asked.places = rule_sources()
    elif asked.random:
        asked.places = random_sources(asked.data, asked.random, asked.seed)
    else:
        asked.places = sources(asked.data, asked.quick)
    if unknown := set(asked.only or []) - set(asked.places):
        parser.error(f"--only: there is no set {min(unknown)!r}. There are {', '.join(asked.places)}; sets of UCI need --data.")
    if not 0 < asked.hide_class <= 1:
        parser.error(f"--hide-class: {asked.hide_class:g} is no chance above 0 and up to 1, such as 0.8.")
    asked.distortions = asked.distortions or (5 if asked.quick else 200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Bars of widths are for open classes, and for both classifiers together.
        return report(measured(asked), BARS if asked.hide_class == 1 and not asked.classifier else {})


if __name__ == "__main__":
    main()
