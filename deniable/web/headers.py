"""Headers that every answer carries, and a limit to every body: plain ASGI, around the whole application."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from deniable.engines.extras import not_installed

try:
    from starlette.requests import ClientDisconnect
except ImportError:
    raise not_installed("fastapi", "serve") from None

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # The address of a survey never travels on to other sites. (Not "no-referrer": forms would then come from "null".)
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), interest-cohort=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
LARGEST_BODY = 64 * 1024
PIECE = 16 * 1024
"""Replies are written piece by piece: what a client does not read waits once for all, not in a copy for each."""


class Guard:
    """Adds the security headers and refuses bodies that are too large, whether or not they say so beforehand."""

    def __init__(self, app: App, largest: Callable[[Scope], int] = lambda _: LARGEST_BODY) -> None:
        self._app, self._largest = app, largest
        self._headers = [(name.lower().encode(), value.encode()) for name, value in SECURITY.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        secure = [(b"strict-transport-security", b"max-age=31536000")] if scope.get("scheme") == "https" else []

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self._headers, *secure]
            body = message.get("body", b"")
            if len(body) <= PIECE:
                await send(message)
                return
            for begin in range(0, len(body), PIECE):
                more = message.get("more_body", False) or begin + PIECE < len(body)
                await send({**message, "body": body[begin : begin + PIECE], "more_body": more})

        said = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        largest = self._largest(scope)
        if not said.isdigit() or int(said) > largest:
            await _refuse(with_headers, largest)
            return
        received = 0

        async def limited() -> MutableMapping[str, Any]:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > largest:
                raise _TooLargeError
            return message

        try:
            await self._app(scope, limited, with_headers)
        except _TooLargeError:
            await _refuse(with_headers, largest)
        except ClientDisconnect:
            # Nobody is there to be answered, and nothing is wrong here.
            pass


class _TooLargeError(Exception):
    pass


async def _refuse(send: Send, largest: int) -> None:
    content = json.dumps({"code": "too_large", "message": f"The body may have {largest:,} bytes at most."}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(content)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": content})
