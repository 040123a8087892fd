"""The audit's verdicts: coverage, widths, root mean square errors and impossible values, from the records of all cells."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

from benchmarks.audit_questions import TARGETS
from benchmarks.audit_references import REFERENCES
from benchmarks.audit_running import STATISTICS
from deniable.core.caps import half_length

LEVEL = 0.95
LOWEST, HIGHEST = 0.935, 0.97
LOWEST_OF_FEW = 0.92
MANY = 2_000
FAMILY = 0.01
WIDEST = 1.15
WORST_RATIO = 1.2
ENOUGH_RUNS = 10
BEYOND = 4.0
FROM_BELOW = ("quantile",)
GROUP = ["channel", "n", "statistic", "target"]
CELL = ["channel", "n", "statistic", "shape"]


@dataclass
class Verdict:
    """One check: whether it passed, what it says, and the figures behind it."""

    name: str
    passed: bool
    says: str
    figures: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n".join(
            [f"{'PASS' if self.passed else 'FAIL'}  {self.name}: {self.says}", *(f"      {line}" for line in self.figures)]
        )


def as_frame(results: Iterable[tuple[Any, Any]]) -> pd.DataFrame:
    """Records of all jobs as one frame, a row a value of an answer."""
    frames = []
    for job, records in results:
        plain = {name: records[name] for name in records.dtype.names if name != "references"}
        plain |= {name: records["references"][:, i] for i, name in enumerate(REFERENCES)}
        frame = pd.DataFrame(plain)
        frame["statistic"] = pd.Categorical.from_codes(frame["statistic"].astype(int), list(STATISTICS))
        frame["target"] = pd.Categorical.from_codes(frame["target"].astype(int), list(TARGETS))
        frames.append(frame.assign(channel=job.cell.channel, n=job.cell.n, shape=job.cell.shape))
    return pd.concat(frames, ignore_index=True)


def coverage(frame: pd.DataFrame, by: list[str] = GROUP) -> pd.DataFrame:
    """How many intervals hold the truth: all values together; `runs` are those that had one, `refused` the share that had none.

    Bias-aware answers count where the truth is in their class. A small sample that is refused an interval is not misled: there a refusal
    counts as held.
    """
    keys = by if "n" in by else [*by, "n"]
    aware = frame.groupby(keys, observed=True)["aware"].transform("any")
    used = frame[~aware | frame["inside"]].copy()
    used["bias_aware"] = aware[used.index]
    used["answered"] = used["held"] >= 0
    used["fine"] = (used["held"] == 1) | (used["refused"] & (used["n"] < MANY))
    used["counts"] = used["answered"] | (used["n"] < MANY)
    grouped = used.groupby(keys, observed=True)
    found = grouped.agg(
        fine=("fine", "sum"), counts=("counts", "sum"), refused=("refused", "mean"), aware=("bias_aware", "first")
    )
    found["coverage"] = found["fine"] / found["counts"].where(found["counts"] > 0)
    found["interval_runs"] = grouped["answered"].sum()
    first = used[used["counts"] & (used["part"] == 0)]
    found["runs"] = first.groupby(keys, observed=True).size().reindex(found.index).fillna(0).astype(int)
    return found.reset_index()


def band(n: int, statistic: str, aware: bool) -> tuple[float, float]:
    """Between which shares coverage must lie."""
    lowest = LOWEST_OF_FEW if n < MANY and not aware else LOWEST
    return lowest, 1.0 if aware or n < MANY or statistic in FROM_BELOW else HIGHEST


def outside_band(covered: pd.DataFrame) -> pd.DataFrame:
    """The groups whose coverage lies outside their band."""
    limits = np.array([band(n, s, a) for n, s, a in zip(covered["n"], covered["statistic"], covered["aware"], strict=True)])
    limits = limits.reshape(-1, 2)
    seen = covered["coverage"].to_numpy()
    return covered[(covered["interval_runs"] > 0).to_numpy() & ((seen < limits[:, 0]) | (seen > limits[:, 1]))]


def refuted(row: Any, family: int) -> bool:
    """Whether runs refute that the coverage lies in its band, at a level of 1% for so many groups together.

    Values of one answer go together, so that an answer counts as one trial, held as far as its values are.
    """
    lowest, highest = band(row.n, row.statistic, row.aware)
    runs, held = int(row.runs), float(row.coverage) * int(row.runs)
    too_few = float(binom.cdf(math.ceil(held - 1e-9), runs, lowest))
    too_many = float(binom.sf(math.floor(held + 1e-9) - 1, runs, highest)) if highest < 1 else 1.0
    return min(too_few, too_many) < FAMILY / family


def judge_coverage(first: pd.DataFrame, again: pd.DataFrame | None) -> Verdict:
    """Groups outside their band are judged where they were run again, else where they are."""
    covered = coverage(first)
    suspects = outside_band(covered)
    judged = suspects
    if again is not None:
        fresh = coverage(again).drop(columns="aware").merge(suspects[[*GROUP, "aware"]], on=GROUP)
        missed = suspects.merge(fresh[GROUP], on=GROUP, how="left", indicator=True)
        judged = pd.concat([fresh, missed[missed["_merge"] == "left_only"].drop(columns="_merge")])
    wrong = [row for row in judged.itertuples() if row.interval_runs > 0 and refuted(row, max(1, len(judged)))]
    wrong.sort(key=lambda row: row.coverage)
    figures = [
        f"{row.channel}, n = {row.n:,}, {row.statistic} of the {row.target}{', bias-aware' if row.aware else ''}: "
        f"{row.coverage:.1%} of {row.runs:,} runs, should be {' to '.join(f'{x:.1%}' for x in band(row.n, row.statistic, row.aware))}"
        for row in wrong
    ]
    has = int((covered["interval_runs"] > 0).sum())
    says = (
        f"{has - len(suspects)} of {has} groups of intervals lie in their band at once, {len(suspects)} were judged by a test at family "
        f"level {FAMILY:.0%}{'' if again is None else ' on fresh runs'}, {len(wrong)} fail; {len(covered) - has} groups have no interval. "
        "Quantiles and bias-aware intervals are judged from below only: a quantile of few values cannot be hit just 95% of the time"
    )
    return Verdict("coverage", not wrong, says, figures)


def judge_widths(frame: pd.DataFrame, best: dict[tuple[str, int, str, str], float]) -> Verdict:
    """Bias-aware intervals of counts and means beside the best affine ones; `best` is by channel, n, statistic and shape.

    The best affine estimator for a class of truths is one that does well for its hardest truth, so its half width is at least the largest
    that is best for any one shape of the class. What is best for a single shape, by somebody who knows it, is printed where it is much
    less: it knows which reports cannot come.
    """
    own = bias_aware_cells(frame)["half"]
    for_class: dict[tuple[str, int, str], float] = {}
    for key, width in best.items():
        for_class[key[:3]] = max(width, for_class.get(key[:3], 0.0))
    found = [
        (own[key] / for_class[key[:3]], own[key] / width, key) for key, width in best.items() if key in own.index and width > 0
    ]
    found.sort(reverse=True)
    wrong = [f"{_words(key)}: {ratio:.2f} times the best for the class" for ratio, _, key in found if not ratio <= WIDEST]
    knowing = [
        f"({_words(key)}: {alone:.2f} times the best of who knows the shape)" for _, alone, key in found if alone > WIDEST
    ]
    worst = f", at most {found[0][0]:.2f} times the best for the class" if found else ""
    says = f"{len(found)} cells of bias-aware counts and means of the population{worst} (allowed: {WIDEST})"
    return Verdict("width", not wrong, says, wrong + knowing)


def _words(key: tuple[Any, ...]) -> str:
    return ", ".join(map(str, key))


def bias_aware_cells(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean half width of bias-aware counts and means, by cell, where the truth is in the class; before it is cut at what is possible."""
    used = frame[
        frame["aware"] & frame["inside"] & (frame["target"] == "population") & frame["statistic"].isin(["count", "mean"])
    ]
    uncut = half_length(used["bias"].to_numpy(), used["se"].to_numpy(), LEVEL)
    return used.assign(half=uncut).groupby(CELL, observed=True)[["half"]].mean()


