"""How long work tells its caller how far it is. Silent unless someone listens; bars live in `cli/`."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """What long work calls: `start` once, `advance` often, `finish` once."""

    def start(self, what: str, total: int | None) -> None:
        """Work called `what` begins; `total` units are expected, or None if unknown."""

    def advance(self, units: int) -> None:
        """`units` more are done."""

    def finish(self) -> None:
        """The work has ended."""


class Silent:
    """The default listener, which says nothing.

    >>> from deniable.progress import Silent
    >>> quiet = Silent()
    >>> quiet.start("rows", 10); quiet.advance(10); quiet.finish()
    """

    def start(self, what: str, total: int | None) -> None:
        pass

    def advance(self, units: int) -> None:
        pass

    def finish(self) -> None:
        pass
