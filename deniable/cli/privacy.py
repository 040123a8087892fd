"""`deniable privacy`: what a questionnaire gives away, on the terminal, as JSON or as a page for those who have to approve it."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from deniable.cli.given_file import is_questionnaire
from deniable.cli.show import console
from deniable.core.channels.base import Channel
from deniable.core.schema import Schema
from deniable.errors import FileError, ParameterError
from deniable.files.atomic import refuse_same, write_text
from deniable.privacy.reporting.polish import capital, number, sayer
from deniable.privacy.reporting.report import PrivacyReport, report
from deniable.privacy.reporting.words import FOR_SCALE, ONE_REPORT, factor

EXPECTED = 1_000
"""How many answers to a questionnaire are expected by default."""


def privacy(
    given: Annotated[
        Path,
        typer.Argument(
            metavar="QUESTIONNAIRE|SCHEMA",
            help="A questionnaire (YAML or JSON), a schema (JSON), or a Parquet file that carries one.",
        ),
    ],
    prior: Annotated[
        Path | None,
        typer.Option(help='How frequent the answers are thought to be: JSON such as {"smokes": {"yes": 0.1, "no": 0.9}}.'),
    ] = None,
    answers: Annotated[
        int | None, typer.Option(min=1, help="How many answers to a questionnaire are expected (by default 1000).")
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            help="The language in which a questionnaire is shown, such as pl; the report itself is in Polish or English."
        ),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write the report as a web page here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON instead of a table.")] = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing output.")] = False,
) -> None:
    """Say in words what each question gives away, warn about leaks, and compare with published figures."""
    if html is not None:
        refuse_same(html, given, *([prior] if prior is not None else []))
    found = _report(given, prior, answers, language)
    if html is not None:
        write_text(html, found.to_html(), force)
    if as_json:
        print(json.dumps(_as_json(found), indent=2, ensure_ascii=False))
    else:
        show(found)
    if html is not None:
        print(sayer(found.language)(f"Report written to {html}."), file=sys.stderr if as_json else sys.stdout)


def _report(given: Path, prior: Path | None, answers: int | None, language: str | None) -> PrivacyReport:
    if not is_questionnaire(given):
        if answers is not None:
            raise ParameterError(
                "answers_of_schema", "The number of answers is for questionnaires only; {path} is a schema.", path=str(given)
            )
        if language is not None:
            raise ParameterError(
                "language_of_schema", "A language can be chosen for questionnaires only; {path} is a schema.", path=str(given)
            )
        schema = Schema.load(given)
        return report(schema, None if prior is None else _read_prior(prior, schema))
    from deniable.survey.questionnaire import Questionnaire
    from deniable.survey.reporting import privacy_report

    asked = Questionnaire.load(given)
    return privacy_report(asked, answers or EXPECTED, None if prior is None else _read_prior(prior, asked.schema), language)


def _read_prior(path: Path, schema: Schema) -> dict[str, Any]:
    try:
        given = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise FileError("no_file", "{path} does not exist.", path=str(path)) from None
    except UnicodeDecodeError:
        raise FileError("not_text", "{path} is not a text file in UTF-8.", path=str(path)) from None
    except json.JSONDecodeError as error:
        raise FileError(
            "not_json",
            "{path} is not JSON: {reason} at line {line}, column {column}.",
            path=str(path),
            reason=error.msg,
            line=error.lineno,
            column=error.colno,
        ) from None
    if not isinstance(given, dict):
        raise ParameterError(
            "prior_mapping",
            "{path} must hold an object from attribute to distribution, got {got!r}.",
            path=str(path),
            got=given,
        )
    return {name: _labelled(schema[name], value) if name in schema else value for name, value in given.items()}


def _labelled(channel: Channel, value: Any) -> Any:
    """JSON knows only text as keys: the labels that are numbers get their own form back."""
    if not isinstance(value, dict) or not channel.exact:
        return value
    by_text = {str(label): label for label in channel.inputs}
    return {by_text.get(key, key): share for key, share in value.items()}


def show(found: PrivacyReport) -> None:
    say = sayer(found.language, found.titles)
    table = Table(show_lines=True)
    table.add_column(say("question"))
    table.add_column(say("hidden by"))
    table.add_column(say("epsilon"), justify="right")
    table.add_column(say("a report changes\nanyone's odds\nby a factor of"))
    table.add_column(say("in the worst case"), ratio=1)
    for row in found.rows:
        asked = f"{row.text}\n({row.name})" if row.text else "\n".join(row.questions)
        worst = capital(say(row.says)) + (f" ({say(row.supposing)})" if row.supposing else "") + "."
        table.add_row(
            escape(asked),
            escape(say(row.hidden_by)),
            number(row.shown_epsilon, found.language),
            say(factor(row.odds)),
            escape(worst),
        )
    console().print(table)
    print(say(found.together))
    print(say(found.summary))
    for name, note in found.notes:
        print(f"{say('note')}: {found.called(name)}: {say(note)}")
    for name, warning in found.warnings:
        print(f"{say('warning')}: {found.called(name)}: {say(warning)}")
    print(say(ONE_REPORT))
    print(f"{say(FOR_SCALE)}:")
    for d in found.deployments:
        print(f"  {say(d.who)} ({d.year}): epsilon {number(d.epsilon, found.language)}, {say(d.of_what)}")


def _as_json(found: PrivacyReport) -> dict[str, Any]:
    return {
        "fingerprint": found.schema.fingerprint,
        "epsilon": _finite(found.epsilon),
        "asked_openly": list(found.asked_openly),
        "summary": found.summary,
        "questions": [
            {
                "name": row.name,
                **({"text": row.text} if row.text else {}),
                "attributes": list(row.questions),
                "hidden_by": row.hidden_by,
                "answers": row.answers,
                "open": row.open,
                "epsilon": _finite(row.epsilon),
                "odds": row.odds,
                "worst_case": row.says,
                "supposing": row.supposing,
                "warnings": list(row.warnings),
            }
            for row in found.rows
        ],
        "warnings": [{"about": name, "warning": warning} for name, warning in found.warnings],
        "notes": [{"about": name, "note": note} for name, note in found.notes],
        "published": [{"who": d.who, "year": d.year, "epsilon": d.epsilon, "of": d.of_what} for d in found.deployments],
    }


def _finite(epsilon: float) -> float | None:
    """JSON has no infinity: null means that there is no limit."""
    return None if math.isinf(epsilon) else epsilon
