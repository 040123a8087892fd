"""Cheap traffic against a running server, while honest people answer: its memory, their waiting, its log.

    python -m benchmarks.floods [--seconds 300] [--only KIND] [--descriptors 1024]

One process serves (`deniable serve`, SQLite), one floods, one answers honestly: somebody new twenty times a second, each on a connection
of their own. All on loopback. `steady` is no flood: 64 people without pause for ten minutes, with the memory at each minute; nor is
`mixing`: how long a stop takes while a million stored answers are mixed anew.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import re
import resource
import secrets
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from multiprocessing.synchronize import Event
from pathlib import Path

MOST_MEGABYTES, MOST_SECONDS = 400, 1.0
ANSWERS = "/api/surveys/town/answers"
PAUSE = 0.05
STEADY_SECONDS = 600.0
WITHOUT_WAITING = (
    "from deniable.__main__ import main; from deniable.survey import writer; writer.WAIT_SECONDS = 0.0, 0.0; main()"
)
STORED, LEAST_MIXED = 1_000_000, 40
"""Answers that are stored while they are mixed anew, and the bytes of each after which that is surely under way."""


class Town:
    """`deniable serve` in a process of its own, over a new SQLite file, with a limit of open files.

    With `stored` answers batches end as soon as they are full, so that these are soon mixed anew.
    """

    def __init__(self, folder: Path, descriptors: int = 1024, stored: int = 0) -> None:
        from benchmarks.service import TEN_QUESTIONS, fill
        from deniable.survey.questionnaire import Questionnaire
        from deniable.survey.store import Store

        self.database, self.keys = str(folder / "town.db"), str(folder / "keys")
        with Store(self.database, self.keys) as store:
            store.open_survey(Questionnaire.parse(TEN_QUESTIONS))
            if stored:
                fill(store, stored)
        self.log = folder / "log.txt"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-c",
                    WITHOUT_WAITING if stored else "from deniable.__main__ import main; main()",
                    "serve",
                    "--db",
                    self.database,
                    "--keys",
                    self.keys,
                    "--port",
                    "0",
                    "--burst",
                    "0",
                ],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors)),
            )
        assert self.process.stdout is not None
        while not (found := re.match(r"http://\S+:(\d+)/organiser   ", line := self.process.stdout.readline())):
            assert line, self.log.read_text()
        self.port = int(found[1])
        while answer(self.port)[0] != 201:
            time.sleep(0.05)

    def megabytes(self, what: str = "VmRSS") -> float:
        """Memory of the server now (VmRSS), or the most it ever had (VmHWM)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition(f"{what}:")[2].split()[0]) / 1024

    def stop(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, float]:
        """The exit code, and how many seconds it took."""
        began = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return self.process.wait(60), time.monotonic() - began
        finally:
            if self.process.poll() is None:
                self.process.kill()
            assert self.process.stdout is not None
            self.process.stdout.close()


# People


def submission() -> tuple[str, bytes]:
    """A receipt code and the request that carries it."""
    code = secrets.token_hex(16)
    body = {"version": 1, "id": secrets.token_hex(16), "code": code, "report": {**{f"q{i}": 1 for i in range(9)}, "age": 40}}
    content = json.dumps(body).encode()
    head = f"POST {ANSWERS} HTTP/1.1\r\nHost: town\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    return code, head.encode() + content


def answer(port: int) -> tuple[int, float, str]:
    """Somebody answers on a connection of their own: the status (0 for none), the seconds it took, the receipt code."""
    code, request = submission()
    began = time.monotonic()
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
            line.sendall(request)
            got = line.recv(4096)
    except OSError:
        got = b""
    return int(got[9:12] or 0), time.monotonic() - began, code


class Honest:
    """People who answer one after the other, for so many seconds."""

    def __init__(self, port: int, seconds: float) -> None:
        until = time.monotonic() + seconds
        self.codes: list[str] = []
        self.seconds: list[float] = []
        self.failures: list[int] = []
        while time.monotonic() < until:
            status, took, code = answer(port)
            self.seconds.append(took)
            if status == 201:
                self.codes.append(code)
            else:
                self.failures.append(status)
            time.sleep(PAUSE)

    @property
    def p95(self) -> float:
        """So long, or less, 95 of 100 waited."""
        return sorted(self.seconds)[int(0.95 * len(self.seconds))]


