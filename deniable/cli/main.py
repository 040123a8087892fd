"""`deniable`: entry point, and the one place where errors become sentences and exit codes."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from deniable import __version__, interrupts, progress
from deniable.cli.lazy import Lazy, lazy_group
from deniable.errors import DeniableError

BAD_INPUT = 2
INTERRUPTED = 130


def _question(module: str, name: str, about: str) -> Lazy:
    """A command that asks a sample."""
    return Lazy(module, name, about, reads_csv=True, draws=True, spares_pandas=True)


COMMANDS = {
    "randomise": Lazy(
        "randomise", "randomise", "Randomise every row of a file, drawing from the operating system's randomness.", reads_csv=True
    ),
    "reconstruct": Lazy(
        "reconstruct", "reconstruct_command", "Estimate the true distribution of one attribute from its randomised reports.",
        reads_csv=True, draws=True, spares_pandas=True,
    ),
    "privacy": Lazy(
        "privacy", "privacy", "Say in words what each question gives away, warn about leaks, and compare with published figures."
    ),
    "plan": Lazy("plan", "plan", "Say what a questionnaire or a schema will be able to tell, before anyone is asked."),
    "publish": Lazy(
        "publish", "publish",
        "Publish a file in which the sensitive answers may be false for anyone, drawn from the answers of deniable groups.",
        reads_csv=True,
    ),
    "count": _question("shares", "count", "How many meet a condition."),
    "share": _question("shares", "share", "The share of those who meet a condition, of everyone or among a group."),
    "mean": _question("averages", "mean", "The mean of an attribute, of all or of those who meet a condition."),
    "quantile": _question(
        "averages", "quantile", "The value that a share q of the people does not exceed (the median unless you say otherwise)."
    ),
    "distribution": _question("shares", "distribution", "The distribution of an attribute, of all or of those who meet a condition."),
    "crosstab": _question("shares", "crosstab", "The joint distribution of two attributes."),
    "difference": _question("comparisons", "difference", "How much two groups differ, and whether that can be told from 0."),
    "correlation": _question("comparisons", "correlation", "The correlation of two attributes."),
    "regression": _question("comparisons", "regression", "Least squares of an attribute on one or more others."),
    "candidates": Lazy("candidates", "candidates", "Rows (counted from 1) that probably meet a condition, best first.", reads_csv=True),
    "mine": Lazy("mine", "mine", "Find items that occur together in the true transactions.", reads_csv=True),
    "demo": Lazy("demo", "demo", "A town answers five sensitive questions; only randomised answers are kept."),
    "serve": Lazy("serve", "serve", "Serve the surveys of a database until interrupted."),
    "backup": Lazy("serve", "backup", "Write everything of one moment to a file, while the service goes on."),
    "restore": Lazy("serve", "restore", "Fill a new database from a backup."),
    "verify": Lazy("verify", "verify", "Compare what a server sends to browsers with this release."),
    "completion": Lazy("completion", "completion", "Print the script with which a shell completes commands and options with Tab."),
    "schema": Lazy("schema", "app", "Propose a schema for a data file, or check one.", spares_pandas=True),
    "classify": Lazy("classify", "app", "Learn to predict an attribute from randomised data, and score that on randomised data."),
    "survey": Lazy("survey_page", "app", "Prepare, open, close and export surveys."),
}  # fmt: skip

app = typer.Typer(
    name="deniable",
    help="Ask sensitive questions without ever learning anyone's answer.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    cls=lazy_group(COMMANDS),
)


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


def _tell_of_compiling() -> None:
    """Say once why the first use of a command takes long; silent where standard error is not a terminal."""

    def tell() -> None:
        progress.tell_compiling(None)
        print("Compiling fast loops for this machine: once, up to a minute.", file=sys.stderr, flush=True)

    if sys.stderr.isatty():
        progress.tell_compiling(tell)


def main() -> None:
    """Run the command line; bad input ends with exit code 2 and a sentence, Ctrl-C with 130 and one, never with a traceback."""
    _tell_of_compiling()
    if "_DENIABLE_COMPLETE" in os.environ:
        from deniable.cli.completion import answer_shells

        answer_shells()
    with interrupts.watched():
        try:
            app(prog_name="deniable")  # however it was started: completion goes by this name
        except BaseException as error:
            # However a command ends after Ctrl-C, even with success: anyone who pressed it is told what is left behind.
            if interrupts.ended_by(error):
                print(interrupts.farewell(), file=sys.stderr)
                sys.exit(INTERRUPTED)
            if not isinstance(error, (DeniableError, OSError)):
                raise
            print(_printed(error), file=sys.stderr)
            sys.exit(BAD_INPUT)


def _printed(error: DeniableError | OSError) -> str:
    """The error as it is printed: in Polish if that was asked for and there are words for it, else in English."""
    from deniable.cli import polish_errors

    polish = polish_errors.in_polish(error) if isinstance(error, DeniableError) and polish_errors.wanted(sys.argv[1:]) else None
    return f"error: {_sentence(error)}" if polish is None else f"{polish_errors.BEGINS}: {polish}"


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
            f"covariances alone take {given['room']:.1f} GB. Bins make it small: --a-bins 10 --b-bins 10; for every cell: --a-bins all."
        )
    if error.code == "no_schema":
        problem = str(error).removesuffix(": give it.").removesuffix(" Name the schema.").rstrip(".")
        if sys.argv[1:2] in (["privacy"], ["schema"]):  # these are given the schema itself
            return f"{problem}. Give the file of a schema instead; deniable schema infer proposes one for true data."
        return (
            f"{problem}. Name the schema with --schema; that of a survey is written by: deniable survey schema SURVEY -o FILE"
        )
    if error.code == "most" and "better" in given:
        problem = str(error).split(": most=")[0]
        return f"{problem}: --most {given['most']:g} is impossible. For example: --most {given['name']}={given['better']:.2g}"
    from deniable.cli.csv_options import with_option  # an error has loaded all that these need
    from deniable.cli.option_words import in_options

    return with_option(error.code, in_options(error))
