"""Does a server send browsers what was released? Asked from another machine, in the way browsers ask, with the standard library alone."""

from __future__ import annotations

import http
import json
import random
import re
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from deniable.errors import StoreError
from deniable.plurals import counted
from deniable.survey.page_rules import PageRuleError, read_json
from deniable.web import recipes
from deniable.web.fetching import Answer
from deniable.web.judging import SURVEY, Expected, faults, said_of, strange_headers
from deniable.web.released import SHELL, released
from deniable.web.visits import Address, Visitor, Visits, speak, visitors

REDIRECTS = (301, 302, 303, 307, 308)
MOST_TAGS = 3
"""Several machines behind one name may each have their own entity tag; one for each visitor is a cookie by another name."""
# Headers of any page that stay with the browser and hold for the survey's page too.
LASTING = {"set-cookie", "service-worker-allowed", "alt-svc", "nel", "report-to", "accept-ch", "clear-site-data"}
_RUNS = re.compile(
    rb"<\s*(script|iframe|frame|object|embed|portal|svg|math)\b|\bon[a-z]+\s*=|javascript:|http-equiv|\0", re.IGNORECASE
)
# In other types, and in other character sets, code may be written so that a search for it fails.
_PLAIN_TYPE = re.compile(r"(text/html|text/plain|application/json)(;charset=(utf-8|iso-8859-1|us-ascii|windows-1252))?")


@dataclass(frozen=True)
class Finding:
    """One thing looked at: its name, whether it is as released, and what was found. `checked`: whether it could be looked at."""

    what: str
    good: bool
    found: str
    checked: bool = True


def verify(
    url: str,
    client: dict[str, object] | None = None,
    choose: random.Random | None = None,
    context: ssl.SSLContext | None = None,
) -> list[Finding]:
    """Compare what is served at exactly this address (https://HOST/s/SURVEY) with the files of this release.

    `client`: what the page should be told, from the organiser's questionnaire; compared with what it is told. Without it the recipe
    is still looked at: whether every private answer is mixed, and how. `choose` draws browsers, languages and orders; a server that
    could foresee them could prepare for them, so it is the operating system unless a test says otherwise.
    """
    address, choose = _address(url), choose or random.SystemRandom()
    them = visitors(choose)
    visits = Visits(address, released(), choose, context)
    if address.slug is not None:
        first = visits.page(them[0])
        _must_be_there(address, [first])
        _must_end_without_slash(address, first)
        if (led := to_https(address, first)) is not None:
            return [_led_there(address, led, visits, them), *verify(led.url, client, choose, context)]
    answers, others = _visited(visits, them)
    if address.slug is not None:
        answers.insert(0, first)
        _must_be_there(address, [answer for answer in answers if answer.url == address.url])
    findings = [*_found(address, answers), _other_pages(address, others)]
    if address.slug is not None:
        findings += _survey_findings(address.api, [answer for answer in answers if answer.url == address.api], client)
    return findings


def _visited(visits: Visits, them: Sequence[Visitor]) -> tuple[list[Answer], list[Answer]]:
    """Every visitor comes twice; some look at the site's other pages before. First what belongs to the survey, then the rest."""
    answers: list[Answer] = []
    others: list[Answer] = []
    for i, visitor in enumerate(them):
        if visitor.front_first:
            others += visits.front(visitor)
        answers += visits.visit(visitor, again=False)
        answers += visits.visit(visitor, again=True)
        if i == 0:
            # Anyone who wants other answers of some people may know them by their language.
            told = _json(next((one.body for one in answers if one.url == visits.address.api), b"")) or {}
            languages = told.get("languages")
            spoken = [one for one in languages if isinstance(one, str)] if isinstance(languages, list) else []
            speak(them[1:], [one for one in spoken if not visitor.language.startswith(one) and re.fullmatch("[a-z]{2,3}", one)])
    return answers, others


def _address(url: str) -> Address:
    try:
        address = Address.of(url)
    except ValueError:
        # What follows # may be somebody's invitation.
        shown = url.partition("#")[0]
        raise StoreError(
            "bad_address", "{url} is not the address of a survey; it looks like https://HOST/s/SURVEY.", url=shown
        ) from None
    if "other-way" in re.split("[?&=]", address.target.partition("?")[2]):
        raise StoreError(
            "bad_address",
            "{url} is the page for people without JavaScript, which asks nothing. Give the address without ?other-way.",
            url=address.url,
        )
    return address


