"""Limits and same-site rules on their own."""

import pytest

from deniable.errors import RefusedError
from deniable.web.limits import MOST_ADDRESSES, Limit


def test_a_bucket_refills(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("deniable.web.limits.time.monotonic", lambda: now[0])
    limit = Limit(burst=3, per_second=2)
    assert [limit.allows("a") for _ in range(4)] == [True, True, True, False]
    now[0] = 0.5
    assert [limit.allows("a") for _ in range(2)] == [True, False]
    now[0] = 100
    assert [limit.allows("a") for _ in range(4)] == [True, True, True, False]
    with pytest.raises(RefusedError, match="Too many requests"):
        limit.check("a")


def test_addresses_are_scrambled_and_their_number_is_bounded():
    limit = Limit(burst=1, per_second=1)
    for i in range(MOST_ADDRESSES + 50):
        limit.allows(f"address {i}")
    assert len(limit._buckets) == MOST_ADDRESSES
    assert not any(b"address" in name for name in limit._buckets)
