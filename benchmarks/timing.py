"""Timing on a noisy machine: rounds are interleaved, and the median of each contestant is compared."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


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
