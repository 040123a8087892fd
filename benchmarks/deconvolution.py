"""Which way of undoing additive noise loses least? The default against the published methods, on shapes, sizes and noise.

    python -m benchmarks.deconvolution [--runs 40] [--held-out] [--noise uniform|normal] [--quick] [--seed N]

Information loss (half the L1 distance to the respondents' own distribution over bins) of AS and EM with the published stopping rule, of
converged EM, and of the regularised default. Every method sees the same reports. The settings of the default were chosen on the
first set of cells and on random shapes; `--held-out` measures on two more sets, with other shapes, sizes, noise and numbers of bins.
Who loses less in a cell is a question about means, and luck decides it where methods are within some percent of each other: hence
many runs. All processors work; a seed gives the same figures on any number of them.
"""

from __future__ import annotations

import argparse
import itertools
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import deniable as dn
from deniable.reconstruction.em import em
from deniable.reconstruction.loss import information_loss

BINS = 20
SIZES = (500, 2_000, 10_000, 100_000)
PRIVACY = (0.25, 0.5, 1.0, 2.0)
RIVALS = ("AS", "EM stopped", "EM converged")
METHODS = (*RIVALS, "default")
CONVERGED = 1e-6
"""How much log-likelihood per answer EM may be missing when it counts as converged."""

OPTIONS: dict[str, dict[str, Any]] = {"AS": {"method": "as"}, "EM stopped": {"method": "em/as"}, "default": {}}
SETS = ("the comparison", "held out", "fresh")
Sampler = Callable[[int, np.random.Generator], np.ndarray[Any, Any]]


@dataclass(frozen=True)
class Cell:
    """One cell of the comparison: truths of a shape, n of them, behind noise of a kind and width, counted in bins."""

    noise: str
    shape: str
    privacy: float
    n: int
    bins: int


def shapes() -> dict[str, np.ndarray[Any, Any]]:
    """Shares of 20 bins: flat, two hills, a skewed hill, and four spikes on a low floor."""
    x = (np.arange(BINS) + 0.5) / BINS
    spikes = np.full(BINS, 0.01)
    spikes[[3, 9, 10, 15]] = [0.3, 0.2, 0.15, 0.17]
    listed = {
        "uniform": np.ones(BINS),
        "bimodal": np.exp(-0.5 * ((x - 0.25) / 0.08) ** 2) + 0.7 * np.exp(-0.5 * ((x - 0.72) / 0.1) ** 2) + 0.01,
        "skewed": x * np.exp(-8 * x) + 1e-4,
        "spiky": spikes,
    }
    return {name: shape / shape.sum() for name, shape in listed.items()}


def samplers() -> dict[str, Sampler]:
    """Truths of the four shapes, uniform inside their 20 bins."""

    def of(shares: np.ndarray[Any, Any]) -> Sampler:
        return lambda n, rng: (rng.choice(BINS, n, p=shares) + rng.random(n)) / BINS

    return {name: of(shares) for name, shares in shapes().items()}


def between(low: float, high: float) -> Sampler:
    """Uniform truths of a part of the range."""
    return lambda n, rng: rng.uniform(low, high, n)


