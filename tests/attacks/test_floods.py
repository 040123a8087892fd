"""Floods of cheap traffic: each would take the server's memory, its descriptors, its log or its end, from everybody else.

The first half floods `deniable serve` in a process of its own that may open 256 files, while honest people answer. The second half shows
on one server in this process that each limit is what holds: with boundless patience the same attacker wins.
"""

import contextlib
import gc
import math
import signal
import socket
import threading
import time

import pytest

from benchmarks import floods
from deniable.web.connections import Patience
from deniable.web.protocol import LimitedConnection

pytestmark = pytest.mark.xdist_group("floods")
DESCRIPTORS = 256
LAST = floods.GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
LINES = 8
"""Kinds of trouble that a log may tell of here; each takes a line, and one that counts the others."""


@pytest.fixture(scope="module")
def towns():
    running = []
    yield running
    for one in running:
        one.stop()


@pytest.fixture
def town(towns, tmp_path_factory):
    """A server that runs; the same for all, until somebody stops it."""
    if not towns or towns[-1].process.poll() is not None:
        towns.append(floods.Town(tmp_path_factory.mktemp("town"), DESCRIPTORS))
    return towns[-1]


@pytest.mark.parametrize(
    "flood",
    [
        {"half_sent": 600},
        {"pipelined": 8},
        {"endless_header": 4, "unread": 100},
        {"slow_body": 200, "bodies": 200},
        *(pytest.param({kind: often}, marks=pytest.mark.slow) for kind, (_, often) in floods.FLOODS.items()),
    ],
    ids=" and ".join,
)
def test_honest_people_are_served_meanwhile_and_memory_stays(town, flood):
    before = town.megabytes()
    with floods.flooded(town.port, 10, **flood):
        honest = floods.Honest(town.port, 1.0)
        taken = town.megabytes() - before
    assert honest.failures == []
    assert honest.p95 < floods.MOST_SECONDS
    assert taken < 80
    assert town.megabytes("VmHWM") < floods.MOST_MEGABYTES


@pytest.mark.parametrize("kind", ["junk", "upgrades", "aborted"])
def test_nobody_fills_the_log_and_it_names_nobody(town, kind):
    with floods.flooded(town.port, 10, **{kind: 8}):
        honest = floods.Honest(town.port, 0.3)
    assert honest.failures == []
    assert honest.p95 < floods.MOST_SECONDS
    log = town.log.read_text()
    assert len(log.splitlines()) <= LINES
    assert "Traceback" not in log
    assert "127.0.0" not in log


@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 0), pytest.param(signal.SIGINT, 130, marks=pytest.mark.slow)])
def test_a_server_stops_in_time_whatever_clients_do(town, how, code):
    with floods.flooded(town.port, 10, slow_body=20, unread=20, pipelined=2):
        honest = floods.Honest(town.port, 0.3)
        found, seconds = town.stop(how)
    assert found == code
    assert seconds < 5
    assert town.log.read_text().splitlines()[-1] == "Stopped. Every answer that was acknowledged is kept."
    assert "Traceback" not in town.log.read_text()
    assert honest.failures == []
    assert floods.lost(town.database, town.keys, honest.codes) == 0


# One limit at a time, in this process.

PATIENT = Patience(
    header_bytes=1 << 40, header_lines=1 << 40, header_seconds=math.inf, body_seconds=math.inf, unread_seconds=math.inf,
    pipelined=1 << 40, held_bytes=1 << 40, idle_seconds=3600,
)  # fmt: skip


@pytest.fixture
def line():
    """Opens connections, from any of this machine's own addresses."""
    with contextlib.ExitStack() as opened:

        def connect(running, sent=b"", source="127.0.0.1", small=False):
            one = opened.enter_context(socket.socket())
            if small:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.bind((source, 0))
            one.connect(("127.0.0.1", running.service.port))
            one.sendall(sent)
            return one

        yield connect


def open_ones(lines, seconds):
    """Which of the connections the server has not closed after so many seconds, unread as they are."""
    until = time.monotonic() + seconds
    while (left := [name for name, one in lines.items() if not floods.ended(one)]) and time.monotonic() < until:
        time.sleep(0.05)
    return left


