"""Who is connected, and who is dropped: so many connections, from one address and in all, so much memory, so much patience.

An honest newcomer is never refused for those who came before and do nothing: where all places are taken, the one that has kept the server
waiting the longest goes.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from deniable.web.headers import LARGEST_BODY
from deniable.web.limits import neighbourhood

try:
    import resource
except ImportError:
    # Windows has no such limit.
    resource = None  # type: ignore[assignment]

KIB, MIB = 1024, 1024 * 1024


@dataclass(frozen=True)
class Patience:
    """What one connection may take, and all together. A phone on a poor line needs seconds for what a flood never ends."""

    connections: int = 4_000
    header_bytes: int = 32 * KIB
    header_lines: int = 100
    header_seconds: float = 20.0
    body_seconds: float = 20.0
    """A body is there after so many seconds, and one more for each `body_rate` bytes of it."""
    body_rate: float = 1.0 * KIB
    idle_seconds: int = 5
    unread_seconds: float = 20.0
    """So long may a client take none of the reply that waits for it."""
    pipelined: int = 2
    """Requests that wait behind one that is not answered yet. Browsers and proxies send none."""
    held_bytes: int = 64 * MIB
    """Received on all connections, and not answered yet; each line of a header counts as `line_bytes` more."""
    line_bytes: int = 200
    """What Python keeps of a line, however short it is."""
    unread_bytes: int = 8 * KIB
    """Nothing more is written while more than that waits to be sent."""

    @property
    def from_one_address(self) -> int:
        """A school behind one address has room; anyone who takes more drops their own connections, not those of others."""
        return max(1, self.connections // 2)


class Connected(Protocol):
    """What is known of a connection here."""

    address: str | None
    held: int

    def drop(self) -> None:
        """End it now, whatever is under way."""

    def overdue(self, now: float) -> bool:
        """Whether it has kept the server waiting for too long."""


class Connections:
    """All connections of a server, and those that the server waits for, in the order in which they began to keep it waiting."""

    def __init__(
        self,
        patience: Patience,
        is_proxy: Callable[[str], bool],
        largest: Callable[[Any], int] = lambda _: LARGEST_BODY,
    ) -> None:
        self.patience = patience
        self.largest = largest
        """How large the body of a request may be, by its head."""
        self.held = 0
        self.stopping = False
        self._is_proxy = is_proxy
        self._all: set[Connected] = set()
        self._waiting: OrderedDict[Connected, None] = OrderedDict()
        self._from: Counter[str] = Counter()
        self._later: deque[Callable[[], None]] = deque()

    def __len__(self) -> int:
        return len(self._all)

    def admit(self, connection: Connected, host: str) -> bool:
        """Let a newcomer in; False where everybody who is in is being served, or the server stops."""
        if self.stopping:
            return False
        # Behind a proxy are all people, and its own limits see to each.
        connection.address = None if self._is_proxy(host) else neighbourhood(host)
        address = connection.address
        if address is not None and self._from[address] >= self.patience.from_one_address:
            return self._make_room(lambda one: one.address == address) and self._take_in(connection)
        if len(self._all) >= self.patience.connections:
            return self._make_room(lambda _: True) and self._take_in(connection)
        return self._take_in(connection)

    def _take_in(self, connection: Connected) -> bool:
        self._all.add(connection)
        if connection.address is not None:
            self._from[connection.address] += 1
        return True

    def leave(self, connection: Connected) -> None:
        """It is gone, or as good as gone."""
        if connection not in self._all:
            return
        self._all.remove(connection)
        self._waiting.pop(connection, None)
        self.hold(connection, 0)
        if connection.address is not None:
            self._from[connection.address] -= 1
            if not self._from[connection.address]:
                del self._from[connection.address]

    def waits(self, connection: Connected) -> None:
        """The server waits for the client, from now on."""
        if connection in self._all:
            self._waiting[connection] = None
            self._waiting.move_to_end(connection)

    def works(self, connection: Connected) -> None:
        """The client waits for the server."""
        self._waiting.pop(connection, None)

    def hold(self, connection: Connected, size: int) -> None:
        """So many bytes are kept of what a client sent."""
        self.held += size - connection.held
        connection.held = size
        while size and self.held > self.patience.held_bytes and self._waiting:
            # Not the oldest: that may be somebody on a poor line, who holds next to nothing.
            most = max(self._waiting, key=lambda one: one.held)
            if not most.held:
                return
            self._send_away(most)

    def _make_room(self, fits: Callable[[Connected], bool]) -> bool:
        idle = next(filter(fits, self._waiting), None)
        if idle is not None:
            self._send_away(idle)
        return idle is not None

    def _send_away(self, connection: Connected) -> None:
        self.leave(connection)
        connection.drop()

    def later(self, start: Callable[[], None]) -> None:
        """Start what came in a pipeline: one each turn of the event loop, however many wait, so that nobody else waits for them."""
        self._later.append(start)
        if len(self._later) == 1:
            asyncio.get_running_loop().call_soon(self._start_next)

    def _start_next(self) -> None:
        try:
            self._later[0]()
        finally:
            self._later.popleft()
            if self._later:
                asyncio.get_running_loop().call_soon(self._start_next)

    def sweep(self, now: float) -> None:
        """Drop those who took too long."""
        for connection in [one for one in self._all if one.overdue(now)]:
            self.leave(connection)
            connection.drop()

    def cut(self) -> None:
        """The server stops, and has waited for clients long enough. Anyone who waits for the server is still answered."""
        for connection in list(self._waiting):
            connection.drop()


OTHER_DESCRIPTORS = 64
"""For the database's connections, its log, exports and the like."""
LEAST_CONNECTIONS = 16


@dataclass(frozen=True)
class Descriptors:
    """How many connections a process may have by its limit of open files, and how many newcomers it takes in at once.

    >>> few = Descriptors.within(256, already_open=20)
    >>> few.newcomers, few.connections
    (8, 140)
    """

    newcomers: int
    connections: int

    @classmethod
    def within(cls, limit: int, already_open: int) -> Descriptors:
        """Newcomers have descriptors before anybody can be dropped for them: those of four turns of the event loop."""
        newcomers = min(64, max(4, limit // 32))
        return cls(newcomers, max(LEAST_CONNECTIONS, limit - already_open - OTHER_DESCRIPTORS - 4 * newcomers))

    @classmethod
    def raised(cls, wanted: int) -> Descriptors:
        """Those of this process, whose limit is raised as far as it is allowed and of use."""
        if resource is None:
            return cls(64, wanted)
        already_open = _open_descriptors()
        enough = wanted + already_open + OTHER_DESCRIPTORS + 4 * 64
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != resource.RLIM_INFINITY and soft < enough:
            soft = enough if hard == resource.RLIM_INFINITY else min(enough, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        fitting = cls.within(enough if soft == resource.RLIM_INFINITY else soft, already_open)
        return cls(fitting.newcomers, min(wanted, fitting.connections))


def _open_descriptors() -> int:
    try:
        return len(os.listdir("/dev/fd"))
    except OSError:
        return 32
