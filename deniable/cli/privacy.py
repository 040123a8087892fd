"""`deniable privacy`: what a questionnaire gives away, on the terminal, as JSON or as a page for whoever has to approve it."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from deniable.cli.show import console
from deniable.core.channel import Channel, rounded_up
from deniable.core.files import refuse_same, write_text
from deniable.core.schema import Schema
from deniable.errors import FileError, ParameterError
from deniable.privacy.report import PrivacyReport, report
from deniable.privacy.words import ONE_REPORT, odds


def privacy(
    schema: Annotated[Path, typer.Argument(help="A schema (JSON), or a Parquet file that carries one.")],
    prior: Annotated[
        Path | None,
        typer.Option(help='How frequent the answers are thought to be: JSON such as {"smokes": {"yes": 0.1, "no": 0.9}}.'),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write the report as a web page here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON instead of a table.")] = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing output.")] = False,
) -> None:
    """Say in words what each question gives away, warn of what leaks, and compare with published figures."""
    if html is not None:
        refuse_same(html, schema, *([prior] if prior is not None else []))
    read = Schema.load(schema)
    found = report(read, None if prior is None else _read_prior(prior, read))
    if html is not None:
        write_text(html, found.to_html(), force)
    if as_json:
        print(json.dumps(_as_json(found), indent=2, ensure_ascii=False))
    else:
        show(found)
    if html is not None:
        print(f"Report written to {html}.", file=sys.stderr if as_json else sys.stdout)


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
    table = Table(show_lines=True)
    table.add_column("question")
    table.add_column("hidden by")
    table.add_column("epsilon", justify="right")
    table.add_column("a report changes\nanyone's odds")
    table.add_column("in the worst case", ratio=1)
    for row in found.rows:
        said = row.says[0].upper() + row.says[1:] + (f" ({row.supposing})." if row.supposing else ".")
        table.add_row("\n".join(row.questions), row.hidden_by, rounded_up(row.epsilon), row.odds, said)
    console().print(table)
    print(f"Together: epsilon {rounded_up(found.epsilon)} a respondent, odds {odds(found.epsilon)}.")
    print(found.summary)
    for name, warning in found.warnings:
        print(f"warning: {name}: {warning}")
    print(ONE_REPORT)
    print("Published elsewhere, for scale:")
    for d in found.deployments:
        print(f"  {d.who} ({d.year}): epsilon {d.epsilon}, {d.of_what}")


def _as_json(found: PrivacyReport) -> dict[str, Any]:
    return {
        "fingerprint": found.schema.fingerprint,
        "epsilon": _finite(found.epsilon),
        "summary": found.summary,
        "questions": [
            {
                "name": row.name,
                "attributes": list(row.questions),
                "hidden_by": row.hidden_by,
                "answers": row.answers,
                "epsilon": _finite(row.epsilon),
                "odds": row.odds,
                "worst_case": row.says,
                "supposing": row.supposing,
                "warnings": list(row.warnings),
            }
            for row in found.rows
        ],
        "published": [{"who": d.who, "year": d.year, "epsilon": d.epsilon, "of": d.of_what} for d in found.deployments],
    }


def _finite(epsilon: float) -> float | None:
    """JSON has no infinity: null means that there is no limit."""
    return None if math.isinf(epsilon) else epsilon
