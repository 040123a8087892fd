"""Accounts of those who run surveys: a name, a role, the hash of a password. Every change is one transaction together with its line in
the audit trail, and gives the account a new stamp: sessions that carry an old one are over."""

from __future__ import annotations

import datetime
import secrets
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from deniable.errors import ParameterError, RefusedError
from deniable.survey.account_names import FIRST_NAME, checked_name, folded
from deniable.survey.store.audit import Actor, lock_accounts, write_line
from deniable.survey.store.database import Database
from deniable.survey.store.engine import connected, writing
from deniable.survey.store.tables import account

OWNER, ANALYST = "owner", "analyst"
ROLES = (OWNER, ANALYST)
MOST_ACCOUNTS = 200
LINK_DAYS = 7


@dataclass(frozen=True)
class Account:
    """Who may log in, and as what. The stamp is new after every change, and names the account as it was then."""

    name: str
    role: str
    stamp: str
    ready: bool  # whether a password was chosen
    link_until: str | None  # the last day of a one-time link that was not used yet

    @property
    def actor(self) -> Actor:
        """The account as the audit trail knows it."""
        return Actor("account", self.name, self.stamp)


def accounts(database: Database) -> list[Account]:
    """All accounts, owners first, by name."""
    query = sa.select(account).order_by(account.c.role.desc(), account.c.folded)
    with connected(database.engine) as connection:
        return [_account(row) for row in connection.execute(query)]


def account_by_stamp(database: Database, stamp: str) -> Account | None:
    """The account that has this stamp now; None if it was changed or removed since."""
    with connected(database.engine) as connection:
        row = connection.execute(sa.select(account).where(account.c.stamp == stamp)).one_or_none()
    return None if row is None else _account(row)


def account_by_name(database: Database, name: str) -> tuple[Account, str | None] | None:
    """An account and the hash of its password."""
    try:
        query = sa.select(account).where(account.c.folded == folded(checked_name(name)))
    except RefusedError:
        return None
    with connected(database.engine) as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else (_account(row), row.password)


def account_by_link(database: Database, link: str) -> Account | None:
    """The account whose password is chosen by a one-time link (its hash), if that is still good."""
    with connected(database.engine) as connection:
        row = connection.execute(_by_link(link)).one_or_none()
    return None if row is None else _account(row)


def first_owner(database: Database, ready: bool = False) -> Account | None:
    """The oldest owner; `ready`: the oldest who has a password."""
    with connected(database.engine) as connection:
        row = connection.execute(_owners(ready).order_by(account.c.id).limit(1)).one_or_none()
    return None if row is None else _account(row)


def add_account(database: Database, name: str, role: str, link: str, by: Actor) -> Account:
    """Add an account whose password is chosen by a one-time link.

    Parameters
    ----------
    database : Database
        Where the accounts are.
    name : str
        What the person is called.
    role : str
        "owner" or "analyst".
    link : str
        The hash of the one-time link's key.
    by : Actor
        Who adds it.

    Returns
    -------
    Account
        The account.
    """
    _check_role(role)
    name = checked_name(name)
    with writing(database.engine) as connection:
        _begin(connection, by)
        if connection.execute(sa.select(account.c.id).where(account.c.folded == folded(name))).first() is not None:
            raise RefusedError("name_taken", "There is an account called {name!r} already.", name=name)
        if connection.execute(sa.select(sa.func.count()).select_from(account)).scalar_one() >= MOST_ACCOUNTS:
            raise RefusedError("many_accounts", "There are {most} accounts already; remove some first.", most=MOST_ACCOUNTS)
        row = {"name": name, "folded": folded(name), "role": role, "stamp": _stamp(), "link": link, "link_until": _last_day()}
        connection.execute(sa.insert(account).values(**row))
        write_line(connection, by, f"added_{role}", name)
        return _account(_row(connection, row["stamp"]))


def set_role(database: Database, stamp: str, role: str, by: Actor) -> Account:
    """Give an account another role. It is logged out."""
    _check_role(role)
    with writing(database.engine) as connection:
        _begin(connection, by)
        row = _row(connection, stamp)
        if row.role == role:
            return _account(row)
        fresh = _change(connection, row, role=role)
        _keep_an_owner(connection, row)
        write_line(connection, by, f"made_{role}", row.name)
        return _account(_row(connection, fresh))


