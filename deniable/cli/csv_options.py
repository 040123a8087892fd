"""`--delimiter`, `--encoding`, `--decimal`: how CSV files are written, for every command that reads them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from deniable.files.csv_format import reading_csv

_OPTIONS = {
    "delimiter": Annotated[
        str | None, typer.Option(help="What separates the cells of CSV files: , ; | or tab. Detected by default.", show_default=False)
    ],
    "encoding": Annotated[
        str | None, typer.Option(help="The encoding of CSV files that are not UTF-8 (or UTF-16): windows-1250, ...", show_default=False)
    ],
    "decimal": Annotated[
        str | None, typer.Option(help="The decimal sign of numbers in CSV files, . or , if they do not show it.", show_default=False)
    ],
}  # fmt: skip


def reads_csv(command: Callable[..., None]) -> Callable[..., None]:
    """The command with options that say how its CSV files are written; they come last."""

    @functools.wraps(command)
    def reading(*given: Any, delimiter: str | None, encoding: str | None, decimal: str | None, **named: Any) -> None:
        sign = "\t" if delimiter in ("tab", "\\t") else delimiter
        with reading_csv(sign, encoding, decimal):
            command(*given, **named)

    signature = inspect.signature(command, eval_str=True)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in _OPTIONS.items()
    ]
    reading.__signature__ = signature.replace(parameters=[*signature.parameters.values(), *added])  # type: ignore[attr-defined]
    return reading


_ANSWERS = {
    "csv_delimiter": "Answer with --delimiter, such as --delimiter ';'.",
    "csv_encoding": "Answer with --encoding, such as --encoding windows-1250.",
    "csv_decimal": "Answer with --decimal , or --decimal .",
}
_UNSAID = "unless the decimal sign is said to be a comma"


def with_option(code: str, sentence: str) -> str:
    """The sentence of an error that asks how a file is written, with the option that answers; others as they are.

    >>> with_option("csv_encoding", "Which encoding is it?")
    'Which encoding is it? Answer with --encoding, such as --encoding windows-1250.'
    """
    return f"{sentence} {_ANSWERS[code]}" if code in _ANSWERS else sentence.replace(_UNSAID, "or with --decimal ,")
