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


def test_what_comes_to_nothing_is_put_back():
    limit = Limit(burst=2, per_second=1e-9)
    for _ in range(10):
        limit.check("a")
        limit.give_back("a")
    assert [limit.allows("a") for _ in range(3)] == [True, True, False]
    limit.give_back("never seen")
    assert [limit.allows("never seen") for _ in range(3)] == [True, True, False]


def test_whoever_has_a_part_of_the_internet_has_one_bucket():
    limit = Limit(burst=3, per_second=1e-9)
    assert [limit.allows(f"2001:db8:1:2::{i:x}") for i in range(5)] == [True, True, True, False, False]
    assert limit.allows("2001:db8:1:3::1")
    assert limit.allows("203.0.113.5")
    assert limit.allows("::ffff:203.0.113.5")
    assert [limit.allows("203.0.113.5") for _ in range(2)] == [True, False]
    assert limit.allows("fe80::1%eth0")
    assert limit.allows("no address")
