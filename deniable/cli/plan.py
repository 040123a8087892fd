"""`deniable plan`: what a questionnaire or a schema will be able to tell, before anyone is asked."""

from __future__ import annotations

import json
import math
import sys
import textwrap
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from deniable.cli.given_file import is_questionnaire
from deniable.cli.show import console
from deniable.core.schema import Schema
from deniable.errors import ParameterError
from deniable.files.atomic import refuse_same
from deniable.planning import plan_text
from deniable.planning.budget import Proposal
from deniable.planning.known_to import SHARE
from deniable.planning.plan import plan as make_plan
from deniable.planning.planned import Plan, Strongest
from deniable.planning.precision import MOST_ANSWERS, NEVER
from deniable.planning.words import Words, words_of


def plan(
    given: Annotated[
        Path,
        typer.Argument(
            metavar="QUESTIONNAIRE|SCHEMA",
            help="A questionnaire (YAML or JSON), a schema (JSON), or a Parquet file that carries one.",
        ),
    ],
    answers: Annotated[int, typer.Option(min=1, help="How many answers are expected.")] = 1_000,
    margin: Annotated[
        float | None,
        typer.Option(help="A margin in points (5): how many answers it takes for a share of 20%, and the strongest protection with which "
                     "those expected give it."),
    ] = None,
    group: Annotated[
        float, typer.Option(help="The share of the people in a group that is looked at by itself and compared with everyone else.")
    ] = 0.5,
    by: Annotated[
        str | None, typer.Option(metavar="ATTRIBUTE", help="The attribute by whose answer people are in that group.")
    ] = None,
    budget: Annotated[
        float | None, typer.Option(metavar="ODDS", help="Propose how to share these odds, of all questions together, over them.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Save a picture of the margins (.svg, .png or .html).")] = None,
    against: Annotated[str, typer.Option(help="Draw margins against the number of answers, or against odds.")] = "answers",
    language: Annotated[str, typer.Option(help="The language of tables, pictures and mistakes: en or pl.")] = "en",
) -> None:  # fmt: skip
    """Say what a questionnaire or a schema will be able to tell, before anyone is asked.

    Margins, the differences between groups that would be found, how many answers a margin takes, how strong the protection may be, and how
    to share a budget over the questions.
    """
    words = words_of(language)
    _refuse(given, margin, group, budget, plot, against)
    found = make_plan(_asked(given), answers, group, by)
    part = None if margin is None else margin / 100
    strongest = {} if part is None else found.strongest(part)
    proposal = None if budget is None else found.share_budget(total_odds=budget)
    if as_json:
        print(json.dumps(_as_json(found, part, strongest, proposal), indent=2, ensure_ascii=False))
    else:
        _show(found, words)
        if part is not None:
            _show_margin(found, part, strongest, words)
        if proposal is not None:
            _show_budget(proposal, words)
    if plot is not None:
        from deniable import charts

        charts.save(found.plot(against, language=language), plot)
        print(words.picture.format(path=plot), file=sys.stderr if as_json else sys.stdout)


def _refuse(given: Path, margin: float | None, group: float, budget: float | None, plot: Path | None, against: str) -> None:
    """Refuse what cannot be met before anything is worked out."""
    if margin is not None and not 0 < margin < 50:
        raise ParameterError(
            "margin_points", "--margin is in percentage points, above 0 and below 50, such as 5; got {got:g}.", got=margin
        )
    if not 0 < group < 1:
        raise ParameterError(
            "group_share", "--group is a share of the people, between 0 and 1, such as 0.3; got {got:g}.", got=group
        )
    if budget is not None and not 1 < budget < 1e9:
        raise ParameterError(
            "budget_odds",
            "--budget is the odds of all questions together, above 1; got {got:g}.",
            got=budget,
        )
    if against not in ("answers", "odds"):
        raise ParameterError("against", "--against must be answers or odds, got {got}.", got=against)
    if plot is not None:
        from deniable import charts

        charts.check_path(plot)
        refuse_same(plot, given)


def _asked(given: Path) -> Any:
    """The questionnaire or the schema."""
    if not is_questionnaire(given):
        return Schema.load(given)
    from deniable.survey.questionnaire import Questionnaire

    return Questionnaire.load(given)


