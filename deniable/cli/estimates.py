"""Estimates on a terminal and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.table import Table

from deniable.cli.show import console
from deniable.core.estimate import Estimate
from deniable.errors import ParameterError


def as_dict(estimate: Estimate, level: float) -> dict[str, Any]:
    """An estimate as plain values, for JSON."""
    ends = estimate.interval(level) if estimate.has_interval else None
    return {
        "attribute": estimate.name,
        "method": estimate.method,
        "target": estimate.target,
        "n": estimate.n,
        "level": level if ends else None,
        "labels": [list(label) if isinstance(label, tuple) else label for label in estimate.labels],
        "value": estimate.value.tolist(),
        "low": ends[0].tolist() if ends else None,
        "high": ends[1].tolist() if ends else None,
        "why_no_interval": estimate.why_no_interval,
        "band": [end.tolist() for end in estimate.band(level)] if estimate.has_band else None,
    }


def present(
    estimate: Estimate, level: float, as_json: bool, plot: Path | None, heading: str = "", percent: bool = True
) -> None:
    """Print an estimate as a table with bars, or as JSON, and save a picture if one is wanted."""
    if as_json:
        print(json.dumps(as_dict(estimate, level), indent=2, ensure_ascii=False))
    else:
        _show(estimate, level, heading, percent)
    if plot is not None:
        # Altair is slow to import: only pictures pay for it.
        from deniable import charts

        charts.save(estimate.plot(level), plot)
        if not as_json:
            print(f"Picture: {plot}")


def edges(given: str | None) -> Any:
    """A number of bins, or their edges, as written on a command line."""
    if given is None:
        return None
    parts = [part.strip() for part in given.split(",")]
    if len(parts) > 1:
        return parts
    if not parts[0].isdigit():
        raise ParameterError(
            "bins_count", "--bins takes a number of bins or edges such as 18,30,45,90, got {got!r}.", got=given
        )
    return int(parts[0])


def _show(estimate: Estimate, level: float, heading: str, percent: bool) -> None:
    screen = console()
    screen.print(f"[bold]{estimate.name}[/bold]: {heading}{estimate.caption}", markup=True)
    table = Table()
    table.add_column("", min_width=10)
    table.add_column("estimated", justify="right")
    ends = estimate.interval(level) if estimate.has_interval else estimate.band(level) if estimate.has_band else None
    if ends is not None:
        table.add_column(f"{100 * level:g}% interval" if estimate.has_interval else "variability band", justify="right")
    if percent:
        table.add_column("")
    widest = max(float(estimate.value.max()), 1e-9)
    for i, label in enumerate(estimate.labels):
        row = [", ".join(map(str, label)) if isinstance(label, tuple) else str(label), _number(estimate.value[i], percent)]
        if ends is not None:
            row.append(f"{_number(ends[0][i], percent)} to {_number(ends[1][i], percent)}")
        if percent:
            row.append("█" * round(30 * max(0.0, float(estimate.value[i])) / widest))
        table.add_row(*row)
    screen.print(table)
    if estimate.why_no_interval:
        screen.print(f"No confidence interval: {estimate.why_no_interval}")


def _number(value: float, percent: bool) -> str:
    return f"{value:.1%}" if percent else f"{value:,.1f}" if abs(value) >= 10 else f"{value:.4g}"
