"""`deniable randomise`: a data owner distorts a file and hands it on with its schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deniable.cli.bars import Bar
from deniable.core.channel import rounded_up
from deniable.core.files import NOTICE, refuse_same, sidecar
from deniable.core.schema import Schema
from deniable.privacy import warnings_of


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
    refuse_same(output, schema)
    rows = read.randomise(data, keep=keep or (), output=output, force=force, progress=Bar())
    print(f"{rows:,} {'row' if rows == 1 else 'rows'} randomised to {output}, schema in {sidecar(output)}.")
    print(f"Epsilon a respondent: {rounded_up(read.epsilon)}.")
    for block in read.blocks:
        for warning in warnings_of(block):
            print(f"warning: {block.name}: {warning}")
    print(NOTICE)