# Floods. Each works on a connection until it is cut off, and then on the next.

GET = b"GET /static/words.js HTTP/1.1\r\nHost: town\r\n\r\n"
HALF = f"POST {ANSWERS} HTTP/1.1\r\nHost: town\r\nContent-Type: application/json\r\n".encode()
Send = Callable[[bytes], Awaitable[None]]


async def endless_header(send: Send) -> None:
    await send(b"GET / HTTP/1.1\r\nHost: town\r\nX-Long: ")
    while True:
        await send(b"x" * 65_536)


async def half_sent(send: Send) -> None:
    await send(HALF)
    await asyncio.sleep(3600)


async def slow_body(send: Send) -> None:
    await send(HALF + b"Content-Length: 60000\r\n\r\n")
    while True:
        await send(b" ")
        await asyncio.sleep(1)


async def bodies(send: Send) -> None:
    await send(HALF + b"Content-Length: 65000\r\n\r\n" + b" " * 64_000)
    await asyncio.sleep(3600)


async def pipelined(send: Send) -> None:
    while True:
        await send(b"GET /api/health HTTP/1.1\r\n\r\n" * 8_000)


async def unread(send: Send) -> None:
    while True:
        await send(GET * 3)
        await asyncio.sleep(0.5)


async def lines(send: Send) -> None:
    """Headers of many short lines, of which Python keeps far more than was sent, behind replies that are not read."""
    await send(GET)
    await asyncio.sleep(0.5)
    short = b"".join(b"%02x:%02x\r\n" % (i, i) for i in range(95))
    while True:
        await send(GET.replace(b"\r\n\r\n", b"\r\n" + short + b"\r\n") * 2)
        await asyncio.sleep(0.5)


async def junk(send: Send) -> None:
    await send(b"Is this HTTP?\r\n\r\n")
    await asyncio.sleep(0.01)


async def upgrades(send: Send) -> None:
    for _ in range(20):
        await send(b"GET / HTTP/1.1\r\nHost: town\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        await asyncio.sleep(0.01)


async def aborted(send: Send) -> None:
    await send(HALF + b"Content-Length: 1000\r\n\r\n{")
    await asyncio.sleep(0.01)


FLOODS: dict[str, tuple[Callable[[Send], Awaitable[None]], int]] = {
    "endless_header": (endless_header, 8),
    "half_sent": (half_sent, 3_000),
    "slow_body": (slow_body, 600),
    "bodies": (bodies, 3_000),
    "pipelined": (pipelined, 16),
    "unread": (unread, 600),
    "lines": (lines, 600),
    "junk": (junk, 16),
    "upgrades": (upgrades, 16),
    "aborted": (aborted, 16),
}
"""What is done, and on how many connections at once."""


async def _flood(kind: str, connections: int, port: int, until: float, begun: Event) -> None:
    loop = asyncio.get_running_loop()
    work = FLOODS[kind][0]

    async def one() -> None:
        while time.time() < until:
            with socket.socket() as line, contextlib.suppress(OSError):
                line.setblocking(False)
                # What is not read waits at the server.
                line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                # Closing is a reset: nothing lingers.
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                await loop.sock_connect(line, ("127.0.0.1", port))
                begun.set()
                working = asyncio.ensure_future(work(lambda data: loop.sock_sendall(line, data)))
                while not working.done() and time.time() < until:
                    await asyncio.wait([working], timeout=0.5)
                    # Anyone who was cut off comes back; what was sent is never read.
                    if line.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) or ended(line):
                        break
                working.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await working
            # A server that refuses is not asked a million times.
            await asyncio.sleep(0.01)

    await asyncio.gather(*(one() for _ in range(connections)))


def ended(line: socket.socket) -> bool:
    """Whether the server has closed the connection, behind all that it sent."""
    # RFC 793's states as Linux numbers them: 8 is CLOSE_WAIT, 7 is CLOSE.
    return line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] in (7, 8)


