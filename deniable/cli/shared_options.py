"""Options of more than one file of commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing output.")]
SchemaFile = Annotated[Path | None, typer.Option("--schema", "-s", help="The schema, if it does not travel with the data.")]
Language = Annotated[
    str | None,
    typer.Option(
        metavar="LANGUAGE",
        help="For answers to a survey: its questions and answers as they were asked in this language (pl), in the table too. Pictures "
        "have them without it, in the survey's first language; none keeps the values of the data.",
    ),
]
