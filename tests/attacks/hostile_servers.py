"""Servers that show verifiers one thing and people another: each is one small change to what an honest one sends.

A server here is a raw socket in front of a real service of Deniable, so that also what no library would send can be sent.
"""

from __future__ import annotations

import contextlib
import gzip
import http.client
import itertools
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from deniable.web.app import Settings
from deniable.web.serve import Service

QUESTIONS = """
survey: town
title: {en: Town, pl: Miasto}
organiser: Town hall
contact: a@town.example
other_way: Call us.
languages: [en, pl]
pages:
- elements:
  - {type: boolean, name: smokes, title: Smoke?, privacy: strong}
  - {type: radiogroup, name: district, title: District, choices: [north, south], privacy: none}
"""
PROXIES = ("none", "nginx", "apache", "varnish", "caddy", "cdn")
SCRIPT = "/static/randomise.js"
API = "/api/surveys/town"


@contextlib.contextmanager
def honest_service(folder: Path) -> Iterator[tuple[str, int]]:
    """The host and port of a real service with one survey."""
    store = Store(str(folder / "town.db"))
    store.open_survey(Questionnaire.parse(QUESTIONS))
    service = Service(store, port=0, settings=Settings(burst=0))
    thread = threading.Thread(target=service.run, daemon=True)
    thread.start()
    while not service.server.started:
        time.sleep(0.01)
    yield "127.0.0.1", service.port
    service.server.should_exit = True
    thread.join(20)
    store.close()


@dataclass(frozen=True)
class Request:
    """What somebody asks, and what a server knows of who it is."""

    target: str
    headers: tuple[tuple[str, str], ...]
    connection: int  # the how-manieth connection
    place: int  # the how-manieth request of it
    number: int  # the how-manieth request of all
    open_now: int  # connections that are open at this moment
    visited: tuple[str, ...]  # what was asked for before
    address: str = "127.0.0.1"

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    def get(self, name: str) -> str:
        return next((value for given, value in self.headers if given.lower() == name.lower()), "")


@dataclass(frozen=True)
class Reply:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    before: bytes = b""  # raw bytes ahead of the head
    head: bytes = b""  # raw lines at the end of the head

    def with_header(self, name: str, value: str) -> Reply:
        kept = tuple(one for one in self.headers if one[0].lower() != name.lower())
        return replace(self, headers=(*kept, (name, value)))

    def also(self, name: str, value: str) -> Reply:
        return replace(self, headers=(*self.headers, (name, value)))

    def without(self, name: str) -> Reply:
        return replace(self, headers=tuple(one for one in self.headers if one[0].lower() != name.lower()))


Hook = Callable[[Request, Reply, Callable[[str], Reply]], Reply]


def changed(reply: Reply) -> Reply:
    """Other bytes in the place of the honest ones: a script that does not mix, or a recipe that does not."""
    if reply.body[:1] == b"{":
        told = json.loads(reply.body)
        block = told["recipe"]["blocks"][0]
        size = len(block["replacement"])
        block.update(law="mixture", denominator=1_000_000 + size, diagonal=1_000_000, replacement=[1] * size)
        return replace(reply, status=200, body=json.dumps(told).encode())
    return replace(reply, status=200, body=reply.body + b"\nfetch('/api/' + document.forms[0].innerText);\n")


