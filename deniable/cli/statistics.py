"""`deniable count`, `mean`, `distribution`, `crosstab`, `difference`, `candidates`: questions to randomised data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from deniable.cli.estimates import bins_or_few, edges, is_all, present, shares, tell_bins
from deniable.core.domain import Domain
from deniable.core.estimate import check_level
from deniable.core.files import open_table, refuse_same, write_text
from deniable.plurals import counted
from deniable.statistics.conditions import parse
from deniable.statistics.reading import read
from deniable.statistics.sample import Sample

Data = Annotated[
    str,
    typer.Argument(help="CSV or Parquet path or glob, duckdb:///f.db#table, sqlite:///f.db#table or postgresql://...#table."),
]
Where = Annotated[str | None, typer.Option("--where", "-w", help="A condition, such as \"sex == 'F' and 18 <= age < 30\".")]
SchemaFile = Annotated[Path | None, typer.Option("--schema", "-s", help="The schema, if it does not travel with the data.")]
Engine = Annotated[str | None, typer.Option(help="duckdb, arrow or spark; chosen by what is installed unless given.")]
Level = Annotated[float, typer.Option(help="Confidence level of the intervals.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Plot = Annotated[Path | None, typer.Option(help="Save a picture (.svg, .png or .html).")]
Method = Annotated[
    str,
    typer.Option(
        help="joint (unbiased; behind noise of bounded bias), em (likelihood on the joint table) or iterative (as published, biased)."
    ),
]
MostShare = Annotated[
    str | None,
    typer.Option(
        "--most",
        help="Behind noise: the largest share of the people that any single value holds (0.06), or by attribute: age=0.06,rating=0.5. "
        "Without it five times an even share; 1 assumes nothing, and intervals are wide.",
    ),
]
Target = Annotated[str, typer.Option(help="Error bars for the population, or for the respondents only.")]


def _open(
    data: str, schema: Path | None, engine: str | None, level: float, plot: Path | None = None, most: str | None = None
) -> Sample:
    check_level(level)
    if plot is not None:
        from deniable import charts

        charts.check_path(plot)
        refuse_same(plot, Path(data))
    return read(data, schema, engine, shares(most))


def count(
    data: Data,
    where: Annotated[str, typer.Argument(help="A condition, such as \"sex == 'F' and 18 <= age < 30\".")],
    schema: SchemaFile = None,
    engine: Engine = None,
    method: Method = "joint",
    target: Target = "respondents",
    level: Level = 0.95,
    most: MostShare = None,
    as_json: Json = False,
    plot: Plot = None,
) -> None:
    """How many meet a condition."""
    present(_open(data, schema, engine, level, plot, most).count(where, target, method), level, as_json, plot)


def mean(
    data: Data,
    name: Annotated[str, typer.Argument(help="A numeric attribute.")],
    where: Where = None,
    schema: SchemaFile = None,
    engine: Engine = None,
    method: Method = "joint",
    target: Target = "population",
    level: Level = 0.95,
    most: MostShare = None,
    as_json: Json = False,
    plot: Plot = None,
) -> None:
    """The mean of an attribute, of all or of those who meet a condition."""
    present(_open(data, schema, engine, level, plot, most).mean(name, where, target, method), level, as_json, plot)


def distribution(
    data: Data,
    name: Annotated[str, typer.Argument(help="An attribute.")],
    where: Where = None,
    by: Annotated[str | None, typer.Option(help="One distribution for each label of this attribute.")] = None,
    bins: Annotated[
        str | None,
        typer.Option(
            help="For numbers: how many bins, their edges (18,30,45,90), or all for every value. Without it 10 bins if there are over 25 "
            "values; --json has every value."
        ),
    ] = None,
    schema: SchemaFile = None,
    engine: Engine = None,
    method: Method = "joint",
    target: Target = "population",
    level: Level = 0.95,
    most: MostShare = None,
    as_json: Json = False,
    plot: Plot = None,
) -> None:
    """The distribution of an attribute, of all or of those who meet a condition."""
    sample = _open(data, schema, engine, level, plot, most)
    domain = _domain(sample, name)
    cells = edges(bins) if as_json or domain is None else bins_or_few(bins, domain)
    present(sample.distribution(name, where, by, cells, target, method), level, as_json, plot)
    if not as_json and domain is not None:
        tell_bins(bins, domain)


def _domain(sample: Sample, name: str) -> Domain | None:
    # Without one the sample itself says what is wrong.
    return sample.schema[name].domain if name in sample.schema else None


def crosstab(
    data: Data,
    a: Annotated[str, typer.Argument(help="An attribute.")],
    b: Annotated[str, typer.Argument(help="Another attribute.")],
    a_bins: Annotated[
        str | None,
        typer.Option(help="Bins of the first, if it is a number: as --bins of distribution. all also allows a large table."),
    ] = None,
    b_bins: Annotated[str | None, typer.Option(help="Bins of the second.")] = None,
    schema: SchemaFile = None,
    engine: Engine = None,
    method: Method = "joint",
    target: Target = "population",
    level: Level = 0.95,
    most: MostShare = None,
    as_json: Json = False,
    plot: Plot = None,
) -> None:
    """The joint distribution of two attributes."""
    sample = _open(data, schema, engine, level, plot, most)
    asked = [(a, a_bins, _domain(sample, a), "--a-bins"), (b, b_bins, _domain(sample, b), "--b-bins")]
    bins = {name: edges(given) if as_json or domain is None else bins_or_few(given, domain) for name, given, domain, _ in asked}
    # Anyone who writes "all" has made up their mind.
    limit = {"most_cells": None} if any(is_all(given) for _, given, _, _ in asked) else {}
    present(sample.crosstab(a, b, target, bins, method, **limit), level, as_json, plot)
    for _, given, domain, option in asked:
        if not as_json and domain is not None:
            tell_bins(given, domain, option)


def difference(
    data: Data,
    first: Annotated[str, typer.Argument(help="A condition.")],
    second: Annotated[str, typer.Argument(help="Another condition.")],
    of: Annotated[str | None, typer.Option(help="Compare the means of this attribute instead of the shares.")] = None,
    schema: SchemaFile = None,
    engine: Engine = None,
    method: Method = "joint",
    target: Target = "population",
    level: Level = 0.95,
    most: MostShare = None,
    as_json: Json = False,
    plot: Plot = None,
) -> None:
    """How much two groups differ, in size or in a mean, and whether that can be told from nothing."""
    found = _open(data, schema, engine, level, plot, most).difference(first, second, of, target, method)
    present(found, level, as_json, plot)
    if not as_json and found.has_interval:
        verdict = found.verdict
        print(f"The difference {verdict if verdict.startswith('cannot') else 'is ' + verdict}.")


def candidates(
    data: Annotated[str, typer.Argument(help="Randomised CSV or Parquet files: a path or glob.")],
    where: Annotated[str, typer.Argument(help="The condition that the invited should meet.")],
    size: Annotated[int, typer.Option(min=1, help="How many to list.")] = 20,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the list as CSV instead of printing it.")] = None,
    schema: SchemaFile = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="A column of the data to show beside each row; receipt codes (code) are shown unless told. Repeat for more."
        ),
    ] = None,
    draw: Annotated[
        str | None,
        typer.Option(
            help="What rows with the same probability are drawn by: the column draw of an earlier list, to make it again, or a text that "
            "nobody could choose, such as the numbers of a lottery."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing output.")] = False,
) -> None:
    """Rows (counted from 1) that probably meet a condition, best first. Nobody is known to: each has a probability.

    Rows with the same probability stand in the order of a draw, which is written into the list: the SHA-256 of DRAW:ROW decides, the lowest
    first. So a list that ends among equals is fair, and anybody can check it with --draw.
    """
    if output is not None:
        refuse_same(output, Path(data))
    sample = read(data, schema)
    condition = parse(where)
    found = sample.candidates(condition, draw=draw, keep=keep or _codes(sample)).first(size)
    frame = found.to_frame().assign(row=lambda f: f["row"] + 1, draw=found.draw)
    text = frame.to_csv(index=False, float_format="%.4f")
    if output is None:
        print(text, end="")
    else:
        write_text(output, text, force, private=bool(found.kept))
        print(
            f"{counted(len(found), 'row')} written to {output}; {found.expected:,.1f} of them are expected to meet the condition."
        )
    # Beside the list, not in it: what is printed may be a CSV file by now.
    for said in (f"note: {found.note}" if found.note else "", f"{found.cut} (draw {found.draw})." if found.cut else ""):
        if said:
            print(said, file=sys.stderr)


def _codes(sample: Sample) -> list[str]:
    """The column of receipt codes that an export of a survey has, if these are its files."""
    files = [path for data, _ in sample.parts for path in getattr(data, "files", ())]
    wanted = "code"
    while wanted in sample.schema:  # then exports call it so
        wanted += "_"
    return [wanted] if files and all(wanted in open_table(path).columns for path in files) else []
