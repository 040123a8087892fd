"""Which way of undoing additive noise loses least? The default against the published methods, on shapes, sizes and noise.

    python -m benchmarks.deconvolution [--runs 10] [--noise uniform|normal] [--quick]

Information loss (half the L1 distance to the respondents' own distribution over 20 bins) of AS and EM with the published stopping
rule, of converged EM, and of the regularised default. Every method sees the same reports.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import pandas as pd

import deniable as dn
from deniable.reconstruction.loss import information_loss

BINS = 20
SIZES = (500, 2_000, 10_000, 100_000)
PRIVACY = (0.25, 0.5, 1.0, 2.0)
METHODS: dict[str, dict[str, Any]] = {
    "AS": {"method": "as"},
    "EM stopped": {"method": "em/as"},
    "EM converged": {"regularise": False},
    "default": {},
}


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


def channel_for(noise: str, privacy: float) -> dn.Channel:
    """Noise whose width, or whose 95% interval, is `privacy` times the range."""
    made = dn.Uniform(privacy / 2) if noise == "uniform" else dn.Normal(round(privacy / 3.92, 6))
    return dn.Additive(dn.Continuous(0, 1), made)


def cell(shape: np.ndarray[Any, Any], channel: dn.Channel, n: int, runs: int, rng: np.random.Generator) -> dict[str, float]:
    """Mean information loss of every method over `runs` sets of reports."""
    losses: dict[str, list[float]] = {name: [] for name in METHODS}
    for _ in range(runs):
        codes = rng.choice(BINS, n, p=shape)
        table = dn.counts(channel.randomise((codes + rng.random(n)) / BINS, rng), channel, bins=BINS)
        original = np.bincount(codes, minlength=BINS)
        for name, options in METHODS.items():
            losses[name].append(information_loss(original, dn.reconstruct(table, channel, **options)))
    return {name: float(np.mean(values)) for name, values in losses.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--noise", choices=["uniform", "normal", "both"], default="both")
    parser.add_argument("--quick", action="store_true", help="two runs, fewer sizes")
    options = parser.parse_args()
    runs, sizes = (2, SIZES[1:3]) if options.quick else (options.runs, SIZES)
    rng = np.random.default_rng()
    rows = []
    for noise in ("uniform", "normal") if options.noise == "both" else (options.noise,):
        for name, shape in shapes().items():
            for privacy in PRIVACY:
                for n in sizes:
                    found = cell(shape, channel_for(noise, privacy), n, runs, rng)
                    rows.append({"noise": noise, "shape": name, "privacy": privacy, "n": n, **found})
                    print(
                        f"{noise:<8}{name:<9}{privacy:>5.0%}{n:>8,}  " + "  ".join(f"{m} {v:.3f}" for m, v in found.items()),
                        flush=True,
                    )
    frame = pd.DataFrame(rows)
    print("\nMean information loss:")
    print(frame.groupby("noise")[list(METHODS)].mean().round(4).to_string())
    print("\nShare of cells in which the default loses less (ties within 2% count as neither lost nor won):")
    for noise, part in frame.groupby("noise"):
        for rival in ("AS", "EM stopped", "EM converged"):
            won = (part["default"] < part[rival] * 0.98).mean()
            lost = (part["default"] > part[rival] * 1.02).mean()
            print(f"  {noise:<8} against {rival:<13} less in {won:.0%}, more in {lost:.0%} of {len(part)} cells")


if __name__ == "__main__":
    main()
