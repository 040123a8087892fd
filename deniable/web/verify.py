"""Are the bytes that a server sends the ones that were released? Asked from another machine, with the standard library alone."""

from __future__ import annotations

import email.message
import hashlib
import http
import http.client
import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from urllib.parse import urlsplit

from deniable.errors import StoreError
from deniable.web.headers import POLICY
from deniable.web.released import SHELL, released

SECONDS = 20
# Whoever serves changed code to some would hardly do so to a program that says what it is.
AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/604.1",
)


@dataclass(frozen=True)
class Finding:
    """One thing looked at: its name, whether it is as released, and what was found."""

    what: str
    good: bool
    found: str


def verify(url: str, client: dict[str, object] | None = None) -> list[Finding]:
    """Compare what is served at the address of a survey (http://HOST/s/SURVEY) with the files of this release.

    `client`: what the page should be told, from the organiser's questionnaire; compared with what it is told.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise StoreError("bad_address", "{url} is no address of a survey; it looks like https://HOST/s/SURVEY.", url=url)
    base = f"{parts.scheme}://{parts.netloc}"
    findings = []
    if parts.path.startswith("/s/"):
        _must_be_there(f"{base}{parts.path}")
        shell = released()[SHELL].sha256 if SHELL in released() else "nothing"
        findings.append(_same(f"{base}{parts.path}", shell))
        slug = parts.path[len("/s/") :].strip("/")
        findings.append(_policy(f"{base}{parts.path}"))
        if client is not None:
            findings.append(_told(f"{base}/api/surveys/{slug}", client))
    findings += [_same(f"{base}/static/{name}", file.sha256) for name, file in released().items()]
    return findings


def _must_be_there(url: str) -> None:
    """A survey that does not exist is no changed one; a page that is missing for some only is."""
    if all(_get(url, agent)[2] == http.HTTPStatus.NOT_FOUND for agent in AGENTS):
        raise StoreError(
            "no_such_survey",
            "There is no survey at {url}: the server answers 404. Nothing was verified; look at the address again.",
            url=url,
        )


def _same(url: str, expected: str) -> Finding:
    seen = [hashlib.sha256(_get(url, agent)[0]).hexdigest() for agent in AGENTS]
    if len(set(seen)) > 1:
        return Finding(url, False, "different bytes for different browsers")
    return Finding(url, seen[0] == expected, f"SHA-256 {seen[0]}" + ("" if seen[0] == expected else f", released: {expected}"))


def _policy(url: str) -> Finding:
    policy = _get(url, AGENTS[0])[1].get("Content-Security-Policy", "none")
    return Finding(f"{url} (content security policy)", policy == POLICY, policy)


def _told(url: str, client: dict[str, object]) -> Finding:
    told = json.loads(_get(url, AGENTS[0])[0])
    expected = json.loads(json.dumps(client))
    different = sorted(key for key in expected if told.get(key) != expected[key])
    return Finding(url, not different, "as in the questionnaire" if not different else f"different: {', '.join(different)}")


def _get(url: str, agent: str) -> tuple[bytes, email.message.Message, int]:
    request = urllib.request.Request(url, headers={"User-Agent": agent})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return answer.read(), answer.headers, answer.status
    except urllib.error.HTTPError as error:
        return error.read(), error.headers, error.code
    except (urllib.error.URLError, OSError, http.client.HTTPException) as error:
        raise StoreError(
            "no_answer", "{url} does not answer: {reason}.", url=url, reason=getattr(error, "reason", error)
        ) from None
