"""The audit's figures, printed: a table of every statistic and channel, and the worst cells."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from benchmarks import audit_judging as judging

SHOWN = 10


def print_tables(frame: pd.DataFrame) -> None:
    """Everything but the verdicts."""
    _print_statistics(frame)
    _print_worst(frame)
    _print_seconds(frame)


def _percent(value: float) -> str:
    return "     -" if value is None or math.isnan(value) else f"{100 * value:6.1f}"


def _print_statistics(frame: pd.DataFrame) -> None:
    covered = judging.coverage(frame).set_index(judging.GROUP)
    ratios = judging.error_ratios(frame).groupby(judging.CELL[:-1], observed=True)["ratio"].max()
    sizes = sorted(frame["n"].unique())
    print(
        "\nPercent of intervals that hold the truth, percent of answers without an interval (refused), and the worst root mean square "
        f"error over\nthat of the best method; each at n = {', '.join(f'{n:,}' for n in sizes)}. * marks bias-aware intervals, for "
        "truths in their class."
    )
    for statistic in frame["statistic"].cat.categories:
        width = 7 * len(sizes)
        print(f"\n{statistic}\n{'':<37}{'held':^{width}}   {'refused':^{width}}   {'error ratio':^{9 * len(sizes)}}".rstrip())
        for channel in frame["channel"].unique():
            for target in frame["target"].cat.categories:
                keys = [(channel, n, statistic, target) for n in sizes]
                if not any(key in covered.index for key in keys):
                    continue
                rows = covered.reindex(keys)
                shown = rows["coverage"].where(rows["interval_runs"] > 0)
                held = "".join(_percent(v) + ("*" if a == 1 else " ") for v, a in zip(shown, rows["aware"], strict=True))
                gone = "".join(_percent(v) + " " for v in rows["refused"])
                errors = [ratios.get((channel, n, statistic), math.nan) for n in sizes] if target == "population" else []
                said = "".join("        -" if math.isnan(v) else f"{v:9.2f}" if v < 1e5 else f"{v:9.0e}" for v in errors)
                print(f"{channel:<24}{target:<13}{held}   {gone}   {said}".rstrip())


def _print_worst(frame: pd.DataFrame) -> None:
    """The worst groups over the shapes, and the worst single shapes."""
    covered = judging.coverage(frame)
    single = judging.coverage(frame, [*judging.GROUP, "shape"])
    for title, found in (("over the shapes", covered), ("single shapes", single)):
        print(f"\nLowest coverage, {title}")
        worst = found[found["interval_runs"] > 0].sort_values("coverage").head(SHOWN)
        for row in worst.itertuples():
            shape = f", {row.shape}" if title == "single shapes" else ""
            print(
                f"  {row.coverage:6.1%}  {row.channel}, n = {row.n:,}, {row.statistic} of the {row.target}{shape} ({row.runs} runs)"
            )
    for title, errors in (("over the shapes", judging.error_ratios(frame)), ("single shapes", judging.error_cells(frame))):
        print(f"\nLargest error beside another method's, {title}")
        by = judging.CELL if title == "single shapes" else judging.CELL[:-1]
        for row in errors.sort_values("ratio", ascending=False).drop_duplicates(by).head(SHOWN).itertuples():
            shape = f", {row.shape}" if title == "single shapes" else ""
            figures = f"{row.own:.4g} beside {row.other:.4g}"
            print(f"  {row.ratio:8.3g} times {row.reference}: {row.channel}, n = {row.n:,}, {row.statistic}{shape} ({figures})")


def _print_seconds(frame: pd.DataFrame) -> None:
    print("\nMedian seconds of one run of all questions, other methods included, by n")
    runs = frame.groupby(["channel", "n", "shape", "run"], observed=True)["seconds"].first()
    middle = runs.groupby(["channel", "n"]).median().unstack()
    for channel in frame["channel"].unique():
        print(f"  {channel:<24}" + "".join(f"{value:8.3f}" for value in np.asarray(middle.loc[channel])))
