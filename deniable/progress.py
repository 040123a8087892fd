"""How long work tells its caller how far it is. Silent unless someone listens; bars live in `cli/`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

_on_compiling: Callable[[], None] | None = None


def tell_compiling(listener: Callable[[], None] | None) -> None:
    """Call `listener` whenever a hot loop is compiled, which happens at its first use on a machine and takes up to a minute.

    >>> from deniable import progress
    >>> progress.tell_compiling(lambda: print("Wait a moment."))
    >>> progress.compiling()
    Wait a moment.
    >>> progress.tell_compiling(None)
    """
    global _on_compiling
    _on_compiling = listener


def compiling() -> None:
    """A hot loop is being compiled: tell anyone who listens."""
    if _on_compiling is not None:
        _on_compiling()


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