class Hostile:
    """A server around an honest one (its host and port), with a hook that may change every reply."""

    def __init__(self, honest: tuple[str, int], hook: Hook, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self._honest, self._hook, self._kept = honest, hook, {}
        self._lock, self._numbers, self._open, self._visited = threading.Lock(), itertools.count(1), 0, []
        self._connections = itertools.count(1)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self._socket.getsockname()[1]}"
        self._live: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for one in list(self._live):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def honest(self, target: str, tag: str = "") -> Reply:
        """What the honest server sends; remembered, for it is the same every time."""
        with self._lock:
            if (target, tag) not in self._kept:
                connection = http.client.HTTPConnection(*self._honest, timeout=20)
                connection.request("GET", target, headers={"If-None-Match": tag} if tag else {})
                answer = connection.getresponse()
                kept = [one for one in answer.getheaders() if one[0].lower() not in ("content-length", "connection")]
                self._kept[target, tag] = Reply(answer.status, tuple(kept), answer.read())
                connection.close()
            return self._kept[target, tag]

    def _accept(self) -> None:
        while True:
            try:
                connected, address = self._socket.accept()
            except OSError:
                return
            self._live.add(connected)
            threading.Thread(target=self._serve, args=(connected, next(self._connections), address[0]), daemon=True).start()

    def _serve(self, connected: socket.socket, number: int, address: str) -> None:
        with self._lock:
            self._open += 1
        try:
            if self._tls is not None:
                connected = self._tls.wrap_socket(connected, server_side=True)
            with connected, connected.makefile("rb") as stream:
                for place in itertools.count(1):
                    request = self._read(stream, number, place, address)
                    if request is None or not self._answer(connected, request):
                        return
        except OSError:
            pass
        finally:
            self._live.discard(connected)
            with self._lock:
                self._open -= 1

    def _read(self, stream, number: int, place: int, address: str) -> Request | None:
        line = stream.readline().decode("latin-1").split(" ")
        if len(line) != 3:
            return None
        headers = []
        while (one := stream.readline().decode("latin-1").rstrip("\r\n")) != "":
            name, _, value = one.partition(":")
            headers.append((name, value.strip()))
        seen = (next(self._numbers), self._open, tuple(self._visited))
        request = Request(line[1], tuple(headers), number, place, *seen, address)
        self._visited.append(request.path)
        return request

    def _answer(self, connected: socket.socket, request: Request) -> bool:
        plain = self.honest(request.target, request.get("If-None-Match"))
        reply = self._hook(request, plain, lambda target: self.honest(target))
        lines = [f"HTTP/1.1 {reply.status} {http.client.responses.get(reply.status, 'Odd')}"]
        lines += [f"{name}: {value}" for name, value in reply.headers]
        if not any(name.lower() == "content-length" for name, _ in reply.headers) and reply.status != 304:
            lines.append(f"Content-Length: {len(reply.body)}")
        connected.sendall(reply.before + "\r\n".join(lines).encode("latin-1") + b"\r\n" + reply.head + b"\r\n" + reply.body)
        return request.get("Connection").lower() != "close"


