"""How far is the model of the rows wrong on which scores of distorted rows lean? What it may be wrong by was chosen with this.

python -m benchmarks.score_model [--data DIR] [--random N] [--seed S]

Random populations, and sets that `benchmarks.scores` does not judge. The model is fitted to distorted test rows and compared with fresh
true ones (of a set the test rows): of trees the terms of single pairs, the pairs of each tree (root mean square), and all terms of two,
three and four attributes, in standard deviations of the terms; of naive Bayes the accuracy if means and variances of margins were known,
how much larger variances are than the model's, as logarithms, and of classes whose margins vary clearly less the recall, whether all people
are moved nearer to the middle or the farthest are absent. Pairs count by the squares of their standard deviations, and those that lead
are shown apart. 16 of each kind with the data take about 5 minutes.
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
from deniable.classify.margin_worlds import LEAST_STRETCH, MOST_STRETCH, MarginsOfModel, Shapes, inverses
from deniable.classify.worlds import Worlds

ORDERS = (2, 3, 4)
SMALLEST = 0.03
"""Terms that vary less decide nothing."""
LESS = 0.9
"""Variances below so much of the model's are clearly smaller."""
LEADING = 0.4
"""A pair leads that has more than this part of what all pairs of a tree's class vary by."""


class KnownMargins(MarginsOfModel):
    """Margins whose means and variances are those of the rows themselves."""

    def _moments(self, y: int) -> tuple[Any, Any]:
        told = self._told(y)
        return told.means, np.clip(told.stretch, LEAST_STRETCH, MOST_STRETCH)


def compared(source: Source, attributes: dict[str, Any], way: str, rng: np.random.Generator) -> dict[str, Any]:
    """Truth less model: what of it there is to compare; a pair has its weight beside it."""
    schema = dn.Schema({name: WAYS[way](domain) for name, domain in attributes.items()})
    train, y, test, labels, fresh, known = source(rng)
    Z, reported = schema.randomise(train, rng), schema.randomise(test, rng)
    found: dict[str, Any] = {}
    for make, of in ((dn.ReconstructionTree, _terms), (dn.ReconstructionNaiveBayes, _margins)):
        model = make(schema).fit(Z, y)
        codes, classes = model._reported_rows(reported, labels)
        latent = fit_latent_classes(codes, classes, [f.matrix for f in model.features_], model.target_.matrix)
        seen = np.isin(known, np.unique(labels))
        truth = one_hot(np.searchsorted(model.classes_, known[seen]), len(model.classes_))
        worlds = Worlds(truth, 0, np.random.default_rng(0))
        found |= of(model, model._codes(fresh, False)[seen], worlds, latent)
    return found


def _terms(model: Any, codes: Any, worlds: Worlds, latent: Any) -> dict[str, Any]:
    leaves = LeafWorlds(model, codes, worlds, latent)
    leaves.inverses = {a: np.eye(model.features_[a].cells) for a in leaves.inverses}
    each = [(worlds.prior[0, y], leaves._terms(y)) for y in range(len(model.classes_)) if worlds.rows(y).size]
    found: dict[str, Any] = {}
    for d in range(2, min(leaves.most, max(ORDERS)) + 1):
        size = sum(share * terms.sizes[d] for share, terms in each)
        if size > SMALLEST:
            found[f"terms of {d}"] = sum(share * terms.right[0, d] for share, terms in each) / size
    pairs = [(share, terms.pairs) for share, terms in each if terms.pairs is not None]
    if pairs:
        total = sum(share**2 * (told.gaps[0] ** 2).sum() for share, told in pairs)
        found["each tree"] = float(np.sqrt(total / sum(share**2 * (told.sizes**2).sum() for share, told in pairs)))
    for _, told in pairs:
        off, squares = told.gaps[0] / told.sizes, told.sizes**2
        found.setdefault("pairs", []).extend(zip(off, squares, strict=True))
        leading = squares > LEADING * squares.sum()
        if leading.any():
            found.setdefault("leading", []).extend(zip(off[leading], squares[leading], strict=True))
    return found


