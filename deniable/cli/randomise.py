"""`deniable randomise`: a data owner distorts a file and hands it on with its schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deniable.cli.bars import Bar
from deniable.core.channel import rounded_up
from deniable.core.files import NOTICE, sidecar
from deniable.core.schema import Schema


def randomise(
    data: Annotated[Path, typer.Argument(help="The true data: a CSV (also .csv.gz) or Parquet file.")],
    schema: Annotated[Path, typer.Option("--schema", "-s", help="Which channel hides which column (JSON).")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the randomised file goes (.csv, .csv.gz, .parquet).")],
    keep: Annotated[
        list[str] | None, typer.Option("--keep", "-k", help="Hand this column on as it is. May be repeated.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing output.")] = False,
) -> None:
    """Randomise every row of a file, drawing from the operating system's randomness.

    The schema is written beside the output (NAME.schema.json), and inside it where it is Parquet.
    A column that is neither in the schema nor kept is refused.
    """
    read = Schema.load(schema)
    rows = read.randomise(data, keep=keep or (), output=output, force=force, progress=Bar())
    print(f"{rows:,} rows randomised to {output}, schema in {sidecar(output)}.")
    print(f"Epsilon a respondent: {rounded_up(read.epsilon)}.")
    if not read.exact:
        print("Some channels work in floating point: this file is a simulation and protects nobody.")
    print(NOTICE)
