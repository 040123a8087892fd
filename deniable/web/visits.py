"""Visits to a survey as people make them: different browsers, languages, ways of getting there, connections, and coming back.

A server that treats some visitors in another way has to tell them apart by something. Here it is varied whatever a program can vary:
docs/security.md says what it cannot.
"""

from __future__ import annotations

import concurrent.futures
import ipaddress
import random
import re
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import quote, unquote, urljoin, urlsplit

from deniable.web.browsers import DATA, ICON, IMPORT, LANGUAGES, PAGE, SCRIPT, STYLE, Asking, Browser, browsers
from deniable.web.bundle import importers
from deniable.web.fetching import Answer, Line
from deniable.web.released import Released

T = TypeVar("T")
VISITORS = 6
CONNECTIONS = 6
"""As many as browsers open to one server."""
FRONT = ("/", "/organiser")
FOLLOWED = 5
ENTRY = "respond.js"
"""The script that the page names; it imports the others."""
HABITS = ("one connection", "six connections", "a connection for each request")
ORDERS = ("as a browser", "as a browser", "as a browser", "shuffled", "shuffled", "backward")
# A cookie that another site of the same domain may have set.
FOREIGN = "_ga=GA1.1.{}.{}; lang={}"


@dataclass(frozen=True)
class Address:
    """Where a survey is, exactly as it was given; what follows # is never sent nor shown."""

    origin: str
    target: str  # path and query
    secure: bool

    @classmethod
    def of(cls, url: str) -> Address:
        """Read an address; ValueError where it is none."""
        parts = urlsplit(url)
        port = parts.port
        host = parts.hostname
        if parts.scheme not in ("http", "https") or not host or parts.username is not None:
            raise ValueError(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if not re.fullmatch(r"[\x21-\x7e]+", target) or not re.fullmatch(r"[\x21-\x7e]+", parts.netloc):
            raise ValueError(url)
        shown = f"[{host}]" if ":" in host else host
        usual = 443 if parts.scheme == "https" else 80
        origin = f"{parts.scheme}://{shown}" + ("" if port in (None, usual) else f":{port}")
        return cls(origin, target, parts.scheme == "https" or _this_machine(host))

    @property
    def url(self) -> str:
        return self.origin + self.target

    @property
    def slug(self) -> str | None:
        """The survey that a page at this address asks for: the last part of its path."""
        parts = [part for part in self.target.partition("?")[0].split("/") if part]
        return unquote(parts[-1]) if parts else None

    @property
    def api(self) -> str:
        written = quote(self.slug or "", safe="!*'()~-_.")  # as encodeURIComponent does
        return f"{self.origin}/api/surveys/{written}"


def _this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


@dataclass
class Visitor:
    """Somebody with a browser, who comes twice."""

    browser: Browser
    language: str
    came_from: str
    habit: str
    order: str
    front_first: bool
    cookies: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    foreign: str | None = None

    @property
    def name(self) -> str:
        return f"{self.browser.name} ({self.language})"

    def cookie(self) -> str | None:
        """What a browser would send of what it was given."""
        kept = [f"{name}={value}" for name, value in self.cookies.items()]
        return "; ".join([*([self.foreign] if self.foreign else []), *kept]) or None


def visitors(choose: random.Random) -> list[Visitor]:
    """So many visitors that every browser, habit, order and way of getting there is among them.

    >>> sorted({visitor.habit for visitor in visitors(random.Random(1))}) == sorted(HABITS)
    True
    """
    made = [
        Visitor(*them)
        for them in zip(
            browsers(choose),
            choose.sample(LANGUAGES, VISITORS),
            _shuffled(choose, ["none", "cross-site"]),
            _shuffled(choose, HABITS),
            _shuffled(choose, ORDERS),
            _shuffled(choose, [True, False]),
            strict=True,
        )
    ]
    choose.shuffle(made)
    foreign = choose.choice(made)
    foreign.foreign = FOREIGN.format(choose.randrange(10**9), choose.randrange(10**9), foreign.language[:2])
    return made


def _shuffled(choose: random.Random, values: Sequence[T]) -> list[T]:
    return choose.sample([*values] * (VISITORS // len(values)), VISITORS)


def speak(them: Sequence[Visitor], languages: Sequence[str]) -> None:
    """Let visitors speak these languages (en, pl, ...), as far as there are visitors."""
    for visitor, language in zip(them, languages, strict=False):
        visitor.language = next((one for one in LANGUAGES if one.partition("-")[0] == language), language)


class Visits:
    """All requests of a verification."""

    def __init__(
        self, address: Address, files: dict[str, Released], choose: random.Random, context: ssl.SSLContext | None = None
    ):
        self.address, self._files, self._choose, self._context = address, files, choose, context
        self._importers = importers({name: file.content.decode() for name, file in files.items() if name.endswith(".js")})
        parts = urlsplit(address.origin)
        self._where = (parts.scheme, parts.hostname or "", parts.port)
        if parts.scheme == "https" and context is None:
            # Once: it reads all the authorities that this machine trusts.
            self._context = ssl.create_default_context()

    def steps(self) -> list[list[tuple[str, str]]]:
        """What a browser loads for the page, in rounds: each round is known from the one before."""
        origin, address = self.address.origin, self.address
        kinds = {".css": STYLE, ".svg": ICON, ".html": PAGE}
        rounds: list[list[tuple[str, str]]] = [[], [], [], []]
        for name in self._files:
            kind = kinds.get(name[name.rindex(".") :], SCRIPT if name == ENTRY else IMPORT)
            place = 1 if kind in (STYLE, SCRIPT) else 2 if kind == IMPORT else 3
            rounds[place].append((kind, f"{origin}/static/{name}"))
        if address.slug is not None:
            rounds[0].append((PAGE, address.url))
            rounds[3].append((DATA, address.api))
        return [one for one in rounds if one]

    def front(self, visitor: Visitor) -> list[Answer]:
        """The site's other pages that everybody can find, redirects on the same site followed as browsers follow them."""
        answers, line = [], self._line()
        try:
            for path in FRONT:
                url = self.address.origin + path
                for _ in range(FOLLOWED):
                    answers.append(self._get(line, visitor, PAGE, url, came_from="none"))
                    where = answers[-1].value("Location")
                    url = urljoin(url, where) if where and answers[-1].status in (301, 302, 303, 307, 308) else ""
                    if not url.startswith(self.address.origin + "/"):
                        break
        finally:
            line.close()
        return answers

    def page(self, visitor: Visitor) -> Answer:
        """The page alone."""
        line = self._line()
        try:
            return self._get(line, visitor, PAGE, self.address.url)
        finally:
            line.close()

    def visit(self, visitor: Visitor, again: bool) -> list[Answer]:
        """Everything that belongs to the page, once; `again`: with what the browser kept."""
        rounds = self.steps()
        if visitor.order != "as a browser":
            steps = [step for one in rounds for step in one]
            if visitor.order == "backward":
                steps.reverse()
            else:
                self._choose.shuffle(steps)
            rounds = [steps]
        if visitor.habit == "six connections":
            return self._parallel(visitor, rounds, again)
        answers, line = [], self._line()
        try:
            for kind, url in (step for one in rounds for step in one):
                answers.append(self._get(line, visitor, kind, url, again))
                if visitor.habit != "one connection":
                    line.close()
        finally:
            line.close()
        return answers

    def _parallel(self, visitor: Visitor, rounds: list[list[tuple[str, str]]], again: bool) -> list[Answer]:
        lines = [self._line() for _ in range(CONNECTIONS)]

        def fetch(numbered: tuple[int, list[tuple[str, str]]]) -> list[Answer]:
            number, steps = numbered
            return [self._get(lines[number], visitor, kind, url, again) for kind, url in steps]

        answers = []
        try:
            with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
                for one in rounds:
                    shares = [(number, one[number::CONNECTIONS]) for number in range(CONNECTIONS)]
                    answers += [answer for share in pool.map(fetch, shares) for answer in share]
        finally:
            for line in lines:
                line.close()
        return answers

    def _importer(self, url: str) -> str:
        """One of the scripts that import this one: a browser names the first that it read."""
        them = self._importers.get(url.rpartition("/")[2], [ENTRY])
        return f"{self.address.origin}/static/{self._choose.choice(them)}"

    def _line(self) -> Line:
        return Line(*self._where, self._context)

    def _get(
        self, line: Line, visitor: Visitor, kind: str, url: str, again: bool = False, came_from: str | None = None
    ) -> Answer:
        target = url[len(self.address.origin) :]
        asking = Asking(
            kind=kind,
            origin=self.address.origin,
            secure=self.address.secure,
            language=visitor.language,
            referer=self._importer(url) if kind == IMPORT else None,
            came_from=came_from or visitor.came_from,
            again=again and kind == PAGE,
            tag=visitor.tags.get(url) if again else None,
            cookies=visitor.cookie(),
        )
        answer = line.get(url, target, visitor.browser.headers(asking), visitor.name)
        if (tag := answer.value("ETag")) and kind != DATA:
            visitor.tags[url] = tag
        for given in answer.values("Set-Cookie"):
            name, _, value = given.partition(";")[0].partition("=")
            visitor.cookies[name.strip()] = value.strip()
        return answer
