"""What `deniable publish` can be told: its arguments and options, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

TrueData = Annotated[Path, typer.Argument(help="The true data: a CSV (also .csv.gz) or Parquet file.")]
Sensitive = Annotated[list[str], typer.Option("--sensitive", "-s", help="A column whose answers are hidden. May be repeated.")]
PublishedFile = Annotated[Path, typer.Option("--output", "-o", help="Where the published file goes (.csv, .csv.gz, .parquet).")]
MinDeniability = Annotated[
    float, typer.Option(help="Least deniability of every group, 0 to 1; 0.1 of a yes/no answer is a minority of only 1.3%.")
]
MinChange = Annotated[float, typer.Option(help="Least change of the answers that makes a split worth it.")]
Distance = Annotated[str, typer.Option(help="squared, euclidean, cosine, total_variation or chi2.")]
Search = Annotated[str, typer.Option(help="greedy, beam or backtracking.")]
TimeBudget = Annotated[float, typer.Option(help="Seconds after which a search stops with the best tree so far.")]
MaxDepth = Annotated[int | None, typer.Option(help="Most questions on a path of the tree.")]
MinRows = Annotated[int | None, typer.Option(help="Fewest people in a group. Default: --limit-rows.")]
MaxPosterior = Annotated[float | None, typer.Option(help="Largest share of one answer in a group. Default: --limit-posterior.")]
MaxSkew = Annotated[
    float | None, typer.Option(help="Largest distance between the answers of a group and of all. Default: --limit-skew.")
]
MaxSkewRatio = Annotated[
    float | None,
    typer.Option(help="How many times as frequent an answer may be in a group as among all. Default: --limit-skew-ratio."),
]
MaxRuledOut = Annotated[
    float | None,
    typer.Option(help="Largest share of one answer in a group once another is ruled out. Default: --limit-ruled-out."),
]
Mix = Annotated[float, typer.Option(help="Share of each draw that comes from all rows; gives a finite epsilon.")]
Group = Annotated[bool, typer.Option("--group/--no-group", help="Whether categories may share a branch of the tree.")]
Reuse = Annotated[bool, typer.Option("--reuse", help="A column may be asked again further down the tree.")]
Joint = Annotated[bool, typer.Option("--joint", help="Hide several columns as combinations, not one after the other.")]
Answers = Annotated[
    list[str] | None,
    typer.Option("--answer", help="A possible answer, if some occur nowhere: list them all. May be repeated."),
]
Drop = Annotated[list[str] | None, typer.Option("--drop", help="Leave this column out. May be repeated.")]
Recode = Annotated[
    bool,
    typer.Option("--recode", help="Put the numbers of other columns into bands and rare categories together as 'other'."),
]
MinShared = Annotated[
    int | None,
    typer.Option(help="Recode until so many rows share every combination of up to three other columns (5, say)."),
]
Bands = Annotated[
    list[str] | None,
    typer.Option(
        "--bands",
        metavar="COLUMN=WIDTH",
        help="Put a column of numbers into bands: age=10, or where bands begin: age=18,30,65. May be repeated.",
    ),
]
MergeRare = Annotated[
    list[str] | None,
    typer.Option(
        "--merge-rare",
        metavar="COLUMN=ROWS",
        help="Put categories that fewer rows have together as 'other': job=20. May be repeated.",
    ),
]
Categorical = Annotated[
    list[str] | None, typer.Option("--categorical", help="A column of numbers that are categories. May be repeated.")
]
Missing = Annotated[str | None, typer.Option(help="What missing cells are called; without it they are refused.")]
Shuffle = Annotated[
    bool,
    typer.Option(
        "--shuffle/--keep-order",
        help="Rows in random order, or in that of the input, by which people may be found though their names are left out.",
    ),
]
Report = Annotated[Path | None, typer.Option(help="Write a web page for the owner here: it names rows; only you can read it.")]
Tree = Annotated[Path | None, typer.Option(help="Save a picture of the tree (.svg, .png or .html), for the owner.")]
Compare = Annotated[
    Path | None,
    typer.Option(help="Compare with plain randomised response: print a table and save a picture here, for the owner."),
]
CompareLevels = Annotated[
    list[float] | None, typer.Option("--compare-level", help="A minimum deniability to compare at. May be repeated.")
]
LimitPosterior = Annotated[float, typer.Option(help="Check: how sure an attacker may be who knows the group.")]
LimitRows = Annotated[int, typer.Option(help="Check: fewest people in a group.")]
LimitSkew = Annotated[float, typer.Option(help="Check: how far a group's answers may be from those of all.")]
LimitSkewRatio = Annotated[
    float, typer.Option(help="Check: how many times as frequent an answer may be in a group as among all.")
]
LimitRuledOut = Annotated[float, typer.Option(help="Check: how sure an attacker may be who also rules out one answer.")]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Write nothing but the report if a check fails, and end with 2. Without it the file is written, with a warning.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, with the exposed rows.")]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite existing outputs.")]
