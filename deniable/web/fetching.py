"""One answer of a server as it came over the wire, read as strictly as the most careful browser would.

Nothing is followed, guessed or repaired: an answer that two programs could read differently is reported as such.
"""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import ssl
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from deniable.web.browsers import Headers

SECONDS = 20
LONGEST_SECONDS = 60
LARGEST = 20_000_000
_STATUS = re.compile(rb"HTTP/1\.[01] [1-5]\d\d(?: [\t\x20-\x7e\x80-\xff]*)?\r\n")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*\r\n")


class UnreadableError(Exception):
    """A body that cannot be decoded here, with the reason. `ours`: for want of a program, not by the server's fault."""

    def __init__(self, reason: str, ours: bool = False) -> None:
        super().__init__(reason)
        self.ours = ours


@dataclass(frozen=True)
class Answer:
    """What came back. `trouble`: why there is no answer, or none that can be compared; `fault`: what a server of ours never sends."""

    url: str
    asked_by: str  # the browser, for the report
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    trouble: str | None = None
    fault: str | None = None
    conditional: bool = False  # asked for only if it had changed

    def values(self, name: str) -> list[str]:
        """All values of a header."""
        return [value for given, value in self.headers if given.lower() == name.lower()]

    def value(self, name: str) -> str | None:
        """The only value of a header, if there is one."""
        values = self.values(name)
        return values[0] if len(values) == 1 else None


class Line:
    """A connection to a server, kept open as long as the server keeps it."""

    def __init__(self, scheme: str, host: str, port: int | None, context: ssl.SSLContext | None = None) -> None:
        self._connection: http.client.HTTPConnection
        if scheme == "https":
            self._connection = http.client.HTTPSConnection(
                host, port, timeout=SECONDS, context=context or ssl.create_default_context()
            )
        else:
            self._connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
        self._connection.response_class = _Recorded
        self._used = False

    def get(self, url: str, target: str, headers: Headers, asked_by: str) -> Answer:
        """Ask for a target (path and query) with exactly these headers, in this order."""
        conditional = any(name == "If-None-Match" for name, _ in headers)
        try:
            try:
                return self._get(url, target, headers, asked_by, conditional)
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                if not self._used:
                    raise
                # A connection that was kept may have ended meanwhile; browsers then open another.
                self.close()
                return self._get(url, target, headers, asked_by, conditional)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return Answer(url, asked_by, trouble=f"it does not answer: {_reason(error)}", conditional=conditional)

    def _get(self, url: str, target: str, headers: Headers, asked_by: str, conditional: bool) -> Answer:
        connection = self._connection
        connection.putrequest("GET", target, skip_host=True, skip_accept_encoding=True)
        for name, value in headers:
            connection.putheader(name, value)
        connection.endheaders()
        # A server that sends a byte now and then would never run into the limit of a single wait.
        alarm = threading.Timer(LONGEST_SECONDS, _hang_up, [connection.sock])
        alarm.daemon = True
        alarm.start()
        try:
            response = connection.getresponse()
            assert isinstance(response, _Recorded)
            self._used = True
            with response:
                raw = _read(response)
        except _TooMuchError as error:
            self.close()
            return Answer(url, asked_by, response.status, fault=str(error), conditional=conditional)
        finally:
            alarm.cancel()
        fields, fault = _parsed(response.lines)
        answer = Answer(url, asked_by, response.status, tuple(fields), raw, fault=fault, conditional=conditional)
        encodings = [one.strip().lower() for value in answer.values("Content-Encoding") for one in value.split(",")]
        try:
            body = decoded(raw, encodings)
        except UnreadableError as error:
            if error.ours:
                return Answer(url, asked_by, answer.status, answer.headers, b"", str(error), fault, conditional)
            return Answer(url, asked_by, answer.status, answer.headers, raw, None, fault or str(error), conditional)
        return Answer(url, asked_by, answer.status, answer.headers, body, None, fault, conditional)

    def close(self) -> None:
        """Hang up; the next request opens a new connection."""
        self._connection.close()
        self._used = False


