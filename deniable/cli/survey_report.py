"""`deniable survey report`: what was found, for those who decide, as one page to print."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deniable.cli.serve import DEFAULT_DB, Database, Keys
from deniable.cli.shared_options import Force
from deniable.cli.survey import app, opened
from deniable.errors import ParameterError
from deniable.files.atomic import file_exists, write_text

if TYPE_CHECKING:
    from deniable.results.report.contents import Contents

FILES = (".csv", ".csv.gz", ".parquet")


@app.command("report")
def report(
    survey: Annotated[
        str,
        typer.Argument(
            metavar="SURVEY", help="The short name of a survey, or a file that was exported (.csv, .csv.gz, .parquet)."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the report goes (.html).")],
    contents: Annotated[
        Path | None,
        typer.Option(
            help="What is in it: a YAML or JSON file of questions, comparisons, cross tables and your own words (docs/organisers.md)."
        ),
    ] = None,
    question: Annotated[
        list[str] | None,
        typer.Option(help='A question, in the order given: NAME, "NAME by NAME" or "mean NAME"; all unless given.'),
    ] = None,
    compare: Annotated[
        list[str] | None,
        typer.Option(help="Two groups: \"credit: sex == 'F' | sex == 'M'\", or of one answer \"credit == overdue: ...\"."),
    ] = None,
    cross: Annotated[list[str] | None, typer.Option(help='A cross table: "credit by sex".')] = None,
    together: Annotated[list[str] | None, typer.Option(help='What goes together: "credit, sex, children".')] = None,
    words: Annotated[Path | None, typer.Option(help="A text file with your own words, shown first.")] = None,
    language: Annotated[str | None, typer.Option(help="en or pl; the survey's first unless given.")] = None,
    version: Annotated[int | None, typer.Option(help="The number of an earlier version; the newest unless given.")] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--everything", help="Groups of fewer than 50 people too, and before the first closing. Not to be published."
        ),
    ] = False,
    db: Database = DEFAULT_DB,
    keys: Keys = None,
    force: Force = False,
) -> None:
    """Write a report that a town council can read: who answered, what was found, with intervals and pictures, and what cannot be said.

    One HTML file without scripts, to be printed from any browser. It shows what everyone may see: no group of fewer than 50 people, and
    nothing before the survey was closed.
    """
    from deniable.results.report.making import report_of_export, report_of_survey
    from deniable.survey.store.audit import COMMAND_LINE

    chosen = _contents(contents, words, [question, compare, cross, together])
    if output.exists() and not force:
        raise file_exists(output)  # before all the work
    if survey.lower().endswith(FILES):
        if version is not None:
            raise ParameterError("version_of_file", "A file holds one version; --version is for surveys in a database.")
        page = report_of_export(survey, chosen, language, everything)
    else:
        with opened(db, keys) as store:
            page = report_of_survey(store, survey, chosen, language, version, everything)
            if everything:
                store.record(COMMAND_LINE, "exported", survey)
    write_text(output, page, force)
    print(f"Report written to {output}. Open it in a browser; to get a PDF, print it there.")
    if everything:
        print("It may show groups of fewer than 50 people: do not publish it.")


def _contents(path: Path | None, words: Path | None, options: Sequence[list[str] | None]) -> Contents:
    """What is in the report: from a file, or from the options for questions, comparisons, cross tables and what goes together."""
    from deniable.results.report import contents as reading

    if path is not None:
        if any(options) or words:
            raise ParameterError(
                "contents_or_options",
                "Give --contents, or --question, --compare, --cross, --together and --words; not both: the file has all of them.",
            )
        return reading.read_contents(path)
    own = reading.NOTHING if words is None else reading.own_words(reading.read_text(words), str(words))
    readers = (reading.asked_for, reading.compared, reading.crossed, reading.going_together)
    questions, compare, cross, together = (tuple(map(read, given or ())) for read, given in zip(readers, options, strict=True))
    return reading.Contents(questions, compare, words=own, cross=cross, together=together)
