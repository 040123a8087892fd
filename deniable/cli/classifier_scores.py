"""Scores of a classifier as a table, with all that is to be said about them."""

from __future__ import annotations

from typing import Any

from deniable.cli.show import console
from deniable.plurals import counted


def show_scores(scores: list[Any], level: float) -> None:
    """Print them, each with its interval, and notes once."""
    from rich.table import Table

    from deniable.classify.measures import MACRO

    table = Table()
    for heading in ("", "estimated", "standard error", f"{100 * level:g}% interval", "how"):
        table.add_column(heading, justify="left" if heading in ("", "how") else "right")
    for estimate in scores:
        low, high = estimate.interval(level) if estimate.has_interval else estimate.band(level)
        ends = f"{low[0]:.4f} to {high[0]:.4f}"
        ends = ends if estimate.has_interval else f"none (band {ends})"
        table.add_row(estimate.name, f"{estimate.shown[0]:.4f}", f"{estimate.se[0]:.4f}", ends, estimate.method)
    screen = console()
    screen.print(table)
    screen.print(counted(scores[0].n, "row"))
    for reason in dict.fromkeys(estimate.why_no_interval for estimate in scores if estimate.why_no_interval):
        screen.print(f"No confidence interval: {reason} The band says how much the score varies, not how far it may be off.")
    for note in dict.fromkeys(note for estimate in scores for note in estimate.notes):
        screen.print(f"Note: {note}." + (" Of one class: --positive." if note == MACRO else ""), markup=False)
    for assumed in dict.fromkeys(assumed for estimate in scores for assumed in estimate.assumes):
        screen.print(f"Assumed: {assumed}.", markup=False)
