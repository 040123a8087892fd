"""How large a body may be: larger only for those who have logged in, and only where questionnaires are written."""

from __future__ import annotations

from collections.abc import Callable

from deniable.web.accounts import COOKIE
from deniable.web.headers import LARGEST_BODY, Scope

LARGEST_DRAFT = 1024 * 1024
DRAFTS = "/organiser/drafts"


def largest_body(scope: Scope, has_session: Callable[[str], bool]) -> int:
    """How large the body of a request may be, by its address and cookie alone: nothing of it has been read yet.

    >>> scope = {"path": "/organiser/drafts", "headers": [(b"cookie", b"deniable_organiser=abc")]}
    >>> largest_body(scope, {"abc"}.__contains__), largest_body(scope, set().__contains__)
    (1048576, 65536)
    """
    path = scope.get("path", "")
    if path != DRAFTS and not path.startswith(f"{DRAFTS}/"):
        return LARGEST_BODY
    sent = (value.decode("latin-1") for name, value in scope["headers"] if name == b"cookie")
    cookies = (part.partition("=") for value in sent for part in value.split(";"))
    known = any(name.strip() == COOKIE and has_session(value.strip()) for name, _, value in cookies)
    return LARGEST_DRAFT if known else LARGEST_BODY
