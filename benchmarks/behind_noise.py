"""Answers behind noise, blindly undone and as they are now; and what 100,001 values cost beside 100.

    python -m benchmarks.behind_noise [--seed 1]

"Blindly" is the mean of the channel's unbiased weights, whatever their size. The last lines are ratios of two times in one run.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import deniable as dn
from deniable.errors import DeniableError

ROUNDS = 5


def hill(low: int, high: int, n: int, rng: np.random.Generator) -> Any:
    """People around the middle of a range."""
    return np.clip(np.round(rng.normal((low + high) / 2, (high - low) / 5, n)), low, high).astype(np.int64)


def blindly(channel: dn.Channel, reports: Any, f: Any) -> str:
    """What unbiased weights say of the mean of a function."""
    try:
        weights = channel.law.weights(f)
    except DeniableError as error:
        return f"refused: {str(error)[:60]}..."
    return f"{weights[channel.reported.encode(reports)].mean():,.4g}"


def show(name: str, true: float, before: str, found: dn.Estimate) -> None:
    low, high = found.interval()
    bias = 0.0 if found.bias is None else float(found.bias[0])
    interval = f"{low[0]:,.4g} to {high[0]:,.4g}, largest bias {bias:.3g}"
    print(f"{name:<52} true {true:>9,.4g}   blindly {before:>12}   now {found.value[0]:>9,.4g} ({interval})", flush=True)


def examples(rng: np.random.Generator) -> None:
    """Counts and means that were absurd."""
    for low, high, sd, below in ((20, 64, 5, 30), (0, 10, 2, 4), (18, 90, 10, 30)):
        channel = dn.Additive(dn.Integer(low, high), dn.Normal(sd))
        truth = hill(low, high, 1_500, rng)
        schema = dn.Schema({"x": channel})
        reported = schema.randomise(pd.DataFrame({"x": truth}), rng)
        sample, numbers = dn.Sample(reported, schema), channel.domain.numbers()
        share = blindly(channel, reported["x"], (numbers < below).astype(np.float64))
        found = sample.count(f"x < {below}")
        show(
            f"count of {low}-{high} below {below}, Normal({sd}), 1,500", float((truth < below).sum()), f"1500 x {share}", found
        )
        mean = blindly(channel, reported["x"], numbers)
        show("  its mean", float(truth.mean()), mean, sample.mean("x", target="respondents"))
        print(f"{'  reports alone':<52} mean {reported['x'].mean():.4g}")
    income = hill(0, 10_000, 2_000, rng)
    schema = dn.Schema({"x": dn.Additive(dn.Integer(0, 10_000), dn.Normal(1_000))})
    sample = dn.Sample(schema.randomise(pd.DataFrame({"x": income}), rng), schema)
    show("mean of 10,001 values, Normal(1000), 2,000", float(income.mean()), "refused", sample.mean("x"))


def seconds(make: Callable[[], dn.Sample], ask: Callable[[dn.Sample], Any]) -> float:
    """The median time of a question to a fresh sample."""
    found = []
    for _ in range(ROUNDS):
        sample = make()
        began = time.perf_counter()
        ask(sample).interval()
        found.append(time.perf_counter() - began)
    return float(np.median(found))


def speed(rng: np.random.Generator) -> None:
    """The same questions on 100 and on 100,001 values; channels are made beforehand."""
    for noise, edges in ((dn.Normal, "clamp"), (dn.Laplace, "clamp"), (dn.Uniform, "extend"), (dn.Normal, "extend")):
        times = {}
        for size in (100, 100_001):
            channel = dn.Additive(dn.Integer(0, size - 1), noise(size // 8), edges=edges)
            schema = dn.Schema({"x": channel})
            reported = schema.randomise(pd.DataFrame({"x": hill(0, size - 1, 20_000, rng)}), rng)
            times[size] = [
                seconds(lambda s=schema, r=reported: dn.Sample(r, s), ask)
                for ask in (lambda sample: sample.mean("x"), lambda sample, t=size // 3: sample.count(f"x < {t}"))
            ]
        (mean, count), (fine_mean, fine_count) = times[100], times[100_001]
        print(
            f"{noise.__name__} ({edges}), 100,001 values beside 100: mean {fine_mean / mean:.1f} times ({1e3 * fine_mean:.0f} ms), "
            f"count {fine_count / count:.1f} times ({1e3 * fine_count:.0f} ms)",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    rng = np.random.default_rng(parser.parse_args().seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        examples(rng)
        speed(rng)


if __name__ == "__main__":
    main()
