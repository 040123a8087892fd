"""HTTP as uvicorn speaks it, with an end to everything that a client may begin and not finish.

uvicorn limits neither headers nor the time that anything may take, makes a request of everything in a pipeline before it answers the
first, and waits for ever for a client that does not read. Here a connection that the server waits for is in one of a few phases, and
each phase has an end.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import socket
import struct
from typing import Any

from deniable.engines.extras import not_installed

try:
    from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
except ImportError:
    raise not_installed("uvicorn", "serve") from None

from deniable.web.connections import Connections
from deniable.web.headers import LARGEST_BODY

RAW = 4
"""What may be sent for one request, with all that is not kept of it: so many times its largest body."""
HEADER, BODY, IDLE, BEHIND, UNREAD, CLOSING = "header", "body", "idle", "behind", "unread", "closing"


class _TooMuchError(Exception):
    """Raised inside the parser, which then stops."""


class LimitedConnection(HttpToolsProtocol):
    """One connection. `held` counts the bytes of requests that are not answered yet."""

    def __init__(self, connections: Connections, **given: Any) -> None:
        super().__init__(**given)
        self._house, self._patience = connections, connections.patience
        self.address: str | None = None
        self.held = 0
        self._receiving: str | None = None
        self._phase: str | None = None
        self._since = 0.0
        self._header_bytes = self._body_bytes = self._message_bytes = 0
        self._largest = LARGEST_BODY
        self._behind = self._deaf = False
        self._deferred: tuple[RequestResponseCycle, Any] | None = None
        self._refusal = (400, "bad_request", "This is not HTTP.")

    # What the transport tells.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=self._patience.unread_bytes)
        if self._house.admit(self, self.client[0] if self.client else ""):
            self._enter(HEADER)
        else:
            self._refuse(503, "full", "There is no room for more just now. Try again in a moment.")

    def connection_lost(self, exc: Exception | None) -> None:
        self._house.leave(self)
        super().connection_lost(exc)
        self._unset_keepalive_if_required()
        # Requests know their connection, and it knows them: only Python's collector would find them, and what was sent with them.
        self.pipeline.clear()
        self._deferred = None
        self.cycle = None  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        self._house.hold(self, self.held + len(data))
        if self.transport.is_closing():
            return
        self._message_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._receiving == HEADER:
            # All of the piece is counted, also where other requests of a pipeline came before in it.
            self._header_bytes += len(data)
            if self._header_bytes > self._patience.header_bytes:
                self._refuse(431, "header_too_large", "The header is too large.")
                return
        if self._receiving == BODY and self._message_bytes > RAW * self._largest:
            # The parts of a body in pieces may have notes without end, which nobody reads.
            self._refuse(413, "too_large", "This is too large.")
            return
        self._settle()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._settle()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._settle()

    # What the parser tells.

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._receiving, self._phase, self._largest = HEADER, None, LARGEST_BODY
        self._header_bytes = self._body_bytes = self._message_bytes = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        self._header_bytes += len(name) + len(value)
        if len(self.headers) >= self._patience.header_lines or self._header_bytes > self._patience.header_bytes:
            self._refusal = (431, "header_too_large", "The header is too large.")
            raise _TooMuchError
        if self._receiving == BODY:
            # Lines behind a body come here as well. They are no header: a proxy has not looked at them.
            return
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if len(self.pipeline) >= self._patience.pipelined:
            raise _TooMuchError
        self._receiving = BODY
        self._house.hold(self, self.held + self._patience.line_bytes * len(self.headers))
        if not self.parser.should_upgrade():
            super().on_headers_complete()
            self._largest = self._house.largest(self.scope)
            return
        # The parser takes what follows for another protocol, and a body for the next request: of somebody else, where a proxy shares
        # connections. So nothing that follows is read.
        if any(name in (b"content-length", b"transfer-encoding") for name, _ in self.headers):
            self._refusal = (400, "upgrade", "Only HTTP is spoken here; a request that wants something else has no body.")
            raise _TooMuchError
        self._deaf = True
        super().on_headers_complete()
        self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        if self.cycle.response_complete and self._body_bytes > 2 * self._largest:
            # Refused long ago, and it goes on.
            raise _TooMuchError
        super().on_body(body)
        if len(self.cycle.body) > LARGEST_BODY:
            # The application says that it is too much, or reads the rest itself.
            self._start_deferred()

    def on_message_complete(self) -> None:
        self._receiving = None
        super().on_message_complete()
        self._start_deferred()
        self._let_go()

    # What the application does.

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        # It is asked when all of a request is there: one that never ends costs next to nothing.
        if cycle.more_body and not cycle.waiting_for_100_continue:
            self._deferred = (cycle, app)
        else:
            # Only what waited behind another request comes here whole (and what is asked for its body first).
            self._behind = True
            self._house.later(lambda: self._start_behind(cycle, app))

    def _start_behind(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._behind = False
        if not self.transport.is_closing():
            super()._start_asgi_task(cycle, app)

    def _start_deferred(self) -> None:
        if self._deferred is not None:
            deferred, self._deferred = self._deferred, None
            super()._start_asgi_task(*deferred)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle is not None:
            self._let_go()
            self._settle()

    def send_400_response(self, msg: str) -> None:
        self._refuse(*self._refusal)

    def _unsupported_upgrade_warning(self) -> None:
        """A client that would rather speak something else is answered in HTTP; that is not worth a line of the log."""

    # Whose turn it is.

    def _let_go(self) -> None:
        if self._receiving is None and not self.pipeline and self.cycle.response_complete:
            self._house.hold(self, 0)

    def _settle(self) -> None:
        if self.flow.write_paused:
            self._enter(UNREAD)
        elif self._receiving is not None:
            self._enter(self._receiving)
        elif self._behind or self.pipeline:
            self._enter(BEHIND)
        elif self.cycle is None or self.cycle.response_complete:
            self._enter(IDLE)
        else:
            self._phase = None
            self._house.works(self)

    def _enter(self, phase: str) -> None:
        if phase != self._phase:
            self._phase, self._since = phase, self.loop.time()
            self._house.waits(self)

    def overdue(self, now: float) -> bool:
        """Whether the client has kept the server waiting for too long."""
        if self.transport.is_closing():
            # Before it closes, asyncio sends what is left to be read, and waits for that without end.
            self._enter(CLOSING)
        if self._phase is None:
            return False
        patience = self._patience
        allowed = {
            HEADER: patience.header_seconds,
            BODY: patience.body_seconds + self._body_bytes / patience.body_rate,
            # uvicorn's timer is shorter, but an empty line stops it.
            IDLE: patience.header_seconds,
            # They may have to go, but nobody waits for them.
            BEHIND: math.inf,
            UNREAD: patience.unread_seconds,
            CLOSING: patience.unread_seconds,
        }
        return now - self._since > allowed[self._phase]

    def drop(self) -> None:
        """End it now; what is under way finds nobody to answer."""
        # A reset: otherwise the system keeps what was not read, and asks for years whether it is wanted now.
        with contextlib.suppress(OSError):
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def _refuse(self, status: int, code: str, message: str) -> None:
        if self.cycle is None or self.cycle.response_complete:
            content = json.dumps({"code": code, "message": message}).encode()
            head = b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(content)
            self.transport.write(STATUS_LINE[status] + head + content)
        # Otherwise it would end up in the middle of a reply.
        self.transport.close()