def error_cells(frame: pd.DataFrame) -> pd.DataFrame:
    """Root mean square errors of every cell beside those of each other method, on the runs that both answered."""
    used = frame[(frame["target"] == "population") & np.isfinite(frame["error"])]
    enough = min(ENOUGH_RUNS, int(frame["run"].max()) + 1)
    rows = []
    for reference in REFERENCES:
        shared = used[np.isfinite(used[reference])]
        squares = pd.DataFrame(
            {name: shared[name] for name in CELL} | {"own": shared["error"] ** 2, "other": shared[reference] ** 2}
        )
        squares["runs"] = shared["part"] == 0
        cells = squares.groupby(CELL, observed=True).agg({"own": "mean", "other": "mean", "runs": "sum"})
        rows.append(np.sqrt(cells[cells["runs"] >= enough][["own", "other"]]).reset_index().assign(reference=reference))
    return with_ratio(pd.concat(rows, ignore_index=True))


def with_ratio(errors: pd.DataFrame) -> pd.DataFrame:
    """How many times as large the own error is; infinitely many where another method is never off and this one is."""
    own, other = errors["own"].to_numpy(), errors["other"].to_numpy()
    ratio = np.divide(own, other, out=np.where(own > 1e-12, np.inf, 1.0), where=other > 1e-12)
    return errors.assign(ratio=ratio)


