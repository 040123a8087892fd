"""Who is connected, and who is dropped."""

import asyncio
import resource
from concurrent.futures import ThreadPoolExecutor

import pytest

from deniable.web.connections import Connections, Descriptors, Patience


class Somebody:
    """A connection that remembers that it was dropped."""

    def __init__(self):
        self.address, self.held, self.dropped = None, 0, False

    def drop(self):
        self.dropped = True

    def overdue(self, now):
        return now > 10


def house(connections=4, **patience):
    return Connections(Patience(connections=connections, **patience), lambda host: host == "127.0.0.1")


def admitted(town, *hosts):
    found = [Somebody() for _ in hosts]
    for one, host in zip(found, hosts, strict=True):
        assert town.admit(one, host)
        town.waits(one)
    return found


def test_whoever_has_kept_the_server_waiting_the_longest_makes_room():
    town = house()
    first, second, third, fourth = admitted(town, *(f"203.0.113.{i}" for i in range(4)))
    town.works(first)
    town.waits(second)
    admitted(town, "203.0.113.9")
    assert [one.dropped for one in (first, second, third, fourth)] == [False, False, True, False]
    assert len(town) == 4


@pytest.mark.parametrize(
    ("host", "dropped"), [("203.0.113.1", 2), ("2001:db8::{}", 2), ("2001:db8:0:{}::", 0), ("127.0.0.1", 0)]
)
def test_an_address_is_a_neighbourhood_and_a_proxy_is_none(host, dropped):
    assert sum(one.dropped for one in admitted(house(), *(host.format(i) for i in range(4)))) == dropped


def test_whoever_holds_the_most_makes_room_and_not_who_is_slow():
    """The oldest may be somebody on a poor line. Who is being served is not dropped, so one of those who wait may free too little."""
    town = house(held_bytes=1_000)
    slow, large, larger, served = admitted(town, *["127.0.0.1"] * 4)
    for one, size in ((slow, 100), (large, 200), (larger, 300), (served, 100)):
        town.hold(one, size)
    town.works(served)
    town.hold(served, 800)
    assert [one.dropped for one in (slow, large, larger, served)] == [False, True, True, False]
    assert town.held == 900


def test_addresses_are_forgotten_with_their_connections():
    town = house()
    for one in admitted(town, "203.0.113.1", "203.0.113.2", "127.0.0.1"):
        town.hold(one, 1_000)
        town.leave(one)
        town.leave(one)
    assert (len(town), town.held, len(town._from), len(town._waiting)) == (0, 0, 0, 0)


def test_nobody_is_let_in_while_the_server_stops_or_everybody_is_served():
    town = house()
    for one in admitted(town, *["127.0.0.1"] * 4):
        town.works(one)
    assert not town.admit(Somebody(), "127.0.0.1")
    town.stopping = True
    assert not town.admit(Somebody(), "203.0.113.5")


def test_those_who_take_too_long_are_dropped():
    town = house()
    one, other = admitted(town, "203.0.113.1", "203.0.113.2")
    town.sweep(5)
    assert len(town) == 2
    town.sweep(11)
    assert (one.dropped, other.dropped, len(town)) == (True, True, 0)


def test_what_comes_in_a_pipeline_is_started_once_a_turn():
    started = []

    async def turns():
        town = house()
        for i in range(5):
            town.later(lambda i=i: started.append(i))
        await asyncio.sleep(0)
        assert started == [0]
        for _ in range(5):
            await asyncio.sleep(0)

    with ThreadPoolExecutor(1) as own:  # the browser of other tests keeps a loop running in this thread
        own.submit(asyncio.run, turns()).result()
    assert started == [0, 1, 2, 3, 4]


def test_the_limit_of_open_files_is_raised_and_heeded():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (300, hard))
        assert Descriptors.raised(150).connections == 150
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 300
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert Descriptors.within(100, already_open=90).connections == 16
