"""The organiser: a one-time link printed at the first start, a password (argon2), sessions in memory."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time

from deniable.engines.extras import not_installed
from deniable.errors import RefusedError
from deniable.survey.store import Store

try:
    from argon2 import PasswordHasher
    from argon2.exceptions import Argon2Error, InvalidHashError
except ImportError:
    raise not_installed("argon2-cffi", "serve") from None

SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 1_000
SESSION_SECONDS = 12 * 3600
COOKIE = "deniable_organiser"


class Accounts:
    """One organiser. Sessions end with the process; only the password's hash is stored."""

    def __init__(self, store: Store, reset: bool = False) -> None:
        self._store = store
        self._hasher = PasswordHasher()
        self._sessions: dict[str, float] = {}
        self.first_key: str | None = secrets.token_urlsafe(32) if reset or store.password() is None else None

    def is_first(self, key: str) -> bool:
        """Whether the key is that of the one-time link, and not used yet."""
        return self.first_key is not None and hmac.compare_digest(key.encode(), self.first_key.encode())

    def set_password(self, key: str, password: str, again: str) -> str:
        """Use the one-time link up; a session. The password is given twice, since nobody sees what they type."""
        if not self.is_first(key):
            raise RefusedError(
                "link_used", "This link has already been used, or is not valid. The server prints a new one on request."
            )
        if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
            raise RefusedError("password_length", "A password needs at least {least} characters.", least=SHORTEST_PASSWORD)
        if not hmac.compare_digest(password.encode(), again.encode()):
            raise RefusedError("passwords_differ", "The two passwords are not the same.")
        self._store.set_password(self._hasher.hash(password))
        self.first_key = None
        self._sessions.clear()
        return self._new_session()

    def log_in(self, password: str) -> str:
        """A session for the right password."""
        stored = self._store.password()
        try:
            # Where no password is set yet, as much time is spent and the answer is the same.
            self._hasher.verify(stored or _NOBODY, password[:LONGEST_PASSWORD])
        except (Argon2Error, InvalidHashError):
            raise RefusedError("wrong_password", "That is not the right password.") from None
        if stored is None:
            raise RefusedError("wrong_password", "That is not the right password.")
        return self._new_session()

    def _new_session(self) -> str:
        token = secrets.token_urlsafe(32)
        self._sessions[_hashed(token)] = time.monotonic() + SESSION_SECONDS
        return token

    def holds(self, token: str | None) -> bool:
        """Whether a session is alive."""
        return token is not None and self._sessions.get(_hashed(token), 0.0) > time.monotonic()

    def log_out(self, token: str | None) -> None:
        """End a session."""
        if token is not None:
            self._sessions.pop(_hashed(token), None)


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


_NOBODY = PasswordHasher().hash(secrets.token_urlsafe(32))
