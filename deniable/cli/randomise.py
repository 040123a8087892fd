"""`deniable randomise`: a data owner randomises a file and passes it on with its schema."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from deniable.cli.bars import Bar
from deniable.core.channels.base import rounded_up
from deniable.core.schema import Schema
from deniable.files.atomic import refuse_same
from deniable.files.sidecar import NOTICE, sidecar
from deniable.plurals import counted
from deniable.privacy import warnings_of
from deniable.privacy.reporting.warnings import ALL_TOGETHER, weak_together


def randomise(
    data: Annotated[Path, typer.Argument(help="The true data: a CSV (also .csv.gz) or Parquet file.")],
    schema: Annotated[Path, typer.Option("--schema", "-s", help="Which channel hides which column (JSON).")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the randomised file goes (.csv, .csv.gz, .parquet).")],
    keep: Annotated[
        list[str] | None, typer.Option("--keep", "-k", help="Pass this column on as it is. May be repeated.")
    ] = None,
    drop: Annotated[list[str] | None, typer.Option("--drop", help="Leave this column out. May be repeated.")] = None,
    keep_order: Annotated[
        bool,
        typer.Option(
            "--keep-order", help="Keep the order of the rows, and say what it gives away; by default rows are shuffled."
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing output.")] = False,
) -> None:
    """Randomise every row of a file, drawing from the operating system's randomness.

    The schema is written beside the output (NAME.schema.json), and inside it if it is Parquet.
    A column that is neither in the schema, nor kept, nor dropped, is refused. Rows are written in random order: in a sorted file
    they would give away about one another what epsilon does not cover.
    """
    read = Schema.load(schema)
    refuse_same(output, schema)
    order = "kept" if keep_order else "shuffled"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rows = read.randomise(data, keep=keep or (), order=order, output=output, force=force, progress=Bar(), drop=drop or ())
    print(f"{counted(rows, 'row')} randomised to {output}, schema in {sidecar(output)}.")
    openly = [block.name for block in read.blocks if block.open]
    of = f" (without what is reported openly: {', '.join(openly)})" if openly else ""
    print(
        f"Epsilon per respondent{of}: {rounded_up(read.hidden_epsilon)}. It limits what one report says about one person, not what rows"
    )
    print("give away about one another, as in a sorted file.")
    if keep_order:
        print("warning: Rows are in the order of the input: anyone who knows that order knows whose row is whose.")
    else:
        print("Rows are in random order.")
    for warning in caught:
        print(f"warning: {warning.message}")
    for block in read.blocks:
        for sentence in warnings_of(block):
            print(f"warning: {block.name}: {sentence}")
    for sentence in weak_together([block.epsilon for block in read.blocks if not block.open]):
        print(f"warning: {ALL_TOGETHER}: {sentence}")
    if keep:
        print(
            f"warning: Passed on as they are: {', '.join(keep)}. Anyone who knows them of a person may find that person's row."
        )
    print(NOTICE)
