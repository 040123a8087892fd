"""Options of the commands that ask a sample, and how it is opened."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from deniable.cli.asked import now_asked
from deniable.cli.estimates import check_language, shares
from deniable.core.domains.domain import Domain
from deniable.core.intervals import check_level
from deniable.errors import ParameterError
from deniable.files.atomic import refuse_same
from deniable.statistics.reading import read
from deniable.statistics.sample import Sample
from deniable.statistics.sample_text import missing_columns

Where = Annotated[str | None, typer.Option("--where", "-w", help="A condition, such as \"sex == 'F' and 18 <= age < 30\".")]
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
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="COLUMN",
        help="The column that says how many people of the population each respondent stands for: numbers such as 0.8 or 153.2. It need not "
        "be in the schema. Intervals are then for the population.",
    ),
]
ByBins = Annotated[
    str | None,
    typer.Option(
        help="Bins of the attribute of --by, if it is a number: how many, their edges (18,30,45,90), or all for every value. Without it 10 "
        "bins if there are over 25 values."
    ),
]
NUMERIC = "an attribute of numbers, of ordered labels that are numbers (a rating), or of yes and no (yes counts as 1)."
Numeric = Annotated[str, typer.Argument(help="A" + NUMERIC[1:])]
JointOrEm = Annotated[
    str, typer.Option(help="joint (unbiased; behind noise of bounded bias) or em (likelihood on the joint table).")
]
Target = Annotated[str, typer.Option(help="Error bars for the population, or for the respondents only.")]


def open_sample(
    data: str,
    schema: Path | None,
    engine: str | None,
    level: float,
    plot: Path | None,
    most: str | None,
    weights: str | None,
    language: str | None,
) -> Sample:
    """The sample that a command asks; options that cannot be met are refused before anything is counted."""
    check_level(level)
    if plot is not None:
        from deniable import charts

        charts.check_path(plot)
        refuse_same(plot, Path(data))
    sample = read(data, schema, engine, shares(most), weights)
    check_language(language, sample.schema.texts)
    now_asked().opened(sample.parts[0][0], sample.schema, weights)
    for sentence in missing_columns(sample.parts, language):
        print(sentence, file=sys.stderr)
    return sample


def domain_of(sample: Sample, name: str) -> Domain | None:
    """The answers of an attribute; without one the sample itself says what is wrong."""
    return sample.schema[name].domain if name in sample.schema else None


def grouping_domain(sample: Sample, by: str | None, by_bins: str | None) -> Domain | None:
    """The answers that divide people into groups, if anything does."""
    if by is None and by_bins is not None:
        raise ParameterError("by_bins_without_by", "--by-bins gives the bins of --by: name that attribute too.")
    return None if by is None else domain_of(sample, by)
