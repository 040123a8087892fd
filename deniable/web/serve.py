"""Running the application with uvicorn: no access log, nothing about respondents in any other log."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
import gc
import logging
import socket
from collections.abc import Iterator
from typing import Any, cast

from deniable.engines.extras import not_installed
from deniable.errors import Setting, StoreError
from deniable.survey.store import Store
from deniable.web.app import Settings, create_app

try:
    import uvicorn
    from uvicorn.middleware.proxy_headers import _TrustedHosts
except ImportError:
    raise not_installed("uvicorn", "serve") from None

from deniable.web.connections import Connections, Descriptors, Patience
from deniable.web.protocol import LimitedConnection
from deniable.web.quiet_log import Quiet, quiet_log, unhandled

GRACE_SECONDS = 1
"""So long clients have to finish what they send, or to read their reply, once the server is asked to stop. With what the database needs
it ends within five seconds."""
WAITING_NEWCOMERS = 2_048
SOCKET_BYTES = 64 * 1024
"""What the system keeps for a connection, sent or received: a page, or the largest body. Left alone it may keep megabytes."""
GARBAGE = (20_000, 4, 4)
"""So many new objects between two looks of the garbage collector, those of some dozens of requests; and so many looks at young objects
before it looks at older ones. It looks at all (but for imports) after a few hundred thousand new objects: some tens of megabytes."""


class Service:
    """A server on an address. It listens at once and answers once it runs.

    Parameters
    ----------
    store : Store
        Where the surveys and answers are.
    host : str
        The address to listen on.
    port : int
        0 takes any free one.
    settings : Settings, optional
        What an operator may choose.
    patience : Patience, optional
        How long clients may keep the server waiting.
    """

    def __init__(
        self,
        store: Store,
        host: str = "127.0.0.1",
        port: int = 8000,
        settings: Settings | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.app = create_app(store, settings)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        for kept in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            # Connections inherit it.
            self.socket.setsockopt(socket.SOL_SOCKET, kept, SOCKET_BYTES)
        try:
            self.socket.bind((host, port))
        except OSError as error:
            self.socket.close()
            raise StoreError(
                "address_taken",
                "{host}:{port} cannot be listened on: {reason}. Choose another {setting}.",
                host=host, port=port, setting=Setting("port"), reason=error.strerror or error,
            ) from None  # fmt: skip
        # From here on connections wait instead of being refused.
        self.socket.listen(WAITING_NEWCOMERS)
        self.host, self.port = host, self.socket.getsockname()[1]
        # Respondents' addresses are in the access log of uvicorn, so there is none.
        logging.getLogger("uvicorn").setLevel(logging.WARNING)
        self.server = _Server(self.app, patience or Patience())

    @property
    def url(self) -> str:
        """The address for a browser on this machine."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def first_link(self) -> str | None:
        """The organiser's one-time link, where no password is set yet."""
        key = self.app.state.accounts.first_key
        return None if key is None else f"{self.url}/organiser/first/{key}"

    def close(self) -> None:
        """Give the port back."""
        self.socket.close()

    def run(self) -> None:
        """Serve until interrupted; requests under way are finished."""
        with _rare_garbage_collection(), quiet_log() as quiet:
            self.server.quiet = quiet
            self.server.run(sockets=[self.socket])


class _Server(uvicorn.Server):
    """uvicorn's, with limits to what clients may do to it."""

    quiet: Quiet

    def __init__(self, app: Any, patience: Patience) -> None:
        descriptors = Descriptors.raised(patience.connections)
        config = uvicorn.Config(
            app,
            access_log=False,
            log_config=None,
            server_header=False,
            ws="none",
            # uvloop takes one new connection a turn: in a rush, newcomers waited for seconds behind those who were in.
            loop="asyncio",
            lifespan="on",
            # Taken in at a turn. How many wait in the system is said in `startup`.
            backlog=descriptors.newcomers,
            timeout_keep_alive=patience.idle_seconds,
            timeout_graceful_shutdown=2 * GRACE_SECONDS,
        )
        patience = dataclasses.replace(patience, connections=descriptors.connections)
        trusted = _TrustedHosts(config.forwarded_allow_ips).__contains__
        self.connections = Connections(patience, trusted, app.state.largest_body)
        config.http = cast(Any, functools.partial(LimitedConnection, self.connections))
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(unhandled)
        await super().startup(sockets)
        for one in sockets or []:
            one.listen(WAITING_NEWCOMERS)

    async def on_tick(self, counter: int) -> bool:
        # Ten a second.
        if counter % 10 == 0:
            self.connections.sweep(asyncio.get_running_loop().time())
            self.quiet.tell()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.connections.stopping = True
        asyncio.get_running_loop().call_later(GRACE_SECONDS, self.connections.cut)
        await super().shutdown(sockets)


@contextlib.contextmanager
def _rare_garbage_collection() -> Iterator[None]:
    """Python's collector looks through everything alive, and through all that was imported, hundreds of times a second: a fifth of the
    server's time. Requests leave nothing for it, only connections do. It comes more rarely, and skips the imports, while we serve."""
    if gc.get_freeze_count():
        # Another server of this process, or its owner, has seen to it.
        yield
        return
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*GARBAGE)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
