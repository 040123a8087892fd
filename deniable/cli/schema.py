"""`deniable schema`: propose a schema for a file, and check one before it is used."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from deniable.cli.bars import Bar
from deniable.cli.csv_options import reads_csv
from deniable.cli.show import console, show_designs
from deniable.core.channels.base import Channel
from deniable.core.proposal import propose
from deniable.core.schema import Schema
from deniable.files.atomic import refuse_same, write_text
from deniable.plurals import counted
from deniable.privacy.reporting.report import report
from deniable.privacy.reporting.words import factor

app = typer.Typer(help="Propose a schema for a data file, or check one.", no_args_is_help=True, rich_markup_mode=None)


@app.command("infer")
@reads_csv
def infer(
    data: Annotated[Path, typer.Argument(help="A CSV (also .csv.gz) or Parquet file.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the schema here instead of printing it.")] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing output.")] = False,
) -> None:
    """Propose a schema for the columns of a file, to be edited before use."""
    if output is not None:
        refuse_same(output, data)
    proposal, notes = propose(data, Bar())
    # No fingerprint yet: this text is meant to be edited.
    text = proposal.to_json(fingerprint=False)
    if output is None:
        print(text, end="")
    else:
        write_text(output, text, force)
        print(
            f"Schema for {counted(len(proposal), 'column')} written to {output}. Edit it, then check it: deniable schema check {output}"
        )
    for note in notes:
        print(f"note: {note}", file=sys.stderr)


@app.command("check")
def check(
    schema: Annotated[Path, typer.Argument(help="A schema (JSON), or a Parquet file that carries one.")],
    budget: Annotated[float | None, typer.Option(help="Refuse a schema whose epsilon per respondent is above this.")] = None,
) -> None:
    """Read a schema and show what each question gives away."""
    read = Schema.load(schema)
    table = Table(title=None)
    for heading in ("question", "hidden by", "answers"):
        table.add_column(heading)
    table.add_column("epsilon", justify="right")
    table.add_column("a report changes anyone's odds by a factor of")
    found = report(read)
    for block, row in zip(read.blocks, found.rows, strict=True):
        table.add_row(
            "\n".join(block.attributes),
            "\n".join(type(read[name]).__name__ for name in block.attributes),
            "\n".join(_answers(read[name]) for name in block.attributes),
            row.shown_epsilon,
            factor(row.odds),
        )
    console().print(table)
    show_designs(read)
    print(found.together)
    if found.asked_openly:
        print(f"Asked openly: not protected by randomisation ({', '.join(found.asked_openly)}).")
    print(f"Fingerprint {read.fingerprint}")
    for row in found.rows:
        for warning in row.warnings:
            print(f"warning: {row.name}: {warning}")
    if budget is not None:
        read.check_budget(budget)


def _answers(channel: Channel) -> str:
    if not channel.exact or channel.domain.size > 6:
        return channel.domain.allowed if not channel.exact else counted(channel.domain.size, "value")
    return ", ".join(str(label) for label in channel.inputs)
