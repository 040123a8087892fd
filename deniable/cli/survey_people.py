"""`deniable survey invite`, `revoke`, `contacts` and `erase`: who may answer, and what is kept of people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from deniable.cli.csv_options import reads_csv
from deniable.cli.serve import DEFAULT_DB, Database, Keys
from deniable.cli.shared_options import Force
from deniable.cli.survey import Slug, app, opened
from deniable.errors import ParameterError
from deniable.files.atomic import file_exists, refuse_same, write_text
from deniable.plurals import counted


@app.command("invite")
@reads_csv
def invite(
    slug: Slug,
    people: Annotated[Path, typer.Argument(help="A list with columns as LimeSurvey names them (CSV).")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the list with tokens goes (CSV).")],
    status: Annotated[
        bool, typer.Option("--status", help="Invite nobody; fill in who has answered (`completed`, `usesleft`), in batches.")
    ] = False,
    link: Annotated[
        str | None, typer.Option(help="The address of the service, https://HOST: adds a column `link` with everybody's own.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Invite although there are invitations already, or one address stands there twice.")
    ] = False,
    db: Database = DEFAULT_DB,
    keys: Keys = None,
    force: Force = False,
) -> None:
    """Give everybody on a list a token that opens the survey once. Only hashes are stored: the list is yours to keep or destroy.

    To invite more people later, add them to the list that was written: anyone who has a token keeps it. Tokens are taken back by `revoke`.
    A text that a spreadsheet would run as a formula (=, +, -, @ first) gets an apostrophe in front, which is taken away when read.
    """
    from deniable.survey.invitations import invite as add
    from deniable.survey.invitations import read_list, with_states, write_list
    from deniable.survey.store.audit import COMMAND_LINE

    refuse_same(output, people)
    _check_link(link)
    if output.exists() and not force:
        # Before tokens are stored that nobody could be told.
        raise file_exists(output)
    listed = read_list(people)
    with opened(db, keys) as store:
        made = with_states(store, slug, listed) if status else add(store, slug, listed, again)
        store.record(COMMAND_LINE, "looked_up" if status else "invited", slug)
        only_invited = store.overview(slug).invited
    if link is not None:
        made = [row | {"link": f"{link.rstrip('/')}/s/{slug}#{row['token']}"} for row in made]
    write_list(output, made, force)
    done = sum(row["completed"] == "Y" for row in made)
    print(
        f"{counted(len(made), 'person', 'people')} in {output}"
        + (f", {done:,} {'has' if done == 1 else 'have'} answered." if status else ".")
    )
    if status:
        print(
            "People who have answered since the last batch of 50 are not among them yet: say in a reminder that it is not meant for them."
        )
    if not status and link is None:
        print(f"Everybody's link: ADDRESS/s/{slug}#TOKEN. What follows # is not sent when the page is loaded.")
    if not status and not only_invited:
        print("note: this survey is open to all: anyone can answer without a token. For the invited only: invited: true.")


def _check_link(link: str | None) -> None:
    if link is None:
        return
    try:
        parts = urlsplit(link)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query and not parts.fragment
    except ValueError:
        fits = False
    if not fits:
        raise ParameterError("bad_link", "{got!r} is not the address of a service; write --link https://HOST.", got=link)


@app.command("revoke")
@reads_csv
def revoke(
    slug: Slug,
    people: Annotated[
        Path, typer.Argument(help="A list that `invite` wrote, or the rows of it whose tokens are taken back (CSV).")
    ],
    db: Database = DEFAULT_DB,
    keys: Keys = None,
) -> None:
    """Take back the tokens of a list: anyone who has not answered yet no longer can. Answers that came with them stay.

    Tokens that were used since the last batch are counted with those taken back.
    """
    from deniable.survey.invitations import read_list
    from deniable.survey.invitations import revoke as take_back
    from deniable.survey.store.audit import COMMAND_LINE

    listed = read_list(people)
    with opened(db, keys) as store:
        revoked, used = take_back(store, slug, listed)
        store.record(COMMAND_LINE, "revoked", slug)
    print(f"{counted(revoked, 'invitation is', 'invitations are')} no longer valid.")
    if used:
        print(f"{used:,} {'was' if used == 1 else 'were'} used before and {'stays' if used == 1 else 'stay'} used.")


@app.command("contacts")
def contacts(
    slug: Slug,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the register goes (CSV).")],
    db: Database = DEFAULT_DB,
    keys: Keys = None,
    force: Force = False,
) -> None:
    """Write the register of a survey that keeps contact details: of the people whose answers have been released.

    A text that a spreadsheet would run as a formula (=, +, -, @ first) gets an apostrophe in front.
    """
    from deniable.survey.spreadsheets import table
    from deniable.survey.store.audit import COMMAND_LINE

    with opened(db, keys) as store:
        rows = store.contacts(slug)
        store.record(COMMAND_LINE, "register", slug)
    names = list(dict.fromkeys(name for row in rows for name in row)) or ["code"]
    write_text(output, table(names, rows, exact=("code",)), force, private=True)
    print(f"{counted(len(rows), 'contact')} written to {output}.")


@app.command("erase")
def erase(
    slug: Slug,
    code: Annotated[str, typer.Argument(help="The receipt code that the person was shown.")],
    db: Database = DEFAULT_DB,
    keys: Keys = None,
) -> None:
    """Erase a person's contact details and answers, by their receipt code."""
    with opened(db, keys) as store:
        details, answers = store.erase(slug, code)
    print(f"Erased: contact details of {counted(details, 'person', 'people')}, {counted(answers, 'row')} of answers.")
    if not details and not answers:
        raise typer.Exit(1)
