"""`deniable demo`: a town answers, every answer may be false, and the town's figures come back."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from deniable.cli import demo_survey, privacy
from deniable.cli.show import console
from deniable.core.channels.base import Channel, rounded_up
from deniable.core.estimate import Estimate
from deniable.core.tables import counts
from deniable.datasets import town, town_schema
from deniable.privacy import report
from deniable.privacy.reporting.describe_designs import describe_design
from deniable.privacy.reporting.words import odds
from deniable.reconstruction.reconstruct import reconstruct

BINS: dict[str, list[int]] = {
    "age": [18, 30, 40, 50, 60, 70, 90],
    "salary": [0, 1000, 2000, 3000, 4000, 5000, 7000, 12000],
}


def demo(
    rows: Annotated[int, typer.Option(min=100, max=5_000_000, help="How many people live in the town.")] = 20_000,
    residents: Annotated[
        int, typer.Option(min=0, max=100_000, help="How many of them also answer a survey over HTTP.")
    ] = 2_000,
    picture: Annotated[Path, typer.Option(help="Where the picture goes (.png, .svg or .html).")] = Path("deniable-demo.png"),
) -> None:
    """A town answers five sensitive questions; only randomised answers are kept; the truth about the town comes back."""
    # Altair is slow to import, but it is better to know before the work that a picture cannot be saved.
    from deniable import charts

    charts.check_path(picture)
    began = time.perf_counter()
    screen = console()
    schema = town_schema()
    screen.print(
        f"A made-up town of {rows:,} people answers {len(schema)} questions. Each answer is randomised before anyone sees it.\n"
    )
    people = town(rows)
    # Truths and reports are compared row by row below, which shuffling would prevent; the made-up people are in no order.
    reported = schema.randomise(people, order="kept")
    held = shown = 0
    pictures = []
    for name, channel in schema.items():
        truth = shares(people[name], channel, BINS.get(name))
        seen = shares(reported[name], channel, BINS.get(name))
        # The truth shown is that of these very people, so the error bars are theirs too.
        estimate = reconstruct(counts(reported[name], channel, BINS.get(name), name), channel, target="respondents")
        low, high = estimate.interval()
        held += int(((low <= truth) & (truth <= high)).sum())
        shown += len(truth)
        screen.print(
            f"[bold]{name}[/bold]: {type(channel).__name__} ({describe_design(channel)}); epsilon {rounded_up(channel.epsilon)}; "
            f"a report changes anyone's odds {odds(channel.epsilon)}"
        )
        screen.print(_table(name, estimate, truth, seen))
        pictures.append((name, estimate, truth, seen))
    screen.print(f"\n{held} of {shown} intervals hold the truth about the town; in the long run 95% of them should.")
    screen.print(f"{_changed(people, reported, schema)}\n\nWhat one person's answers give away:")
    privacy.show(report(schema))
    _save(pictures, picture)
    if residents:
        demo_survey.survey_demo(residents)
    screen.print(f"Picture: {picture}   ({time.perf_counter() - began:.1f} s)")


def shares(values: Any, channel: Channel, bins: list[int] | None) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Plain shares of the labels, or bins, of a column, as if it were not distorted."""
    tally = counts(values, channel, bins).dense()
    plain: np.ndarray[Any, np.dtype[np.float64]] = tally / tally.sum()
    return plain


def _table(name: str, estimate: Estimate, truth: Any, seen: Any) -> Table:
    table = Table()
    table.add_column(name, min_width=14)
    for heading in ("truth", "reported", "estimated", "95% interval", "off by"):
        table.add_column(heading, justify="right")
    low, high = estimate.interval()
    for i, label in enumerate(estimate.labels):
        table.add_row(
            str(label),
            f"{truth[i]:.1%}",
            f"{seen[i]:.1%}",
            f"{estimate.shown[i]:.1%}",
            f"{low[i]:.1%} to {high[i]:.1%}",
            f"{100 * (estimate.shown[i] - truth[i]):+.1f}",
        )
    return table


def _changed(people: Any, reported: Any, schema: Any) -> str:
    true_rows = np.all([people[name].to_numpy() == reported[name].to_numpy() for name in schema], axis=0)
    return f"Only {true_rows.mean():.1%} of the rows report every answer truthfully."


def _save(pictures: list[tuple[str, Estimate, Any, Any]], path: Path) -> None:
    from deniable import charts

    drawn = [estimate.plot(compare={"truth": truth, "reported": seen}) for _, estimate, truth, seen in pictures]
    charts.save(charts.panels(drawn, title="The truth, what was reported, and what is estimated from it"), path)