def error_ratios(frame: pd.DataFrame) -> pd.DataFrame:
    """The worst root mean square error over the shapes beside the worst of each other method."""
    worst = error_cells(frame).groupby([*CELL[:-1], "reference"], observed=True)[["own", "other"]].max().reset_index()
    return with_ratio(worst)


def larger_errors(frame: pd.DataFrame, allowed: float = WORST_RATIO) -> pd.DataFrame:
    """Statistics, channels and n whose worst error is too many times that of a method, with the worst such method."""
    ratios = error_ratios(frame)
    return ratios[ratios["ratio"] > allowed].sort_values("ratio", ascending=False).drop_duplicates(CELL[:-1])


def judge_errors(frame: pd.DataFrame, allowed: float = WORST_RATIO, again: pd.DataFrame | None = None) -> Verdict:
    """No method's worst error over the shapes is much smaller. Of hundreds of such worst errors chance alone makes some large: those are
    judged by fresh runs, where there are any."""
    suspects = larger_errors(frame, allowed)
    judged = suspects
    if again is not None:
        group = CELL[:-1]
        ran = error_ratios(again)[group].drop_duplicates()
        left = suspects.merge(ran, on=group, how="left", indicator=True)
        fresh = larger_errors(again, allowed).merge(suspects[group], on=group)
        judged = pd.concat([fresh, left[left["_merge"] == "left_only"].drop(columns="_merge")])
    figures = [
        f"{row.channel}, n = {row.n:,}, {row.statistic}: {row.ratio:.3g} times {row.reference} ({row.own:.4g} beside {row.other:.4g})"
        for row in judged.itertuples()
    ]
    groups = len(error_ratios(frame).drop_duplicates(CELL[:-1]))
    em_runs = int(frame.loc[np.isfinite(frame["method em"]), "run"].max() + 1) if np.isfinite(frame["method em"]).any() else 0
    by_chance = "" if again is None else f", of the others {len(suspects) - len(judged)} in fresh runs"
    says = (
        f"{groups - len(suspects)} of {groups} statistics, channels and n have a worst root mean square error of at most {allowed:g} "
        f"times the best method's{by_chance}; method em was asked in the first {em_runs} runs, not behind normal noise: it is slow there"
    )
    return Verdict("error", judged.empty, says, figures)


def judge_possible(frame: pd.DataFrame) -> Verdict:
    """No value lies far beyond what is possible, and nothing broke."""
    far = frame[frame["excess"] > BEYOND]
    worst = far.groupby(GROUP, observed=True)["excess"].agg(["size", "max"]).reset_index()
    figures = [
        f"{row.channel}, n = {row.n:,}, {row.statistic} of the {row.target}: {row.size_} times, up to {row.max:.3g} errors"
        for row in worst.rename(columns={"size": "size_"}).itertuples()
    ]
    broken = frame[frame["crashed"]].groupby(GROUP, observed=True).size()
    figures += [f"{', '.join(map(str, key))}: broke {times} times" for key, times in broken.items()]
    says = (
        f"{len(far):,} of {len(frame):,} values lie more than {BEYOND:g} errors beyond the possible, {int(broken.sum())} broke"
    )
    return Verdict("possible values", far.empty and broken.empty, says, figures)