def _hang_up(connected: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


class _TooMuchError(Exception):
    """More than a survey is."""


class _Recorded(http.client.HTTPResponse):
    """Keeps the lines of the head as they came: the standard reader drops what it cannot parse, browsers do not."""

    lines: list[bytes]

    def begin(self) -> None:
        inner, self.lines = self.fp, []

        class Tee:
            def readline(tee, limit: int = -1) -> bytes:  # noqa: N805  `self` is the response
                line: bytes = inner.readline(limit)
                self.lines.append(line)
                return line

            def close(tee) -> None:  # noqa: N805
                inner.close()

        self.fp = Tee()  # type: ignore[assignment]
        try:
            super().begin()
        finally:
            if self.fp is not None:
                self.fp = inner


def _read(response: http.client.HTTPResponse) -> bytes:
    pieces, size = [], 0
    while piece := response.read(65536):
        pieces.append(piece)
        size += len(piece)
        if size > LARGEST:
            raise _TooMuchError(f"it sends more than {LARGEST:,} bytes")
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    return b"".join(pieces)


def _parsed(lines: list[bytes]) -> tuple[Headers, str | None]:
    """The headers, and what is wrong with the way they are written."""
    odd = "its headers are written so that browsers and other programs may read them differently"
    fault = None if lines and _STATUS.fullmatch(lines[0]) else odd
    fields = []
    for line in lines[1:]:
        if line in (b"\r\n", b""):
            continue
        match = _HEADER.fullmatch(line)
        if match is None:
            name, _, value = line.partition(b":")
            fields.append((name.strip().decode("latin-1"), value.strip().decode("latin-1")))
            fault = odd
        else:
            fields.append((match[1].decode("latin-1"), match[2].decode("latin-1")))
    names = [name.lower() for name, _ in fields]
    lengths, transfers = names.count("content-length"), [value for name, value in fields if name.lower() == "transfer-encoding"]
    if lengths > 1 or (lengths and transfers) or len(transfers) > 1 or any(value.lower() != "chunked" for value in transfers):
        fault = "it does not say plainly how long its answer is"
    return fields, fault


def decoded(body: bytes, encodings: list[str]) -> bytes:
    """The bytes under their Content-Encoding.

    >>> decoded(zlib.compress(b"survey"), ["deflate"])
    b'survey'
    """
    for encoding in reversed(encodings):
        if encoding in ("", "identity"):
            continue
        if not body:
            return body  # an answer without a body, such as 304
        if encoding in ("gzip", "x-gzip"):
            body = _inflated(body, 31)
        elif encoding == "deflate":
            # Browsers take both the format of the standard and the one that servers sent by mistake.
            body = _inflated(body, 15 if body[0] & 15 == 8 and int.from_bytes(body[:2], "big") % 31 == 0 else -15)
        elif encoding in ("br", "zstd"):
            body = _optional(encoding)(body)
        else:
            raise UnreadableError(f"it is encoded as {encoding!r}, which no browser asked for")
    return body


def _inflated(body: bytes, window: int) -> bytes:
    machine = zlib.decompressobj(window)
    try:
        content = machine.decompress(body, LARGEST)
    except zlib.error:
        raise UnreadableError("it is not compressed as it says") from None
    if machine.unconsumed_tail:
        raise UnreadableError(f"it unpacks to more than {LARGEST:,} bytes")
    if not machine.eof or machine.unused_data:
        # Some browsers would stop at the end of the first part, others go on.
        raise UnreadableError("what is compressed has another part behind it, or no end")
    return content


def _optional(encoding: str) -> Callable[[bytes], bytes]:
    """A decoder that the standard library does not have: of a package, if one is installed."""
    ways: dict[str, list[tuple[str, Callable[[Any, bytes], bytes]]]] = {
        "br": [("brotli", lambda m, b: m.decompress(b)), ("brotlicffi", lambda m, b: m.decompress(b))],
        "zstd": [
            ("compression.zstd", lambda m, b: m.decompress(b)),
            ("zstandard", lambda m, b: m.ZstdDecompressor().decompress(b, max_output_size=LARGEST)),
        ],
    }
    for package, way in ways[encoding]:
        try:
            module = import_module(package)
        except ImportError:
            continue

        def decode(body: bytes, module: Any = module, way: Callable[[Any, bytes], bytes] = way) -> bytes:
            try:
                return way(module, body)
            except Exception as error:
                raise UnreadableError(f"it is not compressed as it says ({encoding}): {error}") from None

        return decode
    wanted = {"br": "brotli", "zstd": "zstandard"}[encoding]
    raise UnreadableError(
        f"it comes compressed as {encoding}, which cannot be unpacked here: pip install {wanted}, or look with a real browser",
        ours=True,
    )


def _reason(error: Exception) -> str:
    if isinstance(error, socket.gaierror):
        return "there is no such host"
    if isinstance(error, http.client.IncompleteRead):
        return "the answer ends too early"
    return shown(str(getattr(error, "strerror", None) or error or type(error).__name__).strip())[:200].rstrip(".")


def shown(text: str) -> str:
    """A server's words, for a terminal: it must not be able to move the cursor and write over what is said of it.

    >>> shown("a=b" + chr(27) + "[2Kgood")
    'a=b�[2Kgood'
    """
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
