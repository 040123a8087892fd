"""`deniable`: entry point, and the one place where errors become sentences and exit codes."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from deniable import __version__, interrupts
from deniable.cli import (
    classify,
    completion,
    demo,
    mine,
    privacy,
    publish,
    randomise,
    reconstruct,
    schema,
    serve,
    statistics,
    survey,
    survey_page,
    verify,
)
from deniable.cli.bars import tell_of_compiling
from deniable.cli.csv_options import reads_csv, with_option
from deniable.cli.option_words import in_options
from deniable.errors import DeniableError

BAD_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    name="deniable",
    help="Ask sensitive questions without ever learning anyone's answer.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(schema.app, name="schema")
app.command("randomise")(reads_csv(randomise.randomise))
app.command("reconstruct")(reads_csv(reconstruct.reconstruct_command))
app.command("privacy")(privacy.privacy)
app.command("publish")(reads_csv(publish.publish))
for _command in (
    statistics.count,
    statistics.share,
    statistics.mean,
    statistics.quantile,
    statistics.distribution,
    statistics.crosstab,
    statistics.difference,
    statistics.correlation,
    statistics.regression,
    statistics.candidates,
):
    app.command(_command.__name__)(reads_csv(_command))
app.command("mine")(reads_csv(mine.mine))
app.add_typer(classify.app, name="classify")
app.command("demo")(demo.demo)
survey.app.command("page")(survey_page.page)
app.add_typer(survey.app, name="survey")
app.command("serve")(serve.serve)
app.command("backup")(serve.backup)
app.command("restore")(serve.restore)
app.command("verify")(verify.verify)
app.command("completion")(completion.completion)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"deniable {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Ask sensitive questions without ever learning anyone's answer."""


def main() -> None:
    """Run the command line; bad input ends with exit code 2 and a sentence, Ctrl-C with 130 and one, never with a traceback."""
    tell_of_compiling()
    completion.answer_shells()
    with interrupts.watched():
        try:
            app(prog_name="deniable")  # however it was started: completion goes by this name
        except BaseException as error:
            # Whatever a command ends with after Ctrl-C, even success: whoever pressed it is told what is left behind.
            if interrupts.ended_by(error):
                print(interrupts.farewell(), file=sys.stderr)
                sys.exit(INTERRUPTED)
            if not isinstance(error, (DeniableError, OSError)):
                raise
            print(f"error: {_sentence(error)}", file=sys.stderr)
            sys.exit(BAD_INPUT)


def _sentence(error: DeniableError | OSError) -> str:
    if isinstance(error, DeniableError):
        return _with_options(error)
    where = f" ({error.filename})" if error.filename else ""
    return f"{error.strerror or error}{where}"


def _with_options(error: DeniableError) -> str:
    """The sentence, with the names of options where the library speaks of its parameters."""
    given = error.parameters
    if error.code == "file_exists":
        which = f"{given['path']}, which goes with {given['asked']}," if "asked" in given else given["path"]
        return f"{which} exists already; choose another name, or add --force to overwrite it."
    if error.code == "large_table":
        return (
            f"{given['a']} by {given['b']} has {given['rows']:,} x {given['columns']:,} = {given['cells']:,} cells: it takes long, and its "
            f"covariances alone {given['room']:.1f} GB. Bins make it small: --a-bins 10 --b-bins 10; every cell all the same: --a-bins all."
        )
    if error.code == "no_schema":
        found = str(error).removesuffix(": give it.").removesuffix(" Name the schema.").rstrip(".")
        if sys.argv[1:2] in (["privacy"], ["schema"]):  # these are given the schema itself
            return f"{found}. Give the file of a schema instead; deniable schema infer proposes one for true data."
        return f"{found}. Name the schema with --schema; that of a survey is written by: deniable survey schema SURVEY -o FILE"
    if error.code == "most" and "better" in given:
        found = str(error).split(": most=")[0]
        return f"{found}: --most {given['most']:g} cannot be. For example: --most {given['name']}={given['better']:.2g}"
    return with_option(error.code, in_options(error))
