"""`deniable survey accounts` and `audit`: who may log in to the organiser's pages, and what was done."""

from __future__ import annotations

import datetime
import secrets
from typing import Annotated, Any

import typer
from rich.table import Table

from deniable.cli.serve import DEFAULT_DB, Database, Keys
from deniable.cli.show import console
from deniable.cli.survey import app, opened
from deniable.errors import ParameterError, RefusedError

accounts_app = typer.Typer(
    help="Who may log in to the organiser's pages: owners, who may do everything, and analysts, who see results.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(accounts_app, name="accounts")
Name = Annotated[str, typer.Argument(help="What the person is called; with spaces: in quotes.")]
Role = Annotated[str, typer.Option(help="owner or analyst.")]
Address = Annotated[str, typer.Option(help="The address of the service, https://HOST, for the link that is printed.")]
_LOCAL = "http://127.0.0.1:8000"


@accounts_app.command("list")
def list_(db: Database = DEFAULT_DB, keys: Keys = None) -> None:
    """Show the accounts: names, roles, and whether a password was chosen."""
    with opened(db, keys) as store:
        found = store.accounts()
    table = Table()
    for heading in ("name", "role", "password"):
        table.add_column(heading, overflow="fold")
    for one in found:
        table.add_row(_plain(one.name), one.role, _state(one))
    console().print(table)
    if not found:
        print("Nobody yet: deniable serve prints a link by which the first owner chooses a password.")


@accounts_app.command("add")
def add(name: Name, role: Role = "analyst", address: Address = _LOCAL, db: Database = DEFAULT_DB, keys: Keys = None) -> None:
    """Add an account, and print the link by which that person chooses a password. It works once, for a week."""
    from deniable.survey.store.audit import COMMAND_LINE

    key = secrets.token_urlsafe(32)
    server = _server(address)
    with opened(db, keys) as store:
        made = store.add_account(name, role, _hash(key), COMMAND_LINE)
    print(f"{made.name} is an account now ({made.role}).")
    _tell_link(server, key, made)


@accounts_app.command("role")
def role(
    name: Name, role: Annotated[str, typer.Argument(help="owner or analyst.")], db: Database = DEFAULT_DB, keys: Keys = None
) -> None:
    """Give an account another role. It is logged out at once. The last owner stays one."""
    from deniable.survey.store.audit import COMMAND_LINE

    with opened(db, keys) as store:
        made = store.set_role(_stamp(store, name), role, COMMAND_LINE)
    print(f"{made.name}: {made.role}.")


@accounts_app.command("link")
def link(name: Name, address: Address = _LOCAL, db: Database = DEFAULT_DB, keys: Keys = None) -> None:
    """Print a new link by which a password is chosen. The old password is good no longer, and the account is logged out at once.

    The last owner who has a password keeps it; if it is forgotten: deniable serve --reset-password.
    """
    from deniable.survey.store.audit import COMMAND_LINE

    key = secrets.token_urlsafe(32)
    server = _server(address)
    with opened(db, keys) as store:
        made = store.new_link(_stamp(store, name), _hash(key), COMMAND_LINE)
    _tell_link(server, key, made)


@accounts_app.command("remove")
def remove(name: Name, db: Database = DEFAULT_DB, keys: Keys = None) -> None:
    """Remove an account. It is logged out at once. The last owner cannot be removed."""
    from deniable.survey.store.audit import COMMAND_LINE

    with opened(db, keys) as store:
        store.remove_account(_stamp(store, name), COMMAND_LINE)
    print(f"{_plain(name)} is no longer an account.")


@app.command("audit")
def audit(
    lines: Annotated[int, typer.Option(min=1, help="How many lines, the newest first.")] = 50,
    db: Database = DEFAULT_DB,
    keys: Keys = None,
) -> None:
    """Show what organisers did: who, on which day, what. Nothing about people who answer, and no time of day."""
    from deniable.web.account_pages import what_was_done

    with opened(db, keys) as store:
        found = store.audit_lines(None, lines)
    table = Table()
    for heading in ("day", "who", "what"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "day")
    table.add_column("times", justify="right")
    for line in found:
        who = line.actor.name if line.actor.kind == "account" else {"unknown": "somebody"}.get(line.actor.kind, line.actor.kind)
        table.add_row(line.day, _plain(who), _plain(what_was_done(line, "en")), f"{line.times:,}")
    console().print(table)


def _state(one: Any) -> str:
    if one.ready:
        return "chosen"
    good = one.link_until is not None and one.link_until >= datetime.date.today().isoformat()
    return f"link good until {one.link_until}" if good else "link no longer good"


def _stamp(store: Any, name: str) -> str:
    found = store.account_by_name(name)
    if found is None:
        there = ", ".join(one.name for one in store.accounts()) or "none yet"
        raise RefusedError("unknown_account", "There is no account {name!r}; there are: {there}.", name=name, there=there)
    return str(found[0].stamp)


def _hash(key: str) -> str:
    from deniable.web.accounts import link_hash

    return link_hash(key)


def _server(address: str) -> str:
    from deniable.web.single_page import server_address

    try:
        return str(server_address(address))
    except ParameterError:
        sentence = "{got!r} is not an address for a link by which a password is chosen; write --address https://HOST."
        raise ParameterError("bad_server", sentence, got=address) from None


def _tell_link(server: str, key: str, made: Any) -> None:
    print(f"{server}/organiser/first/{key}")
    print(f"Give {made.name} this link, and nobody else: by it a password is chosen, once, until {made.link_until}.")


def _plain(text: str) -> Any:
    """As it is: no markup of the table's, and no marks that only pages need."""
    from rich.text import Text

    return Text(text.replace("\u2068", "").replace("\u2069", ""))