def remove_account(database: Database, stamp: str, by: Actor) -> None:
    """Remove an account. It is logged out; its lines in the audit trail stay."""
    with writing(database.engine) as connection:
        _begin(connection, by)
        row = _row(connection, stamp)
        connection.execute(sa.delete(account).where(account.c.id == row.id))
        _keep_an_owner(connection, row)
        write_line(connection, by, "removed", row.name)


def new_link(database: Database, stamp: str, link: str, by: Actor) -> Account:
    """Take a password away, to be chosen anew by a one-time link. The account is logged out."""
    with writing(database.engine) as connection:
        _begin(connection, by)
        row = _row(connection, stamp)
        fresh = _change(connection, row, password=None, link=link, link_until=_last_day())
        _keep_an_owner(connection, row)
        write_line(connection, by, "new_link", row.name)
        return _account(_row(connection, fresh))


def choose_password(database: Database, link: str, hashed: str) -> Account:
    """Use a one-time link up."""
    with writing(database.engine) as connection:
        lock_accounts(connection)
        row = connection.execute(_by_link(link)).one_or_none()
        if row is None:
            raise RefusedError("link_used", "This link has already been used, or is not valid. Ask for a new one.")
        return _with_password(connection, row, hashed, "chose_password")


def choose_first_password(database: Database, hashed: str) -> Account:
    """The password of the oldest owner, who is made if there is none."""
    with writing(database.engine) as connection:
        lock_accounts(connection)
        oldest = _owners().order_by(account.c.id).limit(1)
        if connection.execute(oldest).first() is None:
            named = account.c.folded == folded(FIRST_NAME)
            if not connection.execute(sa.update(account).where(named).values(role=OWNER)).rowcount:
                row = {"name": FIRST_NAME, "folded": folded(FIRST_NAME), "role": OWNER, "stamp": _stamp()}
                connection.execute(sa.insert(account).values(**row))
        return _with_password(connection, connection.execute(oldest).one(), hashed, "chose_password")


def change_password(database: Database, stamp: str, hashed: str) -> Account:
    """A person's own new password. All sessions of the account end."""
    with writing(database.engine) as connection:
        lock_accounts(connection)
        return _with_password(connection, _row(connection, stamp), hashed, "changed_password")


def _with_password(connection: sa.Connection, row: sa.Row[Any], hashed: str, action: str) -> Account:
    fresh = _change(connection, row, password=hashed, link=None, link_until=None)
    write_line(connection, Actor("account", row.name), action)
    return _account(_row(connection, fresh))


def _begin(connection: sa.Connection, by: Actor) -> None:
    """Whoever was an owner when the request came may not be one any more: look again, when nobody else can change it."""
    lock_accounts(connection)
    if by.kind == "account":
        acting = sa.select(account.c.id).where(account.c.stamp == by.stamp, account.c.role == OWNER)
        if connection.execute(acting).first() is None:
            raise RefusedError("only_owners", "Only an owner may do this.")


def _change(connection: sa.Connection, row: sa.Row[Any], **values: Any) -> str:
    fresh = _stamp()
    connection.execute(sa.update(account).where(account.c.id == row.id).values(stamp=fresh, **values))
    return fresh


def _keep_an_owner(connection: sa.Connection, before: sa.Row[Any]) -> None:
    """There was an owner who could log in, and there still must be one."""
    if before.role == OWNER and before.password is not None and connection.execute(_owners(ready=True)).first() is None:
        raise RefusedError(
            "last_owner", "{name} is the last owner with a password; make somebody else an owner first.", name=before.name
        )


def _row(connection: sa.Connection, stamp: str) -> sa.Row[Any]:
    row = connection.execute(sa.select(account).where(account.c.stamp == stamp)).one_or_none()
    if row is None:
        raise RefusedError("account_changed", "This account was changed or removed meanwhile. Look at the list again.")
    return row


def _owners(ready: bool = False) -> sa.Select[Any]:
    query = sa.select(account).where(account.c.role == OWNER)
    return query.where(account.c.password.is_not(None)) if ready else query


def _by_link(link: str) -> sa.Select[Any]:
    return sa.select(account).where(account.c.link == link, account.c.link_until >= datetime.date.today().isoformat())


def _account(row: sa.Row[Any]) -> Account:
    return Account(row.name, row.role, row.stamp, row.password is not None, row.link_until)


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise ParameterError("unknown_role", "A role is {allowed}, got {got!r}.", allowed=" or ".join(ROLES), got=role)


def _stamp() -> str:
    return secrets.token_hex(16)


def _last_day() -> str:
    return (datetime.date.today() + datetime.timedelta(days=LINK_DAYS)).isoformat()
