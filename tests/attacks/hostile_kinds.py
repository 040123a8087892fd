"""Every kind of hostile server that `verify` was tried against, and whether it can be caught."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from hostile_servers import (
    API,
    SCRIPT,
    Hook,
    Request,
    at,
    cookie_from_the_front,
    encoded_oddly,
    header,
    prefix,
    tag_for_each,
    tag_of_the_survey,
    two_parts,
    when,
    worker_on_the_front,
)


@dataclass(frozen=True)
class Kind:
    """One way of lying: what the server does, whether `verify` finds it, and whether it passed before `verify` acted like browsers."""

    hook: Hook
    caught: bool
    passed_before: bool
    address: str = "/s/town"
    why: str = ""
    victim: tuple[str, dict[str, str], str] | None = (
        None  # what somebody asks who gets other bytes: target, headers, own address
    )


def _is_chrome(request: Request) -> bool:
    return "Chrome/" in request.get("User-Agent")


HOSTILE: dict[str, Kind] = {
    "307 with the honest survey as body": Kind(
        at(API, lambda reply: replace(reply, status=307).also("Location", "/api/surveys/other")), True, True
    ),
    "status 500 with the honest survey as body": Kind(at(API, lambda reply: replace(reply, status=500)), True, True),
    "a cookie with the survey": Kind(header("Set-Cookie", "who=17; Path=/"), True, True),
    "other bytes where compression is offered": Kind(when(lambda r: "gzip" in r.get("Accept-Encoding")), True, True),
    "other bytes for Sec-Fetch-Mode": Kind(when(lambda r: r.get("Sec-Fetch-Mode") == "cors"), True, True),
    "other bytes for one language": Kind(when(lambda r: r.get("Accept-Language").startswith("pl")), True, True),
    "another survey for one language": Kind(when(lambda r: r.get("Accept-Language").startswith("pl"), API), True, True),
    "other bytes for Accept": Kind(when(lambda r: "text/html" in r.get("Accept"), "/s/town"), True, True),
    "other bytes where the connection is kept": Kind(when(lambda r: r.get("Connection") == "keep-alive"), True, True),
    "other bytes for Chrome": Kind(when(_is_chrome), True, True),
    "a cookie set by the front page, other bytes with it": Kind(cookie_from_the_front, True, True),
    "a service worker started by the front page": Kind(worker_on_the_front, True, True),
    "other bytes for the query of the link": Kind(
        when(lambda r: "from=letter" in r.target, "/s/town"), True, True, "/s/town?from=letter"
    ),
    "another page below a prefix": Kind(prefix, True, True, "/go/s/town"),
    # New kinds.
    "other bytes for client hints": Kind(when(lambda r: bool(r.get("sec-ch-ua"))), True, True),
    "other bytes for Upgrade-Insecure-Requests": Kind(when(lambda r: bool(r.get("Upgrade-Insecure-Requests")), "/s/town"), True, True),
    "other bytes for Priority": Kind(when(lambda r: bool(r.get("Priority"))), True, True),
    "other bytes for an order of headers": Kind(when(lambda r: [name for name, _ in r.headers][:2] == ["Host", "Connection"]), True, True),
    "other bytes on a connection's later requests": Kind(when(lambda r: r.place > 2), True, True),
    "other bytes where several connections are open": Kind(when(lambda r: r.open_now > 2), True, True),
    "other bytes for those who come back": Kind(when(lambda r: bool(r.get("If-None-Match"))), True, True),
    "other bytes for the first who comes": Kind(when(lambda r: r.number == 1, "/s/town"), True, False),
    "other bytes every seventh time": Kind(when(lambda r: r.visited.count("/s/town") % 7 == 6, "/s/town"), True, True),
    "other bytes after a link on another site": Kind(when(lambda r: r.get("Sec-Fetch-Site") == "cross-site", "/s/town"), True, True),
    "other bytes for the loader of a script": Kind(when(lambda r: bool(r.get("Referer"))), True, True),
    "another survey for what the page asks for": Kind(when(lambda r: r.get("Pragma") == "no-cache", API), True, True),
    "other bytes for those with any cookie": Kind(when(lambda r: bool(r.get("Cookie"))), True, True),
    "other bytes after the front page was seen": Kind(when(lambda r: "/organiser" in r.visited), True, True),
    "a policy that only reports, to elsewhere": Kind(
        header("Content-Security-Policy-Report-Only", "default-src 'none'; report-uri https://evil.example", "/s/town"), True, True
    ),
    "no policy on a script": Kind(at(SCRIPT, lambda reply: reply.without("Content-Security-Policy")), True, True),
    "another character set": Kind(at("/s/town", lambda reply: reply.with_header("Content-Type", "text/html; charset=utf-7")), True, True),
    "the survey as a page": Kind(at(API, lambda reply: reply.with_header("Content-Type", "text/html")), True, True),
    "other sites may read": Kind(header("Access-Control-Allow-Origin", "*"), True, True),
    "another server by Alt-Svc": Kind(header("Alt-Svc", 'h3="evil.example:443"', SCRIPT), True, True),
    "site data cleared": Kind(header("Clear-Site-Data", '"storage"', "/s/town"), True, True),
    "a source map": Kind(header("SourceMap", "https://evil.example/map", SCRIPT), True, True),
    "a tag for each visitor": Kind(tag_for_each, True, True),
    "a tag for each visitor, on the survey": Kind(tag_of_the_survey, True, True),
    "a script kept for a year": Kind(
        at(SCRIPT, lambda reply: reply.with_header("Cache-Control", "max-age=31536000, immutable")), True, True
    ),
    "a second part behind the compressed one": Kind(two_parts, True, True),
    "a header that libraries do not see": Kind(
        at("/s/town", lambda reply: replace(reply, head=b"no header at all\r\nSet-Cookie: who=17; Path=/\r\n")), True, True
    ),
    "early hints": Kind(
        at("/s/town", lambda reply: replace(reply, before=b"HTTP/1.1 103 Early Hints\r\nLink: </x.js>; rel=preload\r\n\r\n")), True, False
    ),
    "two lengths": Kind(
        at(SCRIPT, lambda reply: reply.also("Content-Length", str(len(reply.body))).also("Content-Length", "5")), True, True
    ),
    "a redirect to another host": Kind(
        at("/s/town", lambda reply: replace(reply, status=302).also("Location", "https://evil.example/s/town")), True, False
    ),
    "a redirect to another query": Kind(
        at("/s/town", lambda reply: replace(reply, status=302).also("Location", "/s/town?x")), True, False
    ),
    "a link that preloads": Kind(header("Link", "</x.js>; rel=modulepreload", SCRIPT), True, False),
    "a changed script": Kind(when(lambda r: True), True, False),
    "an encoding that cannot be undone": Kind(encoded_oddly, True, False, why="said to be UNCHECKED, never good"),
    # What verifying can never show.
    "other bytes for everybody but the verifier's address": Kind(
        when(lambda r: r.address != "127.0.0.1"), False, True, why="the server knows the address that verifies",
        victim=(SCRIPT, {}, "127.0.0.2"),
    ),
    "other bytes at another time": Kind(when(lambda r: r.number > 10_000), False, True, why="nobody looks then"),
    "other bytes one time in a million": Kind(when(lambda r: r.number % 1_000_000 == 0), False, True, why="seldom enough not to be met"),
    "other bytes for a browser that is not imitated": Kind(
        when(lambda r: "SamsungBrowser" in r.get("User-Agent")), False, True, why="only browsers like those of most people are tried",
        victim=(SCRIPT, {"User-Agent": "Mozilla/5.0 SamsungBrowser/29.0"}, "127.0.0.1"),
    ),
    "other bytes for the link of one person": Kind(
        when(lambda r: re.search("person=4711", r.target) is not None, "/s/town"), False, True, why="only the address given is looked at",
        victim=("/s/town?person=4711", {}, "127.0.0.1"),
    ),
    "other bytes for a cookie of another site of the domain": Kind(
        when(lambda r: "town-login=" in r.get("Cookie")), False, True, why="the verifier has no such cookie",
        victim=(SCRIPT, {"Cookie": "town-login=1"}, "127.0.0.1"),
    ),
}  # fmt: skip