def flood(kinds: dict[str, int], port: int, seconds: float, begun: Event) -> None:
    """Flood a server for so many seconds, on so many connections of each kind."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)

    async def all_kinds() -> None:
        until = time.time() + seconds
        await asyncio.gather(*(_flood(kind, connections, port, until, begun) for kind, connections in kinds.items()))

    asyncio.run(all_kinds())


@contextlib.contextmanager
def flooded(port: int, seconds: float, **kinds: int) -> Iterator[None]:
    """A flood from another process, meanwhile; it is on when this begins."""
    context = multiprocessing.get_context("spawn")
    begun = context.Event()
    process = context.Process(target=flood, args=(kinds, port, seconds, begun))
    process.start()
    begun.wait(10)
    time.sleep(0.1)
    try:
        yield
    finally:
        process.terminate()
        process.join()


# Measuring


def lost(database: str, keys: str, codes: list[str]) -> int:
    """How many acknowledged answers are not stored; the server must be stopped."""
    from deniable.survey.store import Store

    with Store(database, keys) as store:
        store.check()
        store.close_survey("town")
        return len(set(codes) - {row[-1] for piece in store.mixed_rows(store.version("town")) for row in piece})


def measure(kind: str, seconds: float, descriptors: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        town = Town(Path(folder), descriptors)
        before = town.megabytes()
        with flooded(town.port, seconds + 5, **{kind: FLOODS[kind][1]}):
            honest = Honest(town.port, seconds)
            peak = town.megabytes("VmHWM")
            code, took = town.stop()
        lines = len(town.log.read_text().splitlines())
        missing = lost(town.database, town.keys, honest.codes)
    good = (
        peak < MOST_MEGABYTES
        and honest.p95 < MOST_SECONDS
        and not honest.failures
        and not missing
        and (code, took < 5) == (0, True)
    )
    print(
        f"{kind:<15} {before:>5,.0f} MB before, {peak:>5,.0f} at most   honest: {len(honest.codes):>5,} answered, p95 {honest.p95:.3f} s, "
        f"slowest {max(honest.seconds):.3f} s, {len(honest.failures)} failed   {lines} lines of log   stopped in {took:.1f} s ({code})"
        f"{'' if good else '   NOT GOOD'}",
        flush=True,
    )
    return good


def steady(seconds: float, descriptors: int) -> bool:
    from benchmarks.service import Load

    with tempfile.TemporaryDirectory() as folder:
        town = Town(Path(folder), descriptors)
        seen = []
        for minute in range(max(2, round(seconds / 60))):
            load = asyncio.run(Load(ANSWERS, town.port, 64, min(60.0, seconds / 2)).run())
            seen.append(town.megabytes())
            print(f"minute {minute + 1:>3}   {seen[-1]:>5,.0f} MB   {load.rate:>6,.0f} answers a second", flush=True)
        town.stop()
    # The first minute warms up: connections of the database, its cache, the allocator's arenas.
    grown = seen[-1] - seen[0]
    good = seen[-1] < MOST_MEGABYTES and grown < 0.1 * seen[0]
    print(f"grown by {grown:,.0f} MB after the first minute{'' if good else '   NOT GOOD'}")
    return good


def mixing(stored: int, descriptors: int) -> bool:
    """SIGTERM while so many stored answers are mixed anew, which shows in what SQLite has written and not yet put in its place."""
    from benchmarks.service import Load

    with tempfile.TemporaryDirectory() as folder:
        town, codes = Town(Path(folder), descriptors, stored), list[str]()
        for _ in range(120):
            codes += asyncio.run(Load(ANSWERS, town.port, 64, 1.0).run()).codes
            if Path(town.database + "-wal").stat().st_size > stored * LEAST_MIXED:
                break
        else:
            raise SystemExit("No mixing began.")
        code, took = town.stop()
        missing = lost(town.database, town.keys, codes)
    good = (code, took < 5, missing) == (0, True, 0)
    print(
        f"{stored:,} stored answers being mixed: stopped in {took:.1f} s ({code}), {missing} lost{'' if good else '   NOT GOOD'}"
    )
    return good


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, help=f"of each; 300, and {STEADY_SECONDS:.0f} of steady load")
    parser.add_argument("--only", choices=[*FLOODS, "steady", "mixing"])
    parser.add_argument("--descriptors", type=int, default=1024, help="the server's limit of open files")
    options = parser.parse_args()
    good = [measure(kind, options.seconds or 300.0, options.descriptors) for kind in FLOODS if options.only in (None, kind)]
    if options.only in (None, "steady"):
        good.append(steady(options.seconds or STEADY_SECONDS, options.descriptors))
    if options.only in (None, "mixing"):
        good.append(mixing(STORED, options.descriptors))
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
