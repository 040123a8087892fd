"""The last few things that were computed, by key; several threads may share them. Nothing is computed here, so nobody waits for long."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """At most so many things; those that were not asked for longest are forgotten.

    >>> kept = Kept[int](2)
    >>> [kept.keep(key, value) for key, value in (("a", 1), ("b", 2), ("c", 3))]
    [1, 2, 3]
    >>> kept.get("a"), kept.get("c")
    (None, 3)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._found: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable) -> T | None:
        """What is kept under a key, or None."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
            return self._found.get(key)

    def keep(self, key: Hashable, thing: T) -> T:
        """Keep a thing, and give it back."""
        with self._lock:
            self._found[key] = thing
            self._found.move_to_end(key)
            while len(self._found) > self._most:
                self._found.popitem(last=False)
        return thing
