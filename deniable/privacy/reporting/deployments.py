"""Figures that others have published for what they run, to compare an epsilon with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Deployment:
    """One published figure: who, when, which epsilon, and what it is an epsilon of."""

    who: str
    year: int
    epsilon: str
    of_what: str


DEPLOYMENTS = (
    Deployment("Google Chrome, RAPPOR", 2014, "1.1", "one report, randomised on the device (ln 3)"),
    Deployment("Apple, iOS and macOS", 2017, "2 to 16", "per person, feature and day, randomised on the device"),
    Deployment("Microsoft, Windows telemetry", 2017, "1.672", "app usage over six hours, randomised on the device"),
    Deployment("US Census, redistricting data", 2021, "19.61", "all published tables together, noise added by the bureau"),
)
"""As published by the organisations; what they count differs, so they are a scale and not a ranking."""
