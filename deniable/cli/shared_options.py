"""Options of more than one file of commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing output.")]
SchemaFile = Annotated[Path | None, typer.Option("--schema", "-s", help="The schema, if it does not travel with the data.")]
Data = Annotated[
    str,
    typer.Argument(help="CSV or Parquet path or glob, duckdb:///f.db#table, sqlite:///f.db#table or postgresql://...#table."),
]
Engine = Annotated[
    str | None,
    typer.Option(help="duckdb, arrow or spark; by default chosen by what is installed and by size."),
]
Language = Annotated[
    str | None,
    typer.Option(
        metavar="LANGUAGE",
        help="For answers to a survey: show its questions and answers as they were asked in this language (pl), in tables too. Pictures "
        "show them anyway, in the survey's first language; none keeps the values of the data.",
    ),
]
