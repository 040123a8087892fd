"""Passwords (argon2), one-time links by which they are chosen, and sessions in memory."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time

from deniable.engines.extras import not_installed
from deniable.errors import RefusedError
from deniable.survey.account_names import FIRST_NAME
from deniable.survey.store import Store
from deniable.survey.store.accounts import Account
from deniable.survey.store.audit import UNKNOWN, Actor

try:
    from argon2 import PasswordHasher
    from argon2.exceptions import Argon2Error, InvalidHashError
except ImportError:
    raise not_installed("argon2-cffi", "serve") from None

SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 1_000
SESSION_SECONDS = 12 * 3600
COOKIE = "deniable_organiser"


class Accounts:
    """Those who log in. Sessions end with the process; of passwords and links only hashes are stored.

    A session carries the mark of its account. Whatever changes the account changes the mark, here or on the command line, and ends the
    session by that.
    """

    def __init__(self, store: Store, reset: bool = False) -> None:
        self._store = store
        self._hasher = PasswordHasher()
        self._sessions: dict[str, tuple[str, float]] = {}
        self.first_key: str | None = secrets.token_urlsafe(32) if reset or store.first_owner(ready=True) is None else None

    def name_of_link(self, key: str) -> str | None:
        """Whose password is chosen by a one-time link; None if it was used, or never was one."""
        if self._is_first(key):
            owner = self._store.first_owner()
            return FIRST_NAME if owner is None else owner.name
        found = self._store.account_by_link(link_hash(key))
        return None if found is None else found.name

    def choose_password(self, key: str, password: str, again: str) -> str:
        """Use a one-time link up; a session. The password is given twice, since nobody sees what they type."""
        if self.name_of_link(key) is None:
            raise RefusedError("link_used", "This link has already been used, or is not valid. Ask for a new one.")
        _check_password(password, again)
        hashed = self._hasher.hash(password)
        if self._is_first(key):
            chosen = self._store.choose_first_password(hashed)
            self.first_key = None
        else:
            chosen = self._store.choose_password(link_hash(key), hashed)
        return self._new_session(chosen)

    def log_in(self, name: str, password: str) -> str:
        """A session for the right password. An empty name is that of the first account."""
        found = self._store.account_by_name(name.strip() or FIRST_NAME)
        account = self._verified(found, password)
        if account is None:
            raise RefusedError("wrong_password", "The name or the password is not right.")
        self._store.record(account.actor, "logged_in")
        return self._new_session(account)

    def change_password(self, account: Account, current: str, password: str, again: str) -> str:
        """A new password of one's own; a new session, while all others of the account end."""
        if self._verified(self._store.account_by_name(account.name), current) is None:
            raise RefusedError("wrong_current", "That is not your current password.")
        _check_password(password, again)
        return self._new_session(self._store.change_password(account.mark, self._hasher.hash(password)))

    def _verified(self, found: tuple[Account, str | None] | None, password: str) -> Account | None:
        """The account, if that is its password. Where there is no account, or no password yet, as much is done: neither the reply nor
        the time it takes tells which names there are."""
        account, hashed = found or (None, None)
        try:
            self._hasher.verify(hashed or _NOBODY, password[:LONGEST_PASSWORD])
        except (Argon2Error, InvalidHashError):
            hashed = None
        if hashed is not None:
            return account
        self._store.record(UNKNOWN, "failed_login", "" if account is None else account.name)
        return None

    def _is_first(self, key: str) -> bool:
        return self.first_key is not None and hmac.compare_digest(key.encode(), self.first_key.encode())

    def _new_session(self, account: Account) -> str:
        now = time.monotonic()
        self._sessions = {name: session for name, session in self._sessions.items() if session[1] > now}
        token = secrets.token_urlsafe(32)
        self._sessions[_hashed(token)] = (account.mark, now + SESSION_SECONDS)
        return token

    def has_session(self, token: str) -> bool:
        """Whether somebody has logged in and may still be; asked of nobody but memory, before anything of a request is read."""
        return self._sessions.get(_hashed(token), ("", 0.0))[1] > time.monotonic()

    def who(self, token: str | None) -> Account | None:
        """Whose session this is: the account as it is now; None if it is over."""
        mark, ends = self._sessions.get(_hashed(token), ("", 0.0)) if token is not None else ("", 0.0)
        return self._store.account_by_mark(mark) if ends > time.monotonic() else None

    def log_out(self, token: str | None) -> None:
        """End a session."""
        if token is not None:
            self._sessions.pop(_hashed(token), None)

    # What owners do to accounts.

    def add(self, name: str, role: str, by: Actor) -> tuple[Account, str]:
        """A new account, and the key of the one-time link by which its password is chosen."""
        key = secrets.token_urlsafe(32)
        return self._store.add_account(name, role, link_hash(key), by), key

    def new_link(self, mark: str, by: Actor) -> tuple[Account, str]:
        """A new one-time link for an account, whose old password is good no longer."""
        key = secrets.token_urlsafe(32)
        return self._store.new_link(mark, link_hash(key), by), key


def link_hash(key: str) -> str:
    """What is stored of a one-time link: its key has 256 random bits, so nobody finds it from this."""
    return _hashed(key)


def _check_password(password: str, again: str) -> None:
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise RefusedError("password_length", "A password needs at least {least} characters.", least=SHORTEST_PASSWORD)
    if not hmac.compare_digest(password.encode(), again.encode()):
        raise RefusedError("passwords_differ", "The two passwords are not the same.")


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


_NOBODY = PasswordHasher().hash(secrets.token_urlsafe(32))
