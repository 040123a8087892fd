"""`deniable reconstruct`: the true distribution of one attribute of a randomised file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from deniable.cli.bars import Bar
from deniable.cli.show import console
from deniable.core.channel import Channel, rounded_up
from deniable.core.estimate import Estimate, check_level
from deniable.core.files import count_file, refuse_same
from deniable.core.schema import Schema
from deniable.errors import DataError, FileError, ParameterError, SchemaError
from deniable.reconstruction.reconstruct import METHODS, reconstruct

FEW_LABELS = 40
DEFAULT_BINS = 10


def reconstruct_command(
    data: Annotated[Path, typer.Argument(help="A randomised file: CSV (also .csv.gz) or Parquet.")],
    name: Annotated[str, typer.Argument(help="The attribute whose true distribution is wanted.")],
    schema: Annotated[
        Path | None, typer.Option("--schema", "-s", help="The schema, if it does not travel with the data.")
    ] = None,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")] = "em",
    bins: Annotated[str | None, typer.Option(help="For numbers: how many bins, or their edges: 18,30,45,90.")] = None,
    target: Annotated[str, typer.Option(help="Error bars for the population, or for the respondents only.")] = "population",
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    plot: Annotated[Path | None, typer.Option(help="Save a picture (.svg, .png or .html).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Estimate the true distribution of one attribute from its randomised reports."""
    check_level(level)
    if plot is not None:
        # Altair is slow to import: only pictures pay for it.
        from deniable import charts

        charts.check_path(plot)
        refuse_same(plot, data, *([schema] if schema is not None else []))
    read = _schema(data, schema)
    if name not in read:
        raise DataError("no_attribute", "The schema has no attribute {got!r}, only {allowed}.", got=name, allowed=list(read))
    channel = read[name]
    table = count_file(data, channel, name, _bins(bins, channel), Bar())
    estimate = reconstruct(table, channel, method, target)
    if as_json:
        print(json.dumps(as_dict(estimate, level), indent=2, ensure_ascii=False))
    else:
        _show(estimate, channel, level)
    if plot is not None:
        charts.save(estimate.plot(level), plot)
        if not as_json:
            print(f"Picture: {plot}")


def _schema(data: Path, given: Path | None) -> Schema:
    """The schema that was named, or the one that travels with the data; two that contradict each other are refused."""
    if given is None:
        return Schema.load(data)
    named = Schema.load(given)
    try:
        own = Schema.load(data)
    except FileError:
        return named
    if own != named:
        raise SchemaError(
            "schemas_differ",
            "{data} was randomised under another schema (fingerprint {own}...) than {given} ({named}...); leave --schema out.",
            data=str(data),
            own=own.fingerprint[:12],
            given=str(given),
            named=named.fingerprint[:12],
        )
    return own


def _bins(given: str | None, channel: Channel) -> int | list[str] | None:
    numeric = hasattr(channel.domain, "low")
    if given is None:
        wide = numeric and (not channel.exact or channel.domain.size > FEW_LABELS)
        return DEFAULT_BINS if wide else None
    if not numeric:
        raise ParameterError("bins_need_numbers", "--bins is for attributes that are numbers, got {got!r}.", got=given)
    parts = [part.strip() for part in given.split(",")]
    if len(parts) > 1:
        return parts
    if not parts[0].isdigit():
        raise ParameterError(
            "bins_count", "--bins takes a number of bins or edges such as 18,30,45,90, got {got!r}.", got=given
        )
    return int(parts[0])


def as_dict(estimate: Estimate, level: float) -> dict[str, object]:
    """An estimate as plain values, for JSON."""
    ends = estimate.interval(level) if estimate.has_interval else None
    return {
        "attribute": estimate.name,
        "method": estimate.method,
        "target": estimate.target,
        "n": estimate.n,
        "level": level if ends else None,
        "labels": list(estimate.labels),
        "value": estimate.value.tolist(),
        "low": ends[0].tolist() if ends else None,
        "high": ends[1].tolist() if ends else None,
        "why_no_interval": estimate.why_no_interval,
        "band": [end.tolist() for end in estimate.band(level)] if estimate.has_band else None,
    }


def _show(estimate: Estimate, channel: Channel, level: float) -> None:
    screen = console()
    screen.print(
        f"[bold]{estimate.name}[/bold]: {estimate.n:,} reports, {type(channel).__name__}, epsilon {rounded_up(channel.epsilon)}, "
        f"method {estimate.method}, error bars for the {estimate.target}"
    )
    table = Table()
    table.add_column(estimate.name or "label", min_width=10)
    table.add_column("estimated", justify="right")
    ends = estimate.interval(level) if estimate.has_interval else estimate.band(level) if estimate.has_band else None
    if ends is not None:
        table.add_column(f"{100 * level:g}% interval" if estimate.has_interval else "variability band", justify="right")
    table.add_column("")
    widest = max(float(estimate.value.max()), 1e-9)
    for i, label in enumerate(estimate.labels):
        row = [str(label), f"{estimate.value[i]:.1%}"]
        if ends is not None:
            row.append(f"{ends[0][i]:.1%} to {ends[1][i]:.1%}")
        table.add_row(*row, "█" * round(30 * max(0.0, float(estimate.value[i])) / widest))
    screen.print(table)
    if estimate.why_no_interval:
        screen.print(f"No confidence interval: {estimate.why_no_interval}")
