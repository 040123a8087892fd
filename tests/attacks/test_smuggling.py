"""Requests hidden in others: where a proxy shares connections, the reply to a hidden one would go to somebody else."""

import contextlib
import json
import socket
import time

import pytest
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from deniable.web.protocol import BODY, LimitedConnection

HIDDEN = b"GET /api/health HTTP/1.1\r\nHost: town\r\n\r\n"


def unguarded(connection):
    """As uvicorn has it: after the header of an upgrade the parser takes what follows for the next request."""
    connection._receiving = BODY
    HttpToolsProtocol.on_headers_complete(connection)


def replies(town, *pieces):
    """The statuses of all replies to what is sent piece by piece on one connection, until it is closed or silent."""
    with socket.create_connection(("127.0.0.1", town.service.port), timeout=1.5) as line:
        got = b""
        with contextlib.suppress(OSError):
            for piece in pieces:
                line.sendall(piece)
                time.sleep(0.2)
            while piece := line.recv(65_536):
                got += piece
    return [int(part[:3]) for part in got.split(b"HTTP/1.1 ")[1:]]


@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize("length", [b"Content-Length: %d" % len(HIDDEN), b"Transfer-Encoding: chunked"])
def test_the_body_of_an_upgrade_is_no_request(serve, standin, monkeypatch, guarded, length):
    if not guarded:
        monkeypatch.setattr(LimitedConnection, "on_headers_complete", unguarded)
    town = serve(standin.Standin())
    head = (
        b"POST /api/surveys/town/answers HTTP/1.1\r\nHost: town\r\nConnection: Upgrade\r\nUpgrade: foo\r\n"
        + length
        + b"\r\n\r\n"
    )
    found = replies(town, head, HIDDEN)
    assert found == [400] if guarded else found[-1] == 200
    assert town.post(standin.body()).status_code == 201


UPGRADE = b"GET / HTTP/1.1\r\nHost: town\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"


@pytest.mark.parametrize("first", [UPGRADE, b"CONNECT town:1 HTTP/1.1\r\n\r\n"])
def test_after_an_upgrade_without_a_body_one_reply_comes_and_no_other(serve, standin, first):
    town = serve(standin.Standin())
    assert len(replies(town, first, HIDDEN)) == 1
    assert len(replies(town, first + HIDDEN)) == 1


def test_lines_behind_a_body_are_no_header(serve, standin):
    """A proxy has not looked at them: they could say where a request comes from, or what it is."""
    town = serve(standin.Standin())
    body = json.dumps(standin.body()).encode()
    start = b"POST /api/surveys/town/answers HTTP/1.1\r\nHost: town\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n"
    sent = b"%x\r\n%b\r\n0\r\n" % (len(body), body)
    kind = b"Content-Type: application/json\r\n"
    assert replies(town, start + b"\r\n" + sent + kind + b"\r\n") == [415]
    assert replies(town, start + kind + b"\r\n" + sent + b"\r\n") == [201]


def test_notes_beside_the_pieces_of_a_body_have_an_end(serve, standin):
    """They are not kept, and so would be counted for nobody."""
    town = serve(standin.Standin())
    start = b"POST /api/surveys/town/answers HTTP/1.1\r\nHost: town\r\nTransfer-Encoding: chunked\r\n\r\n1;"
    with socket.create_connection(("127.0.0.1", town.service.port), timeout=5) as line:
        line.sendall(start)
        until = time.monotonic() + 5
        with contextlib.suppress(OSError):
            while time.monotonic() < until:
                line.sendall(b"x" * 65_536)
    assert time.monotonic() < until
    assert town.post(standin.body()).status_code == 201