def inside(sampler: Sampler) -> Sampler:
    """Drawn again until inside the range."""

    def draw(n: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
        drawn = sampler(n, rng)
        while (outside := (drawn < 0) | (drawn > 1)).any():
            drawn[outside] = sampler(int(outside.sum()), rng)
        return drawn

    return draw


def hill(middle: float, width: float) -> Sampler:
    """A normal distribution, cut at the ends of the range."""
    return inside(lambda n, rng: rng.normal(middle, width, n))


def mixed(*parts: tuple[float, Sampler]) -> Sampler:
    """Some of each part."""

    def draw(n: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
        sizes = rng.multinomial(n, [share for share, _ in parts])
        return np.concatenate([part(size, rng) for size, (_, part) in zip(sizes, parts, strict=True)])

    return draw


def held_out_samplers() -> dict[str, Sampler]:
    """Other shapes, to which no setting was fitted; drawn as numbers, so not uniform inside any bin."""
    return {
        "triangular": lambda n, rng: rng.triangular(0, 0.5, 1, n),
        "exponential": lambda n, rng: -np.log(1 - rng.random(n) * (1 - np.exp(-5))) / 5,
        "trapezoid": lambda n, rng: rng.uniform(0, 0.7, n) + rng.uniform(0, 0.3, n),
        "three hills": mixed((0.5, hill(0.2, 0.06)), (0.3, hill(0.55, 0.05)), (0.2, hill(0.85, 0.04))),
        "step": mixed((0.8, between(0, 0.5)), (0.2, between(0.5, 1))),
        "spike on hill": mixed((0.25, between(0.6, 0.65)), (0.75, hill(0.4, 0.18))),
        "beta(.5,.5)": lambda n, rng: rng.beta(0.5, 0.5, n),
        "beta(2,5)": lambda n, rng: rng.beta(2, 5, n),
        "narrow hill": hill(0.5, 0.05),
        "two spikes": mixed((0.4, between(0.15, 0.2)), (0.4, between(0.7, 0.75)), (0.2, between(0, 1))),
        "linear": lambda n, rng: np.sqrt(rng.random(n)),
        "gap": mixed((0.5, between(0, 0.3)), (0.5, between(0.6, 1))),
    }


def fresh_samplers() -> dict[str, Sampler]:
    """Shapes that were not looked at before the method was finished."""
    return {
        "log-normal": inside(lambda n, rng: rng.lognormal(-1.6, 0.6, n)),
        "waves": inside(lambda n, rng: rng.choice([0.125, 0.375, 0.625, 0.875], n) + rng.triangular(-0.125, 0, 0.125, n)),
        "heaped": mixed((0.6, hill(0.45, 0.2)), (0.4, lambda n, rng: np.clip(rng.binomial(10, 0.45, n) / 10, 0, 0.999))),
        "falling hill": mixed((0.6, inside(lambda n, rng: rng.exponential(0.25, n))), (0.4, hill(0.7, 0.12))),
        "plateau": mixed((0.85, between(0.25, 0.8)), (0.15, between(0, 1))),
        "right edge": lambda n, rng: rng.beta(4, 0.9, n),
    }


def cells(title: str, quick: bool = False) -> Iterator[tuple[Cell, Sampler]]:
    """The 128 cells of the comparison, 216 held-out ones, or 108 fresh ones."""
    noises = ("uniform", "normal")
    if title == "the comparison":
        for noise, (shape, sampler), privacy, n in itertools.product(
            noises, samplers().items(), PRIVACY, SIZES[1:3] if quick else SIZES
        ):
            yield Cell(noise, shape, privacy, n, BINS), sampler
        return
    if title == "held out":
        listed, privacies, sizes, bins = held_out_samplers(), (0.35, 0.75, 1.5), (700, 5_000, 30_000), (10, 20, 40)
    else:
        listed, privacies, sizes, bins = fresh_samplers(), (0.3, 0.6, 1.2), (1_000, 8_000, 50_000), (15, 25, 50)
    for (i, (shape, sampler)), (j, noise), (k, privacy), (m, n) in itertools.product(
        enumerate(listed.items()), enumerate(noises), enumerate(privacies), enumerate(sizes[1:2] if quick else sizes)
    ):
        # A Latin square over the number of bins: every width and every size meets every number of bins.
        yield Cell(noise, shape, privacy, n, bins[(i + j + k + m) % 3]), sampler


def channel_for(noise: str, privacy: float) -> dn.Channel:
    """Noise whose width, or whose 95% interval, is `privacy` times the range."""
    made = dn.Uniform(privacy / 2) if noise == "uniform" else dn.Normal(round(privacy / 3.92, 6))
    return dn.Additive(dn.Continuous(0, 1), made)


def losses(cell: Cell, sampler: Sampler, runs: int, rng: np.random.Generator, gap: float = CONVERGED) -> dict[str, float]:
    """Mean information loss of every method over `runs` sets of reports, the same for all of them.

    EM converges until the log-likelihood an answer is within `gap` of the maximum.
    """
    channel = channel_for(cell.noise, cell.privacy)
    law = channel.binned(cell.bins).law
    found: dict[str, list[float]] = {name: [] for name in METHODS}
    for _ in range(runs):
        truth = sampler(cell.n, rng)
        table = dn.counts(channel.randomise(truth, rng), channel, bins=cell.bins)
        original = np.histogram(truth, cell.bins, (0, 1))[0]
        for name, options in OPTIONS.items():
            found[name].append(information_loss(original, dn.reconstruct(table, channel, **options)))
        found["EM converged"].append(information_loss(original, em(law, table.dense().astype(np.float64), gap).shares))
    return {name: float(np.mean(values)) for name, values in found.items()}


def wins(frame: pd.DataFrame) -> dict[str, float]:
    """In which share of the cells the default loses strictly less: than each rival, and than all three at once."""
    less = {rival: frame["default"] < frame[rival] for rival in RIVALS}
    return {
        **{rival: float(won.mean()) for rival, won in less.items()},
        "all three": float(pd.DataFrame(less).all(axis=1).mean()),
        "within 2% of the best": float((frame["default"] < 1.02 * frame[list(RIVALS)].min(axis=1)).mean()),
    }


def measured(title: str, place: int, seed: int, runs: int, gap: float, quick: bool) -> dict[str, Any]:
    """One cell of a set, measured. Its reports are a stream of their own, whatever else is measured, and by whom."""
    cell, sampler = list(cells(title, quick))[place]
    rng = np.random.default_rng([seed, SETS.index(title), place])
    with threadpool_limits(1):
        return {**vars(cell), **losses(cell, sampler, runs, rng, gap)}


def count(text: str) -> int:
    """A whole number from 1 on."""
    if (found := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, got {text}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=count, default=40)
    parser.add_argument("--noise", choices=["uniform", "normal", "both"], default="both")
    parser.add_argument(
        "--held-out", action="store_true", help="also on shapes, sizes, noise and bins that nothing was chosen on"
    )
    parser.add_argument("--only", choices=SETS, help="only one set of cells")
    parser.add_argument("--em-gap", type=float, default=CONVERGED, help="when EM counts as converged (larger is quicker)")
    parser.add_argument("--quick", action="store_true", help="two runs, fewer sizes")
    parser.add_argument("--seed", type=count, default=None)
    options = parser.parse_args()
    seed = secrets.randbits(32) if options.seed is None else options.seed
    print(f"Seed {seed}.", flush=True)
    runs = 2 if options.quick else options.runs
    tables = {}
    with ProcessPoolExecutor() as pool:
        for title in (options.only,) if options.only else SETS if options.held_out else SETS[:1]:
            chosen = [i for i, (cell, _) in enumerate(cells(title, options.quick)) if options.noise in (cell.noise, "both")]
            one = partial(measured, title, seed=seed, runs=runs, gap=options.em_gap, quick=options.quick)
            rows = []
            for row in pool.map(one, chosen):
                rows.append(row)
                print(
                    f"{row['noise']:<8}{row['shape']:<14}{row['privacy']:>5.0%}{row['n']:>8,}{row['bins']:>4}  "
                    + "  ".join(f"{m} {row[m]:.4f}" for m in METHODS)
                    + ("" if row["default"] < min(row[rival] for rival in RIVALS) else "  <- not won"),
                    flush=True,
                )
            tables[title] = pd.DataFrame(rows)
    for title, frame in tables.items():
        print(f"\nMean information loss, {title}:")
        print(frame.groupby("noise")[list(METHODS)].mean().round(4).to_string())
        print(f"Share of cells in which the default loses strictly less, {title}:")
        for part, chosen in [*frame.groupby("noise"), ("both", frame)]:
            listed = ", ".join(f"{rival} {share:.0%}" for rival, share in wins(chosen).items())
            print(f"  {part:<8} of {len(chosen)} cells: {listed}")
        print("All three at once, by shape: " + ", ".join(f"{s} {wins(p)['all three']:.0%}" for s, p in frame.groupby("shape")))


if __name__ == "__main__":
    main()