def _must_be_there(address: Address, seen: Sequence[Answer]) -> None:
    """A survey that does not exist is no changed one; a page that is missing for some only is."""
    if all(answer.trouble is not None and not answer.status for answer in seen):
        raise StoreError("no_answer", "{url}: {reason}.", url=address.url, reason=seen[0].trouble)
    if len(seen) > 1 and all(answer.status == http.HTTPStatus.NOT_FOUND for answer in seen):
        raise StoreError(
            "no_such_survey",
            "There is no survey at {url}: the server answers 404. Nothing was verified; look at the address again.",
            url=address.url,
        )


def _must_end_without_slash(address: Address, answer: Answer) -> None:
    """A release leads /s/town/ to /s/town, where the page is. That is no lie, but what is there was not asked for."""
    path, mark, query = address.target.partition("?")
    right = path.rstrip("/") + mark + query
    if path.endswith("/") and answer.status in REDIRECTS and answer.value("Location") in (right, address.origin + right):
        raise StoreError(
            "bad_address", "{url} leads to {right}, where the page is. Nothing was verified; give that address.",
            url=address.url, right=address.origin + right,
        )  # fmt: skip


def to_https(address: Address, answer: Answer) -> Address | None:
    """The same host, path and query with HTTPS, if that is where an answer leads."""
    where = answer.value("Location")
    if answer.status not in REDIRECTS or where is None or not address.origin.startswith("http://"):
        return None
    try:
        led = Address.of(where)
        same = urlsplit(led.origin).hostname == urlsplit(address.origin).hostname
    except ValueError:
        return None
    return led if same and led.target == address.target and led.origin.startswith("https://") and "#" not in where else None


def _led_there(address: Address, led: Address, visits: Visits, them: Sequence[Visitor]) -> Finding:
    """Everybody must be led there, by nothing but that."""
    wrong = []
    for answer in (visits.page(visitor) for visitor in them):
        if answer.trouble is None and to_https(address, answer) != led:
            wrong.append((f"the server answers {answer.status}", answer.asked_by))
        wrong += [(said, answer.asked_by) for said in strange_headers(answer) if not said.lower().startswith("location:")]
    if wrong:
        return Finding(address.url, False, _grouped(wrong, len(them)))
    return Finding(
        address.url,
        True,
        f"leads to the same address with https, and what is there was looked at ({led.url}). Give people that one.",
    )


def _found(address: Address, answers: Sequence[Answer]) -> list[Finding]:
    """One finding for every file, the page and the survey's description: everything about them but what is asked."""
    files = released()
    expected = {f"{address.origin}/static/{name}": Expected.of(file) for name, file in files.items()}
    if address.slug is not None:
        expected[address.api] = SURVEY
        expected[address.url] = Expected.of(files[SHELL])
    findings = []
    for url in dict.fromkeys([address.url, *expected] if address.slug is not None else expected):
        seen = [answer for answer in answers if answer.url == url]
        wrong = [(fault, answer.asked_by) for answer in seen for fault in faults(answer, expected[url])]
        wrong += _marks(seen)
        missed = [answer.trouble for answer in seen if answer.trouble is not None]
        if wrong:
            findings.append(Finding(url, False, _grouped(wrong, len(seen))))
        elif missed:
            findings.append(Finding(url, False, f"{len(missed)} of {counted(len(seen), 'time')} {missed[0]}", checked=False))
        elif expected[url].sha256 is not None:
            findings.append(Finding(url, True, f"SHA-256 {expected[url].sha256}, {counted(len(seen), 'time')}"))
        else:
            findings.append(Finding(url, True, f"status and headers as released, {counted(len(seen), 'time')}"))
    return findings


def _marks(seen: Sequence[Answer]) -> list[tuple[str, str]]:
    differing = []
    for name in ("ETag", "Last-Modified"):
        marks = {value for answer in seen for value in answer.values(name)}
        if len(marks) > MOST_TAGS:
            differing.append((f"{name}: {len(marks)} different ones, by which visitors can be told apart", seen[0].asked_by))
    return differing


