"""Whether one answer of a server is what a release would have sent: status, type, bytes, and every header by name and value.

A browser acts on headers as much as on bytes. What a release sends must be there as it is; what proxies add (the date, how it is
compressed, how long it was kept) may be there in the shape that proxies write it; everything else is different.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from deniable.web.fetching import Answer
from deniable.web.headers import SECURITY
from deniable.web.released import Released

JSON = "application/json"
_TEXT = r"[\x20-\x7e]{0,300}"
_DATE = r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT"
_TAG = r'(W/)?"[\x21\x23-\x7e]{0,200}"'
# Names that proxies and hosts add and no browser acts on, and those it acts on in a way that changes neither page nor privacy.
ADDED = {
    "date": _DATE,
    "server": _TEXT,
    "via": _TEXT,
    "age": r"\d{1,12}",
    "vary": r"(?i)\s*(accept-encoding|origin|user-agent)(\s*,\s*(accept-encoding|origin|user-agent))*\s*",
    "content-length": r"\d{1,12}",
    "content-encoding": _TEXT,  # whatever cannot be decoded is a fault already
    "transfer-encoding": r"(?i)chunked",
    "connection": r"(?i)(keep-alive|close|upgrade)(\s*,\s*(keep-alive|close|upgrade))*",
    "upgrade": r"(?i)h2c?(\s*,\s*h2c?)*",
    "keep-alive": r"(timeout=\d+)?(,? ?max=\d+)?",
    "last-modified": _DATE,
    "expires": rf"{_DATE}|0|-1",
    "pragma": r"no-cache",
    "accept-ranges": r"bytes|none",
    "strict-transport-security": r"(?i)max-age=\d+(\s*;\s*includesubdomains)?(\s*;\s*preload)?\s*;?",
    "x-xss-protection": r"0|1(\s*;\s*mode=block)?",
    "x-robots-tag": _TEXT,
    "x-powered-by": _TEXT,
    "x-download-options": r"noopen",
    "x-permitted-cross-domain-policies": r"none",
    "x-dns-prefetch-control": r"off",
    "origin-agent-cluster": r"\?[01]",
    "content-language": r"[A-Za-z-]{1,20}",
    "server-timing": _TEXT,
    **dict.fromkeys(
        (
            "x-cache", "x-cache-hits", "x-cache-status", "x-cache-lookup", "x-served-by", "x-timer", "x-varnish", "x-request-id",
            "x-correlation-id", "x-runtime", "x-proxy-cache", "x-fastly-request-id", "x-amz-cf-id", "x-amz-cf-pop", "x-azure-ref",
            "cache-status", "cf-ray", "cf-cache-status", "fly-request-id", "x-vercel-id", "x-vercel-cache", "x-render-origin-server",
            "x-envoy-upstream-service-time", "proxy-status", "traceparent",
        ),
        _TEXT,
    ),
}  # fmt: skip
_WHAT = {
    "set-cookie": "it sets a cookie, by which visitors can be told apart",
    "service-worker-allowed": "it lets a script stand between the browser and this page",
    "location": "it leads elsewhere",
    "refresh": "it leads elsewhere",
    "content-location": "it leads elsewhere",
    "link": "it makes browsers load more than the page",
    "sourcemap": "it makes browsers load more than the page",
    "x-sourcemap": "it makes browsers load more than the page",
    "alt-svc": "it leads to another server",
    "clear-site-data": "it empties what the browser keeps of this site",
    "report-to": "it makes browsers tell somebody of this visit",
    "reporting-endpoints": "it makes browsers tell somebody of this visit",
    "nel": "it makes browsers tell somebody of this visit",
    "content-security-policy-report-only": "it makes browsers tell somebody of this visit",
    "timing-allow-origin": "it opens the answer to other sites",
    "accept-ch": "it asks browsers to tell more about themselves",
    "critical-ch": "it asks browsers to tell more about themselves",
}


@dataclass(frozen=True)
class Expected:
    """What a release sends at an address. Without bytes: what is asked there is looked at by others."""

    media_type: str
    cache: str
    sha256: str | None = None
    digest: str | None = None

    @classmethod
    def of(cls, file: Released) -> Expected:
        """A released file."""
        return cls(file.media_type, "no-cache", file.sha256, file.digest)


SURVEY = Expected(JSON, "no-store")
"""The survey as JSON."""


def faults(answer: Answer, expected: Expected) -> list[str]:
    """Everything about an answer that a release would not have sent; nothing for one that could not be had.

    >>> faults(Answer("https://town.example/s/town", "Safari", status=500), SURVEY)[0]
    'the server answers 500'
    """
    if answer.trouble is not None:
        return []
    said = [answer.fault] if answer.fault else []
    unchanged = answer.conditional and answer.status == 304
    if answer.status != 200 and not unchanged:
        where = answer.values("Location")
        said.append(f"the server answers {answer.status}" + (f" and leads to {where[0]}" if where else ""))
    elif not unchanged and expected.sha256 is not None:
        hashed = hashlib.sha256(answer.body).hexdigest()
        if hashed != expected.sha256:
            said.append(f"SHA-256 {hashed}, released: {expected.sha256}")
    if unchanged and answer.body:
        said.append("it says that nothing has changed, and sends something")
    return said + _headers(answer, expected, unchanged)


def strange_headers(answer: Answer) -> list[str]:
    """Headers of any page of the site that no release sends and no proxy adds; what a release sends may be missing."""
    sent = {name.lower() for name in SECURITY} | {"content-type", "cache-control", "etag", "repr-digest"}
    return [
        said_of(name, value)
        for name, value in answer.headers
        if name.lower() not in sent and not _added(name.lower(), value, answer.url)
    ]


def _headers(answer: Answer, expected: Expected, unchanged: bool) -> list[str]:
    wanted = {name.lower(): value for name, value in SECURITY.items()}
    wanted |= {"content-type": expected.media_type, "cache-control": expected.cache}
    said = []
    for name, value in wanted.items():
        values = answer.values(name)
        # What was kept stands, but for what "not changed" says anew; a cache in between may say less.
        # Proxies may say the same once more.
        if {_plain(one) for one in values} != {_plain(value)} and not (unchanged and not values):
            said.append(f"{name.title()}: {'; '.join(values) or 'missing'}, released: {value}")
    for name, value in answer.headers:
        lower = name.lower()
        if lower in wanted or _added(lower, value, answer.url):
            continue
        if lower == "etag" and _fitting_tag(value, expected):
            continue
        if lower == "repr-digest" and (expected.digest is None or value == expected.digest):
            continue
        said.append(said_of(name, value))
    return said


def _plain(value: str) -> str:
    return re.sub(r"\s*([;,])\s*", r"\1", value.strip()).lower()


def said_of(name: str, value: str) -> str:
    """A header that should not be there, and what it does."""
    lower = name.lower()
    why = "it opens the answer to other sites" if lower.startswith("access-control-") else _WHAT.get(lower)
    return f"{name}: {value[:200]}" + (f" ({why})" if why else " (no release and no proxy known to us sends this)")


def _added(name: str, value: str, url: str) -> bool:
    if name == "alt-svc":
        return _same_server(value, url)
    shape = ADDED.get(name)
    return shape is not None and re.fullmatch(shape, value) is not None


def _same_server(value: str, url: str) -> bool:
    """Whether the other ways that are offered (HTTP/3) lead to the host and port that were asked."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    ways = [way.partition(";")[0].strip() for way in value.split(",")]
    return value.strip() == "clear" or all(re.fullmatch(rf'(h3|h3-\d\d|h2)=":{port}"', way) for way in ways)


def _fitting_tag(value: str, expected: Expected) -> bool:
    """An entity tag is kept and sent back by browsers: one of its own for each visitor would be a cookie by another name."""
    if expected.sha256 is None:
        # That it is the same for everyone is seen by comparing answers.
        return re.fullmatch(_TAG, value) is not None
    # Proxies that compress weaken the tag, or say how they did.
    return re.fullmatch(rf'(W/)?"{expected.sha256}([-;:.]{{1,2}}(gzip|br|zstd|deflate|df))?"', value) is not None
