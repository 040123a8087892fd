"""Timing on a noisy machine: rounds are interleaved, and the median of each contestant is compared; or the processor's time is taken."""

from __future__ import annotations

import cProfile
import pstats
import statistics
import time
from collections.abc import Callable, Collection


def interleaved(contestants: dict[str, Callable[[], object]], rounds: int = 7) -> dict[str, float]:
    """Median seconds of each contestant; all run once to warm up, then take turns.

    >>> sorted(interleaved({"a": lambda: None, "b": lambda: None}, rounds=3))
    ['a', 'b']
    """
    for run in contestants.values():
        run()
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            began = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - began)
    return {name: statistics.median(values) for name, values in seconds.items()}


def outside(run: Callable[[], object], parts: Collection[str]) -> float:
    """The share of the processor's time that is spent outside the functions named as `parts`, none of which calls another.

    What other programs do meanwhile does not matter. If those functions are what several workers share, two of them are at most
    2 / (1 + this) times as fast as one.

    >>> def pause():
    ...     return sum(range(100_000))
    >>> round(outside(lambda: [pause() for _ in range(9)], ["pause"]), 1)
    0.0
    """
    profile = cProfile.Profile(time.process_time)
    profile.runcall(run)
    told = pstats.Stats(profile)
    inside = sum(row[3] for (_, _, name), row in told.stats.items() if name in parts)  # type: ignore[attr-defined]
    return 1 - inside / told.total_tt  # type: ignore[attr-defined]
