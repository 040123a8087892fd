"""`deniable survey try`: a trial with colleagues, or made-up answers, before a survey is opened."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deniable.cli.serve import DEFAULT_DB, Database, Keys
from deniable.cli.survey import app, read_questionnaire, shown_place
from deniable.plurals import counted


@app.command("try")
def try_(
    questionnaire: Annotated[Path, typer.Argument(help="A questionnaire (YAML or JSON).")],
    made_up: Annotated[
        int | None,
        typer.Option(
            metavar="PEOPLE", help="Instead of a trial: so many made-up residents, to see what results will look like."
        ),
    ] = None,
    db: Database = DEFAULT_DB,
    keys: Keys = None,
) -> None:
    """Try a questionnaire in a survey of its own, whose answers count in no other.

    A trial is answered by colleagues, on the real page with a banner. Its name, which is its address too, ends in something that nobody
    can guess (trial--SURVEY--3f9a0c71d2b8). With --made-up, people who do not exist answer, as made-up--SURVEY: what they answer is mixed
    and stored as real answers are, and the survey is closed. Running it again replaces the one before, unless the same trial is still
    open; a new trial has a new address. `deniable survey delete NAME` ends either.
    """
    from deniable.survey.backup import new_store
    from deniable.survey.store.audit import COMMAND_LINE
    from deniable.survey.trials import make_up, open_trial

    read = read_questionnaire(questionnaire)
    with new_store(db, keys) as store:
        tried = open_trial(store, read, COMMAND_LINE) if made_up is None else make_up(store, read, made_up, COMMAND_LINE)
    if tried.replaced:
        print("The one before it was deleted, with its answers.")
    serve = f"deniable serve --db {shown_place(db)}"
    if made_up is None:
        print(f"The trial is open: {tried.slug}. Serve it: {serve}; people answer at /s/{tried.slug}.")
    else:
        print(f"{counted(made_up, 'made-up resident')} answered {tried.slug}, which is closed. See the results: {serve}")
        print(f"Or the report: deniable survey report {tried.slug} -o FILE.html")
    print(f"Its answers count in no survey. Delete it: deniable survey delete {tried.slug}")
