"""Limits of how often one address may ask. Addresses are kept in memory only, scrambled, and forgotten with the process."""

from __future__ import annotations

import hashlib
import os
import time
from collections import OrderedDict

from deniable.errors import RefusedError

MOST_ADDRESSES = 20_000


class Limit:
    """A bucket an address: `burst` at once, refilled with `per_second`.

    >>> limit = Limit(burst=2, per_second=0.1)
    >>> [limit.allows("203.0.113.5") for _ in range(3)], limit.allows("203.0.113.6")
    ([True, True, False], True)
    """

    def __init__(self, burst: int, per_second: float) -> None:
        self._burst, self._rate = burst, per_second
        self._key = os.urandom(32)
        self._buckets: OrderedDict[bytes, tuple[float, float]] = OrderedDict()

    def allows(self, address: str) -> bool:
        """Take one from the address's bucket, if there is one left."""
        name = hashlib.blake2b(address.encode(), key=self._key, digest_size=16).digest()
        now = time.monotonic()
        left, before = self._buckets.pop(name, (float(self._burst), now))
        left = min(self._burst, left + (now - before) * self._rate)
        allowed = left >= 1
        self._buckets[name] = (left - 1 if allowed else left, now)
        if len(self._buckets) > MOST_ADDRESSES:
            self._buckets.popitem(last=False)
        return allowed

    def check(self, address: str) -> None:
        """Refuse where the bucket is empty."""
        if not self.allows(address):
            raise RefusedError("too_many", "Too many requests come from this address. Wait a little and send again.")