def _show(found: Plan, words: Words) -> None:
    head, rows = plan_text.table_of(found, words)
    print(plan_text.heading(found, words))
    for columns in _fitting(head, rows, console().width):
        table = Table()
        for i in columns:
            table.add_column(
                escape(head[i]), justify="left" if i == 0 else "right", overflow="fold", width=_width(head, rows, i)
            )
        for row in rows:
            table.add_row(*(escape(row[i]) for i in columns))
        console().print(table)
    for sentence in plan_text.sentences(found, words):
        _say(sentence)


def _say(sentence: str) -> None:
    print(textwrap.fill(sentence, console().width))


def _width(head: list[str], rows: list[list[str]], i: int) -> int:
    """How wide a column is at least: no word of its head is broken, and no cell."""
    return max(map(len, [*head[i].split(), *(row[i] for row in rows)]))


def _fitting(head: list[str], rows: list[list[str]], width: int) -> list[list[int]]:
    """The columns of one table after another, each as wide as fits; all begin with the names."""
    tables, room = [[0]], width
    for i in range(1, len(head)):
        needed = _width(head, rows, i) + 3
        if i == 1 or (len(tables[-1]) > 1 and room < needed):
            room = width - _width(head, rows, 0) - 4
            if i > 1:
                tables.append([0])
        tables[-1].append(i)
        room -= needed
    return tables


def _points(part: float, words: Words, digits: str = ".1f") -> str:
    return words.points.format(number=words.numbers.number(100 * part, digits))


def _show_margin(found: Plan, part: float, strongest: dict[str, Strongest], words: Words) -> None:
    needed = {name: found.answers_for(part, name) for name in found.names()}
    what = words.share.format(share=words.numbers.number(100 * SHARE, ".3g") + "%")
    said = {"margin": _points(part, words, ".3g"), "what": what}
    enough = {name: answers for name, answers in needed.items() if answers is not None}
    if enough:
        most = max(enough, key=lambda name: enough[name])
        _say(words.needs.format(**said, answers=words.numbers.number(enough[most], ",d"), name=most))
    never = [name for name in needed if found.margin(name) == NEVER]
    hopeless = [name for name in needed if name not in enough and name not in never]
    if hopeless:
        many = words.numbers.number(MOST_ANSWERS, ",d")
        _say(words.needs_none.format(**said, most=many, name=", ".join(hopeless)))
    if never:
        _say(words.needs_never.format(name=", ".join(never)))
    others = [name for name in found.channels if name not in needed]
    if others:
        _say(words.needs_not.format(names=", ".join(others)))
    if strongest:
        n = words.numbers.number(found.answers, ",d")
        print(words.strongest_heading.format(margin=said["margin"], n=n))
        for name, one in strongest.items():
            if one.odds is None or one.margin is None:
                print("  " + (words.strongest_never if name in never else words.strongest_none).format(name=name, n=n))
                continue
            odds, reached = words.numbers.number(one.odds, ".1f"), _points(one.margin, words, ".2f")
            print("  " + words.strongest.format(name=name, odds=odds, design=type(one.channel).__name__, margin=reached))


def _show_budget(proposal: Proposal, words: Words) -> None:
    _say(proposal.sentence(words))
    head, rows = proposal.cells(words)
    table = Table()
    for name in head:
        table.add_column(escape(name), justify="left" if name in (head[0], head[2]) else "right")
    for row in rows:
        table.add_row(*map(escape, row))
    console().print(table)
    for note in proposal.notes(words):
        _say(note)


def _as_json(found: Plan, part: float | None, strongest: dict[str, Strongest], proposal: Proposal | None) -> dict[str, Any]:
    content: dict[str, Any] = {
        "answers": found.answers,
        "group": found.group,
        "by": found.by,
        "attributes": [
            {
                "name": row.name,
                "odds": row.odds if math.isfinite(row.odds) else None,
                "open": row.open,
                "worth": None if math.isnan(row.worth) else row.worth,
                **{key: None if value == NEVER else value for key, value in row.figures.items()},
                "never": [key for key, value in row.figures.items() if value == NEVER],
            }
            for row in found.rows
        ],
        "left_out": found.left_out,
    }
    if part is not None:
        content["margin"] = part
        content["answers_for_margin"] = {name: found.answers_for(part, name) for name in found.names()}
        content["strongest"] = {name: {"odds": one.odds, "margin": one.margin} for name, one in strongest.items()}
    if proposal is not None:
        content["budget"] = [
            {
                "name": row.name,
                "odds": row.odds,
                "epsilon": row.epsilon,
                "asked_for": row.use,
                "margin": None if row.margin == NEVER else row.margin,
            }
            for row in proposal.rows
        ]
    return content
