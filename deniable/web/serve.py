"""Running the application with uvicorn: no access log, nothing about respondents in any other log."""

from __future__ import annotations

import contextlib
import gc
import logging
import socket
from collections.abc import Iterator

from deniable.engines.extras import lacking
from deniable.errors import StoreError
from deniable.survey.store import Store
from deniable.web.app import Settings, create_app

try:
    import uvicorn
except ImportError:
    raise lacking("uvicorn", "serve") from None

GRACE_SECONDS = 20
GARBAGE_OBJECTS = 50_000
"""So many new objects between two looks of the garbage collector: those of some hundred requests."""


class Service:
    """A server on an address; `port` 0 takes any free one."""

    def __init__(self, store: Store, host: str = "127.0.0.1", port: int = 8000, settings: Settings | None = None) -> None:
        self.app = create_app(store, settings)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self.socket.bind((host, port))
        except OSError as error:
            self.socket.close()
            raise StoreError(
                "address_taken",
                "{host}:{port} cannot be listened on: {reason}. Choose another --port.",
                host=host, port=port, reason=error.strerror or error,
            ) from None  # fmt: skip
        # From here on connections wait instead of being refused.
        self.socket.listen(2048)
        self.host, self.port = host, self.socket.getsockname()[1]
        # Respondents' addresses are in the access log of uvicorn, so there is none.
        logging.getLogger("uvicorn").setLevel(logging.WARNING)
        self.server = uvicorn.Server(
            uvicorn.Config(
                self.app,
                access_log=False,
                log_config=None,
                server_header=False,
                ws="none",
                # uvloop takes one new connection a turn: in a rush, newcomers waited for seconds behind those who were in.
                loop="asyncio",
                lifespan="on",
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )

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
        with _rare_garbage_collection():
            self.server.run(sockets=[self.socket])


@contextlib.contextmanager
def _rare_garbage_collection() -> Iterator[None]:
    """Answers that wait for their sync keep their requests alive, and Python's collector looks through them, and through all that was
    imported, hundreds of times a second: a fifth of the server's time. It comes more rarely, and skips the imports, while we serve."""
    if gc.get_freeze_count():
        # Another server of this process, or its owner, has seen to it.
        yield
        return
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(GARBAGE_OBJECTS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