@pytest.mark.parametrize("patient", [False, True])
def test_whatever_is_begun_and_not_finished_has_an_end(serve, standin, line, patient):
    short = Patience(header_seconds=0.2, body_seconds=0.2, unread_seconds=0.2, idle_seconds=1)
    town = serve(standin.Standin(), patience=PATIENT if patient else short)
    lines = {
        "nothing sent": line(town),
        "half a header": line(town, floods.HALF),
        "an empty line after a request": line(town, b"GET /api/health HTTP/1.1\r\n\r\n"),
        "half a body": line(town, floods.HALF + b"Content-Length: 1000\r\n\r\n{"),
        "half a body that was refused": line(town, b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"),
        "replies that are not read": line(town, floods.GET * 16, small=True),
        "a last reply that is not read": line(town, floods.GET * 8 + LAST, small=True),
    }  # fmt: skip
    time.sleep(0.3)
    lines["an empty line after a request"].sendall(b"\r\n")
    assert open_ones(lines, 0.7 if patient else 4) == (list(lines) if patient else [])
    assert town.post(standin.body()).status_code == 201


@pytest.mark.parametrize("patient", [False, True])
@pytest.mark.parametrize("header", [b"X-Long: " + b"x" * 100_000, b"\r\n".join(b"X: y" for _ in range(200))])
def test_a_header_has_an_end(serve, standin, line, header, patient):
    town = serve(standin.Standin(), patience=PATIENT if patient else None)
    one = line(town, b"GET /api/health HTTP/1.1\r\n" + header + b"\r\n")
    with contextlib.suppress(OSError):
        time.sleep(0.1)
        one.sendall(b"\r\n")
    assert one.recv(12) == (b"HTTP/1.1 200" if patient else b"HTTP/1.1 431")


@pytest.mark.parametrize("patient", [False, True])
def test_few_requests_wait_behind_one_another(serve, standin, line, patient):
    town = serve(standin.Standin(), patience=PATIENT if patient else None)
    one = line(town, b"GET /api/health HTTP/1.1\r\n\r\n" * 100)
    one.settimeout(5)
    got = b""
    with contextlib.suppress(OSError):
        while got.count(b"HTTP/1.1 200") < 100 and (piece := one.recv(65_536)):
            got += piece
    assert (got.count(b"HTTP/1.1 200") == 100) == patient


@pytest.mark.parametrize("patient", [False, True])
def test_bodies_that_wait_take_so_much_memory_and_no_more(serve, standin, line, patient):
    patience = PATIENT if patient else Patience(held_bytes=300_000)
    town = serve(standin.Standin(), patience=patience)
    lines = {i: line(town, floods.HALF + b"Content-Length: 65000\r\n\r\n" + b" " * 60_000) for i in range(20)}
    assert len(open_ones(lines, 0.5)) == (20 if patient else 4)
    assert (town.service.server.connections.held > 300_000) == patient
    assert town.post(standin.body()).status_code == 201


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_one_address_drops_its_own_connections_and_nobody_elses(serve, standin, line, monkeypatch, share):
    """Somebody else's connection is the oldest; were there no limit an address, it would be the first to go."""
    monkeypatch.setattr(Patience, "from_one_address", property(lambda patience: int(share * patience.connections)))
    town = serve(standin.Standin(), patience=Patience(connections=20))
    theirs = line(town, floods.HALF, source="127.0.0.3")
    time.sleep(0.1)
    flood = {i: line(town, floods.HALF, source="127.0.0.2") for i in range(40)}
    assert len(open_ones(flood, 0.5)) == (10 if share == 0.5 else 20)
    assert floods.ended(theirs) == (share == 1.0)


def test_a_proxy_may_have_as_many_connections_as_there_are(serve, standin, line):
    town = serve(standin.Standin(), patience=Patience(connections=20))
    proxied = {i: line(town, floods.HALF) for i in range(18)}
    assert len(open_ones(proxied, 0.3)) == 18


def test_newcomers_are_refused_only_where_everybody_is_being_served(serve, standin, line, monkeypatch):
    town = serve(standin.Standin(), patience=Patience(connections=3))
    at_work, answered, names = threading.Semaphore(0), threading.Event(), town.store.slugs

    def slugs():
        at_work.release()
        assert answered.wait(60)
        return names()

    monkeypatch.setattr(town.store, "slugs", slugs)
    served = [line(town, b"GET /api/health HTTP/1.1\r\n\r\n") for _ in range(3)]
    assert all(at_work.acquire(timeout=30) for _ in served)
    assert line(town).recv(12) == b"HTTP/1.1 503"
    answered.set()
    assert [one.recv(12) for one in served] == [b"HTTP/1.1 200"] * 3
    # They are idle now, and the oldest makes room.
    assert town.post(standin.body()).status_code == 201


def test_connections_that_are_gone_leave_nothing_to_the_collector(serve, standin, line):
    """Bodies that never ended took 160 MB in twenty seconds, for the collector comes rarely: requests and connections knew each other."""
    town = serve(standin.Standin())
    gc.collect()
    gc.disable()
    try:
        lines = [
            line(town, sent) for sent in (floods.HALF + b"Content-Length: 9\r\n\r\n{", floods.GET * 12, floods.GET * 99) * 5
        ]
        time.sleep(0.2)
        for one in lines:
            one.close()
        until = time.monotonic() + 5
        while (left := sum(isinstance(found, LimitedConnection) for found in gc.get_objects())) and time.monotonic() < until:
            time.sleep(0.05)
        assert left == 0
    finally:
        gc.enable()
