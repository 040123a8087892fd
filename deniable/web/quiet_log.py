"""A log that nobody can flood, and that tells nothing about respondents: one line per minute for each kind of trouble, and how many more
there were."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import time
import traceback
from collections.abc import Iterator
from types import TracebackType
from typing import Any

LOG = logging.getLogger("deniable")
QUIETED = ("deniable", "uvicorn.error", "asyncio", "fastapi", "concurrent.futures")
EVERY_SECONDS = 60.0
MOST_KINDS = 200
OTHER = ("", "trouble of other kinds", "")
CAUSED_BY_CLIENTS = (ConnectionError, TimeoutError, asyncio.CancelledError)
"""Connections that break, and requests that are cut off because the server stops: no line is worth them."""

Kind = tuple[str, str, str]


class Quiet(logging.Filter):
    """Lets the first line of a kind pass; the others of the next minute are counted, and the count is told by `tell`.

    >>> quiet = Quiet()
    >>> [quiet.filter(logging.makeLogRecord({"name": "asyncio", "msg": "no descriptor is left"})) for _ in range(3)]
    [True, False, False]
    """

    def __init__(self) -> None:
        super().__init__()
        # Since when a kind is counted, and how many lines were left out.
        self._kinds: dict[Kind, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is written; one that is has no words of an error in its traceback, for these may quote what was sent."""
        if getattr(record, "is_count", False):
            return True
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, CAUSED_BY_CLIENTS):
            return False
        kind = (record.name, str(record.msg).strip(), _place(error))
        if kind not in self._kinds and len(self._kinds) >= MOST_KINDS:
            kind = OTHER
        now = time.monotonic()
        since, left_out = self._kinds.get(kind, (0.0, 0))
        if kind in self._kinds and now < since + EVERY_SECONDS:
            self._kinds[kind] = (since, left_out + 1)
            return False
        self._kinds[kind] = (now, left_out)
        if error is not None:
            record.exc_text = _without_words(error)
            record.exc_info = None
        return True

    def tell(self, ending: bool = False) -> None:
        """Say how many lines were left out, of kinds whose minute is over; of all kinds at the end."""
        now = time.monotonic()
        for kind, (since, left_out) in list(self._kinds.items()):
            if ending or now >= since + EVERY_SECONDS:
                if left_out:
                    self._kinds[kind] = (now, 0)
                    LOG.warning(
                        "%s: and %s more of that kind in the last minute",
                        _said(kind),
                        f"{left_out:,}",
                        extra={"is_count": True},
                    )
                else:
                    del self._kinds[kind]


@contextlib.contextmanager
def quiet_log() -> Iterator[Quiet]:
    """Keep the log of whatever may speak in a running server quiet."""
    quiet = Quiet()
    loggers = [logging.getLogger(name) for name in QUIETED]
    for logger in loggers:
        logger.addFilter(quiet)
    try:
        yield quiet
    finally:
        quiet.tell(ending=True)
        for logger in loggers:
            logger.removeFilter(quiet)


def unhandled(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """The event loop's handler of errors. Its own writes whatever objects were at hand: transports, sockets, handles."""
    error = context.get("exception")
    if isinstance(error, OSError) and not isinstance(error, CAUSED_BY_CLIENTS):
        # "Too many open files" and the like: the operator must know, and a traceback says nothing more.
        LOG.error("the network: %s", error.strerror)
    elif error is not None:
        LOG.error("an error in the event loop", exc_info=error)
    else:
        LOG.error("the event loop: %s", context.get("message"))


def _place(error: BaseException | None) -> str:
    last: TracebackType | None = error.__traceback__ if error is not None else None
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return f"{type(error).__name__} {last.tb_frame.f_code.co_filename}:{last.tb_lineno}" if last is not None else ""


def _without_words(error: BaseException) -> str:
    lines = traceback.format_tb(error.__traceback__)
    return "Traceback (most recent call last):\n" + "".join(lines) + type(error).__name__


def _said(kind: Kind) -> str:
    _, message, place = kind
    # Without parameters: those of one line need not be true of the others.
    words = re.sub(r"%[-0-9.]*[a-z]", "...", message.partition("\n")[0]).rstrip(" .:(")
    return f"{words} ({place.partition(' ')[0]})" if place else words