@contextlib.contextmanager
def running(honest: tuple[str, int], hook: Hook, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    server = Hostile(honest, hook, tls)
    try:
        yield server.url
    finally:
        server.stop()


def zipped(reply: Reply, extra: bytes = b"") -> Reply:
    return replace(reply.with_header("Content-Encoding", "gzip"), body=gzip.compress(reply.body) + extra)


def when(condition: Callable[[Request], bool], where: str = SCRIPT) -> Hook:
    """Other bytes at one address, for some requests."""

    def hook(request: Request, honest: Reply, fetch: Callable[[str], Reply]) -> Reply:
        if request.path == where and condition(request):
            return changed(fetch(where))
        return honest

    return hook


def header(name: str, value: str, where: str = API) -> Hook:
    """One more header at one address."""
    return lambda request, honest, fetch: honest.also(name, value) if request.path == where else honest


def at(where: str, change: Callable[[Reply], Reply]) -> Hook:
    """A change of the reply at one address."""
    return lambda request, honest, fetch: change(honest) if request.path == where and honest.status == 200 else honest


def tag_for_each(request: Request, honest: Reply, fetch: Callable[[str], Reply]) -> Reply:
    if request.path != SCRIPT:
        return honest
    return fetch(SCRIPT).with_header("ETag", f'"{request.get("If-None-Match").strip(chr(34)) or f"visitor-{request.number}"}"')


def tag_of_the_survey(request: Request, honest: Reply, fetch: Callable[[str], Reply]) -> Reply:
    return honest.also("ETag", f'"visitor-{request.number}"') if request.path == API else honest


def cookie_from_the_front(request: Request, honest: Reply, fetch: Callable[[str], Reply]) -> Reply:
    if request.path == "/":
        return honest.also("Set-Cookie", "who=17; Path=/")
    return changed(fetch(SCRIPT)) if request.path == SCRIPT and "who=17" in request.get("Cookie") else honest


def worker_on_the_front(request: Request, honest: Reply, fetch: Callable[[str], Reply]) -> Reply:
    if request.path == "/":
        page = b"<!doctype html><title>Town</title><script src='/sw-start.js'></script>"
        return (
            replace(honest, status=200, body=page).without("Location").with_header("Content-Type", "text/html; charset=utf-8")
        )
    if request.path in ("/sw-start.js", "/sw.js"):
        worker = (
            b"addEventListener('fetch', e => 0)" if request.path == "/sw.js" else b"navigator.serviceWorker.register('/sw.js')"
        )
        return replace(honest, status=200, body=worker).with_header("Content-Type", "text/javascript")
    return honest


def prefix(request: Request, honest: Reply, fetch: Callable[[str], Reply]) -> Reply:
    return changed(fetch("/s/town")) if request.path == "/go/s/town" else honest


def encoded_oddly(request: Request, honest: Reply, fetch: Callable[[str], Reply]) -> Reply:
    return changed(fetch(SCRIPT)).with_header("Content-Encoding", "br") if request.path == SCRIPT else honest


def two_parts(request: Request, honest: Reply, fetch: Callable[[str], Reply]) -> Reply:
    packs = request.path == SCRIPT and "gzip" in request.get("Accept-Encoding")
    return zipped(fetch(SCRIPT), gzip.compress(b"alert(1)")) if packs else honest


def proxied(kind: str) -> Hook:
    """An honest server behind a proxy that compresses, keeps and adds headers, as well-known ones do."""

    def hook(request: Request, honest: Reply, fetch: Callable[[str], Reply]) -> Reply:
        reply = honest
        tag = next((value for name, value in honest.headers if name.lower() == "etag"), None)
        packs = "gzip" in request.get("Accept-Encoding") and honest.status == 200
        if kind == "nginx":
            reply = reply.with_header("Server", "nginx/1.27.3").with_header("Connection", "keep-alive")
            if packs:
                reply = zipped(reply).also("Vary", "Accept-Encoding")
                reply = reply.with_header("ETag", f"W/{tag}") if tag else reply
        elif kind == "apache":
            reply = reply.with_header("Server", "Apache/2.4.62 (Debian)").with_header("Keep-Alive", "timeout=5, max=100")
            if packs:
                reply = zipped(reply).also("Vary", "Accept-Encoding")
                reply = reply.with_header("ETag", tag[:-1] + '-gzip"') if tag else reply
        elif kind == "varnish":
            reply = reply.also("X-Varnish", f"{request.number} 3").also("Age", "0").also("Via", "1.1 cache (Varnish/7.4)")
            reply = reply.also("X-Cache", "HIT").also("Accept-Ranges", "bytes")
            reply = zipped(reply) if packs else reply
        elif kind == "caddy":
            reply = reply.with_header("Server", "Caddy").also("Via", "1.1 Caddy").also("Alt-Svc", 'h3=":PORT"; ma=2592000')
            port = request.get("Host").partition(":")[2]
            reply = reply.with_header("Alt-Svc", f'h3=":{port}"; ma=2592000')
            reply = zipped(reply).also("Vary", "Accept-Encoding") if packs else reply
        elif kind == "cdn":
            reply = reply.with_header("Server", "cloudflare").also("CF-RAY", f"{request.number:016x}-WAW")
            reply = reply.also("CF-Cache-Status", "DYNAMIC").also(
                "Strict-Transport-Security", "max-age=15552000; includeSubDomains"
            )
            reply = reply.without("ETag").without("Repr-Digest").also("Last-Modified", "Sun, 15 Nov 2026 10:00:00 GMT")
            reply = zipped(reply) if packs else reply
        return reply

    return hook
