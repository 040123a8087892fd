"""Ctrl-C that is not lost: what raises in the middle of compiled code may be swallowed there, so it is also remembered."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

_pending = False
_watching = False
_written: list[str] = []


def check() -> None:
    """Raise KeyboardInterrupt if one was asked for and nobody has taken it up. Called before files are moved into place.

    >>> from deniable import interrupts
    >>> interrupts.check()
    """
    if _pending:
        raise KeyboardInterrupt


def is_interrupt(error: BaseException | None) -> bool:
    """Whether an error is Ctrl-C, or came of it: numba turns it into a SystemError, typer into an exit.

    >>> error = SystemError("returned a result with an exception set")
    >>> error.__cause__ = KeyboardInterrupt()
    >>> is_interrupt(error), is_interrupt(SystemError("another"))
    (True, False)
    """
    seen: set[int] = set()
    todo = [error]
    while todo:
        one = todo.pop()
        if isinstance(one, KeyboardInterrupt):
            return True
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            todo += [one.__cause__, one.__context__]
    return False


def ended_by(error: BaseException | None) -> bool:
    """Whether a command that ends, with this error or without one, was interrupted."""
    return _pending or is_interrupt(error)


def taken_up() -> None:
    """Somebody has dealt with the interrupt, so that what was kept may be written."""
    global _pending
    _pending = False


def wrote(path: object) -> None:
    """A file is in its place; anyone who interrupts the command after that is told."""
    if _watching:
        _written.append(str(path))


def farewell() -> str:
    """What the interrupted command has left behind, in one line."""
    return f"Interrupted; already written: {', '.join(_written)}." if _written else "Interrupted; nothing was written."


def ignore() -> None:
    """Take no notice of Ctrl-C from here on, where it was watched."""
    if signal.getsignal(signal.SIGINT) is _remember:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _remember(number: int, frame: FrameType | None) -> None:
    global _pending
    _pending = True
    raise KeyboardInterrupt


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """Remember Ctrl-C while a command runs. A library's caller has handlers of their own, so only the command line does this."""
    global _watching
    mine = threading.current_thread() is threading.main_thread() and not _watching
    # Where it is ignored, as in a shell's background, it stays ignored.
    if not mine or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    told = sys.unraisablehook

    def swallowed(problem: Any) -> None:
        global _pending
        if issubclass(problem.exc_type, KeyboardInterrupt):
            _pending = True  # `check` raises it again; no "Exception ignored" in between
        else:
            told(problem)

    _watching = True
    _written.clear()
    taken_up()
    sys.unraisablehook = swallowed
    signal.signal(signal.SIGINT, _remember)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is _remember:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = told
        _watching = False
        taken_up()
