"""Whom to invite: `deniable candidates`."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Annotated

import typer

from deniable.cli.candidate_words import CandidateWords, candidate_words
from deniable.cli.estimates import check_language
from deniable.cli.shared_options import Language, SchemaFile
from deniable.core.polish import Polish
from deniable.files.atomic import refuse_same, write_text
from deniable.files.tables import open_table
from deniable.picture_words import POLISH, words_of
from deniable.plurals import counted
from deniable.statistics.condition_parser import parse
from deniable.statistics.reading import read
from deniable.statistics.sample import Sample


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
            help="What rows with the same probability are drawn by: the draw of an earlier list, to make it again, or a text that "
            "nobody could choose, such as the numbers of a lottery."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing output.")] = False,
    language: Language = None,
) -> None:
    """Rows (counted from 1) that probably meet a condition, best first. None is certain to: each is listed with its probability.

    Rows with the same probability stand in the order of a draw, which is told below the list and stands in a file that is written: the
    SHA-256 of DRAW:ROW decides, the lowest first. So a list that ends among equals is fair, and anybody can check it with --draw.
    """
    if output is not None:
        refuse_same(output, Path(data))
    sample = read(data, schema)
    check_language(language, sample.schema.texts)
    condition, words = parse(where), candidate_words(language)
    listed = sample.candidates(condition, draw=draw, keep=keep or _codes(sample)).first(size)
    frame = listed.to_frame().assign(row=lambda f: f["row"] + 1)
    # A file is handed on alone, so it carries its draw; below a list that is printed it stands once.
    frame = (frame if output is None else frame.assign(draw=listed.draw)).rename(columns=dict(words.columns))
    text = frame.to_csv(index=False, float_format="%.4f")
    if output is None:
        print(text, end="")
    else:
        write_text(output, text, force, private=bool(listed.kept))
        rows = str(len(listed)) if words.columns else counted(len(listed), "row")
        expected, low, high = (words_of(language).number(x, ",.1f") for x in (listed.expected, *listed.expected_interval()))
        between = "" if math.isnan(listed.expected_interval()[0]) else words.between.format(low=low, high=high)
        print(words.written.format(rows=rows, path=output, expected=expected, between=between))
    # Beside the list, not in it: what is printed may be a CSV file by now.
    speak = Polish({}).sentence if words_of(language) is POLISH else str
    nobody = "" if listed.kept else _whose(sample, words)
    for said in (
        *(f"{words.warning}: {speak(warning)}" for warning in listed.warnings),
        *(f"{words.note}: {note}" for note in (speak(listed.note) if listed.note else "", nobody) if note),
        f"{speak(listed.cut)}." if listed.cut else "",
        words.drawn.format(draw=listed.draw),
    ):
        if said:
            print(said, file=sys.stderr)


def _whose(sample: Sample, words: CandidateWords) -> str:
    """What can be done with a list of rows that belong to nobody: without a word it would lead nowhere."""
    if sample.schema.texts is not None:
        # Only exports of surveys carry texts.
        return words.nobodys + words.no_codes
    files = [path for data, _ in sample.parts for path in getattr(data, "files", ())]
    kept = [name for name in (open_table(files[0]).columns if files else []) if name not in sample.schema]
    shown = words.kept.format(columns=", ".join(kept), first=kept[0]) if kept else ""
    return words.nobodys + words.not_kept + shown


def _codes(sample: Sample) -> list[str]:
    """The column of receipt codes that an export of a survey has, if these are its files."""
    files = [path for data, _ in sample.parts for path in getattr(data, "files", ())]
    wanted = "code"
    while wanted in sample.schema:  # then exports call it so
        wanted += "_"
    return [wanted] if files and all(wanted in open_table(path).columns for path in files) else []
