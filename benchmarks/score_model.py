"""How far is the model of the rows wrong on which scores of distorted rows lean? What it may be wrong by was chosen by this.

python -m benchmarks.score_model [--data DIR] [--random N] [--seed S]

Random populations, and sets that `benchmarks.scores` does not judge. The model is fitted to distorted test rows and compared with the true
ones: of trees the terms of two, three and four attributes, in standard deviations of the terms; of naive Bayes the accuracy if means and
variances of margins were known, and how much larger variances are than the model's. 16 of each kind with the data take about 4 minutes.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.stats import norm

import deniable as dn
from benchmarks.scores import WAYS, Source, random_sources
from deniable.classify.confusion import one_hot
from deniable.classify.latent_classes import fit_latent_classes
from deniable.classify.leaf_worlds import LeafWorlds
from deniable.classify.margin_worlds import LEAST_STRETCH, MOST_STRETCH, MarginWorlds, inverses
from deniable.classify.worlds import Worlds

ORDERS = (2, 3, 4)
SMALLEST = 0.03
"""Terms that vary less decide nothing."""


class KnownMargins(MarginWorlds):
    """Margins whose means and variances are those of the rows themselves."""

    def _moments(self, y: int) -> tuple[Any, Any]:
        told = self._told(y)
        return told.means, np.clip(told.stretch, LEAST_STRETCH, MOST_STRETCH)


def compared(source: Source, attributes: dict[str, Any], way: str, rng: np.random.Generator) -> dict[str, float]:
    """Truth against model: what of it there is to compare."""
    schema = dn.Schema({name: WAYS[way](domain) for name, domain in attributes.items()})
    train, y, test, labels, _, _ = source(rng)
    Z, reported = schema.randomise(train, rng), schema.randomise(test, rng)
    found: dict[str, float] = {}
    tree, bayes = dn.ReconstructionTree(schema).fit(Z, y), dn.ReconstructionNaiveBayes(schema).fit(Z, y)
    for model in (tree, bayes):
        codes, classes = model._reported_rows(reported, labels)
        latent = fit_latent_classes(codes, classes, [f.matrix for f in model.features_], model.target_.matrix)
        worlds = Worlds(one_hot(classes, len(model.classes_)), 0, np.random.default_rng(0))
        fares = (_terms if model is tree else _margins)(model, model._codes(test, False), worlds, latent)
        found |= fares
    return found


def _terms(model: Any, codes: Any, worlds: Worlds, latent: Any) -> dict[str, float]:
    leaves = LeafWorlds(model, codes, worlds, latent)
    leaves.inverses = {a: np.eye(model.features_[a].cells) for a in leaves.inverses}
    each = [(worlds.prior[0, y], leaves._terms(y)) for y in range(len(model.classes_)) if worlds.rows(y).size]
    found = {}
    for d in range(2, min(leaves.most, max(ORDERS)) + 1):
        size = sum(share * terms.sizes[d] for share, terms in each)
        if size > SMALLEST:
            found[f"terms of {d}"] = sum(share * terms.right[0, d] for share, terms in each) / size
    return found


def _margins(model: Any, codes: Any, worlds: Worlds, latent: Any) -> dict[str, float]:
    if inverses(model) is None:
        return {}
    known = KnownMargins(model, codes, worlds, latent)
    known.inverses = [np.eye(feature.cells) for feature in model.features_]
    present = [y for y in range(len(model.classes_)) if worlds.rows(y).size]
    expected = sum(worlds.prior[0, y] * known.outcomes(y, False).predictions[0, y] for y in present)
    right = [model._proba(codes[rows]).argmax(axis=1) == y for y in present if (rows := worlds.rows(y)).size]
    stretch = sum(worlds.prior[0, y] * (known._told(y).nearest @ known._told(y).stretch[0]) for y in present)
    return {"shape": float(np.concatenate(right).mean() - expected), "stretch": float(stretch)}


def two_normals(values: Any) -> str:
    """The likeliest mixture of two normal distributions, in words."""

    def unlikely(at: Any) -> float:
        share = 1 / (1 + np.exp(-at[0]))
        densities = norm.pdf(values, at[1], np.exp(at[2])), norm.pdf(values, at[3], np.exp(at[4]))
        return -float(np.log(share * densities[0] + (1 - share) * densities[1] + 1e-12).sum())

    starts = [[often, 0, np.log(0.07), mean, np.log(0.25)] for often in (0.5, 1.5) for mean in (0, 0.3)]
    best = min(
        (minimize(unlikely, start, method="Nelder-Mead", options={"maxiter": 5_000}) for start in starts), key=lambda r: r.fun
    )
    share = 1 / (1 + np.exp(-best.x[0]))
    return f"{share:.0%} around {best.x[1]:+.3f} ± {np.exp(best.x[2]):.3f}, the others around {best.x[3]:+.3f} ± {np.exp(best.x[4]):.3f}"


def main(given: list[str] | None = None) -> None:
    """Measure and print everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.score_model", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the data sets; without it only random populations")
    parser.add_argument("--random", type=int, default=16, metavar="N", help="populations of each of four kinds")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(given)
    every: dict[str, list[float]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        places = random_sources(asked.data, asked.random, asked.seed)
        for number, way in enumerate(WAYS):
            own: dict[str, list[float]] = {}
            for place, (source, attributes) in enumerate(places.values()):
                found = compared(source, attributes, way, np.random.default_rng([asked.seed, place, number]))
                for what, value in found.items():
                    own.setdefault(what, []).append(value)
                    every.setdefault(what, []).append(value)
            _report(way, own)
        _report("all", every)
    print(f"terms of 2, {len(every['terms of 2'])} of them, likeliest: {two_normals(np.array(every['terms of 2']))}")


def _report(way: str, found: dict[str, list[float]]) -> None:
    for what, values in sorted(found.items()):
        middle = 1.0 if what == "stretch" else 0.0
        apart = np.array(values) - middle
        print(
            f"{way:<15}{what:<12}{len(values):>5} sets  root mean square {np.sqrt((apart**2).mean()):.3f}  mean {apart.mean():+.3f}  "
            f"from {apart.min():+.3f} to {apart.max():+.3f}"
        )


if __name__ == "__main__":
    main()
