"""Limits of how often one address may ask. Addresses are kept in memory only, scrambled, and forgotten with the process."""

from __future__ import annotations

import hashlib
import ipaddress
import math
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
        name = self._name(address)
        now = time.monotonic()
        left, before = self._buckets.pop(name, (float(self._burst), now))
        left = min(self._burst, left + (now - before) * self._rate)
        allowed = left >= 1
        self._buckets[name] = (left - 1 if allowed else left, now)
        if len(self._buckets) > MOST_ADDRESSES:
            self._buckets.popitem(last=False)
        return allowed

    def give_back(self, address: str) -> None:
        """Put one back: what was taken for came to nothing."""
        left, before = self._buckets.get(self._name(address), (math.inf, 0.0))
        if left < self._burst:
            self._buckets[self._name(address)] = (left + 1, before)

    def _name(self, address: str) -> bytes:
        return hashlib.blake2b(neighbourhood(address).encode(), key=self._key, digest_size=16).digest()

    def check(self, address: str) -> None:
        """Refuse where the bucket is empty."""
        if not self.allows(address):
            raise RefusedError(
                "too_many", "Too many requests are coming from this address. Please wait a moment and send again."
            )


def neighbourhood(address: str) -> str:
    """What counts as one address: of IPv6 the first 64 bits, for anyone who has one of the addresses behind them has them all.

    >>> neighbourhood("2001:db8::1") == neighbourhood("2001:db8::2:3"), neighbourhood("::ffff:203.0.113.5")
    (True, '203.0.113.5')
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    return str(parsed.ipv4_mapped or ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))
