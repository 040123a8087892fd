"""Lanes: work that takes a while is done one at a time, outside the event loop's thread; who would have to queue for long comes again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from fastapi.concurrency import run_in_threadpool

from deniable.errors import RefusedError

T = TypeVar("T")


class Lane:
    """A queue of at most so many, the one whose turn it is included."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._inside = 0
        self._one_at_a_time = asyncio.Semaphore(1)

    async def run(self, work: Callable[[], T]) -> T:
        """Do something when it is its turn; refused with "busy" where too many wait already."""
        if self._inside >= self._most:
            raise RefusedError("busy", "The server is computing other results. Please try again in a moment.")
        self._inside += 1
        try:
            async with self._one_at_a_time:
                return await run_in_threadpool(work)
        finally:
            self._inside -= 1