def _grouped(wrong: Sequence[tuple[str, str]], times: int) -> str:
    """What was wrong, and for whom, if not for everyone."""
    said: dict[str, list[str]] = {}
    for fault, who in wrong:
        said.setdefault(fault, []).append(who)
    parts = []
    for fault, them in list(said.items())[:5]:
        whom = "" if len(them) >= times else f" [different for different visitors: {', '.join(sorted(set(them)))}]"
        parts.append(fault[:400] + whom)
    return "; ".join(parts) + ("" if len(said) <= 5 else f"; and {len(said) - 5} more")


def _other_pages(address: Address, seen: Sequence[Answer]) -> Finding:
    """Other pages of the site can leave a cookie or, by a script, a service worker that changes what the survey's page is."""
    what = f"{address.origin} (other pages: {', '.join(dict.fromkeys(answer.url[len(address.origin) :] for answer in seen))})"
    wrong = []
    for answer in seen:
        wrong += [
            (said_of(name, value), answer.asked_by) for name, value in answer.headers if _lasts(address, answer, name, value)
        ]
        kind = re.sub(r"[\s\"]", "", answer.value("Content-Type") or "").lower()
        if answer.body and not _PLAIN_TYPE.fullmatch(kind):
            wrong.append((f"{answer.url}: Content-Type: {kind or 'missing'}", answer.asked_by))
        elif "html" in kind and (ran := _RUNS.search(answer.body)):
            wrong.append(
                (
                    f"{answer.url} can run code here ({ran[0].decode('latin-1')[:20]!r}), which reaches this page",
                    answer.asked_by,
                )
            )
    missed = [answer.trouble for answer in seen if answer.trouble is not None]
    if wrong:
        return Finding(what, False, _grouped(wrong, len(seen)))
    if missed:
        return Finding(what, False, missed[0], checked=False)
    return Finding(what, True, "they set no cookie and run no code")


def _lasts(address: Address, answer: Answer, name: str, value: str) -> bool:
    if name.lower() not in LASTING or said_of(name, value) not in strange_headers(answer):
        return False
    path = re.search(r";\s*path\s*=\s*([^;]*)", value, re.IGNORECASE)
    if name.lower() == "set-cookie" and path is not None:
        ours = (address.target, "/static/", "/api/")
        return any(part.startswith(path[1].strip() or "/") for part in ours)
    return True


def _survey_findings(url: str, seen: Sequence[Answer], client: dict[str, object] | None) -> list[Finding]:
    """What the page is told to ask, and how it is to mix."""
    bodies = {answer.body for answer in seen if answer.status == http.HTTPStatus.OK and answer.trouble is None}
    answers = [_json(body) for body in bodies]
    if not answers:
        return []  # said already
    told = answers[0]
    if told is None or any(answer is None for answer in answers):
        raise StoreError("not_a_survey", "{url} does not answer with a survey. Is this a server of Deniable?", url=url)
    # Written out, for to Python true and 1 are the same, and to the page they are not.
    if len({json.dumps(answer, sort_keys=True) for answer in answers}) > 1:
        return [Finding(url, False, "different questions or recipes for different visitors")]
    findings = _mixed(url, told)
    if client is not None:
        expected = json.loads(json.dumps(client))
        different = sorted(key for key in expected if told.get(key) != expected[key])
        result = "as in the questionnaire" if not different else f"different: {', '.join(different)}"
        findings.append(Finding(url, not different, result))
    return findings


def _mixed(url: str, told: dict[str, Any]) -> list[Finding]:
    """Whether the respondent's page asks by what it is told, and what the recipe does to every answer."""
    return [Finding(f"{url} ({what})" if what else url, good, result) for what, good, result in recipes.judged(told)]


def _json(body: bytes) -> dict[str, Any] | None:
    try:
        # As the page reads it: nothing that Python alone takes for JSON, or reads otherwise than browsers do.
        content = read_json(body)
    except PageRuleError:
        return None
    return content if isinstance(content, dict) else None
