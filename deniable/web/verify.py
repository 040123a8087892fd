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
from typing import Any
from urllib.parse import urlsplit

from deniable.errors import StoreError
from deniable.survey.page_rules import PageRuleError, read_json
from deniable.web import recipes
from deniable.web.headers import POLICY
from deniable.web.released import SHELL, released

SECONDS = 20
LARGEST = 20_000_000
LEADING = (
    "Refresh", "Location", "Content-Location", "Link", "Set-Cookie", "Service-Worker-Allowed", "Report-To", "Reporting-Endpoints", "NEL",
)  # fmt: skip
Answer = tuple[bytes, email.message.Message, int]
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

    `client`: what the page should be told, from the organiser's questionnaire; compared with what it is told. Without it the recipe
    is still looked at: whether every private answer is mixed, and how.
    """
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  a wrong one is told by asking
    except ValueError:
        raise _bad_address(url) from None
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise _bad_address(url)
    base = f"{parts.scheme}://{parts.netloc}"
    findings = []
    if parts.path.startswith("/s/"):
        page = f"{base}{parts.path}"
        shell = released()[SHELL].sha256 if SHELL in released() else "nothing"
        seen = _seen(page)
        _must_be_there(page, seen)
        findings += [_same(page, shell, seen), *_elsewhere(page, seen), _policy(page, seen)]
        slug = parts.path[len("/s/") :].strip("/")
        findings += _told(f"{base}/api/surveys/{slug}", client)
    for name, file in released().items():
        seen = _seen(f"{base}/static/{name}")
        findings += [_same(f"{base}/static/{name}", file.sha256, seen), *_elsewhere(f"{base}/static/{name}", seen)]
    return findings


def _bad_address(url: str) -> StoreError:
    return StoreError("bad_address", "{url} is no address of a survey; it looks like https://HOST/s/SURVEY.", url=url)


def _seen(url: str) -> list[Answer]:
    return [_get(url, agent) for agent in AGENTS]


def _must_be_there(url: str, seen: list[Answer]) -> None:
    """A survey that does not exist is no changed one; a page that is missing for some only is."""
    if all(status == http.HTTPStatus.NOT_FOUND for _, _, status in seen):
        raise StoreError(
            "no_such_survey",
            "There is no survey at {url}: the server answers 404. Nothing was verified; look at the address again.",
            url=url,
        )


def _same(url: str, expected: str, seen: list[Answer]) -> Finding:
    hashes = [hashlib.sha256(body).hexdigest() for body, _, _ in seen]
    if len({(hashed, status) for hashed, (_, _, status) in zip(hashes, seen, strict=True)}) > 1:
        return Finding(url, False, "different bytes for different browsers")
    status = seen[0][2]
    if status != http.HTTPStatus.OK:
        where = seen[0][1].get("Location")
        return Finding(url, False, f"the server answers {status}" + (f" and leads to {where}" if where else ""))
    good = hashes[0] == expected
    return Finding(url, good, f"SHA-256 {hashes[0]}" + ("" if good else f", released: {expected}"))


def _elsewhere(url: str, seen: list[Answer]) -> list[Finding]:
    """Headers that would lead a browser to something else than the bytes that were compared; a release sends none of them."""
    found = {f"{name}: {value}" for _, headers, _ in seen for name in LEADING for value in headers.get_all(name, [])}
    return [Finding(f"{url} (headers)", False, "; ".join(sorted(found))[:500])] if found else []


def _policy(url: str, seen: list[Answer]) -> Finding:
    policies = [headers.get("Content-Security-Policy", "none") for _, headers, _ in seen]
    wrong = [policy for policy in policies if policy != POLICY]
    return Finding(f"{url} (content security policy)", not wrong, (wrong or policies)[0])


def _told(url: str, client: dict[str, object] | None) -> list[Finding]:
    answers = [_json(url, body) for body, _, _ in _seen(url)]
    if any(answer != answers[0] for answer in answers):
        return [Finding(url, False, "different questions or recipes for different browsers")]
    told = answers[0]
    findings = _mixed(url, told)
    if client is not None:
        expected = json.loads(json.dumps(client))
        different = sorted(key for key in expected if told.get(key) != expected[key])
        found = "as in the questionnaire" if not different else f"different: {', '.join(different)}"
        findings.append(Finding(url, not different, found))
    return findings


def _mixed(url: str, told: dict[str, Any]) -> list[Finding]:
    """Whether the respondent's page asks by what it is told, and what the recipe does to every answer."""
    return [Finding(f"{url} ({what})" if what else url, good, found) for what, good, found in recipes.judged(told)]


def _json(url: str, body: bytes) -> dict[str, Any]:
    try:
        # As the page reads it: nothing that Python alone takes for JSON, or reads otherwise than browsers do.
        found = read_json(body)
    except PageRuleError:
        found = None
    if not isinstance(found, dict):
        raise StoreError("not_a_survey", "{url} does not answer with a survey. Is this a server of Deniable?", url=url)
    return found


class _Unled(urllib.request.HTTPRedirectHandler):
    """Redirects are looked at, not followed: the bytes that were compared would be another site's."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _get(url: str, agent: str) -> Answer:
    try:
        request = urllib.request.Request(url, headers={"User-Agent": agent})
        try:
            with urllib.request.build_opener(_Unled).open(request, timeout=SECONDS) as answer:
                return answer.read(LARGEST), answer.headers, answer.status
        except urllib.error.HTTPError as error:
            with error:
                return error.read(LARGEST), error.headers, error.code
    except (urllib.error.URLError, OSError, http.client.HTTPException) as error:
        raise StoreError(
            "no_answer", "{url} does not answer: {reason}.", url=url, reason=getattr(error, "reason", error)
        ) from None
    except ValueError:
        # Letters that neither a host nor a path may have.
        raise _bad_address(url) from None
