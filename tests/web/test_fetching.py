"""Answers as they come over the wire: nothing is guessed, waited for without end, or unpacked beyond measure."""

from __future__ import annotations

import contextlib
import gzip
import socket
import sys
import threading
import time
import types
import zlib

import pytest

from deniable.web import fetching
from deniable.web.fetching import Line, UnreadableError, decoded


@contextlib.contextmanager
def server(*replies):
    """Answers the first request with the first reply, and so on; a reply is bytes, or pieces that come slowly. None hangs up."""
    listening = socket.create_server(("127.0.0.1", 0))
    left, heard = list(replies), []

    def serve():
        while left:
            try:
                connected, _ = listening.accept()
            except OSError:
                return
            with connected, contextlib.suppress(OSError):
                while left and (head := connected.recv(65536)):
                    heard.append(head)
                    reply = left.pop(0)
                    if reply is None:
                        break
                    for piece in reply if isinstance(reply, list) else [reply]:
                        connected.sendall(piece)
                        time.sleep(0.1 if isinstance(reply, list) else 0)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listening.getsockname()[1], heard
    finally:
        listening.close()
        thread.join(5)


def get(port, times=1):
    line = Line("http", "127.0.0.1", port)
    try:
        return [line.get("http://x/s/town", "/s/town?a=b", [("Host", "x"), ("Accept", "*/*")], "Chrome") for _ in range(times)]
    finally:
        line.close()


def test_requests_are_written_exactly_as_asked_and_connections_are_kept_and_opened_anew():
    good = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    with server(good, good, None, good) as (port, heard):
        found = get(port, 3)
    assert [one.body for one in found] == [b"ok"] * 3
    assert heard[0] == b"GET /s/town?a=b HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n"
    assert len(heard) == 4


@pytest.mark.parametrize(
    ("reply", "trouble"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nshort", "it does not answer: the answer ends too early"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal", "it does not answer: the answer ends too early"),
        (b"nonsense\r\n\r\n", "it does not answer: nonsense"),
        (None, "it does not answer: Remote end closed connection without response"),
    ],
)
def test_what_is_no_whole_answer_is_trouble_and_no_accusation(reply, trouble):
    with server(reply) as (port, _):
        [found] = get(port)
    assert (found.trouble, found.fault, found.body) == (trouble, None, b"")


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nno header\r\nContent-Length: 2\r\n",
        b"HTTP/1.1 200 OK\r\nSet-Cookie : a=b\r\nContent-Length: 2\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\r\n folded\r\nContent-Length: 2\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\x01b\r\nContent-Length: 2\r\n",
        b"HTTP/1.1 200 OK\nContent-Length: 2\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: identity\r\n",
    ],
)
def test_heads_that_programs_read_differently_are_faults(head):
    with server(head + b"\r\nok") as (port, _):
        [found] = get(port)
    assert found.fault


def test_a_server_that_never_ends_is_left(monkeypatch):
    monkeypatch.setattr(fetching, "LONGEST_SECONDS", 0.5)
    sent = []

    class Pieces(list):
        def __iter__(self):
            for piece in super().__iter__():
                sent.append(piece)
                yield piece

    with server(Pieces([b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", *([b"x"] * 99)])) as (port, _):
        [found] = get(port)
    assert found.trouble
    assert len(sent) < 100, "it waited for the last piece"
    monkeypatch.setattr(fetching, "LARGEST", 1000)
    with server(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 200_000) as (port, _):
        [found] = get(port)
    assert found.fault == "it sends more than 1,000 bytes"


def test_what_is_packed_is_unpacked_as_browsers_do_or_not_at_all(monkeypatch):
    raw = zlib.compressobj(wbits=-15)
    assert decoded(raw.compress(b"survey") + raw.flush(), ["deflate"]) == b"survey"
    assert decoded(zlib.compress(b"survey"), ["deflate"]) == b"survey"
    assert decoded(gzip.compress(gzip.compress(b"survey")), ["gzip", "gzip"]) == b"survey"
    assert decoded(b"", ["gzip"]) == b""
    for packed in (
        b"survey",
        gzip.compress(b"a") + gzip.compress(b"b"),
        gzip.compress(b"abc")[:-9],
        gzip.compress(b"a") + b"x",
    ):
        with pytest.raises(UnreadableError) as caught:
            decoded(packed, ["gzip"])
        assert not caught.value.ours
    with pytest.raises(UnreadableError, match="no browser asked for"):
        decoded(b"x", ["compress"])
    monkeypatch.setattr(fetching, "LARGEST", 1000)
    with pytest.raises(UnreadableError, match="more than 1,000"):
        decoded(gzip.compress(bytes(100_000)), ["gzip"])


def test_encodings_that_need_a_package_are_unpacked_by_it_or_said_to_be_unchecked(monkeypatch):
    for name in ("brotli", "brotlicffi"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UnreadableError, match="pip install brotli, or look with a real browser") as caught:
        decoded(b"x", ["br"])
    assert caught.value.ours
    monkeypatch.setitem(sys.modules, "brotli", types.SimpleNamespace(decompress=lambda body: body[::-1]))
    assert decoded(b"yevrus", ["br"]) == b"survey"