def _margins(model: Any, codes: Any, worlds: Worlds, latent: Any) -> dict[str, Any]:
    if inverses(model) is None:
        return {}
    known = KnownMargins(model, codes, worlds, latent, np.arange(len(worlds)))
    known.inverses = [np.eye(feature.cells) for feature in model.features_]
    present = [y for y in range(len(model.classes_)) if worlds.rows(y).size]
    expected = sum(worlds.prior[0, y] * known.outcomes(y, False).predictions[0, y] for y in present)
    right = [model._proba(codes[rows]).argmax(axis=1) == y for y in present if (rows := worlds.rows(y)).size]
    stretch = sum(worlds.prior[0, y] * (known._told(y).nearest @ known._told(y).stretch[0]) for y in present)
    found: dict[str, Any] = {
        "shape": float(np.concatenate(right).mean() - expected),
        "stretch": float(np.log(max(stretch, LEAST_STRETCH))),
    }
    for y, of_class in zip(present, right, strict=True):
        told, (means, stretches) = known._told(y), known._moments(y)
        if told.nearest @ stretches[0] < LESS:
            shapes = Shapes(told.margins, known.factors)
            for shape, name in enumerate(("nearer", "absent")):
                share = known._predicted(means[0] + shapes.apart(stretches[0], shape), y, told.others)[y]
                found.setdefault(name, []).append((of_class.mean() - share, worlds.prior[0, y]))
    return found


def two_normals(values: Any, weights: Any) -> str:
    """The likeliest mixture of two normal distributions, the first around 0, in words."""

    def unlikely(at: Any) -> float:
        share = 1 / (1 + np.exp(-at[0]))
        density = share * norm.pdf(values, 0, np.exp(at[1])) + (1 - share) * norm.pdf(values, at[2], np.exp(at[3]))
        return -float(weights @ np.log(density + 1e-12))

    starts = [[often, np.log(0.05), mean, np.log(0.3)] for often in (0.5, 1.5) for mean in (0, 0.2)]
    tried = (minimize(unlikely, start, method="Nelder-Mead", options={"maxiter": 5_000}) for start in starts)
    best = min(tried, key=lambda result: result.fun).x
    share = 1 / (1 + np.exp(-best[0]))
    return f"{share:.0%} around 0 ± {np.exp(best[1]):.3f}, the others around {best[2]:+.3f} ± {np.exp(best[3]):.3f}"


def main(given: list[str] | None = None) -> None:
    """Measure and print everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.score_model", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the data sets; without it only random populations")
    parser.add_argument("--random", type=int, default=16, metavar="N", help="populations of each of four kinds")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(given)
    every: dict[str, list[Any]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        places = random_sources(asked.data, asked.random, asked.seed)
        for number, way in enumerate(WAYS):
            own: dict[str, list[Any]] = {}
            for place, (source, attributes) in enumerate(places.values()):
                found = compared(source, attributes, way, np.random.default_rng([asked.seed, place, number]))
                for what, value in found.items():
                    own.setdefault(what, []).extend(value if isinstance(value, list) else [(value, 1.0)])
            for what, values in own.items():
                every.setdefault(what, []).extend(values)
            _report(way, own)
        _report("all", every)


def _report(way: str, found: dict[str, list[Any]]) -> None:
    for what, values in sorted(found.items()):
        apart, weights = np.array(values).T
        weights = weights / weights.sum()
        print(
            f"{way:<15}{what:<12}{len(values):>6}  root mean square {np.sqrt(weights @ apart**2):.3f}  mean {weights @ apart:+.3f}"
            f"  beyond 0.3 {weights @ (np.abs(apart) > 0.3):.1%}"
        )
        if what == "each tree":
            lower, upper, most = np.quantile(apart, [1 / 3, 2 / 3, 0.95])
            print(f"{'':<27}a third are below {lower:.3f}, a third above {upper:.3f}, one in twenty above {most:.3f}")
        if what == "pairs":
            print(f"{'':<27}likeliest: {two_normals(apart, weights * len(values))}")


if __name__ == "__main__":
    main()
